import { type Call, fail } from './call.ts';
import type { PlatformError } from './errors.ts';
import type { InVain, Why } from './circuit-breaker.ts';

/** The error of a call that waited in vain for a platform to take requests again. Never throws. */
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

/** The error of a call that came after its client was closed. Never throws. */
export function explainEnd(call: Call): PlatformError {
  return fail(call, {
    failure: 'connection',
    outcome: 'not executed',
    event: 'the run was over before it was sent',
    remedy: 'run it again',
  });
}

/** The refusal of a platform that takes no requests for now, as a clause. Never throws. */
export function describeRefusal({ why, goodAnswers }: { readonly why: Why; readonly goodAnswers: number }): string {
  const after = `after ${goodAnswers} good answer${goodAnswers === 1 ? '' : 's'}`;
  return why === 'key'
    ? `the platform no longer accepts the API key (401 ${after})`
    : `the platform takes no more requests for now (429 ${after})`;
}

const interrupted = 'the run was interrupted while it waited for that to end';

function describeTries({ tries, waitedMs, last }: InVain): string {
  const seconds = Math.round(waitedMs / 1_000);
  return `none of ${tries} more in ${seconds} s got a good answer (the last one got ${last.status ?? 'none'})`;
}

const remedies: Readonly<Record<Why, string>> = {
  key:
    'look whether the key was revoked, has expired or is out of requests (one that was made without ' +
    'rateLimitEnabled=false is good for a few a day), and whether the platform is well; then run it again',
  throttled: 'run it again later, with fewer --connections',
};
