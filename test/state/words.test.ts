import { describe, expect, it } from 'vitest';
import { inProfile } from '../../src/kind/profile.ts';
import { kinds } from '../../src/resources/index.ts';
import { newState } from '../../src/state/new-state.ts';
import type { StateRecord } from '../../src/state/record.ts';
import { shownRecord, stateInWords } from '../../src/state/words.ts';

const record = (kind: string, dependsOn: readonly string[] = [], parent: string | null = null): StateRecord => ({
  kind,
  id: `${kind}_1`,
  parent,
  dependsOn,
  pairs: {},
  options: {},
});

const state = {
  ...newState('org_1', 'prj_1'),
  resources: {
    'selfgit.forge': record('selfgit'),
    'selfgit["my forge"]': record('selfgit'),
    production: record('environment'),
    'production.application.web': record('application', ['selfgit.forge'], 'production'),
  },
};
const theirs = inProfile(kinds, 'dokploy');

describe('a state in the words of another profile', () => {
  it('gives the addresses of this one, with everything that names them; digests stay bound to the old ones', () => {
    const { resources } = stateInWords(state, theirs);
    expect(Object.keys(resources)).toEqual([
      'gitea.forge',
      'gitea["my forge"]',
      'production',
      'production.application.web',
    ]);
    expect(resources['gitea.forge']).toMatchObject({ kind: 'gitea', bornAt: 'selfgit.forge' });
    expect(resources['production.application.web']).toMatchObject({ kind: 'application', dependsOn: ['gitea.forge'] });
  });

  it('is as before when it is read the other way round', () => {
    expect(stateInWords(stateInWords(state, theirs), inProfile(kinds, 'standard'))).toEqual(state);
  });

  it('is the same where nothing has another name', () => {
    const { production } = state.resources;
    const plain = { ...state, resources: { production } };
    expect(stateInWords(plain, theirs)).toBe(plain);
    expect(stateInWords(state, inProfile(kinds, 'standard'))).toBe(state);
  });

  it('keeps an object whose new address another one has', () => {
    const both = { ...state, resources: { ...state.resources, 'gitea.forge': record('gitea') } };
    expect(Object.keys(stateInWords(both, theirs).resources)).toContain('selfgit.forge');
  });
});

it('a record is shown with the words of the profile', () => {
  const stored = (value: string) => ({ wanted: { value }, answered: { value } });
  const domain = { ...record('domain'), pairs: { certificateType: stored('acme_auto') } };
  expect(shownRecord(domain, theirs).pairs).toEqual({ certificateType: stored('letsencrypt') });
  const forge = { ...record('gitea'), pairs: { selfgitUrl: stored('https://git.example.com') } };
  expect(Object.keys(shownRecord(forge, theirs).pairs)).toEqual(['giteaUrl']);
  expect(shownRecord(domain, kinds)).toBe(domain);
});
