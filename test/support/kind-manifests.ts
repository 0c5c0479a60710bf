import { parse } from 'yaml';
import type { Json } from '../../src/formats/json.ts';
import { isRow } from '../../src/formats/json.ts';
import type { Field } from '../../src/kind/field.ts';
import type { Kind } from '../../src/kind/kind.ts';
import { root } from '../../src/kind/kind.ts';
import { topAddress, topOf, withTop } from '../../src/kind/top.ts';
import { kinds } from '../../src/resources/index.ts';
import { isOperation } from '../../src/api/contract.ts';
import { kindsOn } from '../../src/kind/kinds-on.ts';
import { fieldPath, isNeededBy } from '../../src/kind/row-values.ts';
import { blockAddress } from '../../src/kind/address.ts';
import { isAll, isFull } from './whole.ts';

/** A block of YAML as plain data. */
export type Body = Record<string, Json>;

/** A place where a kind can stand: below one kind of parent, in one case of its unions. */
export interface Stand {
  readonly title: string;
  readonly kind: Kind;
  readonly parent: string;
  readonly key: string;
  readonly body: Body;
  /** true: it is the kind of a platform that keeps to the API document, and differs there. */
  readonly documentedOnly: boolean;
  /** In the key of a copy, or of the service that it stands below: `-c001`. */
  readonly mark?: string;
}

/** The same stand under a key of its own, or below a service of its own: several of them can stand in one manifest. */
export function copyOf(stand: Stand, mark: string): Stand {
  const isBelowService = !['root', 'environment'].includes(stand.parent);
  return { ...stand, mark, key: isBelowService ? stand.key : stand.key + mark };
}

/** Whether copies of a stand can stand in one manifest: what tells its objects apart is a key, or the service above them. */
export function canBeCopied({ kind, parent }: Stand): boolean {
  const { key, keyField = '' } = kind.identity;
  const isToldApart =
    !['root', 'environment'].includes(parent) || (typeof key !== 'function' && key.includes(keyField));
  // A port of a machine is there once, whoever publishes it.
  const isOfMachine = typeof key !== 'function' && key.includes('publishedPort');
  return kind.operations.create !== undefined && kind.isTop !== true && isToldApart && !isOfMachine;
}

const environmentName = 'staging';

/** Every example of every kind below every kind of parent. */
export function stands(): Stand[] {
  return standsOf(kinds, false);
}

/** The same of the kinds that can do less on a platform that keeps to the API document. */
export function documentedStands(): Stand[] {
  return standsOf(kindsOn(kinds, isOperation).filter(isOther), true);
}

/** The kind that is one block of the manifest: the project. */
export function topKind(): Kind {
  const top = topOf(withTop(kinds));
  if (top === undefined) throw new Error('no kind stands for the top');
  return top;
}

/** The project of a manifest as a block. */
export function topStands(): Stand[] {
  const kind = topKind();
  return kind.examples.map((example) => {
    const body = parse(example) as Body;
    return { title: kind.kind, kind, parent: root, key: topAddress(kind), body, documentedOnly: false };
  });
}

/** Whether a kind differs from its full form in a field or a request of a plan, not only in where it can stand. */
function isOther({ kind, fields, operations }: Kind): boolean {
  const full = kinds.find((one) => one.kind === kind);
  const names = [...Object.keys(full?.fields ?? {}), ...Object.keys(fields)];
  // That a field takes ids only, where nothing lists names, is no other change of it.
  const changes = (field: Field | undefined) => JSON.stringify(field && [field.onChange, field.onNull]);
  const calls = ({ create, update, delete: remove, move }: Kind['operations']) =>
    JSON.stringify([create, [update].flat(), remove, move]);
  return (
    full === undefined ||
    names.some((name) => changes(fields[name]) !== changes(full.fields[name])) ||
    calls(operations) !== calls(full.operations)
  );
}

