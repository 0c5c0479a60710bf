import fc from 'fast-check';
import { childAddress } from '../../src/kind/address.ts';
import type { Json } from '../../src/kind/json.ts';
import type { Field, Kind, ParentLink } from '../../src/kind/kind.ts';
import { root } from '../../src/kind/kind.ts';
import { requiredMembers } from '../../src/api/contract.ts';
import { takesNull } from '../../src/kind/wire.ts';
import { kinds } from '../../src/resources/index.ts';

/** Random manifests as trees that can be edited, and the commands of a history. */

/** A text with the output of another block in it. */
export interface Ref {
  readonly ref: number;
  readonly before: string;
}

/** What a block says about env. */
type Env =
  | { readonly is: 'map'; readonly mode: 'own' | 'merge'; readonly entries: Readonly<Record<string, string | Ref>> }
  | { readonly is: 'text'; readonly text: string };

/** One block of a manifest. */
export interface Block {
  readonly uid: number;
  readonly kind: Kind;
  key: string;
  /** Declared fields by the API's names; unions are flat. */
  fields: Record<string, Json | Ref>;
  env: Env | undefined;
  options: Record<string, Json>;
  children: Block[];
  /** Where it was when the manifest was applied last, while that is to be kept with `moved:`. */
  home: string | undefined;
}

/** A block with where it stands. */
export interface Placed {
  readonly block: Block;
  readonly address: string;
  readonly parent: Placed | undefined;
}

/** A manifest. */
export interface Model {
  environments: Block[];
  uids: number;
}

export const kindNamed = (name: string): Kind => {
  const kind = kinds.find((item) => item.kind === name);
  if (kind === undefined) throw new Error(`no kind ${name}`);
  return kind;
};

const environmentKeys = ['production', 'staging', 'preview', 'qa'];
const serviceKeys = ['main', 'shop', 'side'];
const serviceKinds = ['postgres', 'mariadb', 'redis', 'compose'].map(kindNamed);
const composeFiles = ['nginx:1.27', 'nginx:1.28'].map(
  (image) => `services:\n${['web', 'api', 'db', 'db2'].map((name) => `  ${name}: { image: "${image}" }\n`).join('')}`,
);
const leafKeys: Readonly<Record<string, readonly string[]>> = {
  domain: ['one.example.com', 'two.example.com', 'three.example.com'],
  fileMount: ['a.conf', 'b.conf', 'dir/c.conf'],
  mount: ['/one', '/two', '/three'],
  backup: ['nightly', 'weekly', 'monthly'],
};
const envKeys = ['A', 'B', 'REGION', 'with.dot'];
const envValues = ['1', '2', '', 'a # b', `it's "so" $HOME`, 'two\nlines\n', '${{environment.REGION}}', ' spaces '];
const envTexts = ['A=1\n', '# note\nB="x y"\nFOREIGN=here\n', '', "FOREIGN='a'\nREGION=us\nA=9", 'C=3\n'];

/** Values that a field is given; the first two are its examples. */
export function valuesOf(kind: Kind, name: string): readonly Json[] {
  const field = fieldOf(kind, name);
  if (name === 'composeFile') return composeFiles;
  return field.examples;
}

export function fieldOf(kind: Kind, name: string): Field {
  const field = kind.fields[name];
  if (field === undefined) throw new Error(`${kind.kind} has no ${name}`);
  return field;
}

/** What null means in a field; undefined where it may not be null. */
export function nullOf(kind: Kind, name: string): { readonly value: Json } | undefined {
  const field = fieldOf(kind, name);
  if (field.onNull !== undefined) return 'value' in field.onNull ? field.onNull : undefined;
  return takesNull(kind.calls.update, name) ? { value: null } : undefined;
}

export function linkOf(kind: Kind, parent: Kind | undefined): ParentLink {
  const link = kind.parents[parent?.kind ?? root];
  if (link === undefined) throw new Error(`${kind.kind} does not stand there`);
  return link;
}

