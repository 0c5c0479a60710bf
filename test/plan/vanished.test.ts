import { expect, test } from 'vitest';
import { vanished } from '../../src/plan/vanished.ts';
import type { StateRecord } from '../../src/state/record.ts';
import { actionOf, creating, inputOf, kindNamed, objectOf, recordOf } from '../support/plan-values.ts';

/** What the state knows, and the platform does not have any more. */

const address = (name: string) => `production.compose.shop.files.${name}`;

/** The codes for a service and files below it of which the platform has none but those in `there`. */
function codes(shop: StateRecord | undefined, files: readonly string[], there: readonly string[] = []) {
  const records = {
    ...(shop === undefined ? {} : { 'production.compose.shop': shop }),
    ...Object.fromEntries(
      files.map((name) => [address(name), recordOf('fileMount', name, { parent: 'production.compose.shop' })]),
    ),
  };
  const parent = 'production.compose.shop';
  const actions = [
    actionOf(parent, { kind: kindNamed('compose'), action: 'create' }),
    ...files.map((name) => actionOf(address(name), { kind: kindNamed('fileMount'), action: 'create', parent })),
  ];
  const { state } = inputOf({}, records);
  const objects = new Map(there.map((name) => [address(name), objectOf(name, {})]));
  return vanished(actions, state, objects).map(({ code }) => code);
}

const shop = recordOf('compose', 'compose_1');

test('two objects that are gone by themselves have vanished, and one with what is below it has not', () => {
  expect(codes(shop, ['a', 'b'])).toEqual([]);
  const others = [recordOf('redis', 'r1'), recordOf('redis', 'r2')];
  const { state } = inputOf({}, { 'production.redis.a': others[0] ?? shop, 'production.redis.b': others[1] ?? shop });
  const actions = ['a', 'b'].map((name) => actionOf(`production.redis.${name}`, { action: 'create' }));
  expect(vanished(actions, state, new Map()).map(({ code }) => code)).toEqual(['vanished']);
  expect(vanished(actions, state, new Map([['production.redis.a', objectOf('r1', {})]]))).toEqual([]);
});

test('what went with a service that a run deleted to replace it has not vanished', () => {
  expect(codes(undefined, ['a', 'b'])).toEqual([]);
  expect(codes(recordOf('compose', null, { pending: creating() }), ['a', 'b'])).toEqual([]);
});

test('what is below a service that is there has vanished when as much as needs a permission is gone', () => {
  const many = Array.from({ length: 12 }, (_, n) => `f${n}`);
  const { state } = inputOf(
    {},
    {
      'production.compose.shop': shop,
      ...Object.fromEntries(
        many.map((name) => [address(name), recordOf('fileMount', name, { parent: 'production.compose.shop' })]),
      ),
    },
  );
  const parent = 'production.compose.shop';
  const actions = [
    actionOf(parent, { kind: kindNamed('compose') }),
    ...many.map((name) => actionOf(address(name), { kind: kindNamed('fileMount'), action: 'create', parent })),
  ];
  const objects = new Map([[parent, objectOf('compose_1', {})]]);
  expect(vanished(actions, state, objects).map(({ message }) => message)).toEqual([
    expect.stringContaining('12 of 12 resources of the kind fileMount (100 %)'),
  ]);
  expect(codes(undefined, many)).toEqual([]);
});
