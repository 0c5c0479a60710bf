import { describe, expect, test } from 'vitest';
import { shown } from '../render/plans.ts';
import { benchWith, exportOf } from '../support/exporting.ts';
import { actionsOf, plansNothing, rowsIn } from '../support/faults.ts';
import { production } from '../support/manifest-texts.ts';
import { told, warningsAndMark, warningsOf } from '../support/problems.ts';
import { bench } from '../support/world.ts';

/** Amounts with a unit, from the manifest to the platform. */

const redis = (fields: string) =>
  production(`    redis:\n      cache: { dockerImage: redis:8, databasePassword: pw-1, ${fields} }\n`);

describe('U2: an amount with a unit', () => {
  test.each([
    ['memoryLimit: 2Gi', { memoryLimit: '2147483648' }],
    ['memoryReservation: "1.5Gi"', { memoryReservation: '1610612736' }],
    ['memoryLimit: 536870912', { memoryLimit: '536870912' }],
    ['memoryLimit: "536870912"', { memoryLimit: '536870912' }],
    ['cpuLimit: 1.5', { cpuLimit: '1500000000' }],
    ['cpuLimit: 2.0', { cpuLimit: '2000000000' }],
    ['cpuLimit: "1.5"', { cpuLimit: '1500000000' }],
    ['cpuReservation: 500m', { cpuReservation: '500000000' }],
    ['cpuLimit: 2000000000', { cpuLimit: '2000000000' }],
    ['stopGracePeriodSwarm: 30s', { stopGracePeriodSwarm: 30_000_000_000 }],
    ['stopGracePeriodSwarm: 30000000000', { stopGracePeriodSwarm: 30_000_000_000 }],
    [
      'healthCheckSwarm: { Test: [CMD, "true"], Interval: 5m, Timeout: 1500ms }',
      { healthCheckSwarm: { Test: ['CMD', 'true'], Interval: 300_000_000_000, Timeout: 1_500_000_000 } },
    ],
    ['restartPolicySwarm: { Delay: 5s, Window: 2m }', { restartPolicySwarm: { Delay: 5e9, Window: 120e9 } }],
    [
      'updateConfigSwarm: { Parallelism: 1, Order: start-first, Delay: 10s }',
      { updateConfigSwarm: { Parallelism: 1, Order: 'start-first', Delay: 10e9 } },
    ],
  ])('%s is written as the platform has it', async (written, stored) => {
    const made = bench();
    await made.apply(redis(written));
    expect(rowsIn(made, 'redis')).toMatchObject([stored]);
    await plansNothing(made, redis(written));
  });

  test('comes from the environment or a variable as well', async () => {
    const made = bench();
    Object.assign(made.env, { MEMORY: '2Gi', CPUS: '1.5', GRACE: '30s' });
    const text = redis(
      'memoryLimit: "${env:MEMORY}", cpuLimit: "${env:CPUS}", cpuReservation: "${var:cpus}", stopGracePeriodSwarm: "${env:GRACE}"',
    ).replace('environments:', 'variables: { cpus: { default: 2.0 } }\nenvironments:');
    await made.apply(text);
    expect(rowsIn(made, 'redis')).toMatchObject([
      {
        memoryLimit: '2147483648',
        cpuLimit: '1500000000',
        cpuReservation: '2000000000',
        stopGracePeriodSwarm: 30_000_000_000,
      },
    ]);
    await plansNothing(made, text);
  });

  test('written otherwise is no change', async () => {
    const made = bench();
    await made.apply(redis('memoryLimit: "536870912", cpuLimit: 500m'));
    expect(rowsIn(made, 'redis')).toMatchObject([{ memoryLimit: '536870912', cpuLimit: '500000000' }]);
    await plansNothing(made, redis('memoryLimit: 512Mi, cpuLimit: 0.5'));
  });
});

test('U2: text that the platform holds in place of a number is shown with what it means there, and not exported', async () => {
  const made = bench();
  const text = redis('memoryLimit: 2Gi');
  await made.apply(text);
  const [row] = rowsIn(made, 'redis');
  await made.emulator.act('redis.update', { redisId: row?.['redisId'], memoryLimit: '2Gi' });
  expect(shown(await made.plan(text))).toContain('memoryLimit: 2Gi as text (2 bytes) -> 2Gi');
  const exported = await exportOf(made);
  expect(exported.notes.filter(({ address }) => address === 'production.redis.cache')).toMatchObject([
    { code: 'not-exported', message: 'memoryLimit: its value is not valid in a block' },
  ]);
  expect(actionsOf(await benchWith(made, exported).plan(Object.fromEntries(exported.files)))).toEqual([]);
  await made.apply(text);
  expect(rowsIn(made, 'redis')).toMatchObject([{ memoryLimit: '2147483648' }]);
  await plansNothing(made, text);
});

describe('U2: what is no amount', () => {
  test.each([
    [
      'memoryLimit: §512M',
      'memoryLimit "512M" must be a number of bytes, or an amount with Ki, Mi, Gi or Ti such as 512Mi',
    ],
    ['memoryLimit: §0.3Ki', 'memoryLimit must be a whole number of bytes'],
    [
      'cpuLimit: §half',
      'cpuLimit "half" must be a number of billionths of a core, or cores such as 1.5, 500m or "2 cores"',
    ],
    [
      'stopGracePeriodSwarm: §30 s',
      'stopGracePeriodSwarm must be a number of nanoseconds, or a duration such as 30s, 1m30s or 500ms',
    ],
    [
      'healthCheckSwarm: { Interval: §often }',
      'healthCheckSwarm.Interval must be a number of nanoseconds, or a duration such as 30s, 1m30s or 500ms',
    ],
  ])('%s is refused', async (written, message) => {
    const { problems, said } = await told(redis(written));
    expect(problems).toEqual(['wrong-type at the mark']);
    expect(said).toContain(`${message} Write for example`);
  });

  test.each([
    ['memoryLimit: §512', 'memoryLimit means 512 bytes: Docker takes 4Mi or more'],
    ['memoryLimit: §1Mi', 'memoryLimit means 1Mi: Docker takes 4Mi or more'],
    ['cpuLimit: §2', 'cpuLimit means 0.000000002 cores: Docker takes 1m or more'],
    ['stopGracePeriodSwarm: §30', 'stopGracePeriodSwarm means 30ns: Docker measures in milliseconds'],
    ['healthCheckSwarm: { Interval: §30 }', 'healthCheckSwarm.Interval means 30ns: Docker measures in milliseconds'],
  ])('%s is warned of: the unit is missing', async (written, message) => {
    expect(await warningsOf(redis(written))).toEqual(['warning no-unit at the mark']);
    expect((await warningsAndMark(redis(written))).warnings[0]?.message).toBe(message);
  });
});
