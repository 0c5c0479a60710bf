import { expect, test } from 'vitest';
import { contracts } from '../../src/api/contract.ts';
import { profileInDocument, recogniseProfile } from '../../src/api/profile.ts';
import { documentOf } from '../support/publishing.ts';

test('recognises the profile by the words of user.get, whichever the client assumed', () => {
  const answers = {
    standard: { role: 'member', canAccessToProxyFiles: false, user: { billingCustomerId: null } },
    dokploy: { role: 'member', canAccessToTraefikFiles: false, user: { stripeCustomerId: null } },
  };
  for (const [profile, answer] of Object.entries(answers)) {
    for (const contract of Object.values(contracts)) {
      const given = contract.names?.data(answer) ?? answer;
      expect(recogniseProfile(given, contract)).toBe(profile);
      expect(recogniseProfile({ user: (given as typeof answer).user }, contract)).toBe(profile);
    }
  }
});

test('recognises no profile by other words', () => {
  for (const answer of [
    undefined,
    null,
    'x',
    [],
    {},
    { user: null },
    { user: ['stripeCustomerId'] },
    { role: 'owner' },
  ])
    expect(recogniseProfile(answer, contracts.dokploy)).toBeUndefined();
});

test('recognises the profile by an OpenAPI document, and none by another one', () => {
  for (const [profile, contract] of Object.entries(contracts))
    expect(profileInDocument(JSON.parse(documentOf(contract)))).toBe(profile);
  const both = { '/hubgit.hubgitProviders': { get: {} }, '/github.githubProviders': { get: {} } };
  for (const document of [undefined, 'x', [], {}, { paths: [] }, { paths: { '/pets': {} } }, { paths: both }])
    expect(profileInDocument(document)).toBeUndefined();
});
