import { someOf } from '../diagnostics/some-of.ts';
import { groupBy } from '../kind/group.ts';
import type { DriftDocument, PlanDocument, ResultDocument } from './document-schemas.ts';
import { counted } from './fold-lines.ts';
import { printable } from './printable.ts';
import { isNews, resultWords, underWay } from './outcomes.ts';
import { actionWords, countActions, ignoredWords, isChange, plannedWords } from './action-words.ts';

/** Says how a plan, an apply or a comparison ended, in its last sentence. "Matches" only where everything was compared. */
export function verdictOf(document: PlanDocument | ResultDocument | DriftDocument): string {
  switch (document.format) {
    case 'trueup/plan':
      return document.hasChanges ? `Plan: ${changesOf(document)}` : planVerdict(document);
    case 'trueup/result':
      return resultVerdict(document);
    case 'trueup/drift':
      return driftVerdict(document);
    default:
      return document satisfies never;
  }
}

/** The first sentence of that, as a part of a line about several: `2 to update`, `no changes`. */
export function wordsOf(document: Parameters<typeof verdictOf>[0]): string {
  const [first = ''] = verdictOf(document)
    .replace(/^Plan: /, '')
    .split(/\.(?: |$)/);
  return `${first.charAt(0).toLowerCase()}${first.slice(1)}`;
}

/** The same for a title that names the plan already: without what is unchanged. */
export function titleOf(plan: PlanDocument): string {
  return plan.hasChanges ? changesOf(plan, isChange).replace(/\.$/, '') : planVerdict(plan);
}

function changesOf(plan: PlanDocument, isCounted: (action: PlanDocument['actions'][number]) => boolean = () => true) {
  const counts = countsOf(plan, plan.actions.filter(isCounted));
  return [`${counts.join(', ')}.`, ...ignoredWords(plan.ignored), ...notComparedWords(read(plan.notCompared))].join(
    ' ',
  );
}

function planVerdict(plan: PlanDocument): string {
  const { ignored, notCompared } = plan;
  // What has errors was not compared: it does not match the manifest.
  if (plan.destroys !== true && errorsIn(plan).length > 0)
    return [...ignoredWords(ignored), ...notComparedWords(read(notCompared))].join(' ');
  return noChanges(plan);
}

/** The numbers of some actions of a plan, in words: `2 to create`, `3 to delete (1 service, 2 below it)`. */
export function countsOf(plan: PlanDocument, actions: PlanDocument['actions']): string[] {
  return [...countActions(actions)].map(
    ([name, count]) => `${count} ${plannedWords(name)}${name === 'delete' ? deletionWords(plan) : ''}`,
  );
}

/** What goes: services, other objects, and what is below them; empty where the number alone says it. */
export function deletionWords({ deletes }: Pick<PlanDocument, 'deletes'>): string {
  const { environments = 0, services = 0, along = 0, others = 0 } = deletes ?? {};
  const tops = environments + services + others;
  if (tops === others && along === 0) return '';
  const parts = [
    ...(environments === 0 ? [] : [`${environments} environment${environments === 1 ? '' : 's'}`]),
    ...(services === 0 ? [] : [counted(services, 'service')]),
    ...(others === 0 ? [] : [counted(others, tops === others ? 'object' : 'other object')]),
    ...(along === 0 ? [] : [`${along} below ${tops === 1 ? 'it' : 'them'}`]),
  ];
  return ` (${parts.join(', ')})`;
}

/** The errors of a plan: those of all of it, then those of its actions. */
export function errorsIn({ diagnostics, actions }: PlanDocument): PlanDocument['diagnostics'] {
  return [...diagnostics, ...actions.flatMap(({ notes }) => notes)].filter(({ severity }) => severity === 'error');
}

/** The sentence where nothing is to do, or was done. */
function noChanges(
  document: Pick<PlanDocument, 'destroys' | 'narrowed' | 'state' | 'ignored' | 'left' | 'notCompared'>,
): string {
  const { destroys, narrowed, state, ignored, left, notCompared } = document;
  if (narrowed !== undefined) {
    const words = [...ignoredWords(ignored), ...leftWords(left), ...notComparedWords(read(notCompared))];
    return ['No changes in what the plan is narrowed to.', ...words].join(' ');
  }
  if (destroys === true) {
    // A destruction says nothing of what the manifest declares.
    return state !== undefined && state.serial === undefined
      ? 'There is no state: Trueup knows no object to delete. trueup state rebuild makes one from the platform.'
      : 'The state holds no object to delete.';
  }
  const rest = [...ignoredWords(ignored), ...leftWords(left), ...notComparedWords(notCompared)];
  if (notCompared.length > 0) return ['No changes in what was compared.', ...rest].join(' ');
  return ['No changes.', ...(rest.length === 0 ? ['The platform matches the manifest.'] : rest)].join(' ');
}

function leftWords(left: number): string[] {
  if (left === 0) return [];
  return [
    `${counted(left, 'field')} ${left === 1 ? 'differs' : 'differ'} on the platform and ${left === 1 ? 'stays' : 'stay'} so.`,
  ];
}

