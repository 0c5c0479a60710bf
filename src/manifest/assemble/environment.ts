import { type Kind, root } from '../../kind/kind.ts';
import { topOf } from '../../kind/top.ts';
import { sectionsOf } from '../blocks.ts';
import { shownKey } from '../problem.ts';
import type { Report } from '../report-at.ts';
import { type Entry, type MapNode, type Place, isEmpty, nodeAt, position } from '../tree.ts';

/** The key that names the environment to which the sections at the top of the files belong. */
export const environmentKey = 'environment';

/** The environment of a root file. */
export interface OwnEnvironment {
  readonly name: string;
  /** Its name as the root file has it: without the id of a preview. */
  readonly written: string;
  /** Where its name stands. */
  readonly at: Place;
}

/** The kind of the blocks that hold services, and the sections that stand in one. */
interface Holder {
  readonly section: string;
  readonly sections: ReadonlySet<string>;
}

/** The kind whose blocks hold services: addresses begin with their keys. */
export function holderOf(kinds: readonly Kind[]): Holder | undefined {
  const above = topOf(kinds)?.kind ?? root;
  const kind = kinds.find(({ identity, parents }) => identity.addressedByKey === true && Object.hasOwn(parents, above));
  return kind && { section: kind.section, sections: new Set(sectionsOf(kinds)(kind.kind).keys()) };
}

/** The environment that a root file names; undefined: it names none. Its form was checked. */
export function ownEnvironment(tree: MapNode): OwnEnvironment | undefined {
  const node = nodeAt(tree, [environmentKey]);
  const name = node?.is === 'map' ? nodeAt(node, ['name']) : node;
  if (name?.is !== 'scalar') return undefined;
  const { value } = name.written?.is === 'scalar' ? name.written : name;
  return { name: String(name.value), written: String(value), at: name.at };
}

/**
 * A file as if written out: the sections of its top and the block of `environment:` stand below `environments: { NAME: … }`.
 * A file of a manifest without an environment of its own stays as it is. Pure.
 */
export function withOwnEnvironment(
  tree: MapNode,
  about: { readonly own: OwnEnvironment | undefined; readonly holder: Holder; readonly rootFile: string },
  report: Report,
): MapNode {
  const { own, holder, rootFile } = about;
  const isRoot = tree.at.file === rootFile;
  if (own === undefined) return withoutEnvironment(tree, { rootFile, section: holder.section }, report);
  const moved = new Map<string, Entry>();
  const entries = new Map<string, Entry>();
  const whole: Entry = { keyAt: own.at, node: { is: 'map', entries: moved, at: own.at } };
  const place = { is: 'map', entries: new Map([[own.name, whole]]), at: own.at } as const;
  for (const [key, entry] of tree.entries) {
    const isBlock = key === environmentKey;
    if (key === holder.section) {
      const message = `${key} does not go with ${environmentKey}: ${own.written}, which stands in ${placeOf(own.at)}`;
      const remedy = `Write the sections of ${own.written} at the top of the file, without ${key}:; or remove ${environmentKey}:.`;
      report('inconsistent', message, entry.keyAt, remedy);
    } else if (isBlock || holder.sections.has(key)) {
      entries.set(holder.section, { keyAt: own.at, node: place });
      const block = isBlock ? blockOf(entry, { isRoot, rootFile, holder }, report) : [[key, entry] as const];
      for (const [name, value] of block) moved.set(name, value);
    } else entries.set(key, entry);
  }
  return { ...tree, entries };
}

/** The keys of the block of `environment:`, without its name. */
function blockOf(
  { keyAt, node }: Entry,
  { isRoot, rootFile, holder }: { readonly isRoot: boolean; readonly rootFile: string; readonly holder: Holder },
  report: Report,
): (readonly [string, Entry])[] {
  if (node.is !== 'map') {
    if (isRoot) return [];
    const remedy = isEmpty(node)
      ? `Write ${environmentKey}: { env: { … } }, or remove the line.`
      : `Write the name in ${rootFile}. An included file takes what all stages share: ${environmentKey}: { env: { … } }.`;
    report('wrong-type', `${environmentKey} must be a map in an included file`, keyAt, remedy);
    return [];
  }
  return [...node.entries].filter(([key, entry]) => {
    if (key === 'name') {
      const message = `the name of the environment stands in the root file, and only there`;
      if (!isRoot) report('unknown-key', message, entry.keyAt, `Remove the line: ${rootFile} names the environment.`);
      return false;
    }
    if (!holder.sections.has(key)) return true;
    const message = `${environmentKey} has no key ${shownKey(key, isEmpty(entry.node))}`;
    report('unknown-key', message, entry.keyAt, `Write ${key}: at the top of the file.`);
    return false;
  });
}

/** A file of a manifest that names no environment: a block of one is reported. */
function withoutEnvironment(
  tree: MapNode,
  { rootFile, section }: { readonly rootFile: string; readonly section: string },
  report: Report,
): MapNode {
  const entry = tree.entries.get(environmentKey);
  if (entry === undefined) return tree;
  const remedy = `Write ${environmentKey}: NAME in ${rootFile}, or write these keys inside of ${section}: { NAME: { … } }.`;
  report('missing-key', `${rootFile} does not name the environment that this block is about`, entry.keyAt, remedy);
  return { ...tree, entries: new Map([...tree.entries].filter(([key]) => key !== environmentKey)) };
}

/** How a section of an environment may stand at the top of a file, where the root file names none; undefined: it is none. */
export function remedyForSection(
  key: string,
  { own, holder, rootFile }: { own: OwnEnvironment | undefined; holder: Holder | undefined; rootFile: string },
): string | undefined {
  if (own !== undefined || holder?.sections.has(key) !== true) return undefined;
  return `write ${environmentKey}: NAME into ${rootFile}: then ${key}: may stand at the top of a file.`;
}

function placeOf(at: Place): string {
  const { file, line } = position(at);
  return `${file}:${line}`;
}
