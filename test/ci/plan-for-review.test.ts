import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { runCi } from '../../src/ci/run-ci.ts';
import { project } from '../cli/process.ts';
import type { FakeForge } from '../support/fake-forge.ts';
import { forgeToken, runnerOf, serveForge } from '../support/fake-forge.ts';
import { processOfTest } from '../support/process.ts';

/** A program in the place of `trueup`: notes its arguments, and plans as the test says. */
const stub = `
import { appendFileSync, writeFileSync } from 'node:fs';
const [, , ...words] = process.argv;
const names = Object.keys(process.env).filter((name) => /TOKEN|KEY/.test(name)).sort().join();
appendFileSync('../calls', words.join(' ') + ' [' + names + ']\\n');
const [, code, text] = { plan: [0, 2, 'Plan: 1 to create.'], validate: [0, 0, 'valid'], show: [0, 0, '<!-- m -->\\n### the plan'] }[words[0]];
if (words[0] === 'plan' && process.env.FAILS !== '1') writeFileSync('plan.trueup', 'a plan');
console.log(process.env.FAILS === '1' ? 'refused' : text);
process.exitCode = process.env.FAILS === '1' ? 1 : code;
`;

const open: FakeForge[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((forge) => forge.close()));
});

async function planOn(more: { env?: Record<string, string>; isFork?: boolean; fault?: number; args?: string[] } = {}) {
  const forge = await serveForge('github');
  open.push(forge);
  forge.fault = (method) => (method === 'POST' ? more.fault : undefined);
  const folder = project({ 'repository/infra/trueup.yaml': 'trueup: 1\n', 'trueup.mjs': stub, calls: '' });
  const cwd = join(folder, 'repository');
  mkdirSync(join(cwd, '.git'));
  execFileSync('git', ['init', '-q'], { cwd });
  execFileSync('git', ['add', '-A'], { cwd });
  const repo = (name: string) => ({ repo: { full_name: name } });
  const head = repo(more.isFork === true ? 'fork/infra' : 'shop/infra');
  const event = JSON.stringify({ pull_request: { number: 7, head, base: repo('shop/infra') } });
  writeFileSync(join(folder, 'event.json'), event);
  const env = {
    ...runnerOf('github', forge.url),
    TRUEUP_API_KEY: 'api-key',
    TRUEUP_FORGE_TOKEN: forgeToken,
    GITHUB_SHA: 'c0ffee',
    GITHUB_EVENT_NAME: 'pull_request',
    GITHUB_EVENT_PATH: join(folder, 'event.json'),
    GITHUB_OUTPUT: join(folder, 'output'),
    ...more.env,
  };
  const process = processOfTest({ args: ['plan', '-C', 'infra', ...(more.args ?? [])], env, cwd });
  const argv = [globalThis.process.execPath, 'trueup-ci', ...process.argv.slice(2)];
  const code = await runCi(Object.assign(process, { argv }), join(folder, 'trueup.mjs'));
  const outputs = join(folder, 'output');
  return {
    code,
    ...process.printed,
    calls: readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n'),
    outputs: existsSync(outputs) ? readFileSync(outputs, 'utf8') : '',
    comments: forge.comments.get(7)?.map(({ body }) => body) ?? [],
    hasPlan: existsSync(join(cwd, 'plan.trueup')),
    cwd,
  };
}

