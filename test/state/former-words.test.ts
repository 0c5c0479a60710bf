import { describe, expect, it } from 'vitest';
import { newState } from '../../src/state/new-state.ts';
import type { Pair, StateRecord } from '../../src/state/record.ts';
import { digested, stateInWords } from '../../src/state/former-words.ts';

const record = (kind: string, dependsOn: readonly string[] = [], pairs: Record<string, Pair> = {}): StateRecord => ({
  kind,
  id: `${kind}_1`,
  parent: null,
  dependsOn,
  pairs,
  options: {},
});
const stored = (value: string): Pair => ({ wanted: { value }, answered: { value } });

const state = {
  ...newState('org_1', 'prj_1'),
  resources: {
    'selfgit.forge': record('selfgit', [], { selfgitUrl: stored('https://git.example.com') }),
    'selfgit["my forge"]': record('selfgit'),
    production: record('environment'),
    selfgit: record('environment'),
    'production.application.web': record('application', ['selfgit.forge'], {
      sourceType: stored('selfgit'),
      buildType: stored('nix_builder'),
      selfgitBranch: stored('acme_auto'),
      'env["selfgitId"]': stored('nix_builder'),
    }),
  },
};

describe('a state in the words of the API document', () => {
  it('gives the addresses of today, with everything that names them; digests stay bound to the old ones', () => {
    const { resources } = stateInWords(state);
    expect(Object.keys(resources)).toEqual([
      'gitea.forge',
      'gitea["my forge"]',
      'production',
      'selfgit',
      'production.application.web',
    ]);
    expect(resources['gitea.forge']).toMatchObject({ kind: 'gitea', bornAt: 'selfgit.forge' });
    expect(resources['production.application.web']).toMatchObject({ kind: 'application', dependsOn: ['gitea.forge'] });
  });

  it('gives the names of fields and the words of choices, and leaves what users wrote', () => {
    const { resources } = stateInWords(state);
    expect(resources['gitea.forge']?.pairs).toEqual({ giteaUrl: stored('https://git.example.com') });
    expect(resources['production.application.web']?.pairs).toEqual({
      sourceType: stored('gitea'),
      buildType: stored('nixpacks'),
      giteaBranch: stored('acme_auto'),
      'env["selfgitId"]': stored('nix_builder'),
    });
  });

  it('gives what an open create said and what is not proven', () => {
    const pending = {
      is: 'create',
      at: 1,
      timeoutMs: 60_000,
      sends: 1,
      says: { selfgitUrl: { value: 'u' } },
      unproven: ['selfgitUrl'],
    } as const;
    const open = { ...state, resources: { forge: { ...record('gitea'), id: null, pending } } };
    const { resources } = stateInWords(open);
    expect(resources['forge']?.pending).toMatchObject({ says: { giteaUrl: { value: 'u' } } });
  });

  it('is the same where nothing has another name, and after it was read once', () => {
    const { production } = state.resources;
    const plain = { ...state, resources: { production } };
    expect(stateInWords(plain)).toBe(plain);
    const once = stateInWords(state);
    expect(stateInWords(once)).toBe(once);
  });

  it('keeps an object whose new address another one has', () => {
    const both = { ...state, resources: { ...state.resources, 'gitea.forge': record('gitea') } };
    expect(Object.keys(stateInWords(both).resources)).toContain('selfgit.forge');
  });
});

describe('a digest is made of the words that the first version had', () => {
  it.each([
    ['giteaBranch', '"main"', 'selfgitBranch', '"main"'],
    ['buildType', '"nixpacks"', 'buildType', '"nix_builder"'],
    ['dockerImage', '"nixpacks"', 'dockerImage', '"nixpacks"'],
    ['env["giteaBranch"]', '"x"', 'env["giteaBranch"]', '"x"'],
    [
      'serviceNetworks',
      '[{"detachDokployNetwork":true,"networkIds":["a"]}]',
      'serviceNetworks',
      '[{"detachPlatformNetwork":true,"networkIds":["a"]}]',
    ],
    [
      '(inputs)',
      '["(variable) giteaBranch","1"]\n[".mounts[\\"a b\\"] giteaBranch","2"]\n["giteaBranch","3"]\n["hostname","4"]',
      '(inputs)',
      '["(variable) giteaBranch","1"]\n[".mounts[\\"a b\\"] selfgitBranch","2"]\n["hostname","4"]\n["selfgitBranch","3"]',
    ],
    ['(inputs)', '', '(inputs)', ''],
  ])('%s of %s', (attribute, text, name, made) => {
    expect(digested(attribute, text)).toEqual([name, made]);
  });
});
