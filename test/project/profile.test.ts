import { describe, expect, it, test } from 'vitest';
import { inProfile, profileOf } from '../../src/kind/profile.ts';
import type { ProjectFolder } from '../../src/project/folder.ts';
import { inItsProfile, OtherProfile, profileAtAGlance, profileFor, requireProfile } from '../../src/project/profile.ts';
import { kinds } from '../../src/resources/index.ts';
import { createRedactor } from '../../src/secrets/redactor.ts';

const folder: ProjectFolder = {
  folder: '/nowhere',
  file: 'trueup.yaml',
  variables: new Map(),
  env: {},
  redactor: createRedactor(),
  kinds: inProfile(kinds, 'standard'),
};

const none = () => undefined;

describe('the profile of a manifest, at a glance', () => {
  test.each([
    ['platform: { url: "https://d.example.com", profile: dokploy }', 'dokploy'],
    ['trueup: 1\nplatform:\n  url: https://d.example.com\n  profile: dokploy\nproject: p', 'dokploy'],
    ['platform: { emulator: true, profile: standard }\ngithub:\n  main: {}', 'standard'],
    ['gitea:\n  forge: {}\n', 'dokploy'],
    ['selfgit:\n  forge: {}\n', 'standard'],
    ['source: { type: gitlab, provider: lab }', 'dokploy'],
    ['      certificateType: letsencrypt', 'dokploy'],
    ['build: { type: nix_builder }', 'standard'],
    ['main: { detachDokployNetwork: true }', 'dokploy'],
    ['services:\n  gitea:\n    image: gitea/gitea\n', 'standard'],
    ['environments: {}\n', 'standard'],
    ['github:\n  a: {}\nhubgit:\n  b: {}\n', 'standard'],
    ['platform:\n  url: u\n\n# of the shop\n  profile: dokploy\n', 'dokploy'],
    ['platform:\n  url: u\nenvironments:\n  profile: dokploy\n', 'standard'],
  ] as const)('%j is of %s', (text, profile) => {
    expect(profileAtAGlance(text, none)).toBe(profile);
  });

  it('takes linear time for a long block', () => {
    const text = `platform:\n    url: u${'\n    # a comment'.repeat(50_000)}${'\n   '.repeat(50_000)}\ngitea: {}\n`;
    expect(profileAtAGlance(text, none)).toBe('dokploy');
  });

  it('is the one that it names, else the one that was found out, that of its state, that of its words', () => {
    const [named, texts] = [undefined, ['gitea: {}\n']];
    const standard = () => 'standard' as const;
    expect(profileFor({ profile: 'dokploy' }, { named: 'standard', texts }, none)).toBe('standard');
    expect(profileFor({ profile: 'dokploy' }, { named, texts }, standard)).toBe('dokploy');
    expect(profileFor({ profile: undefined }, { named, texts }, standard)).toBe('standard');
    expect(profileFor({ profile: undefined }, { named, texts }, none)).toBe('dokploy');
    expect(profileAtAGlance('gitea: {}\n', standard)).toBe('standard');
    expect(profileAtAGlance('platform: { profile: dokploy }\n', standard)).toBe('dokploy');
  });
});

describe('work in the profile of its manifest', () => {
  it('begins again in the profile that was found out', async () => {
    const profiles: string[] = [];
    const done = await inItsProfile(folder, async (now) => {
      profiles.push(profileOf(now.kinds));
      requireProfile(now, 'dokploy');
      return Promise.resolve(now.profile);
    });
    expect([done, profiles]).toEqual(['dokploy', ['standard', 'dokploy']]);
  });

  it('ends where two sources contradict each other for ever', async () => {
    let count = 0;
    const never = inItsProfile(folder, (now) => {
      count += 1;
      throw new OtherProfile(profileOf(now.kinds) === 'standard' ? 'dokploy' : 'standard');
    });
    await expect(never).rejects.toThrow(OtherProfile);
    expect(count).toBe(4);
  });
});
