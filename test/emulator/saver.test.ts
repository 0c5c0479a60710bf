import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createSaver } from '../../src/emulator/saver.ts';

/** The world of an emulator in a file, on a disk that fails. */

test('whoever waits is told when a write fails, also of a change that came during that write', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'trueup-saver-'));
  const file = join(folder, 'gone', 'world.json');
  let text = 'first';
  const saver = createSaver(file, () => text);
  saver.mark();
  const first = saver.saved().catch(({ code }) => code);
  await turn();
  text = 'second';
  saver.mark();
  const second = saver.saved().catch(({ code }) => code);
  expect(await first).toBe('ENOENT');
  expect(await Promise.race([second, turn(undefined).then(async () => turn('nobody told'))])).toBe('ENOENT');
  rmSync(folder, { recursive: true });
});

test('the next change is written where one failed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'trueup-saver-'));
  const file = join(folder, 'world.json');
  const saver = createSaver(file, () => 'text');
  rmSync(folder, { recursive: true });
  saver.mark();
  await expect(saver.saved()).rejects.toThrow('ENOENT');
  mkdirSync(folder);
  saver.mark();
  await saver.saved();
  expect(readFileSync(file, 'utf8')).toBe('text');
});
