import fc from 'fast-check';
import { childAddress } from '../../src/kind/address.ts';
import type { Json } from '../../src/kind/json.ts';
import type { Field, Kind, ParentLink } from '../../src/kind/kind.ts';
import { root } from '../../src/kind/kind.ts';
import { requiredMembers } from '../../src/api/contract.ts';
import { canBeNull, isNeededBy } from '../../src/kind/wire.ts';
import { mergeOption } from '../../src/kind/written.ts';
import { kinds } from '../../src/resources/index.ts';

/** Random manifests as trees that can be edited, and the commands of a history. */

/** A text with the output of another block in it. */
export interface Ref {
  readonly ref: number;
  readonly before: string;
}

/** Another block, by its key or by `${ref:….id}`; where it is gone, an object of the platform that always stays. */
export interface Named {
  readonly named: number;
  readonly by: 'key' | 'id';
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
  fields: Record<string, Json | Ref | Named>;
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

/** A manifest: what stands at its top. */
export interface Model {
  roots: Block[];
  uids: number;
}

export const kindNamed = (name: string): Kind => {
  const kind = kinds.find((item) => item.kind === name);
  if (kind === undefined) throw new Error(`no kind ${name}`);
  return kind;
};

const serviceKeys = ['main', 'shop', 'side'];
const serviceKinds = ['postgres', 'mariadb', 'redis', 'compose', 'application', 'application'].map(kindNamed);
/** Those of which a new object takes the place of the old one, or that wait for somebody, come up more often. */
const topKinds = kinds.flatMap((kind) => {
  if (kind.parents[root] === undefined || kind.kind === 'environment') return [];
  return kind.createsFirst !== undefined || kind.listedOnce !== undefined ? [kind, kind, kind] : [kind];
});
const composeFiles = ['nginx:1.27', 'nginx:1.28'].map(
  (image) => `services:\n${['web', 'api', 'db', 'db2'].map((name) => `  ${name}: { image: "${image}" }\n`).join('')}`,
);
const leafKeys: Readonly<Record<string, readonly string[]>> = {
  domain: ['one.example.com', 'two.example.com', 'three.example.com'],
  fileMount: ['a.conf', 'b.conf', 'dir/c.conf'],
  mount: ['/one', '/two', '/three'],
  backup: ['nightly', 'weekly', 'monthly'],
  volumeBackup: ['uploads', 'media', 'logs'],
};
/** Keys of what stands at the top; the platform has those with a number, and what cannot be made has no others. */
const topKeys: Readonly<Record<string, readonly string[]>> = {
  environment: ['production', 'staging', 'preview', 'qa'],
  ai: ['helper', 'assistant'],
  bucketgit: ['bucket', 'bucketgit-1'],
  certificate: ['shop', 'store'],
  hubgit: ['hubgit-1'],
  labgit: ['lab', 'labgit-1'],
  memberPermissions: ['member@example.test', 'other@example.test'],
  organization: ['Organization'],
  selfgit: ['forge', 'selfgit-1'],
  sshKey: ['deploy', 'mirror'],
};
/** Objects of the platform that nothing here declares, changes or deletes, by the kind that is referred to. */
export const steady: Readonly<Record<string, { readonly name: string; readonly id: string }>> = {
  sshKey: { name: 'key-2', id: 'key_2' },
  hubgit: { name: 'hubgit-2', id: 'hub_2' },
  labgit: { name: 'labgit-2', id: 'lab_2' },
  bucketgit: { name: 'bucketgit-2', id: 'bkt_2' },
  selfgit: { name: 'selfgit-2', id: 'sfg_2' },
};
const envKeys = ['A', 'B', 'REGION', 'with.dot'];
const mention = '${{environment.REGION}}';
const envValues = ['1', '2', '', 'a # b', `it's "so" $HOME`, 'two\nlines\n', mention, ' spaces '];
const envTexts = ['A=1\n', '# note\nB="x y"\nFOREIGN=here\n', '', "FOREIGN='a'\nREGION=us\nA=9", 'C=3\n'];

/** Values that a field is given: its examples, or what no two objects may have in common. */
export function valuesOf(kind: Kind, name: string, uid = 0): readonly Json[] {
  if (name === 'composeFile') return composeFiles;
  if (name === 'publicKey') return ['a', 'b'].map((half) => `ssh-ed25519 AAAA${uid}${half} shop`);
  if (name === 'certificatePath') return ['a', 'b'].map((half) => `path-${uid}-${half}`);
  return fieldOf(kind, name).examples;
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
  return canBeNull(kind, name) ? { value: null } : undefined;
}

export function linkOf(kind: Kind, parent: Kind | undefined): ParentLink {
  const link = kind.parents[parent?.kind ?? root];
  if (link === undefined) throw new Error(`${kind.kind} does not stand there`);
  return link;
}

/** Fields that a block always declares, so that it can be created. */
function coreFields(kind: Kind, link: ParentLink, block?: Block): string[] {
  const isNeeded = (name: string) => fieldOf(kind, name).needed === true;
  const inSomeCase = new Set(
    (kind.unions ?? []).flatMap(({ cases }) => Object.values(cases).flatMap((fields) => Object.values(fields))),
  );
  const inCase = (kind.unions ?? []).flatMap(({ tag, cases, calls }) => {
    const chosen = String(block?.fields[tag]);
    const call = calls?.[chosen];
    const fields = Object.values(cases[chosen] ?? {});
    if (call !== undefined) return fields.filter((name) => isNeededBy(call, name) || isNeeded(name));
    return isOptional(kind, tag) ? [] : fields;
  });
  return [
    ...new Set([
      ...(kind.calls.create === undefined ? [] : requiredMembers(kind.calls.create)),
      ...Object.keys(kind.fields).filter((name) => isNeeded(name) && !inSomeCase.has(name)),
      ...inCase,
      // Without any of its own fields the platform stores a new name and answers that it failed.
      ...(kind.kind === 'bucketgit' ? ['bucketgitUsername'] : []),
    ]),
  ].filter(
    (name) =>
      kind.fields[name] !== undefined &&
      link.set[name] === undefined &&
      link.lacks?.includes(name) !== true &&
      name !== kind.keyField,
  );
}

/** Whether a block need not choose a case of a union. */
function isOptional(kind: Kind, tag: string): boolean {
  const { create } = kind.calls;
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
const topSeed: fc.Arbitrary<Seed> = fc.record({
  kind: fc.integer({ min: 1, max: 300 }),
  key: nat,
  case: nat,
  fields: fc.array(fc.record({ field: nat, value: fc.nat(2) }), { maxLength: 4 }),
  env: fc.constant(undefined),
  children: fc.constant([]),
});
const environmentSeed: fc.Arbitrary<Seed> = fc.record({
  kind: fc.constant(0),
  key: nat,
  case: nat,
  fields: fc.array(fc.record({ field: nat, value: fc.nat(2) }), { maxLength: 2 }),
  env: envSeed,
  children: fc.array(serviceSeed, { maxLength: 3 }),
});
const anySeed = fc.oneof(environmentSeed, serviceSeed, leafSeed, leafSeed, topSeed, topSeed);

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
  | { readonly edit: 'option'; readonly at: number; readonly option: number }
  | { readonly edit: 'renew'; readonly at: number };

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
  fc.record({ edit: fc.constant('option' as const), at: nat, option: fc.nat(6) }),
  fc.record({ edit: fc.constant('renew' as const), at: nat }),
  fc.record({ edit: fc.constant('renew' as const), at: nat }),
);

/** A change that somebody makes on the platform by hand. */
export type Drift =
  | { readonly drift: 'update'; readonly at: number; readonly field: number; readonly value: number }
  | { readonly drift: 'env'; readonly at: number; readonly text: number }
  | { readonly drift: 'delete'; readonly at: number }
  | { readonly drift: 'create'; readonly at: number; readonly seed: Seed }
  | { readonly drift: 'move'; readonly at: number; readonly to: number }
  | { readonly drift: 'deploy'; readonly at: number }
  | { readonly drift: 'connect'; readonly at: number };

const drift: fc.Arbitrary<Drift> = fc.oneof(
  fc.record({ drift: fc.constant('update' as const), at: nat, field: nat, value: fc.nat(2) }),
  fc.record({ drift: fc.constant('update' as const), at: nat, field: nat, value: fc.nat(2) }),
  fc.record({ drift: fc.constant('env' as const), at: nat, text: nat }),
  fc.record({ drift: fc.constant('delete' as const), at: nat }),
  fc.record({ drift: fc.constant('create' as const), at: nat, seed: fc.oneof(serviceSeed, leafSeed, topSeed) }),
  fc.record({ drift: fc.constant('move' as const), at: nat, to: nat }),
  fc.record({ drift: fc.constant('deploy' as const), at: nat }),
  fc.record({ drift: fc.constant('connect' as const), at: nat }),
);

/** What goes wrong with one POST of an apply. */
export interface Fault {
  readonly at: number;
  /**
   * `blind`: nothing can be read after it. `dead`: nothing gets through after it. `killed`: the process ends with it;
   * `killed before`: before it is sent. `killed saving`: the process ends with the saving of a record.
   */
  readonly how: (typeof hows)[number];
  /** What goes wrong when it is run again. */
  readonly again?: Fault | undefined;
}

const hows = [
  'before',
  'after',
  '500 after',
  'blind',
  'dead',
  'refused',
  'killed',
  'killed before',
  'killed saving',
] as const;

/** One step of a history. */
type Command =
  | { readonly command: 'edit'; readonly edits: readonly Edit[] }
  | { readonly command: 'apply'; readonly fault: Fault | undefined }
  | { readonly command: 'drift'; readonly drift: Drift }
  | { readonly command: 'renew'; readonly at: number; readonly fault: Fault }
  | { readonly command: 'lose state' };

const oneFault: fc.Arbitrary<Fault> = fc.record({
  at: fc.nat(7),
  how: fc.constantFrom(...hows),
});
const fault: fc.Arbitrary<Fault> = fc.record({
  at: fc.nat(7),
  how: fc.constantFrom(...hows),
  again: fc.option(oneFault, { nil: undefined }),
});
/** Something is renewed and applied with a fault near its beginning: that is where most can go wrong. */
const renewal: fc.Arbitrary<Command> = fc.record({
  command: fc.constant('renew' as const),
  at: nat,
  fault: fc.record({ at: fc.nat(4), how: fc.constantFrom(...hows), again: fc.option(oneFault, { nil: undefined }) }),
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
  { weight: 2, arbitrary: renewal },
  { weight: 1, arbitrary: fc.record({ command: fc.constant('lose state' as const) }) },
);

/** A manifest and what happens to it and to its platform. */
export interface History {
  readonly start: readonly Seed[];
  readonly top: readonly Seed[];
  readonly commands: readonly Command[];
}

export const histories: fc.Arbitrary<History> = fc.record({
  start: fc.array(environmentSeed, { minLength: 1, maxLength: 3 }),
  top: fc.array(topSeed, { maxLength: 4 }),
  commands: fc.array(command, { minLength: 1, maxLength: 6 }),
});

/** The manifest that a history starts with. */
export function modelOf({ start, top }: Pick<History, 'start' | 'top'>): Model {
  const model: Model = { roots: [], uids: 0 };
  for (const seed of top) addBlock(model, undefined, seed);
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
  for (const block of model.roots) enter(block, undefined);
  return placed;
}

/** Kinds that can stand below a kind. */
export function kindsBelow(parent: Kind | undefined): Kind[] {
  if (parent === undefined) return [kindNamed('environment'), ...topKinds];
  if (parent.kind === 'environment') return serviceKinds;
  return kinds.filter((kind) => kind.parents[parent.kind] !== undefined);
}

function keysOf(kind: Kind): readonly string[] {
  return topKeys[kind.kind] ?? leafKeys[kind.kind] ?? serviceKeys;
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
    options: {},
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

function addBlock(model: Model, parent: Block | undefined, seed: Seed): void {
  const siblings = parent?.children ?? model.roots;
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
  if (name === block.kind.keyField && ['environment', 'labgit', 'memberPermissions'].includes(block.kind.kind)) return;
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

/** One of two values of a field; of one that refers to something, a block that is older, so that there is no circle. */
function valueFor(model: Model, block: Block, name: string, number: number): Json | Named {
  const { refersTo } = fieldOf(block.kind, name);
  if (refersTo === undefined) return valuesOf(block.kind, name, block.uid)[number % 2] ?? '';
  const targets = blocksOf(model).filter(({ block: other }) => other.kind.kind === refersTo && other.uid < block.uid);
  return { named: pick(targets, number)?.block.uid ?? -1, by: number % 2 === 0 ? 'key' : 'id' };
}

/** Blocks with outputs that a block may refer to: older ones, so that there is no circle. */
function outputOwners(model: Model, block: Block): Block[] {
  return blocksOf(model)
    .map((placed) => placed.block)
    .filter((other) => other.uid < block.uid && outputOf(other.kind) !== undefined);
}

/** The output of a kind that texts refer to, and the member of its rows that holds it. */
export function outputOf(kind: Kind): { readonly output: string; readonly from: string } | undefined {
  const output = ['appName', 'gitProviderId'].find((name) => kind.outputs?.[name] !== undefined);
  if (output !== undefined) return { output, from: output };
  return kind.kind === 'sshKey' || kind.kind === 'certificate' ? { output: 'id', from: kind.id } : undefined;
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
  const siblings = parent?.block.children ?? model.roots;
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
      const target = pick(environmentsOf(model), change.to);
      if (target === undefined || target === parent?.block) return undefined;
      if (target.children.some((other) => other.kind === block.kind && other.key === block.key)) return undefined;
      siblings.splice(siblings.indexOf(block), 1);
      target.children.push(block);
      if (!change.follow) forgetHome(block);
      return `move ${address} to ${target.key}${change.follow ? ' with moved:' : ''}`;
    }
    case 'retag': {
      const unions = block.kind.unions ?? [];
      const union = unions[Math.floor(change.case / 7) % Math.max(1, unions.length)];
      if (union === undefined) return undefined;
      for (const fields of Object.values(union.cases))
        for (const name of Object.values(fields)) delete block.fields[name];
      block.fields[union.tag] = pick(Object.keys(union.cases), change.case) ?? '';
      for (const name of coreFields(block.kind, link, block))
        block.fields[name] ??= valueFor(model, block, name, change.case);
      return `make ${address} a ${String(block.fields[union.tag])}`;
    }
    case 'option': {
      if (change.option === 0) block.options = {};
      if (change.option === 1) block.options = { ...block.options, protect: true };
      if (change.option === 2) block.options = { ...block.options, protect: false };
      const isFirst = change.option === 3 || change.option === 5;
      if (change.option > 4 && block.kind.verbs?.deploy !== undefined)
        block.options = { ...block.options, deploy: isFirst ? 'never' : 'onChange' };
      else if (change.option > 2 && block.kind.options?.deleteVolumes !== undefined)
        block.options = { ...block.options, deleteVolumes: isFirst };
      if (change.option > 2 && mergeOption(block.kind)?.name === 'accessMode')
        block.options = { ...block.options, accessMode: isFirst ? 'own' : 'merge' };
      return `options of ${address}: ${JSON.stringify(block.options)}`;
    }
    case 'renew': {
      const renewed = pick(
        all.filter((item) => item.block.kind.createsFirst !== undefined),
        change.at,
      )?.block;
      const name = renewed?.kind.kind === 'sshKey' ? 'publicKey' : 'certificateData';
      if (renewed === undefined) return undefined;
      const [one = '', other = ''] = valuesOf(renewed.kind, name, renewed.uid);
      renewed.fields[name] = renewed.fields[name] === one ? other : one;
      return `renew ${renewed.kind.kind} ${renewed.key}`;
    }
    default:
      return change satisfies never;
  }
}

/** Gives environments the variable that services in them mention: without it the manifest is refused. */
export function declareMentioned(model: Model): void {
  for (const environment of environmentsOf(model)) {
    const { env, children } = environment;
    const isMentioned = children.some(
      (child) => child.env?.is === 'map' && Object.values(child.env.entries).includes(mention),
    );
    if (!isMentioned || env === undefined) continue;
    if (env.is === 'text') {
      if (!/^REGION=/m.test(env.text)) environment.env = { is: 'text', text: `${env.text}REGION=eu\n` };
    } else if (env.mode === 'own') environment.env = { ...env, entries: { REGION: 'eu', ...env.entries } };
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
  const written = (block: Block, name: string, value: Json | Ref | Named): Json => {
    if (isNamed(value)) {
      const target = namedIn(model, value);
      if (target === undefined) return steady[fieldOf(block.kind, name).refersTo ?? '']?.name ?? '';
      return value.by === 'key' ? target.block.key : `\${ref:${target.address}.id}`;
    }
    if (!isRef(value)) return value;
    const target = targetOf(model, block, value);
    const output = target === undefined ? undefined : outputOf(target.block.kind)?.output;
    return target === undefined ? `${value.before}nothing` : `${value.before}\${ref:${target.address}.${output}}`;
  };
  const bodyOf = (block: Block): Record<string, Json> => {
    const body: Record<string, Json> = { ...block.options };
    const grouped = new Set<string>();
    for (const union of block.kind.unions ?? []) {
      if (union.at === undefined || block.fields[union.tag] === undefined) continue;
      grouped.add(union.tag);
      const group: Record<string, Json> = { type: written(block, union.tag, block.fields[union.tag] ?? null) };
      for (const [name, field] of Object.entries(union.cases[String(block.fields[union.tag])] ?? {})) {
        grouped.add(field);
        const value = block.fields[field];
        if (value !== undefined) group[name] = written(block, field, value);
      }
      body[union.at] = group;
    }
    for (const [name, value] of Object.entries(block.fields))
      if (!grouped.has(name)) body[name] = written(block, name, value);
    if (block.env?.is === 'text') body.env = block.env.text;
    if (block.env?.is === 'map') {
      if (block.env.mode === 'merge') body.envMode = 'merge';
      body.env = Object.fromEntries(
        Object.entries(block.env.entries).map(([key, value]) => [key, written(block, 'env', value)]),
      );
    }
    for (const child of block.children) {
      const section = (body[child.kind.section] ?? {}) as Record<string, Json>;
      body[child.kind.section] = { ...section, [child.key]: bodyOf(child) };
    }
    return body;
  };
  const sections: Record<string, Record<string, Json>> = { environments: {} };
  for (const block of model.roots)
    sections[block.kind.section] = { ...sections[block.kind.section], [block.key]: bodyOf(block) };
  return {
    text: JSON.stringify({ trueup: 1, platform: 'emulator', project: 'prj_1', moved, ...sections }, undefined, 1),
    moved,
  };
}

function environmentsOf({ roots }: Model): Block[] {
  return roots.filter(({ kind }) => kind.kind === 'environment');
}

/** The block that bears a name; undefined where it is gone. */
export function namedIn(model: Model, { named }: Named): Placed | undefined {
  return blocksOf(model).find(({ block }) => block.uid === named);
}

/** The block that a reference leads to; undefined where it is gone, or where a circle could come of it. */
export function targetOf(model: Model, block: Block, { ref }: Ref): Placed | undefined {
  const target = blocksOf(model).find((item) => item.block.uid === ref);
  if (target === undefined || block.kind.kind !== 'environment') return target;
  const [first] = environmentsOf(model);
  const { env, fields } = target.block;
  const values = Object.values({ ...(env?.is === 'map' ? env.entries : {}), ...fields });
  const refers = values.some((value) => isRef(value) || isNamed(value));
  const isApart = target.parent === undefined || target.parent.block === first;
  return block === first || !isApart || refers ? undefined : target;
}

export function isRef(value: unknown): value is Ref {
  return typeof value === 'object' && value !== null && 'ref' in value;
}

export function isNamed(value: unknown): value is Named {
  return typeof value === 'object' && value !== null && 'named' in value;
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
