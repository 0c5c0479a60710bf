import { setTimeout } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { refusal } from './refusal.ts';

/** Between two looks at the database for all who watch one thing. Milliseconds. */
const everyMs = 1_000;

/** Pages that watch at a time. */
const maxWatchers = 200;

/** After so long the browser connects again, and is asked again who it is. Milliseconds. */
const longestMs = 10 * 60_000;

/** Most bytes that wait for a browser, which connects again then. */
const maxWaiting = 1024 * 1024;

/** What a look found. */
interface Seen {
  /** Grows by one with each change. */
  readonly version: number;
  readonly whole: () => object;
  /** What changed since the version before; undefined: whoever has that needs the whole. */
  readonly change: object | undefined;
}

/** A look for many: undefined once there is nothing to watch any more. */
export type Look = () => Promise<Seen | undefined>;

/** What is watched now: for each, one look that all who watch share. */
export interface Watches {
  /** The look at a thing, begun by the first who watches it; `leave` it once. */
  readonly join: (id: string, begin: () => Look) => { readonly look: Look; readonly leave: () => void };
}

/** @param now milliseconds of a clock that never goes back */
export function watchesWith(now: () => number): Watches {
  const open = new Map<string, { readonly look: Look; watchers: number }>();
  return {
    join: (id, begin) => {
      const watch = open.get(id) ?? { look: shared(begin(), now), watchers: 0 };
      watch.watchers += 1;
      open.set(id, watch);
      const leave = (): void => {
        watch.watchers -= 1;
        if (watch.watchers === 0) open.delete(id);
      };
      return { look: watch.look, leave };
    },
  };
}

/** A look that is made at most once in a while, whoever asks. */
function shared(look: Look, now: () => number): Look {
  let [at, seen]: [number, ReturnType<Look>] = [-Infinity, Promise.resolve(undefined)];
  return () => {
    // Those who ask at the same pace, each a little later, get what the first of them caused.
    if (now() - at < everyMs * 0.9) return seen;
    at = now();
    seen = look();
    return seen;
  };
}

/** What one page is sent: the whole first, then what changes. */
export interface Following {
  readonly look: Look;
  /** Whether who watches may still do so. */
  readonly holds: () => Promise<boolean>;
}

let watchers = 0;

/**
 * Sends what is seen as server-sent events: `whole`, then `change` each time that there is one, and `end` when there is nothing to see
 * any more.
 *
 * @param closing the server ends
 * @throws {Refusal} 503, where too many watch: the page goes on without it
 */
export async function follow(
  { raw }: FastifyRequest,
  reply: FastifyReply,
  following: Following,
  closing: AbortSignal,
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
  const send = (text: string): void => {
    answer.write(text);
    if (answer.writableLength > maxWaiting) gone.abort();
  };
  watchers += 1;
  try {
    await sendChanges(following, AbortSignal.any([gone.signal, closing]), send);
  } catch {
    // The browser connects again, and the page says what is wrong if it still is.
  } finally {
    watchers -= 1;
    answer.end();
  }
}

async function sendChanges({ look, holds }: Following, gone: AbortSignal, send: (text: string) => void): Promise<void> {
  let version: number | undefined;
  for (let ms = 0; ms < longestMs && !gone.aborted; ms += everyMs) {
    const seen = (await holds()) ? await look() : undefined;
    if (seen === undefined) return send('event: end\ndata: {}\n\n');
    send(eventOf(seen, version));
    version = seen.version;
    await setTimeout(everyMs, undefined, { signal: gone });
  }
}

/** The event for who has seen a version; a comment keeps proxies from closing what says nothing. */
function eventOf({ version, whole, change }: Seen, known: number | undefined): string {
  if (known === version) return ': still\n\n';
  if (known === version - 1 && change !== undefined) return `event: change\ndata: ${JSON.stringify(change)}\n\n`;
  return `event: whole\ndata: ${JSON.stringify(whole())}\n\n`;
}
