import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { project, trueup } from '../cli/process.ts';

/** A folder that cannot be read is no folder without files: a run that took it for one would say that they are missing. */

const manifest = 'trueup: 1\nplatform: emulator\nproject: prj_1\ninclude: [parts/*.yaml]\n';
const part = 'environments: { production: {} }\n';
const why = 'cannot be read (EACCES: this user may not)';
const remedy = '-> Allow this user to read and write there (ls -ld shows its owner), or run as the user who made it.';

/** Runs a command as a user to whom not every file is open. */
async function asOther(...args: Parameters<typeof trueup>): ReturnType<typeof trueup> {
  if (process.getuid?.() !== 0) return trueup(...args);
  await trueup(...args); // what it consists of is read before, wherever it is
  process.seteuid?.(65_534);
  try {
    return await trueup(...args);
  } finally {
    process.seteuid?.(0);
  }
}

describe.skipIf(process.platform === 'win32')('a folder that this user may not read', () => {
  test.each([
    ['validate', '/inner'],
    ['plan --all', ''],
    ['plan -f staging.yaml', ''],
    ['secret list', ''],
    ['state list', ''],
    ['fmt', ''],
  ])('is named by %s, with what to do', async (words, inner) => {
    const folder = project({ 'shop/inner/trueup.yaml': manifest, 'shop/trueup.yaml': manifest });
    chmodSync(folder, 0o755);
    chmodSync(join(folder, 'shop'), 0);
    const at = join(folder, `shop${inner}`);
    const { code, out, err } = await asOther([...words.split(' '), '-C', at]);
    chmodSync(join(folder, 'shop'), 0o755);
    expect([code, out, err]).toEqual([1, '', `error[usage]\nthe folder ${at} ${why}\n  ${remedy}\n`]);
  });

  test('does not lack the files that include: names', async () => {
    const folder = project({ 'trueup.yaml': manifest, 'parts/one.yaml': part });
    chmodSync(folder, 0o755);
    chmodSync(join(folder, 'parts'), 0);
    for (const words of [['validate'], ['fmt', '--check']]) {
      const { code, err } = await asOther([...words, '-C', folder]);
      expect([words, code, err]).toEqual([words, 3, expect.stringContaining(`include: parts ${why}`)]);
      expect(err).toContain(remedy);
      expect(err).not.toContain('no file matches');
    }
    chmodSync(join(folder, 'parts'), 0o755);
    expect((await trueup(['validate', '-C', folder])).code).toBe(0);
  });
});

test('a folder whose links lead in a circle is named', async () => {
  const folder = project({ 'trueup.yaml': manifest });
  symlinkSync('parts', join(folder, 'parts'));
  const { code, err } = await trueup(['validate', '-C', folder]);
  expect([code, err]).toEqual([3, expect.stringContaining('include: parts cannot be read (ELOOP: its links lead in')]);
  expect(err).toContain('-> Correct the link.');
});

test('a folder that is none, or not there, is named as before', async () => {
  const folder = project({ 'trueup.yaml': manifest });
  mkdirSync(join(folder, 'parts'));
  for (const name of ['trueup.yaml', 'other']) {
    const at = join(folder, name);
    const { code, err } = await trueup(['validate', '-C', at]);
    expect([code, err]).toEqual([1, expect.stringContaining(`there is no folder ${at}`)]);
  }
  expect((await trueup(['validate', '-C', folder])).err).toContain('include: no file matches parts/*.yaml');
});
