import { describe, expect, test } from 'vitest';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import { moveInState, removeFromState } from '../../src/operate/edit-state.ts';
import { kinds } from '../../src/resources/index.ts';
import { newState } from '../../src/state/new-state.ts';
import type { State } from '../../src/state/state.ts';
import { recordOf } from '../support/plan-values.ts';

/** Changes of a state that a person asks for. */

const shop = 'production.compose.shop';
const domain = `${shop}.domains["shop.example.com"]`;

const state: State = {
  ...newState('org_1', 'prj_1'),
  serial: 7,
  resources: {
    production: recordOf('environment', 'env_1'),
    [shop]: recordOf('compose', 'c', { parent: 'production', dependsOn: ['production'] }),
    [domain]: recordOf('domain', 'd', { parent: shop, dependsOn: [shop] }),
    'production.compose.shop2': recordOf('compose', 'c2', { parent: 'production', dependsOn: ['production', shop] }),
    'production.redis.main': recordOf('redis', 'r', { parent: 'production', options: { protect: true } }),
    'sshKeys.deploy (old)': recordOf('sshKey', 'k'),
  },
};

const move = (from: string, to: string) => moveInState(state, { from, to }, kinds);

function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    expect(error.failure).toBe('refused');
    expect(error.diagnostics[0]?.remedy).not.toBe('');
    return error.message;
  }
  throw new Error('it was not refused');
}

describe('a move', () => {
  test('takes along what is below, and what refers to it; nothing else changes', () => {
    const { state: after, moved, removed } = move(shop, 'staging.compose["web"]');
    expect(Object.keys(after.resources)).toEqual([
      'production',
      'staging.compose.web',
      'staging.compose.web.domains["shop.example.com"]',
      'production.compose.shop2',
      'production.redis.main',
      'sshKeys.deploy (old)',
    ]);
    expect(after.resources['staging.compose.web']).toMatchObject({ id: 'c', parent: 'staging', bornAt: shop });
    const below = after.resources['staging.compose.web.domains["shop.example.com"]'];
    expect(below).toMatchObject({ parent: 'staging.compose.web', dependsOn: ['staging.compose.web'], bornAt: domain });
    expect(after.resources['production.compose.shop2']?.dependsOn).toEqual(['production', 'staging.compose.web']);
    expect(after.resources['production.redis.main']).toEqual(state.resources['production.redis.main']);
    expect(moved.map(({ from, to }) => [from, to])).toEqual([
      [shop, 'staging.compose.web'],
      [domain, 'staging.compose.web.domains["shop.example.com"]'],
    ]);
    expect(removed).toEqual([]);
    expect({ ...after, resources: {} }).toEqual({ ...state, resources: {} });
  });

  test('there and back gives the same state', () => {
    const there = move('production', 'live').state;
    expect(Object.keys(there.resources)).toContain('live.redis.main');
    const back = moveInState(there, { from: 'live', to: 'production' }, kinds).state;
    expect(back).toEqual(state);
  });

  test.each([
    ['production.compose.shopp', shop, `the state has no resource production.compose.shopp`],
    [shop, 'production.compose.shop2', 'the state has a resource production.compose.shop2 already'],
    [shop, 'production.redis.shop', `${shop} is a compose, and production.redis.shop is the address of a redis`],
    [shop, 'nowhere at all', 'nowhere at all is no address of a resource'],
    [shop, 'production.nothing.shop', 'production.nothing.shop is no address of a resource'],
    [shop, shop, `${shop} is ${shop} itself, or below it`],
    ['constructor', 'production', 'the state has no resource ["constructor"]'],
    ['sshKeys.deploy (old)', 'sshKeys.other', 'sshKeys.deploy (old) is an old object'],
  ])('from %s to %s is refused', (from, to, message) => {
    expect(messageOf(() => move(from, to))).toContain(message);
  });
});

describe('a removal', () => {
  test('takes along what is below, each once', () => {
    const { state: after, removed } = removeFromState(state, [domain, shop, 'production.redis["main"]']);
    expect(removed.map(({ address }) => address)).toEqual([shop, domain, 'production.redis.main']);
    expect(Object.keys(after.resources)).toEqual(['production', 'production.compose.shop2', 'sshKeys.deploy (old)']);
    expect(after.resources['production.compose.shop2']).toBe(state.resources['production.compose.shop2']);
  });

  test('of an old object leaves the new one', () => {
    expect(removeFromState(state, ['sshKeys.deploy (old)']).removed).toHaveLength(1);
  });

  test('of what the state does not have is refused as a whole', () => {
    expect(messageOf(() => removeFromState(state, [shop, '__proto__']))).toContain('no resource ["__proto__"]');
  });
});
