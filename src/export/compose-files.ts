import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import type { Kind } from '../kind/kind.ts';
import { isWithin } from '../kind/address.ts';
import { isRow } from '../formats/json.ts';
import { observedValue, valueAt } from '../kind/row-values.ts';
import { type Placed, type Present, place } from './place-objects.ts';
import { type Writing, blockEntries, declareSecrets, keysTo } from './block.ts';
import { createFileNames, fileName, yamlStem } from './free-names.ts';
import { createReferences } from './references-between.ts';
import { type NamedSecret, type UsedSecrets, createSecrets } from './secrets-of-export.ts';
import type { Survey, Surveyed } from './survey.ts';
import { type TerraformState, terraformKeys, terraformNotes } from './terraform.ts';
import { type Entry, renderEntries } from '../edit/write-yaml.ts';

/** The files of an export, with what they hold. */
export interface Composed {
  /** By path below the folder of the manifest, with `/`. */
  readonly files: ReadonlyMap<string, string>;
  /** Those of the files that a manifest includes. */
  readonly included: readonly string[];
  readonly secrets: readonly NamedSecret[];
  /** The id of the object of each block, by address. */
  readonly ids: ReadonlyMap<string, string>;
  /** The objects that have no block, with the reason, and the fields that a block leaves out. */
  readonly notes: readonly Diagnostic[];
  /** The addresses of all objects that are not there, whether they have a block or not. */
  readonly unmanaged: readonly string[];
}

/** What is exported, and into which files. */
export interface ComposeInput {
  /** Those that the platform serves. */
  readonly kinds: readonly Kind[];
  /** Also those that the platform does not serve. */
  readonly allKinds: readonly Kind[];
  /** false: it could not be read which operations the platform serves. */
  readonly isServedKnown: boolean;
  readonly survey: Survey;
  /** Blocks and ids that are there already. */
  readonly present: Present;
  /** The ids that the state has: an export that replaces another one has their blocks again. */
  readonly managed: ReadonlySet<string>;
  /** Blocks that are left out with all below them, and why. */
  readonly dropped: ReadonlyMap<string, string>;
  readonly leftOut: Writing['leftOut'];
  readonly layout: Layout;
  /** The address of the one block to write, with all below it; undefined: all that are not there. */
  readonly only?: string | undefined;
  /** The environment whose sections stand at the top of the files: what others have is of other stages. */
  readonly environment?: string | undefined;
  readonly usedSecrets: UsedSecrets;
  readonly known: Writing['known'];
  readonly remembered: Writing['remembered'];
  /** Names blocks alike, and is compared with what the platform has. */
  readonly terraform?: TerraformState | undefined;
}

/** Where blocks go: to new files, or into the text of a block that is there. */
export interface Layout {
  /** The file of a block at the top. */
  readonly fileOf: (top: Placed) => string;
  /** Files that are there already. */
  readonly taken: Iterable<string>;
  /** The text of a file with more entries; a new file holds nothing else. */
  readonly textWith?: (file: string, entries: readonly Entry[]) => string;
}

/** The file of what belongs to the organization. */
export const organizationFile = 'organization.yaml';

/** One file per environment, and one for what belongs to the organization. */
export function projectLayout(): Layout {
  const names = createFileNames();
  const files = new Map<string, string>();
  return {
    taken: [],
    fileOf: ({ object: { kind }, address, key }) => {
      if (kind.identity.addressedByKey !== true) return organizationFile;
      const file = files.get(address) ?? names.take(`${kind.section}/${yamlStem(key)}.yaml`);
      files.set(address, file);
      return file;
    },
  };
}

/** All blocks in one new file, beside those that are there. */
export function oneFile(file: string, taken: Iterable<string>): Layout {
  return { taken, fileOf: () => file };
}

/** The block of one object, in the text of a file that is there. */
export function inFile(file: string, textWith: (entries: readonly Entry[]) => string, taken: Iterable<string>): Layout {
  return { taken, fileOf: () => file, textWith: (_, entries) => textWith(entries) };
}

/** What one export writes, and what comes of it. */
interface Composing extends Pick<
  ComposeInput,
  'kinds' | 'allKinds' | 'isServedKnown' | 'present' | 'managed' | 'dropped' | 'only'
> {
  readonly writing: Writing;
  readonly notes: Diagnostic[];
  /** Gets the id of the object of each block. */
  readonly ids: Map<string, string>;
}

