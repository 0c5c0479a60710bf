import { describe, expect, test } from 'vitest';
import type { Send } from '../../src/api/wire.ts';
import type { Row } from '../../src/formats/json.ts';
import { applyPlan } from '../../src/workflow/apply-plan.ts';
import { plan } from '../../src/workflow/make-plan.ts';
import {
  applyOver,
  connection,
  everything,
  idOf,
  operationOf,
  plansNothing,
  results,
  rowsIn,
  worldOver,
} from '../support/faults.ts';
import { begin, goOn, killedRun, startAfter } from '../support/histories.ts';
import { database, production, stack } from '../support/manifest-texts.ts';
import type { Bench } from '../support/world.ts';
import { selfMovingClock } from '../support/virtual-clock.ts';
import { bench, head } from '../support/world.ts';

/** The pending operations that a run records, and how the next run continues them. */

const main = 'production.postgres.main';
const saying = (description: string) => production(database(`description: ${description}`));
const described = (made: Bench) => (rowsIn(made, 'postgres')[0] as Row).description;

/** The addresses of which the state says that something was sent: of records, and of the deployments of services. */
function open({ store: { state } }: Bench): readonly string[] {
  const { resources = {}, deployments = {} } = state ?? {};
  const all = [...Object.entries(resources), ...Object.entries(deployments)];
  return all.flatMap(([address, { pending }]) => (pending === undefined ? [] : [address]));
}

/** Those addresses, while each write is on its way. */
function watching(made: Bench, seen: Map<string, readonly string[]>): Send {
  return async (request) => {
    if (request.method === 'POST') {
      seen.set(operationOf(request), open(made));
    }
    return made.emulator.send(request);
  };
}

describe('before a request is sent, the state holds its pending operation,', () => {
  test('of a create, an update, a replacement and a deletion; and none when they are over', async () => {
    const made = bench();
    const seen = new Map<string, readonly string[]>();
    await applyOver(made, saying('a'), watching(made, seen));
    await applyOver(made, saying('b'), watching(made, seen));
    await applyOver(made, production('    postgres: {}\n'), watching(made, seen));
    expect(seen.get('postgres.create')).toContain(main);
    expect(seen.get('postgres.update')).toContain(main);
    expect(seen.get('postgres.remove')).toContain(main);
    expect(open(made)).toEqual([]);
  });
});

describe('an update without an answer', () => {
  /** Updates that are lost, and carried out when the test says so. */
  const losing =
    (made: Bench, lost: (() => Promise<unknown>)[]): Send =>
    (request) => {
      if (operationOf(request) !== 'postgres.update') return made.emulator.send(request);
      lost.push(() => made.emulator.send(request));
      return Promise.reject(connection('ETIMEDOUT'));
    };

  test('may still take effect: the next run waits until it cannot, and reads then', async () => {
    const made = bench();
    await made.apply(saying('a'));
    const lost: (() => Promise<unknown>)[] = [];
    const failing = await applyOver(made, saying('b'), losing(made, lost));
    expect(results(failing)[main]).toBe('failed');
    expect(lost).toHaveLength(4);
    const before = made.clock.monotonic();
    // It lands while the next run waits, which wants what was before.
    const landing = made.clock.sleep(30_000).then(async () => lost[0]?.());
    await made.apply(saying('a'));
    await landing;
    expect(made.clock.monotonic() - before).toBeGreaterThanOrEqual(50_000);
    expect(described(made)).toBe('a');
    await plansNothing(made, saying('a'));
  });

  test('is waited for once: afterwards nothing is pending', async () => {
    const made = bench();
    await made.apply(saying('a'));
    await applyOver(made, saying('b'), losing(made, []));
    await made.apply(saying('b'));
    expect(described(made)).toBe('b');
    const before = made.clock.monotonic();
    await plansNothing(made, saying('b'));
    expect(made.clock.monotonic() - before).toBeLessThan(30_000);
  });
});

test('a pending write of the future, by a clock that was set back, makes no run wait longer than the in-flight timeout', async () => {
  const made = bench();
  await made.apply(saying('a'));
  const { state } = made.store;
  const record = state?.resources[main];
  if (state === undefined || typeof record?.id !== 'string') throw new Error('nothing was applied');
  const pending = { is: 'write', at: Date.now() + 1_000_000_000, timeoutMs: 60_000 } as const;
  made.store.state = { ...state, resources: { ...state.resources, [main]: { ...record, pending } } };
  const before = made.clock.monotonic();
  await made.apply(saying('a'));
  expect(made.clock.monotonic() - before).toBeLessThan(70_000);
});

