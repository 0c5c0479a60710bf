import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Records } from '../../records/all.ts';
import { waveAddress } from '../addresses.ts';
import { notFound, refusal } from '../refusal.ts';
import type { PageContext } from '../server.ts';
import { fieldOf, reasonOf } from '../fields.ts';
import { now, show, showTooLate, visibleTo } from '../show.ts';
import { wavePage, wavesPage } from '../views/waves.ts';

/** Waves, and how they are stopped and resumed. */
export function waveRoutes(app: FastifyInstance, { records }: PageContext): void {
  app.get('/waves', { config: { act: 'see' } }, async (request, reply) => {
    const { viewer } = request;
    const [waves, sources] = await Promise.all([records.waves(), records.shownSources()]);
    const seen = new Set(visibleTo(viewer, sources).map(({ id }) => id));
    return show(
      request,
      reply,
      wavesPage(
        waves.filter(({ source }) => seen.has(source)),
        now(),
      ),
    );
  });
  app.get('/waves/:id', { config: { act: 'see' } }, async (request, reply) => {
    const found = await waveOf(records, request);
    const because = fieldOf(request.query, 'because', 500);
    return show(request, reply, wavePage({ ...found, now: now(), csrf: reply.csrf(), because }));
  });
  for (const act of ['stop', 'resume'] as const)
    app.post(`/waves/:id/${act}`, { config: { act: 'operate' } }, async (request, reply) => {
      const { wave, mayOperate } = await waveOf(records, request);
      if (!mayOperate) throw refusal(403, 'Your role does not allow this on every stack of the wave.');
      const word = { who: request.viewer.name, because: reasonOf(request.body) };
      const isDone = await (act === 'stop' ? records.stopWave(wave.id, word) : records.resumeWave(wave.id, word));
      if (isDone) return reply.redirect(waveAddress(wave.id), 303);
      const between = act === 'stop' ? 'it ended, or was stopped' : 'it ended, or went on';
      const way = { address: waveAddress(wave.id), words: 'Back to the wave' };
      return showTooLate(request, reply, { between, because: word.because, way });
    });
}

/** The wave of an address with the stacks that the viewer sees. @throws {Refusal} 404, where they see none of it */
async function waveOf(records: Records, { viewer, params }: Pick<FastifyRequest, 'viewer' | 'params'>) {
  const { id = '' } = params as { readonly id?: string };
  const wave = await records.wave(id);
  const stacks = wave?.stacks.filter(({ labels }) => viewer.may('see', labels)) ?? [];
  if (wave === undefined || stacks.length === 0) throw notFound();
  const isSeen = new Set(stacks.map((stack) => stack.id));
  // Why it failed is about the stack too.
  const isHidden = wave.stopped !== null && wave.stopped.stack !== null && !isSeen.has(wave.stopped.stack);
  const stopped = isHidden ? { ...wave.stopped, stack: null, because: '' } : wave.stopped;
  return {
    wave: { ...wave, stopped, stacks, waits: wave.waits.filter(({ stack }) => isSeen.has(stack)) },
    hidden: wave.stacks.length - stacks.length,
    mayOperate: wave.stacks.every(({ labels }) => viewer.may('operate', labels)),
  };
}
