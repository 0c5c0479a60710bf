import { expect, test } from 'vitest';
import type { Row } from '../../src/formats/json.ts';
import type { Kind } from '../../src/kind/kind.ts';
import type { Action } from '../../src/plan/action.ts';
import { possibleRenames } from '../../src/plan/possible-renames.ts';
import type { ActionMembers } from '../support/plan-values.ts';
import { actionOf, aStep, attributeChange, declared, kindNamed, objectOf } from '../support/plan-values.ts';

/** A new key without moved: looks like a deletion and a creation. */

const deletion = (address: string, more: ActionMembers = {}) =>
  actionOf(address, { action: 'delete', teardown: [aStep], ...more });
const creation = (address: string, more: ActionMembers = {}) =>
  actionOf(address, { action: 'create', id: undefined, ...more });
const fresh = creation('production.redis.new');

test('what is deleted while one of its kind is created may have got a new name', () => {
  expect(possibleRenames([fresh, deletion('production.redis["a b"]')], { resources: {}, objects: new Map() })).toEqual([
    {
      code: 'renamed',
      severity: 'note',
      message: 'production.redis["a b"] is deleted and production.redis.new is created',
      remedy:
        'If that is one object under a new name, write moved: [{ from: "production.redis[\\"a b\\"]", to: "production.redis.new" }].',
      address: 'production.redis["a b"]',
    },
  ]);
});

test('so may what cannot be deleted and is let go of', () => {
  const { delete: _, ...operations } = kindNamed('gitlab').operations;
  const kind = { ...kindNamed('gitlab'), operations };
  const letGo = actionOf('gitlab.old', { action: 'forget', kind });
  const [said] = possibleRenames([letGo, creation('gitlab.new', { kind })], { resources: {}, objects: new Map() });
  expect(said?.message).toBe('gitlab.old is no longer managed and gitlab.new is created');
});

test('of several new objects it names the one that declares most of what the old one has', () => {
  const image = (value: string) => [attributeChange('dockerImage', { wanted: declared(value) })];
  const others = [
    creation('production.redis.first', { attributes: image('redis:7') }),
    creation('production.redis.second', { attributes: image('redis:8') }),
    creation('production.redis.third', { attributes: image('redis:8') }),
  ];
  const named = (row: Row) =>
    possibleRenames([...others, deletion('production.redis.old')], {
      resources: {},
      objects: new Map([['production.redis.old', objectOf('r1', row)]]),
    }).map(({ message }) => message);
  expect(named({ dockerImage: 'redis:8' })).toEqual([
    'production.redis.old is deleted and production.redis.second is created',
  ]);
  expect(named({ dockerImage: 'redis:6' })).toEqual([
    'production.redis.old is deleted and production.redis.first is created',
  ]);
});

test('one below another parent counts only where the platform can move it', () => {
  const moved = creation('staging.redis.new', { parent: 'staging' });
  const named = (kind: Kind) =>
    possibleRenames([{ ...moved, kind }, deletion('production.redis.old', { kind, parent: 'production' })], {
      resources: {},
      objects: new Map(),
    }).map(({ code }) => code);
  expect(named(kindNamed('redis'))).toEqual(['renamed']);
  const { move: _, ...operations } = kindNamed('redis').operations;
  expect(named({ ...kindNamed('redis'), operations })).toEqual([]);
});

test('it is said once for a kind', () => {
  const many = possibleRenames([fresh, deletion('production.redis.a'), deletion('production.redis.b')], {
    resources: {},
    objects: new Map(),
  });
  expect(many.map(({ address }) => address)).toEqual(['production.redis.a']);
});

test.each<[string, Action]>([
  ['what stays', actionOf('production.redis.old')],
  ['what is replaced', deletion('production.redis.old', { action: 'replace' })],
  ['what is forgotten because it is gone', actionOf('production.redis.old', { action: 'forget', id: undefined })],
  ['what could be deleted and is let go of', actionOf('production.redis.old', { action: 'forget' })],
  ['what goes with what it is in', deletion('production.redis.old', { teardown: [] })],
  ['the old object of a replacement', deletion('production.redis.new (old)')],
  ['another kind', deletion('production.compose.old', { kind: kindNamed('compose') })],
])('%s did not get a new name', (_what, action) => {
  expect(possibleRenames([fresh, action], { resources: {}, objects: new Map() })).toEqual([]);
});

test('nothing did when nothing is created, and nothing of what cannot be deleted and is gone', () => {
  expect(
    possibleRenames([actionOf('production.redis.new'), deletion('production.redis.old')], {
      resources: {},
      objects: new Map(),
    }),
  ).toEqual([]);
  const kind = kindNamed('gitlab');
  const gone = actionOf('gitlab.old', { action: 'forget', kind, id: undefined });
  const stays = actionOf('gitlab.other', { kind });
  expect(
    possibleRenames([gone, stays, creation('gitlab.new', { kind })], { resources: {}, objects: new Map() }),
  ).toEqual([]);
});

test('of several that go in one place and come in another, one note has an entry of each kind', () => {
  const kind = kindNamed('compose');
  const actions = [
    deletion('production.redis.cache', { parent: 'production' }),
    deletion('production.compose.shop', { parent: 'production', kind }),
    creation('live.redis.cache', { parent: 'live' }),
    creation('live.compose.shop', { parent: 'live', kind }),
  ];
  expect(possibleRenames(actions, { resources: {}, objects: new Map() })).toEqual([
    {
      code: 'renamed',
      severity: 'note',
      message: 'resources of production are deleted, and resources of the same kinds are created in live',
      remedy:
        'If they are the same objects, write an entry for each: moved: [{ from: "production.redis.cache", to: "live.redis.cache" }, { from: "production.compose.shop", to: "live.compose.shop" }].',
      address: 'production.redis.cache',
    },
  ]);
});
