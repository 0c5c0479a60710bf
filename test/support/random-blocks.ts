import { requiredMembers } from '../../src/api/contract.ts';
import type { Json } from '../../src/formats/json.ts';
import type { ParentLink } from '../../src/kind/parent.ts';
import type { Kind } from '../../src/kind/kind.ts';
import { createOf, isNeededBy } from '../../src/kind/row-values.ts';
import type { Block, Env, Model, Named, Ref } from './random-manifest.ts';
import {
  blocksOf,
  environmentsOf,
  fieldOf,
  keysOf,
  kindsBelow,
  linkOf,
  nullOf,
  outputOf,
  removeTwins,
  topKinds,
  steady,
  valuesOf,
} from './random-manifest.ts';

/** From numbers to the blocks of random manifests. */

/** Numbers that a block is made from. */
export interface Seed {
  readonly kind: number;
  readonly key: number;
  readonly case: number;
  readonly fields: readonly { readonly field: number; readonly value: number }[];
  readonly env: readonly number[] | undefined;
  readonly children: readonly Seed[];
}

const envKeys = ['A', 'B', 'REGION', 'with.dot'];

const mention = '${{environment.REGION}}';

const envValues = ['1', '2', '', 'a # b', `it's "so" $HOME`, 'two\nlines\n', mention, ' spaces '];

const envTexts = ['A=1\n', '# note\nB="x y"\nFOREIGN=here\n', '', "FOREIGN='a'\nREGION=us\nA=9", 'C=3\n'];

/** The manifest that a history starts with. */
export function modelOf({ start, top }: { start: readonly Seed[]; top: readonly Seed[] }): Model {
  const model: Model = { roots: [], uids: 0 };
  for (const seed of top) addBlock(model, undefined, seed);
  start.forEach((seed, index) => addBlock(model, undefined, index === 0 ? { ...seed, key: 0 } : seed));
  removeTwins(model);
  return model;
}

export function addBlock(model: Model, parent: Block | undefined, seed: Seed): void {
  const siblings = parent?.children ?? model.roots;
  const block = blockFrom(model, parent, seed);
  if (block === undefined || siblings.some((other) => other.kind === block.kind && other.key === block.key)) return;
  siblings.push(block);
  for (const child of seed.children) addBlock(model, block, child);
}

/** Makes a block from numbers; undefined where there is no place or its key is taken. */
export function blockFrom(model: Model, parent: Block | undefined, seed: Seed): Block | undefined {
  const kind = kindOf(parent, seed);
  if (kind === undefined) return undefined;
  const keys = keysOf(kind);
  const key = keys[seed.key % keys.length] ?? '';
  const link = linkOf(kind, parent?.kind);
  const block: Block = {
    uid: model.uids++,
    kind,
    key,
    fields: {},
    env: undefined,
    options: seed.key % 16 === 15 ? { protect: true } : {},
    children: [],
    home: undefined,
  };
  for (const union of kind.unions ?? []) {
    const tags = Object.keys(union.cases);
    if (isOptional(kind, union.tag) && seed.case % 3 > 0) continue;
    // Mostly the first case, so that most manifests stay short; where each has its call, all of them.
    const bias = union.calls === undefined ? 2 : 0;
    block.fields[union.tag] = tags[seed.case % (tags.length + bias)] ?? tags[0] ?? '';
  }
  for (const name of coreFields(kind, link, block)) block.fields[name] ??= valueFor(model, block, name, seed.case);
  for (const [name, field] of Object.entries(kind.fields))
    if (field.fromParent !== undefined && parent?.fields[field.fromParent] !== undefined && seed.key % 2 === 0)
      delete block.fields[name];
  if (kind.kind === 'backup') block.fields.prefix = `${parent?.uid ?? 0}/${key}/`;
  for (const name of openFields(block, link))
    if (fieldOf(kind, name).refersTo !== undefined && seed.key % 3 > 0)
      block.fields[name] ??= valueFor(model, block, name, seed.case);
  for (const { field, value } of seed.fields) setField(model, block, link, field, value);
  if (kind.fields.env !== undefined) block.env = envFrom(model, block, seed.env);
  return block;
}

