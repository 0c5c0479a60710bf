import { describe, expect, test } from 'vitest';
import type { Send } from '../../src/api/wire.ts';
import { hasChanges } from '../../src/plan/action.ts';
import { readNarrowing } from '../../src/plan/narrow.ts';
import { session } from '../../src/workflow/session.ts';
import { createMemory, memoryStore } from '../../src/state/backends/memory.ts';
import { processTime } from '../../src/state/conformance/virtual-processes.ts';
import { stopOf } from '../../src/state/conformance/states.ts';
import { applyOver, connection, everything, operationOf, platformOver, results, rowsIn } from '../support/faults.ts';
import { database, production } from '../support/manifest-texts.ts';
import { bench } from '../support/world.ts';

/** A session: the lock of the state, the wait for an earlier run, a plan, its apply, and the release. */

const text = production(database());
const purpose = 'apply';
const nothing = { dataLoss: false, adoption: false };

describe('a session', () => {
  test('holds the lock while it works, and releases it afterwards', async () => {
    const made = bench();
    const manifest = await made.manifest(text);
    const seen: unknown[] = [];
    const inner = await session(manifest, made.platform(), { purpose, clock: made.clock }, async (run) => {
      seen.push((await run.connection.store.holder())?.purpose);
      return stopOf(session(manifest, made.platform(), { purpose: 'second' }, () => Promise.resolve('never')));
    });
    expect([seen, inner.failure]).toEqual([['apply'], 'locked']);
    expect(await session(manifest, made.platform(), { purpose }, () => Promise.resolve('free'))).toBe('free');
  });

  test('releases the lock when its work fails', async () => {
    const made = bench();
    const manifest = await made.manifest(text);
    const failing = session(manifest, made.platform(), { purpose }, () => Promise.reject(new Error('of the work')));
    await expect(failing).rejects.toThrow('of the work');
    expect(await session(manifest, made.platform(), { purpose }, () => Promise.resolve('free'))).toBe('free');
  });

  test('sends no POST before its apply', async () => {
    const made = bench();
    await session(await made.manifest(text), made.platform(), { purpose, clock: made.clock }, async (run) => {
      expect(hasChanges(await run.plan())).toBe(true);
    });
    expect(made.requests('POST')).toEqual([]);
  });

  test('waits before it plans until no request of an earlier run can reach the platform', async () => {
    const made = bench();
    const controller = new AbortController();
    const send: Send = (request) => {
      if (operationOf(request) !== 'postgres.create') return made.emulator.send(request);
      controller.abort();
      return Promise.reject(connection('ETIMEDOUT'));
    };
    await applyOver(made, text, send, { signal: controller.signal });
    const waits: number[] = [];
    const began = made.clock.monotonic();
    const options = { purpose, clock: made.clock, onWait: (ms: number) => void waits.push(ms) };
    const result = await session(await made.manifest(text), made.platform(), options, async (run) => {
      made.requests('GET');
      const planned = await run.plan();
      expect(made.clock.monotonic() - began).toBeGreaterThanOrEqual(Number(waits[0]));
      expect(made.requests('GET')).not.toEqual([]);
      return run.apply(planned, everything);
    });
    expect(waits).toHaveLength(1);
    expect(waits[0]).toBeGreaterThan(50_000);
    expect(results(result)['production.postgres.main']).toBe('done');
  });

  test('waits before its second plan until no request of its own apply can reach the platform any more', async () => {
    const made = bench();
    const stopping = new AbortController();
    let sentAt: number | undefined;
    const send: Send = (request) => {
      if (operationOf(request) !== 'postgres.create' || sentAt !== undefined) return made.emulator.send(request);
      sentAt = made.clock.monotonic();
      stopping.abort();
      return Promise.reject(connection('ETIMEDOUT'));
    };
    const options = { purpose, clock: made.clock };
    await session(await made.manifest(text), platformOver(made, send), options, async (run) => {
      const planned = await run.plan();
      await made.clock.sleep(120_000); // for the approval
      await run.apply(planned, everything, { signal: stopping.signal });
      const again = await run.plan();
      expect(made.clock.monotonic() - Number(sentAt)).toBeGreaterThanOrEqual(60_000);
      await run.apply(again, everything);
    });
    expect(rowsIn(made, 'postgres')).toHaveLength(1);
  });

  test('plans nothing when it is interrupted while it waits for an earlier run', async () => {
    const made = bench();
    const interruption = new AbortController();
    const lost: Send = (request) => {
      if (operationOf(request) !== 'postgres.create') return made.emulator.send(request);
      interruption.abort();
      return Promise.reject(connection('ETIMEDOUT'));
    };
    await applyOver(made, text, lost, { signal: interruption.signal });
    const again = new AbortController();
    const options = { purpose, clock: made.clock, onWait: () => again.abort() };
    const began = made.clock.monotonic();
    await session(await made.manifest(text), made.platform(), options, async (run) => {
      made.requests('GET');
      expect((await stopOf(run.plan({}, again.signal))).message).toContain('the run was interrupted while it waited');
    });
    expect(made.requests('GET')).toEqual([]);
    expect(made.clock.monotonic() - began).toBeLessThan(50_000);
  });

  test('sends no write once it lost its lock', async () => {
    const made = bench();
    const time = processTime();
    const memory = createMemory(time.process().clock);
    const open = (machine: string) => memoryStore(undefined, { ...time.process({ machine }), memory });
    const first = open('here');
    const platform = platformOver(made, made.emulator.send);
    const over = {
      ...platform,
      connect: async (about: Parameters<typeof platform.connect>[0]) => ({
        ...(await platform.connect(about)),
        store: first,
        close: first.close,
      }),
    };
    const outcome = await session(await made.manifest(text), over, { purpose, clock: made.clock }, async (run) => {
      const planned = await run.plan();
      await (await open('there').holder())?.remove();
      await time.pass(120_000);
      return run.apply(planned, everything).catch((error: unknown) => error);
    });
    expect(JSON.stringify(outcome)).toContain('is lost');
    expect(made.requests('POST')).toEqual([]);
  });
});

