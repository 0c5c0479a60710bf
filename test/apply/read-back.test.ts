import { describe, expect, test } from 'vitest';
import { isOver, resultOf } from '../../src/apply/job.ts';
import { announceCreate } from '../../src/apply/announce.ts';
import { readBack } from '../../src/apply/read-back.ts';
import { fieldOf } from '../../src/kind/row-values.ts';
import type { JobEvent } from '../../src/apply/job.ts';
import type { Run } from '../../src/apply/apply-run.ts';
import type { Row } from '../../src/formats/json.ts';
import type { Action, Step } from '../../src/plan/action.ts';
import type { Decision } from '../../src/plan/decide.ts';
import {
  actionOf,
  aStep,
  attributeChange,
  declared,
  kindNamed,
  objectOf,
  pairOf,
  recordOf,
} from '../support/plan-values.ts';
import { memoryStore } from '../../src/state/backends/memory.ts';
import type { PendingWrite } from '../../src/state/record.ts';
import type { StateStore } from '../../src/state/state.ts';
import { diagnostic } from '../../src/diagnostics/diagnostic.ts';
import { secret } from '../../src/secrets/secret.ts';
import type { Answers } from '../support/run-values.ts';
import { dispatchAt, failure, jobFor, runOf } from '../support/run-values.ts';

/** What is recorded and told of an action, by how far it got and what the platform shows afterwards. */

const address = 'production.redis.main';
const write: Decision = { do: 'write', cause: 'edit' };
const wants = {
  attributes: [attributeChange('description', { wanted: declared('b'), decision: write, before: secret('a') })],
};
const staging = actionOf('staging', { kind: kindNamed('environment'), id: 'env_2' });
const before = recordOf('redis', 'redis_1', {
  parent: 'production',
  dependsOn: ['production.redis.other'],
  pairs: { description: pairOf('a') },
});

const change = (more: Partial<Action> = {}): Action =>
  actionOf(address, { action: 'update', id: 'redis_1', parent: 'staging', ...wants, ...more });

const sent: JobEvent[] = [{ is: 'announced' }, { is: 'sent', at: 1_000 }];
const acknowledged: JobEvent[] = [...sent, { is: 'answered' }];
const refused: JobEvent[] = [...sent, { is: 'refused' }, { is: 'failed' }];
const lost: JobEvent[] = [...sent, { is: 'lost', mayLandLater: true }, { is: 'failed' }];

const unread = 'platform-answer: something went wrong (redis.one at https://platform.example)';

const shows =
  (more: Row): Answers =>
  (operation) =>
    operation === 'redis.one' ? { redisId: 'redis_1', environmentId: 'env_2', ...more } : undefined;

interface Ended {
  readonly run: Run;
  readonly result: string | undefined;
  readonly told: readonly string[];
  readonly remedies: readonly (string | undefined)[];
  readonly requests: readonly string[];
  readonly seconds: number;
}

interface Case {
  readonly answers?: Answers | undefined;
  /** The record of the state. */
  readonly known?: typeof before | 'none';
  /** The id that its create got as an answer. */
  readonly created?: string;
  /** What the journal says that was about to be sent. */
  readonly pending?: PendingWrite;
  readonly store?: StateStore;
}

/** Reads an action back after some events. */
async function ended(
  action: Action,
  events: readonly JobEvent[],
  { answers, known = before, created, pending, store }: Case = {},
): Promise<Ended> {
  const { run, requests, passed } = runOf([staging, action], {
    objects: { [address]: objectOf('redis_1', { redisId: 'redis_1' }) },
    resources: known === 'none' ? {} : { [address]: known },
    ...(answers === undefined ? {} : { answers }),
    ...(store === undefined ? {} : { more: { store } }),
  });
  if (pending !== undefined) await run.journal.save(address, { record: { ...before, pending } });
  dispatchAt(run, action.address, ...events);
  const job = jobFor(run, action);
  if (created !== undefined) job.object = { id: created };
  await readBack(run, job.scope);
  expect(isOver(job)).toBe(true);
  expect(run.ending.defect).toBeUndefined();
  return {
    run,
    result: resultOf(job),
    told: job.diagnostics.map(({ code, message }) => `${code}: ${message}`),
    remedies: job.diagnostics.map(({ remedy }) => remedy),
    requests,
    seconds: passed() / 1_000,
  };
}

