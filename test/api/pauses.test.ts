import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ClientOptions } from '../../src/api/client.ts';
import { createClient, interruptible } from '../../src/api/client.ts';
import { describeRefusal } from '../../src/api/pauses.ts';
import { PlatformError } from '../../src/api/platform-error.ts';
import type { Pause } from '../../src/api/circuit-breaker.ts';
import type { Send, WireAnswer } from '../../src/api/wire.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import type { Row } from '../../src/emulator/json-rows.ts';
import { seedWorld, type World } from '../../src/emulator/world.ts';
import { addKey } from '../emulator/people.ts';
import { effort } from '../support/whole.ts';

/** A platform that takes no requests for a while. Time passes only when somebody sleeps. */

const json = { 'content-type': 'application/json' };
const bare: WireAnswer = { status: 401, headers: json, body: '{"message":"Unauthorized"}' };
const limited: WireAnswer = { status: 401, headers: json, body: '{"message":"UNAUTHORIZED","code":"UNAUTHORIZED"}' };
const noRight: WireAnswer = { status: 401, headers: json, body: '{"message":"No access","code":"UNAUTHORIZED"}' };
const tooMany = (retryAfter?: string): WireAnswer => ({
  status: 429,
  headers: { ...json, ...(retryAfter === undefined ? {} : { 'retry-after': retryAfter }) },
  body: '{"message":"Too many requests"}',
});

/** What a proxy before the platform answers that wants a sign-in of its own. */
const ofProxy = (headers: Record<string, string>, body: string): WireAnswer => ({ status: 401, headers, body });
const signIns: readonly (readonly [what: string, answer: WireAnswer])[] = [
  ['a page', ofProxy({ 'content-type': 'text/html' }, '<html><title>Sign in</title></html>')],
  ['a text', ofProxy({ 'content-type': 'text/plain', 'www-authenticate': 'Basic realm="x"' }, '401 Unauthorized')],
  ['nothing', ofProxy({ 'www-authenticate': 'Basic realm="x"' }, '')],
];

/** What a platform does instead of carrying a request out; undefined: it carries it out. */
type Refuses = (operation: string, now: number) => WireAnswer | Error | undefined;

function platform(
  refuses: Refuses,
  options: Partial<ClientOptions> & { around?: (send: Send) => Send; world?: World } = {},
) {
  let now = 0;
  const naps: number[] = [];
  const pauses: Pause[] = [];
  /** The operations that were sent; `paused` and `resumed` stand between them. */
  const sent: string[] = [];
  const { world = seedWorld() } = options;
  const emulator = createEmulator({ world, now: () => new Date(Date.UTC(2026, 0, 1) + now) });
  const answer: Send = async (request) => {
    const operation = request.path.replace(/^\/api\/|\?.*$/g, '');
    sent.push(operation);
    await Promise.resolve();
    const refusal = refuses(operation, now);
    if (refusal instanceof Error) throw refusal;
    return refusal ?? emulator.send(request);
  };
  const client = createClient({
    send: (options.around ?? ((send) => send))(answer),
    url: 'https://platform.example',
    apiKey: 'emulator-key',
    redact: (text) => text,
    random: () => 0.5,
    clock: () => now,
    sleep: async (ms, signal) => {
      await Promise.resolve();
      if (signal?.aborted === true) return;
      naps.push(ms);
      now += ms;
    },
    onPause: (pause) => {
      pauses.push(pause);
      sent.push(pause.event);
    },
    ...options,
  });
  /** What the platform carried out of an operation. */
  const carriedOut = (operation: string) => emulator.log.filter((item) => item.operation === operation);
  const create = (name: string) => client.call('environment.create', { name, projectId: 'prj_1' });
  const look = () => client.call('environment.byProjectId', { projectId: 'prj_1' });
  return { client, emulator, naps, pauses, sent, carriedOut, create, look, time: () => now };
}

async function failureOf(work: Promise<unknown>): Promise<PlatformError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof PlatformError) return error;
  throw new Error('not a PlatformError', { cause: error });
}

