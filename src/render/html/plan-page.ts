import { permission, sentenceOf } from '../action-sentence.ts';
import { groupBy } from '../../kind/group.ts';
import { addressBelow } from '../../kind/address.ts';
import type { ActionName, EventDocument, PlanDocument, ResultDocument } from '../document-schemas.ts';
import { type Effect, adoptionIn, effectsOf, notManaged } from '../effects.ts';
import { asSentence, counted, requestCounts } from '../fold-lines.ts';
import { type Markup, markup } from '../markup.ts';
import { factsOf } from '../plan-head.ts';
import {
  actionWords,
  countActions,
  isChange,
  isDeployment,
  leftOutWords,
  narrowedWords,
  plannedWords,
  symbolOf,
} from '../action-words.ts';
import { deletionWords, errorsIn, verdictOf } from '../verdict.ts';
import { changeList, place } from './change.ts';
import { diagnosticList, withFlags } from './diagnostics.ts';
import { type Entry, buildEntries, buildNodes } from './page-entries.ts';
import { countValues, placeChoices, renderFilter } from './filter.ts';
import { renderGraph } from './graph-page.ts';
import { type Reader, readerOfCommand } from './reader-words.ts';
import { type Page, renderShell } from './shell.ts';

/** What `plan` and `show` have, and what `apply` and `destroy` have at their end. */
export interface PlanRun {
  readonly plan: PlanDocument;
  readonly events?: readonly EventDocument[];
  /** undefined: nothing was applied. */
  readonly result?: ResultDocument | undefined;
  /** Errors that ended the run. */
  readonly errors?: PlanDocument['diagnostics'];
  /** Who reads it. */
  readonly reader?: Reader | undefined;
}

/** A plan as a page, or an apply: the same page with the outcomes. */
export function renderPlanPage(run: PlanRun): string {
  return renderShell(planPage(run));
}

/** The parts of that page, for a page around them. */
export function planPage({ plan, events = [], result, errors = [], reader = readerOfCommand }: PlanRun): Page {
  const entries = buildEntries(plan, result, events);
  const shown = entries.filter(isNews);
  const quiet = entries.filter((entry) => !isNews(entry));
  const groups = [...groupBy(shown.map((entry) => [entry.service, entry] as const))];
  const idOf = new Map(entries.toReversed().map(({ address, id }) => [address, id]));
  for (const { address, id } of shown.toReversed()) idOf.set(address, id);
  const { project } = plan;
  const graph = renderGraph(buildNodes(plan.actions), (address) => idOf.get(address), reader);
  const atEntries = new Set(plan.actions.flatMap(({ notes }) => notes.map((note) => JSON.stringify(note))));
  const others = (result?.diagnostics ?? plan.diagnostics).filter((one) => !atEntries.has(JSON.stringify(one)));
  const messages = [...errors, ...others];
  const first = firstOf(plan, entries, { isApplied: result !== undefined, idOf, reader });
  return {
    subject: result === undefined ? 'plan' : 'apply',
    title: project?.name ?? project?.id ?? 'project',
    verdict: verdict(plan, result, errors),
    counts: markup`<ul class="counts">${[...countActions(entries)].map(
      ([name, count]) =>
        markup`<li class="${name}"><b>${count}</b> ${result === undefined ? plannedWords(name) : actionWords[name].sign}</li>`,
    )}</ul>`,
    facts: factsOf(plan),
    contents: markup`<h2>Contents</h2><ol>${first === undefined ? '' : markup`<li><a href="#first">Look at this first</a></li>`}${messages.length === 0 ? '' : markup`<li><a href="#messages">Messages</a></li>`}<li><a href="#changes">Changes</a>${contentsOf(groups)}</li>${graph.text === '' ? '' : markup`<li><a href="#dependencies">Dependencies</a></li>`}${quiet.length === 0 ? '' : markup`<li><a href="#unchanged">Unchanged</a></li>`}</ol>`,
    main: [
      first ?? markup``,
      messages.length === 0
        ? markup``
        : markup`<section id="messages" aria-labelledby="messages-title"><h2 id="messages-title">Messages</h2>${diagnosticList(messages, reader)}</section>`,
      markup`<section id="changes"${groups.length > maxOpenGroups ? markup` class="many"` : ''} aria-labelledby="changes-title"><h2 id="changes-title">Changes</h2>
${shown.length === 0 ? markup`<p class="empty">There is nothing to change.</p>` : renderFilter(choices(shown), 'change')}
${groups.map(([address, members], at) => renderGroup(address, members, { at, isOpen: groups.length <= maxOpenGroups, reader }))}
</section>`,
      graph,
      renderUnchanged(quiet),
    ],
    foot: `${result === undefined ? 'Planned' : 'Applied'} with ${requestCounts((result ?? plan).requests)}. This page makes no request.`,
  };
}

