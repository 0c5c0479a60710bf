import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { localStore } from '../../../src/state/backends/local.ts';
import type { Disk } from '../../../src/state/disk.ts';
import { nodeDisk } from '../../../src/state/disk.ts';
import type { State } from '../../../src/state/state.ts';
import { recordOf, stateWith, stopOf } from '../../../src/state/conformance/states.ts';
import type { Hook, Operation } from '../faulty-disk.ts';
import { diskError, hooked } from '../faulty-disk.ts';
import { losingDisk } from '../losing-disk.ts';
import { effort } from '../../support/whole.ts';

/** A disk that fails or loses power at any of its operations: never a truncated state, always a clear error. */

const first = stateWith({ a: recordOf('1'), b: recordOf('2') });
const last = stateWith({ a: recordOf('1'), c: recordOf('4') }, 2);
const { a, b } = first.resources;

/** What the state is from step to step; every step is one call of a run. */
const history: readonly State['resources'][] = [
  { ...first.resources },
  { ...first.resources, c: recordOf(null) },
  { ...first.resources, c: recordOf('3'), d: recordOf('5') },
  { a: a ?? recordOf(null), c: recordOf('3'), d: recordOf('5') },
  { ...last.resources },
];

/** A run: gives how many of its steps were told to be kept, and what stopped it. */
async function run(folder: string, disk: Disk): Promise<{ kept: number; error: unknown }> {
  const store = localStore(folder, { disk });
  let kept = 0;
  try {
    const lease = await store.lock({ purpose: 'apply' });
    const base = (await store.read()) ?? first;
    await store.append(base, 'c', recordOf(null));
    kept = 1;
    await Promise.all([store.append(base, 'c', recordOf('3')), store.append(base, 'd', recordOf('5'))]);
    kept = 2;
    await store.append(base, 'b', null);
    kept = 3;
    await store.write(last);
    kept = 4;
    await lease.release();
    return { kept, error: undefined };
  } catch (error) {
    return { kept, error };
  } finally {
    await store.close();
  }
}

/** Which operations fail: each n-th from the first one, all of them below. */
interface Which {
  readonly first: number;
  readonly each: number;
}

/**
 * Makes one operation after the other fail, each in a folder of its own, until a run has no more of them. Gives how many
 * operations a run has.
 */
async function atEveryOperation(
  fail: (operation: Operation, work: () => Promise<unknown>) => Promise<unknown>,
  told: (about: { operation: Operation; kept: number; error: unknown; folder: string }) => Promise<void>,
  { first: begin, each }: Which = { first: 1, each: 1 },
): Promise<number> {
  for (let at = begin; ; at += each) {
    const folder = mkdtempSync(join(tmpdir(), 'trueup-faults-'));
    await localStore(folder).write(first);
    let count = 0;
    let failed: Operation | undefined;
    const hook: Hook = async (operation, work) => {
      if (++count !== at) return work();
      failed = operation;
      return fail(operation, work);
    };
    const { kept, error } = await run(folder, hooked(nodeDisk, hook));
    if (failed === undefined) {
      expect(error).toBeUndefined();
      return count;
    }
    await told({ operation: failed, kept, error, folder });
  }
}

/** What is there afterwards is whole, and what was told to be kept is in it. */
async function expectKept(folder: string, kept: number, context: unknown): Promise<void> {
  expect(() => JSON.parse(readFileSync(join(folder, 'state.json'), 'utf8')) as unknown).not.toThrow();
  const state = await localStore(folder).read();
  const reached = history.findIndex((resources) => isSame(resources, state?.resources));
  expect([context, reached >= kept, reached]).toEqual([context, true, reached]);
  expect(reached).not.toBe(-1);
}

function isSame(one: State['resources'], other: State['resources'] | undefined): boolean {
  const text = (value: State['resources'] | undefined) =>
    JSON.stringify(Object.entries(value ?? {}).toSorted(([x], [y]) => (x < y ? -1 : 1)));
  return text(one) === text(other);
}

