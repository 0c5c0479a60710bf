import type { ActionName, EventDocument } from '../../../render/document-schemas.ts';
import { actionWords, isChange } from '../../../render/action-words.ts';
import { driftPage } from '../../../render/html/drift-page.ts';
import { type Entry, buildEntries } from '../../../render/html/page-entries.ts';
import { planPage } from '../../../render/html/plan-page.ts';
import { addressBelow } from '../../../kind/address.ts';
import { groupBy } from '../../../kind/group.ts';
import { counted } from '../../../render/lines.ts';
import { type Markup, markup } from '../../../render/markup.ts';
import { runAddress, stackAddress } from '../addresses.ts';
import type { StackRow } from '../../records/shown-stacks.ts';
import { nameOf } from '../stack-state.ts';
import type { Content } from './layout.ts';
import { actForm, commitCode, endingBadge, factList, moment, tookOf } from './parts.ts';
import type { RunDetail } from '../../records/shown-runs.ts';
import { why } from './runs.ts';

/** The last that is known of an action of a run. */
type Progress = Extract<EventDocument, { readonly address: string }>;

/** The page of a run. */
export interface RunView {
  readonly run: RunDetail;
  readonly stack: StackRow;
  /** The last of each action. */
  readonly progress: readonly Progress[];
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
    verdict: report?.verdict ?? (isOver ? endWords(view) : undefined),
    head: markup`${report?.counts}${factList([
      ['commit', commitCode(run.commit)],
      ['why', why(run)],
      ['began', moment(run.beganAt, now)],
      ['took', isOver ? tookOf(run.beganAt, run.endedAt, now) : undefined],
      ['worker', run.worker],
    ])}`,
    contents: report?.contents,
    refreshSeconds: isOver ? undefined : 5,
    main: isOver ? [stopLine(view), ...(report?.main ?? [outcomeList(run)])] : [live(view)],
  };
}

const titles: Readonly<Record<string, string>> = {
  plan: 'Plan',
  apply: 'Apply',
  drift: 'Drift',
  follow: 'Deployments',
};

function endWords({ run: { ending }, stack }: RunView): string {
  if (ending === 'lost') return 'Its worker ended before it. Another worker takes it up.';
  if (ending === 'locked') return 'Another run held the state. The stack is done again when that ends.';
  return stack.problem ?? 'It ended without a document. The stack is done again.';
}

/** The parts of the report of what a run made; undefined: it made none. */
function reportOf({ run: { document, planned }, progress }: RunView) {
  if (document === null) return undefined;
  if (document.format === 'trueup/plan') return planPage({ plan: document });
  if (document.format === 'trueup/drift') return driftPage(document);
  return planned === null ? undefined : planPage({ plan: planned, result: document, events: progress });
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
  const { run } = view;
  return markup`<section aria-labelledby="progress"><h2 id="progress">Progress</h2>
<p class="live-words" role="status" id="live-words">${progressWords(view)}</p>
<div id="live" data-events="${runAddress(run.id)}/events">${progressTree(view)}</div>
${stopLine(view)}${stopForm(view)}</section>`;
}

function stopLine({ run: { stoppedBy, stoppedBecause } }: RunView): Markup {
  if (stoppedBy === null) return markup``;
  return markup`<p class="hint">Stopped by <b>${stoppedBy}</b>: ${stoppedBecause ?? ''}. The stack is paused until somebody resumes it.</p>`;
}

function stopForm({ run, csrf, mayStop, because = '' }: RunView): Markup {
  if (!mayStop || run.stoppedBy !== null) return markup``;
  return markup`<details class="fold"${because === '' ? '' : markup` open`}><summary>Stop this run</summary>${actForm(
    `${runAddress(run.id)}/stop`,
    csrf,
    markup`<p><label for="because">Reason</label><input id="because" name="because" required maxlength="500" value="${because}" aria-describedby="stop-hint"></p><p class="hint" id="stop-hint">No new request is sent, and what was done is kept. The stack is paused until somebody resumes it.</p><button class="danger">Stop the run</button>`,
  )}</details>`;
}

