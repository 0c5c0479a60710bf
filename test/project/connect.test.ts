import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Profile } from '../../src/api/contract.ts';
import type { Send } from '../../src/api/wire.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/server.ts';
import type { NamedPlatform } from '../../src/project/target.ts';
import { openPlatform } from '../../src/project/connect.ts';
import { inProfile } from '../../src/kind/profile.ts';
import { OtherProfile } from '../../src/project/profile.ts';
import { kinds } from '../../src/resources/index.ts';
import { createRedactor } from '../../src/secrets/redactor.ts';

/** Opens a platform in a folder of its own. */
async function open(platform: NamedPlatform) {
  const all = inProfile(kinds, platform.profile ?? 'standard');
  const folder = mkdtempSync(join(tmpdir(), 'trueup-connect-'));
  const env = { TRUEUP_API_KEY: 'emulator-key' };
  const options = {
    folder,
    file: 'trueup.yaml',
    env,
    redactor: createRedactor(),
    kinds: all,
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
    const client = await open({ platform: 'emulator', profile: 'dokploy' });
    expect(client.contract.profile).toBe('dokploy');
    const [provider] = (await client.call('hubgit.hubgitProviders', {})) as object[];
    expect(provider).toHaveProperty('hubgitId');
    await expect(client.call('hubgit.one', { hubgitId: 'none' })).rejects.toThrow('github.one');
  });

  test('is not that of another', async () => {
    const emulator = createEmulator({ profile: 'dokploy' });
    const server = await serve(emulator);
    onTestFinished(() => server.close());
    const { url } = server;
    const standard = await open({ platform: { url } });
    await expect(standard.call('hubgit.hubgitProviders', {})).rejects.toThrow(OtherProfile);
    await expect(standard.call('user.get', {})).rejects.toThrow(OtherProfile);
    const dokploy = await open({ platform: { url }, profile: 'dokploy' });
    expect(await dokploy.call('hubgit.hubgitProviders', {})).toHaveLength(2);
    expect(emulator.log.at(-1)).toMatchObject({ operation: 'hubgit.hubgitProviders', status: 200 });
  });

  const document = 'settings.getOpenApiDocument';
  const [theirs, ours] = ['github.githubProviders', 'hubgit.hubgitProviders'];
  test.each([
    { is: 'dokploy', assumed: undefined, isPublished: true, asks: [document], ends: OtherProfile },
    { is: 'dokploy', assumed: undefined, isPublished: false, asks: [document, ours, theirs], ends: OtherProfile },
    { is: 'standard', assumed: undefined, isPublished: true, asks: [document], ends: undefined },
    { is: 'standard', assumed: undefined, isPublished: false, asks: [document, ours], ends: undefined },
    { is: 'dokploy', assumed: 'dokploy', isPublished: false, asks: [], ends: undefined },
    { is: 'standard', assumed: 'dokploy', isPublished: false, asks: [], ends: undefined },
  ] as const)('that user.get does not show is asked for ($is, named $assumed)', async (about) => {
    const { emulator, url, asked } = await mute(about.is, about.isPublished);
    const client = await open({
      platform: { url },
      ...(about.assumed === undefined ? {} : { profile: about.assumed }),
    });
    const first = client.call('user.get', {});
    await (about.ends === undefined ? first : expect(first).rejects.toThrow(about.ends));
    await client.call('user.get', {}).catch(() => undefined);
    expect(asked()).toEqual(['user.get', ...about.asks, 'user.get']);
    if (about.assumed === undefined || about.is === about.assumed) return;
    // It was named, so it is asked for when a request is not known there.
    const failed = client.call('hubgit.hubgitProviders', {});
    await expect(failed).rejects.toThrow(
      'the manifest says profile: dokploy, and the platform answers in the words of',
    );
    expect(asked()).toEqual([theirs, document, theirs, ours]);
    expect(emulator.log.filter(({ method }) => method === 'POST')).toEqual([]);
  });
});
