import { describe, expect, it } from 'vitest';
import { type FailedCall, PlatformError } from '../../src/api/platform-error.ts';

const call: FailedCall = {
  operation: 'compose.deploy',
  url: 'https://platform.example/api/compose.deploy',
  isWrite: true,
  failure: 'server',
  outcome: 'unknown',
  event: 'the server answered 500 INTERNAL_SERVER_ERROR',
  status: 500,
  code: 'INTERNAL_SERVER_ERROR',
  serverMessage: 'Build queue is full',
};

describe('an error of the platform', () => {
  it('states the event, the answer, the operation and what is known of a write', () => {
    const error = new PlatformError(call);
    expect(error.message).toBe(
      'the server answered 500 INTERNAL_SERVER_ERROR: "Build queue is full" ' +
        '(compose.deploy at https://platform.example); Trueup does not know whether the platform executed it',
    );
    expect(error.remedy).toBe(
      'Check what the platform has now before you repeat it. Try again, or read the log of the platform.',
    );
  });

  it.each([
    [
      'https://x.example/api',
      'https://x.example/api is not the root address of the platform: write https://x.example.',
    ],
    [
      'http://x.example/login',
      'http://x.example/login is not the root address of the platform: write http://x.example.',
    ],
    ['https://x.example/dokploy/dashboard/projects', /write https:\/\/x\.example\/dokploy\.$/],
    ['https://x.example:3000/api', /write https:\/\/x\.example:3000\.$/],
    ['http://x.example:3000/api', /write http:\/\/x\.example:3000\.$/],
    ['http://127.0.0.1:3000/api', /write http:\/\/127\.0\.0\.1:3000\.$/],
    ['https://x.example:8443', 'Write the address that the dashboard opens at in a browser.'],
    ['http://x.example', /^Write https:\/\/x\.example if the dashboard opens there: /],
    ['https://x.example', /^Check that the address is that of the platform/],
    ['https://x.example/dokploy', /^Check that the address is that of the platform/],
  ])('names the root address, where that in use, %s, leads to no platform', (base, remedy) => {
    const read = { ...call, operation: 'user.get', url: `${base}/api/user.get`, isWrite: false };
    for (const failure of ['unreadable', 'not found', 'invalid'] as const)
      expect(new PlatformError({ ...read, failure, status: 404 }).remedy).toMatch(remedy);
    const down = new PlatformError({ ...read, failure: 'server' });
    expect(down.remedy).toBe('Try again, or read the log of the platform.');
  });

  it.each([
    'https://x.example/api',
    'https://x.example/dokploy',
    'https://x.example:3000',
    'http://x.example',
    'http://127.0.0.1:3000/api',
  ])('doubts no address that answered as the platform before: %s', (base) => {
    const read = { ...call, operation: 'sshKey.all', url: `${base}/api/sshKey.all`, isWrite: false, hasAnswered: true };
    const about = { ...read, failure: 'unreadable', status: 404 } as const;
    expect(new PlatformError(about).remedy).toMatch(
      /^Check that the address is that of the platform, and that no proxy/,
    );
    expect(new PlatformError({ ...about, remedy: 'A proxy leads away.' }).remedy).toBe('A proxy leads away.');
  });

  it('names the whole path of an operation that the platform renamed', () => {
    const { message } = new PlatformError({ ...call, url: 'https://platform.example/x/api/stack.deploy' });
    expect(message).toContain('(compose.deploy at https://platform.example/x/api/stack.deploy)');
  });

  it.each([
    [{ status: 429 }, 'the platform did not execute it'],
    [{ status: undefined }, 'it was not sent'],
    [{ status: undefined, wasSent: true }, 'the platform did not execute it'],
  ])('of a write that was not executed claims no more than is known: %o', (about, known) => {
    const error = new PlatformError({ ...call, outcome: 'not executed', ...about });
    expect(error.message).toMatch(new RegExp(`; ${known}$`));
    expect(error.remedy).toBe('Try again, or read the log of the platform.');
  });

  it('of a read states that nothing was changed, unless the client sent a write before', () => {
    const of = (hasWritten: boolean) => new PlatformError({ ...call, isWrite: false, hasWritten }).message;
    expect(of(false)).toMatch(/; nothing was changed$/);
    expect(of(true)).toMatch(/\(compose\.deploy at https:\/\/platform\.example\)$/);
  });

  it('names the first five members that were refused', () => {
    const issues = ['a', 'b', 'c', 'd', 'e', 'f'].map((path) => ({ path, message: 'is wrong' }));
    const { message } = new PlatformError({ ...call, issues });
    expect(message).toContain('(a: is wrong; b: is wrong; c: is wrong; d: is wrong; e: is wrong)');
  });

  it('has a remedy of its own where the usual one does not fit', () => {
    expect(new PlatformError({ ...call, remedy: 'Turn it off and on.' }).remedy).toMatch(/ Turn it off and on\.$/);
  });

  it('carries the facts for programs', () => {
    expect(Object.fromEntries(Object.entries(new PlatformError({ ...call, retryAfterSeconds: 3 })))).toEqual({
      name: 'PlatformError',
      sentence: 'the server answered 500 INTERNAL_SERVER_ERROR (compose.deploy at https://platform.example)',
      known: 'Trueup does not know whether the platform executed it.',
      operation: 'compose.deploy',
      url: 'https://platform.example/api/compose.deploy',
      failure: 'server',
      outcome: 'unknown',
      remedy: 'Check what the platform has now before you repeat it. Try again, or read the log of the platform.',
      status: 500,
      code: 'INTERNAL_SERVER_ERROR',
      serverMessage: 'Build queue is full',
      issues: [],
      retryAfterSeconds: 3,
      isKeyRefused: false,
      isShutOut: false,
      neededBy: [],
    });
  });
});