/** At the top, 0 is an environment; elsewhere, and of the others there, the number counts through the kinds. */
function kindOf(parent: Block | undefined, { kind }: Seed): Kind | undefined {
  const possible = kindsBelow(parent?.kind);
  return parent === undefined && kind > 0 ? topKinds[kind % topKinds.length] : possible[kind % possible.length];
}

/** Fields that a block always declares, so that it can be created. */
export function coreFields(kind: Kind, link: ParentLink, block?: Block): string[] {
  const isNeeded = (name: string) => fieldOf(kind, name).needed === true;
  const inSomeCase = new Set(
    (kind.unions ?? []).flatMap(({ cases }) => Object.values(cases).flatMap((fields) => Object.values(fields))),
  );
  const inCase = (kind.unions ?? []).flatMap(({ tag, cases, calls, creates }) => {
    const chosen = String(block?.fields[tag]);
    if (creates !== undefined) return [];
    const call = calls?.[chosen];
    const fields = Object.values(cases[chosen] ?? {});
    if (call !== undefined) return fields.filter((name) => isNeededBy(call, name) || isNeeded(name));
    return isOptional(kind, tag) ? [] : fields;
  });
  return [
    ...new Set([
      ...requiredToCreate(kind, block),
      ...Object.keys(kind.fields).filter((name) => isNeeded(name) && !inSomeCase.has(name)),
      ...inCase,
      // Without any of its own fields the platform stores a new name and answers that it failed.
      ...(kind.kind === 'bitbucket' ? ['bitbucketUsername'] : []),
    ]),
  ].filter(
    (name) =>
      kind.fields[name] !== undefined &&
      link.set[name] === undefined &&
      link.lacks?.includes(name) !== true &&
      name !== kind.identity.keyField,
  );
}

/** The fields that a create cannot go without; where each case has its own, those that nothing stands in for. */
function requiredToCreate(kind: Kind, block: Block | undefined): string[] {
  const create = createOf(kind, (tag) => block?.fields[tag]);
  const required = create === undefined ? [] : [...requiredMembers(create)];
  const hasOwn = kind.unions?.some(({ creates }) => creates !== undefined) === true;
  return hasOwn ? required.filter((name) => kind.fields[name]?.atCreate === undefined) : required;
}

/** Whether a block need not choose a case of a union. */
function isOptional(kind: Kind, tag: string): boolean {
  const { create } = kind.operations;
  return fieldOf(kind, tag).needed !== true && (create === undefined || !requiredMembers(create).includes(tag));
}

/** Fields that a block may declare as it is: those of other cases of its unions are not there. */
export function openFields(block: Block, link: ParentLink): string[] {
  const { kind } = block;
  const hidden = new Set([...Object.keys(link.set), ...(link.lacks ?? []), 'env']);
  for (const union of kind.unions ?? []) {
    hidden.add(union.tag);
    for (const [name, fields] of Object.entries(union.cases))
      if (name !== block.fields[union.tag]) for (const field of Object.values(fields)) hidden.add(field);
    for (const field of Object.values(union.cases[String(block.fields[union.tag])] ?? {})) hidden.delete(field);
  }
  return Object.keys(kind.fields).filter((name) => !hidden.has(name));
}

/** Fields in which more can go wrong come up more often. */
export function weighted(kind: Kind, names: readonly string[]): string[] {
  return [
    ...names,
    ...names,
    ...Array.from({ length: 4 }, () => names.filter((name) => isDelicate(kind, name))).flat(),
  ];
}

function isDelicate(kind: Kind, name: string): boolean {
  const { onChange, secrecy } = fieldOf(kind, name);
  return onChange !== undefined || secrecy === 'secret' || name === kind.identity.keyField || name === 'description';
}

