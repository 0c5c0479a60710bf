import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
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
    kinds: all,
    variables: new Map<string, string>(),
    isPinned: false,
  };
  const opened = await openPlatform(platform, { options, redactor: createRedactor(), purpose: 'test' });
  onTestFinished(opened.close);
  return opened.client;
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
});
