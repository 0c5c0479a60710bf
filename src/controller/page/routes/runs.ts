import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Records } from '../../records/all.ts';
import type { ActionProgress } from '../../records/progress.ts';
import type { RunDetail } from '../../records/shown-runs.ts';
import type { StackRow } from '../../records/shown-stacks.ts';
import { runAddress } from '../addresses.ts';
import { fieldOf, reasonOf } from '../fields.ts';
import { follow, watchesWith } from '../live.ts';
import { watchProgress } from '../progress-watch.ts';
import type { PageContext } from '../server.ts';
import { now, show, showTooLate, withStackOf } from '../show.ts';
import type { Act } from '../viewer.ts';
import { runPage } from '../views/run.ts';
import { mayProposeFor } from './pulls.ts';

/** Runs, live while they go on. */
export function runRoutes(app: FastifyInstance, { records }: PageContext): void {
  app.get('/runs/:id', { config: { act: 'see' } }, async (request, reply) => {
    const { run, stack } = await runOf(records, request);
    const mayStop = request.viewer.may('operate', stack.labels);
    const because = fieldOf(request.query, 'because', 500);
    const progress = await progressOf(records, run);
    const mayPropose = run.kind === 'drift' && (await mayProposeFor({ records }, request.viewer, stack));
    const view = { run, stack, progress, now: now(), csrf: reply.csrf(), mayStop, mayPropose, because };
    return show(request, reply, runPage(view));
  });
  app.post('/runs/:id/stop', { config: { act: 'operate' } }, async (request, reply) => {
    const { run } = await runOf(records, request, 'operate');
    const because = reasonOf(request.body);
    if (await records.stopRun(run.id, request.viewer.name, because)) return reply.redirect(runAddress(run.id), 303);
    const way = { address: runAddress(run.id), words: 'See the run' };
    return showTooLate(request, reply, { between: 'it ended, or was stopped', because, way });
  });
  const watches = watchesWith(() => performance.now());
  const closing = new AbortController();
  app.addHook('preClose', async () => closing.abort());
  app.get('/runs/:id/events', { config: { act: 'see' } }, async (request, reply) => {
    const { run } = await runOf(records, request);
    const { look, leave } = watches.join(run.id, () => watchProgress(records, run));
    try {
      // Who signed out sees no more of it: the page is loaded again, and asks for a sign-in.
      const holds = async () => (await request.known?.holds?.()) !== false;
      await follow(request, reply, { look, holds }, closing.signal);
    } finally {
      leave();
    }
  });
}

/** How far a run is that goes on. */
export async function progressOf(records: Records, { id, endedAt }: RunDetail): Promise<readonly ActionProgress[]> {
  return endedAt === null ? records.progress(id) : [];
}

/** The run of an address with its stack. @throws {Refusal} 404 where the viewer may not see it, 403 where they may not do this */
export async function runOf(
  records: Records,
  { viewer, params }: Pick<FastifyRequest, 'viewer' | 'params'>,
  act: Act = 'see',
): Promise<{ readonly run: RunDetail; readonly stack: StackRow }> {
  const { id = '' } = params as { readonly id?: string };
  const { row: run, stack } = await withStackOf(records, await records.shownRun(id), viewer, act);
  return { run, stack };
}
