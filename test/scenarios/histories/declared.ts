import { blockAddress } from '../../../src/kind/address.ts';
import type { Json } from '../../../src/formats/json.ts';
import { isObject } from '../../../src/formats/json.ts';
import type { Kind } from '../../../src/kind/kind.ts';
import { root } from '../../../src/kind/kind.ts';
import { kinds } from '../../../src/resources/index.ts';
import { readdressed } from '../../support/random-yaml.ts';

/** What a manifest declares, read without the engine: enough to say what has to come of it. */

/** What a block says of env. */
type Env =
  | { readonly is: 'map'; readonly mode: 'own' | 'merge'; readonly entries: Readonly<Record<string, string>> }
  | { readonly is: 'text'; readonly text: string };

/** One block. */
export interface Block {
  readonly kind: Kind;
  readonly key: string;
  readonly address: string;
  readonly parent: Block | undefined;
  /** By the API's names; unions are flat. */
  readonly fields: Readonly<Record<string, Json>>;
  readonly env: Env | undefined;
  readonly options: Readonly<Record<string, Json>>;
}

/** A manifest. */
export interface Declared {
  readonly tree: Tree;
  /** Parents before children. */
  readonly blocks: readonly Block[];
  readonly byAddress: ReadonlyMap<string, Block>;
  readonly moved: readonly { readonly from: string; readonly to: string }[];
}

/** A mapping of YAML. */
type Tree = Readonly<Record<string, Json>>;

/** Reads a manifest. */
export function readDeclared(tree: Tree): Declared {
  const blocks: Block[] = [];
  readSections(tree, undefined, blocks);
  const moved = (Array.isArray(tree.moved) ? tree.moved : []) as Declared['moved'];
  return { tree, blocks, byAddress: new Map(blocks.map((block) => [block.address, block])), moved };
}

function readSections(body: Tree, parent: Block | undefined, blocks: Block[]): void {
  for (const kind of kinds) {
    const section = body[kind.section];
    if (kind.parents[parent?.kind.kind ?? root] === undefined || !isObject(section)) continue;
    const contents = kind.isSingle === true ? { [kind.section]: section } : section;
    for (const [key, content] of Object.entries(contents)) {
      if (!isObject(content)) continue;
      const block = readBlock(kind, key, content, parent);
      blocks.push(block);
      readSections(content, block, blocks);
    }
  }
}

function readBlock(kind: Kind, key: string, content: Tree, parent: Block | undefined): Block {
  const fields: Record<string, Json> = {};
  const options: Record<string, Json> = {};
  const unions = new Map((kind.unions ?? []).flatMap((union) => (union.at === undefined ? [] : [[union.at, union]])));
  const byWritten = new Map(
    Object.entries(kind.fields).flatMap(([name, { written }]) => (written ? [[written, name]] : [])),
  );
  const isSection = (name: string) => kinds.some((child) => child.section === name && child.parents[kind.kind]);
  for (const [name, value] of Object.entries(content)) {
    const union = unions.get(name);
    if (union !== undefined && isObject(value)) {
      const { type, ...others } = value;
      fields[union.tag] = type ?? null;
      for (const [written, own] of Object.entries(others)) {
        fields[union.cases[String(type)]?.[written] ?? written] = own;
      }
    } else if (name === 'env' || isSection(name)) continue;
    else {
      const field = byWritten.get(name) ?? name;
      if (kind.fields[field] === undefined) options[name] = value;
      else fields[field] = value;
    }
  }
  const address = blockAddress(parent?.address, kind, key);
  return { kind, key, address, parent, fields, options, env: envOf(content) };
}

function envOf({ env, envMode }: Tree): Env | undefined {
  if (typeof env === 'string') return { is: 'text', text: env };
  if (!isObject(env)) return undefined;
  const entries = Object.fromEntries(Object.entries(env).map(([key, value]) => [key, String(value)]));
  return { is: 'map', mode: envMode === 'merge' ? 'merge' : 'own', entries };
}

/** The address that something has after moves. */
export function movedAddress(address: string, moved: Declared['moved']): string {
  return moved.reduce((at, entry) => readdressed(at, entry), address);
}