function standsOf(all: readonly Kind[], documentedOnly: boolean): Stand[] {
  return all.flatMap((kind) =>
    Object.keys(kind.parents).flatMap((parent) =>
      kind.examples.flatMap((example, index) => {
        const written = parse(example) as Record<string, Body>;
        const blocks = kind.isSingle === true ? { [kind.section]: written as Body } : written;
        const [key, body] = Object.entries(blocks)[0] ?? [];
        if (key === undefined || body === undefined) throw new Error(`${kind.kind}: an example declares one resource`);
        const title = `${kind.kind} below ${parent}${kind.examples.length > 1 ? ` (example ${index + 1})` : ''}${documentedOnly ? ', by the document only' : ''}`;
        return [{ title, kind, parent, key, body: adapted(kind, parent, body), documentedOnly }];
      }),
    ),
  );
}

/** Where each kind is tried: in its first place, in `full` in each third of the others too, or in all of them. */
export function triedStands(): Stand[] {
  const all = stands();
  if (isAll) return all;
  return all.filter((stand, at) => {
    const isFirst = all.findIndex(({ kind }) => kind === stand.kind) === at;
    return isFirst || (isFull && at % 3 === 0);
  });
}

/** Stands of one kind that are tried in one manifest; what cannot be there twice is alone. */
export function together(all: readonly Stand[]): { readonly title: string; readonly group: readonly Stand[] }[] {
  const groups = new Map<unknown, Stand[]>();
  for (const stand of all) {
    const of = canBeCopied(stand) ? stand.kind : stand;
    groups.set(of, [...(groups.get(of) ?? []), stand]);
  }
  return [...groups.values()].map((group) => {
    const [first] = group as [Stand];
    return group.length === 1
      ? { title: first.title, group }
      : {
          title: `${first.kind.kind} in ${group.length} places`,
          group: group.map((one, at) => copyOf(one, markOf(at))),
        };
  });
}

/** The mark of a copy, for each number below 1,000. */
export function markOf(copy: number): string {
  return `-c${String(copy).padStart(3, '0')}`;
}

/** An example shows one parent; below another one a few fields mean nothing, or are needed. */
function adapted(kind: Kind, parent: string, body: Body): Body {
  const link = kind.parents[parent];
  const grouped = new Set(
    (kind.unions ?? []).flatMap(({ tag, cases }) => [
      tag,
      ...Object.values(cases).flatMap((fields) => Object.values(fields)),
    ]),
  );
  const { create } = kind.operations;
  const added = Object.entries(kind.fields).filter(
    ([name, field]) =>
      (field.needed === true || (create !== undefined && isNeededBy(create, name))) &&
      ![...Object.keys(link?.set ?? {}), ...(link?.lacks ?? []), kind.identity.keyField].includes(name) &&
      field.atCreate === undefined &&
      field.fromParent === undefined &&
      !grouped.has(name),
  );
  const kept = Object.entries(body).filter(([name]) => link?.lacks?.includes(name) !== true);
  return {
    ...Object.fromEntries(added.map(([name, field]) => [field.written ?? name, field.examples[0]])),
    ...Object.fromEntries(kept),
  };
}

/** A manifest with the block at its place, as text; no body leaves the block out. */
export function manifestWith(
  stand: Stand,
  body: Body | undefined,
  options: { key?: string; environment?: string; moved?: readonly { from: string; to: string }[] } = {},
): string {
  if (stand.kind.isTop === true)
    return JSON.stringify({ trueup: 1, platform: 'emulator', moved: options.moved ?? [], [stand.kind.section]: body });
  const chain = ancestry(stand.parent);
  const leaf = body === undefined ? {} : { [options.key ?? stand.key]: body };
  let section: Record<string, Json> = stand.kind.isSingle === true ? leaf : { [stand.kind.section]: leaf };
  for (const ancestor of chain) {
    const [key, own] = exampleOf(ancestor);
    const isTop = ancestor.identity.addressedByKey === true;
    const name = isTop ? (options.environment ?? environmentName) : key + (stand.mark ?? '');
    const others = isTop ? { [environmentName]: {} } : {};
    const block = { ...own, ...section };
    section = { [ancestor.section]: Object.assign(others, { [name]: block }) };
  }
  return JSON.stringify({ trueup: 1, platform: 'emulator', project: 'prj_1', moved: options.moved ?? [], ...section });
}

