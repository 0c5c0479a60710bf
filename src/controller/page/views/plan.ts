import { planPage } from '../../../render/html/plan-page.ts';
import { type Markup, markup } from '../../../render/markup.ts';
import { type PlanStanding, needsApproval, standingOf } from '../../plan-standing.ts';
import { planAddress, runAddress, stackAddress } from '../addresses.ts';
import type { StackRow } from '../../records/shown-stacks.ts';
import { nameOf } from '../stack-state.ts';
import type { Content } from './layout.ts';
import { actForm, commitCode, factList, inWords, moment, problemLines, waveLink } from './parts.ts';
import { readerFor } from '../../page-reader.ts';
import type { PlanRow, Verdict } from '../../records/shown-runs.ts';

/** What became of a plan: how it stands while it is open, or how that ended. `failed`: its run did not do all of it. */
export type PlanFate = PlanStanding | 'runs' | 'applied' | 'failed' | 'superseded' | 'expired';

/** How runs end that did all that a plan says; deployments may go on. */
const doneEndings = ['done', 'deploying'];

export function fateOf(plan: PlanRow, stack: StackRow, now: Date): PlanFate {
  const { run, verdicts } = plan;
  if (run !== null && run.endedAt === null) return 'runs';
  if (plan.appliedAt !== null) return run === null || doneEndings.includes(run.ending ?? '') ? 'applied' : 'failed';
  if (plan.supersededAt !== null) return 'superseded';
  const isRefused = verdicts.some(({ approves }) => !approves);
  if (plan.expiresAt <= now) return isRefused ? 'refused' : 'expired';
  const isApproved = isRefused ? false : verdicts.length > 0 ? true : null;
  const standing = standingOf({ ...plan, isApproved }, stack);
  // An apply by the policy makes the plan again, and names none.
  const isByPolicy = standing === 'next' || standing === 'wave';
  return isByPolicy && stack.run?.kind === 'apply' ? 'runs' : standing;
}

/** Fates of a plan that may still be applied: who may approve it may refuse it. */
const openFates: readonly PlanFate[] = ['waits', 'approved', 'paused', 'wave', 'next'];

/** What a viewer does not do with a plan, and why: give no verdict at all, or not approve it. */
export interface MayNot {
  readonly act: 'judge' | 'approve';
  readonly because: string;
}

/** The page of a plan. */
export interface PlanView {
  readonly plan: PlanRow;
  readonly stack: StackRow;
  readonly now: Date;
  readonly csrf: string;
  /** The viewer's name. */
  readonly who: string;
  /** undefined: the viewer may approve and refuse. */
  readonly mayNot: MayNot | undefined;
  /** What the form had before, when it was not taken or the session had ended. */
  readonly because?: string | undefined;
  /** Why it was not taken. */
  readonly problem?: string | undefined;
}

const fateWords: Readonly<Record<PlanFate, { readonly words: string; readonly tone: string }>> = {
  waits: { words: 'waits for approval', tone: 'change' },
  wave: { words: 'waits for its wave', tone: 'info' },
  paused: { words: 'waits for the end of the pause', tone: 'note' },
  approved: { words: 'approved', tone: 'info' },
  next: { words: 'to be applied', tone: 'info' },
  refused: { words: 'refused', tone: 'note' },
  runs: { words: 'being applied', tone: 'info' },
  applied: { words: 'applied', tone: 'done' },
  failed: { words: 'not applied in full', tone: 'bad' },
  superseded: { words: 'superseded', tone: 'note' },
  outdated: { words: 'out of date', tone: 'note' },
  expired: { words: 'expired', tone: 'note' },
  ended: { words: 'planned only', tone: 'note' },
  gone: { words: 'of a stack that is gone', tone: 'note' },
};

/** The plan as its report shows it, and above it the verdicts and the form for one. */
export function planView(view: PlanView): Content {
  const { plan, stack, now } = view;
  const { document } = plan;
  const report = planPage({ plan: document, reader: readerFor(stack) });
  const fate = fateOf(plan, stack, now);
  const { words, tone } = fateWords[fate];
  return {
    place: 'stacks',
    subject: markup`${plan.cause === 'drift' ? 'Repair of' : 'Plan of'} <a href="${stackAddress(stack.id)}">${stack.id}</a>`,
    title: nameOf(stack),
    standing: markup`<span class="badge ${tone}">${words}</span>`,
    verdict: report.verdict,
    head: markup`${report.counts}${factList([
      ['commit', commitCode(plan.commit)],
      ['made', moment(plan.madeAt, now)],
      ['expires', openFates.includes(fate) ? moment(plan.expiresAt, now) : undefined],
      ['platform', stack.platform],
      ['digest', markup`<code title="${plan.digest}">${plan.digest.slice(0, 12)}</code>`],
    ])}`,
    contents: report.contents,
    main: [judgement(view, fate), ...report.main],
  };
}

