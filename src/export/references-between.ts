import { outputValue } from '../kind/row-values.ts';
import type { Placed, Present } from './place-objects.ts';
import { escaped } from '../edit/write-yaml.ts';

/** The references from blocks to others: by the name that the platform made up for a service, and by id. */
export interface References {
  /** A text in which `${ref:…}` stands for the names of services; everything else is escaped. */
  readonly inText: (text: string, block: Placed, prefers?: 'host') => string;
  /** The reference to the object with an id; undefined without a block for it. */
  readonly toId: (id: string, block: Placed) => string | undefined;
}

/** Knows the blocks that may be referred to. References never form a circle: the one that would close it stays text. */
export function createReferences(blocks: Iterable<Placed>, project?: Present['project']): References {
  const byName = new Map<string, Placed | undefined>();
  const byId = new Map<string, { readonly block: Placed; readonly output: string }>();
  const needs = new Map<string, Set<string>>();
  for (const block of blocks) {
    needs.set(block.address, new Set(block.parent === undefined ? [] : [block.parent.address]));
    const { kind, id, row } = block.object;
    byId.set(id, { block, output: 'id' });
    for (const output of Object.keys(kind.outputs ?? {})) {
      const value = outputValue(kind, output, id, row);
      if (value === undefined) continue;
      if (output.endsWith('Id')) byId.set(value, { block, output });
      // Two services of one name prove nothing.
      else if (isMadeUp(value)) byName.set(value, byName.has(value) && byName.get(value) !== block ? undefined : block);
    }
  }
  const refer = (from: Placed, to: Placed): boolean => {
    if (reaches(to.address, from.address, (address) => needs.get(address) ?? [])) return false;
    needs.get(from.address)?.add(to.address);
    return true;
  };
  return {
    inText: (text, block, prefers) => {
      let written = '';
      let at = 0;
      for (const { 0: word, index } of text.matchAll(/[A-Za-z0-9][A-Za-z0-9-]*/g)) {
        const name = beginnings(word).find((one) => byName.get(one) !== undefined);
        const target = name === undefined ? undefined : byName.get(name);
        if (name === undefined || target === undefined || !refer(block, target)) continue;
        const outputs = Object.keys(target.object.kind.outputs ?? {});
        const output = prefers !== undefined && outputs.includes(prefers) ? prefers : (outputs.at(-1) ?? 'id');
        written += `${escaped(text.slice(at, index))}\${ref:${target.address}.${output}}`;
        at = index + name.length;
      }
      return written + escaped(text.slice(at));
    },
    toId: (id, block) => {
      if (id === project?.id) return `\${ref:${project.address}.id}`;
      const found = byId.get(id);
      return found !== undefined && refer(block, found.block)
        ? `\${ref:${found.block.address}.${found.output}}`
        : undefined;
    },
  };
}

/** Whether a name ends as the platform ends those that it makes up: no person writes six such characters by chance. */
function isMadeUp(name: string): boolean {
  return /.-[a-z0-9]{6}$/.test(name);
}

/** The parts of a word that end before a hyphen, and the word: longest first. */
function beginnings(word: string): string[] {
  const ends = [...word.matchAll(/-/g)].map(({ index }) => word.slice(0, index));
  return [word, ...ends.toReversed()];
}

/** Whether the block at one address needs the one at another: as its parent, or by references. */
function reaches(from: string, to: string, needs: (address: string) => Iterable<string>): boolean {
  const seen = new Set<string>();
  const open = [from];
  for (let address = open.pop(); address !== undefined; address = open.pop()) {
    if (address === to) return true;
    if (seen.has(address)) continue;
    seen.add(address);
    open.push(...needs(address));
  }
  return false;
}
