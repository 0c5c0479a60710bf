import type { FastifyInstance } from 'fastify';
import { fieldOf, reasonOf } from '../fields.ts';
import { notFound } from '../refusal.ts';
import type { PageContext } from '../server.ts';
import { now, show, showTooLate } from '../show.ts';
import type { Viewer } from '../viewer.ts';
import { mePage } from '../views/messages.ts';
import { sessionsPage, sessionsShown } from '../views/sessions.ts';

/** Who one is; the sessions of all users, for who administers all stacks. */
export function sessionRoutes(app: FastifyInstance, { records }: PageContext): void {
  app.get('/me', { config: { act: 'self' } }, async (request, reply) => {
    const { viewer } = request;
    const roles = new Map<string, number>();
    for (const { labels } of await records.stackLabels()) {
      const role = viewer.role(labels);
      if (role !== undefined) roles.set(role, (roles.get(role) ?? 0) + 1);
    }
    // Who comes by a proxy is signed in again with the next request.
    const signOut = viewer.by === 'oidc' || viewer.by === 'link' ? '/sign-out' : undefined;
    return show(
      request,
      reply,
      mePage({ ...viewer, roles: [...roles], csrf: reply.csrf(), signOut, seesSessions: viewer.may('administer', {}) }),
    );
  });
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
