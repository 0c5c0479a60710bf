import { expect, test } from 'vitest';
import { restOf, restText } from '../../src/controller/rest-of-plan.ts';
import type { PlanDocument } from '../../src/index.ts';
import { hostilePlan } from '../support/hostile-documents.ts';

/** What is left of a plan whose apply began and did not end. */

type Action = PlanDocument['actions'][number];

const action = (name: string, causes: Readonly<Record<string, 'edit' | 'drift' | 'create'>> = {}): Action => {
  const [word, address = ''] = name.split(' ');
  const shown = { is: 'absent' } as const;
  const about = { before: shown, after: shown, atDeploy: false, forcesReplacement: false };
  return {
    address,
    kind: 'redis',
    action: word as Action['action'],
    requests: 1,
    needsConsent: false,
    changes: Object.entries(causes).map(([path, cause]) => ({ path, cause, ...about })),
    notes: [],
  };
};
const plan = (...actions: readonly Action[]): PlanDocument => ({ ...hostilePlan([]), actions });

const begun = plan(
  action('no-op production'),
  action('create a', { image: 'create' }),
  action('deploy a'),
  action('update b', { image: 'edit', env: 'drift' }),
);

test.each([
  ['nothing', plan(action('no-op a')), { done: ['create a', 'deploy a', 'update b'], left: [], other: [] }],
  ['an action', plan(action('deploy a')), { done: ['create a', 'update b'], left: ['deploy a'], other: [] }],
  [
    'a part of one',
    plan(action('update b', { env: 'drift' })),
    { done: ['create a', 'deploy a'], left: ['update b'], other: [] },
  ],
  [
    'what was undone by hand',
    plan(action('update b', { image: 'drift' })),
    { done: ['create a', 'deploy a'], left: [], other: ['update b'] },
  ],
  [
    'what is half created',
    plan(action('update a', { image: 'edit' }), action('deploy a')),
    { done: ['create a', 'update b'], left: ['deploy a'], other: ['update a'] },
  ],
  [
    'something else',
    plan(action('delete c')),
    { done: ['create a', 'deploy a', 'update b'], left: [], other: ['delete c'] },
  ],
])('of a plan there is left: %s', (_, now, rest) => {
  expect(restOf(begun, now)).toEqual(rest);
});

test('an object that was created and is gone is not left of a plan', () => {
  const message = 'a (redis_1) is gone from the platform, and this plan creates a new one';
  const gone = { code: 'gone', severity: 'note', message } as const;
  const now = { ...plan(action('create a', { image: 'create' })), diagnostics: [gone] };
  expect(restOf(begun, now)).toMatchObject({ left: ['create a'], other: [message] });
  expect(restOf({ ...begun, diagnostics: now.diagnostics }, now).other).toEqual([]);
});

test('who approves what is left reads what is done', () => {
  expect(restText('d'.repeat(64), restOf(begun, plan(action('deploy a'), action('delete c'))))).toBe(
    'the plan dddddddddddd was approved and applied in part; this is what is to do now\ndone: create a, update b\nleft of it: deploy a\nnot in it: delete c',
  );
});
