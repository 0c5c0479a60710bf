import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { readSigningKey, signatureOf } from '../../drift/letter.ts';
import { type HookForge, type HookRequest, headerOf, jsonOf } from './hook-request.ts';

/** The largest difference between the clock of a forge and this one for a signature with a time. Seconds. */
const maxSkew = 300;

/**
 * Whether a forge that knows the secret sent a webhook. A signature takes as long to compare however much of it is right.
 * `seconds`: the time, since 1970.
 */
export function isAuthentic(forge: HookForge, request: HookRequest, secret: string, seconds: number): boolean {
  return checks[forge](request, secret, seconds);
}

type Check = (request: HookRequest, secret: string, seconds: number) => boolean;

const checks: Readonly<Record<HookForge, Check>> = {
  github: (request, secret) =>
    isSame(headerOf(request, 'x-hub-signature-256'), `sha256=${hexOf(secret, request.body)}`),
  gitlab: (request, secret, seconds) =>
    secret.startsWith('whsec_')
      ? isSigned(request, readSigningKey(secret), seconds)
      : isSame(headerOf(request, 'x-gitlab-token'), secret),
  forgejo: isOfForgejo,
};

/** Forgejo and Gitea sign the JSON text, also where a form carries it. */
function isOfForgejo(request: HookRequest, secret: string): boolean {
  const given = headerOf(request, 'x-forgejo-signature') ?? headerOf(request, 'x-gitea-signature');
  return isSame(given, hexOf(secret, jsonOf(request)));
}

/** A signing token of GitLab: https://gitlab.com/gitlab-org/gitlab/-/merge_requests/230944, by Standard Webhooks. */
function isSigned(request: HookRequest, key: Buffer | undefined, seconds: number): boolean {
  const time = headerOf(request, 'webhook-timestamp') ?? '';
  const id = headerOf(request, 'webhook-id') ?? '';
  const expected = `v1,${signatureOf(key ?? Buffer.alloc(32), { id, time, body: request.body })}`;
  const given = (headerOf(request, 'webhook-signature') ?? '').split(' ').slice(0, 10);
  const isOne = given.map((one) => isSame(one, expected)).includes(true);
  const isNow = /^\d{1,12}$/.test(time) && Math.abs(Number(time) - seconds) <= maxSkew;
  return isOne && isNow && key !== undefined && id !== '';
}

function hexOf(secret: string, text: string | Buffer): string {
  return createHmac('sha256', secret).update(text).digest('hex');
}

/** Compares two texts in a time that depends on neither. */
function isSame(given: string | undefined, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given ?? ''), digest(expected)) && given !== undefined;
}