/** Writes the blocks of what a platform has, and the files beside them. Pure: the same survey gives the same bytes. */
export function compose(input: ComposeInput): Composed {
  const { kinds, survey, present, dropped, layout, terraform } = input;
  const { textWith } = layout;
  const notes: Diagnostic[] = [];
  const tops = place(survey.tops, { kinds, present, named: terraform && terraformKeys(terraform) }).filter((top) =>
    isOfStage(top, input),
  );
  const byId = indexOf(tops, dropped);
  if (terraform !== undefined) notes.push(...terraformNotes(terraform, byId.values()));
  const secrets = createSecrets(input.usedSecrets);
  for (const block of byId.values()) if (isWritten(block, input)) declareSecrets(block, secrets);
  const files = new Map<string, string>();
  const writing: Writing = {
    secrets,
    known: input.known,
    remembered: input.remembered,
    leftOut: input.leftOut,
    projectIds: new Set(survey.tops.map(({ row, link }) => valueAt(row, link.idAt))),
    notes,
    references: createReferences(byId.values(), present.project),
    nameOf: (kind, id) => nameOf(kind, id, { byId, tops: survey.tops }),
    keep: keepingIn(files, layout),
  };
  const composing: Composing = { ...input, writing, notes, ids: new Map<string, string>() };
  const documents = new Map<string, Map<Kind, Entry[]>>();
  for (const top of tops) {
    const file = layout.fileOf(top);
    const entries = entriesOf(top, composing);
    if (entries.length === 0) continue;
    const document = documents.get(file) ?? new Map<Kind, Entry[]>();
    documents.set(file, document);
    document.set(top.object.kind, [...(document.get(top.object.kind) ?? []), ...entries]);
  }
  for (const [path, document] of documents) {
    const sections = [...document].flatMap(([kind, entries]) =>
      input.environment !== undefined && kind.identity.addressedByKey === true
        ? entries.flatMap(({ value }) => (value.is === 'map' ? value.entries : []))
        : sectionOf(kind, entries),
    );
    files.set(path, textWith === undefined ? renderEntries(sections) : textWith(path, sections));
  }
  return {
    files,
    included: textWith === undefined ? [...documents.keys()].toSorted() : [],
    secrets: secrets.all(),
    ids: composing.ids,
    notes: [...survey.notes, ...notes],
    unmanaged: [...byId.values()].flatMap(({ object, address }) => (present.addresses.has(object.id) ? [] : [address])),
  };
}

/** Returns false for an environment of another stage, and for what belongs to the organization unless it is asked for. */
function isOfStage({ object, key }: Placed, { environment, only, present }: ComposeInput): boolean {
  if (environment === undefined || present.addresses.has(object.id)) return true;
  return object.kind.identity.addressedByKey === true ? key === environment : only !== undefined;
}

/** Keeps long texts in files beside the file of their block. */
function keepingIn(files: Map<string, string>, layout: Layout): Writing['keep'] {
  const names = createFileNames(layout.taken);
  return (block, name, text) => {
    const yaml = layout.fileOf(topOf(block));
    const isOwnFile = yaml.endsWith(`/${yamlStem(topOf(block).key)}.yaml`);
    const folders = ownerOf(block).slice(isOwnFile ? 1 : 0);
    const folder = [yaml.replace(/\.yaml$/, ''), ...folders.map(fileName)].join('/');
    const path = names.take(`${folder}/${fileName(name)}`);
    files.set(path, text);
    return path.slice(yaml.lastIndexOf('/') + 1);
  };
}

function sectionOf(kind: Kind, entries: readonly Entry[]): Entry {
  const { section, isSingle, operations } = kind;
  const why = operations.create === undefined ? operations.cannot?.create : undefined;
  const [first] = entries;
  const value = isSingle === true && first !== undefined ? first.value : ({ is: 'map', entries } as const);
  return why === undefined ? { key: section, value } : { key: section, value, before: `Never created: ${why}.` };
}

/** The entry of a block with all below it; none where it is not written. */
function entriesOf(block: Placed, composing: Composing): Entry[] {
  const { kinds, present, only, notes, ids } = composing;
  const { object, address } = block;
  const isPresent = present.addresses.has(object.id);
  const why = whyLeftOut(block, composing);
  if (why !== undefined) {
    notes.push(diagnostic('not-exported', why, { address }));
    return [];
  }
  const isAround = only !== undefined && address !== only && isWithin(only, address);
  if (only !== undefined && !isAround && !isWithin(address, only)) return [];
  if (isClosed(block, composing)) {
    for (const child of block.children) reportBelow(child, present, notes);
    return [];
  }
  const own = isPresent || isAround ? [] : blockEntries(block, composing.writing);
  const sections = kinds.flatMap((kind): Entry[] => {
    const children = block.children.filter((child) => child.object.kind === kind);
    const below = children.flatMap((child) => entriesOf(child, composing));
    return below.length === 0 ? [] : [sectionOf(kind, below)];
  });
  const isEmpty = own.length === 0 && sections.length === 0;
  if (isEmpty && (isPresent || isAround || object.kind.operations.create === undefined)) return [];
  if (!isPresent) ids.set(address, object.id);
  if (only === undefined) notes.push(...unknownBelow(block, composing));
  return [{ key: block.key, value: { is: 'map', entries: [...own, ...sections] } }];
}

