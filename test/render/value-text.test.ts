import { expect, test } from 'vitest';
import type { Shown } from '../../src/plan/action.ts';
import { inlineShown, isLong, valueOf } from '../../src/render/value-text.ts';

const url = 'postgres://shop:(sensitive)@db/shop';
const lines = 'services:\n  db:\n    PASSWORD: (sensitive)\n';

test('a masked value is rendered like one without secrets', () => {
  for (const is of ['value', 'masked'] as const) {
    expect(inlineShown({ is, value: url })).toBe(url);
    expect(inlineShown({ is, value: lines })).toBe('3 lines');
    expect(valueOf({ is, value: url })).toBe(url);
  }
});

test.each<Shown>([{ is: 'hidden' }, { is: 'absent' }, { is: 'known after apply' }])('%o has no value', (shown) => {
  expect(valueOf(shown)).toBeUndefined();
});

test.each([
  ['two\nlines', true],
  ['one line and its end\n', false],
  [['two\nlines'], false],
])('%j takes several lines: %s', (value, expected) => {
  expect(isLong(value)).toBe(expected);
});

test.each([
  [{ Test: ['CMD', 'true'], Retries: 3 }, '{ Test: [CMD, "true"], Retries: 3 }'],
  [['a, b', 'c: d', '[e]', 'f #g', 'h:'], '["a, b", "c: d", "[e]", "f #g", "h:"]'],
  [{}, '{}'],
  [[], '[]'],
  [{ 'a key': null, 'two\nlines': 'x\ny' }, '{ a key: null, "two\\nlines": "x\\ny" }'],
])('a list or a map is rendered as YAML has it on one line: %j', (value, expected) => {
  expect(inlineShown({ is: 'value', value })).toBe(expected);
});

test('a redacted member needs no quotes, and the same text of somebody gets them', () => {
  expect(inlineShown({ is: 'masked', value: { KEY: '(sensitive)' } })).toBe('{ KEY: (sensitive) }');
  expect(inlineShown({ is: 'value', value: { KEY: '(sensitive)' } })).toBe('{ KEY: "(sensitive)" }');
});
