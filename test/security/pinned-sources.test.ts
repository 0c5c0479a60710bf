import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { project, trueup } from '../cli/process.ts';

/** A manifest of a stranger reads what a pipeline has besides the repository: its variables, and files that it made. */

const hasGit = spawnSync('git', ['--version']).status === 0;

const reading = (expression: string) =>
  `trueup: 1\nplatform: emulator\nproject: prj_1\nenvironments: { production: { description: "\${${expression}}" } }\n`;

/** Validates a manifest with one expression, with variables of the environment. */
const validate = (expression: string, env: Record<string, string>, folder = project(reading(expression))) =>
  trueup(['validate', '-C', folder], { env });

describe('S10: where CI is set, ${env:} reads only the names of TRUEUP_ENV_ALLOW', () => {
  const region = { REGION: 'canary-eu', CI: 'true' };

  it.each([
    [{}, 'REGION'],
    [{ TRUEUP_ENV_ALLOW: '' }, 'REGION'],
    [{ TRUEUP_ENV_ALLOW: 'CI_COMMIT_*, ZONE,' }, 'CI_COMMIT_*,ZONE,REGION'],
    [{ TRUEUP_ENV_ALLOW: 'region' }, 'region,REGION'],
  ])('S10: with %j the error says what to set', async (env, allowing) => {
    const run = await validate('env:REGION', { ...region, ...env });
    expect(run).toMatchObject({ code: 3, out: '' });
    expect(run.err).toContain('error[private-source]');
    expect(run.err).toContain('cannot read ${env:REGION}, because CI is set and TRUEUP_ENV_ALLOW does not name it');
    expect(run.err).toContain(`Set TRUEUP_ENV_ALLOW=${allowing}, or write`);
    expect(run.err).not.toContain('canary');
  });

  it.each(['REGION', 'ZONE, REGION', 'REG*', '*'])('S10: with TRUEUP_ENV_ALLOW=%s it does', async (allowed) => {
    expect((await validate('env:REGION', { ...region, TRUEUP_ENV_ALLOW: allowed })).code).toBe(0);
  });

  it('S10: which never allows a credential', async () => {
    const run = await validate('env:GITHUB_TOKEN', { CI: 'true', GITHUB_TOKEN: 'canary', TRUEUP_ENV_ALLOW: '*' });
    expect(run.code).toBe(3);
    expect(run.err).toContain('may hold credentials');
  });

  it.each([{}, { CI: 'true', TRUEUP_PINNED: 'false' }])('S10: and any other name with %j', async (env) => {
    expect((await validate('env:REGION', { REGION: 'eu', ...env })).code).toBe(0);
  });
});

describe.skipIf(!hasGit)('S6: where CI is set, ${file:} reads only what git tracks', () => {
  const git = (folder: string, ...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
      cwd: folder,
      stdio: 'ignore',
    });

  function repository(path: string): string {
    const folder = project(reading(`file:${path}`));
    for (const name of ['tracked.txt', 'sub/tracked.txt', 'made.txt', 'sub/made.txt']) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), 'canary');
    }
    symlinkSync('made.txt', join(folder, 'link-to-made'));
    symlinkSync('tracked.txt', join(folder, 'link-to-tracked'));
    git(folder, 'init');
    git(folder, 'add', 'trueup.yaml', 'tracked.txt', 'sub/tracked.txt', 'link-to-made', 'link-to-tracked');
    return folder;
  }

  it.each(['made.txt', 'sub/made.txt', 'link-to-made', './sub/../made.txt'])('S6: not %s', async (path) => {
    const folder = repository(path);
    const run = await validate('', { CI: 'true' }, folder);
    expect(run).toMatchObject({ code: 3, out: '' });
    expect(run.err).toContain('error[private-source]');
    expect(run.err).toContain('not tracked by git');
    expect(run.err).not.toContain('canary');
    expect((await validate('', {}, folder)).code).toBe(0);
    expect((await validate('', { CI: 'true', TRUEUP_PINNED: 'false' }, folder)).code).toBe(0);
  });

  it.each(['tracked.txt', 'sub/tracked.txt', 'link-to-tracked'])('S6: but %s', async (path) => {
    expect((await validate('', { CI: 'true' }, repository(path))).code).toBe(0);
  });

  it('S6: runs no program for that', async () => {
    const run = await validate('', { CI: 'true', PATH: '/nowhere' }, repository('tracked.txt'));
    expect(run.code).toBe(0);
  });

  it('S6: nothing where there is no repository: then nobody can tell what the pipeline added', async () => {
    const folder = project({ 'trueup.yaml': reading('file:a.txt'), 'a.txt': 'canary' });
    const run = await validate('', { CI: 'true' }, folder);
    expect(run).toMatchObject({ code: 3, out: '' });
    expect(run.err).toContain('In a checkout without .git, give --no-pinned or set TRUEUP_PINNED=false.');
  });
});
