import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { validate as validateFolder } from '../../src/index.ts';
import { project, trueup } from '../cli/process.ts';

/** A runner holds other repositories too. A link in the repository of the job must not make it plan and show one of them. */

const manifest =
  'trueup: 1\nplatform: emulator\nproject: prj_1\nvariables: { v: { default: canary-of-another } }\nenvironments: { production: {} }\n';

/** A runner with the checkout of the job and with that of another repository; gives the folder of both. */
function runner(files: Readonly<Record<string, string>> = {}): string {
  const top = project({
    'job/README.md': 'x\n',
    'other/trueup.yaml': manifest,
    'job/inside/trueup.yaml': manifest,
    ...files,
  });
  for (const name of ['job', 'other']) {
    execFileSync('git', ['-C', join(top, name), 'init', '-q']);
    execFileSync('git', ['-C', join(top, name), 'add', '.']);
  }
  return top;
}

const validate = (folder: string, more: Parameters<typeof trueup>[1] = {}) => trueup(['validate', '-C', folder], more);

test.each([
  ['infra', '../other', 'infra'],
  ['infra', '..', 'infra/other'],
  ['a/infra', '../../other', 'a/infra'],
  ['a', 'b', 'a'],
])('a link %s to %s out of the checkout is not followed in a pipeline', async (link, target, folder) => {
  const top = runner();
  mkdirSync(join(top, 'job/a'), { recursive: true });
  if (link === 'a') {
    // A link to a link.
    symlinkSync('../other', join(top, 'job/b'));
    execFileSync('rmdir', [join(top, 'job/a')]);
  }
  symlinkSync(target, join(top, 'job', link));
  const run = await validate(join(top, 'job', folder), { env: { CI: 'true' } });
  expect(run.code).toBe(1);
  expect(run.out + run.err).toContain('leads out of its repository');
  expect(run.out + run.err).not.toContain('canary-of-another');
  // At a desk the user names the folder.
  expect(await validate(join(top, 'job', folder), { env: { CI: '' } })).toMatchObject({ code: 0 });
});

/** Commands that read the settings alone, the state, or only the text of the files. */
test.each([
  ['fmt', '--diff'],
  ['fmt'],
  ['state', 'list'],
  ['state', 'show', 'production'],
  ['status'],
  ['doctor'],
  ['call', 'project.one', 'projectId=prj_1'],
  ['init'],
  ['plan'],
])('nor by %s %s', async (...words) => {
  const top = runner();
  symlinkSync('../other', join(top, 'job/infra'));
  const before = readFileSync(join(top, 'other/trueup.yaml'), 'utf8');
  const run = await trueup([...words, '-C', join(top, 'job/infra')], { env: { CI: 'true' } });
  expect(run.code).toBe(1);
  expect(run.out + run.err).toContain('leads out of its repository');
  expect(run.out + run.err).not.toContain('canary-of-another');
  expect(readFileSync(join(top, 'other/trueup.yaml'), 'utf8')).toBe(before);
});

test('nor is one to another repository that the pipeline put inside of the checkout, unless it is a submodule', async () => {
  const top = runner();
  const git = (...words: string[]) => execFileSync('git', ['-C', join(top, 'job'), ...words], { stdio: 'pipe' });
  execFileSync('mv', [join(top, 'other'), join(top, 'job/vendor')]);
  symlinkSync('vendor', join(top, 'job/infra'));
  const infra = join(top, 'job/infra');
  const pinned = { env: { CI: 'true' } };
  const refused = await trueup(['plan', '-C', infra], pinned);
  expect(refused.code).toBe(1);
  expect(refused.out + refused.err).toContain('leads out of its repository');
  expect(refused.out + refused.err).not.toContain('canary-of-another');
  // The pipeline may name that folder itself.
  expect(await validate(join(top, 'job/vendor'), pinned)).toMatchObject({ code: 0 });
  const commit = (folder: string, text: string) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qam', text]);
  commit(join(top, 'job/vendor'), 'one');
  execFileSync('git', ['-C', join(top, 'job/vendor'), 'checkout', '-q', '--detach']);
  git('add', 'vendor');
  expect(await validate(infra, pinned)).toMatchObject({ code: 0 });
  // At another commit than the one that the repository names.
  writeFileSync(join(top, 'job/vendor/trueup.yaml'), `${manifest}# more\n`);
  commit(join(top, 'job/vendor'), 'two');
  expect(await validate(infra, pinned)).toMatchObject({ code: 1 });
});

test('nor by the library', async () => {
  const top = runner();
  symlinkSync('../other', join(top, 'job/infra'));
  const read = (env: Record<string, string>) => validateFolder(join(top, 'job/infra'), { env });
  await expect(read({ CI: 'true' })).rejects.toThrow('leads out of its repository');
  expect(await read({})).toBeDefined();
});

test('nor is one through which the shell went', async () => {
  const top = runner();
  symlinkSync('../other', join(top, 'job/infra'));
  const run = await validate(join(top, 'other'), { env: { CI: 'true', PWD: join(top, 'job/infra') } });
  expect(run.code).toBe(1);
  expect(run.out + run.err).toContain('leads out of its repository');
});

test('links within the checkout, and links that no repository holds, are followed', async () => {
  const top = runner();
  symlinkSync('inside', join(top, 'job/infra'));
  symlinkSync('job', join(top, 'checkout'));
  expect(await validate(join(top, 'checkout/infra'), { env: { CI: 'true' } })).toMatchObject({ code: 0 });
});
