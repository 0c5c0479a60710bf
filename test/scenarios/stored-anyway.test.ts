import { describe, expect, test } from 'vitest';
import type { WireAnswer, WireRequest } from '../../src/api/wire.ts';
import type { ApplyResult } from '../../src/apply/job.ts';
import { failure, page } from '../../src/emulator/faults/fault-answers.ts';
import { endingOf } from '../../src/documents/result-document.ts';
import { composeBody } from '../support/manifest-texts.ts';
import { killedRun } from '../support/histories.ts';
import type { Bench } from '../support/world.ts';
import { bench, head } from '../support/world.ts';

/** Requests that the platform answers with an error after it stored the row: nothing of it counts as proven. */

const everything = { dataLoss: true, massDelete: true, adopt: true };

const actionsOf = async (made: Bench, text: string) =>
  (await made.plan(text)).actions
    .filter(({ action }) => action !== 'no-op')
    .map((one) => `${one.action} ${one.address}`);

const warnings = ({ outcomes }: ApplyResult) =>
  outcomes.flatMap(({ diagnostics }) =>
    diagnostics.filter(({ code }) => code === 'stored-anyway').map(({ message }) => message),
  );

/** Answers every execution of an operation with an error of the platform, while it is on. */
function failing(made: Bench, operation: string, status: number, answerOf: (status: number) => WireAnswer = failure) {
  const { send } = made.emulator;
  const state = { isOn: true, count: 0 };
  made.emulator.send = async (request: WireRequest) => {
    const answer = await send(request);
    if (!state.isOn || request.path !== `/api/${operation}`) return answer;
    state.count += 1;
    return answerOf(status);
  };
  return state;
}

const stack = (more = '') =>
  `${head}environments:\n  production:\n    compose:\n      shop: { ${composeBody}${more} }\n`;
const file = 'production.compose.shop.files["conf/x"]';

describe('a file that lies below the file of another person', () => {
  const text = stack(', files: { conf/x: { content: "2" } }');

  test('is a warning, ends partly applied, and is created again until the platform writes it', async () => {
    const made = bench();
    await made.apply(stack(), everything);
    const [serviceId] = Object.keys(made.emulator.world.tables.compose);
    const theirs = {
      type: 'file',
      filePath: 'conf',
      mountPath: 'conf',
      content: '1',
      serviceType: 'compose',
      serviceId,
    };
    const { mountId } = (await made.emulator.act('mounts.create', theirs)) as { mountId: string };
    const first = await made.apply(text, everything);
    expect(warnings(first)).toEqual([
      expect.stringMatching(
        /^production\.compose\.shop\.files\["conf\/x"\]: the platform answered mounts\.create with 400 and stored the new object all the same: "Error Error creating the mount EEXIST: file already exists, mkdir '/,
      ),
    ]);
    expect(endingOf(first)).toBe('partly');
    expect(first.outcomes.find(({ action }) => action.address === file)?.result).toBe('unverified');
    // An update of a file proves nothing: the platform hides its failure.
    expect(await actionsOf(made, text)).toContain(`replace ${file}`);
    const second = await made.apply(text, everything);
    expect(warnings(second)).toHaveLength(1);
    expect(endingOf(second)).toBe('partly');
    expect(await actionsOf(made, text)).toContain(`replace ${file}`);
    await made.emulator.act('mounts.remove', { mountId });
    const third = await made.apply(text, everything);
    expect(warnings(third)).toEqual([]);
    expect(endingOf(third)).toBe('done');
    expect(await actionsOf(made, text)).toEqual([]);
  });
});

