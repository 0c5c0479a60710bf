import type { FastifyInstance } from 'fastify';
import type { PlatformRow, SourceRow } from '../../records/shown-sources.ts';
import type { PageContext } from '../server.ts';
import { now, show } from '../show.ts';
import type { Viewer } from '../viewer.ts';
import { platformsPage, sourcesPage } from '../views/sources.ts';

/** Platforms and sources. */
export function sourceRoutes(app: FastifyInstance, { records }: PageContext): void {
  app.get('/platforms', { config: { act: 'see' } }, async (request, reply) => {
    const platforms = visiblePlatforms(request.viewer, await records.shownPlatforms());
    return show(request, reply, platformsPage(platforms, now(), request.viewer.may('administer', {})));
  });
  app.get('/sources', { config: { act: 'see' } }, async (request, reply) => {
    const receivers = request.viewer.may('administer', {}) ? await records.receivers() : [];
    const sources = visibleSources(request.viewer, await records.shownSources());
    return show(request, reply, sourcesPage(sources, receivers, now()));
  });
}

/** Platforms that a viewer may see, by their labels or those of a stack; only the stacks that they see count. */
function visiblePlatforms(viewer: Viewer, platforms: readonly PlatformRow[]): readonly PlatformRow[] {
  const isSeen = ({ labels }: Pick<PlatformRow, 'labels'>): boolean => viewer.may('see', labels);
  return platforms
    .map((one) => ({ ...one, stacks: one.stacks.filter(isSeen) }))
    .filter((one) => isSeen(one) || one.stacks.length > 0);
}

/** The same of sources. */
function visibleSources(viewer: Viewer, sources: readonly SourceRow[]): readonly SourceRow[] {
  const isSeen = (labels: SourceRow['labels']): boolean => viewer.may('see', labels);
  return sources
    .map((one) => ({ ...one, stackLabels: one.stackLabels.filter(isSeen) }))
    .filter(({ labels, stackLabels }) => isSeen(labels) || stackLabels.length > 0);
}
