import { expect, test } from 'vitest';
import { secretsInJson } from '../../../src/secrets/sources/presets.ts';

test('numbers in JSON keep all of their digits, and nothing in a text changes', () => {
  const json = String.raw`{"A": 12345678901234567890, "B": 1.10, "C": "\"7\\", "D5": -0, "E": true, "F": null, "G": "a 8e2"}`;
  expect(Object.fromEntries(secretsInJson(json) ?? [])).toEqual({
    A: '12345678901234567890',
    B: '1.10',
    C: '"7\\',
    D5: '-0',
    E: 'true',
    G: 'a 8e2',
  });
  for (const none of ['{"A": 01}', '{"A": 1', '[1]', '"1"', '1']) expect(secretsInJson(none)).toBeUndefined();
});
