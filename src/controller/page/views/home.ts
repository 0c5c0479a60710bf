import { counted } from '../../../render/fold-lines.ts';
import { type Markup, markup } from '../../../render/markup.ts';
import { planAddress, runAddress, stackAddress, waveAddress, withQuery } from '../addresses.ts';
import { type StackFilter, type StackPage, stacksPerPage } from '../stack-list.ts';
import type { StackGlance, StackRow } from '../../records/shown-stacks.ts';
import { unservedProblem } from '../../site.ts';
import { type StackState, stackStates, stateOf, stateWords } from '../stack-state.ts';
import type { Content } from './layout.ts';
import { badge, cell, commitCode, emptyState, labelTags, moment, nextLink, stackLink, summarySigns } from './parts.ts';

/** The first page. */
export interface Home {
  readonly now: Date;
  readonly page: StackPage<StackRow>;
  /** What needs a person: what shows of it, and the rest. */
  readonly urgent: { readonly shown: readonly StackRow[]; readonly rest: readonly StackGlance[] };
  readonly filter: StackFilter;
  /** The labels of all stacks, for the filter: `key=value`. */
  readonly labels: readonly string[];
  /** What is wrong beside the stacks, such as a source that is not polled any more. */
  readonly alarms: readonly { readonly words: string; readonly address: string; readonly link: string }[];
}

/** Entries of what needs you that show at once. */
export const maxShown = 9;

/** What needs you first, then all stacks. */
export function homePage(home: Home): Content {
  const { page, filter } = home;
  const isNarrowed = filter.text !== '' || filter.label !== '' || filter.state !== '' || page.before > 0;
  if (page.counts.size === 0) return { place: 'stacks', title: 'Stacks', main: [...alarmList(home), firstSteps] };
  return {
    place: 'stacks',
    title: 'Stacks',
    verdict: summaryOf(page),
    head: stateLinks(page, filter),
    main: [...(isNarrowed ? [] : [...alarmList(home), ...needsList(home)]), stackSection(home)],
  };
}

/** What needs you, in one sentence. */
function summaryOf({ counts, all }: StackPage<StackRow>): string {
  const of = (state: StackState) => counts.get(state) ?? 0;
  const parts = [
    ...(of('failed') === 0 ? [] : [`${counted(of('failed'), 'stack')} failed`]),
    ...(of('no worker') === 0
      ? []
      : [`${counted(of('no worker'), 'stack')} ${of('no worker') === 1 ? 'has' : 'have'} no worker`]),
    ...(of('approval') === 0
      ? []
      : [of('approval') === 1 ? '1 plan waits for approval' : `${of('approval')} plans wait for approval`]),
    ...(of('drifted') === 0 ? [] : [`${counted(of('drifted'), 'stack')} drifted`]),
  ];
  if (parts.length > 0) return `${parts.join(', ')}.`;
  const moving = of('running') + of('approved') + of('wave') + of('behind');
  if (moving > 0) return `Nothing needs you. ${counted(moving, 'stack')} ${moving === 1 ? 'is' : 'are'} on the way.`;
  return of('in step') === all ? 'Nothing needs you. Every stack is in step.' : 'Nothing needs you.';
}

/** The states with their numbers; each leads to its stacks. */
function stateLinks({ counts, all }: StackPage<StackRow>, filter: StackFilter): Markup {
  const shown = stackStates.filter((state) => (counts.get(state) ?? 0) > 0 || state === filter.state);
  const link = (state: StackState | '', words: string, count: number, tone: string) =>
    markup`<li><a class="${tone}" href="${withQuery('/', { ...filter, state })}"${state === filter.state ? markup` aria-current="true"` : ''}><b>${count}</b> ${words}</a></li>`;
  return markup`<ul class="states" aria-label="Stacks by state">${[
    link('', 'all', all, 'plain-tone'),
    ...shown.map((state) => link(state, stateWords[state].words, counts.get(state) ?? 0, stateWords[state].tone)),
  ]}</ul>`;
}

function alarmList({ alarms }: Home): Markup[] {
  if (alarms.length === 0) return [];
  return [
    markup`<section aria-labelledby="alarms"><h2 id="alarms" class="hidden">Alarms</h2><ul class="alarms">${alarms.map(({ words, address, link }) => markup`<li class="bad"><p>${words}</p><a href="${address}">${link}</a></li>`)}</ul></section>`,
  ];
}

function needsList({ urgent: { shown, rest }, now }: Home): Markup[] {
  if (shown.length === 0) return [];
  const hidden = new Map<StackState, number>();
  for (const state of rest.map(stateOf)) hidden.set(state, (hidden.get(state) ?? 0) + 1);
  return [
    markup`<section aria-labelledby="needs"><h2 id="needs">Needs you</h2><ul class="cards">
${shown.map((stack) => card(stack, stateOf(stack), now))}
</ul>${rest.length === 0 ? '' : markup`<p class="more">And ${[...hidden].map(([state, count], at) => markup`${at === 0 ? '' : ', '}<a href="${withQuery('/', { state })}">${count} ${at === 0 ? 'more ' : ''}${stateWords[state].words}</a>`)}.</p>`}</section>`,
  ];
}

