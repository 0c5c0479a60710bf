import { describe, expect, test } from 'vitest';
import { diagnostic } from '../../src/diagnostics/diagnostic.ts';
import { needsDataLoss, weigh } from '../../src/plan/risks.ts';
import { actionOf } from '../support/plan-values.ts';

/** What data at risk needs. */

const address = 'production.postgres.main.backups.nightly';
const volume = { of: 'volume', what: 'the volume a' } as const;
const backups = { of: 'backups', what: 'the backups' } as const;
const elsewhere = { of: 'backups elsewhere', what: 'they stay' } as const;

describe('losses', () => {
  test('are asked for once each, in one text', () => {
    expect(weigh([], { address, isProtected: true })).toEqual({ dataAtRisk: undefined, warnings: [] });
    expect(weigh([volume], { address, isProtected: false }).dataAtRisk).toBe('the volume a');
    expect(weigh([volume, backups, volume], { address, isProtected: true }).dataAtRisk).toBe(
      'the volume a; the backups',
    );
  });

  test('of backups count for a protected service only', () => {
    expect(weigh([backups, elsewhere], { address, isProtected: false })).toEqual({
      dataAtRisk: undefined,
      warnings: [],
    });
  });

  test('that need no permission are warnings', () => {
    expect(weigh([elsewhere], { address, isProtected: true })).toEqual({
      dataAtRisk: undefined,
      warnings: [{ code: 'backup-moves', severity: 'warning', message: `${address}: they stay`, address }],
    });
  });
});

test('the permission to lose data is needed unless the data were given up, or more than that is needed', () => {
  const dataAtRisk = 'the data';
  const needs = (more: Parameters<typeof actionOf>[1]) => needsDataLoss(actionOf('production.redis.main', more));
  expect([needs({}), needs({ dataAtRisk }), needs({ dataAtRisk, protect: true })]).toEqual([false, true, true]);
  expect(needs({ dataAtRisk, protect: false })).toBe(false);
  expect(needs({ dataAtRisk, protect: true, notes: [diagnostic('protected', 'it is')] })).toBe(false);
  expect(needs({ dataAtRisk, notes: [diagnostic('goes-along', 'something')] })).toBe(true);
});
