import { createHmac, randomUUID } from 'node:crypto';
import { attempts } from '../api/attempts.ts';
import { describeSilence, parseRetryAfter } from '../api/failures.ts';
import { createTransport } from '../api/transport.ts';
import type { WireAnswer, WireRequest } from '../api/wire.ts';
import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import { defined } from '../formats/json.ts';
import type { Receiver, Settings } from '../manifest/settings.ts';
import { position } from '../manifest/tree.ts';
import { chats } from '../render/chats.ts';
import type { DriftDocument, DriftNotificationDocument } from '../render/document-schemas.ts';
import type { Redactor } from '../secrets/redactor.ts';
import { envSecrets } from '../secrets/sources/env.ts';
import { isLoopback } from '../api/loopback.ts';
import { type Clock, systemClock } from '../state/clock.ts';
import type { Environment } from '../project/folder.ts';
import { isOfPlatform } from '../project/same-server.ts';
import { notificationEnvironment } from '../project/stage-environment.ts';
import { readVersion } from '../project/version.ts';

/** A receiver that confirmed a notification. */
type Notified = NonNullable<DriftDocument['notified']>[number];

/** The surroundings of notifications. */
export interface NotifyOptions {
  readonly env: Environment;
  readonly redactor: Pick<Redactor, 'add'>;
  readonly platform: Settings['platform'];
  readonly clock?: Pick<Clock, 'wall' | 'sleep'>;
  /** Sends to every receiver, whatever its `on` says. */
  readonly isForced?: boolean;
}

