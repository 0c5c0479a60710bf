import { describe, expect, test } from 'vitest';
import type { Facts, Ground } from '../../src/state/conformance/bench.ts';
import { conformance } from '../../src/state/conformance/suite.ts';

/** The suite that every storage of a state passes, as tests of this project. */

/** Runs the suite over a storage; `make` makes a new location for each test. */
export function conforms(title: string, facts: Facts, make: () => Promise<Ground>): void {
  const all = conformance(facts, make);
  const groups = new Set(all.map(({ group }) => group));
  describe(`a state ${title}`, () => {
    for (const group of groups) {
      describe(group, () => {
        const tests = all.filter((item) => item.group === group);
        test.each(tests)('$title', ({ run }) => expect(run()).resolves.toBeUndefined());
      });
    }
  });
}
