import { expect, test } from 'vitest';
import { partAddress } from '../../src/kind/address.ts';
import type { Action } from '../../src/plan/action.ts';
import { vanished } from '../../src/plan/vanished.ts';
import type { StateRecord } from '../../src/state/record.ts';
import { actionOf, creating, here, inputOf, kindNamed, objectOf, recordOf } from '../support/plan-values.ts';

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
  expect(codes(shop, ['a', 'b'])).toEqual(['gone']);
  const others = [recordOf('redis', 'r1'), recordOf('redis', 'r2')];
  const { state } = inputOf({}, { 'production.redis.a': others[0] ?? shop, 'production.redis.b': others[1] ?? shop });
  const actions = ['a', 'b'].map((name) => actionOf(`production.redis.${name}`, { action: 'create' }));
  expect(vanished(actions, state, new Map()).map(({ code }) => code)).toEqual(['vanished']);
  const left = vanished(actions, state, new Map([['production.redis.a', objectOf('r1', {})]]));
  expect(left.map(({ code, address: at }) => [code, at])).toEqual([['gone', 'production.redis.b']]);
});

test('a note names a single object that is gone, and not what is below it', () => {
  const records = { 'production.redis.a': recordOf('redis', 'r1'), 'production.redis.b': recordOf('redis', 'r2') };
  const { state } = inputOf({}, records);
  const actions = [
    actionOf('production.redis.a', { action: 'create', position: here }),
    actionOf('production.redis.b'),
    actionOf('production.redis.a.mounts["/m"]', { action: 'create', parent: 'production.redis.a' }),
  ];
  const objects = new Map([['production.redis.b', objectOf('r2', {})]]);
  expect(vanished(actions, state, objects)).toEqual([
    {
      code: 'gone',
      severity: 'note',
      message: 'production.redis.a (r1) is gone from the platform, and this plan creates a new one',
      removal: 'If it is gone on purpose, remove its block.',
      address: 'production.redis.a',
      position: here,
    },
  ]);
});

test('what is gone and stays gone is not created again, and counts for no warning', () => {
  const names = ['a', 'b', 'c'];
  const records = Object.fromEntries(names.map((name) => [`production.redis.${name}`, recordOf('redis', name)]));
  const { state } = inputOf({}, records);
  const held = names.map((name) => actionOf(`production.redis.${name}`, { id: undefined, kept: 'held' }));
  expect(vanished(held, state, new Map())).toEqual([]);
  const one = actionOf('production.redis.a', { action: 'create' });
  expect(vanished([one, ...held.slice(1)], state, new Map()).map(({ code }) => code)).toEqual(['gone']);
  const two = actionOf('production.redis.b', { action: 'create' });
  expect(vanished([one, two, ...held.slice(2)], state, new Map()).map(({ code }) => code)).toEqual(['vanished']);
});

test('as many of a kind as need a permission to be deleted count only where they are created again', () => {
  const names = Array.from({ length: 12 }, (_, at) => `n${at}`);
  const records = Object.fromEntries(names.map((name) => [`production.redis.${name}`, recordOf('redis', name)]));
  const { state } = inputOf({}, { ...records, 'production.redis.there': recordOf('redis', 'there') });
  const objects = new Map([['production.redis.there', objectOf('there', {})]]);
  const codesOf = (created: number) => {
    const actions = names.map((name, at) =>
      actionOf(`production.redis.${name}`, at < created ? { action: 'create' } : { id: undefined, kept: 'held' }),
    );
    return vanished([...actions, actionOf('production.redis.there')], state, objects).map(({ code }) => code);
  };
  expect(codesOf(12)).toEqual(['vanished']);
  expect(codesOf(2)).toEqual(['gone', 'gone']);
  expect(codesOf(0)).toEqual([]);
});

test('no note names an object that a killed run was deleting, nor one that another object takes the place of', () => {
  const there = recordOf('redis', 'r2');
  const stateWith = (a: StateRecord) => inputOf({}, { 'production.redis.a': a, 'production.redis.b': there }).state;
  const objects = new Map([['production.redis.b', objectOf('r2', {})]]);
  const planned = (action: Action['action']) => [
    actionOf('production.redis.a', { action }),
    actionOf('production.redis.b'),
  ];
  const deleting = recordOf('redis', 'r1', { pending: { is: 'write', at: 1, timeoutMs: 60_000 } });
  expect(vanished(planned('create'), stateWith(deleting), objects)).toEqual([]);
  expect(vanished(planned('adopt'), stateWith(recordOf('redis', 'r1')), objects)).toEqual([]);
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

test('an old object that a killed replacement left counts as one that is there, beside the new one at its address', () => {
  const kind = kindNamed('certificate');
  const blocks = Array.from({ length: 9 }, (_, n) => `certificates.c${n}`);
  const known = [...blocks, partAddress('certificates.c8', 'deposed')];
  const { state } = inputOf({}, Object.fromEntries(known.map((one) => [one, recordOf('certificate', one)])));
  const lost = blocks.slice(0, 3);
  const actions = known.map((one) => actionOf(one, { kind, ...(lost.includes(one) ? { action: 'create' } : {}) }));
  const objects = new Map(known.filter((one) => !lost.includes(one)).map((one) => [one, objectOf(one, {})]));
  expect(vanished(actions, state, objects).map(({ code, message }) => [code, message])).toEqual([
    ['vanished', expect.stringContaining('3 of 10 resources of the kind certificate (30 %)')],
  ]);
});
