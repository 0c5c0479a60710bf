import type { FastifyReply, FastifyRequest } from 'fastify';
import { Counter, Gauge, Registry } from 'prom-client';
import type { Queue } from '../queue.ts';
import type { Figures } from '../records/figures.ts';
import { migrationNames } from '../schema.ts';
import { onlyText } from '../site.ts';
import { refusal } from './refusal.ts';
import type { Part } from './server.ts';
import { type ApiToken, tokenWay } from './tokens.ts';
import { viewerOf } from './viewer.ts';

/** How long no process may have looked after the queue, for the page to be ready. Seconds, by the clock of the database. */
const maxUnsupervised = 60;

interface MetricsOptions {
  readonly queue: Pick<Queue, 'counts' | 'unsupervisedFor'>;
  /** Tokens of programs: one that may see all stacks may read the metrics. */
  readonly tokens: readonly ApiToken[];
  readonly onError: (error: unknown) => void;
}

/**
 * `/metrics` for Prometheus, to a token or to this machine; `/healthz`: the process runs; `/readyz`: it can work. Of each stack and
 * of each source there are two series, of the workers of each site one, of everything else a fixed number: about 2,100 for 1,000
 * stacks of 30 sources.
 */
export function metrics({ queue, tokens, onError }: MetricsOptions): Part {
  const isKnown = tokenWay(tokens);
  const mayRead = async (request: FastifyRequest, reply: FastifyReply): Promise<boolean> => {
    const known = await isKnown(request, reply);
    return known === undefined ? isOfThisMachine(request) : viewerOf(known.identity, known.grants).may('see', {});
  };
  return (app, { records }) => {
    const open = { config: { act: 'public' } } as const;
    app.get('/healthz', open, async (_request, reply) => reply.type('text/plain').send('ok\n'));
    app.get('/readyz', open, async (_request, reply) => {
      const isReady = async (): Promise<boolean> => {
        const [ran, seconds = Infinity] = await Promise.all([records.migrations(), queue.unsupervisedFor()]);
        const isCurrent = migrationNames.every((name) => ran.includes(name));
        return isCurrent && seconds < maxUnsupervised;
      };
      const ready = await isReady().catch((error: unknown) => onError(error));
      return reply
        .code(ready === true ? 200 : 503)
        .type('text/plain')
        .send(ready === true ? 'ready\n' : 'not ready\n');
    });
    app.get('/metrics', open, async (request, reply) => {
      if (!(await mayRead(request, reply)))
        throw refusal(401, 'Metrics are for tokens that may see all stacks, and for this machine.');
      const [figures, counts] = await Promise.all([records.figures(), queue.counts()]);
      const registry = registryOf(figures, counts);
      return reply.type(registry.contentType).send(await registry.metrics());
    });
  };
}

/** Whether a program of this machine asks, and no proxy for others. A proxy says so by a header, its Host or HTTP/1.0. */
function isOfThisMachine({ raw, headers, hostname }: FastifyRequest): boolean {
  const isLocal = /^(?:::ffff:)?127\.|^::1$/.test(raw.socket.remoteAddress ?? '');
  const isAsked = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname) && raw.httpVersion !== '1.0';
  const isForwarded = Object.keys(headers).some((name) => /^(?:forwarded|via|x-forwarded-.*|x-real-ip)$/.test(name));
  return isLocal && isAsked && !isForwarded;
}

function registryOf(figures: Figures, counts: Awaited<ReturnType<Queue['counts']>>): Registry {
  const registry = new Registry();
  const gauge = (name: string, help: string, labelNames: readonly string[] = []) =>
    new Gauge({ name: `trueup_controller_${name}`, help, labelNames: [...labelNames], registers: [registry] });
  const runs = gauge('runs', 'Runs that ended in the last 24 hours.', ['kind', 'ending']);
  for (const { kind, ending, count } of figures.runs) runs.set({ kind, ending }, count);
  gauge('runs_active', 'Runs that are under way.').set(figures.running);
  gauge('oldest_due_stack_seconds', 'How long the stack that is due longest waits.').set(figures.oldestDue);
  const drift = gauge('stack_drift', '1: the platform drifted from what was applied.', ['stack']);
  const failed = gauge('stack_failed', '1: the last run failed.', ['stack']);
  for (const { id, hasDrift, hasFailed } of figures.stacks) {
    drift.set({ stack: id }, Number(hasDrift));
    failed.set({ stack: id }, Number(hasFailed));
  }
  const polled = gauge('source_polled_seconds', 'Seconds since the last good poll; missing before the first.', [
    'source',
  ]);
  const stopped = gauge('source_polls_stopped', '1: it was not read for three polls and two minutes.', ['source']);
  for (const { id, polledFor, isStopped } of figures.sources) {
    if (polledFor !== null) polled.set({ source: id }, polledFor);
    stopped.set({ source: id }, Number(isStopped));
  }
  const workers = gauge('workers', 'Workers that are alive, by the labels that they name.', ['only']);
  for (const { only, count } of figures.workers) workers.set({ only: onlyText(only) }, count);
  const jobs = gauge('queue_jobs', 'Jobs by their queue and state.', ['queue', 'state']);
  for (const [name, states] of Object.entries(counts))
    for (const [state, count] of Object.entries(states)) jobs.set({ queue: name, state }, Number(count));
  gauge('plans_waiting', 'Plans that wait for an approval or a refusal.').set(figures.waitingPlans);
  const messages = gauge('messages', 'Messages that wait for their receiver, or that it never confirmed.', ['state']);
  for (const [state, count] of Object.entries(figures.messages)) messages.set({ state }, count);
  new Counter({ name: 'trueup_controller_events_total', help: 'Events that were noted.', registers: [registry] }).inc(
    figures.events,
  );
  return registry;
}