function card(stack: StackRow, state: StackState, now: Date): Markup {
  const { plan, problem } = stack;
  const trouble = state === 'no worker' ? unservedProblem(stack.only) : problem;
  const words =
    state === 'failed' || state === 'no worker'
      ? markup`<p class="problem">${firstLine(trouble ?? '')}</p>`
      : markup`<p class="what">${plan === null ? '' : summarySigns(plan.summary)} <span>planned ${moment(plan?.madeAt ?? null, now)}</span></p>`;
  const link =
    plan === null || state === 'failed' || state === 'no worker'
      ? markup`<a href="${stackAddress(stack.id)}">${state === 'failed' ? 'See what failed' : 'See how to start one'}<span class="hidden"> ${state === 'failed' ? 'in' : 'for'} ${stack.id}</span></a>`
      : markup`<a href="${planAddress(plan.digest)}">${state === 'drifted' ? 'Review the repair' : 'Review the plan'}<span class="hidden"> of ${stack.id}</span></a>`;
  return markup`<li class="card ${stateWords[state].tone}"><div><h3>${stackLink(stack)}</h3>${badge(state)}</div><p class="where">${stack.source} on ${stack.platform}</p>${words}<p class="go">${link}</p></li>`;
}

function firstLine(text: string): string {
  const [line = ''] = text.split('\n', 1);
  return line.length > 220 ? `${line.slice(0, 219)}…` : line;
}

function stackSection({ page, filter, labels, now }: Home): Markup {
  const { rows, found, before, next } = page;
  const range =
    found === rows.length ? counted(found, 'stack') : `${before + 1} to ${before + rows.length} of ${found} stacks`;
  return markup`<section aria-labelledby="all"><div class="section-head"><h2 id="all">${filter.state === '' ? 'All stacks' : `Stacks: ${stateWords[filter.state].words}`}</h2><p class="quiet">${found === 0 ? 'none found' : range}</p></div>
${filterForm(filter, labels)}
${rows.length === 0 ? markup`<p class="empty">No stack matches. <a href="/">Show all stacks</a></p>` : stackTable(rows, now)}
${nextLink(next === undefined ? undefined : withQuery('/', { ...filter, after: next }), `Next ${stacksPerPage}`)}
${before > 0 ? markup`<p class="pager"><a href="${withQuery('/', { ...filter })}">Back to the first</a></p>` : ''}</section>`;
}

function filterForm({ text, label, state }: StackFilter, labels: readonly string[]): Markup {
  const choices = label !== '' && !labels.includes(label) ? [label, ...labels] : labels;
  return markup`<form class="find" method="get" action="/" role="search" aria-label="Find stacks">
<div class="wide"><label for="text">Find</label><input id="text" name="text" type="search" value="${text}" autocomplete="off" spellcheck="false" placeholder="name, platform or label"></div>
${choices.length === 0 ? '' : markup`<div><label for="label">Label</label><select id="label" name="label"><option value="">any</option>${choices.map((one) => markup`<option value="${one}"${selected(one === label)}>${one}</option>`)}</select></div>`}
<div><label for="state">State</label><select id="state" name="state"><option value="">any</option>${stackStates.map((one) => markup`<option value="${one}"${selected(one === state)}>${stateWords[one].words}</option>`)}</select></div>
<div class="buttons"><button>Find</button>${text === '' && label === '' && state === '' ? '' : markup`<a href="/">Reset</a>`}</div>
</form>`;
}

function selected(isIt: boolean): Markup | string {
  return isIt ? markup` selected` : '';
}

function stackTable(rows: readonly StackRow[], now: Date): Markup {
  const heads = ['Stack', 'State', 'Commit', 'Platform', 'Looked at'];
  return markup`<table class="rows stacks"><caption class="hidden">Stacks with their states</caption><thead><tr>${heads.map((head) => markup`<th scope="col">${head}</th>`)}</tr></thead><tbody>
${rows.map((stack) => stackRow(stack, now))}
</tbody></table>`;
}

function stackRow(stack: StackRow, now: Date): Markup {
  const { plan, run, wave, wanted, applied } = stack;
  const state = stateOf(stack);
  const commits =
    wanted === applied || wanted === null
      ? commitCode(wanted)
      : markup`${applied === null ? markup`<span class="quiet">none</span>` : commitCode(applied)} <span class="arrow" aria-hidden="true">→</span><span class="hidden"> applied, wanted: </span> ${commitCode(wanted)}`;
  const signs =
    state === 'running' && run !== null
      ? markup` <a href="${runAddress(run.id)}">run ${run.id}</a>`
      : plan === null || state === 'paused'
        ? ''
        : markup`${state === 'wave' && wave !== null ? markup` <a href="${waveAddress(wave)}">wave ${wave}</a>` : ''} <a class="plain-link" href="${planAddress(plan.digest)}">${summarySigns(plan.summary)}<span class="hidden"> plan of ${stack.id}</span></a>`;
  return markup`<tr><th scope="row">${stackLink(stack)}<div class="under"><span class="where">${stack.source}</span>${labelTags(stack.labels)}</div></th>
${cell('State', markup`${badge(state)}${signs}`)}
${cell('Commit', commits)}
${cell('Platform', stack.platform)}
${cell('Looked at', moment(stack.lookedAt, now))}</tr>`;
}

const firstSteps = emptyState(
  'No stacks yet',
  markup`<p>A stack is a root file in a repository, on a platform. Three steps lead to the first one.</p><ol class="steps"><li>Register a platform, on the machine of the controller: <code>trueup controller enrol --platform NAME</code></li><li>Register a repository: <code>trueup controller enrol --source NAME</code></li><li>The next poll finds every file with <code>trueup:</code> at its top. See <a href="/sources">Sources</a>, which says when that is, and what went wrong.</li></ol>`,
);
