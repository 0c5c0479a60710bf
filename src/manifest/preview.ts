import { resolvePath } from '../kind/aliases.ts';
import { blockAddress } from '../kind/address.ts';
import { groupBy } from '../kind/group.ts';
import { type Kind, root } from '../kind/kind.ts';
import { fieldPath } from '../kind/row-values.ts';
import { environmentKey, holderOf, ownEnvironment } from './assemble/environment.ts';
import { sectionsOf } from './blocks.ts';
import { checkedResource } from './checked-resource.ts';
import { remedyForShell } from './expression.ts';
import { type Report, reportInto } from './report-at.ts';
import type { Block, Resource } from './resource.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { CheckedResource } from '../kind/checks.ts';
import { filledText, variablesIn } from './sources/var.ts';
import { type Entry, type MapNode, type Node, type Place, isEmpty } from './tree.ts';
import type { Variable } from './variables.ts';
import { asWritten, knownValue } from './wanted.ts';

/** The key of a root file that describes many environments: a command line names one of them. */
const previewKey = 'preview';

/** The preview that a file is checked for where the command line names none. */
export const examplePreview = '9999999';

/** A text about a file of previews that names none: without the id that only the check has. */
export function withoutExample(text: string): string {
  // A larger number may hold the same digits.
  return text.replaceAll(new RegExp(`(?<!\\d)${examplePreview}(?!\\d)`, 'g'), 'ID');
}

/** A diagnostic about a file of previews that names none. */
export function diagnosticWithoutExample({ address, remedy, ...rest }: Diagnostic): Diagnostic {
  return {
    ...rest,
    message: withoutExample(rest.message),
    ...(remedy === undefined ? {} : { remedy: withoutExample(remedy) }),
    ...(address === undefined ? {} : { address: withoutExample(address) }),
  };
}

/** What is beside the states of previews: the key, the lock and the documents of their root file. */
const besidePreviews: readonly string[] = ['documents', 'key', 'lease'];

/** Whether a text can be the id of a preview. */
export function isPreviewId(text: string): boolean {
  return /^(?!.{21})[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/.test(text) && !besidePreviews.includes(text);
}

/** What `isPreviewId` asks for. */
export const previewIdForm = `1 to 20 of a-z, 0-9 and -, no - at an end, and none of ${besidePreviews.join(', ')}`;

/** A root file, with its values and its environment as they are for one preview. */
interface OfPreview {
  readonly tree: MapNode;
  /** The variables whose values in this file have the id. */
  readonly varying: ReadonlySet<string>;
}

/** A root file with the id in the values of its variables and behind the name of its environment; others stay as they are. Pure. */
export function asPreview(tree: MapNode, id: string, report: Report): OfPreview {
  const preview = tree.entries.get(previewKey);
  const varying = new Set<string>();
  if (preview === undefined) return { tree, varying };
  const entries = new Map(tree.entries);
  if (ownEnvironment(tree) === undefined) {
    const message = `${environmentKey} is missing: a preview is an environment of its own`;
    report('missing-key', message, preview.keyAt, `Write ${environmentKey}: pr. Preview 123 is then pr-123.`);
  }
  const named = tree.entries.get(environmentKey);
  if (named !== undefined) entries.set(environmentKey, { ...named, node: withSuffix(named.node, `-${id}`) });
  const variables = tree.entries.get('variables');
  if (variables?.node.is === 'map') {
    const written = [...variables.node.entries].map(([name, entry]) => {
      const node = withId(entry.node, id, report);
      if (node !== entry.node) varying.add(name);
      return [name, { ...entry, node }] as const;
    });
    entries.set('variables', { ...variables, node: { ...variables.node, entries: new Map(written) } });
  }
  return { tree: { ...tree, entries }, varying };
}

/** The name of an environment with a text behind it. */
function withSuffix(node: Node, suffix: string): Node {
  if (node.is === 'scalar')
    return { ...node, value: `${String(node.value)}${suffix}`, source: node.source + suffix, written: node };
  const name = node.is === 'map' ? node.entries.get('name') : undefined;
  if (node.is !== 'map' || name === undefined) return node;
  return { ...node, entries: new Map([...node.entries, ['name', { ...name, node: withSuffix(name.node, suffix) }]]) };
}

/** The id of a preview in a text; the word behind the colon is `id`. A shell has `${preview:-default}` and `${preview:1}`. */
export const idExpression = /(?<!\$)\$\{preview:(?![-+?=\d])([^}]*)\}/;
const everyId = new RegExp(idExpression, 'g');

