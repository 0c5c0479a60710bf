import fc from 'fast-check';
import { expect, test } from 'vitest';
import { histories } from '../support/random-commands.ts';
import { chance, limitMs, tryHistory } from './histories/failing.ts';
import { effort } from '../support/whole.ts';

/** Random histories like those in convergence.test.ts, from another seed: a second thread works on them. */
test(
  'in every history of the second seed, an apply makes the platform match the manifest, touches nothing else, and then plans nothing',
  async () => {
    const file = 'test/scenarios/convergence-second.test.ts';
    const settings = chance({ file, seed: 2, runs: effort({ fast: 30, all: 200 }) });
    let tried = 0;
    const property = fc.asyncProperty(histories, async (history) => {
      tried += 1;
      await tryHistory(history);
    });
    await fc.assert(property, settings);
    expect(tried).toBe(settings.numRuns);
  },
  limitMs,
);
