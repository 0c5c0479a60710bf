import { didYouMean } from '../../diagnostics/closest.ts';
import { type Kind, root } from '../../kind/kind.ts';
import { sectionsOf } from '../blocks.ts';
import type { Report } from '../report-at.ts';
import type { Beside } from '../beside.ts';
import { type Entry, type MapNode, type Node, type Place, position } from '../tree.ts';
import { type Merging, mergeMaps, mergingOf, refuseResets } from './merge.ts';
import { secretParameters } from './secret-parameters.ts';
import { type Budget, fill } from './substitute.ts';
import { type Template, argumentsOf, viaOf } from './templates.ts';

/** Most templates that use each other in a row. */
const maxLevels = 16;
/** Most values and characters that templates may expand to. */
const budgetOfAll: Budget = { nodes: 1_000_000, characters: 50_000_000 };

type Entries = MapNode['entries'];

interface Declared extends Beside {
  readonly templates: ReadonlyMap<string, Template>;
}

interface Expansion extends Declared {
  readonly sections: (parent: string) => ReadonlyMap<string, Kind>;
  readonly secretsOf: ReturnType<typeof secretParameters>;
  readonly merging: Merging;
  readonly budget: Budget;
  readonly report: Report;
}

/** Replaces each block that has `use:` by what its template gives, with the keys beside `use:` over it. Pure. */
export function expandUses(tree: MapNode, kinds: readonly Kind[], declared: Declared, report: Report): MapNode {
  const sections = sectionsOf(kinds);
  const expansion = {
    ...declared,
    sections,
    secretsOf: secretParameters(declared.templates, sections),
    merging: mergingOf(kinds, report),
    budget: { ...budgetOfAll },
    report,
  };
  return { ...tree, entries: expandBelow(tree.entries, root, expansion) };
}

/** The sections of a block or of the file, with their blocks expanded. */
function expandBelow(entries: Entries, parent: string, expansion: Expansion): Entries {
  const sections = expansion.sections(parent);
  const expanded = new Map<string, Entry>(entries);
  for (const [section, entry] of entries) {
    const kind = sections.get(section);
    if (kind === undefined || entry.node.is !== 'map') continue;
    const blocks = new Map<string, Entry>();
    for (const [key, block] of entry.node.entries) blocks.set(key, expandEntry(key, block, kind, expansion));
    expanded.set(section, { ...entry, node: { ...entry.node, entries: blocks } });
  }
  return expanded;
}

function expandEntry(key: string, { keyAt, node }: Entry, kind: Kind, expansion: Expansion): Entry {
  if (node.is !== 'map') return { keyAt, node };
  if (node.entries.has('with') && !node.entries.has('use')) {
    const at = node.entries.get('with')?.keyAt ?? keyAt;
    expansion.report(
      'unknown-key',
      'with stands beside use: only',
      at,
      'Write use: NAME beside it, or remove the line.',
    );
    return { keyAt, node: { ...node, entries: takeUse(node).entries } };
  }
  // An environment is no block that can be written twice, and neither is one that is single.
  const isUse = node.entries.has('use') && kind.identity.addressedByKey !== true && kind.isSingle !== true;
  const whole = isUse ? expandBlock(node, { key, kind, above: [] }, expansion) : node;
  return { keyAt, node: { ...whole, entries: expandBelow(whole.entries, kind.kind, expansion) } };
}

/** A block with what its template gives. `above`: the templates that led to it. */
function expandBlock(
  node: MapNode,
  { key, kind, above }: { readonly key: string; readonly kind: Kind; readonly above: readonly string[] },
  expansion: Expansion,
): MapNode {
  const { report, budget, merging, secretsOf } = expansion;
  const { use, with: given, ...own } = takeUse(node);
  for (const entry of [use, given]) if (entry !== undefined) refuseResets(entry.node, report);
  const template = use && templateOf(use.node, above, expansion);
  if (use === undefined || template === undefined || budget.nodes < 0) return { ...node, entries: own.entries };
  const useAt = use.node.at;
  const values = argumentsOf(template, given, { useAt, report });
  const body = fill(template.block, {
    values,
    secrets: secretsOf(template, kind),
    key,
    via: viaOf(useAt),
    budget,
    report,
  });
  if (budget.nodes < 0 || budget.characters < 0) {
    reportTooLarge(budget, useAt, report);
    return { ...node, entries: own.entries };
  }
  refuseReaching(body.entries, template, expansion);
  const below = body.entries.has('use')
    ? expandBlock(body, { key, kind, above: [...above, template.name] }, expansion)
    : body;
  return mergeMaps(below, { entries: own.entries, at: node.at }, merging);
}

/** The keys of a block without `use` and `with`. */
function takeUse({ entries }: MapNode): { readonly entries: Entries; readonly use?: Entry; readonly with?: Entry } {
  const own = new Map(entries);
  own.delete('use');
  own.delete('with');
  const [use, given] = [entries.get('use'), entries.get('with')];
  return { entries: own, ...(use && { use }), ...(given && { with: given }) };
}

/** The template that `use:` names; undefined: there is none, or none may follow, which is reported. */
function templateOf(
  node: Node,
  above: readonly string[],
  { templates, declaredBeside, report }: Expansion,
): Template | undefined {
  const name = node.is === 'scalar' ? node.value : undefined;
  if (typeof name !== 'string') {
    report(
      'wrong-type',
      'use must be the name of a template',
      node.at,
      'Write use: NAME, with a name below templates:.',
    );
    return undefined;
  }
  if (above.includes(name)) {
    const circle = [...above.slice(above.indexOf(name)), name].join(', which uses ');
    report('bad-reference', `the template ${circle}`, node.at, 'Break the circle: remove one use:.');
    return undefined;
  }
  if (above.length >= maxLevels) {
    report('bad-reference', `more than ${maxLevels} templates use each other in a row`, node.at, 'Use fewer of them.');
    return undefined;
  }
  const template = templates.get(name);
  if (template !== undefined) return template;
  const names = [...templates.keys()];
  const present = names.length === 0 ? 'Declare it below templates:.' : `There are ${names.join(', ')}.`;
  const remedy = declaredBeside?.('templates', name) ?? didYouMean(name, names, present);
  report('bad-reference', `there is no template ${name}`, node.at, remedy);
  return undefined;
}

/** Refuses what a template must not say of each block that uses it. */
function refuseReaching(entries: Entries, template: Template, expansion: Expansion): void {
  const { merging, report } = expansion;
  for (const [key, { keyAt, node }] of entries) {
    const isUnprotected = key === 'protect' && node.is === 'scalar' && node.value === false;
    if (key === 'id' || isUnprotected) {
      const what = isUnprotected ? 'protect: false' : key;
      const message = `${what} in the template ${template.name} would hold for each block that uses it`;
      report('inconsistent', message, keyAt, `Remove it, and write ${what} into the block that it is meant for.`);
    }
    if (!merging.sections.has(key) || node.is !== 'map') continue;
    for (const block of node.entries.values())
      if (block.node.is === 'map') refuseReaching(block.node.entries, template, expansion);
  }
}

function reportTooLarge(budget: Budget, at: Place, report: Report): void {
  const limit = budget.nodes < 0 ? `${budgetOfAll.nodes.toLocaleString('en')} values` : '50 MB of text';
  const { file, line } = position(at);
  const message = `templates expand to more than ${limit}, with the use in ${file}:${line}`;
  report('too-large', message, at, 'Use fewer templates inside of templates.');
  budget.nodes = -1;
}
