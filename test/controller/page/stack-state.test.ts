import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stackAddress, stackIdOf, withQuery } from '../../../src/controller/page/addresses.ts';
import { pageOfStacks, stacksPerPage } from '../../../src/controller/page/stack-list.ts';
import { nameOf, stateOf } from '../../../src/controller/page/stack-state.ts';
import { stackRow, waitingPlan } from '../../support/controller-page-data.ts';

const at = new Date('2026-11-29T00:00:00Z');
const run = { id: '7', kind: 'apply', beganAt: at };

test.each([
  ['in step', {}],
  ['behind', { applied: null }],
  ['behind', { applied: 'a'.repeat(40) }],
  ['behind', { wanted: null, applied: null }],
  ['failed', { problem: 'no' }],
  ['failed', { problem: 'no', plan: waitingPlan() }],
  ['approval', { plan: waitingPlan() }],
  ['drifted', { plan: waitingPlan({ cause: 'drift' }) }],
  ['drifted', { plan: waitingPlan({ cause: 'drift' }), policy: 'automatic' }],
  ['planned', { plan: waitingPlan(), policy: 'never' }],
  ['wave', { plan: waitingPlan(), policy: 'automatic', wave: '3' }],
  ['wave', { plan: waitingPlan({ isApproved: true }), wave: '3' }],
  ['approval', { plan: waitingPlan(), wave: '3' }],
  ['approval', { plan: waitingPlan({ isNeeded: true }), policy: 'automatic', wave: '3' }],
  ['drifted', { plan: waitingPlan({ cause: 'drift' }), policy: 'automatic', wave: '3' }],
  ['behind', { plan: waitingPlan(), policy: 'automatic' }],
  ['behind', { plan: waitingPlan({ commit: 'a'.repeat(40), isApproved: true }), applied: null }],
  ['planned', { plan: waitingPlan({ isApproved: true }), policy: 'never' }],
  ['gone', { plan: waitingPlan(), isGone: true }],
  ['approved', { plan: waitingPlan({ isApproved: true }) }],
  ['refused', { plan: waitingPlan({ isApproved: false }) }],
  ['running', { plan: waitingPlan({ isApproved: true }), run }],
  ['running', { problem: 'no', run }],
  ['running', { applied: null, run: { ...run, kind: 'plan' } }],
  ['failed', { problem: 'no', run: { ...run, kind: 'plan' } }],
  ['in step', { run: { ...run, kind: 'drift' } }],
  ['no worker', { only: { site: 'paris' }, isServed: false }],
  ['no worker', { isServed: false, applied: null, plan: waitingPlan() }],
  ['failed', { isServed: false, problem: 'no' }],
  ['paused', { isServed: false, pausedUntil: at }],
  ['gone', { isServed: false, isGone: true }],
  ['paused', { problem: 'no', plan: waitingPlan(), run, pausedUntil: at }],
  ['ending', { ends: 'closed', plan: waitingPlan(), applied: null }],
  ['running', { ends: 'over', run }],
  ['failed', { ends: 'over', problem: 'no' }],
  ['gone', { isGone: true, pausedUntil: at }],
] as const)('the state is %s of %j', (state, about) => {
  expect(stateOf(stackRow(about))).toBe(state);
});

test.each([
  ['shops', 'trueup.yaml', 'shops'],
  ['shops', 'north/trueup.yaml', 'north'],
  ['shops', 'north/trueup.yml', 'north'],
  ['shops', 'a/b/other.yaml', 'a/b/other.yaml'],
  ['shops', 'nottrueup.yaml', 'nottrueup.yaml'],
])('a stack of %s at %s is shown as %s', (source, path, name) => {
  expect(nameOf({ source, path, pull: null })).toBe(name);
});

test('a preview is shown with its pull request', () => {
  expect(nameOf({ source: 'shops', path: 'a/preview.yaml', pull: 12 })).toBe('a/preview.yaml #12');
});

test('an address has one segment for the id of a stack, and leads back to it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (path) => {
      const id = `shops:${path}`;
      const address = stackAddress(id);
      expect(address).toMatch(/^\/stacks\/[^/?#]+$/);
      expect(stackIdOf(decodeURIComponent(address.slice('/stacks/'.length)))).toBe(id);
    }),
  );
  expect(stackAddress('shops:north/trueup.yaml')).toBe('/stacks/shops:north~1trueup.yaml');
  expect(withQuery('/', { state: '', label: 'a=b c' })).toBe('/?label=a%3Db+c');
});

const nothing = { text: '', label: '', state: '' } as const;
const many = Array.from({ length: 450 }, (_, number) =>
  stackRow({
    id: `shops:s${String(number).padStart(3, '0')}/trueup.yaml`,
    path: `s${String(number).padStart(3, '0')}/trueup.yaml`,
    labels: { ring: number % 10 === 0 ? 'canary' : 'rest' },
    isGone: number === 449,
    problem: number % 100 === 7 ? 'no' : null,
  }),
);

test('a long list comes in parts, each stack in one of them', () => {
  const seen: string[] = [];
  let after: string | undefined;
  for (let part = 0; part < 5; part++) {
    const page = pageOfStacks(many, nothing, after);
    expect(page.before).toBe(seen.length);
    expect(page.found).toBe(449);
    seen.push(...page.rows.map(({ id }) => id));
    after = page.next;
    if (after === undefined) break;
    expect(page.rows).toHaveLength(stacksPerPage);
  }
  expect(seen).toEqual(many.slice(0, 449).map(({ id }) => id));
});

test.each([
  [{ text: 'S01 shops' }, 10],
  [{ text: 'ring=canary' }, 45],
  [{ label: 'ring=canary' }, 45],
  [{ label: 'ring' }, 449],
  [{ label: 'constructor' }, 0],
  [{ label: 'ring=' }, 0],
  [{ state: 'failed' }, 5],
  [{ state: 'gone' }, 1],
  [{ state: 'failed', label: 'ring=canary' }, 0],
] as const)('%j finds %d', (filter, found) => {
  const page = pageOfStacks(many, { ...nothing, ...filter }, undefined);
  expect(page.found).toBe(found);
  expect(page.all).toBe(449);
  expect(Object.fromEntries(page.counts)).toEqual({ 'in step': 444, failed: 5, gone: 1 });
});
