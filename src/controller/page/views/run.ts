import { isChange } from '../../../render/action-words.ts';
import { driftPage } from '../../../render/html/drift-page.ts';
import { planPage } from '../../../render/html/plan-page.ts';
import { type Markup, markup } from '../../../render/markup.ts';
import { runAddress, stackAddress } from '../addresses.ts';
import type { StackRow } from '../../records/shown-stacks.ts';
import { nameOf } from '../stack-state.ts';
import type { Content } from './layout.ts';
import {
  actForm,
  commitCode,
  endingBadge,
  factList,
  foldedAct,
  moment,
  reasonField,
  tookOf,
  untilWords,
} from './parts.ts';
import type { ActionProgress } from '../../records/progress.ts';
import type { RunDetail } from '../../records/shown-runs.ts';
import { countsOf, progressTree, progressWords, sign, stepsOf } from './progress.ts';
import { type Proposing, readerFor } from '../../page-reader.ts';
import { why } from './runs.ts';

/** The page of a run. */
export interface RunView extends Proposing {
  readonly run: RunDetail;
  readonly stack: StackRow;
  /** Of each action that has begun, as long as the run goes on. */
  readonly progress: readonly ActionProgress[];
  readonly now: Date;
  readonly csrf: string;
  readonly mayStop: boolean;
  /** What the form had before. */
  readonly because?: string | undefined;
}

/** A run while it goes on, and its report afterwards. */
export function runPage(view: RunView): Content {
  const { run, stack, now } = view;
  const isOver = run.endedAt !== null;
  const report = reportOf(view);
  return {
    place: 'stacks',
    subject: markup`Run ${run.id} of <a href="${stackAddress(stack.id)}">${stack.id}</a>`,
    title: `${titles[run.kind] ?? run.kind}: ${nameOf(stack)}`,
    standing: endingBadge(run.ending),
    verdict: report?.verdict ?? (isOver ? endWords(run) : undefined),
    head: markup`${report?.counts}${factList([
      ['commit', commitCode(run.commit)],
      ['why', why(run)],
      ['began', moment(run.beganAt, now)],
      ['took', isOver ? tookOf(run.beganAt, run.endedAt, now) : undefined],
      ['worker', run.worker],
    ])}`,
    contents: report?.contents,
    refreshSeconds: isOver ? undefined : 5,
    main: isOver ? [stopLine(view), ...(report?.main ?? [sameLink(run), outcomeList(run)])] : [live(view)],
  };
}

const titles: Readonly<Record<string, string>> = {
  plan: 'Plan',
  apply: 'Apply',
  drift: 'Drift',
  follow: 'Deployments',
};

/** How a run ended that has no document. The problem of its stack may be that of a later run. */
function endWords({ kind, ending, failure, stoppedBy }: RunDetail): string {
  if (ending === 'lost') return 'Its worker ended before it. Another worker takes it up.';
  if (ending === 'locked') return 'Another run held the state. The stack is done again when that ends.';
  if (ending === 'stopped')
    return stoppedBy === null
      ? 'Its worker stopped before it ended. Another worker takes it up.'
      : 'A person stopped it.';
  if (ending === 'in step' || ending === 'drifted') return 'It found the same as the look before it.';
  if (ending === 'done' && kind === 'follow') return 'No deployment was left to wait for.';
  return failure ?? `It ended as ${ending ?? 'failed'}.`;
}

/** The parts of the report of what a run made; undefined: it made none. */
function reportOf({ run: { document, planned }, stack, mayPropose }: RunView) {
  if (document === null) return undefined;
  const reader = readerFor(stack, { mayPropose });
  if (document.format === 'trueup/plan') return planPage({ plan: document, reader });
  if (document.format === 'trueup/drift') return driftPage(document, reader);
  return planned === null ? undefined : planPage({ plan: planned, result: document, reader });
}

/** The way to the look that found the same. */
function sameLink({ sameAs }: RunDetail): Markup {
  return sameAs === null ? markup`` : markup`<p><a href="${runAddress(sameAs)}">See run ${sameAs}</a></p>`;
}

/** Outcomes without the plan that they are of. */
function outcomeList({ document }: RunDetail): Markup {
  if (document?.format !== 'trueup/result') return markup``;
  const outcomes = document.outcomes.filter(({ action, result }) => isChange({ action }) || result !== 'done');
  if (outcomes.length === 0) return markup``;
  return markup`<section aria-labelledby="outcomes"><h2 id="outcomes">Outcomes</h2><ul class="tree">${outcomes.map(({ address, action, result }) => markup`<li class="${result}">${sign(action)}<code>${address}</code> <span class="result ${result}">${result}</span></li>`)}</ul></section>`;
}

/** What goes on: its script keeps it up to date. */
function live(view: RunView): Markup {
  const { run, progress, now } = view;
  const stages = stepsOf(run)(progress);
  return markup`<section aria-labelledby="progress"><h2 id="progress">Progress</h2>
<p class="live-words" role="status" id="live-words">${progressWords(run, countsOf(stages))}</p>
<div id="live" data-events="${runAddress(run.id)}/events">${progressTree(run, stages, { now })}</div>
${stopLine(view)}${stopForm(view)}</section>`;
}

function stopLine({ run: { stoppedBy, stoppedBecause }, stack: { pausedUntil } }: RunView): Markup {
  if (stoppedBy === null) return markup``;
  const pause = pausedUntil === null ? '' : ` The stack is paused ${untilWords(pausedUntil)}.`;
  return markup`<p class="hint">Stopped by <b>${stoppedBy}</b>: ${stoppedBecause ?? ''}.${pause}</p>`;
}

function stopForm({ run, csrf, mayStop, because = '' }: RunView): Markup {
  if (!mayStop || run.stoppedBy !== null) return markup``;
  const form = markup`${reasonField(because, { hint: 'stop-hint' })}<p class="hint" id="stop-hint">No new request is sent, and what was done is kept. The stack is paused until an operator resumes it.</p><button class="danger">Stop the run</button>`;
  return foldedAct('Stop this run', because, actForm(`${runAddress(run.id)}/stop`, csrf, form));
}