/** An action with the stage that it is in. */
interface Stage {
  readonly entry: Entry;
  readonly last: Progress | undefined;
}

/** What the progress of a run is shown from. */
type Going = Pick<RunView, 'run' | 'progress' | 'now'>;

function stagesOf({ run: { planned }, progress }: Going): Stage[] {
  if (planned === null) return [];
  const last = new Map(progress.map((one) => [keyOf(one), one]));
  return buildEntries(planned, undefined, [])
    .filter((entry) => isChange(entry))
    .map((entry) => ({ entry, last: last.get(keyOf(entry)) }));
}

function keyOf({ address, action }: { readonly address: string; readonly action: ActionName }): string {
  return JSON.stringify([address, action]);
}

const isOverIn = ({ last }: Stage): boolean =>
  last !== undefined && last.event !== 'started' && last.event !== 'waiting';

/** How far a run is, in one sentence. */
export function progressWords(going: Going): string {
  const stages = stagesOf(going);
  if (stages.length === 0) return going.run.kind === 'apply' ? 'It begins.' : 'It reads the platform.';
  if (going.progress.length === 0)
    return `It applies ${counted(stages.length, 'action')}. What became of each shows when it is over.`;
  const failed = stages.filter(({ last }) => last?.event === 'failed').length;
  const running = stages.filter((one) => one.last !== undefined && !isOverIn(one)).length;
  const parts = [
    `${stages.filter(isOverIn).length} of ${counted(stages.length, 'action')} done`,
    ...(running === 0 ? [] : [`${running} running`]),
    ...(failed === 0 ? [] : [`${failed} failed`]),
  ];
  return `${parts.join(', ')}.`;
}

/** The actions by service, each with its stage: what the page shows, and what its script is sent. */
export function progressTree(going: Going): Markup {
  const { run, now } = going;
  const stages = stagesOf(going);
  if (stages.length === 0) return markup`<p class="empty">Began ${moment(run.beganAt, now)}. Nothing to show yet.</p>`;
  const groups = [...groupBy(stages.map((one) => [one.entry.service, one] as const))];
  const done = stages.filter(isOverIn).length;
  const bar =
    going.progress.length === 0
      ? ''
      : markup`<progress max="${stages.length}" value="${done}" aria-label="Actions that are over">${done} of ${stages.length}</progress>`;
  return markup`${bar}<ul class="tree">${groups.map(([service, members]) => markup`<li><h3><code>${service}</code></h3><ul>${members.map((one) => stageRow(one, service))}</ul></li>`)}</ul>`;
}

function stageRow(stage: Stage, service: string): Markup {
  const { entry, last } = stage;
  const { action, address, kind } = entry;
  const name =
    address === service ? (action === 'deploy' ? 'deployment' : kind) : (addressBelow(service, address) ?? address);
  const isRunning = last !== undefined && !isOverIn(stage);
  const tone = last === undefined ? 'waits' : isRunning ? 'info' : last.event;
  return markup`<li class="${tone}">${sign(action)}<span class="step"><code>${name}</code></span><span class="stage">${stageWords(stage)}</span></li>`;
}

function stageWords({ entry, last }: Stage): string {
  const { now, done } = actionWords[entry.action];
  if (last === undefined) return 'to come';
  const seconds = last.seconds === undefined ? '' : ` in ${last.seconds.toFixed(1)} s`;
  const words: Readonly<Record<Progress['event'], string>> = {
    started: `${now}…`,
    waiting: `${now}, waits for the ${waitWords[last.for ?? 'answer']}`,
    done: `${done}${seconds}`,
    failed: `failed${seconds}`,
    unverified: 'not verified',
    skipped: 'skipped',
  };
  return words[last.event];
}

const waitWords: Readonly<Record<NonNullable<Progress['for']>, string>> = {
  queue: 'queue of the platform',
  deployment: 'deployment',
  answer: 'answer',
  earlier: 'deployment before it',
  health: 'health check',
  probe: 'address to answer',
};

function sign(action: ActionName): Markup {
  return markup`<span class="sign ${action}" aria-hidden="true">${actionWords[action].symbol.trim()}</span><span class="hidden">${actionWords[action].sign} </span>`;
}