describe('a plan', () => {
  test('of another session is refused, and nothing is sent', async () => {
    const made = bench();
    const manifest = await made.manifest(text);
    const other = await session(manifest, made.platform(), { purpose, clock: made.clock }, (run) => run.plan());
    await session(manifest, made.platform(), { purpose, clock: made.clock }, async (run) => {
      expect(await stopOf(run.apply(other, everything))).toMatchObject({
        failure: 'refused',
        diagnostics: [{ code: 'plan-outdated' }],
      });
    });
    expect(made.requests('POST')).toEqual([]);
  });

  test('is applied once', async () => {
    const made = bench();
    await session(await made.manifest(text), made.platform(), { purpose, clock: made.clock }, async (run) => {
      const planned = await run.plan();
      await run.apply(planned, everything);
      made.requests('POST');
      expect((await stopOf(run.apply(planned, everything))).diagnostics[0]?.code).toBe('plan-outdated');
      expect(made.requests('POST')).toEqual([]);
    });
  });

  test('is out of date once another one was applied, and the state keeps what that one did', async () => {
    const made = bench();
    const both = production(
      `${database()}    redis:\n      cache: { dockerImage: redis:8, databasePassword: password-2 }\n`,
    );
    const addresses = ['production.postgres.main', 'production.redis.cache'];
    await session(await made.manifest(both), made.platform(), { purpose, clock: made.clock }, async (run) => {
      const plans = addresses.map((target) =>
        run.plan({ deploys: true, narrowing: readNarrowing({ target: [target] }) }),
      );
      const [first, second] = [await plans[0]!, await plans[1]!];
      await run.apply(first, everything);
      made.requests('POST');
      expect((await stopOf(run.apply(second, everything))).diagnostics[0]?.code).toBe('plan-outdated');
      expect(made.requests('POST')).toEqual([]);
      await run.apply(await run.plan(), everything);
    });
    expect(Object.keys(made.store.state?.resources ?? {})).toEqual(expect.arrayContaining(addresses));
  });

  test('is out of date when it was begun before an apply, or while one went on', async () => {
    const made = bench();
    await session(await made.manifest(text), made.platform(), { purpose, clock: made.clock }, async (run) => {
      const planned = await run.plan();
      const before = run.plan();
      const applying = run.apply(planned, everything);
      const during = run.plan();
      await applying;
      for (const other of [await before, await during])
        expect((await stopOf(run.apply(other, everything))).diagnostics[0]?.code).toBe('plan-outdated');
    });
  });

  test('that needs a permission is refused without it, and applied with it', async () => {
    const made = bench();
    await made.emulator.act('postgres.create', {
      name: 'main',
      environmentId: 'env_prj_1',
      databaseName: 'shop',
      databaseUser: 'u',
      databasePassword: 'password-1',
      dockerImage: 'postgres:17',
    });
    made.requests('POST');
    await session(await made.manifest(text), made.platform(), { purpose, clock: made.clock }, async (run) => {
      const planned = await run.plan();
      expect((await stopOf(run.apply(planned, nothing))).diagnostics.map(({ code }) => code)).toContain('consent');
      expect(made.requests('POST')).toEqual([]);
      expect(results(await run.apply(planned, everything))['production.postgres.main']).toBe('done');
    });
  });
});
