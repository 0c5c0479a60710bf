import { addressBelow } from '../../../kind/address.ts';
import { groupBy } from '../../../kind/group.ts';
import { actionWords, isChange, isRemoval } from '../../../render/action-words.ts';
import type { ActionName } from '../../../render/document-schemas.ts';
import { duration } from '../../../render/duration.ts';
import { type Entry, buildEntries } from '../../../render/html/page-entries.ts';
import { counted } from '../../../render/fold-lines.ts';
import { type Markup, markup } from '../../../render/markup.ts';
import { type ActionProgress, isRunning } from '../../records/progress.ts';
import type { RunDetail } from '../../records/shown-runs.ts';
import { moment } from './parts.ts';

/** How far a run is, action by action: what its page shows, and what its script is sent. */

/** An action with the stage that it is in. */
export interface Stage {
  readonly entry: Pick<Entry, 'address' | 'action' | 'service' | 'kind'>;
  /** undefined: it has not begun. */
  readonly last: ActionProgress | undefined;
}

/** The actions that a run may show, by what is known before it begins. */
export type Steps = (progress: readonly ActionProgress[]) => Stage[];

/** Reads the plan of a run once. */
export function stepsOf({ planned }: Pick<RunDetail, 'planned'>): Steps {
  // Deployments that an earlier run began have no plan that is kept; the address of each is that of its service.
  if (planned === null)
    return (progress) =>
      progress.map((one) => ({ entry: { ...one, service: one.address, kind: one.action }, last: one }));
  const entries = buildEntries(planned, undefined, [])
    .filter(isChange)
    .map((entry) => ({ entry, key: keyOf(entry), isSent: sendsRequests(entry) }));
  return (progress) => {
    const last = new Map(progress.map((one) => [keyOf(one), one]));
    return entries
      .filter(({ key, isSent }) => isSent || last.has(key))
      .map(({ entry, key }) => ({ entry, last: last.get(key) }));
  };
}

/** Returns false for an action that is done in the state alone: an apply tells of it only where it goes wrong. */
function sendsRequests(entry: Entry): boolean {
  return entry.requests > 0 || isRemoval(entry);
}

function keyOf({ address, action }: { readonly address: string; readonly action: ActionName }): string {
  return JSON.stringify([address, action]);
}

/** How many actions of a run are over, run and failed. */
export interface Counts {
  readonly all: number;
  readonly over: number;
  readonly running: number;
  readonly failed: number;
}

export function countsOf(stages: readonly Stage[]): Counts {
  let [over, running, failed] = [0, 0, 0];
  for (const { last } of stages) {
    if (last === undefined) continue;
    if (isRunning(last)) running += 1;
    else over += 1;
    if (last.event === 'failed') failed += 1;
  }
  return { all: stages.length, over, running, failed };
}

/** How far a run is, in one sentence. */
export function progressWords({ kind }: Pick<RunDetail, 'kind'>, { all, over, running, failed }: Counts): string {
  if (all === 0) return kind === 'apply' ? 'It begins.' : 'It reads the platform.';
  const parts = [
    `${over} of ${counted(all, 'action')} done`,
    ...(running === 0 ? [] : [`${running} running`]),
    ...(failed === 0 ? [] : [`${failed} failed`]),
  ];
  return `${parts.join(', ')}.`;
}

/** The actions by service, each with its stage; `rows`: what `stageRow` made of them. */
export function progressTree(
  { beganAt }: Pick<RunDetail, 'beganAt'>,
  stages: readonly Stage[],
  { now, rows = stages.map(stageRow) }: { readonly now: Date; readonly rows?: readonly Markup[] },
): Markup {
  if (stages.length === 0) return markup`<p class="empty">Began ${moment(beganAt, now)}. Nothing to show yet.</p>`;
  const groups = [...groupBy(stages.map((one, at) => [one.entry.service, rows[at] ?? markup``] as const))];
  const { all, over } = countsOf(stages);
  const bar = markup`<progress max="${all}" value="${over}" aria-label="Actions that are over">${over} of ${all}</progress>`;
  return markup`${bar}<ul class="tree">${groups.map(([service, members]) => markup`<li><h3><code>${service}</code></h3><ul>${members}</ul></li>`)}</ul>`;
}

/** One action; its fragment is its place among the stages. */
export function stageRow(stage: Stage, at: number): Markup {
  const { entry, last } = stage;
  const { action, address, kind, service } = entry;
  const name =
    address === service ? (action === 'deploy' ? 'deployment' : kind) : (addressBelow(service, address) ?? address);
  const tone = last === undefined ? 'waits' : isRunning(last) ? 'info' : last.event;
  return markup`<li id="${stageId(at)}" class="${tone}">${sign(action)}<span class="step"><code>${name}</code></span><span class="stage">${stageWords(stage)}</span></li>`;
}

export const stageId = (at: number): string => `p${at + 1}`;

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

/** The sign of an action, and its name for who hears the page. */
export function sign(action: ActionName): Markup {
  return markup`<span class="sign ${action}" aria-hidden="true">${actionWords[action].symbol.trim()}</span><span class="hidden">${actionWords[action].sign} </span>`;
}
