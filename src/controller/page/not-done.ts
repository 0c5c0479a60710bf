import type { FastifyInstance, FastifyRequest } from 'fastify';
import { answerOf } from './refusal.ts';
import { show } from './show.ts';
import { notDonePage } from './views/messages.ts';

/** Most bytes of a form that is shown again. */
const maxBytes = 64 * 1024;

/**
 * Has forms that are refused, such as those of a session that ended, show what was written, with the way back to the form. Nothing of
 * them is done; forms of other sites are not shown.
 */
export function keepWritten(app: FastifyInstance, address: string): void {
  app.setErrorHandler(async (error, request, reply) => {
    const { status, sentence } = answerOf(error);
    if (status >= 500 || !isOwnForm(request, address)) throw error;
    const fields = request.body ?? (await formIn(request.raw));
    const page = request.url.replace(/\/[^/]*$/, '');
    return show(request, reply, notDonePage({ status, sentence, page, fields }), status);
  });
}

function isOwnForm({ method, headers }: FastifyRequest, address: string): boolean {
  const { accept, origin, 'sec-fetch-site': site, 'content-type': type } = headers;
  return (
    method === 'POST' &&
    accept?.includes('text/html') === true &&
    type === 'application/x-www-form-urlencoded' &&
    origin === new URL(address).origin &&
    (site ?? 'same-origin') === 'same-origin'
  );
}

/** The fields of a form that no route read yet; none of one that is too large. */
async function formIn(raw: FastifyRequest['raw']): Promise<Readonly<Record<string, string>>> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of raw) {
    parts.push(part as Buffer);
    bytes += (part as Buffer).length;
    if (bytes > maxBytes) return {};
  }
  return Object.fromEntries(new URLSearchParams(Buffer.concat(parts).toString('utf8')));
}
