import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type * as Files from '../../src/files/read.ts';
import { openWorkspace } from '../../src/manifest/workspace.ts';

const open = vi.hoisted(() => ({ now: 0, most: 0 }));

vi.mock('../../src/files/read.ts', async (original) => {
  const real = await original<typeof Files>();
  const readFile = async (path: string) => {
    open.most = Math.max(open.most, ++open.now);
    try {
      return await real.readFile(path);
    } finally {
      open.now--;
    }
  };
  return { ...real, readFile };
});

const folder = () => mkdtempSync(join(tmpdir(), 'trueup-workspace-'));

test('a workspace reads a file again when it is asked again', async () => {
  const root = folder();
  const workspace = await openWorkspace(root);
  writeFileSync(join(root, 'a'), 'one');
  expect(await workspace.read('a', 10)).toEqual({ text: 'one' });
  writeFileSync(join(root, 'a'), 'two');
  expect(await workspace.read('a', 10)).toEqual({ text: 'two' });
});

test('a workspace reads many files side by side, at most 16 at once, and reports each problem', async () => {
  const root = folder();
  const names = Array.from({ length: 200 }, (_, n) => `file-${n}`);
  for (const name of names) writeFileSync(join(root, name), name);
  open.most = 0;
  const files = await (await openWorkspace(root)).readAll([...names, ...names, 'none', '../out'], 10);
  expect(files.size).toBe(202);
  expect(names.map((name) => files.get(name))).toEqual(names.map((text) => ({ text })));
  expect(files.get('none')).toEqual({ problem: 'there is no file none', isMissing: true });
  expect(files.get('../out')).toEqual({ problem: expect.stringContaining('outside the workspace') as string });
  expect(open.most).toBeGreaterThan(1);
  expect(open.most).toBeLessThanOrEqual(16);
});

test('a workspace that does not exist cannot be opened', async () => {
  await expect(openWorkspace(join(folder(), 'none'))).rejects.toThrow('ENOENT');
});
