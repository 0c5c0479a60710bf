import { expect, test } from 'vitest';
import { diagnostic } from '../../src/diagnostics/diagnostic.ts';
import { diagnosticJson } from '../../src/render/diagnostics-json.ts';

test('has the line that a diagnostic is about, with the part of it that is marked', () => {
  const quote = { text: '  port: x', from: 8, to: 9 };
  const position = { file: 'trueup.yaml', line: 3, column: 9 };
  const found = { ...diagnostic('wrong-type', 'port must be a number', { position }), quote };
  expect(diagnosticJson(found)).toEqual({
    code: 'wrong-type',
    severity: 'error',
    message: 'port must be a number',
    position,
    quote,
  });
  expect(diagnosticJson(diagnostic('wrong-type', 'x'))).not.toHaveProperty('quote');
});
