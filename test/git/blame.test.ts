import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { lineOrigin } from '../../src/git/blame.ts';

afterEach(() => void vi.unstubAllEnvs());

/** A repository whose file has two lines, each from a commit of its own. */
function repository(...options: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'trueup-blamed-'));
  const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', '-c', 'commit.gpgSign=false'];
  const env = { PATH: process.env['PATH'], HOME: folder, GIT_AUTHOR_DATE: '2026-03-04T05:06:07Z' };
  const git = (...args: readonly string[]) =>
    execFileSync('git', [...who, ...args], { cwd: folder, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const commit = (text: string, subject: string) => {
    writeFileSync(join(folder, 'a b.yaml'), text);
    git('add', 'a b.yaml');
    git('commit', '-q', '-m', subject);
    return git('rev-parse', 'HEAD').trim();
  };
  git('init', '-q', ...options);
  const first = commit('one: 1\ntwo: 1\n', 'Begin');
  const second = commit('one: 1\ntwo: 2\n', 'Raise two\n\nbecause');
  const file = join(folder, 'a b.yaml');
  const origin = (line: number, text = readFileSync(file, 'utf8')) => lineOrigin(file, text, line);
  return { folder, git, commit, first, second, file, origin };
}

const by = { is: 'committed', author: 'Ada', date: '2026-03-04' };

describe('the commit that changed a line last', () => {
  test.each(['sha1', 'sha256'])('is found, with digests of %s', async (format) => {
    const { origin, first, second } = repository(`--object-format=${format}`);
    expect(await origin(1)).toEqual({ ...by, commit: first, subject: 'Begin' });
    expect(await origin(2)).toEqual({ ...by, commit: second, subject: 'Raise two' });
  });

  test('is found by the line of the file as it is now', async () => {
    const { origin, second } = repository();
    expect(await origin(1, 'zero: 0\none: 1\ntwo: 2\n')).toEqual({ is: 'not committed' });
    expect(await origin(3, 'zero: 0\none: 1\ntwo: 2\n')).toMatchObject({ commit: second });
    expect(await origin(2, 'one: 1\r\ntwo: 2\r\n')).toMatchObject({ commit: second });
  });

  test('is found in packs, in a second work tree and in a shallow clone', async () => {
    const { git, folder, second, origin } = repository();
    git('gc', '-q');
    expect(await origin(2)).toMatchObject({ commit: second });
    git('worktree', 'add', '-q', `${folder}-2`);
    expect(await lineOrigin(`${folder}-2/a b.yaml`, 'one: 1\ntwo: 2\n', 2)).toMatchObject({ commit: second });
    git('clone', '-q', '--depth', '1', `file://${folder}`, `${folder}-3`);
    expect(await lineOrigin(`${folder}-3/a b.yaml`, 'one: 1\ntwo: 2\n', 1)).toMatchObject({ commit: second });
  });

  test('is none of a new file, and unknown without a repository, a commit or git', async () => {
    const { folder, origin, git } = repository();
    writeFileSync(join(folder, 'new.yaml'), 'a: 1\n');
    expect(await lineOrigin(join(folder, 'new.yaml'), 'a: 1\n', 1)).toEqual({ is: 'not committed' });
    expect(await lineOrigin(join(folder, 'gone.yaml'), 'a: 1\n', 1)).toBeUndefined();
    git('checkout', '-q', '--orphan', 'empty');
    expect(await origin(1)).toBeUndefined();
    const bare = mkdtempSync(join(tmpdir(), 'trueup-no-repository-'));
    writeFileSync(join(bare, 'x.yaml'), 'a: 1\n');
    expect(await lineOrigin(join(bare, 'x.yaml'), 'a: 1\n', 1)).toBeUndefined();
    const { origin: another } = repository();
    vi.stubEnv('PATH', bare);
    expect(await another(1)).toBeUndefined();
  });

  test('leaves no folder behind', async () => {
    const { origin } = repository();
    const temporary = mkdtempSync(join(tmpdir(), 'trueup-tmp-'));
    vi.stubEnv('TMPDIR', temporary);
    expect(await origin(1)).toMatchObject(by);
    expect(readdirSync(temporary)).toEqual([]);
  });
});

describe('a hostile repository runs nothing', () => {
  test('by its configuration, attributes, hooks and programs', async () => {
    const { folder, git, origin, first, second } = repository();
    const ran = join(folder, 'ran');
    const program = join(folder, 'bin/git');
    mkdirSync(join(folder, 'bin'));
    writeFileSync(program, `#!/bin/sh\necho "$0 $@" >> '${ran}'\n`);
    chmodSync(program, 0o755);
    for (const [name, value] of [
      ['core.fsmonitor', program],
      ['core.hooksPath', join(folder, 'bin')],
      ['core.pager', program],
      ['core.sshCommand', program],
      ['core.gitProxy', program],
      ['core.alternateRefsCommand', program],
      ['pager.blame', program],
      ['diff.external', program],
      ['diff.evil.textconv', program],
      ['diff.evil.command', program],
      ['filter.evil.clean', program],
      ['filter.evil.smudge', program],
      ['filter.evil.process', program],
      ['filter.evil.required', 'true'],
      ['gpg.program', program],
      ['log.showSignature', 'true'],
      ['alias.blame', `!${program}`],
      ['remote.origin.promisor', 'true'],
      ['remote.origin.url', `ext::${program}`],
      ['remote.origin.uploadpack', program],
      ['protocol.ext.allow', 'always'],
    ] as const) {
      git('config', name, value);
    }
    const attributes = '* filter=evil diff=evil text eol=crlf\n';
    writeFileSync(join(folder, '.gitattributes'), attributes);
    mkdirSync(join(folder, '.git/info'), { recursive: true });
    writeFileSync(join(folder, '.git/info/attributes'), attributes);
    // The test proves something only where git itself runs them.
    spawnSync('git', ['blame', '-L', '2,2', 'a b.yaml'], { cwd: folder, stdio: 'ignore', timeout: 10_000 });
    expect(readFileSync(ran, 'utf8')).toContain(program);
    git('config', 'blame.ignoreRevsFile', program);
    git('config', 'extensions.partialClone', 'origin');
    writeFileSync(ran, '');

    vi.stubEnv('PATH', [join(folder, 'bin'), '.', 'bin', '', process.env['PATH']].join(delimiter));
    vi.stubEnv('GIT_DIR', join(folder, '.git'));
    vi.stubEnv('GIT_CONFIG_COUNT', '1');
    vi.stubEnv('GIT_CONFIG_KEY_0', 'core.fsmonitor');
    vi.stubEnv('GIT_CONFIG_VALUE_0', program);
    vi.stubEnv('GIT_EXTERNAL_DIFF', program);
    expect(await origin(2)).toEqual({ ...by, commit: second, subject: 'Raise two' });
    // Objects that are missing are not fetched.
    rmSync(join(folder, '.git/objects', first.slice(0, 2), first.slice(2)));
    await origin(1);
    expect(readFileSync(ran, 'utf8')).toBe('');
  });
});