/** Fields that a block always declares, so that it can be created. */
function coreFields(kind: Kind, link: ParentLink, block?: Block): string[] {
  const inCase = (kind.unions ?? []).flatMap((union) =>
    Object.values(union.cases[String(block?.fields[union.tag])] ?? {}),
  );
  return [
    ...new Set([
      ...requiredMembers(kind.calls.create),
      ...Object.keys(kind.fields).filter((name) => fieldOf(kind, name).needed === true),
      ...inCase,
    ]),
  ].filter((name) => kind.fields[name] !== undefined && link.set[name] === undefined && name !== kind.keyField);
}

/** Fields that a block may declare as it is: those of other cases of its unions are not there. */
export function openFields(block: Block, link: ParentLink): string[] {
  const { kind } = block;
  const hidden = new Set([...Object.keys(link.set), 'env']);
  for (const union of kind.unions ?? []) {
    hidden.add(union.tag);
    for (const [name, fields] of Object.entries(union.cases))
      if (name !== block.fields[union.tag]) for (const field of Object.values(fields)) hidden.add(field);
    for (const field of Object.values(union.cases[String(block.fields[union.tag])] ?? {})) hidden.delete(field);
  }
  return Object.keys(kind.fields).filter((name) => !hidden.has(name));
}

/* ---- from numbers to blocks ---- */

/** Numbers that a block is made from. */
export interface Seed {
  readonly kind: number;
  readonly key: number;
  readonly case: number;
  readonly fields: readonly { readonly field: number; readonly value: number }[];
  readonly env: readonly number[] | undefined;
  readonly children: readonly Seed[];
}

const nat = fc.nat(300);
const leafSeed: fc.Arbitrary<Seed> = fc.record({
  kind: nat,
  key: nat,
  case: nat,
  fields: fc.array(fc.record({ field: nat, value: fc.nat(2) }), { maxLength: 3 }),
  env: fc.constant(undefined),
  children: fc.constant([]),
});
const envSeed = fc.option(fc.array(fc.nat(30), { maxLength: 4 }), { nil: undefined });
const serviceSeed: fc.Arbitrary<Seed> = fc.record({
  kind: nat,
  key: nat,
  case: nat,
  fields: fc.array(fc.record({ field: nat, value: fc.nat(2) }), { maxLength: 4 }),
  env: envSeed,
  children: fc.array(leafSeed, { maxLength: 3 }),
});
const environmentSeed: fc.Arbitrary<Seed> = fc.record({
  kind: fc.constant(0),
  key: nat,
  case: nat,
  fields: fc.array(fc.record({ field: nat, value: fc.nat(2) }), { maxLength: 2 }),
  env: envSeed,
  children: fc.array(serviceSeed, { maxLength: 3 }),
});
const anySeed = fc.oneof(environmentSeed, serviceSeed, leafSeed, leafSeed);

/** One change of the manifest. */
export type Edit =
  | { readonly edit: 'add'; readonly at: number; readonly seed: Seed }
  | { readonly edit: 'remove'; readonly at: number }
  | { readonly edit: 'set'; readonly at: number; readonly field: number; readonly value: number }
  | { readonly edit: 'unset'; readonly at: number; readonly field: number }
  | { readonly edit: 'env'; readonly at: number; readonly env: readonly number[] | undefined }
  | { readonly edit: 'rename'; readonly at: number; readonly key: number; readonly follow: boolean }
  | { readonly edit: 'relocate'; readonly at: number; readonly to: number; readonly follow: boolean }
  | { readonly edit: 'retag'; readonly at: number; readonly case: number }
  | { readonly edit: 'option'; readonly at: number; readonly option: number };

