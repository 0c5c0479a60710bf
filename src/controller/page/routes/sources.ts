import type { FastifyInstance } from 'fastify';
import type { PageContext } from '../server.ts';
import { now, show, visibleTo } from '../show.ts';
import { platformsPage, sourcesPage } from '../views/sources.ts';

/** Platforms and sources. */
export function sourceRoutes(app: FastifyInstance, { records }: PageContext): void {
  app.get('/platforms', { config: { act: 'see' } }, async (request, reply) => {
    const platforms = visibleTo(request.viewer, await records.shownPlatforms());
    return show(request, reply, platformsPage(platforms, now(), request.viewer.may('administer', {})));
  });
  app.get('/sources', { config: { act: 'see' } }, async (request, reply) => {
    const receivers = request.viewer.may('administer', {}) ? await records.receivers() : [];
    return show(request, reply, sourcesPage(visibleTo(request.viewer, await records.shownSources()), receivers, now()));
  });
}
