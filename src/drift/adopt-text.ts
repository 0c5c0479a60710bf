import { type Diagnostic, Stop, stop } from '../diagnostics/diagnostic.ts';
import { textsIn } from '../formats/json.ts';
import type { Finding } from './finding.ts';
import { type Entry, type Value, plainly } from '../edit/write-yaml.ts';
import { pathOf } from '../kind/attribute.ts';
import type { Union } from '../kind/field.ts';
import { fieldOf, fieldPath, observedValue } from '../kind/row-values.ts';
import { caseFields, writtenFields } from '../kind/written-keys.ts';
import { holes } from '../manifest/assemble/templates.ts';
import { expressionIn, parseExpressions } from '../manifest/expression.ts';
import { blockPaths } from '../manifest/layers.ts';
import { pathTo } from '../manifest/path-to.ts';
import type { Resource } from '../manifest/resource.ts';
import { unsetKey } from '../manifest/unset.ts';
import { toJson } from '../formats/yaml-node.ts';
import { readTree } from '../manifest/read-tree.ts';
import { type Node, nodeAt } from '../manifest/tree.ts';
import { type AttributeChange, type Plan, leavesState } from '../plan/action.ts';
import type { Masking } from '../secrets/looks-secret.ts';
import { secret } from '../secrets/secret.ts';
import { type AttributePlace, type Searched, type StageFiles, placeOf, placeOfBlock } from './adopt-place.ts';
import { adoptedValue } from './adopted-value.ts';
import { type Edit, type Edits, editTogether, editYaml } from '../edit/edit-yaml.ts';

/** What adopting is computed from. */
export interface AdoptInput {
  /** A plan of the whole manifest, which the findings are from. */
  readonly plan: Plan;
  readonly resources: readonly Resource[];
  readonly findings: readonly Finding[];
  /** The YAML files of the manifest, by name. */
  readonly texts: ReadonlyMap<string, string>;
  /** undefined: each value stands in one place, in a file that no other root file includes. */
  readonly stage?: StageFiles | undefined;
  /** The files that `${file:…}` of a file names, by the name that it has below the root. */
  readonly named: (from: string, path: string) => { readonly file: string; readonly text: string } | undefined;
  /** The parts of a text that the run knows as secrets. */
  readonly known: Masking['known'];
}

/** The files with what the platform has. */
export interface Adopted {
  /** Files that change, with their new texts. */
  readonly files: ReadonlyMap<string, string>;
  readonly adopted: readonly { readonly finding: Finding; readonly file: string }[];
  /** Why the others were not written. */
  readonly left: readonly Diagnostic[];
}

/** Writes what the platform has into the files of a manifest: the values of drifted fields; blocks of missing objects go. */
export function adopt(input: AdoptInput): Adopted {
  // Edits that are made together need one reading of their file, and not one each.
  const { found, areMade } = adoptAll(input, { isTogether: true });
  return areMade ? found : adoptAll(input, { isTogether: false }).found;
}

function adoptAll(
  input: AdoptInput,
  { isTogether }: { readonly isTogether: boolean },
): { readonly found: Adopted; readonly areMade: boolean } {
  const { findings, texts } = input;
  const work: Work = {
    ...input,
    files: new Map(texts),
    changed: new Set(),
    written: new Set(),
    open: isTogether ? new Map<string, Edits>() : undefined,
    failed: new Set(),
    trees: new Map(),
  };
  const adopted: { finding: Finding; file: string }[] = [];
  const left: Diagnostic[] = [];
  for (const finding of findings) {
    try {
      adopted.push({ finding, file: adoptOne(finding, work) });
    } catch (error) {
      if (!(error instanceof Stop)) throw error;
      left.push(...(error.diagnostics.map((item) => ({ ...item, address: finding.address })) as Diagnostic[]));
    }
  }
  for (const file of work.open?.keys() ?? []) close(file, work);
  const files = new Map([...work.files].filter(([file]) => work.changed.has(file)));
  return { found: { files, adopted, left }, areMade: work.failed.size === 0 };
}

