import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { isSecretEntry } from '../../src/secrets/looks-secret.ts';
import { keyRules } from '../../src/secrets/secret-names.ts';

/** Each row of the table finds its examples, and leaves what looks alike. */

describe.each(keyRules)('the keys "$name"', ({ examples, others, isWeak }) => {
  test.each(examples)('%s names a secret', (key) => {
    expect(isSecretEntry(key, 'hunter-2hunter2!')).toBe(true);
    expect(isSecretEntry(key, 'region')).toBe(isWeak !== true);
  });

  test.each(others)('%s names none', (key) => {
    expect(isSecretEntry(key, 'hunter-2hunter2!')).toBe(false);
  });
});

test('the page about secrets has a row for each', () => {
  const page = readFileSync(new URL('../../docs/secrets.md', import.meta.url), 'utf8').replaceAll(/ +/g, ' ');
  const rows = keyRules.map(({ name, says, examples }) => `| ${name} | ${says} | \`${examples[0]}\` |`);
  expect(rows.filter((row) => !page.includes(row))).toEqual([]);
});
