import { mkdirSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeFiles } from '../../src/project/write-files.ts';

test('a forced write keeps what another run wrote into a file that it read before, and the files beside it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'trueup-written-'));
  const at = (name: string) => join(folder, name);
  const ifChanged = 'Run it again.';
  for (const name of ['sealed.env', 'trueup.yaml']) writeFileSync(at(name), 'B=2\n');
  const own = { path: 'sealed.env', content: 'A=1\nC=3\n', ifChanged };
  const beside = { path: 'trueup.yaml', content: 'new' };
  // Read as A=1 and as no file; another run made it B=2.
  for (const read of [{ replaces: 'A=1\n' }, {}]) {
    const writing = writeFiles(folder, [{ ...own, ...read }, beside], { force: true });
    await expect(writing).rejects.toMatchObject({ diagnostics: [{ code: 'file-unwritable', remedy: ifChanged }] });
    expect([readFileSync(at('sealed.env'), 'utf8'), readFileSync(at('trueup.yaml'), 'utf8')]).toEqual([
      'B=2\n',
      'B=2\n',
    ]);
  }
  await writeFiles(folder, [{ ...own, replaces: 'B=2\n' }, beside], { force: true });
  expect([readFileSync(at('sealed.env'), 'utf8'), readFileSync(at('trueup.yaml'), 'utf8')]).toEqual([
    own.content,
    'new',
  ]);
});

test('a file that cannot take its name leaves the files before it as they were, and is the one that is named', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'trueup-written-'));
  writeFileSync(join(folder, 'trueup.yaml'), 'before');
  mkdirSync(join(folder, 'folder.yaml/more'), { recursive: true });
  const files = [
    { path: 'trueup.yaml', content: 'after', replaces: 'before' },
    { path: 'new.yaml', content: 'x' },
  ];
  const writing = writeFiles(folder, [...files, { path: 'folder.yaml', content: 'x' }], { force: true });
  await expect(writing).rejects.toMatchObject({
    diagnostics: [
      {
        code: 'file-unwritable',
        message: `cannot write ${join(folder, 'folder.yaml')}: EISDIR: it is a folder; nothing was changed`,
      },
    ],
  });
  expect(readdirSync(folder)).toEqual(['folder.yaml', 'trueup.yaml']);
  expect(readFileSync(join(folder, 'trueup.yaml'), 'utf8')).toBe('before');
});