/** A value with the id for `${preview:id}`; what has none is the same node. */
function withId(node: Node, id: string, report: Report): Node {
  if (node.is === 'list') {
    const items = node.items.map((item) => withId(item, id, report));
    return items.some((item, at) => item !== node.items[at]) ? { ...node, items, written: node } : node;
  }
  if (node.is === 'map') {
    const entries = [...node.entries].map(
      ([key, entry]) => [key, { ...entry, node: withId(entry.node, id, report) }] as const,
    );
    const isChanged = entries.some(([key, entry]) => entry.node !== node.entries.get(key)?.node);
    return isChanged ? { ...node, entries: new Map(entries), written: node } : node;
  }
  if (typeof node.value !== 'string') return node;
  const source = node.value.replaceAll(everyId, (_, word: string) => {
    const remedy = `Write \${preview:id}. ${remedyForShell('preview')}`;
    if (word !== 'id') report('bad-expression', `there is no preview:${word}`, node.at, remedy);
    return id;
  });
  if (source === node.value) return node;
  return { ...node, source, value: /^(?:0|[1-9]\d{0,14})$/.test(source) ? Number(source) : source, written: node };
}

/** A manifest as a preview has it. */
export interface Fitted {
  readonly tree: MapNode;
  /** What previews do not have, by the address of the block that it was left out of. */
  readonly leftOut: ReadonlyMap<string, readonly string[]>;
}

interface Fitting {
  readonly sections: (parent: string) => ReadonlyMap<string, Kind>;
  readonly leftOut: Map<string, readonly string[]>;
  readonly report: Report;
}

/**
 * A manifest that is written out, without what previews do not have. Refuses what a preview cannot have for itself. Its
 * environment says whose it is. Pure.
 */
export function fitToPreview(
  tree: MapNode,
  { kinds, id }: { readonly kinds: readonly Kind[]; readonly id: string },
  report: Report,
): Fitted {
  const fitting = { sections: sectionsOf(kinds), leftOut: new Map<string, readonly string[]>(), report };
  const holder = holderOf(kinds);
  const project = tree.entries.get('project');
  if (project?.node.is === 'map') {
    const message = 'a preview does not own its project';
    report('not-in-previews', message, project.keyAt, 'Write project: and the name of the project.');
  }
  for (const [section, { node }] of tree.entries) {
    const kind = fitting.sections(root).get(section);
    if (section === holder?.section || kind === undefined || node.is !== 'map') continue;
    for (const [key, { keyAt }] of node.entries) {
      const isSingle = kind.isSingle === true;
      const name = isSingle ? section : `${section}.${key}`;
      const reset = isSingle ? `${section}: !reset` : `${section}: { ${key}: !reset }`;
      const message = `${name} belongs to ${isSingle ? 'the platform' : 'the organization'}, and previews would take it from each other`;
      // Nothing names what is there once.
      const naming = isSingle ? '' : ', and write its name here';
      const remedy = `Declare it in a file that only one stage includes${naming}, or changes: { ${reset} }.`;
      report('not-in-previews', message, keyAt, remedy);
    }
  }
  const file = tree.at.file;
  const fitted = fitBelow(tree.entries, { kind: root, address: undefined }, fitting);
  return {
    tree: { ...tree, entries: described(fitted, holder?.section, `Preview ${id} of ${file}`) },
    leftOut: fitting.leftOut,
  };
}

/** The environment with a description. */
function described(
  entries: ReadonlyMap<string, Entry>,
  section: string | undefined,
  text: string,
): ReadonlyMap<string, Entry> {
  const whole = section === undefined ? undefined : entries.get(section);
  if (section === undefined || whole?.node.is !== 'map') return entries;
  const blocks = [...whole.node.entries].map(([key, entry]): [string, Entry] => {
    if (entry.node.is !== 'map') return [key, entry];
    const { at } = entry.node;
    const description: Entry = { keyAt: at, node: { is: 'scalar', value: text, source: text, at } };
    const node = { ...entry.node, entries: new Map([...entry.node.entries, ['description', description]]) };
    return [key, { ...entry, node }];
  });
  return new Map([...entries, [section, { ...whole, node: { ...whole.node, entries: new Map(blocks) } }]]);
}

function fitBelow(
  entries: ReadonlyMap<string, Entry>,
  { kind, address }: { readonly kind: string; readonly address: string | undefined },
  fitting: Fitting,
): ReadonlyMap<string, Entry> {
  const sections = fitting.sections(kind);
  const fitted = new Map<string, Entry>();
  const leaveOut = (key: string): void => {
    if (address !== undefined) fitting.leftOut.set(address, [...(fitting.leftOut.get(address) ?? []), key]);
  };
  for (const [key, entry] of entries) {
    const below = sections.get(key);
    if (below?.inPreviews === 'left out' || (key === 'protect' && address !== undefined)) leaveOut(key);
    else if (below === undefined || entry.node.is !== 'map') {
      if (key === 'id' && address !== undefined) refuseId(entry, fitting.report);
      fitted.set(key, entry);
    } else {
      const blocks = [...entry.node.entries].map(([name, block]): [string, Entry] => {
        if (block.node.is !== 'map') return [name, block];
        const own = blockAddress(address, below, name);
        const inside = fitBelow(block.node.entries, { kind: below.kind, address: own }, fitting);
        return [name, { ...block, node: { ...block.node, entries: inside } }];
      });
      fitted.set(key, { ...entry, node: { ...entry.node, entries: new Map(blocks) } });
    }
  }
  return fitted;
}