describe('a 401 without a code after good answers', () => {
  it('makes reads and writes wait until user.get is answered, and then they are sent again', async () => {
    let isShut = false;
    const made = platform((_operation, now) => (isShut && now < 2_000 ? bare : undefined));
    await made.look();
    isShut = true;
    await Promise.all([made.create('a'), made.look(), made.create('b')]);
    const three = ['environment.create', 'environment.byProjectId', 'environment.create'];
    const between = ['user.get', 'paused', 'user.get', 'user.get', 'user.get', 'resumed'];
    expect(made.sent).toEqual(['environment.byProjectId', ...three, ...between, ...three]);
    expect(made.carriedOut('environment.create').map(({ status }) => status)).toEqual([200, 200]);
    expect(made.pauses).toEqual([
      { event: 'paused', why: 'key', code: undefined, goodAnswers: 1, limitMs: 600_000 },
      { event: 'resumed', waitedMs: 3_500 },
    ]);
    expect(made.client.counts).toEqual({ reads: 7, writes: 4 });
  });

  it('holds back every request that is made meanwhile', async () => {
    let isShut = false;
    const later: Promise<unknown>[] = [];
    const made = platform((operation, now) => {
      if (operation === 'user.get' && later.length === 0) later.push(made.create('later'), made.look());
      return isShut && now < 9_000 ? bare : undefined;
    });
    await made.look();
    isShut = true;
    await made.create('first');
    await Promise.all(later);
    const from = made.sent.indexOf('paused');
    const to = made.sent.indexOf('resumed');
    expect(to - from).toBeGreaterThan(3);
    expect(new Set(made.sent.slice(from + 1, to))).toEqual(new Set(['user.get']));
    expect(made.carriedOut('environment.create')).toHaveLength(2);
  });

  it('asks after 1 s, 2 s, 4 s and so on, 30 s at most, with jitter', async () => {
    let isShut = false;
    const made = platform((_operation, now) => (isShut && now < 100_000 ? bare : undefined));
    await made.look();
    isShut = true;
    await made.look();
    expect(made.naps.slice(0, 9)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000, 15_000]);
  });

  it('is a bad key when there was no good answer before: nothing is waited for', async () => {
    const made = platform(() => bare);
    expect(await failureOf(made.create('a'))).toMatchObject({ failure: 'authentication', outcome: 'not executed' });
    expect(made.sent).toEqual(['environment.create']);
    const together = platform(() => bare);
    const failures = await Promise.all([together.look(), together.look(), together.create('a')].map(failureOf));
    expect(failures.map(({ failure }) => failure)).toEqual(['authentication', 'authentication', 'authentication']);
    expect(together.sent).toHaveLength(3);
    expect(together.naps).toEqual([]);
  });

  it('is no bad key when it arrives before the good answer to a request that was sent with it', async () => {
    const slow = (send: Send): Send => {
      return async (request) => {
        const answer = send(request);
        for (let turn = 0; turn < 20 && request.path.includes('organization.all'); turn++) await Promise.resolve();
        return answer;
      };
    };
    const made = platform((operation, now) => (operation !== 'organization.all' && now < 100 ? bare : undefined), {
      around: slow,
    });
    await Promise.all([made.look(), made.client.call('organization.all', {})]);
    expect(made.pauses).toMatchObject([{ event: 'paused', goodAnswers: 1 }, { event: 'resumed' }]);
  });

  it('continues when the platform was down in between, with any answer of a proxy', async () => {
    const answers = [
      bare,
      Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }),
      { status: 502, headers: {}, body: 'Bad gateway' },
      { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>soon</html>' },
    ];
    let isShut = false;
    const made = platform(() => (isShut ? answers.shift() : undefined));
    await made.look();
    isShut = true;
    await made.create('a');
    expect(made.sent.slice(2)).toEqual([
      'user.get',
      'paused',
      ...Array<string>(3).fill('user.get'),
      'resumed',
      'environment.create',
    ]);
  });

  it('is reported with the number of tries when the limit has passed', async () => {
    let isShut = false;
    const made = platform(() => (isShut ? bare : undefined));
    await made.look();
    await made.look();
    isShut = true;
    const error = await failureOf(made.create('a'));
    expect(error).toMatchObject({ failure: 'authentication', outcome: 'not executed', status: 401, code: undefined });
    expect(error.message).toBe(
      'the platform no longer accepts the API key (401 after 2 good answers), and 44 further tries in 600 s failed ' +
        '(last answer: 401): "Unauthorized" (environment.create at https://platform.example); the platform did not ' +
        'execute it',
    );
    expect(error.remedy).toBe(
      'Check that the key is not revoked, expired or rate limited (a key that was made without a limit of its own has 10 uses ' +
        'in 24 hours, and the platform counts each request twice), and that the platform is well. Then run it again.',
    );
    expect(made.time()).toBe(600_000);
    expect(made.carriedOut('environment.create')).toEqual([]);
  });

  it.each([
    [{ status: 502, headers: {}, body: 'Bad gateway' }, '(last answer: 502): "Bad gateway"'],
    [Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }), '(last answer: none)'],
  ])('is reported with the last answer: %o', async (last, said) => {
    let isShut = false;
    const made = platform((operation) => (isShut ? (operation === 'user.get' ? last : bare) : undefined));
    await made.look();
    isShut = true;
    expect((await failureOf(made.create('a'))).message).toContain(said);
  });

  it('is waited for as long, and no longer, when a good answer to an earlier request comes in between', async () => {
    const late = (send: Send): Send => {
      return async (request) => {
        const answer = await send(request);
        const turns = request.path.includes('organization.all') ? 5 : 0;
        for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
        return answer;
      };
    };
    let isShut = false;
    const made = platform((operation) => (isShut && operation !== 'organization.all' ? bare : undefined), {
      around: late,
      pauseLimitMs: 20_000,
      sleep: async (ms) => {
        made.naps.push(ms);
        await new Promise((resolve) => setImmediate(resolve));
      },
    });
    await made.look();
    isShut = true;
    const [earlier, error] = await Promise.all([
      made.client.invoke('organization.all', {}),
      failureOf(made.create('a')),
    ]);
    expect(earlier).toHaveLength(1);
    expect(error.message).toContain('401 after 2 good answers');
    expect(made.naps.reduce((sum, ms) => sum + ms, 0)).toBe(20_000);
  });

  it('is waited for no longer after that, until there is a good answer again', async () => {
    let isShut = false;
    const made = platform(() => (isShut ? bare : undefined), { pauseLimitMs: 10_000 });
    await made.look();
    isShut = true;
    const failures = await Promise.all([made.create('a'), made.look(), made.create('b')].map(failureOf));
    expect(failures.map(({ status }) => status)).toEqual([401, 401, 401]);
    const before = made.sent.length;
    await failureOf(made.look());
    expect(made.sent.slice(before)).toEqual(['environment.byProjectId']);
    expect(made.time()).toBe(10_000);
    isShut = false;
    await made.look();
    isShut = true;
    await failureOf(made.look());
    expect(made.time()).toBe(20_000);
  });

  it('that was sent before the platform took requests again closes nothing', async () => {
    let give: () => void = () => undefined;
    const slow = (send: Send): Send => {
      return async (request) => {
        if (!request.path.includes('organization.all') || give.name === 'given') return send(request);
        await new Promise<void>((resolve) => {
          give = function given() {
            resolve();
          };
        });
        return bare;
      };
    };
    let isShut = false;
    const made = platform((_operation, now) => (isShut && now < 3_000 ? bare : undefined), { around: slow });
    await made.look();
    isShut = true;
    const late = made.client.call('organization.all', {});
    await made.look();
    give();
    expect(await late).toHaveLength(1);
    expect(made.pauses.map(({ event }) => event)).toEqual(['paused', 'resumed']);
  });

  it('with a limited key lets a run get through, a window at a time', async () => {
    let now = 0;
    const world = seedWorld();
    const limits = { rateLimitEnabled: true, rateLimitTimeWindow: 20_000, rateLimitMax: 12 };
    const apiKey = addKey(world, 'limited', 'user_1', {
      ...limits,
      requestCount: 0,
      metadata: JSON.stringify({ organizationId: 'org_1' }),
    });
    const emulator = createEmulator({ world, now: () => new Date(Date.UTC(2026, 0, 1) + now) });
    const client = createClient({
      send: emulator.send,
      url: 'https://platform.example',
      apiKey,
      redact: (text) => text,
      clock: () => now,
      random: () => 0.9,
      sleep: async (ms) => {
        await Promise.resolve();
        now += ms;
      },
    });
    const names = Array.from({ length: 30 }, (_, at) => `e${at}`);
    await Promise.all(names.map((name) => client.call('environment.create', { name, projectId: 'prj_1' })));
    const made = Object.values(world.tables.environment).map(({ name }) => String(name));
    expect(made.filter((name) => names.includes(name)).toSorted()).toEqual(names.toSorted());
  });
});

