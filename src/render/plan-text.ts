import { flags } from '../diagnostics/safeguards.ts';
import type { ShownAction, ShownPlan } from '../plan/action.ts';
import {
  countIgnored,
  hasChanges,
  notDeployed,
  overwriting,
  recreating,
  restarting,
  risking,
  underWay,
} from '../plan/action.ts';
import { someOf } from '../plan/mass-deletion.ts';
import { needsDataLoss } from '../plan/risks.ts';
import { renderDiagnostic } from './diagnostics-text.ts';
import { renderGroups } from './equal-groups.ts';
import type { Group } from './groups.ts';
import { groupActions } from './groups.ts';
import { counted, fold, requestCounts } from './lines.ts';
import type { PlanAbout } from './plan-head.ts';
import { renderHead } from './plan-head.ts';
import { printable } from './printable.ts';
import type { Style } from './style.ts';
import { actionWords, countActions, ignoredWords, leftOutWords, narrowedWords, noChanges, within } from './words.ts';

/** A plan with the requests that it took. */
export interface PlanView {
  readonly plan: ShownPlan;
  /** Requests sent so far. */
  readonly counts: { readonly reads: number; readonly writes: number };
  /** Where it applies, and what it was made from; undefined: it has no head. */
  readonly about?: PlanAbout;
  /** Text is not cut short. */
  readonly isFull?: boolean;
  /** What the command line allows. */
  readonly allowed?: Allowed | undefined;
}

/** The permissions that a plan reports as given, where they are. */
interface Allowed {
  readonly adoption: boolean;
  readonly dataLoss: boolean;
}

