import { AssertionError } from 'node:assert';
import { describe, expect, test } from 'vitest';
import type { Memory, State, Wave } from '../../src/exports/state.ts';
import { conformance, createMemory, processTime, storeOver, withWaves } from '../../src/exports/state.ts';
import { testKeys } from '../support/state-key.ts';

/** The suite for storages as others use it: with a runner of their own, over a storage of their own. */

type Storage = Memory['storage'];

/** Runs the whole suite over a storage in memory that `change` makes another; gives the titles of what fails. */
async function failuresOf(change: (storage: Storage) => Storage): Promise<string[]> {
  const make = () => {
    const time = processTime();
    const place = time.process().clock;
    const memories = new Map<string, Storage>();
    return Promise.resolve({
      time,
      open: (process: ReturnType<typeof time.process>, name = '') => {
        const storage = memories.get(name) ?? change(createMemory(place).storage);
        memories.set(name, storage);
        return Promise.resolve(storeOver(storage, { ...process, keys: testKeys }));
      },
      // This storage knows no operation at which a process could die, and no way to break down.
      dieAt: () => new Promise<void>(() => undefined),
      breakDown: () => undefined,
      mend: () => undefined,
      written: () => 0,
      close: () => Promise.resolve(),
    });
  };
  const failures: string[] = [];
  for (const { group, title, run } of conformance({ isShared: false }, make)) {
    if (group === 'a run that is killed') continue;
    await run().catch((error: unknown) => {
      if (!(error instanceof AssertionError)) throw error;
      failures.push(title);
    });
  }
  return failures;
}

/** The same storage, with a journal of texts. */
function withJournal(storage: Storage): Storage {
  let saved: string | undefined;
  const journal: string[] = [];
  const begin: Storage['begin'] = async (state, { confirm }) => {
    await confirm();
    saved = JSON.stringify(state);
    journal.length = 0;
  };
  return {
    ...storage,
    load: () => {
      const waves = journal.map((text) => JSON.parse(text) as Wave);
      return Promise.resolve(saved === undefined ? undefined : withWaves(JSON.parse(saved) as State, waves));
    },
    begin,
    add: async (wave, { confirm }) => {
      await confirm();
      journal.push(JSON.stringify(wave));
    },
    save: begin,
    remove: async ({ confirm }) => {
      await confirm();
      saved = undefined;
      journal.length = 0;
    },
  };
}

/** What is about bytes and about broken storages, which the storage of this test does not have. */
const notHere = [
  '1,000 records in one wave are kept in the order of the calls, and cost ten times as much as 100',
  'costs as much as the appended record, for any size of the state',
  'outlives a place that cannot be reached for a while, and not one that cannot be reached for long',
];

describe('the suite for storages', () => {
  test('is passed by a storage that keeps all records', async () => {
    expect((await failuresOf((storage) => storage)).toSorted()).toEqual(notHere.toSorted());
  });

  test('is passed by a storage that keeps its waves as JSON', async () => {
    expect((await failuresOf(withJournal)).toSorted()).toEqual(notHere.toSorted());
  });

  test('fails for a storage that loses appended records', async () => {
    const failures = await failuresOf((storage) => ({ ...storage, add: () => Promise.resolve() }));
    expect(failures).toContain('has the appended records, also when the run ends without writing');
  });

  test('notices a storage that saves into another state', async () => {
    const shared = createMemory(processTime().process().clock).storage;
    const failures = await failuresOf((storage) => ({ ...storage, load: shared.load, save: shared.save }));
    expect(failures).toContain('does not mix with another state of the same place');
  });
});
