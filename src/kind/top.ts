import type { FromPlace, ParentLink } from './parent.ts';
import { type Kind, root } from './kind.ts';

/**
 * The kinds of a manifest that declares as a block what its top stands for: with the kind of that block, and with the kinds
 * that stand at the top otherwise below it. Never throws.
 */
export function withTop(kinds: readonly Kind[]): readonly Kind[] {
  const known = made.get(kinds);
  if (known !== undefined) return known;
  const top = kinds.find((kind) => kind.top !== undefined)?.top;
  const all = top === undefined || kinds.includes(top) ? kinds : [top, ...kinds.map((kind) => below(kind, top))];
  made.set(kinds, all);
  made.set(all, all);
  return all;
}

const made = new WeakMap<readonly Kind[], readonly Kind[]>(); // so that one list has one form

/** The kind of the block that the top stands for; undefined where the manifest does not declare it. */
export function topOf(kinds: readonly Kind[]): Kind | undefined {
  return kinds.find(({ isTop }) => isTop === true);
}

/** The address of the block of that kind: no other block can have it. */
export function topAddress({ section }: Kind): string {
  return section;
}

function below(kind: Kind, top: Kind): Kind {
  const { [root]: link, ...parents } = kind.parents;
  if (kind.top !== top || link === undefined) return kind;
  return { ...kind, parents: { ...parents, [top.kind]: linkBelow(link) } };
}

function linkBelow({ projects: _projects, ...link }: ParentLink): ParentLink {
  const listed =
    'call' in link.listed && link.listed.with !== undefined
      ? { ...link.listed, with: fromParent(link.listed.with) }
      : link.listed;
  return { ...link, listed, set: fromParent(link.set) };
}

function fromParent(places: Readonly<Record<string, FromPlace>>): Readonly<Record<string, FromPlace>> {
  return Object.fromEntries(
    Object.entries(places).map(([name, from]) => [
      name,
      'context' in from && from.context === 'projectId' ? ({ parent: 'id' } as const) : from,
    ]),
  );
}
