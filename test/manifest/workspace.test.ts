import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type FilesRead, type Workspace, openWorkspace } from '../../src/manifest/workspace.ts';

const folder = () => mkdtempSync(join(tmpdir(), 'trueup-workspace-'));

test('a workspace reads a file again when it is asked again', async () => {
  const root = folder();
  const workspace = await openWorkspace(root);
  writeFileSync(join(root, 'a'), 'one');
  expect(await workspace.read('a', 10)).toEqual({ text: 'one' });
  writeFileSync(join(root, 'a'), 'two');
  expect(await workspace.read('a', 10)).toEqual({ text: 'two' });
});

test('workspaces that share what they read read a YAML file once, and each knows its own files', async () => {
  const root = folder();
  for (const name of ['a', 'b']) writeFileSync(join(root, name), 'one');
  const once: FilesRead = new Map();
  const [first, second] = [await openWorkspace(root, { once }), await openWorkspace(root, { once })];
  const yaml = { readsUntracked: true };
  const read = async ({ read: readRoot, readAll }: Workspace) => [
    await readRoot('a', 10),
    (await readAll(['a'], 10, yaml)).get('a'),
  ];
  const found = await read(first);
  await first.read('b', 10);
  writeFileSync(join(root, 'a'), 'two');
  const again = await read(second);
  expect(again.map((file, at) => file === found[at])).toEqual([true, true]);
  expect([first.files.size, second.files.size]).toEqual([2, 1]);
  expect((await second.readAll(['a'], 10)).get('a')).toEqual({ text: 'two' });
});

test('a workspace reads many files, each path once, and reports each problem', async () => {
  const root = folder();
  const names = Array.from({ length: 200 }, (_, n) => `file-${n}`);
  for (const name of names) writeFileSync(join(root, name), name);
  const files = await (await openWorkspace(root)).readAll([...names, ...names, 'none', '../out'], 10);
  expect(files.size).toBe(202);
  expect(names.map((name) => files.get(name))).toEqual(names.map((text) => ({ text })));
  expect(files.get('none')).toEqual({ problem: 'there is no file none', isMissing: true });
  expect(files.get('../out')).toEqual({ problem: expect.stringContaining('outside the workspace') as string });
});

test('a workspace that does not exist cannot be opened', async () => {
  await expect(openWorkspace(join(folder(), 'none'))).rejects.toThrow('ENOENT');
});
