import { type Markup, markup } from '../../../render/markup.ts';
import type { EventFilter, EventRow } from '../../records/shown-events.ts';
import { planAddress, stackAddress, withQuery } from '../addresses.ts';
import type { Content } from './layout.ts';
import { cell, commitCode, inWords, nextLink, table } from './parts.ts';

/** The audit. */
export interface AuditView {
  readonly events: readonly EventRow[];
  readonly filter: EventFilter;
  /** What happened so far, for the filter. */
  readonly whats: readonly string[];
  readonly next: string | undefined;
}

export function auditPage({ events, filter, whats, next }: AuditView): Content {
  const isNarrowed = Object.values(filter).some((value) => value !== '');
  return {
    place: 'audit',
    title: 'Audit',
    verdict: 'What people and programs did, the last first. The database refuses to change or remove an entry.',
    main: markup`${filterForm(filter, whats, isNarrowed)}${
      events.length === 0
        ? markup`<p class="empty">${isNarrowed ? 'No entry matches.' : 'Nothing happened yet.'}</p>`
        : table({
            caption: 'Events, the last first',
            kind: 'events',
            heads: ['When', 'Who', 'What', 'Subject', 'Why'],
            rows: events.map(eventRow),
          })
    }${nextLink(next === undefined ? undefined : withQuery('/audit', { ...filter, before: next }), 'Earlier')}`,
  };
}

function filterForm({ who, what, subject, since }: EventFilter, whats: readonly string[], isNarrowed: boolean): Markup {
  const choices = what !== '' && !whats.includes(what) ? [what, ...whats] : whats;
  const csv = withQuery('/audit.csv', { who, what, subject, since });
  return markup`<form class="find" method="get" action="/audit" role="search" aria-label="Find events">
<div class="wide"><label for="subject">Subject</label><input id="subject" name="subject" type="search" value="${subject}" autocomplete="off" spellcheck="false"></div>
<div><label for="who">Who</label><input id="who" name="who" type="search" value="${who}" autocomplete="off" spellcheck="false"></div>
<div><label for="what">What</label><select id="what" name="what"><option value="">anything</option>${choices.map((one) => markup`<option${one === what ? markup` selected` : ''}>${one}</option>`)}</select></div>
<div><label for="since">Since</label><input id="since" name="since" type="date" value="${since}"></div>
<div class="buttons"><button>Find</button>${isNarrowed ? markup`<a href="/audit">Reset</a>` : ''}<a href="${csv}" download>Download as CSV</a></div>
</form>`;
}

function eventRow({ at, who, what, subject, about, isStack }: EventRow): Markup {
  const name = isStack ? markup`<a href="${stackAddress(subject)}">${subject}</a>` : markup`${subject}`;
  return markup`<tr><th scope="row"><time datetime="${at.toISOString()}">${inWords(at)}</time></th>
${cell('Who', who)}
${cell('What', what)}
${cell('Subject', name)}
${cell('Why', detailsOf(about))}</tr>`;
}

function detailsOf(about: EventRow['about']): Markup {
  const { because, plan, commit, ...others } = about;
  const more = Object.entries(others).filter(([, value]) => typeof value === 'string' || typeof value === 'number');
  return markup`${textOf(because)}${typeof plan === 'string' ? markup` <a href="${planAddress(plan)}">plan ${plan.slice(0, 8)}</a>` : ''}${typeof commit === 'string' ? markup` ${commitCode(commit)}` : ''}${more.map(([name, value]) => markup` <span class="quiet">${name} ${textOf(value)}</span>`)}`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

const columns = ['id', 'at', 'who', 'what', 'subject', 'because', 'about'] as const;

/** Events as CSV by RFC 4180. A cell that a spreadsheet would read as a formula begins with `'`. */
export function eventsAsCsv(events: readonly EventRow[], isFirst = true): string {
  const lines = events.map(({ id, at, who, what, subject, about }) =>
    [id, at.toISOString(), who, what, subject, textOf(about['because']), JSON.stringify(about)].map(csvCell).join(','),
  );
  return [...(isFirst ? [columns.join(',')] : []), ...lines].map((line) => `${line}\r\n`).join('');
}

function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
