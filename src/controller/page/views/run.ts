import type { ActionName } from '../../../render/document-schemas.ts';
import { actionWords, isChange, isRemoval } from '../../../render/action-words.ts';
import { driftPage } from '../../../render/html/drift-page.ts';
import { type Entry, buildEntries } from '../../../render/html/page-entries.ts';
import { planPage } from '../../../render/html/plan-page.ts';
import { addressBelow } from '../../../kind/address.ts';
import { groupBy } from '../../../kind/group.ts';
import { duration } from '../../../render/duration.ts';
import { counted } from '../../../render/lines.ts';
import { type Markup, markup } from '../../../render/markup.ts';
import { runAddress, stackAddress } from '../addresses.ts';
import type { StackRow } from '../../records/shown-stacks.ts';
import { nameOf } from '../stack-state.ts';
import type { Content } from './layout.ts';
import { actForm, commitCode, endingBadge, factList, moment, tookOf } from './parts.ts';
import { type ActionProgress, isRunning } from '../../records/progress.ts';
import type { RunDetail } from '../../records/shown-runs.ts';
import { readerFor } from './reader.ts';
import { why } from './runs.ts';

/** The page of a run. */
export interface RunView {
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
function reportOf({ run: { document, planned }, stack }: RunView) {
  if (document === null) return undefined;
  const reader = readerFor(stack);
  if (document.format === 'trueup/plan') return planPage({ plan: document, reader });
  if (document.format === 'trueup/drift') return driftPage(document, reader);
  return planned === null ? undefined : planPage({ plan: planned, result: document, reader });
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
  readonly entry: Pick<Entry, 'address' | 'action' | 'service' | 'kind'>;
  readonly last: ActionProgress | undefined;
}

/** What the progress of a run is shown from. */
type Going = Pick<RunView, 'run' | 'progress' | 'now'>;

function stagesOf({ run: { planned }, progress }: Going): Stage[] {
  // Deployments that an earlier run began have no plan that is kept; the address of each is that of its service.
  if (planned === null)
    return progress.map((one) => ({ entry: { ...one, service: one.address, kind: one.action }, last: one }));
  const last = new Map(progress.map((one) => [keyOf(one), one]));
  return buildEntries(planned, undefined, [])
    .map((entry) => ({ entry, last: last.get(keyOf(entry)) }))
    .filter(({ entry, last: known }) => isChange(entry) && (known !== undefined || sendsRequests(entry)));
}

/** Returns false for an action that is done in the state alone: an apply tells of it only where it goes wrong. */
function sendsRequests(entry: Entry): boolean {
  return entry.requests > 0 || isRemoval(entry);
}

function keyOf({ address, action }: { readonly address: string; readonly action: ActionName }): string {
  return JSON.stringify([address, action]);
}

const isOverIn = ({ last }: Stage): boolean => last !== undefined && !isRunning(last);

/** How far a run is, in one sentence. */
export function progressWords(going: Going): string {
  const stages = stagesOf(going);
  if (stages.length === 0) return going.run.kind === 'apply' ? 'It begins.' : 'It reads the platform.';
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
  const bar = markup`<progress max="${stages.length}" value="${done}" aria-label="Actions that are over">${done} of ${stages.length}</progress>`;
  return markup`${bar}<ul class="tree">${groups.map(([service, members]) => markup`<li><h3><code>${service}</code></h3><ul>${members.map((one) => stageRow(one, service))}</ul></li>`)}</ul>`;
}

function stageRow(stage: Stage, service: string): Markup {
  const { entry, last } = stage;
  const { action, address, kind } = entry;
  const name =
    address === service ? (action === 'deploy' ? 'deployment' : kind) : (addressBelow(service, address) ?? address);
  const tone = last === undefined ? 'waits' : isRunning(last) ? 'info' : last.event;
  return markup`<li class="${tone}">${sign(action)}<span class="step"><code>${name}</code></span><span class="stage">${stageWords(stage)}</span></li>`;
}

function stageWords({ entry, last }: Stage): string {
  const { now, done } = actionWords[entry.action];
  if (last === undefined) return 'to come';
  const { seconds } = last;
  const took = seconds === undefined ? '' : ` in ${seconds.toFixed(1)} s`;
  const sofar = seconds === undefined ? '' : ` for ${duration(seconds * 1_000)}`;
  const words: Readonly<Record<ActionProgress['event'], string>> = {
    started: `${now}${sofar}…`,
    waiting: `${now}${sofar}, waits for the ${waitWords[last.for ?? 'answer']}`,
    // An apply leaves the deployments that nothing waits for to a run that follows them.
    done: last.for === 'queue' ? 'queued on the platform' : `${done}${took}`,
    failed: `failed${took}`,
    unverified: 'not verified',
    skipped: 'skipped',
  };
  return words[last.event];
}

const waitWords: Readonly<Record<NonNullable<ActionProgress['for']>, string>> = {
  queue: 'queue of the platform',
  deployment: 'deployment',
  answer: 'answer',
  earlier: 'deployment that began before',
  health: 'health check',
  probe: 'address to answer',
};

function sign(action: ActionName): Markup {
  return markup`<span class="sign ${action}" aria-hidden="true">${actionWords[action].symbol.trim()}</span><span class="hidden">${actionWords[action].sign} </span>`;
}
