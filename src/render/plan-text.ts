import { flags } from '../diagnostics/safeguards.ts';
import { someOf } from '../diagnostics/some-of.ts';
import { needsDataLoss } from '../plan/risks.ts';
import { renderDiagnostic } from './diagnostics-text.ts';
import type { ActionName, PlanDocument } from './document-schemas.ts';
import { adoptionIn, effectsOf, notManaged } from './effects.ts';
import { renderGroups } from './equal-groups.ts';
import { type Group, type PlannedAction, groupActions } from './groups.ts';
import { counted, fold, requestCounts } from './fold-lines.ts';
import { renderHead } from './plan-head.ts';
import { printable } from './printable.ts';
import type { Style } from './style.ts';
import { onePerSecret } from '../diagnostics/one-per-secret.ts';
import { errorsIn, verdictOf } from './verdict.ts';
import { actionWords, countActions, leftOutWords, narrowedWords } from './action-words.ts';

/** Renders a plan as text. People have read the warnings of the manifest already. */
export function renderPlan(plan: PlanDocument, style: Style): string {
  const groups = groupActions(plan.actions);
  const { narrowed } = plan;
  const head = renderHead(plan, style);
  const blocks = [
    ...(head.length === 0 ? [] : [head]),
    ...(narrowed === undefined ? [] : [fold(`This plan is ${narrowedWords(narrowed)}.`, 0, style)]),
    ...renderGroups(groups, style),
  ];
  for (const item of plan.diagnostics) if (item.source !== 'manifest') blocks.push(renderDiagnostic(item, style));
  const isLong = blocks.reduce((lines, block) => lines + block.length + 1, 0) > oneScreen;
  blocks.push(ending(plan, groups, style), ...(isLong ? repeatedErrors(plan, style) : []));
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/** The number of lines that a reader sees at once. */
const oneScreen = 24;

function ending(plan: PlanDocument, groups: readonly Group[], style: Style): string[] {
  const naming = { nameOf: printable, isFull: style.isFull };
  const lines = [
    ...effects(plan, naming),
    ...atRisk(plan),
    ...conditions(plan),
    ...errors(plan),
    ...narrowing(plan, naming),
  ].flatMap((line) => fold(line, 0, style));
  const meanings = legend(groups);
  if (meanings !== '') lines.push(...fold(meanings, 0, style).map((line) => style.paint('faint', line)));
  const last = verdictOf(plan);
  if (last !== '') lines.push(...fold(last, 0, style).map((line) => style.paint('strong', line)));
  lines.push(style.paint('faint', `planned with ${requestCounts(plan.requests)}`));
  return lines;
}

/** How names are written, and whether all of them are. */
interface Naming {
  readonly nameOf: (name: string) => string;
  readonly isFull: boolean;
}

/** What a plan as a whole does to running services, a sentence each. */
export function effects(plan: PlanDocument, naming: Naming): string[] {
  const isFull = plan.destroys === true && plan.hasChanges && plan.narrowed === undefined;
  const sentences = effectsOf(plan).map(({ words, addresses, more }) =>
    [`${words}: ${namesOf(addresses, naming)}.`, more ?? ''].join(' ').trimEnd(),
  );
  return [
    ...(isFull ? ['Deletes everything that the state holds, because that is what destroy does.'] : []),
    ...sentences,
  ];
}

/** What an apply needs, and what the plan does not manage, a sentence each. */
export function conditions(plan: PlanDocument): string[] {
  return [...adoptionIn(plan).map(({ words }) => `${words}.`), ...dataLoss(plan), ...notManaged(plan)];
}

/** What the plan was narrowed to, and what that leaves out. */
export function narrowing({ narrowed }: Pick<PlanDocument, 'narrowed'>, { nameOf, isFull }: Naming): string[] {
  if (narrowed === undefined) return [];
  return [`This plan is ${narrowedWords(narrowed, nameOf)}; ${leftOutWords(narrowed, isFull, nameOf)}.`];
}

/** The addresses of a line, the first ten where it is cut. */
function namesOf(addresses: readonly string[], { nameOf, isFull }: Naming): string {
  const names = addresses.map(nameOf);
  if (isFull) return names.join(', ');
  const some = someOf(names);
  return some.endsWith(' more') ? `${some} (--full lists them)` : some;
}

/** Every address whose data is at risk. */
function atRisk({ dataAtRisk = [] }: PlanDocument): string[] {
  return dataAtRisk.length === 0 ? [] : [`Data at risk: ${dataAtRisk.map(printable).join(', ')}.`];
}

/** The meanings of the signs that occur, in the order of the words. */
function legend(groups: readonly Group[]): string {
  const shown = groups.flatMap((group) => group.actions.map(({ action }) => action));
  const replaced = shown.filter(({ action }) => action === 'replace');
  const [safe, usual] = [replaced.some(isSafe), replaced.some((one) => !isSafe(one))];
  const meanings = [...countActions(shown).keys()].flatMap((name) => {
    const { symbol, sign } = actionWords[name];
    if (name !== 'replace') return symbol === ' ' ? [] : [`${symbol} ${sign}`];
    return [...(usual ? ['-/+ replace (delete first)'] : []), ...(safe ? ['+/- replace (create first)'] : [])];
  });
  const changes = shown.flatMap((action) => action.changes);
  const has = (name: ActionName) => shown.some(({ action }) => action === name);
  const isRisky = shown.some(({ dataAtRisk }) => dataAtRisk !== undefined);
  const inFields = [
    ...(!has('create') && changes.some(isAdded) ? ['+ added'] : []),
    ...(!has('delete') && changes.some(({ cause }) => cause === 'removed') ? ['- removed'] : []),
    ...(changes.some(({ forcesReplacement }) => forcesReplacement) || isRisky ? ['! take care'] : []),
  ];
  const all = [...meanings, ...inFields];
  return all.length === 0 ? '' : `Legend: ${all.join(', ')}`;
}

function isAdded({ before, after }: PlannedAction['changes'][number]): boolean {
  return before.is === 'absent' && after.is !== 'absent';
}

function isSafe({ createsBeforeDestroy }: PlannedAction): boolean {
  return createsBeforeDestroy === true;
}

/** The errors of a long plan once more, where its reader looks. */
function repeatedErrors(plan: PlanDocument, style: Style): string[][] {
  const found = plan.actions.flatMap(({ notes }) => notes.filter(({ severity }) => severity === 'error'));
  return onePerSecret(found).map((item) => renderDiagnostic(item, style));
}

/** The permissions that an apply needs beside consent. */
function dataLoss({ actions, allowed }: PlanDocument): string[] {
  const risky = actions.filter(needsDataLoss).length;
  if (risky === 0) return [];
  const needs = allowed?.dataLoss === true ? ' (allowed)' : ` and needs ${flags.dataLoss}`;
  return [`Apply puts data of ${counted(risky, 'resource')} at risk${needs}.`];
}

function errors(plan: PlanDocument): string[] {
  const count = errorsIn(plan).length;
  return count === 0 ? [] : [`This plan cannot be applied: ${counted(count, 'error')} above.`];
}
