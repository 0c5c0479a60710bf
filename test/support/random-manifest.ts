import { blockAddress } from '../../src/kind/address.ts';
import type { Json } from '../../src/formats/json.ts';
import type { Field } from '../../src/kind/field.ts';
import type { ParentLink } from '../../src/kind/parent.ts';
import type { Kind } from '../../src/kind/kind.ts';
import { root } from '../../src/kind/kind.ts';
import { canBeNull, keyDefault } from '../../src/kind/row-values.ts';
import { kinds } from '../../src/resources/index.ts';

/** Random manifests as trees of blocks, and what blocks may say. */

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
export type Env =
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

/** Kinds with a field of which a new value needs a new object, which is created before the old one is deleted. */
export const renewable = ['certificate', 'notification', 'sshKey'];

/** Those of which a new object takes the place of the old one, or that wait for somebody, come up more often. */
export const topKinds = kinds.flatMap((kind) => {
  // Settings that are there once and always are no block that comes and goes.
  const isAlways = kind.isSingle === true && kind.operations.create === undefined;
  if (kind.parents[root] === undefined || kind.kind === 'environment' || isAlways) return [];
  return renewable.includes(kind.kind) || kind.identity.listedOnce !== undefined ? [kind, kind, kind] : [kind];
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
  bitbucket: ['bucket', 'bitbucket-1'],
  certificate: ['shop', 'store'],
  github: ['github-1'],
  gitlab: ['lab', 'gitlab-1'],
  memberPermissions: ['member@example.test', 'other@example.test'],
  organization: ['Organization'],
  gitea: ['forge', 'gitea-1'],
  sshKey: ['deploy', 'mirror'],
};

/** An object of the platform that nothing here declares, changes or deletes. */
interface Steady {
  readonly name: string;
  readonly id: string;
}

/** Those of the default world by the kind that is referred to: one, or both where nobody declares what manifests name. */
export const steady: Readonly<Record<string, readonly [Steady, ...Steady[]]>> = {
  sshKey: [{ name: 'key-2', id: 'key_2' }],
  github: [{ name: 'github-2', id: 'hub_2' }],
  gitlab: [{ name: 'gitlab-2', id: 'lab_2' }],
  bitbucket: [{ name: 'bitbucket-2', id: 'bkt_2' }],
  gitea: [{ name: 'gitea-2', id: 'sfg_2' }],
  destination: bothOf('destination', 'dst'),
  registry: bothOf('registry', 'reg'),
  server: bothOf('server', 'srv'),
};

function bothOf(kind: string, short: string): [Steady, Steady] {
  return [
    { name: `${kind}-1`, id: `${short}_1` },
    { name: `${kind}-2`, id: `${short}_2` },
  ];
}

/** Values that a field is given: its examples, or what no two objects may have in common. */
export function valuesOf(kind: Kind, name: string, uid = 0): readonly Json[] {
  if (name === 'composeFile') return composeFiles;
  if (name === 'publicKey') return ['a', 'b'].map((half) => `ssh-ed25519 AAAA${uid}${half} shop`);
  // A server publishes each port once.
  if (/^(published|external\w*)Port$/.test(name)) return [20_000 + 2 * uid, 20_001 + 2 * uid];
  if (name === 'certificatePath') return ['a', 'b'].map((half) => `path-${uid}-${half}`);
  // Without addresses of the other sort a network is refused, and another path beside a compose file of the manifest.
  if (name === 'enableIPv4') return [true];
  if (name === 'composePath') return ['./docker-compose.yml', 'docker-compose.yml'];
  // Some channels take no other value.
  if (kind.kind === 'notification' && name === 'priority') return [1];
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

/** All blocks, parents before children. */
export function blocksOf(model: Model): Placed[] {
  const placed: Placed[] = [];
  const enter = (block: Block, parent: Placed | undefined) => {
    const self: Placed = { block, parent, address: blockAddress(parent?.address, block.kind, block.key) };
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
  // A single block below a server is listed only while that runs services and has a key.
  return kinds.filter((kind) => kind.parents[parent.kind] !== undefined && kind.isSingle !== true);
}

export function keysOf(kind: Kind): readonly string[] {
  if (kind.isSingle === true) return [kind.section];
  return topKeys[kind.kind] ?? leafKeys[kind.kind] ?? serviceKeys;
}

/** The output of a kind that texts refer to, and the member of its rows that holds it. */
export function outputOf(kind: Kind): { readonly output: string; readonly from: string } | undefined {
  const output = ['appName', 'gitProviderId'].find((name) => kind.outputs?.[name] !== undefined);
  if (output !== undefined) return { output, from: output };
  return kind.kind === 'sshKey' || kind.kind === 'certificate' ? { output: 'id', from: kind.identity.id } : undefined;
}

export function environmentsOf({ roots }: Model): Block[] {
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

/** Lets each object have a natural key of its own: Trueup refuses two of one key. A later block gives way. */
export function removeTwins(model: Model): void {
  const seen = new Set<string>();
  const areAlone = (blocks: Block[], parent: Block | undefined): Block[] =>
    blocks.filter((block) => {
      const one = () => JSON.stringify([parent?.uid, block.kind.kind, naturalKey(block)]);
      const { keyField } = block.kind.identity;
      if (seen.has(one()) && keyField !== undefined) delete block.fields[keyField];
      if (seen.has(one())) return false;
      seen.add(one());
      block.children = areAlone(block.children, block);
      return true;
    });
  model.roots = areAlone(model.roots, undefined);
}

/** What Trueup finds the object of a block by. */
function naturalKey({ kind, key, fields }: Block): unknown[] {
  const { identity } = kind;
  const value = (name: string) => fields[name] ?? (name === identity.keyField ? key : undefined);
  const plain = (name: string): Json | undefined => {
    const one = value(name);
    return isRef(one) || isNamed(one) ? undefined : one;
  };
  const names = typeof identity.key === 'function' ? identity.key(plain) : identity.key;
  return names.map((name) => value(name) ?? keyDefault(kind, name));
}

/** It and everything below it is another object from now on. */
export function forgetHome(block: Block): void {
  block.home = undefined;
  // There can be only one of a path, and nobody frees that of the old object before the new one is there.
  delete block.fields.certificatePath;
  for (const child of block.children) forgetHome(child);
}
