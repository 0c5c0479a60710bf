import type { ApplyResult, Outcome } from '../apply/result.ts';
import { blockAddress } from '../kind/address.ts';
import { renderNote } from './diagnostics-text.ts';
import { fold, indented, requestCounts } from './lines.ts';
import { printable } from './printable.ts';
import type { Ending } from './result.ts';
import { isNews } from './result.ts';
import type { Style, Tone } from './style.ts';
import { actionWords, countActions } from './words.ts';

/** What became of an apply. */
export interface ResultView {
  readonly result: ApplyResult;
  readonly ending: Ending;
  readonly isInterrupted: boolean;
  readonly counts: { readonly reads: number; readonly writes: number };
}

/** The result of an apply for people: what went wrong, what was left out and why, and what to do next. */
export function renderResult(view: ResultView, style: Style): string {
  const { outcomes } = view.result;
  const blocks = outcomes
    .filter((outcome) => (isNews(outcome) && outcome.result !== 'done') || outcome.diagnostics.length > 0)
    .map((outcome) => renderOutcome(outcome, style));
  blocks.push([
    style.paint('strong', summary(outcomes, view.isInterrupted)),
    ...advice(view).flatMap((line) => fold(line, 0, style)),
    style.paint('faint', requestCounts(view.counts)),
  ]);
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function renderOutcome({ action, result, diagnostics }: Outcome, style: Style): string[] {
  const { tone, text } = resultWords[result];
  return [
    `${style.paint('strong', printable(blockAddress(action.address)))}: ${style.paint(tone, text(actionWords[action.action].now, actionWords[action.action].done))}`,
    ...indented(
      diagnostics.flatMap((item) => renderNote(item, 2, style)),
      2,
    ),
  ];
}

const resultWords: Readonly<Record<Outcome['result'], { tone: Tone; text: (now: string, done: string) => string }>> = {
  done: { tone: 'good', text: (_now, done) => done },
  failed: { tone: 'bad', text: (now) => `${now} failed` },
  skipped: { tone: 'change', text: () => 'skipped' },
  'not kept': { tone: 'bad', text: (_now, done) => `${done}, and the platform did not keep all of it` },
  unverified: { tone: 'change', text: (_now, done) => `${done}, and that could not be verified` },
};

function summary(outcomes: readonly Outcome[], isInterrupted: boolean): string {
  const news = outcomes.filter(isNews);
  if (news.length === 0) return 'Nothing to do. The platform is what the manifest says.';
  const done = news.filter(({ result }) => result === 'done').map(({ action }) => action);
  const parts = [...countActions(done)].map(([name, count]) => `${count} ${actionWords[name].done}`);
  for (const result of ['failed', 'not kept', 'unverified', 'skipped'] as const) {
    const count = news.filter((outcome) => outcome.result === result).length;
    if (count > 0) parts.push(`${count} ${result}`);
  }
  const word = isInterrupted ? 'Interrupted' : done.length === news.length ? 'Applied' : 'Not everything was applied';
  return `${word}: ${parts.join(', ')}.`;
}

function advice({ result, ending, isInterrupted }: ResultView): string[] {
  if (ending === 'done' && !isInterrupted) return [];
  const lines = [
    result.unsaved !== undefined
      ? 'What was done is on the platform; what the state does not have of it is found by the next run.'
      : ending === 'failed'
        ? 'Nothing is known to be changed on the platform; what was learned is in the state.'
        : 'What was done is on the platform and in the state, and is not done again.',
  ];
  const isUnsure = result.outcomes.some(
    (outcome) => outcome.result === 'unverified' || (outcome.result === 'failed' && outcome.action.steps.length > 0),
  );
  if (isUnsure)
    lines.push('A request that failed may still have had an effect: the next plan reads what the platform has now.');
  lines.push('Next: mend what is named above, see what is left with trueup plan, and go on with trueup apply.');
  return lines;
}
