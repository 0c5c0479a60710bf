import type { FastifyInstance } from 'fastify';
import type { Records } from '../../records/all.ts';
import type { EventFilter } from '../../records/shown-events.ts';
import type { PageContext } from '../server.ts';
import { fieldOf } from '../fields.ts';
import { show } from '../show.ts';
import type { Viewer } from '../viewer.ts';
import { auditPage, eventsAsCsv } from '../views/audit.ts';

/** Events of one page of the audit, and of one statement of a file. */
const eventsPerPage = 100;
const eventsPerRead = 5_000;

/** Most events of a file: whoever needs more asks for them day by day. */
const maxEvents = 100_000;

/** What people and programs did. */
export function auditRoutes(app: FastifyInstance, { records }: PageContext): void {
  app.get('/audit', { config: { act: 'see' } }, async (request, reply) => {
    const { viewer, query } = request;
    const filter = eventFilterOf(query);
    const subjects = await visibleSubjects(records, viewer);
    const [events, whats] = await Promise.all([
      records.shownEvents(filter, eventsPerPage + 1, { before: fieldOf(query, 'before'), subjects }),
      records.eventVerbs(),
    ]);
    const shown = events.slice(0, eventsPerPage);
    const next = events.length > shown.length ? shown.at(-1)?.id : undefined;
    return show(request, reply, auditPage({ events: shown, filter, whats, next }));
  });
  app.get('/audit.csv', { config: { act: 'see' } }, async (request, reply) => {
    const subjects = await visibleSubjects(records, request.viewer);
    const parts: string[] = [];
    let before: string | undefined;
    for (let read = 0; read < maxEvents; read += eventsPerRead) {
      const events = await records.shownEvents(eventFilterOf(request.query), eventsPerRead, { before, subjects });
      parts.push(eventsAsCsv(events, parts.length === 0));
      before = events.at(-1)?.id;
      if (events.length < eventsPerRead) break;
    }
    return reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', 'attachment; filename="trueup-audit.csv"')
      .send(parts.join(''));
  });
}

/** What an address asks for of the audit. */
export function eventFilterOf(query: unknown): EventFilter {
  const field = (name: string) => fieldOf(query, name, 200);
  return { who: field('who'), what: field('what'), subject: field('subject'), since: field('since') };
}

/** What events a viewer sees may be about: stacks; anything, for who administers all of them. */
export async function visibleSubjects(records: Records, viewer: Viewer): Promise<readonly string[] | undefined> {
  if (viewer.may('administer', {})) return undefined;
  return (await records.stackLabels()).filter(({ labels }) => viewer.may('see', labels)).map(({ id }) => id);
}