describe('an interruption', () => {
  it('ends the waiting of a request, and nothing is asked any more', async () => {
    const controller = new AbortController();
    let isShut = false;
    const made = platform((_operation, now) => {
      if (now > 20_000) controller.abort();
      return isShut ? bare : undefined;
    });
    const client = interruptible(made.client, controller.signal);
    await made.look();
    isShut = true;
    const error = await failureOf(client.call('environment.create', { name: 'a', projectId: 'prj_1' }));
    expect(error).toMatchObject({ failure: 'authentication', outcome: 'not executed' });
    expect(error.message).toContain('401 after 1 good answer), and the run was interrupted');
    const { length } = made.sent;
    await new Promise((resolve) => setImmediate(resolve));
    expect(made.sent).toHaveLength(length);
    // While nothing is taken, what comes now does not wait at all.
    expect((await failureOf(client.invoke('user.all', {}))).message).toContain('the run was interrupted');
    expect(made.sent).toHaveLength(length);
  });

  it('ends the wait before the next user.get, which is not sent; a later request waits anew', async () => {
    const controller = new AbortController();
    let isShut = false;
    const sleeps: boolean[] = [];
    const made = platform(() => (isShut ? bare : undefined), {
      sleep: async (_ms, signal) => {
        if (sleeps.length === 0) {
          setImmediate(() => controller.abort());
          await new Promise((resolve) => signal?.addEventListener('abort', resolve));
        } else isShut = false;
        sleeps.push(signal?.aborted === true);
      },
    });
    await made.look();
    isShut = true;
    expect((await failureOf(made.client.invoke('user.all', {}, controller))).message).toContain('interrupted');
    await new Promise((resolve) => setImmediate(resolve));
    expect(made.sent).toEqual(['environment.byProjectId', 'user.all', 'user.get', 'paused']);
    await made.create('a');
    expect(made.sent.slice(4)).toEqual(['user.get', 'resumed', 'environment.create']);
    expect(sleeps).toEqual([true, false]);
  });

  it('of one of two leaves the other waiting', async () => {
    const controller = new AbortController();
    let isShut = false;
    const made = platform((_operation, now) => {
      if (now > 5_000) controller.abort();
      return isShut && now < 30_000 ? bare : undefined;
    });
    await made.look();
    isShut = true;
    const [left] = await Promise.all([failureOf(made.client.invoke('user.all', {}, controller)), made.create('b')]);
    expect(left.message).toContain('interrupted');
    expect(made.carriedOut('environment.create')).toHaveLength(1);
  });

  it('changes nothing while requests are taken', async () => {
    const made = platform(() => undefined);
    await expect(interruptible(made.client, AbortSignal.abort()).call('organization.all', {})).resolves.toHaveLength(1);
  });
});

describe('429', () => {
  it.each([
    ['seconds', '7', [7_000]],
    ['less than the usual wait', '0', [500]],
    ['nothing that can be read', 'soon', [500]],
    ['nothing', undefined, [500]],
  ])('with %s in Retry-After is waited for, and a write is repeated', async (_what, header, naps) => {
    let isFirst = true;
    const made = platform(() => {
      const answer = isFirst ? tooMany(header) : undefined;
      isFirst = false;
      return answer;
    });
    await made.create('a');
    expect(made.naps).toEqual(naps);
    expect(made.sent).toEqual(['environment.create', 'paused', 'user.get', 'resumed', 'environment.create']);
    expect(made.pauses[0]).toMatchObject({ why: 'throttled', goodAnswers: 0 });
  });

  it('with a date in Retry-After is waited for until then', async () => {
    let isFirst = true;
    const made = platform(() => {
      const answer = isFirst ? tooMany(new Date(Date.now() + 45_000).toUTCString()) : undefined;
      isFirst = false;
      return answer;
    });
    await made.look();
    expect(made.naps[0]).toBeGreaterThan(43_000);
    expect(made.naps[0]).toBeLessThanOrEqual(46_000);
  });

  it('that asks for more than the limit is reported at once', async () => {
    const made = platform(() => tooMany('3600'));
    const error = await failureOf(made.create('a'));
    expect(error).toMatchObject({ failure: 'throttled', outcome: 'not executed', retryAfterSeconds: 3_600 });
    expect(error.remedy).toBe('Try again in 3600 s.');
    expect(made.sent).toEqual(['environment.create']);
  });

  it('again and again is reported when the limit has passed', async () => {
    const made = platform(() => tooMany('90'));
    const error = await failureOf(made.create('a'));
    expect(error).toMatchObject({ failure: 'throttled', status: 429, retryAfterSeconds: 90 });
    expect(error.message).toContain(
      'takes no more requests for now (429 after 0 good answers), and 6 further tries in',
    );
  });
});

