import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openEmulator } from '../../src/emulator/emulator-on-disk.ts';
import { seedWorld, type World } from '../../src/emulator/world.ts';
import { callerOf, inputs, until, type Answer } from './caller.ts';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'emulator-'));
  file = join(folder, 'deeper', 'world.json');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const stored = async () => JSON.parse(await readFile(file, 'utf8')) as World;

test('the tables are the same after a restart', async () => {
  const first = await openEmulator(file);
  const { composeId } = (await first.act('compose.create', inputs.compose)) as Answer;
  await first.act('domain.create', { host: 'a.test', composeId: String(composeId) });
  await first.close();

  const second = await openEmulator(file);
  expect(await second.act('compose.one', { composeId: String(composeId) })).toMatchObject({
    name: 'shop',
    domains: [{ uniqueConfigKey: 1 }],
  });
  const next = await second.act('domain.create', { host: 'b.test', composeId: String(composeId) });
  expect(next).toMatchObject({ uniqueConfigKey: 2 });
  await second.close();
});

test('a POST is answered when the file has its effect', async () => {
  const emulator = await openEmulator(file);
  const call = callerOf(emulator.send);
  const answers = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const { body } = await call('compose.create', inputs.compose);
      return Object.hasOwn((await stored()).tables.compose, String(body['composeId']));
    }),
  );
  expect(answers).toEqual(Array.from({ length: 20 }, () => true));
  await emulator.close();
});

test('the background work of a deployment is saved too', async () => {
  const emulator = await openEmulator(file);
  const { composeId } = (await emulator.act('compose.create', inputs.compose)) as Answer;
  await emulator.act('compose.deploy', { composeId });
  await expect.poll(async () => (await stored()).tables.compose[String(composeId)]?.['composeStatus']).toBe('done');
  await emulator.close();
});

test('a deployment that was cut off by the end of the process is cancelled', async () => {
  const first = await openEmulator(file, { deployDelayMs: 60_000 });
  const { composeId } = (await first.act('compose.create', inputs.compose)) as Answer;
  await first.act('compose.deploy', { composeId });
  await until(async () => (await stored()).tables.compose[String(composeId)]?.['composeStatus'] === 'running');
  await first.close();

  const second = await openEmulator(file);
  expect(await second.act('compose.one', { composeId: String(composeId) })).toMatchObject({
    composeStatus: 'idle',
    deployments: [{ status: 'cancelled' }],
  });
  await second.close();
});

test('a new file starts from the given tables, an old one does not', async () => {
  const world = seedWorld({ createdAt: '2020-01-01T00:00:00.000Z' });
  await (await openEmulator(file, { world })).close();
  const again = await openEmulator(file);
  expect(again.world.tables.project['prj_1']).toMatchObject({ createdAt: '2020-01-01T00:00:00.000Z' });
  await again.close();
});

test('only the owner may read the file, and no half-written one is left beside it', async () => {
  const emulator = await openEmulator(file);
  for (let count = 0; count < 5; count += 1) await emulator.act('compose.create', inputs.compose);
  await emulator.close();
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readdir(join(folder, 'deeper'))).toEqual(['world.json']);
});

test('a file that others may read is theirs no more, and one that nothing changed is not written', async () => {
  await (await openEmulator(file)).close();
  const { ino } = await stat(file);
  await (await openEmulator(file)).close();
  expect((await stat(file)).ino).toBe(ino);
  await chmod(file, 0o644);
  await (await openEmulator(file)).close();
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test.each([
  ['nothing', ''],
  ['no JSON', '{"formatVersion":1,"tab'],
  ['another JSON', '[]'],
  ['a later format', '{"formatVersion":2,"tables":{},"counters":{}}'],
  ['no tables', '{"formatVersion":1}'],
  ['tables that are none', '{"formatVersion":1,"tables":{"compose":{"c":1}},"counters":{}}'],
])('a file that holds %s is refused by its name and left alone', async (_what, text) => {
  file = join(folder, 'broken.json');
  await writeFile(file, text);
  await expect(openEmulator(file)).rejects.toThrow(`${file} does not hold the world of an emulator`);
  expect(await readFile(file, 'utf8')).toBe(text);
});

test('a write that cannot be saved is not answered as if it were', async () => {
  const emulator = await openEmulator(file);
  await rm(join(folder, 'deeper'), { recursive: true });
  await expect(emulator.act('compose.create', inputs.compose)).rejects.toThrow('ENOENT');
});
