import type { FastifyInstance } from 'fastify';
import type { Records } from '../../records/all.ts';
import type { PageContext } from '../server.ts';
import { now, show } from '../show.ts';
import type { Viewer } from '../viewer.ts';
import { platformsPage, sourcesPage } from '../views/sources.ts';

/** Platforms and sources. */
export function sourceRoutes(app: FastifyInstance, { records }: PageContext): void {
  app.get('/platforms', { config: { act: 'see' } }, async (request, reply) => {
    const platforms = await visiblePlatforms(records, request.viewer);
    return show(request, reply, platformsPage(platforms, now(), request.viewer.may('administer', {})));
  });
  app.get('/sources', { config: { act: 'see' } }, async (request, reply) => {
    const receivers = request.viewer.may('administer', {}) ? await records.receivers() : [];
    return show(request, reply, sourcesPage(await visibleSources(records, request.viewer), receivers, now()));
  });
}

/** Platforms that a viewer may see, by their labels or those of a stack; only the stacks that they see count. */
async function visiblePlatforms(records: Records, viewer: Viewer) {
  return (await records.shownPlatforms())
    .filter(({ labels, stackLabels }) => [labels, ...stackLabels].some((one) => viewer.may('see', one)))
    .map((one) => ({ ...one, stackLabels: one.stackLabels.filter((labels) => viewer.may('see', labels)) }));
}

/** The same of sources. */
async function visibleSources(records: Records, viewer: Viewer) {
  return (await records.shownSources())
    .filter(({ labels, stackLabels }) => [labels, ...stackLabels].some((one) => viewer.may('see', one)))
    .map((one) => ({ ...one, stackLabels: one.stackLabels.filter((labels) => viewer.may('see', labels)) }));
}
