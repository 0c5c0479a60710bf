import { expect, test } from 'vitest';
import { newStateKey } from '../../src/secrets/state-key.ts';
import { memoryStore } from '../../src/state/backends/memory.ts';
import { stateWith, stopOf } from '../../src/state/conformance/states.ts';
import { type KeySource, givenKey } from '../../src/state/key-sources.ts';
import { largestNumber } from '../../src/state/lease-entry.ts';

/** What every place of a state has in common, in memory. */

/** A source of a key that notes what is told to it. */
function noting(finish: () => Promise<void> = () => Promise.resolve()) {
  const key = newStateKey();
  const finished: string[] = [];
  const keys: KeySource = {
    ...givenKey(key.text(), 'a key'),
    finish: (one) => {
      finished.push(one.text());
      return finish();
    },
  };
  return { key, keys, finished };
}

test('each save says that the state has a MAC of its key, and ends well where that cannot be noted', async () => {
  const { key, keys, finished } = noting(() => Promise.reject(new Error('the disk is full')));
  const store = memoryStore(undefined, { keys });
  await store.write(stateWith({}, 1));
  expect(finished).toEqual([key.text()]);
  await store.write(stateWith({}, 2));
  expect(finished).toEqual([key.text(), key.text()]);
  expect((await store.read())?.serial).toBe(2);
});

test('a version that no number of runs reaches is not written, and the one before it stays', async () => {
  const store = memoryStore(undefined, { keys: noting().keys });
  await store.write(stateWith({}, 1));
  for (const serial of [largestNumber + 2, Number.NaN, Infinity]) {
    const { diagnostics } = await stopOf(store.write(stateWith({}, serial)));
    expect(diagnostics[0]?.message).toContain(`cannot be at version ${serial}`);
    expect(diagnostics[0]?.remedy).toMatch(/^Nothing was written\. .*remove the lock there/);
  }
  expect((await store.read())?.serial).toBe(1);
  await store.write(stateWith({}, largestNumber));
  expect((await store.read())?.serial).toBe(largestNumber);
});
