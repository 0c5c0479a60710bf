import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Records } from '../records/all.ts';
import { answerOf } from './refusal.ts';

interface AuditOptions {
  readonly records: Records;
  /** Whether a key has come up too often: refusals fill no disk. */
  readonly isMany: (request: FastifyRequest, key: string) => Promise<boolean>;
  readonly onError: (error: unknown) => void;
}

/** Notes what known viewers were refused, by the name of the route: what they sent is noted nowhere. */
export function noteRefusals(app: FastifyInstance, { records, isMany, onError }: AuditOptions): void {
  app.addHook('onError', async (request, _reply, error) => {
    const { known, method, routeOptions } = request;
    if (answerOf(error).status !== 403 || known === undefined) return;
    const { name, by } = known.identity;
    if (await isMany(request, name)) return;
    const about = { by, route: `${method} ${routeOptions.url ?? ''}` };
    await records.note({ who: name, what: 'was refused', subject: 'page', about }).catch(onError);
  });
}