const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({ edit: fc.constant('add' as const), at: nat, seed: anySeed }),
  fc.record({ edit: fc.constant('remove' as const), at: nat }),
  fc.record({ edit: fc.constant('set' as const), at: nat, field: nat, value: fc.nat(2) }),
  fc.record({ edit: fc.constant('set' as const), at: nat, field: nat, value: fc.nat(2) }),
  fc.record({ edit: fc.constant('unset' as const), at: nat, field: nat }),
  fc.record({ edit: fc.constant('env' as const), at: nat, env: envSeed }),
  fc.record({ edit: fc.constant('rename' as const), at: nat, key: nat, follow: fc.boolean() }),
  fc.record({ edit: fc.constant('relocate' as const), at: nat, to: nat, follow: fc.boolean() }),
  fc.record({ edit: fc.constant('retag' as const), at: nat, case: nat }),
  fc.record({ edit: fc.constant('option' as const), at: nat, option: fc.nat(4) }),
);

/** A change that somebody makes on the platform by hand. */
export type Drift =
  | { readonly drift: 'update'; readonly at: number; readonly field: number; readonly value: number }
  | { readonly drift: 'env'; readonly at: number; readonly text: number }
  | { readonly drift: 'delete'; readonly at: number }
  | { readonly drift: 'create'; readonly at: number; readonly seed: Seed }
  | { readonly drift: 'move'; readonly at: number; readonly to: number }
  | { readonly drift: 'deploy'; readonly at: number };

const drift: fc.Arbitrary<Drift> = fc.oneof(
  fc.record({ drift: fc.constant('update' as const), at: nat, field: nat, value: fc.nat(2) }),
  fc.record({ drift: fc.constant('update' as const), at: nat, field: nat, value: fc.nat(2) }),
  fc.record({ drift: fc.constant('env' as const), at: nat, text: nat }),
  fc.record({ drift: fc.constant('delete' as const), at: nat }),
  fc.record({ drift: fc.constant('create' as const), at: nat, seed: fc.oneof(serviceSeed, leafSeed) }),
  fc.record({ drift: fc.constant('move' as const), at: nat, to: nat }),
  fc.record({ drift: fc.constant('deploy' as const), at: nat }),
);

/** What goes wrong with one POST of an apply. */
export interface Fault {
  readonly at: number;
  /** `blind`: nothing can be read after it. `dead`: nothing gets through after it. */
  readonly how: 'before' | 'after' | '500 after' | 'blind' | 'dead';
  /** What goes wrong when it is run again. */
  readonly again?: Fault | undefined;
}

/** One step of a history. */
type Command =
  | { readonly command: 'edit'; readonly edits: readonly Edit[] }
  | { readonly command: 'apply'; readonly fault: Fault | undefined }
  | { readonly command: 'drift'; readonly drift: Drift }
  | { readonly command: 'lose state' };

const oneFault: fc.Arbitrary<Fault> = fc.record({
  at: fc.nat(7),
  how: fc.constantFrom('before' as const, 'after' as const, '500 after' as const, 'blind' as const, 'dead' as const),
});
const fault: fc.Arbitrary<Fault> = fc.record({
  at: fc.nat(7),
  how: fc.constantFrom('before' as const, 'after' as const, '500 after' as const, 'blind' as const, 'dead' as const),
  again: fc.option(oneFault, { nil: undefined }),
});
const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      command: fc.constant('edit' as const),
      edits: fc.array(edit, { minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ command: fc.constant('apply' as const), fault: fc.option(fault, { nil: undefined }) }),
  },
  { weight: 4, arbitrary: fc.record({ command: fc.constant('drift' as const), drift }) },
  { weight: 1, arbitrary: fc.record({ command: fc.constant('lose state' as const) }) },
);

/** A manifest and what happens to it and to its platform. */
export interface History {
  readonly start: readonly Seed[];
  readonly commands: readonly Command[];
}

export const histories: fc.Arbitrary<History> = fc.record({
  start: fc.array(environmentSeed, { minLength: 1, maxLength: 3 }),
  commands: fc.array(command, { minLength: 1, maxLength: 6 }),
});