describe('an update that was acknowledged', () => {
  test('is done when the platform has its value, and uses what the manifest says', async () => {
    const { run, result, told } = await ended(change({ dependsOn: ['staging'] }), acknowledged, {
      answers: shows({ description: 'b' }),
    });
    expect([result, told]).toEqual(['done', []]);
    expect(run.journal.now(address)).toMatchObject({
      id: 'redis_1',
      dependsOn: ['staging'],
      pairs: { description: pairOf('b') },
    });
  });

  test('is ignored when the platform keeps another value, and may still use what it was to let go of', async () => {
    const { run, result, told } = await ended(change({ dependsOn: ['staging'] }), acknowledged, {
      answers: shows({ description: 'a' }),
    });
    expect([result, told]).toEqual([
      'ignored',
      ['ignored: description: the platform answered 200 and ignored the value'],
    ]);
    expect(run.journal.now(address)?.dependsOn).toEqual(['staging', 'production.redis.other']);
    expect(run.journal.now(address)).not.toHaveProperty('pending');
  });

  test('of an object that is gone is unverified: the record stays, and says so once', async () => {
    const { run, result, told, remedies } = await ended(change(), acknowledged);
    expect(result).toBe('failed');
    expect(told).toEqual([`unverified: ${address} was sent, and the platform does not have it`]);
    expect(remedies).toEqual(['Plan again.']);
    expect(run.journal.wave()).toEqual([]);
  });

  test('is unverified when nothing can be read', async () => {
    const { result, told } = await ended(change(), acknowledged, {
      answers: () => {
        throw failure('connection');
      },
    });
    expect(result).toBe('unverified');
    expect(told).toEqual([unread]);
  });
});

describe('an update that failed', () => {
  test('of an object that is gone tells nothing more than why it failed', async () => {
    const { run, result, told } = await ended(change(), refused);
    expect([result, told]).toEqual(['failed', []]);
    expect(run.journal.wave()).toEqual([]);
  });

  test('keeps its pending operation while its request may still land', async () => {
    const { run } = runOf([staging, change()], {
      resources: { [address]: before },
      answers: shows({ description: 'a' }),
    });
    const pending = { is: 'write', at: 900, timeoutMs: 60_000 } as const;
    await run.journal.save(address, { record: { ...before, pending } });
    dispatchAt(run, address, ...lost);
    await readBack(run, jobFor(run, change()).scope);
    expect(run.journal.now(address)).toMatchObject({ id: 'redis_1', pending });
  });

  test('keeps none when its request was surely not executed', async () => {
    const { run } = runOf([staging, change()], {
      resources: { [address]: before },
      answers: shows({ description: 'a' }),
    });
    await run.journal.save(address, { record: { ...before, pending: { is: 'write', at: 900, timeoutMs: 60_000 } } });
    dispatchAt(run, address, ...refused);
    await readBack(run, jobFor(run, change()).scope);
    expect(run.journal.now(address)).not.toHaveProperty('pending');
  });

  test('and that may land keeps nothing pending when nothing was announced', async () => {
    const { run, result } = await ended(change(), lost, { answers: shows({ description: 'a' }) });
    expect(result).toBe('failed');
    expect(run.journal.now(address)).not.toHaveProperty('pending');
  });
});

describe('a move', () => {
  const moving = change({ action: 'move', attributes: [] });

  test('that was acknowledged is done when the object stands below its new parent', async () => {
    expect((await ended(moving, acknowledged, { answers: shows({}) })).result).toBe('done');
  });

  test('that was acknowledged has failed when the object is where it was', async () => {
    const { run, result, told, remedies } = await ended(moving, acknowledged, {
      answers: shows({ environmentId: 'env_1' }),
    });
    expect(result).toBe('failed');
    expect(told).toEqual([`platform-answer: ${address} was to be moved and is still where it was`]);
    expect(remedies).toEqual(['Apply again.']);
    expect(run.journal.wave()).toEqual([]);
  });

  test('that failed is not told twice', async () => {
    const { run, result, told } = await ended(moving, refused, { answers: shows({ environmentId: 'env_1' }) });
    expect([result, told]).toEqual(['failed', []]);
    expect(run.journal.now(address)).toMatchObject({ id: 'redis_1' });
  });

  test('that nobody could read back is unverified', async () => {
    const { result, told } = await ended(moving, acknowledged, {
      answers: () => {
        throw failure('connection');
      },
    });
    expect([result, told]).toEqual(['unverified', [unread]]);
  });

  test('is the only action that asks where an object stands', async () => {
    const { result, told } = await ended(change(), acknowledged, {
      answers: shows({ environmentId: 'env_1', description: 'b' }),
    });
    expect([result, told]).toEqual(['done', []]);
  });
});