/** The receivers that confirmed, and a warning for each of the others. */
export interface Notifying {
  readonly notified: readonly Notified[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Sends a message to each receiver that wants it. Addresses and keys come from the environment only: neither the manifest
 * nor a file in the repository chooses where it goes. Never throws.
 */
export async function notify(
  receivers: readonly Receiver[],
  message: DriftNotificationDocument,
  options: NotifyOptions,
): Promise<Notifying> {
  const wanted = receivers.filter(({ on }) => options.isForced === true || isWorth(message, on));
  const results = await Promise.all(wanted.map((receiver) => notifyOne(receiver, message, options)));
  return {
    notified: results.flatMap((result) => ('host' in result ? [result] : [])),
    diagnostics: results.flatMap((result) => ('host' in result ? [] : [result])),
  };
}

function isWorth({ summary, exitCode }: DriftNotificationDocument, on: Receiver['on']): boolean {
  return exitCode === 2 || summary.resolved > 0 || (on === 'any' && exitCode !== 0);
}

async function notifyOne(
  receiver: Receiver,
  message: DriftNotificationDocument,
  options: NotifyOptions,
): Promise<Notified | Diagnostic> {
  const read = readSecrets(receiver, options);
  if ('problem' in read) return unnotified(receiver, read.problem, read.remedy);
  const { url, key } = read;
  const { platform } = options;
  if (!platform.emulator && (await isOfPlatform(url, new URL(platform.url)))) {
    const problem = `TRUEUP_SECRET_${receiver.url} is an address of the platform: drift sends it no request but GETs`;
    return unnotified(receiver, problem, 'Use a receiver at another address.');
  }
  const body = JSON.stringify(receiver.as === 'json' ? message : chats[receiver.as](message));
  const outcome = await send({ url, key, body }, options.clock ?? systemClock);
  if (outcome === undefined) return { as: receiver.as, host: url.host };
  const words = `${url.host} did not confirm the notification (${receiver.as}): ${outcome.why}`;
  return unnotified(receiver, words, remedyFor(outcome.status, receiver));
}

function unnotified({ at }: Receiver, problem: string, remedy: string): Diagnostic {
  const details = ['What is new stays new: the next run reports it again.'];
  return diagnostic('not-notified', problem, { details, remedy, position: position(at) });
}

interface Problem {
  readonly problem: string;
  readonly remedy: string;
}

/** Reads the address and the key of a receiver. No problem holds a part of either. */
function readSecrets(
  { url: name, signature, as }: Receiver,
  { env, redactor }: NotifyOptions,
): { readonly url: URL; readonly key: Buffer | undefined } | Problem {
  const secret = envSecrets(notificationEnvironment(env));
  const address = secret(name)?.trim();
  if (address === undefined) return missing(name, 'the address of the receiver');
  redactor.add(address);
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isOpen = url?.protocol === 'http:' && isLoopback(url.hostname);
  if (url === undefined || (url.protocol !== 'https:' && !isOpen) || url.username !== '' || url.password !== '') {
    const problem = `TRUEUP_SECRET_${name} is no address of a receiver (${as})`;
    return { problem, remedy: `Set TRUEUP_SECRET_${name} to the address of the webhook: https://…, without a user.` };
  }
  // The path of a webhook is its password, also without its host. Short parts are words, such as `services`.
  for (const part of [url.pathname, url.search, ...url.pathname.split('/'), ...url.searchParams.values()])
    if (part.length > 15) redactor.add(part);
  if (signature === undefined) return { url, key: undefined };
  const text = secret(signature)?.trim();
  if (text === undefined) return missing(signature, 'the key that signs the notification');
  redactor.add(text);
  const key = readKey(text);
  if (key !== undefined) return { url, key };
  const problem = `TRUEUP_SECRET_${signature} is no key for signatures`;
  return {
    problem,
    remedy: 'Write whsec_ and 24 to 64 random bytes in base64: echo "whsec_$(openssl rand -base64 32)"',
  };
}

function missing(name: string, what: string): Problem {
  return {
    problem: `${what} is missing: TRUEUP_SECRET_${name} is not set`,
    remedy: `Set TRUEUP_SECRET_${name}, or give --no-notify. Notifications use no other source of secrets.`,
  };
}

/**
 * The bytes of a key in the form of Standard Webhooks. A short one is refused: whoever reads a signed message could guess it.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
function readKey(text: string): Buffer | undefined {
  const [, encoded] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  const key = Buffer.from(encoded ?? '', 'base64');
  return key.length >= 24 && key.length <= 64 ? key : undefined;
}

interface Letter {
  readonly url: URL;
  readonly key: Buffer | undefined;
  readonly body: string;
}

/** Why a message was not confirmed. */
interface Unconfirmed {
  readonly why: string;
  readonly status: number | undefined;
}

/** Sends a message until it is confirmed; undefined: it is. A repetition has the same id. */
async function send(letter: Letter, clock: Pick<Clock, 'wall' | 'sleep'>): Promise<Unconfirmed | undefined> {
  const { most, deadlineMs, firstPauseMs, pauseGrowth, longestAskedMs, maxAnswerBytes } = attempts.notification;
  const transport = createTransport({ url: letter.url.origin, deadlineMs, bodyLimit: maxAnswerBytes });
  const id = `msg_${randomUUID()}`;
  try {
    for (let attempt = 1, pauseMs: number = firstPauseMs; ; attempt++, pauseMs *= pauseGrowth) {
      const answer = await transport
        .send(requestFor(letter, id, Math.floor(clock.wall() / 1_000)))
        .catch((error: unknown) => describeSilence(error));
      const status = typeof answer === 'string' ? undefined : answer.status;
      if (status !== undefined && status >= 200 && status <= 299) return undefined;
      if (!isPassing(status) || attempt === most) return { why: wordsOf(answer, attempt), status };
      const askedMs = typeof answer === 'string' ? 0 : (parseRetryAfter(answer.headers['retry-after']) ?? 0) * 1_000;
      if (askedMs > longestAskedMs) return { why: wordsOf(answer, attempt), status };
      await clock.sleep(Math.max(pauseMs, askedMs));
    }
  } finally {
    await transport.close(true);
  }
}

/** Headers by Standard Webhooks; those of the signature only with a key. */
function requestFor({ url, key, body }: Letter, id: string, time: number): WireRequest {
  const signature =
    key === undefined ? undefined : createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64');
  return {
    method: 'POST',
    path: url.pathname + url.search,
    headers: {
      'content-type': 'application/json',
      'user-agent': `trueup/${readVersion()}`,
      'webhook-id': id,
      'webhook-timestamp': String(time),
      ...defined({ 'webhook-signature': signature && `v1,${signature}` }),
    },
    body,
  };
}

function isPassing(status: number | undefined): boolean {
  return status === undefined || status >= 500 || status === 408 || status === 429;
}

function wordsOf(answer: WireAnswer | string, count: number): string {
  const words = typeof answer === 'string' ? answer : `it answered ${answer.status}`;
  return count === 1 ? words : `${words}, after ${count} attempts`;
}

function remedyFor(status: number | undefined, { url: name, as }: Receiver): string {
  if (status === undefined) return `Look at the receiver, and at its address in TRUEUP_SECRET_${name}.`;
  if (status >= 300 && status <= 399)
    return `Set TRUEUP_SECRET_${name} to the address that the receiver leads to: Trueup follows no redirects.`;
  if ([401, 403, 404, 410].includes(status)) return `Make a new webhook, and set TRUEUP_SECRET_${name} to its address.`;
  if (status >= 400 && status <= 499 && status !== 429)
    return `Check that the webhook in TRUEUP_SECRET_${name} takes messages of the form ${as}.`;
  return 'Look at the receiver.';
}
