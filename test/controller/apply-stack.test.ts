import { expect, test } from 'vitest';
import { firstError } from '../../src/controller/apply-stack.ts';
import type { ResultDocument } from '../../src/index.ts';

type Outcome = ResultDocument['outcomes'][number];

const outcome = (about: Partial<Outcome>): Outcome => ({
  address: 'production.redis.cache',
  kind: 'redis',
  action: 'create',
  result: 'done',
  writes: 1,
  diagnostics: [],
  ...about,
});
const failed = outcome({
  result: 'failed',
  diagnostics: [{ severity: 'error', code: 'refused', message: 'the platform refused it' }],
});
const skipped = outcome({ result: 'skipped', stopped: 'the run was interrupted' });
const wordsOf = (...outcomes: readonly Outcome[]) => firstError({ outcomes });

test('an apply that ended early says what failed, or what stopped it', () => {
  expect(wordsOf(outcome({}), skipped, failed)).toBe('the platform refused it');
  expect(wordsOf(outcome({}), skipped)).toBe('the run was interrupted');
});
