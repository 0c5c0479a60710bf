import type { Page } from '../../../render/html/shell.ts';
import { type Markup, markup } from '../../../render/markup.ts';
import { isPlainAddress } from '../../../render/plain-address.ts';
import { type PlanStanding, standingOf } from '../../plan-standing.ts';
import { planAddress, runAddress, stackAddress } from '../addresses.ts';
import type { FormerPlan, StackRow, WaitingPlan } from '../../records/shown-stacks.ts';
import { onlyOptions, onlyText, unservedProblem } from '../../site.ts';
import { type StackState, nameOf, stateOf, stateWords } from '../stack-state.ts';
import type { Content } from './layout.ts';
import {
  actForm,
  badge,
  commitCode,
  emptyState,
  factList,
  foldedAct,
  labelTags,
  moment,
  problemLines,
  reasonField,
  soon,
  summarySigns,
  untilWords,
  waveLink,
} from './parts.ts';
import type { RunRow } from '../../records/shown-runs.ts';
import { runTable } from './runs.ts';

/** The page of a stack. */
export interface StackView {
  readonly stack: StackRow;
  /** The last plan, where it is one of a commit that the stack wants no more. */
  readonly former?: FormerPlan | undefined;
  readonly runs: readonly RunRow[];
  readonly now: Date;
  readonly csrf: string;
  readonly mayOperate: boolean;
  /** Of a preview: the page of its pull request; undefined: its forge is not known. */
  readonly pullPage?: string | undefined;
  /** What the form had before the session ended. */
  readonly because?: string | undefined;
}

/** How a stack stands, what may be done with it, and its last runs. */
export function stackPage(view: StackView): Content {
  const { stack, runs, now } = view;
  const state = stateOf(stack);
  const isMore = runs.length > runsShown;
  return {
    place: 'stacks',
    ...headOf(stack, 'Stack'),
    standing: badge(state),
    head: markup`${factsOf(view)}${labelTags(stack.labels)}`,
    main: [
      markup`<section aria-labelledby="now"><h2 id="now" class="hidden">Now</h2>${standing(view, state)}</section>`,
      view.mayOperate ? controls(view) : markup``,
      markup`<section aria-labelledby="runs"><div class="section-head"><h2 id="runs">Last runs</h2><ul class="links"><li><a href="${stackAddress(stack.id)}/drift">Last look at drift</a></li><li><a href="${stackAddress(stack.id)}/history">All of its history</a></li></ul></div>${
        runs.length === 0
          ? markup`<p class="empty">Nothing ran yet. The first plan is made as soon as a worker is free.</p>`
          : runTable(runs.slice(0, runsShown), now)
      }${isMore ? markup`<p class="more"><a href="${stackAddress(stack.id)}/history">Earlier runs</a></p>` : ''}</section>`,
    ],
  };
}

/** Runs on the page of a stack. */
export const runsShown = 12;

/** The title of a page about a stack. */
export function headOf(stack: StackRow, subject: string): Pick<Content, 'title' | 'subject'> {
  return { subject: markup`${subject} <span class="of">${stack.id}</span>`, title: nameOf(stack) };
}

function factsOf({ stack, now, pullPage }: StackView): Markup {
  const { wanted, applied, source, path, platform, pull, addresses, lastsUntil } = stack;
  const number = pull === null ? undefined : `#${pull}`;
  return factList([
    ['source', source],
    ['file', markup`<code>${path}</code>`],
    ['pull request', pullPage === undefined ? number : markup`<a href="${pullPage}">${number ?? ''}</a>`],
    ...addresses.map(
      ({ name, value }) => [name, isPlainAddress(value) ? markup`<a href="${value}">${value}</a>` : value] as const,
    ),
    ['stays until', lastsUntil === null ? undefined : moment(lastsUntil, now)],
    ['platform', platform],
    ['workers', onlyText(stack.only) === '' ? undefined : markup`with <code>${onlyOptions(stack.only)}</code>`],
    ['policy', policyWords[stack.policy]],
    ['commit', commitCode(wanted)],
    ['applied', wanted === applied ? 'the same commit' : commitCode(applied)],
    ['looked at', moment(stack.lookedAt, now)],
    // One that is paused stays due: it is looked at when the pause is over.
    ['next look', stack.isGone || stack.pausedUntil !== null ? undefined : moment(stack.nextLookAt, now)],
  ]);
}

