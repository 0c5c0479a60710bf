import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { answerOf, refusal } from '../page/refusal.ts';
import type { Part } from '../page/server.ts';
import type { Queue } from '../queue.ts';
import { readNamedSecret } from '../secret-file.ts';
import type { Records } from '../records/all.ts';
import { type HookEvent, readHook } from './hook-event.ts';
import { type HookForge, type HookRequest, formOf } from './hook-request.ts';
import { takeRawBodies } from './raw-body.ts';
import { isAuthentic } from './signature.ts';

/** Most webhooks of one source and one address in a minute. */
const maxRequests = 300;
/** How long a refusal takes at least, so that its time does not say which sources there are. Milliseconds. */
const refusalMs = 200;

interface HooksOptions {
  readonly queue: Pick<Queue, 'send'>;
  /** Hears of secrets that cannot be read. */
  readonly onError: (error: unknown) => void;
}

/**
 * `POST /hooks/SOURCE`: a forge says that something changed. A webhook has its source polled soon, and nothing else: what was pushed
 * is what git says then. The ids of deliveries are signed by GitLab only; who sends a webhook of another forge again has its source
 * polled once more.
 */
export function hooks({ queue, onError }: HooksOptions): Part {
  return async (app, { address, records }) => {
    takeRawBodies(app);
    const limit = app.createRateLimit({
      max: maxRequests,
      timeWindow: 60_000,
      keyGenerator: (request) => `${(request.params as { source: string }).source} ${request.ip}`,
    });
    const limited = async (request: FastifyRequest): Promise<void> => {
      const counted = await limit(request);
      if (!counted.isAllowed && counted.isExceeded) throw refusal(429, answerOf({ statusCode: 429 }).sentence);
    };
    app.post<{ Params: { readonly source: string } }>(
      '/hooks/:source',
      { config: { act: 'public' }, onRequest: limited },
      async (request, reply) => {
        const began = performance.now();
        const { body, headers, params } = request;
        const hook = { headers, body: Buffer.isBuffer(body) ? body : Buffer.alloc(0) };
        const source = await authenticate(records, { id: params.source, hook, onError });
        if (source === undefined) {
          await sleep(Math.max(0, refusalMs - (performance.now() - began)));
          throw refusal(401, 'The webhook is not signed with the secret of such a source.');
        }
        const event = readEvent(source.forge, hook);
        void reply.code(202);
        if (!isAbout(event, source.ref)) return { isDue: false, because: because(event, source.ref) };
        const { id } = source;
        const isNew = await records.receive({ source: id, ...event }, (db) => queue.send('look', id, { db }));
        const page = `${address}/sources`;
        return isNew ? { isDue: true, page } : { isDue: false, because: 'This delivery was received before.', page };
      },
    );
  };
}

interface HookSource {
  readonly id: string;
  readonly ref: string;
  readonly forge: HookForge;
}

/** The source whose secret signed a webhook. */
async function authenticate(
  records: Pick<Records, 'source'>,
  { id, hook, onError }: { readonly id: string; readonly hook: HookRequest } & Pick<HooksOptions, 'onError'>,
): Promise<HookSource | undefined> {
  const source = /^[\w.-]+$/.test(id) ? await records.source(id) : undefined;
  const { forge = 'none', hookSecretFile = null } = source ?? {};
  const secret = hookSecretFile === null ? undefined : await readNamedSecret(hookSecretFile).catch(onError);
  const known = secret !== undefined && secret !== '' && forge !== 'none';
  const seconds = Math.floor(Date.now() / 1_000);
  // The same work where there is no such source.
  const isRight = isAuthentic(
    forge === 'none' ? 'github' : forge,
    hook,
    known ? secret : randomBytes(32).toString('hex'),
    seconds,
  );
  return isRight && known && source !== undefined ? { id, ref: source.ref, forge } : undefined;
}

function readEvent(forge: HookForge, hook: HookRequest): HookEvent {
  if (formOf(hook) === undefined)
    throw refusal(415, 'A webhook is application/json or application/x-www-form-urlencoded.');
  const event = readHook(forge, hook);
  if (event === undefined) throw refusal(400, 'The body of the webhook is no JSON object.');
  return event;
}

/** Whether a webhook says that the branch or tag of a source changed, or a pull request to it. */
function isAbout({ event, ref }: HookEvent, of: string): boolean {
  return (event === 'push' || event === 'pull request') && ref === of;
}

function because({ event, ref }: HookEvent, of: string): string {
  if (event === 'ping') return 'The secret is right.';
  return ref === undefined ? 'The event changes no branch and no tag.' : `The source follows ${of} only.`;
}
