import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCi } from '../../src/ci/run-ci.ts';
import { project } from '../cli/process.ts';
import { processOfTest } from '../support/process.ts';

async function ci(args: readonly string[], cwd = project({})) {
  const process = processOfTest({ args, env: {}, cwd, input: '' });
  const code = await runCi(process, 'never started');
  return { code, ...process.printed };
}

test('--help shows the commands and an example', async () => {
  expect(await ci(['--help'])).toMatchObject({
    code: 0,
    out: expect.stringContaining('trueup-ci plan -C infra'),
    err: '',
  });
  expect(await ci([])).toMatchObject({ code: 1, out: expect.stringContaining('Usage: trueup-ci') });
});

test('an unknown command is an error that names the commands', async () => {
  expect(await ci(['destroy'])).toEqual({
    code: 1,
    out: '',
    err: 'error[usage]: trueup-ci has no command "destroy"\n  -> It has these: plan, apply, drift, comment, preview.\n',
  });
});

test('a folder that is in no repository is an error before anything runs', async () => {
  const cwd = project({});
  mkdirSync(join(cwd, 'infra'));
  expect(await ci(['plan', '-C', 'infra'], cwd)).toMatchObject({
    code: 1,
    err: 'error[usage]: cannot read the index of git around infra\n  -> Check the repository out before this step.\n',
  });
});
