import { expect, test } from 'vitest';
import { errorText } from '../../src/controller/error-text.ts';
import { problemText } from '../../src/controller/problem-text.ts';

test.each([errorText, problemText])('%o says what each address of a host answered', (words) => {
  const each = [new Error('connect ECONNREFUSED ::1:5432'), new Error('connect ECONNREFUSED 127.0.0.1:5432')];
  expect(words(new AggregateError(each))).toBe('connect ECONNREFUSED ::1:5432; connect ECONNREFUSED 127.0.0.1:5432');
  expect(words(new AggregateError(each, 'no host answers'))).toBe('no host answers');
  expect(words(new Error('once'))).toBe('once');
  expect(words('a text')).toBe('a text');
});