describe('a schedule of a server that cannot be reached', () => {
  const server = (ip: string, more = '') => `${head}servers:\n  box: { ipAddress: ${ip}, sshKey: key-1${more} }\n`;
  const scheduled = (ip: string, command = 'date') =>
    server(ip, `, schedules: { nightly: { cronExpression: "0 3 * * *", script: ${command} } }`);

  test('is a warning, ends partly applied, and is written again until the server answers', async () => {
    const made = bench();
    await made.apply(server('nowhere.example'), everything);
    const first = await made.apply(scheduled('nowhere.example'), everything);
    expect(warnings(first)).toEqual([
      expect.stringContaining(
        'with 500 and stored the new object all the same: "SSH connection error: connect ECONNREFUSED',
      ),
    ]);
    expect(endingOf(first)).toBe('partly');
    expect(await actionsOf(made, scheduled('nowhere.example'))).toEqual(['update servers.box.schedules.nightly']);
    expect(warnings(await made.apply(scheduled('nowhere.example'), everything))).toEqual([
      expect.stringContaining('with 500 and stored the new values all the same: "SSH connection error'),
    ]);
    expect(await actionsOf(made, scheduled('nowhere.example'))).toEqual(['update servers.box.schedules.nightly']);
    await made.apply(scheduled('192.0.2.9'), everything);
    await made.apply(scheduled('192.0.2.9'), everything);
    expect(await actionsOf(made, scheduled('192.0.2.9'))).toEqual([]);
  });

  test('that gets another command meanwhile is written with that', async () => {
    const made = bench();
    await made.apply(server('nowhere.example'), everything);
    await made.apply(scheduled('nowhere.example'), everything);
    await made.apply(scheduled('192.0.2.9'), everything);
    const done = await made.apply(scheduled('192.0.2.9', 'uptime'), everything);
    expect(endingOf(done)).toBe('done');
    expect(await actionsOf(made, scheduled('192.0.2.9', 'uptime'))).toEqual([]);
  });
});

describe.each([400, 403, 404, 409, 500])('an error %i after the work', (status) => {
  test('of a create is a warning; the object is written again once, and then plans nothing', async () => {
    const made = bench();
    const fault = failing(made, 'certificates.create', status);
    const text = `${head}environments:\n  production:\n    redis:\n      cache: { databasePassword: correct-horse-1 }\n`;
    const created = failing(made, 'redis.create', status);
    const first = await made.apply(text, everything);
    expect(fault.count).toBe(0);
    expect(created.count).toBe(1);
    expect(warnings(first)).toEqual([
      expect.stringContaining(
        `the platform answered redis.create with ${status} and stored the new object all the same: "`,
      ),
    ]);
    expect(endingOf(first)).toBe('partly');
    created.isOn = false;
    expect(await actionsOf(made, text)).toContain('update production.redis.cache');
    await made.apply(text, everything);
    expect(await actionsOf(made, text)).toEqual([]);
  });

  test('of an update is a warning; the value is written again until it is accepted', async () => {
    const made = bench();
    const text = (description: string) =>
      `${head}environments:\n  production:\n    redis:\n      cache: { databasePassword: correct-horse-1, description: ${description} }\n`;
    await made.apply(text('one'), everything);
    const fault = failing(made, 'redis.update', status);
    for (const _run of [1, 2]) {
      const done = await made.apply(text('two'), everything);
      expect(warnings(done)).toEqual([
        expect.stringContaining(
          `the platform answered redis.update with ${status} and stored the new values all the same`,
        ),
      ]);
      expect(endingOf(done)).toBe('partly');
      expect(await actionsOf(made, text('two'))).toEqual(['update production.redis.cache']);
    }
    fault.isOn = false;
    expect(endingOf(await made.apply(text('two'), everything))).toBe('done');
    expect(await actionsOf(made, text('two'))).toEqual([]);
  });

  test('of a deletion is a warning, and the run ends partly applied', async () => {
    const made = bench();
    const text = `${head}environments:\n  production:\n    redis:\n      cache: { databasePassword: correct-horse-1 }\n`;
    await made.apply(text, everything);
    failing(made, 'redis.remove', status);
    const empty = `${head}environments:\n  production: { redis: {} }\n`;
    const done = await made.apply(empty, everything);
    if (status === 404) expect(warnings(done)).toEqual([]);
    else
      expect(warnings(done)).toEqual([expect.stringContaining(`redis.remove with ${status} and did it all the same`)]);
    expect(endingOf(done)).toBe(status === 404 ? 'done' : 'partly');
    expect(await actionsOf(made, empty)).toEqual([]);
  });
});

test('no replacement is advised for a field that only a new object can have again, while an update proves the object', async () => {
  const made = bench();
  const values = 'databaseName: shop, databaseUser: shop, databasePassword: correct-horse-1';
  const text = `${head}environments:\n  production:\n    postgres:\n      main: { dockerImage: "postgres:17", ${values} }\n`;
  const fault = failing(made, 'postgres.create', 500);
  await made.apply(text, everything);
  fault.isOn = false;
  const { actions } = await made.plan(text);
  const main = actions.find(({ address }) => address === 'production.postgres.main');
  expect([main?.action, main?.notes.map(({ code }) => code)]).toEqual(['update', ['not-effective']]);
  expect(endingOf(await made.apply(text, everything))).toBe('done');
  const next = await made.plan(text);
  expect(next.actions.flatMap(({ action, notes }) => [action, ...notes])).toEqual(['no-op', 'no-op']);
});

