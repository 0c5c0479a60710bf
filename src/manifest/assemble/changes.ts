import { didYouMean } from '../../diagnostics/closest.ts';
import { blockAddress } from '../../kind/address.ts';
import { type Kind, root } from '../../kind/kind.ts';
import { topOf } from '../../kind/top.ts';
import { sectionsOf } from '../blocks.ts';
import { settingsShape } from '../settings-shape.ts';
import { shownKey } from '../problem.ts';
import type { Report } from '../report-at.ts';
import { type Entry, type MapNode, type Place, isEmpty } from '../tree.ts';
import { environmentKey, holderOf } from './environment.ts';
import { type Merging, growing, mergeEntry, mergingOf, putOver, underCase } from './merge.ts';

/** What `changes:` did. */
export interface Changed {
  readonly tree: MapNode;
  /** The addresses of blocks that it takes out, each with the place of its `!reset`. */
  readonly removed: ReadonlyMap<string, Place>;
}

interface Changing {
  readonly sections: (parent: string) => ReadonlyMap<string, Kind>;
  readonly removed: Map<string, Place>;
  readonly merging: Merging;
  readonly report: Report;
}

/** Applies changes, which have the form of a file, to a tree. They change blocks that are there, and add none. Pure. */
export function applyChanges(tree: MapNode, changes: MapNode, kinds: readonly Kind[], report: Report): Changed {
  const changing = {
    sections: sectionsOf(kinds),
    removed: new Map<string, Place>(),
    merging: mergingOf(kinds, report),
    report,
  };
  const sections = changing.sections(root);
  const entries = new Map(tree.entries);
  for (const [section, change] of changes.entries) {
    const kind = section === topOf(kinds)?.section ? undefined : sections.get(section);
    if (kind !== undefined) changeSection(entries, section, change, { kind, parent: undefined }, changing);
    else {
      const message = `changes has no key ${shownKey(section, isEmpty(change.node))}`;
      report('unknown-key', message, change.keyAt, remedyFor(section, [...sections.keys()], kinds));
    }
  }
  return { tree: { ...tree, entries }, removed: changing.removed };
}

/** The remedy for a key of `changes:` that names no section. */
function remedyFor(key: string, sections: readonly string[], kinds: readonly Kind[]): string {
  const inEnvironment = [...(holderOf(kinds)?.sections ?? [])];
  if (inEnvironment.includes(key))
    return `Write ${environmentKey}: NAME into the root file: then ${key}: may stand at the top, and here.`;
  if (Object.hasOwn(settingsShape, key))
    return `Write ${key}: at the top of a file: changes: takes sections of services and objects only.`;
  return didYouMean(key, [...sections, ...inEnvironment], 'It takes the sections that stand at the top of a file.');
}

/** Where a section stands. */
interface Within {
  readonly kind: Kind;
  readonly parent: string | undefined;
}

/** Changes the blocks of a section, which is one of `entries`. */
function changeSection(
  entries: Map<string, Entry>,
  section: string,
  { keyAt, node }: Entry,
  { kind, parent }: Within,
  changing: Changing,
): void {
  const { report } = changing;
  const present = entries.get(section);
  const addressOf = (key: string) => blockAddress(parent, kind, key);
  const isTakenOut = node.isReset === true && isEmpty(node);
  if (!isTakenOut && (node.is !== 'map' || node.isReset === true)) {
    const remedy = `Name the blocks: ${section}: { name: !reset }.`;
    report('wrong-type', `${section} must be a map of blocks to change`, keyAt, remedy);
    return;
  }
  if (present?.node.is !== 'map') {
    const where = parent === undefined ? section : `${parent}.${section}`;
    const remedy = 'changes: changes what is there. Write new blocks at the top of a file.';
    report('bad-reference', `there is no ${where} to change`, keyAt, remedy);
    return;
  }
  const blocks = new Map(present.node.entries);
  if (node.is !== 'map') {
    for (const key of blocks.keys()) changing.removed.set(addressOf(key), keyAt);
    entries.delete(section);
    return;
  }
  for (const [key, change] of node.entries) changeOne(blocks, key, change, { kind, address: addressOf(key) }, changing);
  entries.set(section, { ...present, node: { ...present.node, entries: blocks } });
}

function changeOne(
  blocks: Map<string, Entry>,
  key: string,
  change: Entry,
  { kind, address }: { readonly kind: Kind; readonly address: string },
  changing: Changing,
): void {
  const { report, removed } = changing;
  const { keyAt, node } = change;
  const present = blocks.get(key);
  if (present === undefined) {
    const otherwise = 'Write new blocks at the top of a file, not under changes:.';
    const remedy = didYouMean(key, [...blocks.keys()], otherwise);
    report('bad-reference', `there is no ${address} to change`, keyAt, remedy);
  } else if (node.isReset === true) {
    const value = mergeEntry(key, present, change, changing.merging, 'section');
    if (value !== undefined) blocks.set(key, value);
    else {
      blocks.delete(key);
      removed.set(address, keyAt);
    }
  } else if (node.is !== 'map') {
    const shown = shownKey(key, isEmpty(node));
    report('wrong-type', `${shown} must be a map of fields`, keyAt, `To take the block out, write ${shown}: !reset.`);
  } else if (present.node.is === 'map')
    blocks.set(key, {
      ...present,
      node: changeBlock(underCase(present.node, node), node, { kind, parent: address }, changing),
    });
}

/** A block with changes to its fields, and to the blocks below it. */
function changeBlock(below: MapNode, change: MapNode, { kind, parent }: Required<Within>, changing: Changing): MapNode {
  const { report } = changing;
  const sections = changing.sections(kind.kind);
  const changed = growing(below);
  for (const [key, entry] of change.entries) {
    const section = sections.get(key);
    if (section !== undefined) changeSection(changed.entries, key, entry, { kind: section, parent }, changing);
    else if (key === 'use' || key === 'with') {
      const remedy = 'Write the fields that the template gives, or change the block itself.';
      report('unknown-key', `${key} stands in the block itself, not under changes:`, entry.keyAt, remedy);
    } else putOver(changed, key, entry, changing.merging);
  }
  return { ...below, ...changed };
}
