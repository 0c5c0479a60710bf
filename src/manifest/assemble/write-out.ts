import type { Kind } from '../../kind/kind.ts';
import type { Report } from '../report-at.ts';
import type { Beside } from '../beside.ts';
import type { Entry, MapNode } from '../tree.ts';
import { type Changed, applyChanges } from './changes.ts';
import { type OwnEnvironment, environmentKey, holderOf, withOwnEnvironment } from './environment.ts';
import { expandUses } from './expand.ts';
import { refuseReset, refuseResets } from './merge.ts';
import { readTemplates, warnOfHoles, warnOfIds } from './templates.ts';

/** The keys whose work is done once a manifest is written out. */
const keys = ['templates', 'changes'] as const;

/** What a manifest is written out with. */
interface Writing extends Beside {
  readonly kinds: readonly Kind[];
  readonly own: OwnEnvironment | undefined;
  /** What is not there may stand in a file that could not be read. */
  readonly lacksFiles: boolean;
  /** It is the manifest of previews. */
  readonly isFamily: boolean;
  /** Whether a text of its files may hold a pattern. */
  readonly has: (pattern: RegExp) => boolean;
}

/**
 * Replaces uses of templates by their blocks, and applies `changes:`. A manifest without `use:` and changes stays the same.
 * Pure.
 */
export function writeOut(tree: MapNode, about: Writing, report: Report): Changed {
  const { has, isFamily, lacksFiles } = about;
  const isPlain = keys.every((key) => !tree.entries.has(key)) && !has(/\buse['"]?\s*:/);
  if (!isPlain && has(/\$\{(?:param|block):/)) warnOfHoles(tree, report);
  if (isFamily && has(/\$\{preview:/)) warnOfIds(tree, report);
  const known: Report = (code, ...rest) => {
    if (!lacksFiles || code !== 'bad-reference') report(code, ...rest);
  };
  const written = isPlain ? { tree, removed: new Map() } : expandAndChange(tree, about, known);
  if (has(/!reset/)) refuseResets(written.tree, report);
  return written;
}

function expandAndChange(tree: MapNode, { kinds, own, declaredBeside }: Writing, report: Report): Changed {
  const changes = tree.entries.get('changes');
  const entries = new Map<string, Entry>(tree.entries);
  for (const key of keys) entries.delete(key);
  const templates = readTemplates(tree, report);
  const expanded = expandUses({ ...tree, entries }, kinds, { templates, declaredBeside }, report);
  if (changes?.node.isReset === true) refuseReset(changes.node.at, report);
  if (changes?.node.is !== 'map') return { tree: expanded, removed: new Map() };
  return applyChanges(expanded, changesOf(changes.node, { kinds, own }, report), kinds, report);
}

/** Changes in the form of a whole manifest: those of the sections of the own environment stand below it. */
function changesOf(node: MapNode, { kinds, own }: Pick<Writing, 'kinds' | 'own'>, report: Report): MapNode {
  const holder = holderOf(kinds);
  const block = node.entries.get(environmentKey);
  if (block !== undefined && (block.node.is !== 'map' || block.node.isReset === true))
    report('wrong-type', `${environmentKey} must be a map of fields to change`, block.keyAt, 'Write { env: { … } }.');
  return holder === undefined ? node : withOwnEnvironment(node, { own, holder, rootFile: node.at.file }, report);
}
