import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
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