describe('a 401 with the message UNAUTHORIZED', () => {
  it('means a rejected key: all requests wait until the key is accepted, then this one is sent again', async () => {
    let isShut = false;
    const made = platform((_operation, now) => (isShut && now < 2_000 ? limited : undefined));
    await made.look();
    isShut = true;
    await made.create('a');
    expect(made.sent.slice(1)).toEqual([
      'environment.create',
      'user.get',
      'paused',
      'user.get',
      'user.get',
      'user.get',
      'resumed',
      'environment.create',
    ]);
    expect(made.pauses[0]).toMatchObject({ event: 'paused', why: 'key', goodAnswers: 1 });
    expect(made.carriedOut('environment.create').map(({ status }) => status)).toEqual([200]);
  });

  it('is a bad key, and no missing right, when there was no good answer before', async () => {
    const made = platform(() => limited);
    const error = await failureOf(made.client.call('user.get', {}));
    expect(error).toMatchObject({ failure: 'authentication', outcome: 'not executed', isKeyRefused: true });
    expect(error.message).toContain('the platform rejected the API key (401)');
    expect(error.remedy).toBe('Check that the API key is right, and not revoked, expired or rate limited.');
    expect(made.sent).toEqual(['user.get']);
  });
});

describe('a connection that cannot be opened', () => {
  const noConnection = (code: string) => Object.assign(new Error('connect'), { code });

  it.each(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'])(
    'after a good answer (%s) makes reads and writes wait until user.get is answered',
    async (code) => {
      let since: number | undefined;
      const made = platform((_operation, now) =>
        since !== undefined && now - since < 20_000 ? noConnection(code) : undefined,
      );
      await made.look();
      since = made.time();
      await Promise.all([made.create('a'), made.look(), made.create('b')]);
      expect(made.carriedOut('environment.create').map(({ status }) => status)).toEqual([200, 200]);
      expect(made.pauses).toEqual([
        { event: 'paused', why: 'unreachable', code, goodAnswers: 1, limitMs: 600_000 },
        { event: 'resumed', waitedMs: 30_500 },
      ]);
      const { length } = made.sent.filter((operation) => operation !== 'user.get');
      expect(length).toBe(1 + 3 + 2 + 3);
    },
  );

  it('before any good answer fails: a write at once, a read after four attempts', async () => {
    const made = platform(() => noConnection('ECONNREFUSED'));
    expect(await failureOf(made.create('a'))).toMatchObject({ failure: 'connection', outcome: 'not executed' });
    expect(made.sent).toEqual(['environment.create']);
    expect((await failureOf(made.look())).message).toContain('the server refused the connection');
    expect(made.sent.slice(1)).toEqual(Array<string>(4).fill('environment.byProjectId'));
    expect(made.pauses).toEqual([]);
    expect(made.time()).toBe(1_750);
  });

  it('is reported with the number of tries when the limit has passed, for reads and writes alike', async () => {
    let isDown = false;
    const made = platform(() => (isDown ? noConnection('ECONNREFUSED') : undefined));
    await made.look();
    isDown = true;
    const [write, read] = await Promise.all([failureOf(made.create('a')), failureOf(made.look())]);
    expect(write).toMatchObject({ failure: 'connection', outcome: 'not executed', status: undefined });
    expect(write.message).toBe(
      'the platform can no longer be reached (ECONNREFUSED after 1 good answer), and 44 further tries in 600 s failed ' +
        '(last answer: none) (environment.create at https://platform.example); it was not sent',
    );
    expect(write.remedy).toBe('Check that the platform runs. Then run it again.');
    expect(read.message).toContain('and 44 further tries in 600 s failed');
    expect(made.time()).toBe(600_000);
    // Later requests do not wait as long once more.
    const { length } = made.sent;
    await failureOf(made.look());
    expect(made.sent.slice(length)).toEqual(['environment.byProjectId']);
    expect(made.time()).toBe(600_000);
  });

  it('is not waited for by a client that waits for nothing', async () => {
    let isDown = false;
    const made = platform(() => (isDown ? noConnection('ECONNREFUSED') : undefined), {
      readAttempts: 1,
      pauseLimitMs: 0,
    });
    await made.look();
    isDown = true;
    expect((await failureOf(made.look())).message).toContain('the server refused the connection');
    expect({ naps: made.naps, pauses: made.pauses }).toEqual({ naps: [], pauses: [] });
  });

  it('that breaks off in the middle makes only reads repeat: what the write did is unknown', async () => {
    const broken = noConnection('ECONNRESET');
    let left = 0;
    const made = platform(() => (left-- > 0 ? broken : undefined));
    await made.look();
    left = 1;
    await made.look();
    left = 1;
    expect(await failureOf(made.create('a'))).toMatchObject({ failure: 'connection', outcome: 'unknown' });
    expect(made.pauses).toEqual([]);
  });
});

