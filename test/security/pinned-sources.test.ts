import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
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
    const atDesk = await validate('', { CI: 'true', TRUEUP_PINNED: 'false' }, folder);
    expect(atDesk).toMatchObject({ code: 3, out: '' });
    expect(atDesk.err).not.toContain('canary');
  });

  it.each(['tracked.txt', 'sub/tracked.txt', 'link-to-tracked'])('S6: but %s', async (path) => {
    expect((await validate('', { CI: 'true' }, repository(path))).code).toBe(0);
  });

  it('S6: runs no program for that', async () => {
    const run = await validate('', { CI: 'true', PATH: '/nowhere' }, repository('tracked.txt'));
    expect(run.code).toBe(0);
  });

  /** A repository with committed files; the pipeline then writes others, or the same. */
  function committed(files: Record<string, string>, made: Record<string, string>, ...init: readonly string[]): string {
    const folder = project(files);
    git(folder, 'init', ...init);
    git(folder, 'add', '--all');
    for (const [name, text] of Object.entries(made)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    return folder;
  }

  const account = { 'trueup.yaml': reading('file:account.json'), 'account.json': '{}\n' };

  it.each(['sha1', 'sha256'])('S6: not a tracked placeholder that the pipeline overwrites, with %s', async (format) => {
    const init = `--object-format=${format}`;
    const folder = committed(account, { 'account.json': 'canary' }, init);
    for (const command of ['validate', 'plan']) {
      const run = await trueup([command, '-C', folder], { env: { CI: 'true' } });
      expect(run).toMatchObject({ code: 3, out: '' });
      expect(run.err).toContain('error[private-source]');
      expect(run.err).toContain('account.json differs from the file that git tracks');
      expect(run.err).not.toContain('canary');
    }
    expect((await validate('', {}, folder)).code).toBe(0);
    expect((await validate('', { CI: 'true' }, committed(account, {}, init))).code).toBe(0);
  });

  it.each(['2', '4'])('S6: nor in an index of version %s, nor through a link', async (version) => {
    const folder = committed({ ...account, 'a.txt': 'one', 'z/b.txt': 'two' }, {});
    writeFileSync(join(folder, 'trueup.yaml'), reading('file:link'));
    symlinkSync('account.json', join(folder, 'link'));
    git(folder, 'add', 'link', 'trueup.yaml');
    git(folder, 'update-index', '--index-version', version);
    expect((await validate('', { CI: 'true' }, folder)).code).toBe(0);
    writeFileSync(join(folder, 'account.json'), 'canary');
    const run = await validate('', { CI: 'true' }, folder);
    expect(run).toMatchObject({ code: 3, out: '' });
    expect(run.err).toContain('link leads to account.json, which differs from the file that git tracks');
  });

  it('S6: nor a file that git is only to add later, nor a committed link that the pipeline replaces', async () => {
    const later = committed({ 'trueup.yaml': reading('file:later') }, { later: 'canary' });
    git(later, 'add', '--intent-to-add', 'later');
    expect((await validate('', { CI: 'true' }, later)).err).toContain('later differs from the file');
    const link = committed({ 'trueup.yaml': reading('file:link'), target: 'text' }, {});
    symlinkSync('target', join(link, 'link'));
    git(link, 'add', 'link');
    rmSync(join(link, 'link'));
    writeFileSync(join(link, 'link'), 'canary');
    expect((await validate('', { CI: 'true' }, link)).err).toContain('link differs from the file');
  });

  it('S6: but a tracked file whose ends of lines git turned into CRLF', async () => {
    const files = { 'trueup.yaml': reading('file:lines.txt'), 'lines.txt': 'one\ntwo\n' };
    const crlf = { 'lines.txt': 'one\r\ntwo\r\n' };
    expect((await validate('', { CI: 'true' }, committed(files, crlf))).code).toBe(0);
    expect((await validate('', { CI: 'true' }, committed({ ...files, ...crlf }, {}))).code).toBe(0);
    expect((await validate('', { CI: 'true' }, committed(files, { 'lines.txt': 'one\rtwo\n' }))).code).toBe(3);
  });

  const variables = 'variables: { who: { default: canary } }\n';
  const including = (path: string) => `${reading('var:who')}include: [${JSON.stringify(path)}]\n`;

  it.each([
    ['made.yaml', { 'made.yaml': variables }, 'made.yaml is not tracked by git'],
    ['m*.yaml', { 'made.yaml': variables }, 'made.yaml is not tracked by git'],
    ['made.json', { 'made.json': '{ "canary": 1 }' }, 'made.json is not tracked by git'],
    ['kept.yaml', { 'kept.yaml': variables }, 'kept.yaml differs from the file that git tracks'],
  ])('S6: include: %s reads no file of the pipeline, and quotes none', async (path, made, message) => {
    const folder = committed({ 'trueup.yaml': including(path), 'kept.yaml': '# nothing yet\n' }, made);
    const run = await validate('', { CI: 'true' }, folder);
    expect(run).toMatchObject({ code: 3, out: '' });
    expect(run.err).toContain('error[private-source]');
    expect(run.err).toContain(message);
    expect(run.err).not.toContain('canary');
  });

  it('S6: include: reads a tracked file, and any without CI', async () => {
    const files = { 'trueup.yaml': including('kept.yaml') };
    const tracked = committed({ ...files, 'kept.yaml': variables }, {});
    expect((await validate('', { CI: 'true' }, tracked)).code).toBe(0);
    expect((await validate('', {}, committed(files, { 'kept.yaml': variables }))).code).toBe(0);
  });

  it('S6: the manifest itself may be one that the pipeline makes: the command line names it', async () => {
    const folder = committed(
      { 'trueup.yaml': 'trueup: 1\n', 'a.txt': 'text' },
      { 'trueup.yaml': reading('file:a.txt') },
    );
    expect((await validate('', { CI: 'true' }, folder)).code).toBe(0);
  });

  it('S6: nothing when the index of git is split or cannot be read, and says so', async () => {
    const split = committed({ ...account, 'a.txt': 'one' }, {});
    git(split, 'update-index', '--split-index');
    const damaged = committed(account, {});
    const index = readFileSync(join(damaged, '.git/index'));
    writeFileSync(join(damaged, '.git/index'), index.subarray(0, 40));
    for (const folder of [split, damaged]) {
      const run = await validate('', { CI: 'true' }, folder);
      expect(run).toMatchObject({ code: 3, out: '' });
      expect(run.err).toContain('error[private-source]');
      expect(run.err).toContain('cannot read the index of git, which says whether it tracks account.json');
      expect(run.err).toContain('git update-index --no-split-index');
    }
    git(split, 'update-index', '--no-split-index');
    expect((await validate('', { CI: 'true' }, split)).code).toBe(0);
  });

  /** A repository of one commit, and that commit. */
  function inner(): { folder: string; head: string } {
    const folder = committed({ 'a.txt': 'canary' }, {});
    git(folder, 'commit', '-m', 'x');
    return { folder, head: execFileSync('git', ['rev-parse', 'HEAD'], { cwd: folder, encoding: 'utf8' }).trim() };
  }

  it.each(['no entry', 'another commit', 'a file'])(
    'S6: not a file of another repository that the pipeline clones, with %s of it in the index',
    async (entry) => {
      const files = { 'trueup.yaml': reading('file:other/a.txt'), ...(entry === 'a file' && { other: 'text' }) };
      const folder = committed(files, {});
      if (entry === 'another commit') {
        git(folder, 'update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},other`);
      }
      rmSync(join(folder, 'other'), { force: true });
      git(folder, 'clone', inner().folder, 'other');
      git(join(folder, 'other'), 'checkout', '--detach');
      const run = await validate('', { CI: 'true' }, folder);
      expect(run).toMatchObject({ code: 3, out: '' });
      expect(run.err).toContain('error[private-source]');
      expect(run.err).toContain(entry === 'no entry' ? 'not tracked by git' : 'differs from the file that git tracks');
    },
  );

  it('S6: but a file of a submodule, and all of the repository of the manifest', async () => {
    const folder = committed({ 'trueup.yaml': reading('file:sub/a.txt') }, {});
    const { folder: from, head } = inner();
    git(folder, '-c', 'protocol.file.allow=always', 'submodule', 'add', from, 'sub');
    git(join(folder, 'sub'), 'checkout', '--detach', head);
    expect((await validate('', { CI: 'true' }, folder)).code).toBe(0);
    const cloned = committed({ 'x.txt': '' }, {});
    git(cloned, 'clone', from, 'deploy');
    writeFileSync(join(cloned, 'deploy/trueup.yaml'), reading('file:a.txt'));
    expect((await validate('', { CI: 'true' }, join(cloned, 'deploy'))).code).toBe(0);
  });

  describe('S6: TRUEUP_FILE_ALLOW', () => {
    const files = { 'trueup.yaml': reading('file:build/compose.yml') };
    const made = { 'build/compose.yml': 'text' };

    it.each(['build/compose.yml', 'x, build/*.yml ,', '*'])(
      'S6: %s allows a file that the build makes',
      async (allow) => {
        const env = { CI: 'true', TRUEUP_FILE_ALLOW: allow };
        expect((await validate('', env, committed(files, made))).code).toBe(0);
        expect((await validate('', env, committed({ ...files, 'build/compose.yml': 'old' }, made))).code).toBe(0);
        expect((await validate('', env, project({ ...files, ...made }))).code).toBe(0);
      },
    );

    it.each(['', 'compose.yml', 'build', 'build/', '*.json', 'BUILD/*'])('S6: %j does not', async (allow) => {
      const run = await validate('', { CI: 'true', TRUEUP_FILE_ALLOW: allow }, committed(files, made));
      expect(run).toMatchObject({ code: 3, out: '' });
      expect(run.err).toContain('add its path to TRUEUP_FILE_ALLOW');
    });

    it('S6: means the place of a file, not a link to it or a way round', async () => {
      const env = { CI: 'true', TRUEUP_FILE_ALLOW: 'build/*' };
      const folder = committed(
        { 'trueup.yaml': reading('file:build/link') },
        { 'other.json': 'canary', 'build/x': '' },
      );
      symlinkSync('../other.json', join(folder, 'build/link'));
      git(folder, 'add', 'build/link');
      expect((await validate('', env, folder)).err).toContain('other.json, which is not tracked by git');
      writeFileSync(join(folder, 'trueup.yaml'), reading('file:build/../other.json'));
      expect((await validate('', env, folder)).code).toBe(3);
    });

    it('S6: never allows a file that may hold credentials', async () => {
      const env = { CI: 'true', TRUEUP_FILE_ALLOW: '*' };
      const folder = committed({ 'trueup.yaml': reading('file:.npmrc') }, { '.npmrc': 'canary' });
      expect((await validate('', env, folder)).err).toContain('may hold credentials');
    });
  });

  it('S6: nothing where there is no repository: then nobody can tell what the pipeline added', async () => {
    const folder = project({ 'trueup.yaml': reading('file:a.txt'), 'a.txt': 'canary' });
    const run = await validate('', { CI: 'true' }, folder);
    expect(run).toMatchObject({ code: 3, out: '' });
    expect(run.err).toContain('In a checkout without .git, give --no-pinned or set TRUEUP_PINNED=false.');
  });
});