type NotCompared = PlanDocument['notCompared'][number];

/** Without what the plan leaves out: of that it makes no claim. */
function read(notCompared: readonly NotCompared[]): readonly NotCompared[] {
  return notCompared.filter(({ why }) => why !== 'left out');
}

/** A sentence about what was not compared, with the reasons; none where that is nothing. */
function notComparedWords(notCompared: readonly NotCompared[], was = 'not compared'): string[] {
  if (notCompared.length === 0) return [];
  const objects = notCompared.filter(({ path }) => path === undefined).length;
  const fields = notCompared.length - objects;
  const subjects = [
    ...(fields === 0 ? [] : [counted(fields, 'field')]),
    ...(objects === 0 ? [] : [counted(objects, 'resource')]),
  ].join(' and ');
  const byReason = [...groupBy(notCompared.map((one) => [one.why, one] as const))];
  const isAlone = byReason.length === 1;
  const reasons = byReason.map(([why, some]) => {
    const isOne = some.length === 1;
    const subject = isAlone ? (isOne ? 'it' : 'they') : String(some.length);
    return `${subject} ${reasonWords(why, isOne, some)}`;
  });
  return [`${subjects} ${notCompared.length === 1 ? 'was' : 'were'} ${was}: ${reasons.join(', ')}.`];
}

function reasonWords(why: NotCompared['why'], isOne: boolean, some: readonly NotCompared[]): string {
  const be = isOne ? 'is' : 'are';
  switch (why) {
    case 'secret missing': {
      const names = [...new Set(some.flatMap(({ secrets = [] }) => secrets))].map(printable);
      const what = names.length === 1 ? 'a secret' : 'secrets';
      return `${isOne ? 'needs' : 'need'} ${what} that this run does not have (${someOf(names, maxNamed)})`;
    }
    case 'not recorded':
      return `${be} not recorded in a form that this run can compare: run once with the secrets`;
    case 'not returned':
      return `${be} not returned by the platform`;
    case 'cannot be decrypted':
      return `cannot be decrypted by the platform`;
    case 'left out':
      return `${be} left out of this plan`;
    case 'create only': {
      const paths = [...new Set(some.flatMap(({ path = [] }) => path))].map(printable);
      return `${be} not managed after creation (${someOf(paths, maxNamed)})`;
    }
    default:
      return why satisfies never;
  }
}

/** The number of missing secrets, or of fields, that are named. */
const maxNamed = 5;

function resultVerdict(result: ResultDocument): string {
  const news = result.outcomes.filter(isNews);
  if (news.length === 0) return noChanges(result);
  const done = news.filter((one) => one.result === 'done');
  const parts = [...countActions(done)].map(([name, count]) => `${count} ${actionWords[name].done}`);
  const tried = news.filter(({ stopped }) => stopped === undefined);
  for (const name of ['failed', 'ignored', 'unverified', 'skipped'] as const) {
    const count = tried.filter((outcome) => outcome.result === name && !underWay(outcome)).length;
    if (count > 0) parts.push(`${count} ${resultWords[name].counted}`);
  }
  const deploying = tried.filter(underWay).length;
  if (deploying > 0) parts.push(`${counted(deploying, 'deployment')} not waited for`);
  if (tried.length < news.length) parts.push(`${news.length - tried.length} not started`);
  const word = result.interrupted
    ? 'Interrupted'
    : done.length === news.length
      ? 'Applied'
      : 'Not everything was applied';
  // Those that this run wrote are counted already.
  const ignored = news.some((one) => one.result === 'ignored') ? 0 : result.ignored;
  return [
    `${word}: ${parts.join(', ')}.`,
    ...ignoredWords(ignored),
    ...notComparedWords(read(result.notCompared)),
  ].join(' ');
}

/** What matters of a comparison, with all counts. */
function driftVerdict({ summary, exitCode, notCompared, diagnostics }: DriftDocument): string {
  // Where a secret is missing, digests still compare the platform with what was applied last.
  const withLastOnly = notCompared.filter(({ why }) => why === 'secret missing' || why === 'not recorded');
  const others = notCompared.filter(({ why }) => why !== 'secret missing' && why !== 'not recorded');
  const isWhole = others.length === 0 && !diagnostics.some(({ severity }) => severity === 'error');
  const names = ['new', 'expired', 'known', 'accepted', 'not yet applied', 'ignored', 'resolved'] as const;
  const parts = names.filter((name) => summary[name] > 0).map((name) => `${summary[name]} ${name}`);
  const none = isWhole ? 'No drift' : 'No drift in what was compared';
  const old = summary.known > 0 ? 'Known drift only' : 'Accepted drift only';
  const words = { 0: none, 1: none, 2: 'New drift', 8: old }[exitCode];
  const counts = parts.length > 0 ? `: ${parts.join(', ')}` : isWhole ? ': the platform is as it was applied' : '';
  return [
    `${words}${counts}.`,
    ...notComparedWords(others),
    ...notComparedWords(withLastOnly, 'compared with the last apply only'),
  ].join(' ');
}
