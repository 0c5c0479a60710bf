import { kindsThere } from '../kind/kinds-on.ts';
import { withTop } from '../kind/top.ts';
import type { Settings } from '../manifest/settings.ts';
import { type ReadAhead, readAhead } from '../observe/read-ahead.ts';
import { serveRemembered } from '../observe/discover.ts';
import { isTopOwned } from '../plan/project-block.ts';
import { recordsRead } from '../plan/reviewed-reads.ts';
import { isBoundTo } from '../state/bound.ts';
import { systemClock } from '../state/clock.ts';
import { inSpan } from '../trace/span.ts';
import type { ReadConnection } from './connection.ts';
import type { PlanOptions } from './make-plan.ts';

/**
 * Reads the state, and begins the reads that every plan with this state sends; with `touched`, those of a plan that was reviewed.
 * Undefined where they are not known before the resources of the manifest are: without a state, with that of another project,
 * and with one that does not remember what the platform serves.
 *
 * @throws {Stop} when the state cannot be used.
 */
export async function planAhead(
  settings: Settings,
  { client, store, kinds: all, discovers = false, clock = systemClock }: ReadConnection,
  { destroys = false, touched }: Pick<PlanOptions, 'destroys' | 'touched'> = {},
): Promise<ReadAhead | undefined> {
  const state = await inSpan('state', () => store.read());
  if (state === undefined || !isBoundTo(state, settings.project) || discovers === 'again') return undefined;
  const remembered = discovers ? serveRemembered(client, state) : undefined;
  if (discovers && remembered === undefined) return undefined;
  const ownsProject = isTopOwned(settings, state, all, destroys);
  const kinds = kindsThere(ownsProject ? withTop(all) : all, client.contract);
  const projectId = ownsProject ? '' : state.projectId;
  const only = touched && recordsRead(touched, state.resources);
  const readsVersion = (remembered?.version ?? null) !== null;
  return readAhead(client, { kinds, state, projectId, only, readsVersion, clock });
}
