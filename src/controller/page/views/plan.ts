import { planPage } from '../../../render/html/plan-page.ts';
import { type Markup, markup } from '../../../render/markup.ts';
import { planAddress, runAddress, stackAddress } from '../addresses.ts';
import type { StackRow } from '../../records/shown-stacks.ts';
import { nameOf } from '../stack-state.ts';
import type { Content } from './layout.ts';
import { actForm, commitCode, factList, inWords, moment } from './parts.ts';
import type { PlanRow, Verdict } from '../../records/shown-runs.ts';

/** What became of a plan. */
export type PlanFate = 'waits' | 'approved' | 'refused' | 'runs' | 'applied' | 'superseded' | 'expired' | 'ended';

export function fateOf(plan: PlanRow, { policy }: Pick<StackRow, 'policy'>, now: Date): PlanFate {
  if (plan.appliedAt !== null) return 'applied';
  if (plan.run !== null && plan.run.endedAt === null) return 'runs';
  if (plan.supersededAt !== null) return 'superseded';
  if (plan.verdicts.some(({ approves }) => !approves)) return 'refused';
  if (plan.expiresAt <= now) return 'expired';
  if (policy === 'never') return 'ended';
  return plan.verdicts.length > 0 ? 'approved' : 'waits';
}

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
  approved: { words: 'approved', tone: 'info' },
  refused: { words: 'refused', tone: 'note' },
  runs: { words: 'being applied', tone: 'info' },
  applied: { words: 'applied', tone: 'done' },
  superseded: { words: 'superseded', tone: 'note' },
  expired: { words: 'expired', tone: 'note' },
  ended: { words: 'planned only', tone: 'note' },
};

/** How data at risk is allowed on pages: by the box of `consent`. */
export const consentOfPage = { needed: 'an approval needs the box for data ticked', given: 'allowed by the approval' };

/** The plan as its report shows it, and above it the verdicts and the form for one. */
export function planView(view: PlanView): Content {
  const { plan, stack, now } = view;
  const { document } = plan;
  const report = planPage({ plan: document, consent: consentOfPage });
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
      ['expires', fate === 'waits' || fate === 'approved' ? moment(plan.expiresAt, now) : undefined],
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
  const isOpen = fate === 'waits' || (fate === 'approved' && own?.approves !== false);
  return markup`<section class="judgement" aria-labelledby="verdict"><h2 id="verdict">Verdict</h2>
${fateLine(plan, stack, fate)}${verdictList(plan.verdicts, view.now)}
${!isOpen || mayNot === undefined ? '' : markup`<p class="hint">${mayNot.because}</p>`}${!isOpen || mayNot?.act === 'judge' ? '' : verdictForm(view, own?.approves !== true && mayNot === undefined)}</section>`;
}

function fateLine({ run, supersededAt, appliedAt, expiresAt }: PlanRow, stack: StackRow, fate: PlanFate): Markup {
  const words: Readonly<Record<PlanFate, Markup>> = {
    waits: markup`<p>One approval applies exactly this plan. A new commit takes its place.</p>`,
    approved: markup`<p>The next free worker applies it. Until that begins, a refusal stops it.</p>`,
    refused: markup`<p>It is not applied. A new commit brings a new plan.</p>`,
    runs: markup`<p>It is being applied. <a href="${runAddress(run?.id ?? '')}">Watch run ${run?.id}</a></p>`,
    applied: markup`<p>It was applied${appliedAt === null ? '' : ` at ${inWords(appliedAt)}`}.${run === null ? '' : markup` <a href="${runAddress(run.id)}">See run ${run.id}</a>`}</p>`,
    superseded: markup`<p>It is out of date${supersededAt === null ? '' : ` since ${inWords(supersededAt)}`}. ${successor(stack)}</p>`,
    expired: markup`<p>Nobody approved it until ${inWords(expiresAt)}. <a href="${stackAddress(stack.id)}">See how the stack stands</a></p>`,
    ended: markup`<p>The policy of this stack applies no plan: it is there to read.</p>`,
  };
  return words[fate];
}

function successor({ id, plan, wanted }: StackRow): Markup {
  if (plan !== null) return markup`<a href="${planAddress(plan.digest)}">See the plan that took its place</a>`;
  return markup`The stack wants commit ${commitCode(wanted)} now. <a href="${stackAddress(id)}">See how it stands</a>`;
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
  const isOpen = fate === 'waits' || fate === 'approved';
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
