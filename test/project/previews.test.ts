import { expect, test } from 'vitest';
import { prunable } from '../../src/project/previews.ts';

test('only a number is that of a closed pull request; the others go by their age', () => {
  const applied = '2026-01-01T00:00:00.000Z';
  const present = ['7', '8', 'demo', 'lease'].map((id) => ({ id, applied }));
  const now = Date.parse(applied) + 1_000;
  const ids = (forMs: number | undefined, open?: ReadonlySet<string>) =>
    prunable(present, { forMs }, { open, now }).map(({ id }) => id);
  expect(ids(undefined)).toEqual([]);
  expect(ids(undefined, new Set(['7']))).toEqual(['8']);
  expect(ids(undefined, new Set())).toEqual(['7', '8']);
  expect(ids(1_000, new Set(['7']))).toEqual(['7', '8', 'demo', 'lease']);
});
