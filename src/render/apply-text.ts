import type { ApplyResult, Outcome } from '../apply/job.ts';
import { groupBy } from '../kind/group.ts';
import { blockAddress } from '../kind/address.ts';
import type { ActionName, Narrowed } from '../plan/action.ts';
import { renderNote } from './diagnostics-text.ts';
import { counted, fold, indented, listed, requestCounts } from './lines.ts';
import { printable } from './printable.ts';
import type { Ending } from './result.ts';
import { countIgnored, isNews } from './result.ts';
import type { Style, Tone } from './style.ts';
import { actionWords, countActions, ignoredWords, noChanges, unverifiedWords } from './words.ts';

/** The result of an apply, for its views. */
export interface ResultView {
  readonly result: ApplyResult;
  readonly ending: Ending;
  readonly isInterrupted: boolean;
  /** What the plan was narrowed to. */
  readonly narrowed?: Narrowed | undefined;
  readonly counts: { readonly reads: number; readonly writes: number };
}

/** The number of actions that were not started that are named. */
const named = 5;

/**
 * Renders the result of an apply as text: errors, skipped resources with the reason, and the next step; after an
 * interruption also the exit code.
 */
export function renderResult(view: ResultView, style: Style, exitCode?: number): string {
  const { outcomes } = view.result;
  const shown = outcomes.filter(needsReader);
  const blocks = (view.isInterrupted ? alike(shown) : shown.map((outcome) => [outcome])).map((some) =>
    renderOutcomes(some, style),
  );
  const exit = view.isInterrupted && exitCode !== undefined ? [`Exit code ${exitCode}.`] : [];
  const lines = [...notStarted(view), ...advice(view), ...exit];
  blocks.push([
    style.paint('strong', summary(view)),
    ...lines.flatMap((line) => fold(line, 0, style)),
    style.paint('faint', requestCounts(view.counts)),
  ]);
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/** Returns true for an outcome that a person must look at. */
export function needsReader(outcome: Outcome): boolean {
  const { result, diagnostics, stopped } = outcome;
  return stopped === undefined && ((isNews(outcome) && result !== 'done') || diagnostics.length > 0);
}

/** Renders how one action ended, with its diagnostics. */
export function renderOutcome({ action, result, diagnostics }: Outcome, style: Style): string[] {
  const { tone, text } = resultWords[result];
  return [
    `${style.paint('strong', printable(blockAddress(action.address)))}: ${style.paint(tone, text(action.action))}`,
    ...indented(
      diagnostics.flatMap((item) => renderNote(item, 2, style)),
      2,
    ),
  ];
}

/** Outcomes that say the same but for their addresses, of a run that ended in the middle: one block for each sort. */
function alike(outcomes: readonly Outcome[]): (readonly Outcome[])[] {
  const sortOf = ({ action, result, diagnostics }: Outcome) => {
    const texts = diagnostics.map(({ code, message, remedy = '', details = [] }) => [
      code,
      message,
      remedy,
      ...details,
    ]);
    return JSON.stringify([action.action, result, texts]).replaceAll(blockAddress(action.address), '');
  };
  return [...groupBy(outcomes.map((outcome) => [sortOf(outcome), outcome] as const)).values()];
}

/** Renders how actions ended that say the same: a few by themselves, more in one block. */
function renderOutcomes(outcomes: readonly Outcome[], style: Style): string[] {
  const [first] = outcomes;
  if (first === undefined || outcomes.length === 1) return outcomes.flatMap((one) => renderOutcome(one, style));
  const { action, result, diagnostics } = first;
  const { tone, text } = resultWords[result];
  const names = listed(
    outcomes.map((one) => printable(blockAddress(one.action.address))),
    named,
  );
  // The place of one of them would be taken for that of all.
  const ofEach = diagnostics.map(({ code, severity, message, remedy }) => ({
    code,
    severity,
    message: message.replaceAll(blockAddress(action.address), 'each'),
    ...(remedy === undefined ? {} : { remedy: remedy.replaceAll(blockAddress(action.address), 'ADDRESS') }),
  }));
  return [
    ...fold(`${names}: ${text(action.action)}`, 0, style).map((line) => style.paint(tone, line)),
    ...indented(
      ofEach.flatMap((item) => renderNote(item, 2, style)),
      2,
    ),
  ];
}

/** The words of a result: after its address, and behind a number in the summary. */
const resultWords: Readonly<
  Record<Outcome['result'], { tone: Tone; counted: string; text: (action: ActionName) => string }>
> = {
  done: { tone: 'good', counted: 'done', text: (action) => actionWords[action].done },
  failed: { tone: 'bad', counted: 'failed', text: (action) => `${actionWords[action].now} failed` },
  skipped: { tone: 'change', counted: 'skipped', text: () => 'skipped' },
  ignored: {
    tone: 'bad',
    counted: 'partly ignored by the platform',
    text: (action) => `${actionWords[action].done}, but the platform ignored a value`,
  },
  unverified: { tone: 'change', counted: 'not verified', text: unverifiedWords },
};

/** How the run ended, with all counts, in one sentence or two. */
export function summary({ result: { outcomes, state }, isInterrupted, narrowed }: ResultView): string {
  const news = outcomes.filter(isNews);
  // Those that this run wrote are counted already.
  const ignored = news.some(({ result }) => result === 'ignored') ? 0 : countIgnored(state);
  if (news.length === 0) return noChanges(ignored, narrowed === undefined ? {} : { narrowed });
  const done = news.filter(({ result }) => result === 'done').map(({ action }) => action);
  const parts = [...countActions(done)].map(([name, count]) => `${count} ${actionWords[name].done}`);
  const tried = news.filter(({ stopped }) => stopped === undefined);
  for (const result of ['failed', 'ignored', 'unverified', 'skipped'] as const) {
    const count = tried.filter((outcome) => outcome.result === result && !isUnderWay(outcome)).length;
    if (count > 0) parts.push(`${count} ${resultWords[result].counted}`);
  }
  const underWay = tried.filter(isUnderWay).length;
  if (underWay > 0) parts.push(`${counted(underWay, 'deployment')} not waited for`);
  if (tried.length < news.length) parts.push(`${news.length - tried.length} not started`);
  const word = isInterrupted ? 'Interrupted' : done.length === news.length ? 'Applied' : 'Not everything was applied';
  return [`${word}: ${parts.join(', ')}.`, ...ignoredWords(ignored)].join(' ');
}

/** Names what was not started when the run stopped, by the reason for that. */
export function notStarted({ result: { outcomes } }: ResultView, nameOf = printable): string[] {
  const left = outcomes.flatMap((outcome) => {
    const { stopped, action } = outcome;
    if (stopped === undefined || !isNews(outcome)) return [];
    return [[stopped, `${actionWords[action.action].now} ${nameOf(blockAddress(action.address))}`] as const];
  });
  return [...groupBy(left)].map(([why, names]) => `Not started, because ${why}: ${listed(names, named)}.`);
}

/** What the run left, and what to do next, a sentence each. */
export function advice({ result, ending, isInterrupted, narrowed }: ResultView): string[] {
  if (ending === 'done') {
    const left = narrowed?.leftOut.length ?? 0;
    return [
      ...(isInterrupted ? ['Everything in the plan was done already.'] : []),
      ...(left === 0 ? [] : [`The plan left out ${counted(left, 'change')}: trueup plan shows what is left.`]),
    ];
  }
  const isDone = result.unsaved === undefined && result.outcomes.filter(isNews).every((one) => one.result === 'done');
  if (isDone && !isInterrupted) {
    return ['Next: change each ignored value, or leave its line out; trueup plan names them.'];
  }
  const lines = [
    result.unsaved !== undefined
      ? 'The changes are on the platform. The next run finds those that the state lacks.'
      : ending === 'failed'
        ? 'No change of the platform is known. The state holds what this run read.'
        : 'Finished changes are on the platform and in the state; the next run does not repeat them.',
  ];
  const isUnsure = result.outcomes.some(
    (outcome) =>
      (outcome.result === 'unverified' && !isUnderWay(outcome)) ||
      (outcome.result === 'failed' && outcome.action.steps.length > 0),
  );
  if (isUnsure) lines.push('A failed request may still have had an effect: the next plan reads the platform again.');
  const isClean = result.unsaved === undefined && result.outcomes.every((one) => isFine(one));
  lines.push(
    isClean
      ? 'Next: run trueup apply again; it starts what is left.'
      : 'Next: fix the errors above, check with trueup plan, and run trueup apply again.',
  );
  return lines;
}

/** A deployment that goes on without the run. */
function isUnderWay({ action, result }: Outcome): boolean {
  return action.action === 'deploy' && result === 'unverified';
}

/** Done, or left by an interruption: nothing to fix. */
function isFine({ result, stopped }: Outcome): boolean {
  return result === 'done' || result === 'unverified' || stopped !== undefined;
}
