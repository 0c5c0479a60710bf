import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Profile } from '../../src/api/contract.ts';
import type { Send } from '../../src/api/wire.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import type { NamedPlatform } from '../../src/api/profile.ts';
import { openPlatform } from '../../src/project/open-connection.ts';
import { kinds } from '../../src/resources/index.ts';
import { createRedactor } from '../../src/secrets/redactor.ts';

/** Opens a platform in a folder of its own. */
async function open(platform: NamedPlatform) {
  const folder = mkdtempSync(join(tmpdir(), 'trueup-connect-'));
  const env = { TRUEUP_API_KEY: 'emulator-key' };
  const options = {
    folder,
    file: 'trueup.yaml',
    env,
    redactor: createRedactor(),
    kinds,
    variables: new Map<string, string>(),
    isPinned: false,
  };
  const opened = await openPlatform(platform, { options, purpose: 'test' });
  onTestFinished(opened.close);
  return opened.client;
}

/** A platform whose answer to `user.get` has no word of a profile. */
async function mute(profile: Profile, isPublished: boolean) {
  const emulator = createEmulator({ profile, published: isPublished });
  const asked: string[] = [];
  const send: Send = async (request) => {
    asked.push(request.path.replace(/^\/api\/|\?.*$/g, ''));
    const answer = await emulator.send(request);
    const isUser = request.path.startsWith('/api/user.get');
    return isUser ? { ...answer, body: answer.body.replaceAll(/canAccessTo\w+Files|\w+CustomerId/g, 'other') } : answer;
  };
  const server = await serve({ ...emulator, send });
  onTestFinished(() => server.close());
  // The limit of the key is another question.
  return { emulator, url: server.url, asked: () => asked.splice(0).filter((one) => one !== 'user.getBackups') };
}

describe('a platform of a profile', () => {
  test('is spoken to in its words, embedded too', async () => {
    const client = await open({ emulator: true, profile: 'dokploy' });
    expect(client.contract.profile).toBe('dokploy');
    const [provider] = (await client.call('github.githubProviders', {})) as object[];
    expect(provider).toHaveProperty('githubId');
    await expect(client.call('github.one', { githubId: 'none' })).rejects.toThrow('github.one');
  });

  test.each(['dokploy', 'standard'] as const)('is found out where it is not named (%s)', async (profile) => {
    const emulator = createEmulator({ profile });
    const server = await serve(emulator);
    onTestFinished(() => server.close());
    const client = await open({ url: server.url });
    expect(await client.call('organization.all', {})).toBeDefined();
    expect(emulator.log.map(({ operation }) => operation)).not.toContain('user.get');
    const [provider] = (await client.call('github.githubProviders', {})) as object[];
    expect(provider).toHaveProperty('githubId');
    expect(await client.call('user.get', {})).toHaveProperty('canAccessToTraefikFiles');
    expect(client.contract.profile).toBe(profile);
    // Who acts is read once, and before a request that each profile has other words for.
    expect(emulator.log.filter(({ operation }) => operation === 'user.get')).toHaveLength(1);
    expect(emulator.log.filter(({ operation, status }) => operation.startsWith('github') && status !== 200)).toEqual(
      [],
    );
  });

  const document = 'settings.getOpenApiDocument';
  const asked = 'github.githubProviders';
  const inDocument = 'hubgit.hubgitProviders';
  test.each([
    { is: 'dokploy', named: undefined, isPublished: true, asks: [document] },
    { is: 'dokploy', named: undefined, isPublished: false, asks: [document, asked] },
    { is: 'standard', named: undefined, isPublished: true, asks: [document] },
    { is: 'standard', named: undefined, isPublished: false, asks: [document, asked, inDocument] },
    { is: 'dokploy', named: 'dokploy', isPublished: false, asks: [] },
    { is: 'standard', named: 'dokploy', isPublished: false, asks: [] },
  ] as const)(
    'that user.get does not show is asked for ($is, named $named)',
    async ({ is, named, isPublished, asks }) => {
      const { emulator, url, asked: sent } = await mute(is, isPublished);
      const client = await open({ url, profile: named });
      await client.call('user.get', {});
      await client.call('user.get', {});
      expect(sent()).toEqual(['user.get', ...asks, 'user.get']);
      if (named === undefined) expect(client.contract.profile).toBe(is);
      if (named === undefined || is === named) return;
      // It was named, so it is asked for when a request is not known there.
      await expect(client.call(asked, {})).rejects.toThrow(
        'the manifest says profile: dokploy, and the platform answers in the words of',
      );
      expect(sent()).toEqual([asked, document, asked, inDocument]);
      expect(emulator.log.filter(({ method }) => method === 'POST')).toEqual([]);
    },
  );
});
