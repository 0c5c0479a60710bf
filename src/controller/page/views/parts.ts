import { actionWords } from '../../../render/action-words.ts';
import type { ActionName } from '../../../render/document-schemas.ts';
import { duration } from '../../../render/duration.ts';
import { type Markup, markup } from '../../../render/markup.ts';
import { withQuery, stackAddress, waveAddress } from '../addresses.ts';
import type { StackRow } from '../../records/shown-stacks.ts';
import { type StackState, nameOf, stateWords } from '../stack-state.ts';

/** What stands on many pages. */

const units = [
  { name: 'd', seconds: 86_400 },
  { name: 'h', seconds: 3_600 },
  { name: 'min', seconds: 60 },
] as const;

/** A length of time in its largest unit: `5 min`, `3 h`. */
export function roughly(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1_000));
  const unit = units.find((one) => seconds >= one.seconds);
  return unit === undefined ? `${seconds} s` : `${Math.floor(seconds / unit.seconds)} ${unit.name}`;
}

/** A moment, seen from another one: `5 min ago`, `in 3 h`. */
export function moment(at: Date | null, now: Date): Markup {
  if (at === null) return markup`<span class="quiet">never</span>`;
  const ms = now.getTime() - at.getTime();
  const words = Math.abs(ms) < 1_500 ? 'now' : ms > 0 ? `${roughly(ms)} ago` : `in ${roughly(-ms)}`;
  return markup`<time datetime="${at.toISOString()}" title="${inWords(at)}">${words}</time>`;
}

/** When something is done again that is due at a moment. */
export function soon(at: Date, now: Date): Markup {
  return at <= now ? markup`soon` : moment(at, now);
}

/** `2026-11-29 00:18 UTC`. */
export function inWords(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** How long something took, or takes so far. */
export function tookOf(began: Date, ended: Date | null, now: Date): string {
  return duration((ended ?? now).getTime() - began.getTime());
}

/** The start of the digest of a commit; all of it for who asks. */
export function commitCode(commit: string | null): Markup {
  if (commit === null) return markup`<span class="quiet">none</span>`;
  return markup`<code class="commit" title="${commit}">${commit.slice(0, 8)}</code>`;
}

export function badge(state: StackState): Markup {
  const { words, tone } = stateWords[state];
  return markup`<span class="badge ${tone}">${words}</span>`;
}

/** The end of a pause; one without an end is that of a run that an operator stopped. */
export function untilWords(until: Date): string {
  return until.getUTCFullYear() > 9_000 ? 'until an operator resumes it' : `until ${inWords(until)}`;
}

/** The ending of a run as a word with its tone. */
export function endingBadge(ending: string | null): Markup {
  if (ending === null) return markup`<span class="badge info">running</span>`;
  return markup`<span class="badge ${endingTones[ending] ?? 'bad'}">${ending}</span>`;
}

const endingTones: Readonly<Record<string, string>> = {
  done: 'done',
  'in step': 'done',
  drifted: 'change',
  stopped: 'change',
  partly: 'change',
  lost: 'change',
};

/** The name of a stack, which leads to its page, above where it comes from. */
export function stackLink(stack: Pick<StackRow, 'id' | 'source' | 'path' | 'pull'>): Markup {
  return markup`<a class="name" href="${stackAddress(stack.id)}">${nameOf(stack)}</a>`;
}

/** The wave that a stack waits for. */
export function waveLink(wave: string | null): Markup {
  return wave === null ? markup`its wave` : markup`<a href="${waveAddress(wave)}">its wave</a>`;
}

/** The labels of a stack; each leads to the stacks that have it. */
export function labelTags(labels: StackRow['labels']): Markup {
  const all = Object.entries(labels);
  if (all.length === 0) return markup``;
  return markup`<ul class="tags" aria-label="Labels">${all.map(
    ([key, value]) => markup`<li><a href="${withQuery('/', { label: `${key}=${value}` })}">${key}=${value}</a></li>`,
  )}</ul>`;
}

/** The actions of a plan by their signs: `+2 ~1`. */
export function summarySigns(summary: Partial<Record<ActionName, number>>): Markup {
  const shown = (Object.keys(actionWords) as ActionName[]).filter(
    (name) => name !== 'no-op' && (summary[name] ?? 0) > 0,
  );
  if (shown.length === 0) return markup``;
  return markup`<span class="signs">${shown.map(
    (name) =>
      markup`<span class="${name}"><span aria-hidden="true">${actionWords[name].symbol.trim()}${summary[name]}</span><span class="hidden"> ${summary[name]} ${actionWords[name].sign}</span></span>`,
  )}</span>`;
}

/** What failed, line by line: a remedy is in a line of its own. */
export function problemLines(problem: string): Markup {
  const lines = problem.split('\n').filter((line) => line !== '');
  return markup`${lines.map((line) => markup`<p class="problem">${line.replace(/^-> /, '')}</p>`)}`;
}

/** A form that changes something: it has the token that shows that it comes from this page. */
export function actForm(action: string, csrf: string, content: Markup | readonly Markup[]): Markup {
  return markup`<form class="act" method="post" action="${action}"><input type="hidden" name="_csrf" value="${csrf}">${content}</form>`;
}

/** An act that is folded until it is wanted; it is open where the viewer wrote a reason before. */
export function foldedAct(summary: Markup | string, because: string, form: Markup | readonly Markup[]): Markup {
  return markup`<details class="fold"${because === '' ? '' : markup` open`}><summary>${summary}</summary>${form}</details>`;
}

/** The field for the reason of an act. `hint`: the id of the text that says what the act does. */
export function reasonField(
  because: string,
  { id = 'because', hint }: { readonly id?: string; readonly hint?: string } = {},
): Markup {
  const about = hint === undefined ? '' : markup` aria-describedby="${hint}"`;
  return markup`<p><label for="${id}">Reason</label><input id="${id}" name="because" required maxlength="500" value="${because}"${about}></p>`;
}

/** Rows `name value` of facts; what is undefined is left out. */
export function factList(facts: readonly (readonly [name: string, value: Markup | string | undefined])[]): Markup {
  const known = facts.filter(([, value]) => value !== undefined);
  return markup`<dl class="facts">${known.map(([name, value]) => markup`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** A page without entries: what is so, and what to do next. */
export function emptyState(title: string, content: Markup | readonly Markup[]): Markup {
  return markup`<div class="nothing"><h2>${title}</h2>${content}</div>`;
}

/** A table that scrolls by itself where it is too wide. */
export function table(about: {
  readonly caption: string;
  readonly heads: readonly string[];
  readonly rows: readonly Markup[];
  readonly kind?: string;
}): Markup {
  const { caption, heads, rows, kind = '' } = about;
  return markup`<table class="rows ${kind}"><caption class="hidden">${caption}</caption><thead><tr>${heads.map((head) => markup`<th scope="col">${head}</th>`)}</tr></thead><tbody>
${rows}
</tbody></table>`;
}

/** Cells of a table with their heads, which show beside them where the screen is narrow. */
export function cell(head: string, content: Markup | string): Markup {
  return markup`<td data-head="${head}">${content}</td>`;
}

/** The way to the next entries. */
export function nextLink(address: string | undefined, words: string): Markup {
  return address === undefined
    ? markup``
    : markup`<p class="pager"><a class="button" rel="next" href="${address}">${words}</a></p>`;
}
