import { expect, test } from 'vitest';
import type { Shown } from '../../src/plan/action.ts';
import { inlineShown, longText, spreadText, valueOf } from '../../src/render/value-text.ts';

const url = 'postgres://shop:(sensitive)@db/shop';
const lines = 'services:\n  db:\n    PASSWORD: (sensitive)\n';

test('a masked value is rendered like one without secrets', () => {
  for (const is of ['value', 'masked'] as const) {
    expect(inlineShown({ is, value: url })).toBe(url);
    expect(inlineShown({ is, value: lines })).toBe('3 lines');
    expect(longText({ is, value: lines })).toBe(lines);
    expect(longText({ is, value: url })).toBeUndefined();
    expect(spreadText({ is, value: [url] })).toBe(`[\n  "${url}"\n]`);
    expect(valueOf({ is, value: url })).toBe(url);
  }
});

test.each<Shown>([{ is: 'hidden' }, { is: 'absent' }, { is: 'known after apply' }])('%o has no value', (shown) => {
  expect([valueOf(shown), longText(shown), spreadText(shown)]).toStrictEqual([undefined, undefined, undefined]);
});