const policyWords: Readonly<Record<StackRow['policy'], string>> = {
  automatic: 'applies by itself',
  approval: 'applies after approval',
  never: 'never applies',
};

/** Its state in a sentence, and the way to what it asks for. */
function standing(view: StackView, state: StackState): Markup {
  const { stack, former, now } = view;
  const { plan, run, problem, refused } = stack;
  const lines = [
    ...(stack.pausedUntil === null
      ? []
      : [
          markup`<p>Paused by <b>${stack.pausedBy ?? 'an operator'}</b> ${untilWords(stack.pausedUntil)}: ${stack.pausedBecause ?? ''}</p>`,
        ]),
    ...(run === null
      ? []
      : [
          markup`<p>A run of kind ${run.kind} began ${moment(run.beganAt, now)}. <a href="${runAddress(run.id)}">Watch run ${run.id}</a></p>`,
        ]),
    ...(problem === null ? [] : [problemLines(problem)]),
    ...(stack.isServed || stack.isGone ? [] : [problemLines(unservedProblem(stack.only))]),
    ...(plan === null ? [] : [planLine(stack, now)]),
  ];
  const words = lines.length === 0 ? markup`<p>${quietWords(stack, state)}</p>` : markup`${lines}`;
  const last = plan !== null || former === undefined ? markup`` : formerLine(former, now);
  return markup`<div class="standing ${stateWords[state].tone}">${words}${last}${refused === null ? '' : refusedLines(refused, now)}</div>`;
}

function refusedLines({ commit, problem, againAt }: NonNullable<StackRow['refused']>, now: Date): Markup {
  return markup`<p>Its forge refused what it was told of commit ${commitCode(commit)}, and is told it again ${soon(new Date(againAt), now)}.</p>${problemLines(problem)}`;
}

function planLine(stack: StackRow, now: Date): Markup {
  const { plan } = stack;
  if (plan === null) return markup``;
  const standing = standingOf(plan, stack);
  const isOfCommit = standing === 'outdated' ? 'A plan for another commit' : 'A plan for its commit';
  const what = plan.cause === 'drift' ? 'A repair of what drifted' : isOfCommit;
  const why = standing === 'waits' && plan.because !== null ? problemLines(plan.because) : '';
  return markup`<p>${what} ${planWords(stack, standing)} ${summarySigns(plan.summary)} <span class="quiet">made ${moment(plan.madeAt, now)}</span></p>${why}<p>${planButton(plan, standing, ['Review the plan', 'Read the plan'])}</p>`;
}

function planWords({ plan, wave }: StackRow, standing: PlanStanding): Markup {
  const isApproved = plan?.isApproved === true;
  const words: Readonly<Record<PlanStanding, Markup>> = {
    gone: markup`is not applied: its file is not in the source any more.`,
    outdated: markup`is not applied: the next free worker plans the commit that the stack wants now.`,
    refused: markup`was refused. A commit that changes its files brings a new plan.`,
    ended: markup`is there to read. The policy of this stack applies none.`,
    waits: markup`waits for approval.`,
    paused: isApproved
      ? markup`is approved, and is applied when the pause is over.`
      : markup`is made again, and applied, when the pause is over.`,
    wave: markup`${isApproved ? 'is approved, and waits for' : 'waits for'} ${waveLink(wave)}.`,
    approved: markup`is approved, and is applied by the next free worker.`,
    next: markup`is made again, and applied, by the next free worker.`,
  };
  return words[standing];
}

/** The way to a plan, which is the first thing to do where it waits for an approval. */
function planButton(
  { digest }: Pick<WaitingPlan, 'digest'>,
  standing: PlanStanding,
  [review, read]: readonly [string, string],
): Markup {
  const isAsked = standing === 'waits';
  return markup`<a class="button${isAsked ? ' main' : ''}" href="${planAddress(digest)}">${isAsked ? review : read}</a>`;
}

/** Why a preview is to be removed, or is. */
function endWords(ends: StackRow['ends']): string {
  if (ends === 'over') return 'Its time is over.';
  return 'Its pull request is closed, or gets no preview any more.';
}

