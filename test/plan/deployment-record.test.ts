import { describe, expect, test } from 'vitest';
import type { Row } from '../../src/formats/json.ts';
import { afterwards } from '../../src/plan/deployment-record.ts';
import type { Deploys } from '../../src/state/record.ts';
import { kindNamed } from '../support/plan-values.ts';

/** What is known of the deployments of a service, once the platform was asked again. */

const compose = kindNamed('compose');
const stale = { inputs: 'old', stale: { code: true } } as const;
const pending = {
  mark: 'trueup-7f3a',
  inputs: 'new',
  newest: null,
  at: 1,
  timeoutMs: 60_000,
} as const;
const ordered: Deploys = { ...stale, pending };
const saved: Deploys = { inputs: 'old', stale: { code: true, saved: { inputs: 'new', newest: 'd2' } } };

/** A deployment as the platform lists it; they are made in the order of their names. */
const listed = (deploymentId: string, status: string, description = ''): Row => ({
  deploymentId,
  status,
  description,
  createdAt: deploymentId,
});
const rowWith = (...deployments: readonly Row[]): Row => ({ deployments });

test('nothing changes for a service without deployments, or without a row', () => {
  expect(afterwards(compose, undefined, rowWith(listed('d1', 'done', 'trueup-7f3a')))).toBeUndefined();
  expect(afterwards(compose, ordered, undefined)).toBe(ordered);
});

describe('a deployment that an earlier run ordered', () => {
  test('and that succeeded has put everything into effect', () => {
    const row = rowWith(listed('d1', 'error'), listed('d2', 'done', 'Trueup trueup-7f3a'), listed('d3', 'error'));
    expect(afterwards(compose, ordered, row)).toEqual({ inputs: 'new' });
  });

  test('is known by its id too, when the platform says something else of it by now', () => {
    const known: Deploys = { ...stale, pending: { ...pending, id: 'd2' } };
    const row = rowWith(listed('d1', 'error'), listed('d2', 'error', 'Commit: abc'));
    expect(afterwards(compose, known, row)).toEqual(stale);
    expect(afterwards(compose, ordered, row)).toBe(ordered);
  });

  test('and that a run followed until it succeeded is asked for again: whether the service holds is open', () => {
    const followed: Deploys = { ...stale, pending: { ...pending, id: 'd2' } };
    expect(afterwards(compose, followed, rowWith(listed('d2', 'done', 'Commit: abc')))).toBe(followed);
    const { service: { containers: _, ...service } = { status: '' }, ...kind } = compose;
    expect(afterwards({ ...kind, service }, followed, rowWith(listed('d2', 'done')))).toEqual({ inputs: 'new' });
  });

  test('and that a run waited for is asked for again; one that restored the service is not', () => {
    const done = rowWith(listed('d1', 'done', 'trueup-7f3a'));
    const awaited: Deploys = { ...stale, pending: { ...pending, isAwaited: true } };
    expect(afterwards(compose, awaited, done)).toBe(awaited);
    const restoring: Deploys = { ...awaited, failed: { inputs: 'other', at: 1, isRestoring: true } };
    expect(afterwards(compose, restoring, done)).toEqual({ inputs: 'new', failed: { inputs: 'other', at: 1 } });
  });

  test.each(['error', 'cancelled'])('is still needed after it ended as %s', (status) => {
    const row = rowWith(listed('d1', status, 'trueup-7f3a'));
    expect(afterwards(compose, ordered, row)).toStrictEqual(stale);
    expect(afterwards(compose, { ...saved, pending }, row)).toStrictEqual(saved);
  });

  test.each([
    ['that runs', rowWith(listed('d1', 'running', 'trueup-7f3a'))],
    ['that is not listed', rowWith(listed('d1', 'done', 'of somebody else'))],
    ['when nothing is listed', rowWith()],
    ['of which the platform does not tell what was said', rowWith({ deploymentId: 'd1', status: 'done' })],
  ])('%s is asked for again', (_what, row) => {
    expect(afterwards(compose, ordered, row)).toBe(ordered);
  });

  test('counts by the status of the service where the platform lists no deployments', () => {
    const redis = kindNamed('redis');
    expect(afterwards(redis, ordered, { applicationStatus: 'done' })).toBe(ordered);
    expect(afterwards(redis, ordered, { applicationStatus: 'error' })).toEqual(stale);
    expect(afterwards(redis, ordered, { applicationStatus: 'idle' })).toBe(ordered);
    const never = { ...redis, service: { status: 'applicationStatus' } };
    expect(afterwards(never, ordered, { applicationStatus: 'done' })).toBe(ordered);
    const { service: _, ...without } = redis;
    expect(afterwards(without, ordered, { applicationStatus: 'done' })).toBe(ordered);
  });
});

describe('a deployment that somebody else made after everything was saved', () => {
  const known: Deploys = { inputs: 'old', stale: { saved: { inputs: 'new', newest: 'd2' } } };

  test('counts when it succeeded', () => {
    const row = rowWith(listed('d1', 'done'), listed('d2', 'done'), listed('d3', 'error'), listed('d4', 'done'));
    expect(afterwards(compose, known, row)).toEqual({ inputs: 'new' });
    expect(afterwards(compose, { inputs: 'old', stale: { saved: { inputs: 'new', newest: null } } }, row)).toEqual({
      inputs: 'new',
    });
  });

  test('and with it all that are listed when the one that was the newest is not any more', () => {
    expect(afterwards(compose, known, rowWith(listed('d3', 'done')))).toEqual({ inputs: 'new' });
  });

  test.each([
    ['that began before', rowWith(listed('d1', 'done'), listed('d2', 'done'))],
    ['that did not succeed', rowWith(listed('d2', 'done'), listed('d3', 'error'), listed('d4', 'running'))],
    ['of which nothing is listed', {}],
  ])('does not when it is one %s', (_what, row) => {
    expect(afterwards(compose, known, row)).toBe(known);
  });

  test('has new code only when it fetched some', () => {
    expect(afterwards(compose, saved, rowWith(listed('d2', 'done'), listed('d3', 'done', 'by hand')))).toBe(saved);
    const fetched = rowWith(listed('d2', 'done'), listed('d3', 'done', 'Commit: abc'));
    expect(afterwards(compose, saved, fetched)).toEqual({ inputs: 'new' });
  });

  test('does not count while changes are unsaved', () => {
    expect(afterwards(compose, stale, rowWith(listed('d3', 'done', 'Commit: abc')))).toBe(stale);
  });
});
