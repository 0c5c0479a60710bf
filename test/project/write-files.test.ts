import { mkdirSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
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
        remedy: 'Move what is in its place away, or choose another folder.',
      },
    ],
  });
  expect(readdirSync(folder)).toEqual(['folder.yaml', 'trueup.yaml']);
  expect(readFileSync(join(folder, 'trueup.yaml'), 'utf8')).toBe('before');
});

test.each([
  ['ENOSPC', 'the disk is full', 'Make room on the disk, or allow this user more of it.'],
  ['EDQUOT', 'the quota is used up', 'Make room on the disk, or allow this user more of it.'],
  ['EROFS', 'the file system can only be read', 'Run in a folder on a file system that can be written.'],
  [
    'EACCES',
    'this user may not',
    'Allow this user to read and write there (ls -ld shows its owner), or run as the user who made it.',
  ],
])(
  'a disk that fails with %s leaves the files as they were, and the error says what to do',
  async (code, why, remedy) => {
    const folder = mkdtempSync(join(tmpdir(), 'trueup-written-'));
    writeFileSync(join(folder, 'sealed.env'), 'A=1\n');
    const handle = await open(join(folder, 'sealed.env'));
    const prototype = Object.getPrototypeOf(handle) as typeof handle;
    await handle.close();
    const writing = vi.spyOn(prototype, 'writeFile').mockRejectedValue(Object.assign(new Error('fails'), { code }));
    try {
      const file = { path: 'sealed.env', content: 'A=2\n', replaces: 'A=1\n' };
      await expect(writeFiles(folder, [file])).rejects.toMatchObject({
        diagnostics: [
          {
            code: 'file-unwritable',
            message: expect.stringContaining(`: ${code}: ${why}; nothing was changed`) as string,
            remedy,
          },
        ],
      });
    } finally {
      writing.mockRestore();
    }
    expect(readdirSync(folder)).toEqual(['sealed.env']);
    expect(readFileSync(join(folder, 'sealed.env'), 'utf8')).toBe('A=1\n');
  },
);