interface Work extends AdoptInput {
  readonly files: Map<string, string>;
  readonly changed: Set<string>;
  /** Groups that were written as a whole. */
  readonly written: Set<string>;
  /** The edits of each file that are not made yet; undefined: each edit is made at once. */
  readonly open: Map<string, Edits> | undefined;
  /** The files with edits that could not be made together. */
  readonly failed: Set<string>;
  /** The texts that were read, with their trees, by file. */
  readonly trees: Map<string, { readonly text: string; readonly tree: Node | undefined }>;
}

/** Writes one finding, and gives the file. @throws {Stop} `refused`, when it cannot be written */
function adoptOne(finding: Finding, work: Work): string {
  const { address = '', path, is } = finding;
  const resource = work.resources.find((one) => one.address === address);
  if (is === 'missing' && resource !== undefined) return removeBlock(resource, work);
  const action = work.plan.actions.find((one) => one.address === address);
  const change = action?.attributes.find(({ attribute }) => pathOf(action.kind, attribute) === path);
  if (resource === undefined || action === undefined || change === undefined) {
    throw refuse(path ?? address, 'it is no value of a field', 'Change the manifest by hand.');
  }
  const { attribute } = change;
  const union = resource.kind.unions?.find(({ at, tag }) => at !== undefined && tag === attribute.field);
  if (union?.at !== undefined) return adoptUnion({ resource, change, union, at: union.at }, work);
  const group = path?.split('.')[0] ?? '';
  const place = placeOf(resource, attribute, searched(work));
  if (work.written.has(JSON.stringify([address, group]))) return place.file;
  const isThere = nodeAt(treeOf(place.file, work), place.path) !== undefined;
  const { node, from } = isThere ? nodeIn(place, work) : nodeOf(change.wanted, work);
  const file = namedBy(node, from, work);
  const old = node === undefined ? undefined : toJson(node);
  const text = file?.text ?? (typeof old === 'string' ? old : '');
  const found = adoptedValue({
    resource,
    change,
    nameOf: nameIn(work, change.field.refersTo),
    old,
    text,
    isKnown: knownIn(work),
  });
  if ('why' in found) throw refuse(path ?? '', found.why, found.remedy);
  if (isThere && file !== undefined && found.value?.is === 'plain' && typeof found.value.value === 'string') {
    work.files.set(file.file, found.value.value);
    work.changed.add(file.file);
    return file.file;
  }
  const order = attribute.key === undefined ? [...writtenFields(resource.kind, resource.link).keys()] : [];
  refuseHoles(place, node, work);
  const isBelow = !isThere || change.wanted?.at.over !== undefined;
  const value = found.value ?? (work.stage !== undefined && isBelow ? reset : undefined);
  write(place.file, { path: place.path, value, order }, work);
  if (!isThere) removeUnset(place, (name) => name === path, work);
  return place.file;
}

const reset: Value = { is: 'reset' };

/** A value of a file. */
interface Written {
  readonly node: Node | undefined;
  readonly from: string;
}

function nodeIn({ file, path }: AttributePlace, work: Work): Written {
  return { node: nodeAt(treeOf(file, work), path), from: file };
}

/** The value that a stage writes another one over: it stands in a file of all stages, or in a template. */
function nodeOf(wanted: AttributeChange['wanted'], work: Work): Written {
  if (wanted === undefined || work.stage === undefined) return { node: undefined, from: '' };
  const { file } = wanted.at;
  const path = pathTo(treeOf(file, work), wanted.at);
  return path === undefined ? { node: undefined, from: file } : nodeIn({ file, path, block: [] }, work);
}

/** @throws {Stop} `refused`, for a value of a template that is another one in each block */
function refuseHoles({ file, path }: AttributePlace, node: Node | undefined, work: Work): void {
  if (work.stage?.isEverywhere !== true || path[0] !== 'templates' || node === undefined) return;
  const found = textsIn(toJson(node)).flatMap((text) => expressionIn(text, holes) ?? []);
  const [first] = found;
  if (first === undefined) return;
  const why = `the template writes it with ${first}, in ${file}`;
  throw refuse(path.at(-1) ?? '', why, 'Adopt it without --everywhere, or change the template by hand.');
}

