import { type Call, fail } from './call.ts';
import type { PlatformError } from './errors.ts';
import type { InVain, Why } from './circuit-breaker.ts';

/** The error of a call that waited in vain until the platform takes requests again. Never throws. */
export function explainPause(call: Call, inVain: InVain): PlatformError {
  const { is, why, last } = inVain;
  return fail(call, {
    failure: why === 'key' ? 'authentication' : 'throttled',
    outcome: 'not executed',
    event: `${describeRefusal(inVain)}, and ${is === 'limit' ? describeTries(inVain) : interrupted}`,
    remedy: remedies[why],
    status: why === 'key' ? 401 : 429,
    serverMessage: last.serverMessage,
    retryAfterSeconds: last.retryAfterSeconds,
  });
}

/** The error of a call that its closed client does not send any more. `wasSent`: the platform refused it before. Never throws. */
export function explainEnd(call: Call, wasSent: boolean): PlatformError {
  return fail(call, {
    failure: 'connection',
    outcome: 'not executed',
    wasSent,
    event: wasSent ? 'the run ended before Trueup sent it again' : 'the run ended before Trueup sent it',
    remedy: 'Run it again.',
  });
}

/** The clause about a platform that takes no requests for now. Never throws. */
export function describeRefusal({ why, goodAnswers }: { readonly why: Why; readonly goodAnswers: number }): string {
  const after = `after ${goodAnswers} good answer${goodAnswers === 1 ? '' : 's'}`;
  return why === 'key'
    ? `the platform no longer accepts the API key (401 ${after})`
    : `the platform takes no more requests for now (429 ${after})`;
}

const interrupted = 'the run was interrupted while it waited';

function describeTries({ tries, waitedMs, last }: InVain): string {
  const seconds = Math.round(waitedMs / 1_000);
  return `${tries} further ${tries === 1 ? 'try' : 'tries'} in ${seconds} s failed (last answer: ${last.status ?? 'none'})`;
}

const remedies: Readonly<Record<Why, string>> = {
  key:
    'Check that the key is not revoked, expired or rate limited (a key created without rateLimitEnabled=false allows ' +
    'a few requests a day), and that the platform is well. Then run it again.',
  throttled: 'Run it again later, with fewer --connections.',
};
