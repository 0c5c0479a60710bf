import { expect, test } from 'vitest';
import { migrateRecord } from '../../src/state/format-3.ts';

/** A record of format 2 or 3 in the form of today; the corpus in formats.test.ts holds what these versions wrote. */

const record = { kind: 'redis', id: 'redis_1', parent: null, dependsOn: [], pairs: {}, options: {} } as const;
const sent = { at: 7, timeoutMs: 60_000 } as const;
const write = { is: 'write', ...sent } as const;
const deploy = { ...sent, mark: 'm', inputs: 'i', newest: null } as const;

test('a record without deployments stays as it is', () => {
  for (const same of [record, { ...record, pending: write }]) {
    const migrated = migrateRecord(same);
    expect(migrated).toStrictEqual({ record: same });
    expect(migrated.record).toBe(same);
  }
});

test('its deployments stand beside it', () => {
  const deployed = { inputs: 'a', stale: { code: true } } as const;
  expect(migrateRecord({ ...record, deployed: {} })).toStrictEqual({ record, deploys: {} });
  expect(migrateRecord({ ...record, deployed, pending: write })).toStrictEqual({
    record: { ...record, pending: write },
    deploys: deployed,
  });
  expect(migrateRecord({ ...record, deployed, pending: { is: 'deploy', ...deploy } })).toStrictEqual({
    record,
    deploys: { ...deployed, pending: deploy },
  });
});

test('a write beside a pending deployment is pending in the record, from the time of the deployment', () => {
  expect(migrateRecord({ ...record, pending: { is: 'deploy', ...deploy, isWriting: true } })).toStrictEqual({
    record: { ...record, pending: write },
    deploys: { pending: deploy },
  });
});
