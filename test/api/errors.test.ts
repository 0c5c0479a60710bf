import { describe, expect, it } from 'vitest';
import { type FailedCall, PlatformError } from '../../src/api/errors.ts';

const call: FailedCall = {
  operation: 'compose.deploy',
  url: 'https://platform.example/api/compose.deploy',
  isWrite: true,
  failure: 'server',
  outcome: 'unknown',
  event: 'the answer was 500 INTERNAL_SERVER_ERROR',
  status: 500,
  code: 'INTERNAL_SERVER_ERROR',
  serverMessage: 'Build queue is full',
};

describe('an error of the platform', () => {
  it('is one sentence: what, where, why, what the server said, what is known, what to do', () => {
    expect(new PlatformError(call).message).toBe(
      'compose.deploy failed at https://platform.example/api/compose.deploy, ' +
        'because the answer was 500 INTERNAL_SERVER_ERROR: "Build queue is full"; ' +
        'it is not known whether the platform carried it out, so look at what it has now before you repeat it; ' +
        'try again, or look into the log of the platform',
    );
  });

  it('says that nothing was changed when that is proved', () => {
    expect(new PlatformError({ ...call, outcome: 'not executed' }).message).toContain('; nothing was changed; ');
  });

  it('says that nothing was changed by a read', () => {
    expect(new PlatformError({ ...call, isWrite: false }).message).toContain('; nothing was changed; ');
  });

  it('names the first five members that were refused', () => {
    const issues = ['a', 'b', 'c', 'd', 'e', 'f'].map((path) => ({ path, message: 'is wrong' }));
    const { message } = new PlatformError({ ...call, issues });
    expect(message).toContain('(a: is wrong; b: is wrong; c: is wrong; d: is wrong; e: is wrong)');
  });

  it('gives a remedy of its own where the usual one does not fit', () => {
    expect(new PlatformError({ ...call, remedy: 'turn it off and on' }).message).toMatch(/; turn it off and on$/);
  });

  it('carries the facts for programs', () => {
    expect(Object.fromEntries(Object.entries(new PlatformError({ ...call, retryAfterSeconds: 3 })))).toEqual({
      name: 'PlatformError',
      operation: 'compose.deploy',
      url: 'https://platform.example/api/compose.deploy',
      failure: 'server',
      outcome: 'unknown',
      status: 500,
      code: 'INTERNAL_SERVER_ERROR',
      serverMessage: 'Build queue is full',
      issues: [],
      retryAfterSeconds: 3,
      isKeyRefused: false,
    });
  });
});