/** Groups that are open from the start. */
const maxOpenGroups = 40;

/** Returns true for an action that needs attention. */
function isNews(entry: Entry): boolean {
  const { notes, dataAtRisk, outcome } = entry;
  return (
    isChange(entry) ||
    notes.length > 0 ||
    dataAtRisk !== undefined ||
    (outcome !== undefined && outcome.result !== 'done' && outcome.result !== 'skipped')
  );
}

function verdict(plan: PlanDocument, result: PlanRun['result'], failures: PlanDocument['diagnostics']): string {
  const narrowed =
    plan.narrowed === undefined
      ? ''
      : ` This plan is ${narrowedWords(plan.narrowed)}; ${leftOutWords(plan.narrowed, true)}.`;
  if (result !== undefined) {
    return `${verdictOf(result)}${narrowed}`;
  }
  const errors = [...errorsIn(plan), ...failures].length;
  const cannot = errors === 0 ? '' : ` This plan cannot be applied: ${counted(errors, 'error')}.`;
  return `${verdictOf(plan)}${cannot}${narrowed}`;
}

/** What a reader must not overlook; undefined: there is nothing of that. */
function firstOf(
  plan: PlanDocument,
  entries: readonly Entry[],
  {
    isApplied,
    idOf,
    reader,
  }: { readonly isApplied: boolean; readonly idOf: ReadonlyMap<string, string>; readonly reader: Reader },
): Markup | undefined {
  const linked = ({ tone, words, addresses }: Omit<Effect, 'tone'> & { readonly tone: string }) =>
    markup`<li class="${tone}"><p><b>${withFlags(words)}</b></p><ul class="links">${[...new Set(addresses)].map((address) => markup`<li><a href="#${idOf.get(address)}"><code>${address}</code></a></li>`)}</ul></li>`;
  const lines = [
    ...lossesIn(plan, entries, isApplied).map((one) => linked({ tone: 'bad', ...one })),
    ...risksIn(entries, reader),
    ...[...effectsOf(plan), ...adoptionIn(plan, isApplied ? '' : reader.adoption)].map(linked),
    ...notManaged(plan, reader.unmanaged).map((words) => markup`<li class="info"><p>${withFlags(words)}</p></li>`),
  ];
  if (lines.length === 0) return undefined;
  return markup`<section id="first" aria-labelledby="first-title"><h2 id="first-title">Look at this first</h2><ul class="first">${lines}</ul></section>`;
}

/** What went wrong, cannot be applied, or takes an object away. */
function lossesIn(plan: PlanDocument, entries: readonly Entry[], isApplied: boolean): Omit<Effect, 'tone'>[] {
  const line = (words: string, noun: string, isMeant: (entry: Entry) => boolean, more = '') => {
    const addresses = entries.filter(isMeant).map(({ address }) => address);
    return { words: `${words} ${counted(addresses.length, noun)}${more}`, addresses };
  };
  const [deletes, replaces] = isApplied ? ['Deletions:', 'Replacements:'] : ['Deletes:', 'Replaces:'];
  return [
    line('Failed or not verified:', 'action', ({ outcome }) =>
      ['failed', 'unverified'].includes(outcome?.result ?? ''),
    ),
    line('Errors at', 'resource', ({ notes }) => notes.some(({ severity }) => severity === 'error')),
    line(deletes, 'object', ({ action }) => action === 'delete', deletionWords(plan)),
    line(replaces, 'object', ({ action }) => action === 'replace'),
  ].filter(({ addresses }) => addresses.length > 0);
}

function risksIn(entries: readonly Entry[], reader: Reader): Markup[] {
  const risky = entries.filter(({ dataAtRisk }) => dataAtRisk !== undefined);
  if (risky.length === 0) return [];
  const items = risky.map(
    (entry) =>
      markup`<li><a href="#${entry.id}"><code>${entry.address}</code></a> ${entry.dataAtRisk} (${withFlags(allowance(entry, reader))})</li>`,
  );
  return [
    markup`<li class="bad"><p><b>Data at risk: ${counted(risky.length, 'resource')}</b></p><ul class="risks">${items}</ul></li>`,
  ];
}

function allowance(entry: Entry, { needed, given }: Reader): string {
  if (entry.protect === false) return permission(entry);
  return entry.outcome === undefined ? needed : given;
}

function choices(entries: readonly Entry[]) {
  const inOrder = [...countActions(entries).keys()];
  const actions = countValues(
    entries.map(({ action }) => action),
    (name) => actionWords[name as ActionName].sign,
  );
  const results = entries.flatMap(({ outcome }) => (outcome === undefined ? [] : [outcome.result]));
  return [
    {
      name: 'action' as const,
      label: 'Actions',
      values: inOrder.flatMap((name) => actions.filter(({ value }) => value === name)),
    },
    ...placeChoices(entries),
    { name: 'result' as const, label: 'Result', values: countValues(results) },
  ];
}