describe('an operation of the disk that fails', () => {
  test.each([
    ['ENOSPC', 'the disk is full', 1],
    ['EIO', 'the disk fails', 2],
    ['EROFS', 'the file system can only be read', 3],
    ['EDQUOT', 'the quota is used up', 4],
  ])('with %s, at any point, stops the run with that reason, and the state stays whole', async (code, words, first) => {
    // Below the tier `all` each operation fails for one of the four reasons.
    const which = effort({ fast: { first, each: 4 }, all: { first: 1, each: 1 } });
    const points = await atEveryOperation(
      async ({ name }, work) => {
        if (name === 'close') await work(); // it is closed all the same
        throw diskError(code);
      },
      async ({ operation: { name, path }, kept, error, folder }) => {
        const context = `${name} ${path}`;
        await expectKept(folder, kept, context);
        if (error === undefined) return; // nothing depends on it: a file that is of no use was not removed or closed
        const stop = await stopOf(Promise.reject(error));
        expect(stop.failure).toBe('state');
        expect(stop.message).toContain(`${code}: ${words}`);
        expect(stop.message).toMatch(/state\.(json|journal)|lease|key/);
        // A lock is read from the beginning of a run to its end: what was changed stands in its result.
        const isRead = stop.message.includes('lease cannot be read');
        expect(stop.diagnostics[0]?.remedy).toMatch(isRead ? /Then run again\.$/ : /Nothing was (overwritten|changed)/);
        expect(stop.diagnostics[0]?.remedy).not.toContain('--adopt');
        // When the disk is well again, the next run goes on.
        const next = localStore(folder);
        await next.lock({ purpose: 'apply' });
        await next.write({ ...last, serial: 9 });
        expect(await next.read()).toEqual({ ...last, serial: 9 });
        await next.close();
        expect(readdirSync(folder).toSorted()).toEqual(['.gitignore', 'key', 'lease', 'state.json']);
      },
      which,
    );
    expect(points).toBeGreaterThan(30);
  });

  test('after a partial write leaves no record that counts as whole', async () => {
    // Below the tier `all` every second write is cut off in its middle, and every other one at its end.
    const cuts = [0, 0.3, 0.9, 1].map((share) => ({ share, first: 1, each: 1 }));
    const some = [0.3, 1].map((share, at) => ({ share, first: at + 1, each: 2 }));
    for (const { share, ...which } of effort({ fast: some, all: cuts })) {
      const points = await atEveryOperation(
        async ({ text, tear }, work) => {
          if (text === undefined) return work();
          await tear?.(Math.floor(text.length * share));
          throw diskError('ENOSPC');
        },
        async ({ operation: { name, path, text }, kept, error, folder }) => {
          if (text === undefined) return;
          await expectKept(folder, kept, `${name} ${path}`);
          if (error === undefined && path.includes('lease')) return; // what cannot be given back runs out
          const stop = await stopOf(Promise.reject(error));
          expect(stop.message).toContain('ENOSPC: the disk is full');
        },
        which,
      );
      expect(points).toBeGreaterThan(30);
    }
  });

  test('is not followed by more records, until the state is written as a whole', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'trueup-faults-'));
    let isFull = false;
    const disk = hooked(nodeDisk, async ({ name, path, tear }, work) => {
      if (!isFull || name !== 'append' || !path.includes('journal')) return work();
      await tear?.(20);
      isFull = false; // only this one
      throw diskError('ENOSPC');
    });
    const store = localStore(folder, { disk });
    await store.lock({ purpose: 'apply' });
    await store.append(first, 'c', recordOf('3'));
    isFull = true;
    await stopOf(store.append(first, 'd', recordOf('4')));
    await stopOf(store.append(first, 'e', recordOf('5')));
    expect(Object.keys((await localStore(folder).read())?.resources ?? {})).toEqual(['a', 'b', 'c']);
    await store.write(last);
    await store.append(last, 'f', recordOf('6'));
    expect(Object.keys((await localStore(folder).read())?.resources ?? {})).toEqual(['a', 'c', 'f']);
    await store.close();
  });
});

test('a journal that cannot be removed changes nothing of a state that has the number of the version before', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'trueup-faults-'));
  const disk = hooked(nodeDisk, ({ name, path }, work) =>
    name === 'remove' && path.endsWith('state.journal') ? Promise.reject(diskError('EIO')) : work(),
  );
  const store = localStore(folder, { disk });
  await store.lock({ purpose: 'apply' });
  await store.append(first, 'c', recordOf(null));
  const stop = await stopOf(store.write(first));
  expect(stop.message).toContain('cannot be removed; the state itself is saved (EIO: the disk fails)');
  expect(stop.diagnostics[0]?.remedy).toContain('Remove it, or run again');
  expect(await localStore(folder).read()).toEqual(first);
  await store.close();
});

describe('a loss of power', () => {
  test.each(['nothing', 'everything', 'names', 'contents', 'half'] as const)(
    'at any operation, when %s of the data without a sync survives, loses no record that was reported as durable',
    async (survives) => {
      let points = 0;
      for (let at = 1; ; at++) {
        const power = losingDisk();
        await run('/state', power.disk);
        const before = localStore('/state', { disk: power.disk });
        await before.lock({ purpose: 'import' });
        await before.write(first);
        await before.close();
        let count = 0;
        const disk = hooked(power.disk, (_operation, work) => {
          if (++count <= at) return work();
          return Promise.reject(diskError('EIO'));
        });
        const { kept } = await run('/state', disk);
        power.lose(survives);
        const state = await localStore('/state', { disk: power.disk }).read();
        const reached = history.findIndex((resources) => isSame(resources, state?.resources));
        expect([survives, at, reached, reached >= kept]).toEqual([survives, at, reached, true]);
        expect(reached).not.toBe(-1);
        if (count <= at) break;
        points = at;
      }
      expect(points).toBeGreaterThan(30);
      expect(b).toBeDefined();
    },
  );
});
