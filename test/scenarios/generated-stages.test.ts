import { expect, test } from 'vitest';
import { createRandom } from '../support/random-stages.ts';
import { meaning, stage } from '../support/stages.ts';

/** Generated repositories: what somebody wrote out, and the same taken apart into files, templates and changes. */

test.each(Array.from({ length: 200 }, (_, seed) => [seed]))(
  'repository %i means what it is written out',
  async (seed) => {
    const { staged, writtenOut, root } = createRandom(seed);
    const [apart, whole] = [await stage(staged, root), await stage({ 'trueup.yaml': writtenOut }, 'trueup.yaml')];
    const parsed = ({ resources, ...rest }: typeof apart) => {
      const sorted = resources.toSorted((a, b) => a.address.localeCompare(b.address));
      return JSON.parse(meaning({ ...rest, resources: sorted })) as unknown;
    };
    expect(apart.resources.length).toBeGreaterThan(1);
    expect(parsed(apart)).toEqual(parsed(whole));
  },
);