/** A manifest with every kind once, in its first place, with the bodies of its first examples or others. */
export function manifestOfAllKinds(bodyOf: (stand: Stand) => Body = ({ body }) => body): string {
  return manifestOf(firstStands().map((stand) => manifestWith(stand, bodyOf(stand))));
}

/** Several manifests as one; of two values at one place the first. */
export function manifestOf(texts: readonly string[]): string {
  const all = texts.map((text) => JSON.parse(text) as Body & { readonly moved: readonly Json[] });
  return JSON.stringify({ ...(all.reduce<Json>(merged, {}) as Body), moved: all.flatMap(({ moved }) => moved) });
}

/** The first place of each kind, with its first example. */
export function firstStands(): Stand[] {
  return stands().filter(({ kind }, at, all) => all.findIndex((one) => one.kind === kind) === at);
}

/** Two manifests as one; of two values at one place the first. */
function merged(one: Json, other: Json | undefined): Json {
  if (!isRow(one) || !isRow(other)) return one;
  const both = { ...other, ...one } as Record<string, Json>; // JSON like the two
  return Object.fromEntries(Object.entries(both).map(([name, value]) => [name, merged(value, other[name] as Json)]));
}

/** The address of the block in that manifest. */
export function addressOf(stand: Stand, options: { key?: string; environment?: string } = {}): string {
  if (stand.kind.isTop === true) return topAddress(stand.kind);
  let address: string | undefined;
  for (const ancestor of ancestry(stand.parent).toReversed()) {
    const [key] = exampleOf(ancestor);
    const isTop = ancestor.identity.addressedByKey === true;
    address = blockAddress(
      address,
      ancestor,
      isTop ? (options.environment ?? environmentName) : key + (stand.mark ?? ''),
    );
  }
  return blockAddress(address, stand.kind, options.key ?? stand.key);
}

/** The kinds above a place, nearest first. */
function ancestry(parent: string): Kind[] {
  if (parent === root) return [];
  const kind = kinds.find((item) => item.kind === parent);
  if (kind === undefined) throw new Error(`no kind ${parent}`);
  return [kind, ...ancestry(Object.keys(kind.parents)[0] ?? root)];
}

const examples = new Map<Kind, [string, Body]>();

/** The first example of a kind, which is parsed once. */
function exampleOf(kind: Kind): [string, Body] {
  const example = examples.get(kind) ?? parseExample(kind);
  examples.set(kind, example);
  return example;
}

function parseExample(kind: Kind): [string, Body] {
  const [key, body] = Object.entries(parse(kind.examples[0] ?? '') as Record<string, Body>)[0] ?? ['x', {}];
  if (kind.identity.addressedByKey === true) return [key, {}];
  const services = ['web', 'api', 'db', 'db2'].map((name) => `  ${name}: { image: nginx }\n`).join('');
  return [
    key,
    kind.kind === 'compose' ? { ...body, source: { type: 'raw', composeFile: `services:\n${services}` } } : body,
  ];
}

/** A body in which one field has a value, in the case of a union that has the field. */
export function withField(stand: Stand, field: string, value: Json): Body | undefined {
  const link = stand.kind.parents[stand.parent];
  if (link === undefined || Object.hasOwn(link.set, field) || link.lacks?.includes(field) === true) return undefined;
  for (const union of stand.kind.unions ?? []) {
    if (union.at === undefined) {
      const type = stand.body[union.tag];
      const group = Object.values(union.cases[String(type)] ?? {});
      const elsewhere = Object.values(union.cases).some((fields) => Object.values(fields).includes(field));
      if (elsewhere && !group.includes(field)) return undefined;
      if (field === union.tag) return retagged(stand, union.tag, union.cases, value);
      continue;
    }
    if (field === union.tag) {
      const fields = union.cases[String(value)] ?? {};
      return { ...stand.body, [union.at]: { type: value, ...filled(stand.kind, fields) } };
    }
    for (const [type, fields] of Object.entries(union.cases)) {
      const written = Object.entries(fields).find(([, name]) => name === field)?.[0];
      if (written !== undefined) {
        return { ...stand.body, [union.at]: { type, ...filled(stand.kind, fields), [written]: value } };
      }
    }
  }
  return { ...stand.body, ...beside[field], [keyOf(stand, field)]: value };
}

