import { describe, expect, test } from 'vitest';
import { text } from '../../src/kind/codecs.ts';
import type { Json, Row } from '../../src/formats/json.ts';
import type { AttributeChange } from '../../src/plan/action.ts';
import type { Verdict } from '../../src/plan/row-verdict.ts';
import { compare } from '../../src/plan/row-verdict.ts';
import { secret } from '../../src/secrets/secret.ts';
import {
  actionOf,
  anything,
  declared,
  kindNamed,
  lacking,
  attributeChange,
  referring,
} from '../support/plan-values.ts';

/** A row of the platform beside the attributes of an action. */

const redis = kindNamed('redis');
const host = { address: 'production.postgres.main', output: 'host' };
const outputs = ({ output }: { output: string }) => (output === 'host' ? 'db-1' : undefined);

/** What is said of a description that was x when the plan was made. */
function verdictOf(
  more: Partial<AttributeChange>,
  value: Json,
  { field = 'description', made }: { readonly field?: string; readonly made?: Row } = {},
): Verdict | undefined {
  const planned = attributeChange(field, {
    before: secret('x'),
    decision: { do: 'write', cause: 'edit' },
    ...more,
  });
  const action = actionOf('production.redis.main', { kind: redis, attributes: [planned] });
  return compare(action, { [field]: value }, outputs, made)[0]?.verdict;
}

describe('an attribute is', () => {
  test.each<[string, Partial<AttributeChange>, Json, Verdict]>([
    ['as wanted, with the wanted value', { wanted: declared('b') }, 'b', 'as wanted'],
    ['other, with a value that is neither wanted nor was there', { wanted: declared('b') }, 'a', 'other'],
    ['as before, with the value that the plan saw', { wanted: declared('b') }, 'x', 'as before'],
    ['as wanted, when both are the same', { wanted: declared('x') }, 'x', 'as wanted'],
    [
      'as wanted, with a value of the same meaning',
      { wanted: declared(''), field: { ...anything, codec: text } },
      null,
      'as wanted',
    ],
    ['as wanted, when it is to go and is gone', { wanted: undefined, decision: { do: 'remove' } }, null, 'as wanted'],
    ['as before, when it is to go and is there', { wanted: undefined, decision: { do: 'remove' } }, 'x', 'as before'],
    [
      'other, when it is to go and somebody changed it',
      { wanted: undefined, decision: { do: 'remove' } },
      'a',
      'other',
    ],
    ['as wanted, with an output that is known now', { wanted: referring(host) }, 'db-1', 'as wanted'],
    [
      'not known, while its output is not known',
      { wanted: referring({ ...host, output: 'port' }) },
      'db-1',
      'not known',
    ],
    ['as before, while its output is not known', { wanted: referring({ ...host, output: 'port' }) }, 'x', 'as before'],
    ['not known, without its secret', { wanted: lacking('WORD') }, 'db-1', 'not known'],
    ['not known, when nothing is wanted of it', { wanted: undefined, decision: { do: 'release' } }, 'a', 'not known'],
  ])('%s', (_title, more, value, verdict) => {
    expect(verdictOf(more, value)).toBe(verdict);
  });

  test('compared with the answer to the create, where the create does not take the field', () => {
    const memory = { field: 'memoryLimit', made: { memoryLimit: 'made' } };
    expect(verdictOf({ wanted: declared('b') }, 'made', memory)).toBe('as before');
    expect(verdictOf({ wanted: declared('b') }, 'x', memory)).toBe('other');
    expect(verdictOf({ wanted: declared('b') }, 'x', { made: { description: 'made' } })).toBe('as before');
  });
});

test('the verdict comes with the wanted value, once it is known', () => {
  const planned = [
    attributeChange('description', { wanted: referring(host) }),
    attributeChange('name', { wanted: lacking('WORD') }),
  ];
  const action = actionOf('production.redis.main', { kind: redis, attributes: planned });
  expect(compare(action, { name: 'a' }, outputs).map(({ meant, seen }) => [meant, seen])).toEqual([
    ['db-1', null],
    [undefined, 'a'],
  ]);
});
