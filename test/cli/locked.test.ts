import { afterEach, expect, test, vi } from 'vitest';
import { withLock } from '../../src/cli/locked.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { textView } from '../../src/render/output-format.ts';
import { localStore } from '../../src/state/backends/local.ts';
import { recordingTerminal, runIn } from '../support/commands.ts';
import { bench } from '../support/world.ts';
import { stateWith, stopOf } from '../../src/state/conformance/states.ts';

/** A command that writes, and loses its lock. */

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

test.each(['emulator', 'http'])('a command at %s that has lost its lock writes nothing any more', async (way) => {
  vi.stubEnv('TRUEUP_API_KEY', 'right-key');
  const emulator = createEmulator({ profile: 'standard', apiKey: 'right-key' });
  const server = await serve(emulator);
  const platform = way === 'http' ? `{ url: "${server.url}" }` : 'emulator';
  const made = bench();
  const manifest = await made.manifest(
    `trueup: 1\nplatform: ${platform}\nproject: prj_1\nenvironments: { production: {} }\n`,
  );
  const { terminal } = recordingTerminal();
  const run = runIn(made.folder, textView(terminal), terminal);
  let ids: unknown[] = [];
  const exit = await withLock(run, manifest, {
    purpose: 'apply',
    work: async ({ connection: { client, store } }) => {
      const describe = (text: string) =>
        client.call('environment.update', { environmentId: 'env_prj_1', description: text });
      await describe('before');
      const now = Date.now();
      vi.spyOn(Date, 'now').mockImplementation(() => now + 61_000);
      const refused = await stopOf(describe('after'));
      expect([refused.failure, refused.message]).toEqual(['locked', expect.stringContaining('is lost')]);
      expect((await stopOf(store.write(stateWith({})))).failure).toBe('locked');
      ids = [await client.call('environment.one', { environmentId: 'env_prj_1' })];
      return 'done';
    },
  });
  expect([exit, ids]).toMatchObject(['done', [{ description: 'before' }]]);
  // It left the lock as it was; as it is of this process, it is there until it expires.
  vi.restoreAllMocks();
  expect((await localStore(`${made.folder}/.trueup`).holder())?.purpose).toBe('apply');
  await server.close();
});