/** What has to stand beside a field whose example is refused by itself. */
const beside: Readonly<Record<string, Body>> = { composePath: { createEnvFile: false } };

/** The key that users write for a field that stands in no group. */
function keyOf({ kind }: Stand, field: string): string {
  return kind.fields[field]?.written ?? field;
}

/** The body without a field; undefined when it cannot be left out. */
export function withoutField(stand: Stand, body: Body, field: string): Body | undefined {
  for (const union of stand.kind.unions ?? []) {
    if (field === union.tag) return undefined;
    if (union.at === undefined) continue;
    const group = body[union.at] as Body | undefined;
    const written = Object.entries(union.cases[String(group?.type)] ?? {}).find(([, name]) => name === field)?.[0];
    const call = union.calls?.[String(group?.type)];
    if (written !== undefined && call !== undefined && isNeededBy(call, field)) return undefined;
    if (written !== undefined && group !== undefined) {
      const { [written]: _, ...rest } = group;
      return { ...body, [union.at]: rest };
    }
  }
  if (field === stand.kind.identity.keyField) return undefined; // the key stands in for it
  const { [keyOf(stand, field)]: _, ...rest } = body;
  return rest;
}

function filled(kind: Kind, fields: Readonly<Record<string, string>>): Body {
  return Object.fromEntries(
    Object.entries(fields).map(([written, name]) => [written, kind.fields[name]?.examples[0] ?? '']),
  );
}

function retagged(
  stand: Stand,
  tag: string,
  cases: Readonly<Record<string, Readonly<Record<string, string>>>>,
  value: Json,
): Body {
  const all = new Set(Object.values(cases).flatMap((fields) => Object.keys(fields)));
  const rest = Object.fromEntries(Object.entries(stand.body).filter(([key]) => !all.has(key)));
  // A port of a machine is there once: the example of its field has it.
  const fields = Object.entries(cases[String(value)] ?? {});
  const named = fields.filter(([, name]) => stand.kind.fields[name]?.inPreviews !== 'own');
  return { ...rest, [tag]: value, ...filled(stand.kind, Object.fromEntries(named)) };
}

/** What the change of a field comes to. */
export function outcomeOf(field: Field): 'write' | 'replace' | 'refuse' {
  if (field.onChange === 'replace') return 'replace';
  return typeof field.onChange === 'object' && 'refuse' in field.onChange ? 'refuse' : 'write';
}

/** A body in which one field has a value, null too. */
export function bodyWith(stand: Stand, name: string, value: Json): Body {
  if (value === null) {
    for (const union of stand.kind.unions ?? []) {
      const [at, written] = fieldPath(stand.kind, name).split('.');
      if (union.at === undefined || at !== union.at || written === undefined) continue;
      const group = bodyWith(stand, name, stand.kind.fields[name]?.examples[0] ?? '')[union.at] as Body;
      return { ...stand.body, [union.at]: { ...group, [written]: null } };
    }
    return { ...stand.body, [keyOf(stand, name)]: null };
  }
  const body = withField(stand, name, value);
  if (body === undefined) throw new Error(`${stand.title} has no ${name}`);
  return body;
}

/** Another key in the same form. */
export function renamedKey(stand: Stand): string {
  if (stand.key.startsWith('/')) return `${stand.key}-renamed`;
  return stand.key.includes('.') ? `renamed.${stand.key}` : `${stand.key}-renamed`;
}

/** The body under a new key: a key that is also a field that only a new object can change keeps its value. */
export function keptKey(stand: Stand): Body {
  const name = stand.kind.identity.keyField;
  const field = name === undefined ? undefined : stand.kind.fields[name];
  return name === undefined || field === undefined || outcomeOf(field) === 'write'
    ? stand.body
    : { [name]: stand.key, ...stand.body };
}

/** The case of a union that a body chooses. */
export function bodyTag(stand: Stand, body: Body, tag: string): unknown {
  const union = stand.kind.unions?.find((item) => item.tag === tag);
  return union?.at === undefined ? body[tag] : (body[union.at] as Body | undefined)?.type;
}
