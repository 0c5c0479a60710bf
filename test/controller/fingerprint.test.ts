import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Checkouts, checkoutsIn } from '../../src/controller/checkouts.ts';
import { areAmong, pathsOf } from '../../src/controller/fingerprint.ts';
import { open, platformAt, stateAt } from '../../src/index.ts';

/** Which commits leave the files of a stack as they are, over a repository of git. */

const root = (text: string) => `trueup: 1\nproject: prj_1\n${text}`;
const variables = (value: string) => `variables:\n  a: { default: ${value} }\n`;
const block = 'environments:\n  production:\n    redis:\n      main: { dockerImage: "redis:7", databasePassword: a }\n';

describe('a commit', () => {
  let folder: string;
  let checkouts: Checkouts;
  let source: { readonly id: string; readonly url: string; readonly ref: string };
  const git = (...words: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...words], {
      cwd: source.url,
      encoding: 'utf8',
    });
  const write = (path: string, text: string | Uint8Array): void => {
    mkdirSync(dirname(join(source.url, path)), { recursive: true });
    writeFileSync(join(source.url, path), text);
  };
  const commit = (): string => {
    git('add', '-A');
    git('commit', '-q', '--allow-empty', '-m', 'a');
    return git('rev-parse', 'HEAD').trim();
  };
  const readsOf = (path: string, at: string) =>
    checkouts.at(source, at, async (place, fingerprint) => {
      const file = path.slice(path.lastIndexOf('/') + 1);
      const project = await open(join(place, dirname(path)), { file, isPinned: false, env, platform, state });
      const reads = pathsOf(project.manifest, path);
      await project.close();
      return { reads, was: fingerprint({ path, reads }) };
    });
  /** Whether a change of the repository leaves the files of a root file as they are. */
  const leaves = async (path: string, change: () => void) => {
    const { reads, was } = await readsOf(path, commit());
    change();
    return (await checkouts.fingerprint(source, commit()))({ path, reads }) === was;
  };
  const url = 'https://deploy.example.com';
  const platform = platformAt({ url, apiKey: 'a-key' });
  // Nothing is kept by what only opens a project.
  const state = stateAt({ openStore: () => expect.fail('no state is opened') });
  let env: Readonly<Record<string, string>>;
  beforeEach(() => {
    env = { TRUEUP_URL: url };
    folder = mkdtempSync(join(tmpdir(), 'trueup-fingerprint-'));
    source = { id: 'shop', url: join(folder, 'repository'), ref: 'refs/heads/main' };
    mkdirSync(source.url);
    git('init', '-q', '-b', 'main');
    checkouts = checkoutsIn(join(folder, 'checkouts'));
    write('sites/a.yaml', root(`include: [shared/base.yaml, parts/*.yaml]\n${block}`));
    write('sites/b.yaml', root(block));
    write('sites/shared/base.yaml', variables('1'));
    write('sites/parts/one.yaml', 'variables:\n  b: { default: 1 }\n');
  });

  test('leaves a stack as it is that reads none of its files, also in the same folder', async () => {
    const change = () => {
      write('sites/b.yaml', root(block.replace('redis:7', 'redis:7.4')));
      write('sites/c.yaml', root(block));
      write('README.md', 'read me');
    };
    expect(await leaves('sites/a.yaml', change)).toBe(true);
    expect(await leaves('sites/b.yaml', () => write('sites/shared/base.yaml', variables('2')))).toBe(true);
  });

  test.each([
    ['its root file', () => write('sites/a.yaml', root(block))],
    ['a file that it includes', () => write('sites/shared/base.yaml', variables('2'))],
    ['a file that a pattern includes', () => write('sites/parts/one.yaml', 'variables:\n  b: { default: 2 }\n')],
    ['what a pattern names by a new file', () => write('sites/parts/two.yaml', 'variables:\n  c: { default: 2 }\n')],
    ['what a pattern names by a file that goes', () => rmSync(join(source.url, 'sites/parts/one.yaml'))],
    ['what it looked for and did not find', () => write('sites/accepted.a.yaml', '- field: a\n')],
  ])('changes a stack by %s', async (_, change) => {
    write('sites/parts/zero.yaml', 'variables:\n  z: { default: 1 }\n');
    expect(await leaves('sites/a.yaml', change)).toBe(false);
  });

  test('changes a stack by the encrypted secrets that it names', async () => {
    const identity = await generateX25519Identity();
    const sealed = async (text: string) => {
      const encrypter = new Encrypter();
      encrypter.addRecipient(await identityToRecipient(identity));
      return encrypter.encrypt(text);
    };
    env = { ...env, TRUEUP_AGE_IDENTITY: identity };
    const text = block.replace('databasePassword: a', 'databasePassword: "${secret:DB}"');
    write('sites/a.yaml', root(`secrets: [{ age: secrets.env.age }]\n${text}`));
    write('sites/secrets.env.age', await sealed('DB=one\n'));
    const later = await sealed('DB=two\n');
    expect(await leaves('sites/a.yaml', () => write('sites/secrets.env.age', later))).toBe(false);
    expect(await leaves('sites/b.yaml', () => rmSync(join(source.url, 'sites/secrets.env.age')))).toBe(true);
  });

  test('changes a stack by a new file in a folder that a link leads to, and by a file with * in its name', async () => {
    symlinkSync('parts', join(source.url, 'sites/linked'));
    write('sites/a.yaml', root(`include: [shared/base.yaml, linked/*.yaml]\n${block}`));
    const add = () => write('sites/parts/two.yaml', 'variables:\n  c: { default: 2 }\n');
    expect(await leaves('sites/a.yaml', add)).toBe(false);
    write('all*/trueup.yaml', root(block));
    const change = () => write('all*/trueup.yaml', root(block.replace('redis:7', 'redis:7.4')));
    expect(await leaves('all*/trueup.yaml', change)).toBe(false);
  });

  test('has one fingerprint of a stack, whether all of it is listed or the folder of the stack', async () => {
    symlinkSync('../sites/b.yaml', join(source.url, 'sites/link.yaml'));
    write('other/b.yaml', root(block));
    symlinkSync('b.yaml', join(source.url, 'other/link.yaml'));
    const at = commit();
    const asked = { path: 'sites/b.yaml', reads: ['sites/b.yaml', 'sites/shared/*.yaml'] };
    const folder = await checkouts.at(source, at, async (_, fingerprint) => fingerprint(asked), 'sites');
    expect((await checkouts.fingerprint(source, at))(asked)).toBe(folder);
    // The links of other folders lead nowhere here.
    const change = () => symlinkSync('b.yaml', join(source.url, 'other/more.yaml'));
    expect(await leaves('sites/b.yaml', change)).toBe(true);
  });

  test('changes all stacks of its folder by a link, which may lead to any of their files', async () => {
    const change = () => symlinkSync('shared/base.yaml', join(source.url, 'sites/link.yaml'));
    expect(await leaves('sites/b.yaml', change)).toBe(false);
  });

  test('has files among paths, and among patterns in their own folder', () => {
    expect(areAmong(['a/b.yaml'], ['a/b.yaml'])).toBe(true);
    expect(areAmong(['a/c.yaml', 'b/d'], ['a/*.yaml'])).toBe(true);
    expect(areAmong(['a/b/c.yaml', 'c.yaml'], ['a/*.yaml', 'a/b'])).toBe(false);
  });
});
