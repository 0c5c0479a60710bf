import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { maskText } from '../../src/secrets/looks-secret.ts';
import { contentRules } from '../../src/secrets/secret-forms.ts';

/** Each row of the table finds its examples, and leaves what looks alike. */

describe.each(contentRules)('the content "$name"', ({ examples, others }) => {
  test.each(examples)('%s holds a secret', (text) => {
    expect(maskText(text)).toContain('(sensitive)');
    expect(maskText(`a: 1\n    ${text}\nb: 2\n`)).toContain('(sensitive)');
  });

  test.each(others)('%s holds none', (text) => {
    expect(maskText(text)).toBe(text);
  });
});

test('the page about secrets has a row for each', () => {
  const page = readFileSync(new URL('../../docs/secrets.md', import.meta.url), 'utf8').replaceAll(/ +/g, ' ');
  const rows = contentRules.map(({ name, says, examples }) => `| ${name} | ${says} | \`${examples[0]}\` |`);
  expect(rows.filter((row) => !page.includes(row))).toEqual([]);
});