export function setField(model: Model, block: Block, link: ParentLink, field: number, value: number): void {
  const names = weighted(block.kind, openFields(block, link));
  const name = names[field % names.length];
  if (name === undefined) return;
  // A second key could make two blocks one object; keys are renamed by edits of their own.
  if (name === block.kind.identity.keyField && ['environment', 'gitlab', 'memberPermissions'].includes(block.kind.kind))
    return;
  if (block.kind.kind === 'backup' && name === 'prefix') return;
  if (value === 2) {
    if (coreFields(block.kind, link, block).includes(name) || nullOf(block.kind, name) === undefined) return;
    block.fields[name] = null;
    return;
  }
  // Where a description cannot be changed, one that follows others would be refused when they change.
  if (name === 'description' && fieldOf(block.kind, name).onChange === undefined && field % 3 === 0) {
    const target = outputOwners(model, block)[0];
    if (target !== undefined) {
      block.fields[name] = { ref: target.uid, before: 'beside ' };
      return;
    }
  }
  block.fields[name] = valueFor(model, block, name, value);
}

/**
 * One of two values of a field. One that refers to something names an object of the platform where there are always
 * two (a backup cannot be without a destination), by its id or by its name; elsewhere a block that is older, so that
 * there is no circle. A list holds one.
 */
export function valueFor(model: Model, block: Block, name: string, number: number): Json | Named {
  const { refersTo, examples } = fieldOf(block.kind, name);
  const values = valuesOf(block.kind, name, block.uid);
  if (refersTo === undefined) return values[number % Math.min(2, values.length)] ?? '';
  const [first, second] = steady[refersTo] ?? [];
  const text = number % 2 === 0 ? first?.id : second?.name;
  if (second !== undefined && text !== undefined) return Array.isArray(examples[0]) ? [text] : text;
  const targets = blocksOf(model).filter(({ block: other }) => other.kind.kind === refersTo && other.uid < block.uid);
  return { named: pick(targets, number)?.block.uid ?? -1, by: number % 2 === 0 ? 'key' : 'id' };
}

/** Blocks with outputs that a block may refer to: older ones, so that there is no circle. */
function outputOwners(model: Model, block: Block): Block[] {
  return blocksOf(model)
    .map((placed) => placed.block)
    .filter((other) => other.uid < block.uid && outputOf(other.kind) !== undefined);
}

export function envFrom(model: Model, block: Block, numbers: readonly number[] | undefined): Env | undefined {
  if (numbers === undefined) return undefined;
  const [first = 0, ...rest] = numbers;
  if (first % 4 === 3) return { is: 'text', text: envTexts[(rest[0] ?? 0) % envTexts.length] ?? '' };
  const entries: Record<string, string | Ref> = {};
  for (const number of rest) {
    const key = envKeys[number % envKeys.length] ?? 'A';
    const owners = outputOwners(model, block);
    const owner = owners[number % Math.max(1, owners.length)];
    entries[key] =
      number % 3 === 0 && owner !== undefined
        ? { ref: owner.uid, before: 'at ' }
        : (envValues[Math.floor(number / 4) % envValues.length] ?? '');
  }
  return { is: 'map', mode: first % 4 === 2 ? 'merge' : 'own', entries };
}

export const pick = <T>(items: readonly T[], number: number): T | undefined =>
  items[number % Math.max(1, items.length)];

/** Gives environments the variable that services in them mention: without it the manifest is refused, or the deployment. */
export function declareMentioned(model: Model): void {
  for (const environment of environmentsOf(model)) {
    const { env, children } = environment;
    const isMentioned = children.some(
      (child) => child.env?.is === 'map' && Object.values(child.env.entries).includes(mention),
    );
    if (!isMentioned) continue;
    if (env?.is === 'text') {
      if (!/^REGION=/m.test(env.text)) environment.env = { is: 'text', text: `${env.text}REGION=eu\n` };
    } else {
      const entries = { REGION: 'eu', ...env?.entries };
      // The platform resolves no mention in the variables of an environment.
      if (entries.REGION === mention) entries.REGION = 'eu';
      environment.env = { is: 'map', mode: 'merge', ...env, entries };
    }
  }
}
