import { expect, test } from 'vitest';
import { hiddenParts, mask } from '../../src/manifest/hidden-parts.ts';
import { createFlows } from '../../src/manifest/value-flows.ts';
import { kinds } from '../../src/resources/index.ts';

/** What a quoted line hides of the values in it. */

const partsOf = (whole: string) =>
  hiddenParts(
    { whole, near: whole, isValid: true, hasComments: false },
    { kinds, ofUser: [], matters: () => true, flows: createFlows() },
  );

test('a value with more secret parts than a call takes arguments hides each', () => {
  const lines = 160_000;
  const found = partsOf(`a: |\n${' pw=a\n'.repeat(lines)}`);
  expect(found).toHaveLength(lines);
  expect(found[0]).toEqual({ from: 9, to: 10, shown: mask });
});

test.each(['password: "(sensitive)"', 'password: correct-horse'])(
  'the value of a secret key is hidden, whatever it is: %s',
  (text) => {
    expect(partsOf(`a: { ${text} }`)).toEqual([
      { from: 'a: { password: '.length, to: `a: { ${text}`.length, shown: mask },
    ]);
  },
);
