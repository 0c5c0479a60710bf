import { type Call, fail } from './failed-call.ts';
import type { FailedCall, PlatformError } from './platform-error.ts';
import type { InVain, Why } from './circuit-breaker.ts';
import { describeLimit, remedyForLimit } from './key-limit.ts';
import { isOfProxy } from './proxy-error.ts';

/** The error of a call that waited in vain until the platform takes requests again. Never throws. */
export function explainPause(call: Call, inVain: InVain): PlatformError {
  const { is, why, last, keyLimit } = inVain;
  return fail(call, {
    ...endings[why],
    outcome: 'not executed',
    isShutOut: is !== 'interrupted',
    event: describeEnd(inVain),
    ...(is === 'used up' ? { remedy: remedyForLimit(keyLimit) } : {}),
    ...(isOfProxy(last.code) ? { remedy: last.remedy } : {}),
    code: why === 'unreachable' ? inVain.code : undefined,
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
export function describeRefusal({ why, code, goodAnswers }: Pick<InVain, 'why' | 'code' | 'goodAnswers'>): string {
  const after = `after ${goodAnswers} good answer${goodAnswers === 1 ? '' : 's'}`;
  if (why === 'key') return `the platform no longer accepts the API key (401 ${after})`;
  if (why === 'sign-in') return `a proxy before the platform asks for a sign-in of its own (401 ${after})`;
  if (why === 'throttled') return `the platform takes no more requests for now (429 ${after})`;
  return `the platform can no longer be reached (${code ?? 'no connection'} ${after})`;
}

function describeEnd(inVain: InVain): string {
  const refusal = describeRefusal(inVain);
  switch (inVain.is) {
    case 'limit':
      return `${refusal}, and ${describeTries(inVain)}`;
    case 'interrupted':
      return `${refusal}, and ${interrupted}`;
    case 'used up':
      return `${refusal}: ${describeLimit(inVain.keyLimit)}`;
    case 'refused':
      return refusal;
    default:
      return inVain.is satisfies never;
  }
}

const interrupted = 'the run was interrupted while it waited';

function describeTries({ tries, waitedMs, last }: InVain): string {
  const seconds = Math.round(waitedMs / 1_000);
  return `${tries} further ${tries === 1 ? 'try' : 'tries'} in ${seconds} s failed (last answer: ${last.status ?? 'none'})`;
}

const endings: Readonly<Record<Why, Pick<FailedCall, 'failure' | 'status' | 'remedy' | 'isDenied'>>> = {
  key: {
    failure: 'authentication',
    status: 401,
    remedy:
      `Check that the key is not revoked, expired or rate limited (${describeLimit()}), and that the platform is well. ` +
      'Then run it again.',
  },
  'sign-in': { failure: 'redirect', status: 401, isDenied: true },
  throttled: { failure: 'throttled', status: 429, remedy: 'Run it again later, with fewer --connections.' },
  unreachable: { failure: 'connection', remedy: 'Check that the platform runs. Then run it again.' },
};