/** The verdicts that there are, and the form for one. */
function judgement(view: PlanView, fate: PlanFate): Markup {
  const { plan, stack, who, mayNot } = view;
  const own = plan.verdicts.find((one) => one.who === who);
  const isOpen = openFates.includes(fate) && own?.approves !== false;
  const mayApprove = needsApproval(stack.policy, plan) && own?.approves !== true && mayNot === undefined;
  return markup`<section class="judgement" aria-labelledby="verdict"><h2 id="verdict">Verdict</h2>
${fateLine(plan, stack, fate)}${whyAsked(plan, fate)}${verdictList(plan.verdicts, view.now)}
${!isOpen || mayNot === undefined ? '' : markup`<p class="hint">${mayNot.because}</p>`}${!isOpen || mayNot?.act === 'judge' ? '' : verdictForm(view, mayApprove)}</section>`;
}

/** Why a plan is asked for that takes the place of one which was approved: what of that is done, and what is left. */
function whyAsked({ because }: PlanRow, fate: PlanFate): Markup {
  return fate !== 'waits' || because === null ? markup`` : problemLines(because);
}

function fateLine(plan: PlanRow, stack: StackRow, fate: PlanFate): Markup {
  const { cause, verdicts, supersededAt, appliedAt, expiresAt } = plan;
  const { wave } = stack;
  const run = plan.run ?? stack.run;
  const isApproved = verdicts.length > 0;
  const words: Readonly<Record<PlanFate, Markup>> = {
    waits: markup`<p>One approval applies exactly this plan${heldWords(plan, stack)}. A commit that changes its files takes its place.</p>`,
    wave: markup`<p>${isApproved ? 'It is approved, and is applied' : 'It needs no approval. It is made again, and applied,'} when ${waveLink(wave)} lets this stack in. Until then, a refusal stops it.</p>`,
    paused: markup`<p>The stack is paused. ${isApproved ? 'It is applied' : 'It is made again, and applied,'} when <a href="${stackAddress(stack.id)}">the pause</a> is over. Until then, a refusal stops it.</p>`,
    approved: markup`<p>The next free worker applies it. Until that begins, a refusal stops it.</p>`,
    next: markup`<p>It needs no approval: the next free worker makes it again, and applies it. Until that begins, a refusal stops it.</p>`,
    refused: markup`<p>It is not applied. ${cause === 'drift' ? 'Other drift or a commit that changes its files' : 'A commit that changes its files'} brings a new plan.</p>`,
    runs: markup`<p>It is being applied. <a href="${runAddress(run?.id ?? '')}">Watch run ${run?.id}</a></p>`,
    applied: markup`<p>It was applied${appliedAt === null ? '' : ` at ${inWords(appliedAt)}`}.${run === null ? '' : markup` <a href="${runAddress(run.id)}">See run ${run.id}</a>`}</p>`,
    failed: markup`<p>Its run ended as ${plan.run?.ending ?? 'failed'}. What is left is planned again. <a href="${runAddress(run?.id ?? '')}">See run ${run?.id}</a></p>`,
    superseded: markup`<p>It is out of date${supersededAt === null ? '' : ` since ${inWords(supersededAt)}`}. ${successor(stack)}</p>`,
    outdated: markup`<p>It is not applied. ${successor({ ...stack, plan: null })}</p>`,
    expired: markup`<p>${isApproved ? 'It was approved, and not applied' : needsApproval(stack.policy, plan) ? 'No approver approved it' : 'It was not applied'} until ${inWords(expiresAt)}. <a href="${stackAddress(stack.id)}">See how the stack stands</a></p>`,
    ended: markup`<p>The policy of this stack applies no plan: it is there to read.</p>`,
    gone: markup`<p>It is not applied: <a href="${stackAddress(stack.id)}">the file of the stack</a> is not in the source any more.</p>`,
  };
  return words[fate];
}

/** What an approved plan waits for after its approval. */
function heldWords({ cause }: PlanRow, { pausedUntil, wave }: StackRow): Markup {
  if (pausedUntil !== null) return markup`, after the pause of the stack`;
  return cause === 'commit' && wave !== null ? markup`, when ${waveLink(wave)} lets this stack in` : markup``;
}