/** Renders a plan as text. */
export function renderPlan({ plan, counts, about, isFull, allowed }: PlanView, given: Style): string {
  const style: Style = isFull === true ? { ...given, isFull } : given;
  const groups = groupActions(plan.actions);
  const { narrowed } = plan;
  const blocks = [
    ...(about === undefined ? [] : [renderHead(about, style)]),
    ...(narrowed === undefined ? [] : [fold(`This plan is ${narrowedWords(narrowed)}.`, 0, style)]),
    ...renderGroups(groups, style),
  ];
  for (const item of plan.diagnostics) blocks.push(renderDiagnostic(item, style));
  const isLong = blocks.reduce((lines, block) => lines + block.length + 1, 0) > oneScreen;
  blocks.push(ending({ plan, counts, allowed }, groups, style), ...(isLong ? repeatedErrors(plan, style) : []));
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/** The number of lines that a reader sees at once. */
const oneScreen = 24;

function ending({ plan, counts, allowed }: PlanView, groups: readonly Group[], style: Style): string[] {
  const naming = { nameOf: printable, isFull: style.isFull === true };
  const lines = [
    ...effects(plan, naming),
    ...atRisk(within(plan)),
    ...conditions({ plan, allowed }),
    ...errors(plan),
    ...narrowing(plan, naming),
  ].flatMap((line) => fold(line, 0, style));
  const signs = legend(groups);
  if (signs !== '') lines.push(...fold(signs, 0, style).map((line) => style.paint('faint', line)));
  const last = summary(plan);
  if (last !== '') lines.push(...fold(last, 0, style).map((line) => style.paint('strong', line)));
  lines.push(style.paint('faint', `planned with ${requestCounts(counts)}`));
  return lines;
}

/** How names are written, and whether all of them are. */
interface Naming {
  readonly nameOf: (name: string) => string;
  readonly isFull: boolean;
}

/** What a plan as a whole does to running services, a sentence each. */
export function effects(plan: Pick<ShownPlan, 'actions'>, naming: Naming): string[] {
  const actions = within(plan);
  return [...overwrites(actions, naming), ...restarts(actions, naming), ...toDeploy(plan.actions, naming)];
}

/** What an apply needs, and what the plan does not manage, a sentence each. */
export function conditions({ plan, allowed }: Pick<PlanView, 'plan' | 'allowed'>): string[] {
  return [...permissions(plan.actions, allowed), ...notManaged(plan)];
}

/** What the plan was narrowed to, and what that leaves out. */
export function narrowing({ narrowed }: Pick<ShownPlan, 'narrowed'>, { nameOf, isFull }: Naming): string[] {
  if (narrowed === undefined) return [];
  return [`This plan is ${narrowedWords(narrowed, nameOf)}; ${leftOutWords(narrowed, isFull, nameOf)}.`];
}

/** The addresses of a line, the first ten where it is cut. */
function namesOf(addresses: readonly string[], { isFull }: Naming): string {
  if (isFull) return addresses.join(', ');
  const some = someOf(addresses);
  return some.endsWith(' more') ? `${some} (--full lists them)` : some;
}

/** What a person changed on the platform since the last apply, and this plan changes back. */
function overwrites(actions: readonly ShownAction[], naming: Naming): string[] {
  const addresses = overwriting(actions).map(naming.nameOf);
  return addresses.length === 0
    ? []
    : [`Overwrites changes that were made on the platform: ${namesOf(addresses, naming)}.`];
}

/** The services that a deployment of the plan restarts, those that it deletes and creates again, and those that deploy already. */
function restarts(actions: readonly ShownAction[], naming: Naming): string[] {
  const [restarted, made, waited] = [restarting(actions), recreating(actions), underWay(actions)].map((some) =>
    some.map(naming.nameOf),
  );
  const line = (verb: string, some: readonly string[] = []) =>
    some.length === 0 ? [] : [`${verb} ${counted(some.length, 'service')}: ${namesOf(some, naming)}.`];
  return [
    ...line('Stops, and creates again,', made),
    ...line('Restarts', restarted),
    ...line('Waits for deployments that an earlier run started, of', waited),
  ];
}

/** Every address whose data is at risk. */
function atRisk(actions: readonly ShownAction[]): string[] {
  const addresses = risking(actions).map(printable);
  return addresses.length === 0 ? [] : [`Data at risk: ${addresses.join(', ')}.`];
}

function notManaged({ unmanaged = 0 }: ShownPlan): string[] {
  if (unmanaged === 0) return [];
  const words = `${counted(unmanaged, 'object')} of the project ${unmanaged === 1 ? 'is' : 'are'} not managed`;
  return [`${words} (trueup export --unmanaged).`];
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
  const has = (name: ShownAction['action']) => shown.some(({ action }) => action === name);
  const inFields = [
    ...(!has('create') && changes.some(isAdded) ? ['+ added'] : []),
    ...(!has('delete') && changes.some(({ cause }) => cause === 'removed') ? ['- removed'] : []),
    ...(changes.some(({ forcesReplacement }) => forcesReplacement) || risking(shown).length > 0 ? ['! take care'] : []),
  ];
  const all = [...meanings, ...inFields];
  return all.length === 0 ? '' : `Signs: ${all.join(', ')}`;
}

function isAdded({ before, after }: ShownAction['changes'][number]): boolean {
  return before.is === 'absent' && after.is !== 'absent';
}

function isSafe({ createsBeforeDestroy }: ShownAction): boolean {
  return createsBeforeDestroy;
}

/** The errors of a long plan once more, where its reader looks. */
function repeatedErrors(plan: ShownPlan, style: Style): string[][] {
  const found = plan.actions.flatMap(({ notes }) => notes.filter(({ severity }) => severity === 'error'));
  return found.map((item) => renderDiagnostic(item, style));
}

function summary(plan: ShownPlan): string {
  const ignored = countIgnored(plan.actions);
  // What has errors was not compared: it does not match the manifest.
  if (!hasChanges(plan) && plan.destroys !== true && errors(plan).length > 0) return ignoredWords(ignored).join(' ');
  if (!hasChanges(plan)) return noChanges(ignored, plan);
  const parts = [...countActions(within(plan))].map(([name, count]) => `${count} ${actionWords[name].plan}`);
  return [`Plan: ${parts.join(', ')}.`, ...ignoredWords(ignored)].join(' ');
}

/** The services that need a deployment that this plan does not include. */
function toDeploy(actions: readonly ShownAction[], naming: Naming): string[] {
  const names = notDeployed(actions).map(naming.nameOf);
  if (names.length === 0) return [];
  return [
    `Takes effect with the next deployment of ${namesOf(names, naming)}. ` +
      'This plan does not deploy; trueup run deploy ADDRESS does.',
  ];
}

function permissions(
  actions: readonly ShownAction[],
  allowed: Allowed = { adoption: false, dataLoss: false },
): string[] {
  const lines: string[] = [];
  const adopted = actions.filter((action) => action.needsConsent).length;
  const adopts = `Apply takes over ${counted(adopted, 'object')}`;
  if (adopted > 0 && allowed.adoption) lines.push(`${adopts} (allowed).`);
  else if (adopted > 0) lines.push(`${adopts} and needs consent: ${flags.adoption}, or answer yes.`);
  const risky = actions.filter(needsDataLoss).length;
  const risks = `Apply puts data of ${counted(risky, 'resource')} at risk`;
  if (risky > 0 && allowed.dataLoss) lines.push(`${risks} (allowed).`);
  else if (risky > 0) lines.push(`${risks} and needs ${flags.dataLoss}.`);
  return lines;
}

function errors(plan: ShownPlan): string[] {
  const found = [...plan.diagnostics, ...plan.actions.flatMap((action) => action.notes)];
  const count = found.filter((item) => item.severity === 'error').length;
  return count === 0 ? [] : [`This plan cannot be applied: ${counted(count, 'error')} above.`];
}
