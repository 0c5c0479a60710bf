import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type * as z from 'zod';
import { cron, daysBetweenRuns, hostName, madeUpName, pathBelow, port } from '../../src/kind/value-forms.ts';

/** Forms that the platform takes unchecked and that fail later. */

const forms: readonly (readonly [string, z.ZodType, readonly unknown[], readonly unknown[]])[] = [
  [
    'a host name',
    hostName,
    ['example.com', 'a', 'localhost', 'xn--bcher-kva.example', 'A.EXAMPLE.com', '1.2.3.4', `${'a'.repeat(63)}.com`],
    [
      '',
      '.',
      'a.',
      '.a',
      'a..b',
      'a_b.com',
      '*.a.com',
      'https://a.com',
      'a.com:80',
      'a.com/x',
      'a b',
      '-a.com',
      'a-.com',
      `${'a'.repeat(64)}.com`,
      `${'a.'.repeat(127)}com`,
      'bücher.example',
      5,
      null,
    ],
  ],
  ['a port', port, [1, 80, 65_535], [0, -1, 65_536, 1.5, Number.NaN, Infinity, '80', null]],
  [
    'a cron expression',
    cron,
    [
      '0 3 * * *',
      '*/5 * * * *',
      '0 0 1 1 0',
      '30 4 * * 1-5',
      '0 0 3 * * *',
      '@daily',
      '@hourly',
      '0 3 * * MON',
      '0 3 1,15 * *',
    ],
    [
      '',
      ' ',
      '* * * *',
      '60 * * * *',
      '0 24 * * *',
      '0 3 32 * *',
      '0 3 * 13 *',
      '0 3 * * 9',
      'every day',
      '@sometimes',
      '0 3 * * * * * *',
      '2024-01-01T00:00:00Z',
      '0 3 * * *\n',
      ' 0 3 * * *',
      '*/0 * * * *',
      5,
      null,
    ],
  ],
  [
    'a path below a folder',
    pathBelow,
    ['a', 'a/b.conf', '.hidden', 'a..b', '..a', '/a', '/a/b.conf', './a'],
    ['', '/', '.', './', 'a/', '..', '../a', '/../a', 'a/../b', 'a/..', 5, null],
  ],
];

for (const [title, schema, right, wrong] of forms) {
  describe(title, () => {
    test.each(right.map((value) => [value]))('is %j', (value) => {
      expect(schema.safeParse(value).success).toBe(true);
    });

    test.each(wrong.map((value) => [value]))('is not %j', (value) => {
      expect(schema.safeParse(value).success).toBe(false);
    });
  });
}

test.each([
  ['* * * * *', 1 / 1440],
  ['0 */6 * * *', 1 / 4],
  ['0 3 * * *', 1],
  ['@daily', 1],
  ['30 0 3 * * *', 1],
  ['0 3 * * 0', 7],
  ['0 3 1 * *', 30.4],
  ['0 0 30 2 *', Infinity],
  ['soon', Infinity],
  ['', Infinity],
])('%s runs every %d days', (expression, days) => {
  expect(daysBetweenRuns(expression)).toBeCloseTo(days, 1);
});

describe('a name that the platform made up', () => {
  const samples = ['samples', 'extension-samples'].flatMap((folder) => {
    const at = join(import.meta.dirname, '..', 'fixtures', folder);
    return readdirSync(at).map((file) => readFileSync(join(at, file), 'utf8'));
  });
  const named = samples.flatMap((text) => [...text.matchAll(/"(?:appName|certificatePath)": "([^"]+)"/g)]);
  const recorded = [...new Set(named.map(([, name = '']) => name))];
  const kindsOfNames =
    /^(?:app|compose|mariadb|mongo|mysql|postgres|redis|backup|schedule|volumeBackup|certificate|server)-/;

  test('is known by its words: those of recorded answers, with digits and hyphens', () => {
    const madeUp = recorded.filter((name) => kindsOfNames.test(name) && name.split('-').length > 4);
    expect(madeUp).toContain('app-back-up-1080p-panel-43xca2');
    expect(madeUp.filter((name) => !madeUpName.test(name))).toEqual([]);
  });

  test.each(['my-own-shop-app-x7k2p9', 'app-of-the-shop-x7k2p9', 'my-libsql-rqc5k5', 'copy-online-bus-za8q7m'])(
    '%s is one that a person gave',
    (name) => expect(madeUpName.test(name)).toBe(false),
  );
});
