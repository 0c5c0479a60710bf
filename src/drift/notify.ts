import { randomUUID } from 'node:crypto';
import { attempts } from '../api/attempts.ts';
import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import type { Receiver, Settings } from '../manifest/settings.ts';
import { position } from '../manifest/tree.ts';
import { chats } from '../render/chats.ts';
import type { DriftDocument, DriftNotificationDocument } from '../render/document-schemas.ts';
import type { Redactor } from '../secrets/redactor.ts';
import { envSecrets } from '../secrets/sources/env.ts';
import { type Clock, systemClock } from '../state/clock.ts';
import type { Environment } from '../project/folder.ts';
import { isOfPlatform } from '../project/same-server.ts';
import { notificationEnvironment } from '../project/stage-environment.ts';
import { readReceiverUrl, readSigningKey, sendLetter } from './letter.ts';

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
  const letter = { id: `msg_${randomUUID()}`, url, key, body };
  const outcome = await sendLetter(letter, { clock: options.clock ?? systemClock, most: attempts.notification.most });
  if (outcome === undefined) return { as: receiver.as, host: url.host };
  const words = `${url.host} did not confirm the notification (${receiver.as}): ${outcome.why}`;
  return unnotified(receiver, words, outcome.remedy ?? remedyFor(outcome.status, receiver));
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
  const url = readReceiverUrl(address, redactor);
  if (url === undefined) {
    const problem = `TRUEUP_SECRET_${name} is no address of a receiver (${as})`;
    return { problem, remedy: `Set TRUEUP_SECRET_${name} to the address of the webhook: https://…, without a user.` };
  }
  if (signature === undefined) return { url, key: undefined };
  const text = secret(signature)?.trim();
  if (text === undefined) return missing(signature, 'the key that signs the notification');
  redactor.add(text);
  const key = readSigningKey(text);
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

function remedyFor(status: number | undefined, { url: name, as }: Receiver): string {
  if (status === undefined) return `Look at the receiver, and at its address in TRUEUP_SECRET_${name}.`;
  if (status >= 300 && status <= 399)
    return `Set TRUEUP_SECRET_${name} to the address that the receiver leads to: Trueup follows no redirects.`;
  if ([401, 403, 404, 410].includes(status)) return `Make a new webhook, and set TRUEUP_SECRET_${name} to its address.`;
  if (status >= 400 && status <= 499 && status !== 429)
    return `Check that the webhook in TRUEUP_SECRET_${name} takes messages of the form ${as}.`;
  return 'Look at the receiver.';
}