describe('a replacement that failed', () => {
  const replacing = change({ action: 'replace' });

  test('leaves the record of the old object as it was', async () => {
    const { run, result } = await ended(replacing, refused, { answers: shows({ description: 'b' }) });
    expect(result).toBe('failed');
    expect(run.journal.now(address)).toEqual(before);
  });

  test('records the new object when that is there', async () => {
    const { run, result } = await ended(replacing, refused, {
      created: 'redis_2',
      answers: () => ({ redisId: 'redis_2', environmentId: 'env_2', description: 'b' }),
    });
    expect(result).toBe('failed');
    expect(run.journal.now(address)).toMatchObject({ id: 'redis_2', pairs: {} });
  });

  test('and one that succeeded records the new object', async () => {
    const { run, result } = await ended(replacing, acknowledged, {
      created: 'redis_2',
      answers: () => ({ redisId: 'redis_2', environmentId: 'env_2', description: 'b' }),
    });
    expect(result).toBe('done');
    expect(run.journal.now(address)).toMatchObject({ id: 'redis_2', dependsOn: [] });
  });

  test('and one that succeeded records the new object also where it has the id of the old one', async () => {
    const { run, result } = await ended(replacing, acknowledged, { answers: shows({ description: 'b' }) });
    expect(result).toBe('done');
    expect(run.journal.now(address)).toMatchObject({ id: 'redis_1', pairs: { description: pairOf('b') } });
  });

  test.each(['update', 'adopt'] as const)('is not confused with an %s that failed', async (action) => {
    const { run } = await ended(change({ action }), refused, { answers: shows({ description: 'b' }) });
    expect(run.journal.now(address)).not.toEqual(before);
  });
});

describe('a create that shows only after somebody has done something', () => {
  const gitlab = actionOf('gitlab.main', {
    kind: kindNamed('gitlab'),
    action: 'create',
    id: undefined,
  });
  const lists: Answers = (operation) => (operation === 'gitlab.gitlabProviders' ? [] : undefined);

  test('is done, and recorded without an id', async () => {
    const { run, result, told, remedies } = await ended(gitlab, acknowledged, { answers: lists });
    expect(result).toBe('done');
    expect(told).toEqual([
      'pending: gitlab.main was created and is listed only once it is connected in the browser, under Git',
    ]);
    expect(remedies).toEqual(['Apply again after that.']);
    expect(run.journal.now('gitlab.main')).toMatchObject({ kind: 'gitlab', id: null });
  });

  test('is recorded with its id where the platform lists it at once', async () => {
    const { run, result, told } = await ended(gitlab, acknowledged, {
      created: 'gitlab_1',
      answers: (operation) => (operation === 'gitlab.one' ? { gitlabId: 'gitlab_1' } : [{ gitlabId: 'gitlab_1' }]),
    });
    expect([result, told]).toEqual(['done', []]);
    expect(run.journal.now('gitlab.main')).toMatchObject({ id: 'gitlab_1' });
  });

  test('is not recorded when it failed', async () => {
    const { run, result, told } = await ended(gitlab, refused, { answers: lists });
    expect([result, told]).toEqual(['failed', []]);
    expect(run.journal.wave()).toEqual([]);
  });
});

test('what was never sent is recorded without a request', async () => {
  const idle = change({ action: 'no-op', attributes: [attributeChange('description', { wanted: declared('b') })] });
  const { requests, result } = await ended(idle, []);
  expect([requests, result]).toEqual([[], 'done']);
});

