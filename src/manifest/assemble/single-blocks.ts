import { type Kind, root } from '../../kind/kind.ts';
import { onceFor } from '../../api/once.ts';
import { sectionsOf } from '../blocks.ts';
import type { Entry, MapNode, Node } from '../tree.ts';

type Entries = MapNode['entries'];
type Sections = ReturnType<typeof sectionsOf>;

/**
 * A file in which a section that is one block holds that block below its own name, as all other sections hold theirs below
 * keys: what follows knows one form. Also in `changes:` and templates. Pure.
 */
export function withKeyedBlocks(tree: MapNode, kinds: readonly Kind[]): MapNode {
  const { sections, mayHold, singles } = singlesOf(kinds);
  if (singles.size === 0) return tree;
  const below = (entries: Entries, parent: string): Entries => {
    let changed: Map<string, Entry> | undefined;
    for (const [name, kind] of sections(parent)) {
      const entry = mayHold.has(kind) ? entries.get(name) : undefined;
      if (entry === undefined) continue;
      changed ??= new Map(entries);
      changed.set(name, kind.isSingle === true ? keyed(name, entry) : inBlocks(entry, kind));
    }
    return changed ?? entries;
  };
  const inBlocks = (entry: Entry, { kind }: Kind): Entry =>
    inMap(entry, (entries) => mapEntries(entries, (block) => inMap(block, (own) => below(own, kind))));
  const whole = new Map(below(tree.entries, root));
  const changes = whole.get('changes');
  if (changes !== undefined)
    whole.set(
      'changes',
      inMap(changes, (entries) => below(entries, root)),
    );
  const templates = whole.get('templates');
  if (templates !== undefined)
    whole.set(
      'templates',
      inMap(templates, (all) => mapEntries(all, inTemplate)),
    );
  return { ...tree, entries: whole };

  /** The block of a template, whose kind nothing tells. */
  function inTemplate(template: Entry): Entry {
    return inMap(template, (parts) => {
      const block = parts.get('block');
      const named = (entries: Entries) =>
        new Map([...entries].map(([name, entry]) => [name, singles.has(name) ? keyed(name, entry) : entry]));
      return block === undefined ? parts : new Map([...parts, ['block', inMap(block, named)]]);
    });
  }
}

/** What of the kinds are single blocks, and what they stand in. */
const singlesOf = onceFor((kinds: readonly Kind[]) => {
  const sections: Sections = sectionsOf(kinds);
  const single = kinds.filter(({ isSingle, isTop }) => isSingle === true && isTop !== true);
  const mayHold = new Set(single);
  for (let size = -1; size !== mayHold.size;) {
    size = mayHold.size;
    for (const kind of kinds) if ([...sections(kind.kind).values()].some((one) => mayHold.has(one))) mayHold.add(kind);
  }
  return { sections, mayHold, singles: new Set(single.map(({ section }) => section)) };
});

/** A section with its one block below its own name. */
function keyed(name: string, entry: Entry): Entry {
  const node: Node = { is: 'map', entries: new Map([[name, entry]]), at: entry.node.at };
  return { keyAt: entry.keyAt, node };
}

function inMap(entry: Entry, change: (entries: Entries) => Entries): Entry {
  const { node } = entry;
  return node.is === 'map' ? { ...entry, node: { ...node, entries: change(node.entries) } } : entry;
}

function mapEntries(entries: Entries, change: (entry: Entry) => Entry): Entries {
  return new Map([...entries].map(([key, entry]) => [key, change(entry)]));
}