describe('a missing right with the words of a refused key', () => {
  const ofMember = { status: 200, headers: json, body: '{"role":"member","organizationId":"org_1"}' };
  const ofAi = (operation: string) => operation.startsWith('ai.');

  it('is one once the platform accepts the key twice: nothing is waited for, and the right is named', async () => {
    const made = platform((operation) => (ofAi(operation) ? limited : operation === 'user.get' ? ofMember : undefined));
    await made.look();
    const error = await failureOf(made.client.call('ai.getAll', {}));
    expect(error).toMatchObject({ failure: 'forbidden', outcome: 'not executed', isKeyRefused: false, status: 401 });
    expect(error.sentence).toBe(
      'the API key has no right to this (401 Unauthorized from ai.getAll at https://platform.example)',
    );
    expect(error.remedy).toBe(
      'Use the API key of a user who has the right to do this. A member needs the role owner or admin.',
    );
    expect(made.sent).toEqual(['environment.byProjectId', 'ai.getAll', 'user.get', 'ai.getAll', 'user.get']);
    expect(made.naps).toEqual([]);
    // From then on it is known.
    await failureOf(made.client.call('ai.getAll', {}));
    expect(made.sent.slice(5)).toEqual(['ai.getAll']);
  });

  it('is one for the first request of a run too, and of many at a time with two tests', async () => {
    const made = platform((operation) => (ofAi(operation) ? limited : operation === 'user.get' ? ofMember : undefined));
    const ids = Array.from({ length: 9 }, (_, at) => `ai_${at}`);
    const failures = await Promise.all(ids.map((aiId) => failureOf(made.client.call('ai.one', { aiId }))));
    expect(new Set(failures.map(({ failure }) => failure))).toEqual(new Set(['forbidden']));
    expect(made.sent.filter((operation) => operation === 'user.get')).toHaveLength(2);
    // Four at a time: the others are sent once it is known.
    expect(made.sent.filter(ofAi)).toHaveLength(13);
    expect(made.pauses).toEqual([]);
  });

  it('of a write is one, and the write was not executed', async () => {
    const made = platform((operation) => (ofAi(operation) ? limited : operation === 'user.get' ? ofMember : undefined));
    await made.look();
    const work = made.client.withConnection('ai.delete', (own) => own.call('ai.delete', { aiId: 'a' }));
    expect(await failureOf(work)).toMatchObject({ failure: 'forbidden', outcome: 'not executed', isKeyRefused: false });
    expect(made.pauses).toEqual([]);
  });

  it('is none of an owner, who has every right: the database restarts, and the request is sent again', async () => {
    let refusals = 4;
    const made = platform((operation) => (ofAi(operation) && refusals-- > 0 ? limited : undefined));
    await made.client.call('user.get', {});
    expect(await made.client.call('ai.getAll', {})).toEqual([]);
    expect(made.pauses).toEqual([]);
  });

  it('is none while the key is refused: then the requests wait', async () => {
    const made = platform((operation, now) => {
      if (ofAi(operation)) return limited;
      return operation === 'user.get' ? (now < 2_000 ? limited : ofMember) : undefined;
    });
    await made.look();
    const error = await failureOf(made.client.call('ai.getAll', {}));
    expect(error.failure).toBe('forbidden');
    expect(made.pauses).toMatchObject([{ event: 'paused' }, { event: 'resumed' }]);
  });
});

describe('a key that may be one without a limit of its own', () => {
  const limitOfNewKey = { uses: 10, windowMs: 86_400_000 };

  it('is not waited for when it is refused within its uses: the error names the limit', async () => {
    let isShut = false;
    const made = platform(() => (isShut ? bare : undefined), { limitOfNewKey });
    for (let good = 0; good < 5; good++) await made.look();
    isShut = true;
    const failures = await Promise.all([made.look(), made.create('a')].map(failureOf));
    for (const error of failures) {
      expect(error).toMatchObject({
        failure: 'authentication',
        outcome: 'not executed',
        status: 401,
        isKeyRefused: true,
      });
      expect(error.sentence).toContain(
        'the platform no longer accepts the API key (401 after 5 good answers): a key that was made without a limit of its own ' +
          'has 10 uses in 24 hours, and the platform counts each request twice',
      );
      expect(error.remedy).toBe(
        'Make a key without a limit, in the profile of a user or with a key that works: trueup call user.createApiKey. ' +
          'Set TRUEUP_API_KEY to it. This key works again 24 hours after its last good answer, unless it was revoked or has expired.',
      );
    }
    expect(made.sent.slice(5)).toEqual(['environment.byProjectId', 'environment.create', 'user.get']);
    expect(made.naps).toEqual([]);
    expect(made.pauses).toEqual([]);
  });

  it('is waited for after more uses: its limit is another one', async () => {
    let isShut = false;
    const made = platform((_operation, now) => (isShut && now < 60_000 ? bare : undefined), { limitOfNewKey });
    for (let good = 0; good < 6; good++) await made.look();
    isShut = true;
    await made.look();
    expect(made.pauses).toMatchObject([{ event: 'paused' }, { event: 'resumed' }]);
  });

  it('is waited for when the wait may be as long as the limit', async () => {
    let isShut = false;
    const about = { limitOfNewKey: { uses: 10, windowMs: 600_000 } };
    const made = platform((_operation, now) => (isShut && now < 60_000 ? bare : undefined), about);
    await made.look();
    isShut = true;
    await made.look();
    expect(made.pauses).toMatchObject([{ event: 'paused' }, { event: 'resumed' }]);
  });

  it('is waited for when no answer comes to the test: that says nothing of a limit', async () => {
    const answers = [bare, Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })];
    let isShut = false;
    const made = platform(() => (isShut ? answers.shift() : undefined), { limitOfNewKey });
    await made.look();
    isShut = true;
    await made.look();
    expect(made.pauses).toMatchObject([{ event: 'paused' }, { event: 'resumed' }]);
  });
});

