import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import type { Lease } from '../../src/state/lease.ts';
import { newState } from '../../src/state/new-state.ts';
import type { StateRecord } from '../../src/state/record.ts';
import type { State, StateStore } from '../../src/state/state.ts';
import type { ProcessTime, VirtualProcess } from '../support/virtual-processes.ts';

/** What every place for a state does: one suite over all of them. */

/** What the suite needs to know of a place. */
export interface Ground {
  readonly time: ProcessTime;
  /** The state as a process opens it; `name` is that of another state in the same place. */
  readonly open: (process: VirtualProcess, name?: string) => Promise<StateStore>;
  /**
   * The process ends at its n-th operation from now on: nothing that it does takes effect then, or only that one does.
   * Resolves when it has ended.
   */
  readonly dieAt: (process: VirtualProcess, at: number, where: Where) => Promise<void>;
  /** Nobody reaches the place; and everybody does again. */
  readonly breakDown: () => void;
  readonly mend: () => void;
  /** Bytes that were written so far. */
  readonly written: () => number;
  readonly close: () => Promise<void>;
}

/** What the suite needs to know of all places of one kind. */
export interface Facts {
  /** Others reach it from anywhere: it keeps a writer out whose time is over, whatever that believes. */
  readonly isShared: boolean;
}

/** Whether the last operation of a process takes effect. */
export type Where = 'before' | 'after';

/** A record of a resource. */
export function recordOf(id: string | null, more: object = {}): StateRecord {
  return {
    kind: 'redis',
    id,
    parent: 'production',
    dependsOn: ['production'],
    pairs: {
      name: { wanted: { value: 'a\n"é\u0000' }, answered: { value: 'A' } },
      env: { wanted: { digest: 'x' }, answered: { digest: 'y' }, ignored: 1 },
    },
    options: { protect: true },
    ...more,
  };
}

/** A state with some resources. */
export function stateWith(resources: State['resources'], serial = 1): State {
  return { ...newState('org_1', 'prj_1'), lineage: 'line', digestKey: 'key', serial, resources };
}

/** The state of a store that has one. */
export async function readOf(store: StateStore): Promise<State> {
  const state = await store.read();
  if (state === undefined) throw new Error('nothing was read');
  return state;
}

/** The Stop that something is refused with. */
export async function stopOf(refused: Promise<unknown> | (() => unknown)): Promise<Stop> {
  const outcome = typeof refused === 'function' ? Promise.resolve().then(refused) : refused;
  const error = await outcome.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof Stop) return error;
  throw new Error('it was not stopped', { cause: error });
}

