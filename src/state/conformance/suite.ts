import { appendingTests } from './appending.ts';
import { documentTests } from './document-tests.ts';
import { keptTests } from './kept.ts';
import { killTests } from './killed.ts';
import { lockTests } from './lock.ts';
import { lostLockTests, lostSharedLockTests } from './lost-lock.ts';
import type { Bench, Cases, Facts, Ground } from './bench.ts';

/** One test of the suite, for any runner. */
export interface ConformanceTest {
  readonly group: string;
  readonly title: string;
  /** Rejects with an AssertionError when the backend does not conform. */
  readonly run: () => Promise<void>;
}

/**
 * The suite that every storage of a state passes, as a list of tests for any runner. `make` makes a new, empty location
 * for each of them. Never throws.
 */
export function conformance(facts: Facts, make: () => Promise<Ground>): readonly ConformanceTest[] {
  const groups: readonly (readonly [group: string, cases: Cases])[] = [
    ['documents', documentTests],
    ['what is kept', keptTests],
    ['appending', appendingTests],
    ['a run that is killed', killTests],
    ['the lock', lockTests],
    ['the lock', lostLockTests],
    ['the lock', facts.isShared ? lostSharedLockTests : {}],
  ];
  return groups.flatMap(([group, cases]) =>
    Object.entries(cases).map(([title, run]) => ({ group, title, run: () => onBench(facts, make, run) })),
  );
}

async function onBench(
  { isShared }: Facts,
  make: () => Promise<Ground>,
  run: (bench: Bench) => Promise<void>,
): Promise<void> {
  const ground = await make();
  const { time } = ground;
  const begin: Bench['begin'] = async (about) => {
    const process = time.process(about);
    return { process, store: await ground.open(process) };
  };
  const readAnew = async () => {
    const { store } = await begin();
    const state = await store.read();
    await store.close();
    return state;
  };
  try {
    await run({
      ground,
      time,
      isShared,
      begin,
      enter: async (about) => {
        const entered = await begin(about);
        const { purpose = 'apply', timeoutMs = 0 } = about ?? {};
        return { ...entered, lease: await entered.store.lock({ purpose, timeoutMs }) };
      },
      leave: async ({ process, store }) => {
        await store.close();
        process.kill();
      },
      readAnew,
      resourcesNow: async () => (await readAnew())?.resources,
    });
  } finally {
    await ground.close();
  }
}
