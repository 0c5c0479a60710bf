import fc from 'fast-check';
import { expect, test } from 'vitest';
import { histories } from '../support/random-commands.ts';
import { testBulk } from '../support/profile.ts';
import { chance, hasBatches, limitMs, tryHistory, unseen } from './histories/failing.ts';
import { effort, isAll } from '../support/whole.ts';

/**
 * Random histories of edits, changes by hand, lost states, runs that end in the middle and failing requests. After each
 * apply the platform has to be what the manifest says and nothing else may have changed, and every service has to run
 * with what was written to it. What is expected is computed from the manifest and the rows of the platform, not from
 * the plan.
 */

/** Of the seeds that were tried, one from which all that can happen does within 500 histories. */
const seed = 11;
const runs = effort({ fast: 20, full: 60, all: 500 });

test(
  'in every history, an apply makes the platform match the manifest, touches nothing else, and then plans nothing',
  async () => {
    const file = 'test/scenarios/convergence.test.ts';
    const settings = chance({ file, seed, runs });
    await fc.assert(fc.asyncProperty(histories, tryHistory), settings);
    // All that can happen did; what is rare does not happen in few histories, nor from each seed.
    const isUsual = isAll && settings.seed === seed && settings.numRuns === runs;
    expect(isUsual ? unseen() : []).toEqual([]);
    expect(hasBatches()).toBe(testBulk);
  },
  limitMs,
);