test('a create that an earlier run sent, and this one sends again, is remembered as the place of a duplicate', async () => {
  const made = bench();
  await made.apply(saying('a'));
  const { state } = made.store;
  const record = state?.resources[main];
  if (state === undefined || typeof record?.id !== 'string') throw new Error('nothing was applied');
  await made.emulator.act('postgres.remove', { postgresId: record.id });
  const pending = { is: 'create', at: made.clock.wall() - 120_000, timeoutMs: 60_000, says: {}, sends: 1 } as const;
  const unknown = { ...record, id: null, pairs: {}, pending };
  made.store.state = { ...state, resources: { ...state.resources, [main]: unknown } };
  await made.apply(saying('a'));
  expect(made.store.state?.resources[main]).toMatchObject({ id: expect.any(String) as string, duplicates: [{}] });
  await plansNothing(made, saying('a'));
});

test('no request is sent without a pending operation, neither a create nor the steps after it', async () => {
  const made = bench();
  const without: string[] = [];
  const text = production(
    `    application:\n      web: { source: { type: docker, image: nginx }, env: { A: "1" } }\n${stack('env: { A: "1" }')}`,
  );
  await applyOver(made, text, async (request) => {
    if (request.method === 'POST' && open(made).length === 0) without.push(operationOf(request));
    return made.emulator.send(request);
  });
  expect(without).toEqual([]);
});

test('an update that was lost and sent again may still take effect: the next run waits until it cannot', async () => {
  const made = bench();
  await made.apply(saying('a'));
  let landing: (() => Promise<unknown>) | undefined;
  await applyOver(made, saying('b'), (request) => {
    if (operationOf(request) !== 'postgres.update' || landing !== undefined) return made.emulator.send(request);
    landing = () => made.emulator.send(request);
    return Promise.reject(connection('ETIMEDOUT'));
  });
  const landed = made.clock.sleep(20_000).then(async () => landing?.());
  await made.apply(saying('c'));
  await landed;
  expect(described(made)).toBe('c');
  await plansNothing(made, saying('c'));
});

test('a full disk ends a run with its results', async () => {
  const made = bench();
  const text = (value: number) => production(stack(`env: { A: "${value}" }`));
  await made.apply(text(1));
  const unheard: unknown[] = [];
  const hear = (error: unknown) => unheard.push(error);
  process.on('unhandledRejection', hear);
  const full = { ...made.store, append: () => Promise.reject(new Error('disk full')) };
  const world = worldOver(made, made.emulator.send, full);
  const planned = await plan(await made.manifest(text(2)), world);
  await expect(applyPlan(planned, world, { permissions: everything, connections: 4 })).rejects.toThrow('disk full');
  await new Promise((resolve) => setTimeout(resolve, 20));
  process.off('unhandledRejection', hear);
  expect(unheard).toEqual([]);
  expect(String(rowsIn(made, 'compose')[0]?.env)).toBe('A=1\n');
});

test.each([-600_000, 600_000])(
  'a clock that jumps by %d ms while Trueup polls for a create changes nothing',
  async (ms) => {
    const quick = selfMovingClock();
    let shift = 0;
    const made = bench({ clock: { ...quick, wall: () => quick.wall() + shift } });
    const before = quick.monotonic();
    await applyOver(made, production(database()), async (request) => {
      if (operationOf(request) !== 'postgres.create' || shift !== 0) return made.emulator.send(request);
      shift = ms;
      void quick.sleep(20_000).then(() => made.emulator.send(request));
      throw connection('ECONNRESET');
    });
    expect(quick.monotonic() - before).toBeLessThan(90_000);
    expect(rowsIn(made, 'postgres')).toHaveLength(1);
  },
);

test('a schedule whose create got no answer is in no way when a person deletes its server', async () => {
  const servers = (more: string) =>
    `${head}servers: { box: { ipAddress: 10.0.0.1, port: 22, username: root, sshKey: key-1, serverType: deploy${more} } }\n`;
  const text = servers(', schedules: { prune: { cronExpression: "0 4 * * 0", script: "docker image prune -f" } }');
  const made = begin(await startAfter(servers('')));
  expect(await killedRun(made, text, { at: 1, where: 'before the POST' })).toBe(true);
  await made.emulator.act('server.remove', { serverId: idOf(made, 'servers.box') });
  await goOn(made, text, { runs: 1 });
});

test('what the create of one block made is not taken for another block, which has its name by now', async () => {
  const users = (a: string, b: string) => {
    const security = `a: { username: ${a}, password: p1 }, b: { username: ${b}, password: p2 }`;
    return production(
      `    application: { web: { source: { type: docker, image: nginx }, security: { ${security} } } }\n`,
    );
  };
  for (const at of [3, 4]) {
    const made = begin(await startAfter(users('x', 'y')));
    expect(await killedRun(made, users('y', 'x'), { at, where: 'after the POST' })).toBe(true);
    await goOn(made, users('x', 'y'), { runs: 1 });
    expect(Object.values(made.emulator.world.tables.security)).toHaveLength(2);
  }
});