function successor({ id, plan, wanted, applied }: StackRow): Markup {
  if (plan !== null) return markup`<a href="${planAddress(plan.digest)}">See the plan that took its place</a>`;
  const is = wanted === applied ? 'is in step with' : 'wants';
  return markup`The stack ${is} commit ${commitCode(wanted)} now. <a href="${stackAddress(id)}">See how it stands</a>`;
}

function verdictList(verdicts: readonly Verdict[], now: Date): Markup {
  if (verdicts.length === 0) return markup``;
  return markup`<ul class="told">${verdicts.map(
    ({ who, role, approves, because, at }) =>
      markup`<li class="${approves ? 'done' : 'bad'}"><p><b>${who}</b> <span class="quiet">(${role})</span> ${approves ? 'approved' : 'refused'} ${moment(at, now)}</p>${because === '' ? '' : markup`<p class="quiet">${because}</p>`}</li>`,
  )}</ul>`;
}

function verdictForm({ plan, csrf, because, problem }: PlanView, mayApprove: boolean): Markup {
  const losses = mayApprove ? lossesOf(plan) : [];
  const alert = problem === undefined ? '' : markup`<p class="problem" id="tried" role="alert">${problem}</p>`;
  return actForm(
    `${planAddress(plan.digest)}/verdict`,
    csrf,
    markup`${alert}${consent(losses)}<p><label for="because">Reason <span class="quiet">(needed to refuse${losses.length === 0 ? '' : ', and to delete data'})</span></label><textarea id="because" name="because" rows="2" maxlength="2000"${problem === undefined ? '' : markup` aria-describedby="tried"`}>${because}</textarea></p>
<p class="buttons">${mayApprove ? markup`<button class="main" name="verdict" value="approve">Approve and apply</button>` : ''}<button name="verdict" value="refuse">Refuse</button></p>`,
  );
}

/** The checkbox that names what is deleted. */
function consent(losses: readonly Loss[]): Markup {
  if (losses.length === 0) return markup``;
  return markup`<div class="consent bad"><label><input type="checkbox" name="dataLoss" value="yes"> <span>I agree that this deletes data:</span></label><ul>${losses.map(({ address, words }) => markup`<li><code>${address}</code> ${words}</li>`)}</ul></div>`;
}

/** Data that a plan puts at risk, with what happens to it. */
interface Loss {
  readonly address: string;
  readonly words: string;
}

/** What a plan needs consent for, in its order, with what happens to each. */
function lossesOf({ losing, document }: PlanRow): Loss[] {
  return losing.map((address) => {
    const action = document.actions.find((one) => one.address === address && one.dataAtRisk !== undefined);
    return { address, words: action?.dataAtRisk ?? 'is deleted' };
  });
}

/** What a verdict that was not taken met, in the words of what happened in between. */
export function tooLatePage(view: {
  readonly plan: PlanRow;
  readonly stack: StackRow;
  readonly now: Date;
  readonly who: string;
  readonly approves: boolean;
  readonly because: string;
}): Content {
  const { plan, stack, now, who, approves, because } = view;
  const fate = fateOf(plan, stack, now);
  const own = plan.verdicts.find((one) => one.who === who);
  const refusals = plan.verdicts.filter((one) => !one.approves && one.who !== who);
  const isOpen = openFates.includes(fate);
  const reason =
    fate === 'refused' && refusals.length > 0
      ? markup`<p>In between it was refused.</p>`
      : isOpen && own !== undefined
        ? markup`<p>You had given your verdict before.</p>`
        : fateLine(plan, stack, fate);
  return {
    place: 'stacks',
    subject: markup`Plan of <a href="${stackAddress(stack.id)}">${stack.id}</a>`,
    title: `Your ${approves ? 'approval' : 'refusal'} came too late`,
    standing: markup`<span class="badge ${fateWords[fate].tone}">${fateWords[fate].words}</span>`,
    verdict: 'Nothing was noted, and nothing was sent.',
    main: markup`<section aria-labelledby="between"><h2 id="between">What happened in between</h2>${reason}${verdictList(plan.verdicts, now)}</section>
<section aria-labelledby="wrote"><h2 id="wrote">What you wrote</h2>${because === '' ? markup`<p class="empty">No reason.</p>` : markup`<blockquote class="wrote">${because}</blockquote>`}<p><a class="button" href="${planAddress(plan.digest)}">Back to the plan</a></p></section>`,
  };
}
