import { stringify } from 'yaml';
import type { Json } from '../../src/formats/json.ts';
import type { Block, Model, Named, Placed, Ref } from './random-manifest.ts';
import { blocksOf, fieldOf, isNamed, isRef, namedIn, outputOf, steady, targetOf } from './random-manifest.ts';

/** From the blocks of random manifests to YAML. */

/** The manifest, with the entries of `moved:` that keep what has a home at one of the addresses that are recorded. */
export function treeOf(model: Model, recorded: readonly string[]): Record<string, Json> {
  const placed = blocksOf(model);
  const moved = movesOf(placed, recorded);
  const written = (block: Block, name: string, value: Json | Ref | Named): Json => {
    if (isNamed(value)) {
      const target = namedIn(model, value);
      if (target === undefined) return steady[fieldOf(block.kind, name).refersTo ?? '']?.[0].name ?? '';
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
      if (!grouped.has(name)) body[fieldOf(block.kind, name).written ?? name] = written(block, name, value);
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
  for (const block of model.roots) {
    const { isSingle, section } = block.kind;
    const body = bodyOf(block);
    sections[section] = isSingle === true ? body : { ...sections[section], [block.key]: body };
  }
  return { trueup: 1, platform: 'emulator', project: 'prj_1', moved, ...sections };
}

/** A manifest as text. */
export function yamlOf(tree: Readonly<Record<string, Json>>): string {
  return stringify(tree, { lineWidth: 0, aliasDuplicateObjects: false });
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
    const isLeaf = block.kind.operations.move === undefined && parent !== undefined;
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
  return next === undefined || '.[ '.includes(next) ? to + address.slice(from.length) : address;
}
