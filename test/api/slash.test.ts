import { expect, test } from 'vitest';
import { withoutSlash } from '../../src/api/slash.ts';

test.each([
  ['https://host/a//', 'https://host/a'],
  ['https://host/a/b', 'https://host/a/b'],
  ['///', ''],
  ['', ''],
])('%j without slashes at its end is %j', (text, without) => {
  expect(withoutSlash(text)).toBe(without);
});

test('takes linear time for slashes that are not at the end', () => {
  const text = `${'/'.repeat(2_000_000)}x`;
  expect(withoutSlash(text)).toBe(text);
});
