import { closest } from '../diagnostics/closest.ts';
import { addressParts, childAddress, isWithin, normalAddress } from '../kind/address.ts';
import { resolveAddress, resolveSection } from '../kind/aliases.ts';
import type { Kind } from '../kind/kind.ts';
import type { Block } from './resource.ts';
import { positionText } from '../diagnostics/diagnostic.ts';
import { type Node, type Place, position } from './tree.ts';
import type { Reference } from './reference.ts';

/** The blocks that references can name. */
export interface Blocks {
  readonly byAddress: ReadonlyMap<string, Block>;
  readonly kinds: readonly Kind[];
  /** Addresses where blocks are missing because of a mistake that is reported: what stands below them is not looked for. */
  readonly broken: ReadonlySet<string>;
  /** Addresses of blocks that `changes:` takes out, each with the place of its `!reset`. */
  readonly removed?: ReadonlyMap<string, Place>;
  /** Every address may be missing: a file could not be read. */
  readonly isIncomplete: boolean;
  /** The entries of lists that refer to what is not declared; found when the first one is reported. */
  readonly dangling: () => readonly Dangling[];
  /** How many more wrong references get a suggestion, which takes time by the number of blocks; counted down. */
  readonly suggestions: { left: number };
  /** The environment that the root file names; other root files have others. */
  readonly environment: string | undefined;
}

/** An entry of a list, `${ref:path}` and nothing else, whose resource is not declared. */
interface Dangling {
  readonly path: string;
  readonly block: Block;
  /** The keys of the list in the block. */
  readonly list: string;
  readonly at: Place;
}

/** Most entries that a remedy lists. */
const maxEntries = 40;

/** Most wrong references that get a suggestion. */
export const maxSuggestions = 50;

interface NoReference {
  readonly problem: string;
  readonly remedy?: string;
}

/**
 * Finds what `${ref:path}` means inside a block, or outside of all. The path is an address and the name of an output;
 * the address is looked for from the nearest surrounding block outwards, so `postgres.main.host` finds the one beside
 * it.
 */
export function findReference(path: string, from: Block | undefined, blocks: Blocks): Reference | NoReference {
  const parts = /^(.+)\.([A-Za-z_][A-Za-z0-9_]*)$/s.exec(path);
  const written = parts?.[1] === undefined ? undefined : normalAddress(resolveAddress(parts[1]));
  const output = parts?.[2];
  if (written === undefined || output === undefined)
    return {
      problem: `\${ref:${path}} must be an address and an output`,
      remedy:
        'Write for example ${ref:postgres.main.host}. Write a key with other characters than letters, digits, "_" and "-" as ["…"].',
    };
  const scopes = scopesOf(from, blocks);
  const found = targetOf(written, scopes, blocks);
  if (typeof found === 'object') return outputOf(found, output, path);
  // The mistake is reported where it stands.
  if (found !== undefined) return { address: found, output };
  const removal = removalOf(written, scopes, blocks);
  if (removal !== undefined) return { ...removal, problem: `\${ref:${path}}: ${removal.problem}` };
  const problem = `\${ref:${path}}: there is no resource ${written}`;
  const whole = resolveAddress(path);
  const named = scopes.map((scope) => blocks.byAddress.get(within(scope, whole))).find((block) => block !== undefined);
  if (named !== undefined) {
    const outputs = outputsOf(named);
    const remedy = `Write an output behind it: \${ref:${path}.${outputs[1] ?? 'id'}}. It has ${outputs.join(', ')}.`;
    return { problem: `\${ref:${path}} names ${named.address} and no output`, remedy };
  }
  const remedy = suggestion(written, output, scopes, blocks) ?? example(from, blocks);
  return { problem, remedy: removalRemedy(path, from, blocks) ?? remedy };
}

/**
 * Finds the block that an address means inside another block, as references do; an address by itself where the block is missing
 * because of a mistake that is reported.
 */
