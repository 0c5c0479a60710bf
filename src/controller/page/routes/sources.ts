import type { FastifyInstance } from 'fastify';
import type { SourceRow } from '../../records/shown-sources.ts';
import type { PageContext } from '../server.ts';
import { now, show } from '../show.ts';
import type { Viewer } from '../viewer.ts';
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

type Labels = SourceRow['labels'];

/** What a viewer may see, by its labels or those of a stack; only the stacks that they see count. */
function visibleTo<T extends { readonly labels: Labels; readonly stackLabels: readonly Labels[] }>(
  viewer: Viewer,
  rows: readonly T[],
): T[] {
  return rows
    .filter(({ labels, stackLabels }) => [labels, ...stackLabels].some((one) => viewer.may('see', one)))
    .map((one) => ({ ...one, stackLabels: one.stackLabels.filter((labels) => viewer.may('see', labels)) }));
}
