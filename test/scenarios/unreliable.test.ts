import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { LoggedRequest } from '../../src/emulator/emulator.ts';
import type { OneApply } from '../support/unreliable.ts';
import {
  applyOnce,
  applyUnreliably,
  calmPlatform,
  edited,
  errorsAfterWork,
  everyFault,
  leftOver,
  objectsOf,
  whole,
} from '../support/unreliable.ts';
import { effort } from '../support/whole.ts';

/**
 * One apply, while 30 % of all requests go wrong in all the ways that the apply itself can end. What is counted are requests:
 *
 * - A write is lost when it was not carried out and nothing proves that, and in doubt when it was carried out and its
 *   answer does not say so, or does not show in what is read. 429 proves that nothing happened: such a write is sent
 *   again as often as it takes.
 * - Looks are the reads for the sake of one write that is lost or in doubt: until its in-flight timeout has
 *   passed for a create and a deployment, one or two else. One in four has to be sent again itself.
 */

/** One measured run. */
interface Measured extends OneApply {
  /** What an apply without faults leaves to do after it. */
  readonly leftByNext: readonly string[];
  readonly seed: number;
  readonly left: readonly string[];
  readonly objects: readonly string[];
  readonly log: readonly LoggedRequest[];
}

/** Applies manifests one after the other, and measures the last of them. */
async function measure(texts: readonly string[], seed?: number): Promise<Measured> {
  const made = calmPlatform();
  const last = texts.at(-1) ?? '';
  for (const text of texts.slice(0, -1)) await applyOnce(made, text, made.emulator.send, () => 0.5);
  made.emulator.log.splice(0);
  const run =
    seed === undefined
      ? await applyOnce(made, last, made.emulator.send, () => 0.5)
      : await applyUnreliably(made, last, seed);
  const log = [...made.emulator.log];
  const left = await leftOver(made, last);
  const objects = objectsOf(made);
  if (left.length > 0) await applyOnce(made, last, made.emulator.send, () => 0.5);
  const leftByNext = left.length > 0 ? await leftOver(made, last) : [];
  return { ...run, seed: seed ?? 0, left, leftByNext, objects, log };
}

const posts = ({ log }: Measured) => log.filter(({ method }) => method === 'POST');
const creates = (run: Measured) =>
  posts(run)
    .flatMap(({ operation, status }) => (operation.endsWith('.create') && status === 200 ? [operation] : []))
    .toSorted();
const isProvedUndone = ({ fault = '' }: LoggedRequest) => fault.includes('answer 429');
const isSlow = ({ fault = '' }: LoggedRequest) => /delay|drip/.test(fault);
const lost = (run: Measured) => posts(run).filter((item) => item.status === 0 && !isProvedUndone(item)).length;
const inDoubt = (run: Measured) =>
  posts(run).filter((item) => item.status !== 0 && item.fault !== undefined && !isSlow(item)).length;
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

/** Whether a write failed as often as it is sent at most: its run may end before everything is done. */
function isGivenUp(run: Measured): boolean {
  const counts = new Map<string, number>();
  for (const item of posts(run)) {
    if (item.fault === undefined || isProvedUndone(item) || isSlow(item)) continue;
    const write = JSON.stringify([item.operation, item.input]);
    counts.set(write, (counts.get(write) ?? 0) + 1);
  }
  return run.left.length > 0 && Math.max(0, ...counts.values()) >= 4;
}

/** How often each write was sent, apart from when it was proved undone. */
function sends(run: Measured): number[] {
  const counts = new Map<string, number>();
  for (const item of posts(run)) {
    if (isProvedUndone(item)) continue;
    const write = JSON.stringify([item.operation, item.input]);
    counts.set(write, (counts.get(write) ?? 0) + 1);
  }
  return [...counts.values()];
}

