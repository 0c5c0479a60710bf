import * as z from 'zod';
import { expect, test } from 'vitest';
import { schemaOf } from '../../src/kind/field.ts';

test('a function builds the schema of a field once, also for copies of the field', () => {
  let built = 0;
  const field = {
    schema: () => {
      built++;
      return z.string();
    },
  };
  expect(built).toBe(0);
  expect(schemaOf({ ...field }).safeParse('a').success).toBe(true);
  expect(schemaOf(field)).toBe(schemaOf({ ...field }));
  expect(built).toBe(1);
});

test('a schema that is built already is taken as it is', () => {
  const schema = z.number();
  expect(schemaOf({ schema })).toBe(schema);
});
