import { expect, test } from 'vitest';
import { newStateKey } from '../../src/secrets/state-key.ts';
import { recordOf, stateWith } from '../../src/state/conformance/states.ts';
import { digestsOf, withoutUnusedKeys, withRotatedKey } from '../../src/state/digests.ts';
import type { Deploys, StateRecord } from '../../src/state/record.ts';
import type { State } from '../../src/state/state.ts';

/** A state whose key was replaced keeps the key before, encrypted, as long as it has a digest of that. */

const web = 'production.application.web';
const before = newStateKey();
const made = digestsOf(before, stateWith({}))(web, '(inputs)')('what it is made from');
const sent = { at: 1, timeoutMs: 60_000 };
const stored = { digest: made };
const value = { value: 'a' };
const pending: StateRecord['pending'] = { is: 'create', ...sent, says: { env: stored }, sends: 1 };
const records: Record<string, Partial<StateRecord>> = {
  'a wanted value': { pairs: { env: { wanted: stored, answered: value } } },
  'an answered value': { pairs: { env: { wanted: value, answered: stored } } },
  'a template': { pairs: { env: { wanted: { ...value, template: { digest: made, secrets: {} } }, answered: value } } },
  'a secret of a template': {
    pairs: { env: { wanted: { ...value, template: { digest: '2.b', secrets: { DB: made } } }, answered: value } },
  },
  'a pending create': { pending },
};
const deployments: Record<string, Deploys> = {
  'what is deployed': { inputs: made },
  'what is saved': { stale: { saved: { inputs: made, newest: null } } },
  'a pending deployment': { pending: { ...sent, mark: 'm', inputs: made, newest: null } },
  'a change that failed': { failed: { inputs: made, at: 1 } },
};

/** The numbers of the earlier keys that a state keeps when its key is replaced. */
function keysOf(state: State): string[] {
  return Object.keys(withoutUnusedKeys(withRotatedKey(state, before, newStateKey())).earlierKeys ?? {});
}

test.each(Object.entries(records))('a key stays as long as it is that of %s', (_what, more) => {
  expect(keysOf(stateWith({ [web]: { ...recordOf(null), ...more } as StateRecord }))).toEqual(['1']);
});

test.each(Object.entries(deployments))('a key stays as long as it is that of %s', (_what, deploys) => {
  expect(keysOf({ ...stateWith({ [web]: recordOf('1') }), deployments: { [web]: deploys } })).toEqual(['1']);
});

test('the key of formats 1 and 2, whose digests have no number, stays as long as one of these is there', () => {
  const state = { ...stateWith({}), earlierKeys: { 0: 'encrypted' } };
  const kept = (resources: State['resources']) => withoutUnusedKeys({ ...state, resources }).earlierKeys;
  expect(
    kept({ [web]: recordOf('1', { pairs: { env: { wanted: { digest: 'a' }, answered: value } } }) }),
  ).toBeDefined();
  expect(kept({ [web]: recordOf('1', { pairs: { env: { wanted: value, answered: value } } }) })).toBe(undefined);
});

test('a key that no digest is made with goes', () => {
  const pairs = { env: { wanted: value, answered: { value: '1.5' } } };
  expect(keysOf(stateWith({ [web]: recordOf('1', { pairs }) }))).toEqual([]);
});