test('a value that was stored with an error is sent again when its next request gets no answer', async () => {
  const made = bench();
  const text = (description: string) =>
    `${head}environments:\n  production:\n    redis:\n      cache: { databasePassword: correct-horse-1, description: ${description} }\n`;
  await made.apply(text('one'), everything);
  const fault = failing(made, 'redis.update', 500);
  await made.apply(text('two'), everything);
  fault.isOn = false;
  const { send } = made.emulator;
  let tries = 0;
  made.emulator.send = async (request) => {
    if (request.path !== '/api/redis.update') return send(request);
    tries += 1;
    if (tries === 1) return { status: 502, headers: {}, body: 'Bad gateway' };
    return send(request);
  };
  expect(endingOf(await made.apply(text('two'), everything))).toBe('done');
  expect(tries).toBe(2);
  expect(await actionsOf(made, text('two'))).toEqual([]);
});

const described = (description: string) =>
  `${head}environments:\n  production:\n    redis:\n      cache: { databasePassword: correct-horse-1, description: ${description} }\n`;

describe('a page without a code after the work', () => {
  test.each([400, 403, 500])('with %i is an error, and what is stored is written again', async (status) => {
    const made = bench();
    const created = failing(made, 'redis.create', status, page);
    const first = await made.apply(described('one'), everything);
    expect(warnings(first)).toEqual([
      expect.stringContaining(
        `the answer to redis.create was ${status}, and the platform stored the new object all the same`,
      ),
    ]);
    expect(endingOf(first)).toBe('partly');
    expect(created.count).toBe(1);
    const updated = failing(made, 'redis.update', status, page);
    const second = await made.apply(described('two'), everything);
    expect(warnings(second)).toEqual([
      expect.stringContaining(
        `the answer to redis.update was ${status}, and the platform stored the new values all the same`,
      ),
    ]);
    expect(endingOf(second)).toBe('partly');
    updated.isOn = false;
    expect(endingOf(await made.apply(described('two'), everything))).toBe('done');
    expect(await actionsOf(made, described('two'))).toEqual([]);
  });

  test.each([408, 502, 503, 504])('with %i says only that the answer got lost', async (status) => {
    const made = bench();
    failing(made, 'redis.create', status, page);
    const first = await made.apply(described('one'), everything);
    expect(warnings(first)).toEqual([]);
    expect(endingOf(first)).toBe('done');
    expect(await actionsOf(made, described('one'))).toEqual([]);
  });
});

describe('a run that is killed after the error', () => {
  /** Kills an apply at each of its reads that come after an error to an operation; gives the platforms. */
  async function killed(operation: string, prepare: (made: Bench) => Promise<unknown>, text: string): Promise<Bench[]> {
    const found: Bench[] = [];
    for (let at = 1; ; at += 1) {
      const made = bench();
      await prepare(made);
      const fault = failing(made, operation, 500);
      if (!(await killedRun(made, text, { at, where: 'before the GET' }))) break;
      if (fault.count > 0) found.push(made);
      fault.isOn = false;
    }
    expect(found).not.toEqual([]);
    return found;
  }

  test.each<[string, (made: Bench) => Promise<unknown>]>([
    ['redis.create', () => Promise.resolve()],
    ['redis.update', (made) => made.apply(described('one'), everything)],
  ])('of %s is followed by one that writes again what is stored', async (operation, prepare) => {
    for (const made of await killed(operation, prepare, described('two'))) {
      expect(await actionsOf(made, described('two'))).toContain('update production.redis.cache');
      expect(endingOf(await made.apply(described('two'), everything))).toBe('done');
      expect(await actionsOf(made, described('two'))).toEqual([]);
    }
  });

  test('and killed again before its next request, still is', async () => {
    const prepare = (made: Bench) => made.apply(described('one'), everything);
    for (const made of await killed('redis.update', prepare, described('two'))) {
      await killedRun(made, described('two'), { at: 1, where: 'before the POST' });
      expect(await actionsOf(made, described('two'))).toContain('update production.redis.cache');
      expect(endingOf(await made.apply(described('two'), everything))).toBe('done');
      expect(await actionsOf(made, described('two'))).toEqual([]);
    }
  });
});
