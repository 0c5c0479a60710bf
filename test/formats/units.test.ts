import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/formats/json.ts';
import type { FieldUnit } from '../../src/formats/units.ts';
import { amountIn, inUnits, readDuration, tooSmall } from '../../src/formats/units.ts';

/** Amounts as people write them, and the numbers that the platform takes. */

type Name = Parameters<typeof amountIn>[0];

test.each<[Name, Json, Json]>([
  ['bytes', '536870912', '536870912'],
  ['bytes', '0', '0'],
  ['bytes', '512Mi', '536870912'],
  ['bytes', '512MiB', '536870912'],
  ['bytes', '2Gi', '2147483648'],
  ['bytes', '1.5Gi', '1610612736'],
  ['bytes', '1Ti', '1099511627776'],
  ['bytes', '300Ki', '307200'],
  ['nanocpus', '1500000000', '1500000000'],
  ['nanocpus', '1.5', '1500000000'],
  ['nanocpus', '2.0', '2000000000'],
  ['nanocpus', '500m', '500000000'],
  ['nanocpus', '0.25', '250000000'],
  ['nanocpus', '2 cores', '2000000000'],
  ['nanocpus', '1 core', '1000000000'],
  ['nanoseconds', 10_000_000_000, 10_000_000_000],
  ['nanoseconds', '30s', 30_000_000_000],
  ['nanoseconds', '5m', 300_000_000_000],
  ['nanoseconds', '1h30m', 5_400_000_000_000],
  ['nanoseconds', '1.5s', 1_500_000_000],
  ['nanoseconds', '500ms', 500_000_000],
  ['nanoseconds', '1d', 86_400_000_000_000],
])('%s: %j is %j', (unit, written, number) => {
  expect(amountIn(unit).parse(written)).toBe(number);
});

test.each<[Name, readonly Json[]]>([
  ['bytes', ['', '512M', '512m', '2GB', '2g', '0.3Ki', '9000000Ti', '-1', '1e9', '512 Mi', ' 1', '1Mi1Ki', 512, true]],
  ['nanocpus', ['', '1,5', '1.5.2', '-1.5', '.5', '2core', 'half', '0.0000000001', '1.5 m', 1.5]],
  ['nanoseconds', ['', '30', '30 s', '5min', '-1s', '1s2', 's', '0.0000000001s', '9999999d', true]],
])('%s does not take %j', (unit, wrong) => {
  expect(wrong.filter((value) => amountIn(unit).safeParse(value).success)).toEqual([]);
});

test.each<[FieldUnit, Json, Json]>([
  ['bytes', '536870912', '512Mi'],
  ['bytes', '1610612736', '1536Mi'],
  ['bytes', '500000000', '500000000 bytes'],
  ['bytes', '0', '0'],
  ['bytes', null, null],
  ['bytes', '2Gi', '2Gi as text (2 bytes)'],
  ['bytes', 'much', 'much as text (no number)'],
  ['nanocpus', '1500000000', '1.5 cores'],
  ['nanocpus', '1000000000', '1 core'],
  ['nanocpus', '10000000000', '10 cores'],
  ['nanocpus', '2', '0.000000002 cores'],
  ['nanoseconds', 10_000_000_000, '10s'],
  ['nanoseconds', 5_400_000_000_000, '1h30m'],
  ['nanoseconds', 1_000_000_030, '1s30ns'],
  ['nanoseconds', 1.5, 1.5],
  [{ Interval: 'nanoseconds' }, { Interval: 30_000_000_000, Retries: 3 }, { Interval: '30s', Retries: 3 }],
  [{ Interval: 'nanoseconds' }, [], []],
])('%j: %j is shown as %j', (unit, value, shown) => {
  expect(inUnits(unit, value)).toEqual(shown);
});

describe('numbers that are smaller than anybody means', () => {
  test.each<[FieldUnit, Json, readonly (readonly string[])[]]>([
    ['bytes', '512', [[]]],
    ['bytes', '4194304', []],
    ['bytes', '0', []],
    ['nanocpus', '2', [[]]],
    ['nanocpus', '1000000', []],
    ['nanoseconds', 30, [[]]],
    [{ Interval: 'nanoseconds', Timeout: 'nanoseconds' }, { Interval: 30, Timeout: 1e9, Retries: 3 }, [['Interval']]],
  ])('%j: %j', (unit, value, paths) => {
    expect(tooSmall(unit, value).map(({ path }) => path)).toEqual(paths);
  });
});

test.each([
  ['90s', 90e9],
  ['1m30s', 90e9],
  ['90', undefined],
  ['', undefined],
  ['soon', undefined],
])('the duration %s', (text, nanoseconds) => {
  expect(readDuration(text)).toBe(nanoseconds);
});