/** Takes names out of the `unset` of the block that a place stands in: they get values. */
function removeUnset(
  { file, block }: { readonly file: string; readonly block: readonly string[] },
  isMeant: (name: string) => boolean,
  work: Work,
): void {
  const named = (): readonly string[] => {
    const node = nodeAt(treeOf(file, work), [...block, unsetKey]);
    const list = node === undefined ? undefined : toJson(node);
    return Array.isArray(list) ? list.map(String) : [];
  };
  if (!named().some(isMeant)) return;
  // Several fields of one list may get values: each edit begins with the list that the one before left.
  close(file, work);
  const left = named().filter((name) => !isMeant(name));
  const value = left.length === 0 ? undefined : plainly([...left]);
  work.files.set(file, editYaml(file, work.files.get(file) ?? '', [{ path: [...block, unsetKey], value }]));
  work.changed.add(file);
}

function write(file: string, edit: Edit, work: Work): void {
  const { files, changed, open } = work;
  if (open !== undefined) {
    const edits = open.get(file) ?? editTogether(file, files.get(file) ?? '');
    if (edits.add(edit)) {
      open.set(file, edits);
      changed.add(file);
      return;
    }
    close(file, work);
  }
  files.set(file, editYaml(file, files.get(file) ?? '', [edit]));
  changed.add(file);
}

/** Makes the open edits of a file. */
function close(file: string, { files, open, failed }: Work): void {
  const edits = open?.get(file);
  if (edits === undefined) return;
  open?.delete(file);
  const text = edits.text();
  if (text === undefined) failed.add(file);
  else files.set(file, text);
}

function refuse(subject: string, why: string, remedy: string): Stop {
  return stop('refused', 'not-editable', `cannot adopt ${subject}: ${why}`, { remedy });
}

function keysTo({ at }: Resource, work: Work): readonly string[] | undefined {
  return pathTo(treeOf(at.file, work), at);
}

/** Removes the block of an object that is gone, wherever it stands; a stage takes out what it shares with others. */
function removeBlock(resource: Resource, work: Work): string {
  const { stage } = work;
  const prefixes = stage === undefined ? [[]] : [[], ['changes']];
  const places = blockPaths(resource, { resources: work.resources, environment: stage?.environment }).flatMap((path) =>
    [...work.texts.keys()].flatMap((file) =>
      prefixes.flatMap((prefix) => {
        const node = nodeAt(treeOf(file, work), [...prefix, ...path]);
        return node === undefined ? [] : [{ file, path: [...prefix, ...path], isReset: node.isReset === true }];
      }),
    ),
  );
  const inTemplate = stage?.isEverywhere === true && resource.at.via !== undefined ? keysTo(resource, work) : undefined;
  if (inTemplate !== undefined) places.push({ file: resource.at.file, path: [...inTemplate], isReset: false });
  const isOurs = (file: string) => stage === undefined || stage.isEverywhere || stage.isOwn(file);
  const own = places.filter(({ file }) => isOurs(file));
  const isBelow =
    (resource.at.via !== undefined && inTemplate === undefined) ||
    own.length < places.length ||
    own.some(({ isReset }) => isReset);
  const target = stage !== undefined && isBelow ? placeOfBlock(resource, searched(work)) : undefined;
  const isTarget = ({ file, path }: (typeof own)[number]) =>
    file === target?.file && path.join('\0') === target.path.join('\0');
  for (const one of own) if (!isTarget(one)) write(one.file, { path: one.path, value: undefined }, work);
  if (target !== undefined) write(target.file, { path: target.path, value: reset }, work);
  return target?.file ?? own[0]?.file ?? resource.at.file;
}