function formerLine({ digest, commit, madeAt, summary }: FormerPlan, now: Date): Markup {
  return markup`<p>The last plan is of commit ${commitCode(commit)}, and a newer one came before it could be applied. ${summarySigns(summary)} <span class="quiet">made ${moment(madeAt, now)}</span> <a href="${planAddress(digest)}">Read the plan</a></p>`;
}

function quietWords({ wanted, isGone, pull, ends }: StackRow, state: StackState): string {
  if (pull !== null && isGone) return `${endWords(ends)} All that the preview had is removed.`;
  if (pull !== null && ends !== null) return `${endWords(ends)} The next free worker removes the preview.`;
  if (isGone) return 'Its file is not in the source any more. What it applied stays on the platform.';
  if (state === 'in step') return 'The platform is as the commit wants it.';
  return wanted === null ? 'Its source has no commit yet.' : 'The next free worker plans the new commit.';
}

/** What an operator can do. */
function controls({ stack, csrf, now, because = '' }: StackView): Markup {
  if (stack.isGone) return markup``;
  const address = stackAddress(stack.id);
  const isPaused = stack.pausedUntil !== null;
  const latest = new Date(now.getTime() + 90 * 86_400_000);
  return markup`<section class="controls" aria-labelledby="do"><h2 id="do" class="hidden">What you can do</h2>
${isPaused ? '' : actForm(`${address}/run`, csrf, markup`<button>Run now</button>`)}
${foldedAct(
  isPaused ? 'Resume or change the pause' : 'Pause',
  because,
  markup`
${actForm(
  `${address}/pause`,
  csrf,
  markup`${reasonField(because, { hint: 'pause-hint' })}
<p><label for="for">For</label><select id="for" name="for"><option value="1">1 hour</option><option value="4" selected>4 hours</option><option value="24">1 day</option><option value="168">1 week</option><option value="until">until a moment</option></select></p>
<p><label for="until">Until <span class="quiet">(UTC, only for “until a moment”)</span></label><input id="until" name="until" type="datetime-local" min="${now.toISOString().slice(0, 16)}" max="${latest.toISOString().slice(0, 16)}"></p>
<p class="hint" id="pause-hint">Nothing is planned or applied while the pause lasts. What runs now goes on.</p>
<button>${isPaused ? 'Change the pause' : 'Pause'}</button>`,
)}${isPaused ? actForm(`${address}/resume`, csrf, markup`<p><label for="resume-because">Reason to resume</label><input id="resume-because" name="because" required maxlength="500"></p><button>Resume now</button>`) : ''}`,
)}</section>`;
}

/** What the last look at drift found, as its report shows it. */
export function foundPage(
  stack: StackRow,
  report: Page,
  {
    at,
    run,
    now,
    proposal,
  }: { readonly at: Date; readonly run: string; readonly now: Date; readonly proposal: Markup },
): Content {
  const { plan } = stack;
  const repair =
    plan?.cause === 'drift'
      ? markup`<p>${planButton(plan, standingOf(plan, stack), ['Review the repair', 'Read the repair'])}</p>`
      : markup``;
  return {
    place: 'stacks',
    ...headOf(stack, 'Drift'),
    standing: badge(stateOf(stack)),
    verdict: report.verdict,
    head: markup`${report.counts}${factList([
      ['looked at', moment(at, now)],
      ['run', markup`<a href="${runAddress(run)}">${run}</a>`],
    ])}${backTo(stack)}`,
    contents: report.contents,
    main: [repair, proposal, ...report.main],
  };
}

/** Of a stack whose platform was not compared yet. */
export function noDriftPage(stack: StackRow): Content {
  return {
    place: 'stacks',
    ...headOf(stack, 'Drift'),
    head: backTo(stack),
    main: emptyState(
      'Not looked at yet',
      markup`<p>The platform is compared with the last apply once one has brought it to a commit. The next look comes by itself.</p>`,
    ),
  };
}

/** The way back to the page of a stack. */
export function backTo(stack: StackRow): Markup {
  return markup`<p class="back"><a href="${stackAddress(stack.id)}">Back to the stack</a></p>`;
}