describe('the plan of a pull request', () => {
  test('is saved, shown as Markdown in one comment, and named for the steps that store it', async () => {
    const run = await planOn({ args: ['--target', 'production.*'] });
    expect(run).toMatchObject({ code: 0, err: '', hasPlan: true });
    expect(run.calls).toEqual([
      'plan --detailed-exitcode --out plan.trueup --directory=infra --target production.* [TRUEUP_API_KEY]',
      'show plan.trueup --format=json --directory=infra [TRUEUP_API_KEY]',
      expect.stringMatching(
        /^show plan\.trueup --format=markdown --marker=[0-9a-f]{40} --directory=infra \[TRUEUP_API_KEY\]$/,
      ),
    ]);
    expect(run.comments).toEqual([
      expect.stringMatching(/^<!-- m -->\n### the plan\n\nThe plan of commit c0ffee is stored as/),
    ]);
    expect(run.outputs).toMatch(
      /^exit-code=0\nhas-changes=true\nplan-file=plan\.trueup\nartifact=trueup-plan-[0-9a-f]{40}\n$/,
    );
  });

  test('of a fork with a key shows no values, and is not kept', async () => {
    const run = await planOn({ isFork: true });
    expect(run).toMatchObject({ code: 0, hasPlan: false });
    expect(run.calls[0]).toContain('--out plan.trueup --hide-values --directory=infra');
    expect(run.outputs).toBe('exit-code=0\nhas-changes=true\n');
    expect(run.comments).toEqual([expect.stringContaining('No plan of commit c0ffee is stored')]);
  });

  test.each([
    [
      'a fork',
      { isFork: true, env: { TRUEUP_API_KEY: '', TRUEUP_STATE_KEY: '' } },
      'This pull request comes from a fork',
    ],
    [
      'Dependabot',
      { env: { TRUEUP_API_KEY: '', TRUEUP_STATE_KEY: '', GITHUB_ACTOR: 'dependabot[bot]' } },
      'Dependabot started this run',
    ],
  ])('of %s without a key is a validation without empty variables', async (_whose, about, why) => {
    const run = await planOn(about);
    expect(run.code).toBe(0);
    expect(run.calls).toEqual(['validate --directory=infra []', 'validate --format=json --directory=infra []']);
    expect(run.outputs).toBe('exit-code=0\nhas-changes=false\n');
    expect(run.comments).toEqual([expect.stringContaining('validated, not planned')]);
    expect(run.out).toBe(
      `${why}, and has no key: the manifest is validated, not planned.\nvalid\nValidated infra/trueup.yaml; it was not planned.\n`,
    );
  });

  test.each([
    ['TRUEUP__STAGING__API_KEY', 'plan '],
    ['TRUEUP__PRODUCTION__API_KEY', 'validate '],
  ])('of Dependabot with only %s begins with %s', async (name, command) => {
    const env = { TRUEUP_API_KEY: '', [name]: 'api-key', GITHUB_ACTOR: 'dependabot[bot]' };
    const { calls } = await planOn({ env, args: ['-f', 'staging.yaml'] });
    expect(calls[0]?.startsWith(command)).toBe(true);
  });

  test('ends with what became of the plan', async () => {
    expect((await planOn()).out).toMatch(/\nPlanned infra\/trueup\.yaml as trueup-plan-[0-9a-f]{40}\.\n$/);
    expect((await planOn({ isFork: true })).out).toMatch(/\nPlanned infra\/trueup\.yaml; the plan is not stored\.\n$/);
  });

  test('without a key that is missing by mistake is planned, and so fails', async () => {
    const { calls } = await planOn({ env: { TRUEUP_API_KEY: '' } });
    expect(calls[0]).toMatch(/^plan /);
  });

  test('that fails is a comment too, and the exit code stays', async () => {
    const run = await planOn({ env: { FAILS: '1' } });
    expect(run.code).toBe(1);
    expect(run.comments).toEqual([expect.stringMatching(/failed with exit code 1\n\n```text\n  refused\n```/)]);
    expect(run.outputs).toBe('exit-code=1\nhas-changes=false\n');
  });

  test('that cannot be shown fails: its reviewers would read an outdated one', async () => {
    const run = await planOn({ fault: 403 });
    expect(run.code).toBe(1);
    expect(run.err).toBe(
      'error: the forge answered 403 to POST /repos/shop/infra/issues/7/comments\n' +
        '  -> Give the token the rights that docs/pipelines.md lists for this forge.\n',
    );
  });

  test('of a fork, whose token may only read, does not fail for that', async () => {
    const run = await planOn({ isFork: true, fault: 403 });
    expect(run).toMatchObject({
      code: 0,
      out: expect.stringContaining('No comment was written: the forge answered 403'),
    });
  });

  test('is no comment with --no-comment, and without a token', async () => {
    expect(await planOn({ args: ['--no-comment'] })).toMatchObject({ code: 0, comments: [] });
    expect(await planOn({ env: { TRUEUP_FORGE_TOKEN: '' } })).toMatchObject({
      code: 0,
      comments: [],
      out: expect.stringContaining('No comment was written: TRUEUP_FORGE_TOKEN is not set.'),
    });
  });

  test('leaves its document where --document says, in the folder of the job or anywhere', async () => {
    const outside = join(project({}), 'staging.json');
    expect(await planOn({ args: ['--document', outside] })).toMatchObject({ code: 0, err: '', comments: [] });
    expect(existsSync(outside)).toBe(true);
    const { cwd } = await planOn({ args: ['--document=staging.json'] });
    expect(existsSync(join(cwd, 'staging.json'))).toBe(true);
  });
});