describe.each([
  ['makes 50 resources', [whole], effort({ fast: 20, all: 40 })],
  ['changes, replaces, moves and deletes', [whole, edited], effort({ fast: 10, all: 20 })],
])('an apply that %s while three requests in ten go wrong', (_what, texts, seeds) => {
  let calm: Measured;
  const runs: Measured[] = [];
  /** Those in which a write was lost as often as it is sent at most. */
  const givenUp: Measured[] = [];

  beforeAll(async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'] });
    calm = await measure(texts);
    for (let seed = 1; seed <= seeds; seed++) {
      const run = await measure(texts, seed);
      (isGivenUp(run) ? givenUp : runs).push(run);
    }
  });
  afterAll(() => void vi.useRealTimers());

  /** The runs of which something is not true, by their seed. */
  const exceptions = (isTrue: (run: Measured) => boolean) =>
    runs.flatMap((run) => (isTrue(run) ? [] : [{ seed: run.seed, failed: run.failed, left: run.left }]));

  test('meets every fault', () => {
    const met = new Set(runs.flatMap(({ log }) => log.flatMap(({ fault }) => fault ?? [])));
    expect(calm.failed).toEqual([]);
    expect([...met].toSorted()).toEqual(everyFault.toSorted());
    const share = sum(runs.map(({ log }) => log.filter(({ fault }) => fault !== undefined).length));
    expect(share / sum(runs.map(({ log }) => log.length))).toBeCloseTo(0.3, 1);
  });

  test('comes to its end: everything is done, nothing is left to do, and every object is there once', () => {
    expect(exceptions(({ failed, left }) => failed.length + left.length === 0)).toEqual([]);
    for (const { objects } of runs) expect(objects).toEqual(calm.objects);
  });

  test('gives up one run in twenty at most, after a write failed four times, and the next apply ends it', () => {
    expect(givenUp.length).toBeLessThanOrEqual((runs.length + givenUp.length) / 20);
    expect(givenUp.flatMap(({ leftByNext }) => leftByNext)).toEqual([]);
  });

  test('carries out the creates that were planned, and no others', () => {
    for (const run of runs) expect(creates(run)).toEqual(creates(calm));
  });

  test('sends a write four times at most, one in a hundred more than twice, and 1.25 times as many as without faults', () => {
    const all = runs.flatMap(sends);
    expect(Math.max(...all)).toBeLessThanOrEqual(4);
    expect(all.filter((count) => count > 2).length / all.length).toBeLessThan(0.01);
    expect(exceptions(({ writes }) => writes <= 1.25 * calm.writes)).toEqual([]);
  });

  test('sends at most 1.5 times as many reads, 8 polls per lost write and 3 per doubtful one; one run a fifth more', () => {
    const bound = (run: Measured) => 1.5 * calm.reads + 8 * lost(run) + 3 * inDoubt(run);
    expect(sum(runs.map(({ reads }) => reads))).toBeLessThanOrEqual(0.95 * sum(runs.map(bound)));
    expect(exceptions((run) => run.reads <= 1.2 * bound(run))).toEqual([]);
  });

  test('sends at most twice as many writes and polls as there are writes, over all runs', () => {
    const looks = runs.map(({ reads }) => Math.max(0, reads - 1.5 * calm.reads));
    expect(sum(runs.map(({ writes }) => writes)) + sum(looks)).toBeLessThanOrEqual(2 * calm.writes * runs.length);
  });
});

describe('writes that get an error as their answer after their work', () => {
  beforeAll(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'] });
  });
  afterAll(() => void vi.useRealTimers());

  test.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'are named, and the next apply ends it, with every object once (%i)',
    async (seed) => {
      const calm = calmPlatform();
      await applyOnce(calm, whole, calm.emulator.send, () => 0.5);
      const made = calmPlatform();
      const first = await applyUnreliably(made, whole, seed, errorsAfterWork);
      expect(first.failed.map(({ result }) => result)).toContain('unverified');
      expect(first.said).toContain('all the same');
      const next = await applyOnce(made, whole, made.emulator.send, () => 0.5);
      expect(next.failed).toEqual([]);
      expect(await leftOver(made, whole)).toEqual([]);
      expect(objectsOf(made)).toEqual(objectsOf(calm));
    },
  );
});
