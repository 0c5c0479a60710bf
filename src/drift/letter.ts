import { createHmac } from 'node:crypto';
import { attempts } from '../api/attempts.ts';
import { describeSilence, parseRetryAfter } from '../api/failures.ts';
import { isLoopback } from '../api/loopback.ts';
import { proxyErrorIn } from '../api/proxy-error.ts';
import { createTransport } from '../api/transport.ts';
import type { WireAnswer, WireRequest } from '../api/wire.ts';
import { defined } from '../formats/json.ts';
import { readVersion } from '../project/version.ts';
import type { Redactor } from '../secrets/redactor.ts';
import type { Clock } from '../state/clock.ts';

/** A message on its way to a receiver. */
export interface Letter {
  /** The same in every repetition, so that the receiver can leave out what it has. */
  readonly id: string;
  readonly url: URL;
  /** Signs the message; undefined: it is not signed. */
  readonly key: Buffer | undefined;
  readonly body: string;
}

/** Why a message was not confirmed. */
export interface Unconfirmed {
  /** Without the address, its parts and the answer. */
  readonly why: string;
  /** Undefined: there was no answer. */
  readonly status: number | undefined;
  /** The next steps, as sentences, where a proxy did not let it through. */
  readonly remedy?: string | undefined;
}

/**
 * Reads the address of a receiver: `https://…` without a user, or `http://…` of this machine. The redactor gets it, because the path
 * of a webhook is its password. Undefined: it is no such address.
 */
export function readReceiverUrl(address: string, redactor: Pick<Redactor, 'add'>): URL | undefined {
  redactor.add(address);
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isOpen = url?.protocol === 'http:' && isLoopback(url.hostname);
  if (url === undefined || (url.protocol !== 'https:' && !isOpen) || url.username !== '' || url.password !== '')
    return undefined;
  // Also without its host. Short parts are words, such as `services`.
  for (const part of [url.pathname, url.search, ...url.pathname.split('/'), ...url.searchParams.values()])
    if (part.length > 15) redactor.add(part);
  return url;
}

/**
 * The bytes of a key in the form of Standard Webhooks. A short one is refused: whoever reads a signed message could guess it.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function readSigningKey(text: string): Buffer | undefined {
  const [, encoded] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  const key = Buffer.from(encoded ?? '', 'base64');
  return key.length >= 24 && key.length <= 64 ? key : undefined;
}

/** The signature of a message by Standard Webhooks, as base64. `time`: seconds since 1970. */
export function signatureOf(
  key: Buffer,
  { id, time, body }: { readonly id: string; readonly time: string; readonly body: string | Buffer },
): string {
  return createHmac('sha256', key).update(`${id}.${time}.`).update(body).digest('base64');
}

/** Sends a message until it is confirmed, `most` times at most; undefined: it is. Follows no redirects. */
export async function sendLetter(
  letter: Letter,
  { clock, most }: { readonly clock: Pick<Clock, 'wall' | 'sleep'>; readonly most: number },
): Promise<Unconfirmed | undefined> {
  const { deadlineMs, firstPauseMs, pauseGrowth, longestAskedMs, maxAnswerBytes } = attempts.notification;
  const transport = createTransport({ url: letter.url.origin, deadlineMs, bodyLimit: maxAnswerBytes });
  try {
    for (let attempt = 1, pauseMs: number = firstPauseMs; ; attempt++, pauseMs *= pauseGrowth) {
      const answer = await transport
        .send(requestFor(letter, Math.floor(clock.wall() / 1_000)))
        .catch((error: unknown) => error as Error);
      const status = answer instanceof Error ? undefined : answer.status;
      if (status !== undefined && status >= 200 && status <= 299) return undefined;
      const { remedy, mayPass = isPassing(status) } = proxyErrorIn(answer) ?? {};
      const unconfirmed = { why: wordsOf(answer, attempt), status, remedy };
      const askedMs = answer instanceof Error ? 0 : (parseRetryAfter(answer.headers) ?? 0) * 1_000;
      if (!mayPass || attempt === most || askedMs > longestAskedMs) return unconfirmed;
      await clock.sleep(Math.max(pauseMs, askedMs));
    }
  } finally {
    await transport.close(true);
  }
}

/** Headers by Standard Webhooks; that of the signature only with a key. */
function requestFor({ id, url, key, body }: Letter, seconds: number): WireRequest {
  const time = String(seconds);
  const signature = key === undefined ? undefined : signatureOf(key, { id, time, body });
  return {
    method: 'POST',
    path: url.pathname + url.search,
    headers: {
      'content-type': 'application/json',
      'user-agent': `trueup/${readVersion()}`,
      'webhook-id': id,
      'webhook-timestamp': time,
      ...defined({ 'webhook-signature': signature && `v1,${signature}` }),
    },
    body,
  };
}

function isPassing(status: number | undefined): boolean {
  return status === undefined || status >= 500 || status === 408 || status === 429;
}

function wordsOf(answer: WireAnswer | Error, count: number): string {
  const words = answer instanceof Error ? describeSilence(answer) : `it answered ${answer.status}`;
  return count === 1 ? words : `${words}, after ${count} attempts`;
}