export function findBlock(path: string, from: Block, blocks: Blocks): Block | string | NoReference {
  const resolved = resolveAddress(path);
  const written = normalAddress(resolved) ?? resolved;
  const scopes = scopesOf(from, blocks);
  const found = targetOf(written, scopes, blocks) ?? removalOf(written, scopes, blocks);
  if (found !== undefined) return found;
  const guess = nearest(written, scopes, blocks)?.address;
  const remedy = guess === undefined ? example(from, blocks) : `Did you mean ${guess}?`;
  return { problem: `there is no resource ${written}`, remedy };
}

/** The block that a written address means, or the address where it is missing by a mistake; undefined: there is none. */
function targetOf(
  written: string,
  scopes: readonly (string | undefined)[],
  blocks: Blocks,
): Block | string | undefined {
  for (const address of scopes.map((scope) => within(scope, written))) {
    const target = blocks.byAddress.get(address);
    if (target !== undefined) return target;
    if (blocks.isIncomplete || isBroken(address, blocks.broken)) return address;
  }
  return undefined;
}

/** The problem of a reference to a block that `changes:` takes out. */
function removalOf(
  written: string,
  scopes: readonly (string | undefined)[],
  { removed = new Map<string, Place>() }: Blocks,
): NoReference | undefined {
  for (const address of scopes.map((scope) => within(scope, written))) {
    const found = [...removed].find(([one]) => isWithin(address, one));
    if (found === undefined) continue;
    return {
      problem: `${positionText(position(found[1]))} takes ${found[0]} out with !reset`,
      remedy: 'Change this value under changes: too, or remove that !reset.',
    };
  }
  return undefined;
}

/** The remedy for an entry of a list that names a resource which was removed; undefined: no list of the block has it. */
function removalRemedy(path: string, from: Block | undefined, { dangling }: Blocks): string | undefined {
  const all = from === undefined ? [] : dangling();
  const own = all.find((entry) => entry.path === path && entry.block === from);
  const [first] = all;
  if (own === undefined || first === undefined) return undefined;
  if (own !== first) {
    const { file, line } = position(first.at);
    return `Remove this entry too: the error at ${file}:${line} lists all of them.`;
  }
  const lines = all.slice(0, maxEntries).map(({ path: named, block, list, at }) => {
    const { file, line } = position(at);
    return `${file}:${line} ${block.address} ${list}: \${ref:${named}}`;
  });
  const more = all.length > maxEntries ? [`and ${all.length - maxEntries} more`] : [];
  return ['Remove the entries of what is no longer declared, or correct their addresses:', ...lines, ...more].join(
    '\n',
  );
}

/** Finds the entries of lists that refer to what is not declared, in the order of the blocks. */
export function findDangling(blocks: Blocks): Dangling[] {
  return [...blocks.byAddress.values()].flatMap((block) => {
    const isSection = (key: string) =>
      blocks.kinds.some(
        ({ section, parents }) => section === resolveSection(key) && Object.hasOwn(parents, block.kind.kind),
      );
    const fields = [...block.entries].filter(([key]) => !isSection(key));
    return fields.flatMap(([key, { node }]) =>
      itemsIn(node, [key]).flatMap(({ list, text, at }): Dangling[] => {
        const path = /^\$\{ref:(.+)\}$/s.exec(text)?.[1];
        const address = /^(.+)\.\w+$/s.exec(path ?? '')?.[1];
        const written = address === undefined ? undefined : normalAddress(resolveAddress(address));
        if (path === undefined || written === undefined) return [];
        return targetOf(written, scopesOf(block, blocks), blocks) === undefined ? [{ path, block, list, at }] : [];
      }),
    );
  });
}

/** The texts in the lists of a value. */
function itemsIn(
  node: Node,
  keys: readonly string[],
): { readonly list: string; readonly text: string; readonly at: Place }[] {
  if (node.is === 'list')
    return node.items.flatMap((item) =>
      item.is === 'scalar' && typeof item.value === 'string'
        ? [{ list: keys.join('.'), text: item.value, at: item.at }]
        : itemsIn(item, keys),
    );
  if (node.is === 'map') return [...node.entries].flatMap(([key, entry]) => itemsIn(entry.node, [...keys, key]));
  return [];
}

