import type { FastifyInstance, FastifyRequest } from 'fastify';
import { refusal } from '../page/refusal.ts';

/** Most bytes of a webhook: GitHub sends none that is larger. */
const maxBody = 25 * 1024 * 1024;
/** Most bytes of all webhooks that arrive at a time: who knows no secret can make the page hold them. */
const maxHeld = 4 * maxBody;

/** Has routes of this scope get the bytes of a body, whatever its content type says. */
export function takeRawBodies(app: FastifyInstance): void {
  let held = 0;
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', async (_request: FastifyRequest, payload: AsyncIterable<Buffer>) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    try {
      for await (const chunk of payload) {
        bytes += chunk.length;
        held += chunk.length;
        if (bytes > maxBody) throw refusal(413, `A webhook has at most ${maxBody} bytes.`);
        if (held > maxHeld) throw refusal(503, 'Too many large webhooks arrive at this moment.');
        chunks.push(chunk);
      }
      return Buffer.concat(chunks);
    } finally {
      held -= bytes;
    }
  });
}