/** The groups by environment. */
function contentsOf(groups: readonly (readonly [address: string, entries: readonly Entry[]])[]): Markup {
  const numbered = groups.map(([address, entries], at) => ({ address, entries, at }));
  const byEnvironment = groupBy(numbered.map((one) => [one.entries[0]?.environment ?? '', one] as const));
  return markup`${[...byEnvironment].map(
    ([environment, members]) =>
      markup`<p><code>${environment === '' ? 'outside environments' : environment}</code></p><ol>${members.map(
        ({ address, entries, at }) => {
          const name = addressBelow(environment || undefined, address) ?? address;
          return markup`<li><a href="#g${at + 1}"><code>${name}</code></a> ${signs(entries)}</li>`;
        },
      )}</ol>`,
  )}`;
}

/** The actions of a group by their signs: `+2 ~1`. */
function signs(entries: readonly Entry[]): Markup {
  return markup`<span class="signs">${[...countActions(entries)].map(([name, count]) => markup`<span class="${name}"><span aria-hidden="true">${actionWords[name].symbol.trim()}${count}</span><span class="hidden"> ${count} ${actionWords[name].sign}</span></span>`)}</span>`;
}

function renderGroup(
  address: string,
  entries: readonly Entry[],
  { at, isOpen, reader }: { readonly at: number; readonly isOpen: boolean; readonly reader: Reader },
): Markup {
  return markup`<details class="group" id="g${at + 1}"${isOpen ? markup` open` : ''}><summary><h3><code>${address}</code></h3> ${signs(entries)}</summary>
${entries.map((entry) => renderEntry(entry, { service: address, reader }))}
</details>`;
}

function renderEntry(entry: Entry, { service, reader }: { readonly service: string; readonly reader: Reader }): Markup {
  const { id, action, kind, environment, outcome, address, seconds, position } = entry;
  const symbol = symbolOf(entry).trim();
  // The title of the group has the address already.
  const name =
    address !== service ? (addressBelow(service, address) ?? address) : isDeployment(entry) ? 'deployment' : kind;
  const words = sentence(entry);
  const took = seconds === undefined ? '' : markup` <span class="took">${seconds.toFixed(1)} s</span>`;
  const result =
    outcome === undefined ? '' : markup` <span class="result ${outcome.result}">${outcome.result}</span>${took}`;
  return markup`<article class="entry ${action}" id="${id}" tabindex="-1" data-action="${action}" data-kind="${kind}" data-within="${environment}"${outcome === undefined ? '' : markup` data-result="${outcome.result}"`}><header><span class="sign" aria-hidden="true">${symbol}</span><h4><code>${name}</code></h4>${name === kind ? '' : markup`<span class="kind">${kind}</span>`}<span class="word">${actionWords[action].sign}</span>${result}${place(position)}</header>
${words.text === '' ? '' : markup`<p class="what">${words}</p>`}${entry.dataAtRisk === undefined ? '' : markup`<p class="risk">Data at risk: ${entry.dataAtRisk} (${withFlags(allowance(entry, reader))})</p>`}${Object.entries(entry.holds ?? {}).map(([noun, names]) => markup`<p class="holds">${noun}: ${names.join(', ')}</p>`)}${changeList(entry.changes)}${diagnosticList([...entry.notes, ...(outcome?.diagnostics ?? [])], reader)}</article>`;
}

/** What an action does, and why, behind its name; of a deployment, all that it puts into effect. */
function sentence(entry: Entry): Markup {
  const { action, movedFrom, because = [], underWay } = entry;
  const { name, detail } = sentenceOf({ action: entry, movedFrom, isOfReplacement: false, followers: 0 });
  const former = movedFrom === undefined ? '' : markup` Moved in the state from <code>${movedFrom}</code>.`;
  if (action !== 'deploy' || entry.because === undefined)
    return markup`${detail === '' ? '' : withFlags(asSentence(/^[:;]/.test(detail) ? detail.slice(2) : name + detail))}${former}`;
  if (because.length === 0 || underWay === true) return markup`${asSentence(name + detail)}`;
  return markup`Restarts with <span class="because">${because.map((one, at) => markup`${at === 0 ? '' : ', '}<code>${one}</code>`)}</span>${detail}`;
}

function renderUnchanged(entries: readonly Entry[]): Markup {
  if (entries.length === 0) return markup``;
  return markup`<section id="unchanged" aria-labelledby="unchanged-title"><details class="fold"><summary><h2 id="unchanged-title">Unchanged</h2> <span>${entries.length}</span></summary><ul class="plain">${entries.map(({ id, address, kind }) => markup`<li id="${id}"><code>${address}</code> <span class="kind">${kind}</span></li>`)}</ul></details></section>`;
}