/** The addresses that a written one may begin at, nearest first; undefined: the top. */
function scopesOf(from: Block | undefined, { byAddress, environment }: Blocks): readonly (string | undefined)[] {
  const scopes: (string | undefined)[] = [];
  for (let scope = from?.parent; scope !== undefined; scope = byAddress.get(scope)?.parent) scopes.push(scope);
  const own = environment === undefined ? undefined : childAddress(undefined, undefined, environment);
  return [...new Set([...scopes, undefined, own])];
}

function within(scope: string | undefined, written: string): string {
  return scope === undefined ? written : scope + (written.startsWith('[') ? written : `.${written}`);
}

function isBroken(address: string, broken: ReadonlySet<string>): boolean {
  if (broken.size === 0) return false;
  const starts = [...address.matchAll(/[.[]|$/g)].map(({ index }) => address.slice(0, index));
  return starts.some((start) => broken.has(start) && isWithin(address, start));
}

/** The reference that was probably meant. */
function suggestion(
  written: string,
  output: string,
  scopes: readonly (string | undefined)[],
  blocks: Blocks,
): string | undefined {
  const { address, block } = nearest(written, scopes, blocks) ?? {};
  if (block === undefined) return undefined;
  const outputs = outputsOf(block);
  const meant = outputs.includes(output) ? output : (closest(output, outputs) ?? outputs[1] ?? 'id');
  return `Did you mean \${ref:${address}.${meant}}?`;
}

/** The block that was probably meant by an address, and its address from there. */
function nearest(
  written: string,
  scopes: readonly (string | undefined)[],
  { byAddress, suggestions, environment }: Blocks,
): { readonly address: string; readonly block: Block } | undefined {
  if (suggestions.left <= 0) return undefined;
  suggestions.left -= 1;
  const relative = new Map<string, Block>();
  for (const scope of scopes.toReversed()) {
    for (const [address, block] of byAddress) {
      if (scope === undefined) relative.set(address, block);
      else if (isWithin(address, scope) && address.startsWith('.', scope.length)) {
        relative.set(address.slice(scope.length + 1), block);
      }
    }
  }
  // A short path is near to many others: a step of it must be the same.
  const steps = new Set(addressParts(written));
  const candidates = [...relative.keys()].filter((address) => addressParts(address)?.some((step) => steps.has(step)));
  const guess =
    lacking(written, relative) ??
    (environment === undefined ? undefined : ofOtherStage(written, relative)) ??
    closest(written, candidates);
  const block = guess === undefined ? undefined : relative.get(guess);
  return guess === undefined || block === undefined ? undefined : { address: guess, block };
}

/** The address without its first step, where that names the environment of another root file. */
function ofOtherStage(written: string, candidates: ReadonlyMap<string, Block>): string | undefined {
  const rest = (addressParts(written) ?? []).slice(1).join('.');
  return candidates.has(rest) ? rest : undefined;
}

/** The nearest address that has all steps of a written one, in order and to the end, and more: a section was left out. */
function lacking(written: string, candidates: ReadonlyMap<string, Block>): string | undefined {
  const steps = addressParts(written) ?? [];
  const found = [...candidates.keys()].filter((address) => {
    const parts = addressParts(address) ?? [];
    if (parts.at(-1) !== steps.at(-1)) return false;
    let at = 0;
    for (const part of parts) if (part === steps[at]) at += 1;
    return at === steps.length && parts.length === steps.length + 1;
  });
  return found.length === 1 ? found[0] : undefined;
}

function example(from: Block | undefined, { byAddress }: Blocks): string {
  const [first = ''] = byAddress.keys();
  const like = from === undefined ? first : from.address;
  return like === '' ? 'The manifest declares none.' : `Addresses look like ${like}.`;
}

function outputsOf({ kind }: Block): readonly string[] {
  return ['id', ...Object.keys(kind.outputs ?? {})];
}

function outputOf(target: Block, output: string, path: string): Reference | NoReference {
  const outputs = outputsOf(target);
  if (outputs.includes(output)) return { address: target.address, output };
  const guess = closest(output, outputs);
  return {
    problem: `\${ref:${path}}: ${target.address} has no output ${output}`,
    remedy:
      guess === undefined
        ? `It has ${outputs.join(', ')}.`
        : `Did you mean \${ref:${path.slice(0, -output.length)}${guess}}?`,
  };
}