describe('a key with a limit of its own', () => {
  const limitOfNewKey = { uses: 10, windowMs: 86_400_000 };
  const metadata = JSON.stringify({ organizationId: 'org_1' });

  /** A platform with a key of user_1, and a run that reads a lot with it. */
  function withKey(limits: Row, { role = 'owner' }: { readonly role?: string } = {}) {
    const world = seedWorld();
    addKey(world, 'limited', 'user_1', { metadata, requestCount: 0, ...limits });
    Object.values(world.tables.member).forEach((row) => Object.assign(row, { role }));
    const made = platform(() => undefined, { limitOfNewKey, apiKey: 'limited', world });
    return {
      ...made,
      read: async (count: number) => {
        await made.client.call('user.get', {});
        for (let at = 1; at < count; at++) await made.client.call('user.haveRootAccess', {});
      },
      /** All at the same time, as a plan reads. */
      readTogether: async (count: number) => {
        await made.client.call('user.get', {});
        const reads = Array.from({ length: count - 1 }, () => made.client.call('user.haveRootAccess', {}));
        return (await Promise.allSettled(reads)).filter(({ status }) => status === 'rejected').length;
      },
    };
  }

  it.each([
    [
      { rateLimitMax: 24, rateLimitTimeWindow: 86_400_000 },
      'has a rate limit of 24 uses in 24 hours',
      '24 hours after',
    ],
    [
      { rateLimitMax: 25, rateLimitTimeWindow: 5_400_000 },
      'has a rate limit of 25 uses in 90 minutes',
      '90 minutes after',
    ],
    [
      { rateLimitMax: 12, rateLimitTimeWindow: 604_800_000 },
      'has a rate limit of 12 uses in 168 hours',
      '168 hours after',
    ],
    [{ rateLimitEnabled: false, remaining: 20 }, 'has a fixed number of uses', undefined],
    [
      { rateLimitEnabled: false, remaining: 20, refillAmount: 50, refillInterval: 3_600_000 },
      'has a rate limit of 50 uses in 1 hour',
      '1 hour after',
    ],
  ])('is not waited for where its window is longer than the longest wait: %j', async (limits, clause, again) => {
    const made = withKey({ rateLimitEnabled: true, ...limits });
    const error = await failureOf(made.read(20));
    expect(error).toMatchObject({ failure: 'authentication', outcome: 'not executed', status: 401 });
    expect(error.sentence).toContain(`: the key ${clause}, and the platform counts each request twice`);
    if (again === undefined) expect(error.remedy).not.toContain('works again');
    else expect(error.remedy).toContain(`This key works again ${again} its last good answer`);
    expect(made.naps).toEqual([]);
    expect(made.pauses).toEqual([]);
    expect(made.sent.filter((operation) => operation === 'user.getBackups')).toHaveLength(1);
  });

  it('is read in time by a run that asks for everything at once, as a plan does', async () => {
    const made = withKey({ rateLimitEnabled: true, rateLimitMax: 24, rateLimitTimeWindow: 86_400_000 });
    expect(await made.readTogether(40)).toBeGreaterThan(20);
    expect(made.pauses).toEqual([]);
    expect(made.naps).toEqual([]);
    expect(made.sent.filter((operation) => operation === 'user.getBackups')).toHaveLength(1);
  });

  it('is waited for while it has many uses left: the database restarts', async () => {
    const world = seedWorld();
    const limits = { rateLimitEnabled: true, rateLimitMax: 10_000, rateLimitTimeWindow: 86_400_000, requestCount: 40 };
    addKey(world, 'limited', 'user_1', { metadata, ...limits, lastRequest: '2025-12-31T23:59:59.000Z' });
    let isShut = false;
    const made = platform((_operation, now) => (isShut && now < 9_000 ? bare : undefined), {
      limitOfNewKey,
      apiKey: 'limited',
      world,
    });
    await made.client.call('user.get', {});
    for (let at = 1; at < 9; at++) await made.look();
    expect(made.sent).toContain('user.getBackups');
    isShut = true;
    await made.look();
    expect(made.pauses).toMatchObject([{ event: 'paused' }, { event: 'resumed' }]);
  });

  it('is waited for where its window is shorter', async () => {
    const made = withKey({ rateLimitEnabled: true, rateLimitMax: 14, rateLimitTimeWindow: 60_000 });
    await made.read(20);
    expect(made.pauses.length).toBeGreaterThan(1);
  });

  it('is not read by a member, who may not, nor by a run of five requests', async () => {
    const member = withKey({ rateLimitEnabled: false }, { role: 'member' });
    await member.read(20);
    expect(member.sent).not.toContain('user.getBackups');
    const short = withKey({ rateLimitEnabled: false });
    await short.read(5);
    expect(short.sent).toHaveLength(5);
  });

  it('leaves a key without a limit to be waited for', async () => {
    let isShut = false;
    const world = seedWorld();
    addKey(world, 'unlimited', 'user_1', { metadata });
    const made = platform((_operation, now) => (isShut && now < 60_000 ? bare : undefined), {
      limitOfNewKey,
      apiKey: 'unlimited',
      world,
    });
    await made.client.call('user.get', {});
    for (let at = 1; at < 7; at++) await made.look();
    expect(made.sent).toContain('user.getBackups');
    isShut = true;
    await made.look();
    expect(made.pauses).toMatchObject([{ event: 'paused' }, { event: 'resumed' }]);
  });

  it('that the platform does not show is waited for as before', async () => {
    let isShut = false;
    const made = platform(
      (operation, now) => (operation === 'user.getBackups' ? noRight : isShut && now < 9_000 ? bare : undefined),
      { limitOfNewKey },
    );
    await made.client.call('user.get', {});
    for (let at = 1; at < 7; at++) await made.look();
    expect(made.sent.filter((operation) => operation === 'user.getBackups')).toHaveLength(1);
    isShut = true;
    await made.look();
    expect(made.pauses).toMatchObject([{ event: 'paused' }, { event: 'resumed' }]);
  });
});

