import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readReviewSite } from '../../src/cli/read-review-site.ts';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import { lineUrl } from '../../src/render/report-links.ts';

const id = '0d5c7e0f6a1b4f0c8f2f3b1a9e7d6c5b4a392817';
const gitHub = { GITHUB_SERVER_URL: 'https://github.com', GITHUB_REPOSITORY: 'o/r', GITHUB_SHA: id };
const gitLab = { CI_PROJECT_URL: 'https://lab.example.com:8443/group/sub/r', CI_COMMIT_SHA: id };

/** A repository with a manifest in `infra`. */
function repository(): string {
  const root = mkdtempSync(join(tmpdir(), 'trueup-site-'));
  mkdirSync(join(root, '.git'));
  mkdirSync(join(root, 'infra'));
  return root;
}

const root = repository();
const read = (env: Record<string, string>, options: { linkBase?: string; marker?: string; file?: string } = {}) =>
  readReviewSite({ directory: 'infra', file: 'trueup.yaml', ...options }, { env, cwd: () => root });
const position = { file: 'sub/a b.yaml', line: 7, column: 1 };

describe('links to the lines of a manifest', () => {
  it.each([
    ['GitHub', gitHub, `https://github.com/o/r/blob/${id}/infra/sub/a%20b.yaml#L7`],
    [
      'Forgejo',
      { ...gitHub, GITHUB_SERVER_URL: 'https://git.example.com', FORGEJO_ACTIONS: 'true' },
      `https://git.example.com/o/r/src/commit/${id}/infra/sub/a%20b.yaml#L7`,
    ],
    [
      'Gitea below a path',
      { ...gitHub, GITHUB_SERVER_URL: 'https://example.com/git/', GITEA_ACTIONS: 'true' },
      `https://example.com/git/o/r/src/commit/${id}/infra/sub/a%20b.yaml#L7`,
    ],
    ['GitLab', gitLab, `https://lab.example.com:8443/group/sub/r/-/blob/${id}/infra/sub/a%20b.yaml#L7`],
    ['no forge', {}, undefined],
    ['a forge that sets only some', { ...gitHub, GITHUB_SHA: '' }, undefined],
  ])('are those of %s', (_name, env, url) => {
    expect(lineUrl(read(env), position)).toBe(url);
  });

  it('are of the commit that is checked out, where that is known', () => {
    expect(lineUrl(read(gitHub), position, 'f'.repeat(40))).toContain(`/blob/${'f'.repeat(40)}/`);
  });

  it('follow --link-base before the forge', () => {
    const site = read(gitHub, { linkBase: 'https://git.example.com/o/r/src/commit/0d5c' });
    expect(lineUrl(site, position, id)).toBe('https://git.example.com/o/r/src/commit/0d5c/infra/sub/a%20b.yaml#L7');
  });

  it('lead to no file outside of the repository, and end no link of Markdown', () => {
    const site = read(gitHub);
    const url = (file: string) => lineUrl(site, { file, line: 1, column: 1 });
    expect(url('../trueup.yaml')).toBe(`https://github.com/o/r/blob/${id}/trueup.yaml#L1`);
    expect(url('../../other.yaml')).toBeUndefined();
    expect(url('/etc/other.yaml')).toBeUndefined();
    expect(url('a)b](x) "<\u0000#?\ud800.yaml')).toBe(
      `https://github.com/o/r/blob/${id}/infra/a%29b%5D%28x%29%20%22%3C%00%23%3F%EF%BF%BD.yaml#L1`,
    );
  });

  it.each([
    ['GITHUB_SERVER_URL', 'javascript:alert(1)'],
    ['GITHUB_SERVER_URL', 'https://user:canary-7f3a@github.com'],
    ['GITHUB_SERVER_URL', 'https://github.com/)[x](https://evil.example'],
    ['GITHUB_SERVER_URL', 'https://github.com/?x=y'],
    ['GITHUB_SERVER_URL', 'https://github.com\n'],
    ['GITHUB_REPOSITORY', 'o/r/../../evil'],
    ['GITHUB_REPOSITORY', 'o/r) ![x](y'],
    ['GITHUB_SHA', 'main'],
    ['CI_PROJECT_URL', 'https://lab.example.com/"><script>'],
    ['CI_COMMIT_SHA', `${id}#x`],
  ])('refuse a hostile %s, %j, without showing it', (name, value) => {
    const env = { ...(name.startsWith('CI_') ? gitLab : gitHub), [name]: value };
    expect(() => read(env)).toThrow(Stop);
    expect(() => read(env)).toThrow(new RegExp(`^${name} must be`));
    expect(() => read(env)).not.toThrow(/canary|evil|script/);
  });

  it.each(['ftp://x', 'https://u:canary@h/', 'https://h/#x', 'https://h/ x'])('refuse --link-base %j', (linkBase) => {
    expect(() => read({}, { linkBase })).toThrow(/^--link-base must be an http or https address/);
  });
});

describe('the marker of a comment', () => {
  it('is the same in each run of a manifest, and another one for each manifest, platform and state', () => {
    const { key } = read({});
    expect(key).toMatch(/^[0-9a-f]{16}$/);
    expect(read(gitHub).key).toBe(key);
    const url = { TRUEUP_URL: 'https://deploy.example.com' };
    const state = (password: string, name: string) => ({
      TRUEUP_STATE_URL: `postgres://u:${password}@db/trueup?name=${name}`,
    });
    expect(read(state('one', 'a')).key).toBe(read(state('two', 'a')).key);
    const keys = [key, read({}, { file: 'other.yaml' }).key, read(url).key, read(state('one', 'a')).key];
    expect(new Set([...keys, read(state('one', 'b')).key]).size).toBe(5);
  });

  it('does not depend on where the repository is', () => {
    const other = repository();
    const at = (cwd: string) => readReviewSite({ file: 'trueup.yaml' }, { env: {}, cwd: () => cwd }).key;
    expect(at(join(other, 'infra'))).toBe(read({}).key);
    expect(at(other)).not.toBe(read({}).key);
  });

  it('can have a name', () => {
    expect(read({}, { marker: 'staging-eu.1' }).key).toBe('staging-eu.1');
    for (const marker of ['', 'a b', '-a', 'a--b', '-->', 'a'.repeat(65)])
      expect(() => read({}, { marker })).toThrow(/^--marker must have 1 to 64/);
  });
});