type Choosing = Pick<ComposeInput, 'present' | 'managed' | 'dropped' | 'only'>;

/** Why a block, with all below it, is left out; undefined: it is not. */
function whyLeftOut({ object, address }: Placed, { present, managed, dropped, only }: Choosing): string | undefined {
  const isAsked = only !== undefined || present.addresses.has(object.id) || managed.has(object.id);
  return dropped.get(address) ?? (isAsked ? undefined : object.kind.notExported?.(object.row));
}

/** Returns true for a service that the manifest declares: what stands below it needs an export of its own. */
function isClosed({ object: { id, kind } }: Placed, { present, only }: Choosing): boolean {
  return present.addresses.has(id) && kind.service !== undefined && only === undefined;
}

/** Returns true for an object whose block is written. */
function isWritten(block: Placed, choosing: Choosing): boolean {
  const { present, only } = choosing;
  if (present.addresses.has(block.object.id)) return false;
  if (only !== undefined && !isWithin(block.address, only)) return false;
  for (let one: Placed | undefined = block; one !== undefined; one = one.parent)
    if (whyLeftOut(one, choosing) !== undefined || isClosed(one, choosing)) return false;
  return true;
}

/** The lists in a row that hold objects of no kind, such as databases of another sort, or of one that the platform does not serve. */
function unknownBelow(
  { object: { kind, row, parent }, address }: Placed,
  { kinds, allKinds, isServedKnown }: Composing,
): Diagnostic[] {
  if (parent === undefined && kind.identity.addressedByKey !== true) return [];
  const [known, unserved] = [listsIn(kind, kinds), listsIn(kind, allKinds)];
  return Object.entries(row).flatMap(([name, value]): Diagnostic[] => {
    const isKnown = known.has(name) || Object.hasOwn(kind.fields, name) || name === kind.service?.deployments;
    if (isKnown || !Array.isArray(value) || value.length === 0 || !value.every(isRow)) return [];
    const isServed = isServedKnown
      ? 'the platform does not serve the operations for these'
      : 'whether the platform serves the operations for these is not known';
    const why = unserved.has(name) ? isServed : 'Trueup has no kind for these';
    return [diagnostic('not-exported', `${name}: ${why} (${value.length})`, { address })];
  });
}

/** The names of the lists in the row of a kind that hold objects of other kinds. */
function listsIn({ kind }: Kind, kinds: readonly Kind[]): ReadonlySet<string> {
  return new Set(
    kinds.flatMap(({ parents: { [kind]: link } }) =>
      link !== undefined && 'at' in link.listed ? [link.listed.at] : [],
    ),
  );
}

/** The keys of the block whose folder holds the files of a block: its service, or itself. */
function ownerOf(block: Placed): string[] {
  return keysTo(block.parent?.parent === undefined ? block : block.parent);
}

/** The block at the top that a block is below of, or is itself. */
function topOf(block: Placed): Placed {
  return block.parent === undefined ? block : topOf(block.parent);
}

/** Says that objects below a service that the manifest declares need its block. */
function reportBelow(child: Placed, present: Present, notes: Diagnostic[]): void {
  if (present.addresses.has(child.object.id)) return;
  const remedy = `trueup export --address '${child.address}' adds it there.`;
  notes.push(
    diagnostic('not-exported', 'it stands below a block that is there already', { address: child.address, remedy }),
  );
}

/** The blocks that can be referred to, by the id of their object: neither those that are left out, nor what may be empty. */
function indexOf(tops: readonly Placed[], dropped: ReadonlyMap<string, string>): ReadonlyMap<string, Placed> {
  const byId = new Map<string, Placed>();
  const add = (block: Placed): void => {
    if ([...dropped.keys()].some((address) => isWithin(block.address, address))) return;
    byId.set(block.object.id, block);
    for (const child of block.children) add(child);
  };
  for (const top of tops) add(top);
  return byId;
}

function nameOf(
  kindName: string,
  id: string,
  { byId, tops }: { readonly byId: ReadonlyMap<string, Placed>; readonly tops: readonly Surveyed[] },
): string {
  const block = byId.get(id);
  if (block?.object.kind.kind === kindName && block.parent === undefined) return block.key;
  const alike = tops.filter(({ kind }) => kind.kind === kindName);
  const called = (one: Surveyed) => observedValue(one.kind, one.kind.identity.keyField ?? '', one.row);
  const target = alike.find((one) => one.id === id);
  const name = target === undefined ? undefined : called(target);
  return typeof name === 'string' && alike.filter((one) => called(one) === name).length === 1 ? name : id;
}
