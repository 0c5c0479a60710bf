import { type Kind, root } from '../../kind/kind.ts';
import { sectionsOf } from '../blocks.ts';
import { missingBlank, shownKey } from '../problem.ts';
import type { Report } from '../report-at.ts';
import { includedKeys } from '../settings-shape.ts';
import { type MapNode, entriesOf, isEmpty, nodeAt } from '../tree.ts';
import { isGiven, onlyRootGives } from '../variables.ts';
import {
  type OwnEnvironment,
  environmentKey,
  holderOf,
  ownEnvironment,
  remedyForSection,
  withOwnEnvironment,
} from './environment.ts';
import { joinMaps } from './join.ts';
import { refuseReset } from './merge.ts';

/** The files of a manifest as one, as if it were written out. */
interface Assembled {
  readonly tree: MapNode;
  readonly environment: OwnEnvironment | undefined;
}

/** Keys that one file defines as a whole. */
const undivided: ReadonlySet<string> = new Set(['state', 'project']);

/**
 * Makes one tree of the root file and those that it includes: nothing behind it knows what stood where. What two files define
 * is an error. Pure.
 */
export function assemble(
  rootTree: MapNode,
  included: readonly MapNode[],
  kinds: readonly Kind[],
  report: Report,
): Assembled {
  const sections = sectionsOf(kinds);
  const top = sections(root);
  const nested = new Set([...top].flatMap(([section, { kind }]) => (sections(kind).size > 0 ? [section] : [])));
  const holder = holderOf(kinds);
  const own = ownEnvironment(rootTree);
  const about = { own, holder, rootFile: rootTree.at.file };
  const asWrittenOut = (tree: MapNode) => {
    const named = nodeAt(tree, [environmentKey]);
    if (named?.isReset === true) refuseReset(named.at, report);
    return holder === undefined ? tree : withOwnEnvironment(tree, { ...about, holder }, report);
  };
  const allowed = [...top.keys(), ...includedKeys, ...(own === undefined ? [] : (holder?.sections ?? []))];
  const depthOf = (key: string) => (nested.has(key) ? 0 : undivided.has(key) ? 3 : 2);
  let tree = asWrittenOut(rootTree);
  const declared = new Set([rootTree, ...included].flatMap(declaredIn));
  for (const file of included) {
    const all = withoutUnknown(file, allowed, (key) => remedyFor(key, { ...about, allowed }), report);
    const known = withoutValues(
      all,
      declared,
      (name) => `Write ${name} below variables: in ${about.rootFile}.`,
      report,
    );
    tree = joinMaps(tree, asWrittenOut(known), depthOf, report);
  }
  return { tree, environment: own };
}

/** An included file without the keys that it cannot have, which are reported, and without the names of more files. */
function withoutUnknown(
  tree: MapNode,
  allowed: readonly string[],
  remedyOf: (key: string) => string,
  report: Report,
): MapNode {
  const known = [...tree.entries].filter(([key, { keyAt, node }]) => {
    if (allowed.includes(key)) return key !== 'include';
    const remedy = missingBlank(key, isEmpty(node)) ?? remedyOf(key);
    report('unknown-key', `an included file has no key ${shownKey(key, isEmpty(node))}`, keyAt, remedy);
    return false;
  });
  return { ...tree, entries: new Map(known) };
}

/** The names of the variables that a file declares. */
function declaredIn(tree: MapNode): readonly string[] {
  return [...entriesOf(nodeAt(tree, ['variables']))].flatMap(([name, { node }]) => (isGiven(node) ? [] : name));
}

/** An included file without values of variables that another file declares, which are reported. */
function withoutValues(
  tree: MapNode,
  declared: ReadonlySet<string>,
  remedyOf: (name: string) => string,
  report: Report,
): MapNode {
  const variables = tree.entries.get('variables');
  if (variables?.node.is !== 'map') return tree;
  const wrong = [...variables.node.entries].filter(([name, { node }]) => isGiven(node) && declared.has(name));
  if (wrong.length === 0) return tree;
  const entries = new Map(variables.node.entries);
  for (const [name, { keyAt }] of wrong) {
    entries.delete(name);
    report('wrong-type', onlyRootGives(name, keyAt), keyAt, remedyOf(name));
  }
  const node = { ...variables.node, entries };
  return { ...tree, entries: new Map([...tree.entries, ['variables', { ...variables, node }]]) };
}

function remedyFor(
  key: string,
  { allowed, ...about }: Parameters<typeof remedyForSection>[1] & { readonly allowed: readonly string[] },
): string {
  const { holder, rootFile } = about;
  const atTop = remedyForSection(key, about);
  return atTop === undefined
    ? `Move it to ${rootFile}. An included file takes ${allowed.join(', ')}.`
    : `Write it inside of a block of ${holder?.section}:. Or ${atTop}`;
}
