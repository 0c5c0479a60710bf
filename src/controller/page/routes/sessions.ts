import type { FastifyInstance } from 'fastify';
import { fieldOf, reasonOf } from '../fields.ts';
import { notFound } from '../refusal.ts';
import type { PageContext } from '../server.ts';
import { now, show, showTooLate } from '../show.ts';
import type { Viewer } from '../viewer.ts';
import { sessionsPage, sessionsShown } from '../views/sessions.ts';

/** The sessions of all users, for who administers all stacks. */
export function sessionRoutes(app: FastifyInstance, { records }: PageContext): void {
  app.get('/sessions', { config: { act: 'administer' } }, async (request, reply) => {
    const { viewer, query } = request;
    requireAll(viewer);
    const sessions = await records.sessions(sessionsShown + 1);
    const because = fieldOf(query, 'because', 500);
    return show(request, reply, sessionsPage({ sessions, now: now(), csrf: reply.csrf(), who: viewer.name, because }));
  });
  app.post('/sessions/end', { config: { act: 'administer' } }, async (request, reply) => {
    const { viewer, body } = request;
    requireAll(viewer);
    const word = { who: viewer.name, because: reasonOf(body) };
    const ended = await records.endSessionOf(fieldOf(body, 'session'), word);
    if (ended !== undefined) return reply.redirect('/sessions', 303);
    const way = { address: '/sessions', words: 'Back to the sessions' };
    return showTooLate(request, reply, { between: 'the session was over', because: word.because, way });
  });
}

/** @throws {Refusal} 404, where an admin administers some stacks alone: sessions have no labels */
function requireAll(viewer: Viewer): void {
  if (!viewer.may('administer', {})) throw notFound();
}
