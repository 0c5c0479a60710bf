import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { project, trueup } from '../cli/process.ts';
import { makeUnsealed } from '../state/earlier.ts';

const manifest = 'trueup: 1\nplatform: emulator\nproject: prj_1\nenvironments: { production: { description: x } }\n';

describe('S1: a key that somebody committed together with a state that it fits', () => {
  it.each(['key', 'key.migrating', 'key.next'])(
    'S1: .trueup/%s is refused, and works once git does not track it',
    async (name) => {
      const folder = project(manifest);
      const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: folder, stdio: 'ignore' });
      git('init', '-q');
      expect(await trueup(['apply', '--auto-approve', '-C', folder])).toMatchObject({ code: 0 });
      const [key, file] = ['key', name].map((item) => join(folder, '.trueup', item));
      if (name === 'key.next') copyFileSync(key ?? '', file ?? '');
      else renameSync(key ?? '', file ?? '');
      git('add', '-f', `.trueup/${name}`);
      for (const words of [['plan'], ['apply', '--auto-approve'], ['state', 'list']]) {
        const { code, out, err } = await trueup([...words, '-C', folder]);
        expect([words, code, out]).toEqual([words, 7, '']);
        expect(err).toContain(`git tracks the key ${file}`);
      }
      git('rm', '-q', '--cached', `.trueup/${name}`);
      expect((await trueup(['plan', '-C', folder])).out).toContain('No changes.');
    },
  );
});

/** A project in a repository, with a state. */
async function applied(...init: readonly string[]) {
  const folder = project(manifest);
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: folder, stdio: 'ignore' });
  git('init', '-q');
  for (const setting of init) git('config', setting, 'true');
  expect(await trueup(['apply', '--auto-approve', '-C', folder])).toMatchObject({ code: 0 });
  return { folder, git, at: (name: string) => join(folder, '.trueup', name) };
}

it('S1: a key in a repository with a split index is refused: its paths stand elsewhere', async () => {
  const { folder, git, at } = await applied('core.splitIndex');
  git('add', '-f', at('key'));
  const { code, err } = await trueup(['plan', '-C', folder]);
  expect([code, err]).toEqual([7, expect.stringContaining('the index of the repository is split')]);
  git('update-index', '--no-split-index');
  expect((await trueup(['plan', '-C', folder])).err).toContain('git tracks the key');
});

it('S1: a state without a MAC that somebody committed is refused where there is no key, and is migrated when told to', async () => {
  const { folder, git, at } = await applied();
  makeUnsealed(at('state.json'));
  for (const name of ['key', 'lease']) rmSync(at(name), { recursive: true });
  git('add', '-f', at('state.json'));
  for (const words of [['plan'], ['apply', '--auto-approve'], ['state', 'list'], ['state', 'key']]) {
    const { code, err } = await trueup([...words, '-C', folder]);
    expect([words, code, err]).toEqual([words, 7, expect.stringContaining('has no MAC')]);
    expect(err).toContain('trueup state key --migrate');
  }
  expect((await trueup(['state', 'key', '--migrate', '-C', folder])).code).toBe(0);
  expect((await trueup(['plan', '-C', folder])).out).toContain('No changes.');
});

it('S1: a .gitignore that somebody committed does not have git add the key', async () => {
  const folder = project(manifest);
  mkdirSync(join(folder, '.trueup'), { mode: 0o700 });
  writeFileSync(join(folder, '.trueup/.gitignore'), 'documents\n!key');
  expect(await trueup(['apply', '--auto-approve', '-C', folder])).toMatchObject({ code: 0 });
  expect(readFileSync(join(folder, '.trueup/.gitignore'), 'utf8')).toBe(
    'documents\n!key\n*.tmp\ndocuments/\nemulator.json*\nlease/\nstate.journal\nkey*\n',
  );
});