/** The manifest that a history starts with. */
export function modelOf(start: readonly Seed[]): Model {
  const model: Model = { environments: [], uids: 0 };
  start.forEach((seed, index) => addBlock(model, undefined, index === 0 ? { ...seed, key: 0 } : seed));
  return model;
}

/** All blocks, parents before children. */
export function blocksOf(model: Model): Placed[] {
  const placed: Placed[] = [];
  const enter = (block: Block, parent: Placed | undefined) => {
    const section = block.kind.addressedByKey === true ? undefined : block.kind.section;
    const self: Placed = { block, parent, address: childAddress(parent?.address, section, block.key) };
    placed.push(self);
    for (const child of block.children) enter(child, self);
  };
  for (const block of model.environments) enter(block, undefined);
  return placed;
}

/** Kinds that can stand below a kind. */
export function kindsBelow(parent: Kind | undefined): Kind[] {
  if (parent === undefined) return [kindNamed('environment')];
  if (parent.kind === 'environment') return serviceKinds;
  return kinds.filter((kind) => kind.parents[parent.kind] !== undefined);
}

function keysOf(kind: Kind): readonly string[] {
  if (kind.kind === 'environment') return environmentKeys;
  return leafKeys[kind.kind] ?? serviceKeys;
}

/** Makes a block from numbers; undefined where there is no place or its key is taken. */
export function blockFrom(model: Model, parent: Block | undefined, seed: Seed): Block | undefined {
  const possible = kindsBelow(parent?.kind);
  const kind = possible[seed.kind % possible.length];
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
    options: {},
    children: [],
    home: undefined,
  };
  for (const union of kind.unions ?? []) {
    const tags = Object.keys(union.cases);
    // Mostly the first case, so that most manifests stay short.
    block.fields[union.tag] = tags[seed.case % (tags.length + 2)] ?? tags[0] ?? '';
  }
  for (const name of coreFields(kind, link, block)) block.fields[name] ??= valuesOf(kind, name)[seed.case % 2] ?? '';
  for (const [name, field] of Object.entries(kind.fields))
    if (field.fromParent !== undefined && parent?.fields[field.fromParent] !== undefined && seed.key % 2 === 0)
      delete block.fields[name];
  if (kind.kind === 'backup') block.fields.prefix = `${parent?.uid ?? 0}/${key}/`;
  for (const { field, value } of seed.fields) setField(model, block, link, field, value);
  if (kind.fields.env !== undefined) block.env = envFrom(model, block, seed.env);
  return block;
}

function addBlock(model: Model, parent: Block | undefined, seed: Seed): void {
  const siblings = parent?.children ?? model.environments;
  const block = blockFrom(model, parent, seed);
  if (block === undefined || siblings.some((other) => other.kind === block.kind && other.key === block.key)) return;
  siblings.push(block);
  for (const child of seed.children) addBlock(model, block, child);
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
  return onChange !== undefined || secrecy === 'secret' || name === kind.keyField || name === 'description';
}

function setField(model: Model, block: Block, link: ParentLink, field: number, value: number): void {
  const names = weighted(block.kind, openFields(block, link));
  const name = names[field % names.length];
  if (name === undefined) return;
  // A second key could make two blocks one object; keys are renamed by edits of their own.
  if (name === block.kind.keyField && block.kind.kind === 'environment') return;
  if (block.kind.kind === 'backup' && name === 'prefix') return;
  if (value === 2) {
    if (coreFields(block.kind, link, block).includes(name) || nullOf(block.kind, name) === undefined) return;
    block.fields[name] = null;
    return;
  }
  if (name === 'description' && field % 3 === 0) {
    const target = outputOwners(model, block)[0];
    if (target !== undefined) {
      block.fields[name] = { ref: target.uid, before: 'beside ' };
      return;
    }
  }
  block.fields[name] = valuesOf(block.kind, name)[value] ?? null;
}

/** Blocks with outputs that a block may refer to: older ones, so that there is no circle. */
function outputOwners(model: Model, block: Block): Block[] {
  return blocksOf(model)
    .map((placed) => placed.block)
    .filter((other) => other.uid < block.uid && other.kind.outputs !== undefined);
}

