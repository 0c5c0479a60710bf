import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { driftDocument, open, planDocument, platformAt, stateAt } from '../../src/index.ts';
import { memoryStore } from '../../src/state/backends/memory.ts';
import { edit } from '../support/drifting.ts';

const manifest = `trueup: 1
platform: emulator
project: prj_1
environments:
  production:
    redis:
      main: # the only one
        dockerImage: redis:7
        databasePassword: \${secret:DB}
`;

/** A project that was applied, and the platform that it is on. */
async function applied() {
  const emulator = createEmulator({ apiKey: 'a-key' });
  const store = memoryStore();
  const state = stateAt({ openStore: () => ({ ...store, close: () => store.close() }) });
  const platform = platformAt({ url: 'http://emulator', apiKey: 'a-key', send: emulator.send });
  const folder = mkdtempSync(join(tmpdir(), 'trueup-adopt-'));
  const file = join(folder, 'trueup.yaml');
  writeFileSync(file, manifest);
  const opened = () => open(folder, { env: { TRUEUP_SECRET_DB: 'canary-of-adopt' }, platform, state });
  await (await opened()).apply({ permissions: { adoption: true } });
  const change = async (about: Readonly<Record<string, string>>): Promise<void> => {
    const [row] = Object.values(emulator.world.tables.redis);
    await edit({ emulator, apiKey: 'a-key' }, 'redis.update', { redisId: row?.redisId, ...about });
  };
  return { emulator, file, opened, change };
}

test('a project adopts what drifted, keeps its comments, and then plans nothing', async () => {
  const { emulator, file, opened, change } = await applied();
  await change({ dockerImage: 'redis:7.4' });
  const posts = () => emulator.log.filter(({ method }) => method === 'POST').length;
  const before = posts();
  const adoption = await (await opened()).adopt();
  expect(adoption).toMatchObject({
    adopted: [{ address: 'production.redis.main', path: 'dockerImage' }],
    left: [],
    files: ['trueup.yaml'],
  });
  expect(driftDocument(adoption.drift).summary).toMatchObject({ new: 1 });
  expect(readFileSync(file, 'utf8')).toBe(manifest.replace('redis:7', 'redis:7.4'));
  expect(posts()).toBe(before);
  const { actions } = planDocument(await (await opened()).plan());
  expect(actions.filter(({ action }) => action === 'update')).toEqual([]);
});

test('a project with no drift, and one whose drift is a secret, write nothing', async () => {
  const { file, opened, change } = await applied();
  expect(await (await opened()).adopt()).toMatchObject({ adopted: [], left: [], files: [] });
  await change({ databasePassword: 'another-canary' });
  const adoption = await (await opened()).adopt();
  expect([adoption.adopted, adoption.files, adoption.left.length]).toEqual([[], [], 1]);
  expect(JSON.stringify(adoption.left)).not.toContain('canary');
  expect(readFileSync(file, 'utf8')).toBe(manifest);
});

test('a project refuses drift whose value another root file of the folder shares, and says which', async () => {
  const { file, opened, change } = await applied();
  const shared = manifest.replace('dockerImage: redis:7', 'dockerImage: ${file:image.txt}');
  const image = join(dirname(file), 'image.txt');
  writeFileSync(file, shared);
  writeFileSync(image, 'redis:7');
  writeFileSync(join(dirname(file), 'other.yaml'), shared.replace('prj_1', 'prj_2'));
  await change({ dockerImage: 'redis:7.4' });
  const refused = await (await opened()).adopt().then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(refused).toMatchObject({
    diagnostics: [
      {
        code: 'not-editable',
        message: 'other.yaml would change too, in production.redis.main; nothing was written',
        remedy: expect.stringContaining('trueup drift adopt --everywhere'),
      },
    ],
  });
  expect(readFileSync(image, 'utf8')).toBe('redis:7');
});
