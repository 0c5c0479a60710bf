import type { DriftDocument, Shown } from '../document-schemas.ts';
import { asSentence, requestCounts } from '../fold-lines.ts';
import { type Markup, markup } from '../markup.ts';
import { factsOf } from '../plan-head.ts';
import { inAmounts } from '../change-text.ts';
import { type Finding, byStatus, foundWords, statuses, storyOf, subjectOf } from '../drift-text.ts';
import { unmarked } from '../rotated.ts';
import { inlineShown, isLong, valueOf } from '../value-text.ts';
import { verdictOf } from '../verdict.ts';
import { difference, place } from './change.ts';
import { diagnosticList } from './diagnostics.ts';
import { countValues, placeChoices, renderFilter } from './filter.ts';
import { environmentOf } from '../places.ts';
import { type Reader, readerOfCommand } from './reader-words.ts';
import { type Page, renderShell } from './shell.ts';

/** A finding on the page. */
interface Entry extends Finding {
  /** The fragment that leads to it. */
  readonly anchor: string;
  readonly environment: string;
}

/** What `drift` found, as a page. */
export function renderDriftPage(drift: DriftDocument): string {
  return renderShell(driftPage(drift));
}

/** The parts of that page, for a page around them. */
export function driftPage(drift: DriftDocument, reader: Reader = readerOfCommand): Page {
  const { project, memory, summary, resolved, ignored = [] } = drift;
  const entries = drift.findings.map((one, at): Entry => ({
    ...one,
    anchor: `r${at + 1}`,
    environment: environmentOf({ address: one.address ?? '', single: one.single }) ?? '',
  }));
  const groups = byStatus(entries);
  const isUnnotified = drift.exitCode === 1 && drift.diagnostics.some(({ code }) => code === 'not-notified');
  return {
    subject: 'drift',
    title: project?.name ?? project?.id ?? 'project',
    verdict: `${verdictOf(drift)}${isUnnotified ? ' A notification failed.' : ''}`,
    counts: markup`<ul class="counts">${(Object.keys(statuses) as Finding['status'][]).map((status) => markup`<li class="${classOf(status)}"><b>${summary[status]}</b> ${status}</li>`)}<li><b>${summary.resolved}</b> resolved</li>${summary.ignored === 0 ? '' : markup`<li><b>${summary.ignored}</b> ignored by rules</li>`}</ul>`,
    facts: [...factsOf(drift), ['memory', memory.location]],
    contents: markup`<h2>Contents</h2><ol>${groups.map(({ status, title, found }) => markup`<li><a href="#${classOf(status)}">${title}</a> (${found.length})</li>`)}${resolved.length === 0 ? '' : markup`<li><a href="#resolved">Resolved</a></li>`}</ol>`,
    main: [
      drift.diagnostics.length === 0
        ? markup``
        : markup`<section id="messages" aria-labelledby="messages-title"><h2 id="messages-title">Messages</h2>${diagnosticList(drift.diagnostics, reader)}</section>`,
      markup`<section id="changes" aria-labelledby="changes-title"><h2 id="changes-title">Findings</h2>
${entries.length === 0 ? markup`<p class="empty">Nothing was found.</p>` : renderFilter(choices(entries), 'finding')}
${groups.map(
  ({ status, title, found }) =>
    markup`<details class="group" id="${classOf(status)}" open><summary><h3>${title}</h3> <span>${found.length}</span></summary>
${found.map((entry) => renderFinding(entry, reader))}
</details>`,
)}
</section>`,
      addressList('resolved', 'Resolved', 'Was in the memory, and is gone now.', resolved),
      addressList('ignored', 'Ignored', 'Rules under drift.ignore leave this out.', ignored),
    ],
    foot: `Compared with ${requestCounts(drift.requests)}. This page makes no request.`,
  };
}

/** The class of a status: without a blank, and apart from the lines of a hunk. */
function classOf(status: Finding['status']): string {
  return status === 'new' ? 'new-drift' : status.replaceAll(' ', '-');
}

function choices(entries: readonly Entry[]) {
  return [
    { name: 'status' as const, label: 'Status', values: countValues(entries.map(({ status }) => status)) },
    { name: 'finding' as const, label: 'Finding', values: countValues(entries.map((one) => one.is)) },
    ...placeChoices(entries),
  ];
}

function renderFinding(entry: Entry, reader: Reader): Markup {
  const { anchor, is, status, kind, environment, address, name, objectId, position, remedies = [] } = entry;
  const title = address ?? name ?? objectId ?? kind;
  return markup`<article class="entry ${classOf(status)}" id="${anchor}" tabindex="-1" data-status="${status}" data-finding="${is}" data-kind="${kind}" data-within="${environment}"><header><h4><code>${title}</code></h4><span class="kind">${kind}</span><span class="word">${is}</span>${place(position)}</header>
<p class="what">${summaryOf(entry)}</p>${sides(entry)}<dl class="remedies">${remedies.map((one) => renderRemedy(one, reader))}</dl></article>`;
}

function renderRemedy({ aim, command }: NonNullable<Entry['remedies']>[number], { wayOf }: Reader): Markup {
  const way = command === undefined ? undefined : wayOf(command);
  const shown = way && (way.isCommand ? markup`<code>${way.words}</code>` : markup`${way.words}`);
  return markup`<div><dt>${aim}</dt>${shown === undefined ? '' : markup`<dd>${shown}</dd>`}</div>`;
}

function summaryOf(entry: Entry): string {
  const { objectId, path } = entry;
  const object = objectId === undefined ? [] : [`object ${objectId}`];
  return [...(path === undefined ? [foundWords(entry)] : object), ...storyOf(entry)].map(asSentence).join(' ');
}

/** What was applied beside what the platform has, and what the manifest says where that is something else. */
function sides(entry: Entry): Markup {
  const { is, path, summary, edited, position } = entry;
  const [applied, platform, manifest] = [entry.applied, entry.platform, entry.manifest].map((shown) =>
    shown === undefined ? undefined : inAmounts(entry, shown),
  );
  if (path === undefined) return markup``;
  const field = { path, summary, position };
  const none: Shown = { is: 'absent' };
  const first =
    is === 'not yet applied'
      ? difference({ ...field, before: platform ?? applied ?? none, after: manifest ?? none, why: '' })
      : difference({
          ...field,
          before: unmarked(applied ?? none),
          after: platform ?? none,
          why: 'last applied, then on the platform',
        });
  if (edited !== true || manifest === undefined) return markup`<dl class="fields">${first}</dl>`;
  const wanted = isLong(valueOf(manifest))
    ? difference({ ...field, before: platform ?? none, after: manifest, why: 'on the platform, then in the manifest' })
    : [markup`<div><dt>manifest</dt><dd><code>${inlineShown(unmarked(manifest))}</code></dd></div>`];
  return markup`<dl class="fields">${first}${wanted}</dl>`;
}

function addressList(id: string, title: string, words: string, keys: DriftDocument['resolved']): Markup {
  if (keys.length === 0) return markup``;
  return markup`<section id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2><p class="hint">${words}</p><ul class="plain">${keys.map(
    (one) => markup`<li><code>${subjectOf(one)}</code> <span class="kind">${one.is}</span></li>`,
  )}</ul></section>`;
}