describe('a scope is read again until it shows what was sent', () => {
  /** A platform that gives one answer after the other, and then the last one again and again. */
  const inTurn = (...rows: readonly (Row | undefined)[]): Answers => {
    let look = 0;
    return (operation) => {
      const row = rows[Math.min(look++, rows.length - 1)];
      return operation !== 'redis.one' || row === undefined
        ? undefined
        : { redisId: 'redis_1', environmentId: 'env_2', ...row };
    };
  };
  const deletion = change({ action: 'delete', teardown: [aStep], attributes: [] });

  test.each<[string, Action, readonly (Row | undefined)[]]>([
    ['an update', change(), [{ description: 'a' }, { description: 'b' }]],
    ['an update of an object that the platform does not show at once', change(), [undefined, { description: 'b' }]],
    ['a move', change({ action: 'move', attributes: [] }), [{ environmentId: 'env_1' }, {}]],
    ['a deletion', deletion, [{}, undefined]],
  ])('%s is done as soon as it shows', async (_title, action, rows) => {
    const { result, told, requests } = await ended(action, acknowledged, { answers: inTurn(...rows) });
    expect([result, told, requests]).toEqual(['done', [], ['redis.one redis_1', 'redis.one redis_1']]);
  });

  test.each<[string, Action, string, string]>([
    ['an update', change(), 'ignored', 'ignored: description: the platform answered 200 and ignored the value'],
    ['a deletion', deletion, 'failed', `platform-answer: ${address} was to be deleted and is still there`],
  ])('%s is given 5 s', async (_title, action, becomes, message) => {
    const { result, told, seconds } = await ended(action, acknowledged, { answers: inTurn({ description: 'a' }) });
    expect([result, told]).toEqual([becomes, [message]]);
    expect(seconds).toBeGreaterThanOrEqual(5);
    expect(seconds).toBeLessThan(6);
  });

  test.each<[string, Action, readonly JobEvent[]]>([
    ['an update that was refused', change(), refused],
    ['a deletion that was refused', deletion, refused],
    ['an update of which the platform already has the value', change(), acknowledged],
  ])('%s is looked at once', async (_title, action, events) => {
    const row = events === refused ? { description: 'a' } : { description: 'b' };
    expect((await ended(action, events, { answers: inTurn(row) })).requests).toEqual(['redis.one redis_1']);
  });
});

describe('an object that is not to be found', () => {
  const unreachable: Answers = () => {
    throw failure('connection');
  };
  const creating = change({ action: 'create', id: undefined });

  test.each<[string, Action, readonly JobEvent[], string]>([
    [
      'is not known to be there when its create was acknowledged and nothing can be read',
      creating,
      acknowledged,
      `unverified: ${address} was sent, and it is not known whether the platform has it`,
    ],
    [
      'could not be read when nothing was sent and the plan did not read it',
      change({ action: 'no-op', id: undefined }),
      [],
      `unverified: ${address} could not be read; nothing was sent for it`,
    ],
  ])('%s', async (_title, action, events, message) => {
    const { run } = runOf([staging, action], { answers: unreachable });
    dispatchAt(run, address, ...events);
    const job = jobFor(run, action);
    await readBack(run, job.scope);
    const said = job.diagnostics.map(({ code, message: text }) => `${code}: ${text}`);
    expect([resultOf(job), said]).toEqual(['unverified', [message]]);
    expect(job.diagnostics.map(({ remedy }) => remedy)).toEqual(['Plan again.']);
    expect(run.journal.wave()).toEqual([]);
  });
});

test('no create of the run takes an object that was read back', async () => {
  const { run } = await ended(change(), acknowledged, { answers: shows({ description: 'b' }), created: 'redis_1' });
  expect(run.creations.taken.has('redis_1')).toBe(true);
});

test('a change that failed before and is not repeated fails again, with the reason as an error', async () => {
  const note = diagnostic('failed-before', `${address} is not changed`, { address });
  const { run, result } = await ended(change({ action: 'no-op', notes: [note], attributes: [] }), []);
  expect(result).toBe('failed');
  expect(jobFor(run, { address }).diagnostics).toMatchObject([{ code: 'failed-before', severity: 'error' }]);
  const twice = await ended(change({ notes: [note] }), refused, { answers: shows({ description: 'a' }) });
  expect([twice.result, twice.told]).toEqual(['failed', []]);
});

test('a record names each address that the object may still use once', async () => {
  const answers = shows({ description: 'a' });
  const dependsOn = ['production.redis.other', 'staging'];
  const ignored = await ended(change({ dependsOn }), acknowledged, { answers });
  expect(ignored.run.journal.now(address)?.dependsOn).toEqual(dependsOn);
  const unknown = await ended(change({ dependsOn }), acknowledged, { answers, known: 'none' });
  expect(unknown.run.journal.now(address)?.dependsOn).toEqual(dependsOn);
});

describe('the record of an action', () => {
  /** What is written at once, and what at the end of the run. */
  async function written(action: Action, events: readonly JobEvent[]) {
    const atOnce: string[] = [];
    const append: StateStore['append'] = (_base, ...[at]) => Promise.resolve(void atOnce.push(at));
    const answers = shows({ description: 'b' });
    const { run } = await ended(action, events, { answers, store: { ...memoryStore(), append } });
    return { atOnce, all: run.journal.wave().map(([at]) => at) };
  }

  test('is written at once when something was sent, and at the end of the run otherwise', async () => {
    expect(await written(change(), acknowledged)).toEqual({ atOnce: [address], all: [address] });
    expect(await written(change({ action: 'no-op' }), [])).toEqual({ atOnce: [], all: [address] });
  });
});