describe('a sign-in of a proxy in the place of all answers', () => {
  it.each(signIns)('that is %s is waited for after good answers, also by a write', async (_what, refusal) => {
    let isShut = false;
    const made = platform((_operation, now) => (isShut && now < 2_000 ? refusal : undefined));
    await made.look();
    isShut = true;
    await Promise.all([made.create('a'), made.look()]);
    expect(made.carriedOut('environment.create').map(({ status }) => status)).toEqual([200]);
    expect(made.pauses).toEqual([
      { event: 'paused', why: 'sign-in', code: undefined, goodAnswers: 1, limitMs: 600_000 },
      { event: 'resumed', waitedMs: 3_500 },
    ]);
    expect(describeRefusal({ why: 'sign-in', code: undefined, goodAnswers: 1 })).toBe(
      'a proxy before the platform asks for a sign-in of its own (401 after 1 good answer)',
    );
  });

  it.each(signIns)('that is %s and stays is an error of the proxy after the longest wait', async (_what, refusal) => {
    let isShut = false;
    const made = platform(() => (isShut ? refusal : undefined));
    await made.look();
    isShut = true;
    const error = await failureOf(made.create('a'));
    expect(made.time()).toBe(600_000);
    expect(error).toMatchObject({ failure: 'redirect', isKeyRefused: false, outcome: 'not executed', status: 401 });
    expect(error.sentence).toMatch(/asks for a sign-in of its own \(401 after 1 good answer\), and \d+ further tries/);
    expect(error.remedy).toContain('let requests to /api pass without signing in');
  });

  it.each(signIns)('that is %s fails at once before the first good answer', async (_what, refusal) => {
    const made = platform(() => refusal);
    expect(await failureOf(made.look())).toMatchObject({ failure: 'redirect', isKeyRefused: false, status: 401 });
    expect([made.sent, made.naps]).toEqual([['environment.byProjectId'], []]);
  });
});

describe('a sign-in of a proxy, behind which the key is refused by then', () => {
  const shut = (options: Partial<ClientOptions>) => {
    let isShut = false;
    const [[, signIn]] = signIns as unknown as readonly [(typeof signIns)[number]];
    const refusal = (operation: string) => (operation === 'user.get' ? bare : signIn);
    const made = platform((operation) => (isShut ? refusal(operation) : undefined), options);
    return { ...made, close: () => void (isShut = true) };
  };
  const ofKey = 'the platform no longer accepts the API key (401 after 1 good answer)';

  it('is an error of the key alone where that has a limit', async () => {
    const made = shut({ limitOfNewKey: { uses: 10, windowMs: 86_400_000 } });
    await made.look();
    made.close();
    const error = await failureOf(made.create('a'));
    expect(error).toMatchObject({ failure: 'authentication', isKeyRefused: true, status: 401 });
    expect(error.sentence).toContain(
      `${ofKey}: a key that was made without a limit of its own has 10 uses in 24 hours`,
    );
    expect(error.message).not.toContain('proxy');
    expect(error.remedy).toContain('Make a key without a limit');
  });

  it('is an error of the key alone after the longest wait', async () => {
    const made = shut({});
    await made.look();
    made.close();
    const error = await failureOf(made.create('a'));
    expect(error).toMatchObject({ failure: 'authentication', isKeyRefused: true, serverMessage: 'Unauthorized' });
    expect(error.sentence).toContain(`${ofKey}, and `);
    expect([error.message, error.remedy].join(' ')).not.toContain('proxy');
    expect(made.pauses).toMatchObject([{ event: 'paused', why: 'key' }]);
  });

  it('is an error of the proxy alone where the key was refused first', async () => {
    let refusal: WireAnswer | undefined;
    const [[, signIn]] = signIns as unknown as readonly [(typeof signIns)[number]];
    const made = platform((_operation, now) => refusal && (now < 60_000 ? refusal : signIn));
    await made.look();
    refusal = bare;
    const error = await failureOf(made.create('a'));
    expect(error).toMatchObject({ failure: 'redirect', isKeyRefused: false, status: 401 });
    expect(error.sentence).toContain(
      'a proxy before the platform asks for a sign-in of its own (401 after 1 good answer), and ',
    );
    expect(error.remedy).toContain('let requests to /api pass without signing in');
  });
});