/** Runs the suite over a place; `make` makes a new one. */
export function conforms(title: string, { isShared }: Facts, make: () => Promise<Ground>): void {
  describe(`a state ${title}`, () => {
    let ground: Ground;
    let time: ProcessTime;
    beforeEach(async () => {
      ground = await make();
      ({ time } = ground);
    });
    afterEach(() => ground.close());

    const begin = async (about?: { machine?: string }) => {
      const process = time.process(about);
      return { process, store: await ground.open(process) };
    };
    /** A process that has the lock. */
    const enter = async (about?: { machine?: string; purpose?: string; timeoutMs?: number }) => {
      const { process, store } = await begin(about);
      const lease = await store.lock({ purpose: about?.purpose ?? 'apply', timeoutMs: about?.timeoutMs ?? 0 });
      return { process, store, lease };
    };
    const leave = async ({ process, store }: { process: VirtualProcess; store: StateStore }) => {
      await store.close();
      process.kill();
    };
    /** What somebody reads who comes anew. */
    const readAnew = async () => {
      const { store } = await begin();
      const state = await store.read();
      await store.close();
      return state;
    };
    const resourcesNow = async () => (await readAnew())?.resources;

    describe('documents', () => {
      test('are kept beside the state, each as a whole, and listed by name', async () => {
        const { store } = await begin();
        expect([await store.documents.list(), await store.documents.get('report.json')]).toEqual([[], undefined]);
        await store.documents.put('report.json', '{"é": "\n"}');
        await store.documents.put('history_2030-01-01.txt', 'one');
        await store.documents.put('history_2030-01-01.txt', '');
        await store.close();
        const { store: another } = await begin();
        expect(await another.documents.list()).toEqual(['history_2030-01-01.txt', 'report.json']);
        expect(await another.documents.get('report.json')).toBe('{"é": "\n"}');
        expect(await another.documents.get('history_2030-01-01.txt')).toBe('');
        expect(await another.read()).toBeUndefined();
        await another.close();
      });

      test('survive a run that writes the state, and are its own', async () => {
        const one = await enter();
        await one.store.documents.put('a', '1');
        await one.store.append(stateWith({}, 0), 'a', recordOf('1'));
        await one.store.write(stateWith({}));
        expect([await one.store.documents.list(), await one.store.documents.get('a')]).toEqual([['a'], '1']);
        await leave(one);
        const other = await ground.open(time.process(), 'other');
        expect([await other.documents.list(), await other.documents.get('a')]).toEqual([[], undefined]);
        await other.close();
      });

      test.each(['', '.a', 'a/b', '../a', 'A', 'a b', 'a.tmp', 'a'.repeat(101), 'a\n'])(
        'cannot have the name %j',
        async (name) => {
          const { store } = await begin();
          await expect(store.documents.put(name, 'text')).rejects.toThrow('a document cannot have the name');
          await expect(store.documents.get(name)).rejects.toThrow(JSON.stringify(name));
          expect(await store.documents.list()).toEqual([]);
          await store.close();
        },
      );
    });

    describe('what is kept', () => {
      test('is nothing before it is written', async () => {
        expect(await readAnew()).toBeUndefined();
      });

      test('is read as it was written, by this run and by the next', async () => {
        const one = await enter();
        const state = stateWith({ 'production.redis.a': recordOf('1'), '["__proto__"].redis["x.y"]': recordOf(null) });
        await one.store.write(state);
        expect(await one.store.read()).toEqual(state);
        await leave(one);
        expect(await readAnew()).toEqual(state);
      });

      test('keeps its lineage and counts its versions', async () => {
        const one = await enter();
        await one.store.write(stateWith({}));
        await one.store.write(stateWith({}, 2));
        expect(await readAnew()).toMatchObject({ lineage: 'line', serial: 2 });
        await leave(one);
      });

      test('holds what was appended, also when the run ends without writing', async () => {
        const one = await enter();
        await one.store.write(stateWith({ a: recordOf('1'), b: recordOf('2') }));
        const base = (await one.store.read()) ?? stateWith({});
        await one.store.append(base, 'c', recordOf(null));
        await one.store.append(base, '__proto__', recordOf('4'));
        await one.store.append(base, 'c', recordOf('3'));
        await one.store.append(base, 'a', null);
        await leave(one);
        const resources = (await resourcesNow()) ?? {};
        expect(Object.keys(resources).toSorted()).toEqual(['__proto__', 'b', 'c']);
        expect(Object.getOwnPropertyDescriptor(resources, '__proto__')?.value).toEqual(recordOf('4'));
        expect(resources).toMatchObject({ b: recordOf('2'), c: recordOf('3') });
      });

      test('holds what was appended before it was ever written', async () => {
        const one = await enter();
        const base = stateWith({}, 0);
        await one.store.append(base, 'a', recordOf(null));
        await leave(one);
        expect(await readAnew()).toEqual({ ...base, resources: { a: recordOf(null) } });
      });

      test('holds a pending create with its key, and a pending deployment', async () => {
        const one = await enter();
        const sent = { at: 1_700_000_000_000, timeoutMs: 60_000 };
        const record = recordOf(null, {
          pending: { is: 'create', ...sent, key: { name: 'main', port: null }, says: {}, sends: 1 },
          deployed: { stale: { code: true } },
        });
        const deploy = { is: 'deploy', ...sent, mark: 'm', inputs: 'i', newest: null };
        const service = recordOf('1', { pending: deploy, deployed: { stale: {} } });
        await one.store.append(stateWith({}, 0), 'a', record);
        await one.store.append(stateWith({}, 0), 'b', service);
        await leave(one);
        expect(await resourcesNow()).toEqual({ a: record, b: service });
      });

      test('remembers what was removed over two runs that did not end', async () => {
        const one = await enter();
        await one.store.write(stateWith({ a: recordOf('1'), b: recordOf('2') }));
        await one.store.append((await one.store.read()) ?? stateWith({}), 'a', null);
        await leave(one);
        const two = await enter();
        await two.store.append((await two.store.read()) ?? stateWith({}), 'b', recordOf('3'));
        await leave(two);
        expect(await resourcesNow()).toEqual({ b: recordOf('3') });
      });

      test('has a resource at its new address only, when a run that moved it did not end', async () => {
        const one = await enter();
        await one.store.write(stateWith({ old: recordOf('1') }));
        const saved = (await one.store.read()) ?? stateWith({});
        await one.store.append({ ...saved, resources: { new: recordOf('1') } }, 'other', recordOf('2'));
        await leave(one);
        expect(await resourcesNow()).toEqual({ new: recordOf('1'), other: recordOf('2') });
      });

      test('forgets what was appended when it is written as a whole', async () => {
        const one = await enter();
        const base = stateWith({}, 0);
        await one.store.append(base, 'a', recordOf('1'));
        const whole = { ...base, serial: 1, resources: { b: recordOf('2') } };
        await one.store.write(whole);
        expect(await resourcesNow()).toEqual({ b: recordOf('2') });
        await one.store.append(whole, 'c', recordOf('3'));
        await leave(one);
        expect(await resourcesNow()).toEqual({ b: recordOf('2'), c: recordOf('3') });
      });

      test('is what was written, also when it has the number of the version before', async () => {
        const one = await enter();
        const base = stateWith({ a: recordOf('1') });
        await one.store.write(base);
        await one.store.append(base, 'a', recordOf('2'));
        await one.store.write({ ...base, resources: { a: recordOf('3') } });
        expect(await resourcesNow()).toEqual({ a: recordOf('3') });
        await one.store.append({ ...base, resources: { a: recordOf('3') } }, 'b', recordOf('4'));
        await leave(one);
        expect(await resourcesNow()).toEqual({ a: recordOf('3'), b: recordOf('4') });
      });

      test('is not changed through what was given or read', async () => {
        const one = await enter();
        const resources: Record<string, StateRecord> = { a: recordOf('1') };
        await one.store.write(stateWith(resources));
        resources['b'] = recordOf('2');
        expect(Object.keys((await one.store.read())?.resources ?? {})).toEqual(['a']);
        await leave(one);
      });

      test('does not mix with another state of the same place', async () => {
        const process = time.process();
        const [mine, other] = [await ground.open(process), await ground.open(process, 'other')];
        await Promise.all([mine.lock({ purpose: 'apply' }), other.lock({ purpose: 'apply' })]);
        await mine.write(stateWith({ a: recordOf('1') }));
        await other.write(stateWith({ b: recordOf('2') }));
        await other.append(stateWith({ b: recordOf('2') }), 'c', recordOf('3'));
        await mine.write(stateWith({ a: recordOf('4') }, 2));
        expect((await mine.read())?.resources).toEqual({ a: recordOf('4') });
        expect((await other.read())?.resources).toEqual({ b: recordOf('2'), c: recordOf('3') });
        await Promise.all([mine.close(), other.close()]);
      });
    });

    describe('appending', () => {
      test('many records at the same time makes all of them durable', async () => {
        const one = await enter();
        const base = stateWith({}, 0);
        const names = Array.from({ length: 500 }, (_, index) => `r${index}`);
        await Promise.all(names.map((name) => one.store.append(base, name, recordOf(name))));
        one.process.kill(); // what resolved is there without any more of this process
        expect(Object.keys((await resourcesNow()) ?? {}).toSorted()).toEqual(names.toSorted());
        await leave(one);
      });

      test('1,000 records in one wave are kept in the order of the calls, and cost ten times as much as 100', async () => {
        const costs: number[] = [];
        for (const count of [100, 1_000]) {
          const one = await enter();
          const base = stateWith({}, 0);
          const calls = Array.from(
            { length: count },
            (_, index) => [`r${index % (count / 2)}`, recordOf(String(index).padStart(4, '0'))] as const,
          );
          await one.store.append(base, 'first', recordOf('0'));
          const before = ground.written();
          await Promise.all(calls.map(([address, record]) => one.store.append(base, address, record)));
          costs.push(ground.written() - before);
          const { first, ...resources } = (await resourcesNow()) ?? {};
          expect(first).toEqual(recordOf('0'));
          expect(resources).toMatchObject(Object.fromEntries(calls.slice(count / 2)));
          await leave(one);
        }
        const [small = 0, large = 0] = costs;
        expect(large / small).toBeLessThan(12);
      });

      test('costs as much as what is appended, however much there is', async () => {
        const { written } = ground;
        const costs: number[] = [];
        for (const size of [10, 1_000]) {
          const one = await enter();
          const names = Array.from({ length: size }, (_, index) => `r${index}`);
          const base = stateWith(Object.fromEntries(names.map((name) => [name, recordOf(name)])), size);
          await one.store.write(base);
          await one.store.append(base, 'first', recordOf('1'));
          const before = written();
          for (let turn = 0; turn < 10; turn++) await one.store.append(base, `more${turn}`, recordOf('2'));
          costs.push(written() - before);
          await leave(one);
        }
        const [small = 0, large = 0] = costs;
        expect(small).toBeGreaterThan(10 * JSON.stringify(recordOf('2')).length);
        expect(large / small).toBeLessThan(1.1);
      });
    });

    describe('a run that is killed', () => {
      const first = stateWith({ a: recordOf('1'), b: recordOf('2') });
      const last = stateWith({ a: recordOf('1'), c: recordOf('4'), d: recordOf('5') }, 2);
      /** What the state may be, from the beginning to the end. */
      const history: readonly (State['resources'] | undefined)[] = [
        first.resources,
        { ...first.resources, c: recordOf(null) },
        { ...first.resources, c: recordOf('3') },
        { a: recordOf('1'), c: recordOf('3') },
        last.resources,
      ];

      /** Lives such a life, and tells how far it came. */
      const live = async (process: VirtualProcess, told: (step: number) => void): Promise<void> => {
        const store = await ground.open(process);
        const lease = await store.lock({ purpose: 'apply' });
        const base = (await store.read()) ?? first;
        await store.append(base, 'c', recordOf(null));
        told(1);
        await store.append(base, 'c', recordOf('3'));
        told(2);
        await store.append(base, 'b', null);
        told(3);
        await store.write(last);
        told(4);
        await lease.release();
        await store.close();
      };

      test.each<Where>(['before', 'after'])(
        'at any of its operations, %s that takes effect, has kept what it was told is kept, and holds up nobody',
        async (where) => {
          const zero = await enter();
          await zero.store.write(first);
          await leave(zero);
          let points = 0;
          for (let at = 1; ; at++) {
            const process = time.process();
            const death = ground.dieAt(process, at, where);
            let step = 0;
            let isOver = false;
            const life = live(process, (reached) => {
              step = reached;
            }).then(
              () => {
                isOver = true;
              },
              () => undefined,
            );
            await Promise.race([life, death]);
            process.kill();
            const next = await enter();
            const state = await next.store.read();
            const reached = history.findIndex((resources) => same(resources, state?.resources));
            expect([where, at, reached >= step, reached]).toEqual([where, at, true, reached]);
            // And the next run goes on from there as if nothing had happened.
            await next.store.append(state ?? first, 'e', recordOf('6'));
            expect((await resourcesNow())?.e).toEqual(recordOf('6'));
            await next.store.write(first);
            expect(await resourcesNow()).toEqual(first.resources);
            await leave(next);
            if (isOver) break;
            points = at;
          }
          expect(points).toBeGreaterThan(2);
        },
      );
    });

    describe('the lock', () => {
      test('lets one run in, and tells the others at once who that is', async () => {
        const one = await enter({ machine: 'far', purpose: 'apply' });
        await time.pass(2_000);
        const two = await begin();
        const stop = await stopOf(two.store.lock({ purpose: 'plan' })); // while no time passes
        expect(stop).toMatchObject({ failure: 'locked', diagnostics: [{ code: 'locked' }] });
        expect(stop.message).toMatch(
          /^the state .+ is locked by user\d+@far pid \d+, which runs apply since 2030-01-01T00:00:0\d\.\d{3}Z, and expires in (5[78]|59) s unless it is renewed$/,
        );
        expect(stop.diagnostics[0]?.remedy).toMatch('trueup state unlock');
        await leave(one);
        await two.store.lock({ purpose: 'plan' });
        await leave(two);
      });

      test('is released once: what comes later is of somebody else', async () => {
        const one = await enter();
        await one.lease.release();
        const two = await enter();
        await one.lease.release();
        expect(one.lease.check).toThrow('it was given back');
        const three = await begin();
        await expect(three.store.lock({ purpose: 'plan' })).rejects.toThrow('is locked by');
        expect(two.lease.check).not.toThrow();
        await leave(two);
      });

      test('has a counter that grows by one with each holder, whatever became of the one before', async () => {
        const counters: number[] = [];
        for (const how of ['release', 'kill', 'expire', 'release'] as const) {
          const one = await enter();
          counters.push(one.lease.counter);
          if (how === 'release') await one.lease.release();
          else one.process.stop();
          if (how === 'kill') one.process.kill();
          if (how === 'expire') await time.pass(61_000);
        }
        const last = await enter();
        expect([...counters, last.lease.counter]).toEqual([1, 2, 3, 4, 5]);
        await leave(last);
      });

      test('of 8 processes that come at once lets one in, again and again', async () => {
        const counters: number[] = [];
        for (let round = 0; round < 5; round++) {
          const all = await Promise.all(Array.from({ length: 8 }, () => begin()));
          const tried = await Promise.allSettled(all.map(({ store }) => store.lock({ purpose: 'apply' })));
          const entered = tried.flatMap((item) => (item.status === 'fulfilled' ? [item.value] : []));
          const refused = tried.flatMap((item) => (item.status === 'rejected' ? [item.reason as unknown] : []));
          expect(entered).toHaveLength(1);
          expect(refused.every((reason) => reason instanceof Stop && reason.failure === 'locked')).toBe(true);
          counters.push(...entered.map(({ counter }) => counter));
          await Promise.all(all.map(leave));
        }
        expect(counters).toEqual([1, 2, 3, 4, 5]);
      });

      test('is waited for as long as is wished', async () => {
        const one = await enter();
        const two = await begin();
        let got: Lease | undefined;
        const waiting = two.store.lock({ purpose: 'plan', timeoutMs: 30_000 }).then((lease) => {
          got = lease;
        });
        await time.pass(10_000);
        expect(got).toBeUndefined();
        await one.lease.release();
        await time.pass(2_000);
        await waiting;
        expect(got?.inherited).toBeUndefined();
        const three = await begin();
        const late = stopOf(three.store.lock({ purpose: 'drift', timeoutMs: 5_000 }));
        await time.pass(6_000);
        expect((await late).message).toMatch('is locked by');
        await leave(two);
      });

      test('is kept for as long as its holder is there', async () => {
        const one = await enter({ machine: 'far' });
        const other = await begin();
        for (let minute = 0; minute < 3; minute++) {
          await time.pass(60_000);
          expect((await stopOf(other.store.lock({ purpose: 'plan' }))).failure).toBe('locked');
          expect(one.lease.check).not.toThrow();
        }
        await one.store.write(stateWith({}));
        await leave(one);
      });

      test('of a process of this machine that is gone is free at once', async () => {
        const one = await enter();
        await time.pass(1_000);
        one.process.kill();
        const two = await enter();
        expect(two.lease.inherited).toMatchObject({ owner: one.process.host.owner, purpose: 'apply' });
        // It may have sent something right before: the fence counts from now.
        expect(two.lease.inherited?.mayLandUntil).toBe(time.now() + 60_000);
        await leave(two);
      });

      test('of another machine is free when it was not renewed for 60 s, and who had it is told', async () => {
        const one = await enter({ machine: 'far', purpose: 'destroy' });
        one.process.kill(); // nobody here can know that
        await time.pass(56_000);
        const two = await begin();
        expect((await stopOf(two.store.lock({ purpose: 'plan' }))).failure).toBe('locked');
        await time.pass(6_000);
        const lease = await two.store.lock({ purpose: 'plan' });
        expect(lease.counter).toBe(one.lease.counter + 1);
        expect(lease.inherited).toMatchObject({ owner: one.process.host.owner, purpose: 'destroy' });
        const leftMs = (lease.inherited?.mayLandUntil ?? 0) - time.now();
        expect(leftMs).toBeGreaterThan(56_000);
        expect(leftMs).toBeLessThanOrEqual(60_000);
        await leave(two);
      });

      test('of a holder that was gone long ago tells of it, and that nothing of it can land any more', async () => {
        const one = await enter({ machine: 'far' });
        one.process.kill();
        await time.pass(180_000);
        const two = await enter();
        expect(two.lease.inherited?.owner).toBe(one.process.host.owner);
        expect(two.lease.inherited?.mayLandUntil).toBe(time.now());
        await leave(two);
      });

      test('passes on whose requests may still land, until they cannot', async () => {
        const one = await enter();
        one.process.kill();
        const two = await enter({ purpose: 'import' });
        const until = two.lease.inherited?.mayLandUntil ?? 0;
        await time.pass(25_000); // renewed once meanwhile
        await leave(two);
        const three = await enter();
        expect(three.lease.inherited?.owner).toBe(one.process.host.owner);
        expect(Math.abs((three.lease.inherited?.mayLandUntil ?? 0) - until)).toBeLessThanOrEqual(2_000);
        await time.pass(40_000);
        await leave(three);
        expect((await enter()).lease.inherited).toBeUndefined();
      });

      test('is lost for good when it ran out: nothing starts, nothing is saved', async () => {
        const one = await enter();
        await one.store.write(stateWith({ a: recordOf('1') }));
        one.process.stop();
        await time.pass(61_000);
        one.process.goOn();
        const stop = await stopOf(one.lease.check);
        expect(stop.failure).toBe('locked');
        expect(stop.message).toMatch(/is lost: it was not renewed for 61 s \(this process was stopped/);
        expect((await stopOf(one.store.append(stateWith({}), 'b', recordOf('2')))).failure).toBe('locked');
        expect((await stopOf(one.store.write(stateWith({}, 2)))).failure).toBe('locked');
        await time.pass(30_000); // it is not renewed behind anybody's back
        expect(one.lease.check).toThrow('is lost');
        await one.store.close();
        const two = await enter();
        expect(await two.store.read()).toEqual(stateWith({ a: recordOf('1') }));
        expect(two.lease.inherited?.owner).toBe(one.process.host.owner);
        await leave(two);
      });

      test('is not renewed by a process that was stopped for too long, whatever it does first', async () => {
        const one = await enter();
        one.process.stop();
        await time.pass(61_000);
        one.process.goOn();
        await time.pass(10_000); // renewals are due since long
        expect(one.lease.check).toThrow('is lost');
        one.process.kill();
        expect((await enter()).lease.inherited?.owner).toBe(one.process.host.owner);
      });

      test('is lost when somebody else took it after that', async () => {
        const one = await enter({ machine: 'far' });
        one.process.stop();
        await time.pass(61_000);
        const two = await enter();
        await two.store.write(stateWith({ a: recordOf('1') }));
        one.process.goOn();
        expect(one.lease.check).toThrow('is lost');
        await stopOf(one.store.append(stateWith({}), 'b', recordOf('2')));
        await stopOf(one.store.write(stateWith({}, 7)));
        await one.lease.release();
        expect(await resourcesNow()).toEqual({ a: recordOf('1') });
        expect(two.lease.check).not.toThrow();
        await leave(two);
      });

      test('counts the larger of two clocks: one that is set forward ends it, one that is set back does not prolong it', async () => {
        const one = await enter();
        one.process.setClock(61_000);
        expect(one.lease.check).toThrow('is lost');
        one.process.kill();
        const two = await enter();
        two.process.stop();
        two.process.setClock(-3_600_000);
        await time.pass(58_000);
        expect(two.lease.check).not.toThrow();
        await time.pass(2_000);
        expect(two.lease.check).toThrow('is lost');
        two.process.kill();
      });

      test('outlives a place that cannot be reached for a while, and not one that cannot be reached for long', async () => {
        const one = await enter({ machine: 'far' });
        ground.breakDown();
        await time.pass(45_000);
        expect(one.lease.check).not.toThrow();
        ground.mend();
        await time.pass(10_000);
        expect((await stopOf((await begin()).store.lock({ purpose: 'plan' }))).failure).toBe('locked');
        await time.pass(40_000);
        expect(one.lease.check).not.toThrow();
        ground.breakDown();
        await time.pass(62_000);
        const stop = await stopOf(one.lease.check);
        expect(stop.message).toMatch(/was not renewed for \d+ s \(the last renewal failed: .+\)/);
        ground.mend();
        await leave(one);
      });

      test('is taken away from somebody who is gone, and from somebody who is not', async () => {
        const one = await enter({ machine: 'far' });
        const two = await begin();
        const holder = await two.store.holder();
        expect(holder).toMatchObject({ owner: one.process.host.owner, purpose: 'apply' });
        expect(holder?.endsInMs).toBeGreaterThan(58_000);
        expect(await holder?.remove()).toBe(true);
        expect(await two.store.holder()).toBeUndefined();
        const lease = await two.store.lock({ purpose: 'plan' });
        expect(lease.counter).toBe(one.lease.counter + 1);
        // Until it notices, it may send; what it sends may land until its lease and the fence are over.
        expect(lease.inherited?.owner).toBe(one.process.host.owner);
        expect((lease.inherited?.mayLandUntil ?? 0) - time.now()).toBeGreaterThan(118_000);
        await time.pass(25_000);
        expect(one.lease.check).toThrow(`${two.process.host.owner} has it, for plan`);
        await stopOf(one.store.write(stateWith({ a: recordOf('1') })));
        await leave(two);
      });

      test.each([
        ['before it ever wrote', false],
        ['in the middle of a run', true],
      ])(
        'that was taken away %s lets its holder keep nothing more, long before that notices',
        async (_title, wrote) => {
          const one = await enter({ machine: 'far' });
          const base = stateWith({ a: recordOf('1') });
          if (wrote) {
            await one.store.write(base);
            await one.store.append(base, 'b', recordOf('2'));
          }
          await (await (await begin()).store.holder())?.remove();
          const kept = wrote ? { a: recordOf('1'), b: recordOf('2') } : undefined;
          if (wrote) expect((await stopOf(one.store.append(base, 'c', recordOf('3')))).failure).toBe('locked');
          const two = await enter();
          expect((await two.store.read())?.resources).toEqual(kept);
          expect((await stopOf(one.store.append(base, 'c', recordOf('3')))).failure).toBe('locked');
          expect((await stopOf(one.store.write(stateWith({}, 9)))).failure).toBe('locked');
          await two.store.append(stateWith(kept ?? {}), 'd', recordOf('4'));
          expect(await resourcesNow()).toEqual({ ...kept, d: recordOf('4') });
          await leave(two);
        },
      );

      test('is not taken away when it was renewed since somebody looked', async () => {
        const one = await enter();
        const two = await begin();
        const holder = await two.store.holder();
        await time.pass(25_000);
        expect(await holder?.remove()).toBe(false);
        expect(one.lease.check).not.toThrow();
        await leave(one);
        await two.store.close();
      });

      test('is needed to write where others can write', async () => {
        const { store } = await begin();
        const writing = store.write(stateWith({})).catch((error: unknown) => String(error));
        const isRefused = String(await writing).includes('is not written without its lock');
        expect(isRefused).toBe(isShared);
        await store.close();
      });

      test.runIf(isShared)('keeps out whoever does not know yet that it is lost, where others can write', async () => {
        const one = await enter({ machine: 'far' });
        const base = stateWith({ a: recordOf('1') });
        await one.store.write(base);
        await one.store.append(base, 'b', recordOf('2'));
        one.process.stop();
        one.process.freezeClock();
        await time.pass(61_000);
        const two = await enter();
        const read = (await two.store.read()) ?? base;
        expect(Object.keys(read.resources)).toEqual(['a', 'b']);
        await two.store.append(read, 'c', recordOf('3'));
        expect(one.lease.check).not.toThrow();
        await one.store.append(base, 'd', recordOf('4')).catch(() => undefined);
        await stopOf(one.store.write(stateWith({}, 9)));
        expect(Object.keys((await resourcesNow()) ?? {})).toEqual(['a', 'b', 'c']);
        await two.store.write(stateWith({ e: recordOf('5') }, 2));
        expect(await resourcesNow()).toEqual({ e: recordOf('5') });
        await leave(two);
      });
    });
  });
}

function same(one: unknown, other: unknown): boolean {
  const inOrder = (value: unknown): unknown =>
    value === null || typeof value !== 'object' || Array.isArray(value)
      ? value
      : Object.fromEntries(
          Object.entries(value)
            .toSorted(([a], [b]) => (a < b ? -1 : 1))
            .map(([key, item]) => [key, inOrder(item)]),
        );
  return JSON.stringify(inOrder(one)) === JSON.stringify(inOrder(other));
}