describe('the pending operation of an action', () => {
  const pending: PendingWrite = { is: 'write', at: 900, timeoutMs: 60_000, unproven: ['description'] };
  const { unproven: _, ...proven } = pending;
  const doubted: JobEvent[] = [...sent, { is: 'lost', mayLandLater: false }, { is: 'seen', isDoubted: true }];
  const late: JobEvent[] = [...sent, { is: 'lost', mayLandLater: true }, { is: 'seen' }];
  const unreadable: Answers = () => {
    throw failure('connection');
  };

  test.each<[string, readonly JobEvent[], Answers, PendingWrite | undefined]>([
    ['is over when it was acknowledged', acknowledged, shows({ description: 'b' }), undefined],
    ['is over when it was acknowledged, also where nothing can be read', acknowledged, unreadable, undefined],
    ['is over when an error was answered to it and it shows', doubted, shows({ description: 'b' }), undefined],
    ['stays when an error was answered to it and nothing can be read', doubted, unreadable, pending],
    ['stays when it may land later, with what was read of it proven', late, shows({ description: 'b' }), proven],
    ['stays when it may land later and nothing can be read', late, unreadable, pending],
    ['stays when it failed and may land later', lost, shows({ description: 'b' }), pending],
  ])('%s', async (_title, events, answers, stays) => {
    const { run } = await ended(change(), events, { answers, pending });
    expect(run.journal.now(address)?.pending).toEqual(stays);
  });

  test('is none where none was announced', async () => {
    const { run, result } = await ended(change(), late, { answers: shows({ description: 'b' }) });
    expect(result).toBe('done');
    expect(run.journal.now(address)).not.toHaveProperty('pending');
  });
});

test('an update to which the platform answered an error, and which shows, is unverified', async () => {
  const doubted: JobEvent[] = [...sent, { is: 'lost', mayLandLater: false }, { is: 'seen', isDoubted: true }];
  const { run, result } = await ended(change(), doubted, { answers: shows({ description: 'b' }) });
  expect(result).toBe('unverified');
  expect(run.journal.now(address)?.pairs).toEqual({ description: { ...pairOf('b'), unproven: true } });
});

describe('an object whose create was acknowledged without its id', () => {
  const mounted = `${address}.mounts["/a"]`;
  const kind = kindNamed('mount');
  const hostPath = { field: fieldOf(kind, 'hostPath'), wanted: declared('/srv') };
  const mount = actionOf(mounted, {
    kind,
    action: 'create',
    id: undefined,
    parent: address,
    scope: address,
    attributes: [attributeChange('hostPath', { ...hostPath, decision: { do: 'write', cause: 'edit' } })],
  });
  const step: Step = {
    operation: 'mounts.create',
    role: 'create',
    members: { hostPath: { is: 'wanted', ...hostPath } },
    changed: ['hostPath'],
  };

  /** Reads it back where the platform has mounts with such ids and its values. */
  async function readBackAmong(...ids: readonly string[]) {
    const mounts = ids.map((mountId) => ({ mountId, hostPath: '/srv' }));
    const idle = change({ action: 'no-op', attributes: [] });
    const { run, requests } = runOf([staging, idle, mount], {
      objects: { [address]: objectOf('redis_1', { redisId: 'redis_1' }) },
      resources: { [address]: before },
      answers: shows({ mounts }),
    });
    const job = jobFor(run, mount);
    await announceCreate(run, job, step);
    dispatchAt(run, mounted, { is: 'sent', at: 1_000 }, { is: 'answered' });
    await readBack(run, job.scope);
    expect(run.ending.defect).toBeUndefined();
    return { run, job, requests };
  }

  test('is recorded with the id of the object that has its values', async () => {
    const { run, job } = await readBackAmong('mount_1');
    expect([resultOf(job), job.diagnostics]).toEqual(['done', []]);
    expect(run.journal.now(mounted)).toMatchObject({ id: 'mount_1' });
    expect(run.creations.taken.has('mount_1')).toBe(true);
  });

  test('is ambiguous where two objects have them: both are named, and nothing is read again', async () => {
    const { run, job, requests } = await readBackAmong('mount_1', 'mount_2');
    expect(resultOf(job)).toBe('failed');
    expect(job.diagnostics).toMatchObject([{ code: 'ambiguous', message: expect.stringMatching(/mount_1.*mount_2/) }]);
    expect(requests).toEqual(['redis.one redis_1']);
    expect(run.journal.now(mounted)).toMatchObject({ id: null, pending: { is: 'create' } });
  });
});