/** Writes a group whose case changed, such as `source`, with all fields of the new case. */
function adoptUnion(
  {
    resource,
    change,
    union,
    at,
  }: { readonly resource: Resource; readonly change: AttributeChange; readonly union: Union; readonly at: string },
  work: Work,
): string {
  const { kind, address } = resource;
  const word = change.before.reveal();
  const row = work.plan.observed.objects.get(address)?.row ?? {};
  if (typeof word !== 'string' || !Object.hasOwn(union.cases, word)) {
    throw refuse(`${at}.type`, 'the platform has a case that no block can have', 'Run trueup apply to put it back.');
  }
  const place = placeOf(resource, change.attribute, searched(work));
  const { file, path } = place;
  refuseHoles(place, nodeAt(treeOf(file, work), path.slice(0, -1)), work);
  const entries = caseFields(union, word).flatMap(([written, name]): Entry[] => {
    const observed = observedValue(kind, name, row) ?? null;
    const field = fieldOf(kind, name);
    if (observed === null || !fieldPath(kind, name).startsWith(`${at}.`)) return [];
    const one = { attribute: { field: name }, field, before: secret(observed), wanted: undefined, pair: undefined };
    const found = adoptedValue({
      resource,
      change: one,
      nameOf: nameIn(work, field.refersTo),
      old: undefined,
      text: '',
      isKnown: knownIn(work),
    });
    if ('why' in found) throw refuse(`${at}.${written}`, found.why, found.remedy);
    return found.value === undefined ? [] : [{ key: written, value: found.value }];
  });
  const value: Value = {
    is: 'map',
    entries: [{ key: 'type', value: plainly(word) }, ...entries],
  };
  write(file, { path: path.slice(0, -1), value }, work);
  removeUnset(place, (name) => name.startsWith(`${at}.`), work);
  work.written.add(JSON.stringify([address, at]));
  return file;
}

/** The key of the block at the top that has an object of a kind, else its name on the platform, else its id. */
function nameIn(work: Work, kind = ''): (id: string) => string {
  const { resources } = work;
  const { observed } = work.plan;
  const isKnown = knownIn(work);
  return (id) => {
    const blocks = resources.filter((one) => one.kind.kind === kind && one.parent === undefined);
    const block = blocks.find(({ address }) => observed.objects.get(address)?.id === id);
    if (block !== undefined) return block.key;
    const name = observed.nameOf(kind, id);
    // The key of a block means that block.
    const isOther = blocks.some(({ key }) => key === name);
    return name === undefined || isOther || isKnown(name) ? id : name;
  };
}

function knownIn({ known }: Work): (text: string) => boolean {
  return (text) => (known?.(text) ?? []).length > 0;
}

function searched(work: Work): Searched {
  const { resources, texts, stage } = work;
  return { resources, texts, stage, treeOf: (file) => treeOf(file, work) };
}

/** The tree of a file, without edits that are not made yet. */
function treeOf(file: string, { files, trees }: Work): Node | undefined {
  const text = files.get(file) ?? '';
  const known = trees.get(file);
  if (known?.text === text) return known.tree;
  const tree = readTree(file, text, []);
  trees.set(file, { text, tree });
  return tree;
}

/** The file that a value names, where `${file:…}` is all of it. */
function namedBy(node: Node | undefined, from: string, { named, files }: Work): ReturnType<AdoptInput['named']> {
  if (node?.is !== 'scalar' || typeof node.value !== 'string') return undefined;
  const { parts } = parseExpressions(node.value);
  const [part, ...others] = parts;
  if (others.length > 0 || typeof part !== 'object') return undefined;
  const [path] = part.source.files(part.argument);
  const found = path === undefined ? undefined : named(from, path);
  return found === undefined ? undefined : { file: found.file, text: files.get(found.file) ?? found.text };
}

/** Returns true where a plan leaves a finding as it is on the platform; of a group with another case, all of it. */
export function isSettled(
  plan: Plan,
  { address = '', path = '', is }: Pick<Finding, 'address' | 'path' | 'is'>,
): boolean {
  const action = plan.actions.find((one) => one.address === address);
  if (is === 'missing') return action === undefined || leavesState(action);
  const group = path.endsWith('.type') ? path.slice(0, -'type'.length) : undefined;
  if (action === undefined) return false;
  return action.attributes.every(({ attribute, decision }) => {
    const own = pathOf(action.kind, attribute);
    if (own !== path && (group === undefined || !own.startsWith(group))) return true;
    return ['nothing', 'release', 'keep'].includes(decision.do);
  });
}