function refuseId({ keyAt }: Entry, report: Report): void {
  const message = 'id adopts an object, and a preview creates everything that it has';
  report('not-in-previews', message, keyAt, 'Take it out below changes: with id: !reset.');
}

/** What a preview is checked with. */
interface Checking {
  readonly id: string;
  readonly blocks: readonly Block[];
  readonly resources: readonly Resource[];
  readonly variables: ReadonlyMap<string, Variable>;
  /** The variables whose values have the id in this run. */
  readonly varying: ReadonlySet<string>;
  readonly diagnostics: Diagnostic[];
}

/** Refuses values that a preview would share with others: hosts, ports and folders of the machine without the id. */
export function checkPreview({ id, blocks, resources, variables, varying, diagnostics }: Checking): void {
  const valueOf = (name: string) => {
    const value = variables.get(name)?.value;
    return value !== undefined && 'written' in value ? value.written : undefined;
  };
  for (const block of blocks) {
    const { kind, address, at } = block;
    const report = reportInto(diagnostics, address);
    for (const [name, { inPreviews: rule }] of Object.entries(kind.fields)) {
      const node = rule === undefined ? undefined : nodeOf(block, name);
      if (rule === undefined || (node !== undefined && (node.is !== 'scalar' || isEmpty(node)))) continue;
      const path = fieldPath(kind, name);
      if (rule === 'never') {
        if (node !== undefined && node.value !== false) refuseField(path, node.at, report);
      } else if (node !== undefined || kind.identity.keyField === name) {
        const text = String(node?.value ?? '');
        const names = variablesIn(text);
        const isVarying = names.some((one) => varying.has(one));
        if (!isVarying) refuseShared(path, { names, varying: [...varying], at: node?.at ?? at }, report);
        else if (name === 'host') checkHost(filledText(text, valueOf), node?.at ?? at, report);
      }
    }
  }
  const word = new RegExp(`(?<![a-z0-9])${id}(?![a-z0-9])`);
  const below = groupBy(resources.map((one) => [one.parent, one] as const));
  for (const resource of resources) {
    const { kind, fields, address, at } = resource;
    const { inPreview } = kind.checks ?? {};
    if (inPreview === undefined) continue;
    const children = (below.get(address) ?? []).map(writtenValues);
    const found = inPreview(writtenValues(resource), (text) => word.test(text), children);
    for (const { field = '', message, remedy } of found)
      reportInto(diagnostics, address)('not-in-previews', message, fields[field]?.at ?? at, remedy);
  }
}

/** A resource with its values as they are written: they show no secret, and a check can tell that it does not know one. */
function writtenValues(resource: Resource): CheckedResource {
  const { fields } = resource;
  return checkedResource(resource, {
    values: Object.fromEntries(Object.entries(fields).map(([name, wanted]) => [name, asWritten(wanted)])),
    unknown: Object.keys(fields).filter((name) => knownValue(fields[name]) === undefined),
    textOf: (wanted) => String(asWritten(wanted) ?? ''),
  });
}

/** The value that a block has for a field. */
function nodeOf({ kind, entries }: Block, name: string): Node | undefined {
  const path = fieldPath(kind, name);
  return [...entries].find(([written]) => resolvePath(written) === path)?.[1].node;
}

function refuseField(written: string, at: Place, report: Report): void {
  const message = `${written} is for an application that exists once`;
  report('not-in-previews', message, at, `Write ${written}: false below changes:.`);
}

/** Refuses the value of a field that no variable with the id is a part of. `names`: its variables. */
function refuseShared(
  path: string,
  {
    names,
    varying,
    at,
  }: { readonly names: readonly string[]; readonly varying: readonly string[]; readonly at: Place },
  report: Report,
): void {
  const message = `${path} is the same for each preview: it has no variable with \${preview:id}`;
  const [used] = names;
  const [name = 'suffix'] = varying;
  const declared =
    varying.length > 0 ? '' : 'declare variables: { suffix: { default: "-pr-${preview:id}.example.com" } }, ';
  const way =
    used === undefined
      ? `${declared}write \${var:${name}} in ${path}`
      : `give ${used} a value with the id, such as "-pr-\${preview:id}.example.com"`;
  const remedy = `${way[0]?.toUpperCase()}${way.slice(1)}, or take it out below changes: with !reset.`;
  report('not-in-previews', message, at, remedy);
}

/** Refuses a host that DNS does not take. */
function checkHost(host: string | undefined, at: Place, report: Report): void {
  if (host === undefined) return;
  const long = host.split('.').find((label) => label.length > 63);
  const remedy = 'Shorten the key of the block or the variable: a part has at most 63 characters, and the host 253.';
  if (long !== undefined) report('not-in-previews', `host: ${long} has ${long.length} characters`, at, remedy);
  else if (host.length > 253) report('not-in-previews', `host has ${host.length} characters`, at, remedy);
}
