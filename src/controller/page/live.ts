import { setTimeout } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { refusal } from './refusal.ts';

/** Between two looks at the database for somebody who watches. Milliseconds. */
const everyMs = 1_000;

/** Pages that watch at a time: each costs a statement per second. */
const maxWatchers = 200;

/** After so long the browser connects again, and is asked again who it is. Milliseconds. */
const longestMs = 10 * 60_000;

let watchers = 0;

/**
 * Sends what `look` gives as server-sent events, each time it changes: `progress`, and `end` once it gives undefined.
 *
 * @param options `closing`: the server ends
 * @throws {Refusal} 503, where too many watch: the page goes on without it
 */
export async function follow(
  { raw }: FastifyRequest,
  reply: FastifyReply,
  { look, closing }: { readonly look: () => Promise<object | undefined>; readonly closing: AbortSignal },
): Promise<void> {
  if (watchers >= maxWatchers) throw refusal(503, 'Too many pages watch runs. Load the page again to see how it goes.');
  const gone = new AbortController();
  raw.socket.on('close', () => gone.abort());
  reply.hijack();
  const { raw: answer } = reply;
  const headers = Object.entries(reply.getHeaders()).filter(([, value]) => value !== undefined);
  answer.writeHead(200, {
    ...Object.fromEntries(headers),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
  });
  watchers += 1;
  try {
    await sendChanges(look, AbortSignal.any([gone.signal, closing]), (text) => answer.write(text));
  } catch {
    // The browser connects again, and the page says what is wrong if it still is.
  } finally {
    watchers -= 1;
    answer.end();
  }
}

async function sendChanges(
  look: () => Promise<object | undefined>,
  gone: AbortSignal,
  send: (text: string) => void,
): Promise<void> {
  let last = '';
  for (let ms = 0; ms < longestMs && !gone.aborted; ms += everyMs) {
    const seen = await look();
    if (seen === undefined) return send('event: end\ndata: {}\n\n');
    const text = JSON.stringify(seen);
    // A comment keeps proxies from closing what says nothing.
    send(text === last ? ': still\n\n' : `event: progress\ndata: ${text}\n\n`);
    last = text;
    await setTimeout(everyMs, undefined, { signal: gone });
  }
}