describe('a 401 of one path, beside a key that is accepted', () => {
  const ofOne = (refusal: WireAnswer) => platform((operation) => (operation === 'ai.getAll' ? refusal : undefined));

  it.each(signIns)(
    'that is %s of a proxy is sent five times within seconds, and its error names the proxy',
    async (_what, refusal) => {
      const made = ofOne(refusal);
      await made.look();
      const error = await failureOf(made.client.call('ai.getAll', {}));
      expect(made.sent.filter((operation) => operation === 'ai.getAll')).toHaveLength(5);
      expect(made.time()).toBeLessThan(20_000);
      expect(made.pauses).toEqual([]);
      expect(error).toMatchObject({ failure: 'redirect', isKeyRefused: false, outcome: 'not executed', status: 401 });
      expect(error.sentence).toContain('a proxy before the platform asks for a sign-in of its own (401');
      expect(error.remedy).toContain('let requests to /api pass without signing in');
      const { length } = made.sent;
      await failureOf(made.client.call('ai.getAll', {}));
      expect(made.sent.slice(length)).toEqual(['ai.getAll', 'user.get', 'ai.getAll', 'user.get']);
    },
  );

  it.each([
    ['of an owner, with a code', limited],
    ['without a code', bare],
  ])(
    '%s is sent five times within seconds, and twice from then on, if the key is accepted then',
    async (_what, refusal) => {
      const made = ofOne(refusal);
      await made.client.call('user.get', {});
      const error = await failureOf(made.client.call('ai.getAll', {}));
      expect(made.sent.filter((operation) => operation === 'ai.getAll')).toHaveLength(5);
      expect(made.time()).toBeLessThan(20_000);
      expect(error).toMatchObject({ failure: 'forbidden', isKeyRefused: false, outcome: 'not executed', status: 401 });
      expect(error.sentence).toContain('the API key is refused for this request, and accepted for others (401');
      const { length } = made.sent;
      await failureOf(made.client.call('ai.getAll', {}));
      expect(made.sent.slice(length)).toEqual(['ai.getAll', 'user.get', 'ai.getAll', 'user.get']);
      expect(made.pauses).toEqual([]);
    },
  );

  it('says nothing of it later, when the platform restarts or the key is revoked', async () => {
    let isRefused = (operation: string, _now: number): boolean => operation === 'environment.create';
    const made = platform((operation, now) => (isRefused(operation, now) ? bare : undefined));
    await made.look();
    expect(await failureOf(made.create('a'))).toMatchObject({ failure: 'forbidden' });
    const until = made.time() + 3_000;
    isRefused = (_operation, now) => now < until;
    await made.create('b');
    isRefused = () => true;
    const error = await failureOf(made.create('c'));
    expect(error.isKeyRefused).toBe(true);
    expect(error.sentence).not.toContain('accepted for others');
  });

  it('of a write was not executed', async () => {
    const made = platform((operation) => (operation === 'environment.create' ? bare : undefined));
    await made.look();
    expect(await failureOf(made.create('a'))).toMatchObject({ failure: 'forbidden', outcome: 'not executed' });
    expect(made.sent.filter((item) => item === 'environment.create')).toHaveLength(5);
  });
});

describe('a 401 with a code', () => {
  it('fails at once, and nothing waits for it', async () => {
    const made = platform((operation) => (operation === 'environment.create' ? noRight : undefined));
    await made.look();
    expect(await failureOf(made.create('a'))).toMatchObject({ status: 401, code: 'UNAUTHORIZED', isKeyRefused: false });
    expect(made.sent).toEqual(['environment.byProjectId', 'environment.create']);
    expect(made.naps).toEqual([]);
  });

  it('of user.get shows that the key is accepted again', async () => {
    let isShut = false;
    const made = platform((operation, now) => {
      if (!isShut) return undefined;
      return operation === 'user.get' && now > 2_000 ? noRight : now < 2_000 ? bare : undefined;
    });
    await made.look();
    isShut = true;
    await made.create('a');
    expect(made.carriedOut('environment.create')).toHaveLength(1);
  });
});

it('with any refusals at any time, every write is executed once, and only user.get is sent meanwhile', async () => {
  const span = fc.record({
    from: fc.integer({ min: 1, max: 60 }),
    requests: fc.integer({ min: 1, max: 8 }),
    answer: fc.constantFrom<WireAnswer | Error>(
      bare,
      tooMany(),
      tooMany('3'),
      Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }),
    ),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(span, { maxLength: 6 }),
      fc.array(fc.boolean(), { minLength: 1, maxLength: 25 }),
      fc.integer({ min: 1, max: 8 }),
      async (spans, writes, width) => {
        let count = 0;
        const made = platform(() => {
          count += 1;
          return spans.find(({ from, requests }) => count > from && count <= from + requests)?.answer;
        });
        await made.look();
        const left = writes.map((isWrite, at) => () => (isWrite ? made.create(`e${at}`) : made.look()));
        const work = async (): Promise<void> => {
          for (let next = left.shift(); next !== undefined; next = left.shift()) await next();
        };
        await Promise.all(Array.from({ length: width }, work));
        const names = made
          .carriedOut('environment.create')
          .map(({ input, status }) => `${(input as { name: string }).name} ${status}`);
        const meant = writes.flatMap((isWrite, at) => (isWrite ? [`e${at} 200`] : []));
        expect(names.toSorted()).toEqual(meant.toSorted());
        let isPaused = false;
        for (const item of made.sent) {
          if (item === 'paused' || item === 'resumed') isPaused = item === 'paused';
          else if (isPaused) expect(item).toBe('user.get');
        }
        expect(isPaused).toBe(false);
      },
    ),
    // A request that has its connection is not sent when another one is refused just then.
    {
      numRuns: effort({ fast: 60, full: 300 }),
      examples: [[[{ from: 9, requests: 1, answer: bare }], Array<boolean>(11).fill(false), 5]],
    },
  );
});
