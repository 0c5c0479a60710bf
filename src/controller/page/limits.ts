import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { answerOf, refusal } from './refusal.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A limit of its own for what signs in; all other requests of an address share one. */
    limit?: 'sign-in';
  }
}

/** Most requests in a minute: of an address, with those that sign in by themselves. */
const mostRequests = 1_200;
const mostSignIns = 30;

/**
 * Counts requests before anything is looked up for them. Gives a counter for something else: whether a key has come up more than so
 * many times in a minute.
 */
export function addLimits(app: FastifyInstance): { readonly counter: (most: number) => Counter } {
  void app.register(rateLimit, { global: false });
  const counter = (most: number): Counter => {
    let limit: ReturnType<FastifyInstance['createRateLimit']> | undefined;
    return async (request, key) => {
      limit ??= app.createRateLimit({ max: most, timeWindow: 60_000, keyGenerator: keyOf });
      keys.set(request, key);
      const counted = await limit(request);
      return !counted.isAllowed && counted.isExceeded;
    };
  };
  const [all, signIns] = [counter(mostRequests), counter(mostSignIns)];
  app.addHook('onRequest', async (request, reply) => {
    const isMany = await (request.routeOptions.config.limit === 'sign-in' ? signIns : all)(request, request.ip);
    if (!isMany) return;
    void reply.header('retry-after', '60');
    throw refusal(429, answerOf({ statusCode: 429 }).sentence);
  });
  return { counter };
}

type Counter = (request: FastifyRequest, key: string) => Promise<boolean>;

const keys = new WeakMap<FastifyRequest, string>();

function keyOf(request: FastifyRequest): string {
  return keys.get(request) ?? '';
}