function envFrom(model: Model, block: Block, numbers: readonly number[] | undefined): Env | undefined {
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

const pick = <T>(items: readonly T[], number: number): T | undefined => items[number % Math.max(1, items.length)];

/** Makes one change; gives words for it, or undefined when it does not fit. */
export function applyEdit(model: Model, change: Edit): string | undefined {
  const all = blocksOf(model);
  const placed = pick(all, change.at);
  if (change.edit === 'add') {
    const fitting = [undefined, ...all].filter((item) => item === undefined || kindsBelow(item.block.kind).length > 0);
    const parent = fitting[change.at % fitting.length];
    addBlock(model, parent?.block, change.seed);
    return `add below ${parent?.address ?? 'the project'}`;
  }
  if (placed === undefined) return undefined;
  const { block, address, parent } = placed;
  const link = linkOf(block.kind, parent?.block.kind);
  const siblings = parent?.block.children ?? model.environments;
  switch (change.edit) {
    case 'remove': {
      siblings.splice(siblings.indexOf(block), 1);
      return `remove ${address}`;
    }
    case 'set':
      setField(model, block, link, change.field, change.value);
      return `set a field of ${address}`;
    case 'unset': {
      const core = coreFields(block.kind, link, block);
      const name = pick(
        Object.keys(block.fields).filter(
          (item) => !core.includes(item) && !(block.kind.unions ?? []).some((union) => union.tag === item),
        ),
        change.field,
      );
      if (name === undefined) return undefined;
      delete block.fields[name];
      return `leave out ${name} of ${address}`;
    }
    case 'env':
      if (block.kind.fields.env === undefined) return undefined;
      block.env = envFrom(model, block, change.env);
      return `env of ${address}`;
    case 'rename': {
      const key = pick(keysOf(block.kind), change.key) ?? '';
      if (siblings.some((other) => other.kind === block.kind && other.key === key)) return undefined;
      block.key = key;
      if (!change.follow) forgetHome(block);
      return `rename ${address} to ${key}${change.follow ? ' with moved:' : ''}`;
    }
    case 'relocate': {
      if (block.kind.calls.move === undefined) return undefined;
      const target = pick(model.environments, change.to);
      if (target === undefined || target === parent?.block) return undefined;
      if (target.children.some((other) => other.kind === block.kind && other.key === block.key)) return undefined;
      siblings.splice(siblings.indexOf(block), 1);
      target.children.push(block);
      if (!change.follow) forgetHome(block);
      return `move ${address} to ${target.key}${change.follow ? ' with moved:' : ''}`;
    }
    case 'retag': {
      const union = block.kind.unions?.[0];
      if (union === undefined) return undefined;
      for (const fields of Object.values(union.cases))
        for (const name of Object.values(fields)) delete block.fields[name];
      block.fields[union.tag] = pick(Object.keys(union.cases), change.case) ?? '';
      for (const name of coreFields(block.kind, link, block))
        block.fields[name] ??= valuesOf(block.kind, name)[change.case % 2] ?? '';
      return `make ${address} a ${String(block.fields[union.tag])}`;
    }
    case 'option': {
      if (change.option === 0) block.options = {};
      if (change.option === 1) block.options = { ...block.options, protect: true };
      if (change.option === 2) block.options = { ...block.options, protect: false };
      if (change.option > 2 && block.kind.options?.deleteVolumes !== undefined)
        block.options = { ...block.options, deleteVolumes: change.option === 3 };
      return `options of ${address}: ${JSON.stringify(block.options)}`;
    }
    default:
      return change satisfies never;
  }
}

/** It and everything below it is another object from now on. */
export function forgetHome(block: Block): void {
  block.home = undefined;
  for (const child of block.children) forgetHome(child);
}

/* ---- from blocks to YAML ---- */

/** The entries of `moved:` that keep what has a home, and the manifest as text. */
export function render(
  model: Model,
  recorded: readonly string[],
): { text: string; moved: { from: string; to: string }[] } {
  const placed = blocksOf(model);
  const moved = movesOf(placed, recorded);
  const written = (block: Block, value: Json | Ref): Json => {
    if (!isRef(value)) return value;
    const target = targetOf(model, block, value);
    return target === undefined ? `${value.before}nothing` : `${value.before}\${ref:${target.address}.appName}`;
  };
  const bodyOf = (block: Block): Record<string, Json> => {
    const body: Record<string, Json> = { ...block.options };
    const grouped = new Set<string>();
    for (const union of block.kind.unions ?? []) {
      if (union.at === undefined) continue;
      grouped.add(union.tag);
      const group: Record<string, Json> = { type: written(block, block.fields[union.tag] ?? null) };
      for (const [name, field] of Object.entries(union.cases[String(block.fields[union.tag])] ?? {})) {
        grouped.add(field);
        const value = block.fields[field];
        if (value !== undefined) group[name] = written(block, value);
      }
      body[union.at] = group;
    }
    for (const [name, value] of Object.entries(block.fields))
      if (!grouped.has(name)) body[name] = written(block, value);
    if (block.env?.is === 'text') body.env = block.env.text;
    if (block.env?.is === 'map') {
      if (block.env.mode === 'merge') body.envMode = 'merge';
      body.env = Object.fromEntries(
        Object.entries(block.env.entries).map(([key, value]) => [key, written(block, value)]),
      );
    }
    for (const child of block.children) {
      const section = (body[child.kind.section] ?? {}) as Record<string, Json>;
      body[child.kind.section] = { ...section, [child.key]: bodyOf(child) };
    }
    return body;
  };
  const environments = Object.fromEntries(model.environments.map((block) => [block.key, bodyOf(block)]));
  return {
    text: JSON.stringify({ trueup: 1, platform: 'emulator', project: 'prj_1', moved, environments }, undefined, 1),
    moved,
  };
}

/** The block that a reference leads to; undefined where it is gone, or where a circle could come of it. */
export function targetOf(model: Model, block: Block, { ref }: Ref): Placed | undefined {
  const target = blocksOf(model).find((item) => item.block.uid === ref);
  if (target === undefined || block.kind.kind !== 'environment') return target;
  const [first] = model.environments;
  const { env, fields } = target.block;
  const refers = Object.values({ ...(env?.is === 'map' ? env.entries : {}), ...fields }).some(isRef);
  return block === first || target.parent?.block !== first || refers ? undefined : target;
}

export function isRef(value: unknown): value is Ref {
  return typeof value === 'object' && value !== null && 'ref' in value;
}

function movesOf(placed: readonly Placed[], recorded: readonly string[]): { from: string; to: string }[] {
  const moved: { from: string; to: string }[] = [];
  const declared = new Set(placed.map(({ address }) => address));
  const homes = new Set(placed.flatMap(({ block }) => block.home ?? []));
  const kept = new Set<Block>();
  let records = recorded;
  for (const { block, address, parent } of placed) {
    if (block.home === undefined) continue;
    // What hangs on a service cannot go to another one.
    const isLeaf = block.kind.calls.move === undefined && parent !== undefined;
    if (isLeaf && !kept.has(parent.block)) continue;
    const from = moved.reduce((at, entry) => readdressed(at, entry), block.home);
    if (from !== address) {
      // One object cannot have two addresses, and two objects cannot have one.
      if (declared.has(from) || homes.has(address) || records.includes(address)) continue;
      const entry = { from, to: address };
      moved.push(entry);
      records = records.map((item) => readdressed(item, entry));
    }
    kept.add(block);
  }
  return moved;
}

/** The address that something has after a move. */
export function readdressed(address: string, { from, to }: { from: string; to: string }): string {
  if (!address.startsWith(from)) return address;
  const next = address[from.length];
  return next === undefined || next === '.' || next === '[' ? to + address.slice(from.length) : address;
}
