import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type GitSource, checkoutsIn } from '../../src/controller/checkouts.ts';
import { problemText } from '../../src/controller/problem-text.ts';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import { readCommit } from '../../src/git/commit.ts';
import { git } from '../support/hosted-repository.ts';

const servers: Server[] = [];
afterEach(() => {
  vi.unstubAllEnvs();
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'trueup-checkouts-'));

/** A repository with a commit of some files. */
function repository(files: Readonly<Record<string, string>>, ...options: readonly string[]) {
  const folder = newFolder();
  git(folder, 'init', '-q', ...options);
  const commit = (more: Readonly<Record<string, string>> = {}): string => {
    for (const [path, text] of Object.entries(more)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text, 'latin1');
    }
    git(folder, 'add', '-A');
    git(folder, 'commit', '-q', '--allow-empty', '-m', 'x');
    return git(folder, 'rev-parse', 'HEAD');
  };
  const first = commit(files);
  /** Commits a tree whose lines are those of `git ls-tree`. */
  const commitTree = (...lines: readonly string[]): string => {
    const input = lines.map((line) => `${line}\n`).join('');
    const tree = execFileSync('git', ['-C', folder, 'mktree'], { input, encoding: 'utf8' }).trim();
    const made = git(folder, 'commit-tree', tree, '-m', 'x');
    git(folder, 'update-ref', 'refs/heads/main', made);
    return made;
  };
  const blob = (text: string): string =>
    execFileSync('git', ['-C', folder, 'hash-object', '-w', '--stdin'], { input: text, encoding: 'utf8' }).trim();
  const source: GitSource = { id: 'shop', url: folder, ref: 'refs/heads/main' };
  return { folder, first, commit, commitTree, blob, source };
}

/** The files and links below a folder but those of git. */
function filesIn(folder: string): string[] {
  const found = execFileSync('find', ['.', '-name', '.git', '-prune', '-o', '!', '-type', 'd', '-print'], {
    cwd: folder,
    encoding: 'utf8',
  });
  return found
    .trim()
    .split('\n')
    .map((path) => path.replace('./', ''))
    .toSorted();
}

/** What a promise is rejected with, as text with its remedy. @throws {Error} where it is no `Stop` that refuses */
async function refusal(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => 'nothing',
    (reason: unknown) => reason,
  );
  if (!(error instanceof Stop) || error.failure !== 'refused') throw new Error(`not refused: ${String(error)}`);
  return JSON.stringify(error.diagnostics);
}

/** Nothing is left in a folder of checkouts but repositories of commits. */
function expectNoDrafts(folder: string): void {
  const names = readdirSync(folder).flatMap((home) => readdirSync(join(folder, home)));
  expect(names.filter((name) => !/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(name))).toEqual([]);
}

describe('a source', () => {
  test.each(['sha1', 'sha256'])('is fetched, searched and checked out, with digests of %s', async (format) => {
    const files = { 'prod.yaml': 'trueup: 1\n', 'compose.yml': 'services: {}\n', 'infra/run.sh': 'echo\n' };
    const { source, first, commit } = repository(files, `--object-format=${format}`);
    const folder = newFolder();
    const checkouts = checkoutsIn(folder);
    expect(await checkouts.fetch(source)).toBe(first);
    const second = commit({ 'infra/staging.yml': '# Staging\ntrueup: 1\n' });
    expect(await checkouts.fetch(source)).toBe(second);
    expect(await checkouts.rootFiles(source, first)).toEqual(['prod.yaml']);
    expect(await checkouts.rootFiles(source, second)).toEqual(['infra/staging.yml', 'prod.yaml']);
    const seen = await checkouts.at(source, second, async (tree) => {
      const paths = filesIn(tree).map((name) => join(tree, name));
      // What a pinned run asks of git.
      return { tree, files: filesIn(tree), commit: await readCommit(tree, paths) };
    });
    expect(seen).toMatchObject({
      files: ['compose.yml', 'infra/run.sh', 'infra/staging.yml', 'prod.yaml'],
      commit: { id: second, differing: 0, isClean: true },
    });
    expect(existsSync(seen.tree)).toBe(false);
    expectNoDrafts(folder);
  });

  test('gives the commit of a tag, with and without a message', async () => {
    const { source, folder, first } = repository({ 'a.yaml': 'trueup: 1\n' });
    git(folder, 'tag', 'v1');
    git(folder, 'tag', '-a', 'v2', '-m', 'x');
    const checkouts = checkoutsIn(newFolder());
    expect(await checkouts.fetch({ ...source, ref: 'refs/tags/v1' })).toBe(first);
    expect(await checkouts.fetch({ ...source, ref: 'refs/tags/v2' })).toBe(first);
    expect(await refusal(checkouts.fetch({ ...source, ref: 'refs/tags/v3' }))).toContain('it has no refs/tags/v3');
  });

  test('a root file has trueup: at its top, and a name that can be shown', async () => {
    const { source, first } = repository({
      'mark.yaml': '\xef\xbb\xbftrueup : 1\n',
      'lines.yaml': 'a: 1\r\ntrueup:\r\n',
      'nested.yaml': 'a:\n  trueup: 1\n',
      'other.yaml': 'trueup:1\ntrueups: 1\n',
      'drift.yaml': 'trueup: 1\n',
      'a.json': 'trueup: 1\n',
      'line\nbreak.yaml': 'trueup: 1\n',
      'ü.yaml': 'trueup: 1\n',
      'binary.yaml': '\0\ntrueup: 1\n',
    });
    const checkouts = checkoutsIn(newFolder());
    expect(await checkouts.rootFiles(source, first)).toEqual(['binary.yaml', 'lines.yaml', 'mark.yaml', 'ü.yaml']);
  });

  test('a root file that describes previews has preview: at its top too', async () => {
    const { source, first } = repository({
      'one.yaml': 'trueup: 1\npreview: {}\n',
      'mark.yaml': '\xef\xbb\xbfpreview:\n  for: 3d\ntrueup: 1\n',
      'below.yaml': 'trueup: 1\na:\n  preview: {}\n',
      'included.yaml': 'preview: {}\n',
      'plain.yaml': 'trueup: 1\npreviews: {}\n',
    });
    expect(await checkoutsIn(newFolder()).previewFiles(source, first)).toEqual(['mark.yaml', 'one.yaml']);
  });

  test('has files of a commit that this machine has not fetched, and of one that its branch has no more', async () => {
    const { source, first, commit, folder } = repository({ 'a.yaml': 'trueup: 1\n' });
    git(folder, 'reset', '-q', '--soft', first);
    git(folder, 'commit', '-q', '--amend', '-m', 'other');
    commit();
    expect(await checkoutsIn(newFolder()).at(source, first, (tree) => Promise.resolve(filesIn(tree)))).toEqual([
      'a.yaml',
    ]);
    expect(await refusal(checkoutsIn(newFolder()).rootFiles(source, '0'.repeat(39) + '1'))).toContain('git says');
    expect(await refusal(checkoutsIn(newFolder()).rootFiles(source, '--all'))).toContain('no known form');
  });

  test('is read by many workers at once, and removed from no work', async () => {
    const { source, first } = repository({ 'a.yaml': 'trueup: 1\n' });
    const folder = newFolder();
    const reads = Array.from({ length: 4 }, async () => {
      const checkouts = checkoutsIn(folder);
      expect(await checkouts.fetch(source)).toBe(first);
      return checkouts.at(source, first, async (tree) => {
        await checkoutsIn(folder).fetch(source);
        return filesIn(tree);
      });
    });
    expect(await Promise.all(reads)).toEqual(Array.from({ length: 4 }, () => ['a.yaml']));
    expectNoDrafts(folder);
  });

  test('sends only what changed since its last commit, and all again after some commits', async () => {
    const noise = Array.from({ length: 2_000 }, (_, at) => createHash('sha256').update(String(at)).digest());
    const { source, commit } = repository({ noise: Buffer.concat(noise).toString('latin1') });
    const folder = newFolder();
    const checkouts = checkoutsIn(folder);
    const sizes: number[][] = [];
    for (let at = 0; at < 10; at++) {
      const made = await checkouts.fetch(source);
      const packs = join(folder, ...readdirSync(folder), made, 'objects/pack');
      const names = readdirSync(packs).filter((name) => name.endsWith('.pack'));
      sizes.push(names.map((name) => Math.floor(lstatSync(join(packs, name)).size / 10_000)).toSorted((a, b) => b - a));
      expect(await checkouts.rootFiles(source, made)).toEqual(at === 0 ? [] : ['a.yaml']);
      const seen = await checkouts.at(source, made, async (tree) => {
        const read = await readCommit(tree, [join(tree, 'noise')]);
        return { read, size: lstatSync(join(tree, 'noise')).size };
      });
      expect(seen).toEqual({ read: { id: made, differing: 0, isClean: true }, size: 64_000 });
      commit({ 'a.yaml': `trueup: 1\n# ${at}\n` });
    }
    const growing = Array.from({ length: 8 }, (_, at) => [6, ...Array.from({ length: at }, () => 0)]);
    expect(sizes).toEqual([...growing, [6], [6, 0]]);
  });

  test('has the work that throws removed too', async () => {
    const { source, first } = repository({ 'a.yaml': 'trueup: 1\n' });
    const folder = newFolder();
    await expect(checkoutsIn(folder).at(source, first, () => Promise.reject(new Error('mine')))).rejects.toThrow(
      'mine',
    );
    expectNoDrafts(folder);
  });

  test('ends with its signal, and leaves nothing', async () => {
    const { source } = repository({});
    const { url, requests } = await serve(() => undefined);
    const folder = newFolder();
    const controller = new AbortController();
    const fetching = checkoutsIn(folder).fetch({ ...source, url }, controller.signal);
    await expect.poll(() => requests.length).toBe(1);
    controller.abort(new Error('stopped'));
    await expect(fetching).rejects.toThrow('stopped');
    expectNoDrafts(folder);
  });
});

describe('the folder', () => {
  test('is for this user alone', async () => {
    const { source } = repository({ 'a.yaml': 'trueup: 1\n' });
    const folder = join(newFolder(), 'below');
    const checkouts = checkoutsIn(folder);
    await checkouts.fetch(source);
    expect(lstatSync(folder).mode & 0o777).toBe(0o700);
    chmodSync(folder, 0o755);
    expect(await refusal(checkoutsIn(folder).fetch(source))).toContain(`chmod 700 ${folder}`);
    chmodSync(folder, 0o700);
  });

  test('loses what a killed worker left and what nothing used for a day, and nothing else', async () => {
    const { source, first, commit } = repository({ 'a.yaml': 'trueup: 1\n' });
    const folder = newFolder();
    await checkoutsIn(folder).fetch(source);
    const [home = ''] = readdirSync(folder).map((name) => join(folder, name));
    const host = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
    const killed = execFileSync('sh', ['-c', 'echo $$'], { encoding: 'utf8' }).trim();
    const drafts = [killed, '1'].map((pid) => `.trueup-draft-${pid}-${host}-00000000`);
    for (const draft of drafts) mkdirSync(join(home, draft, 'files'), { recursive: true });
    await checkoutsIn(folder).fetch(source);
    expect(readdirSync(home).toSorted()).toEqual([drafts[1], first]);
    const old = new Date('2026-01-02');
    utimesSync(join(home, first), old, old);
    const second = commit({ 'b.yaml': 'trueup: 1\n' });
    await checkoutsIn(folder).fetch(source);
    expect(readdirSync(home).toSorted()).toEqual([drafts[1], second]);
  });
});

describe('a hostile repository', () => {
  test('runs no hook, filter or program, of its own or by a configuration', async () => {
    const text = 'trueup: 1\n# $Id$ \xfc\r\n';
    const { source, folder, commit, commitTree, blob } = repository({ 'prod.yaml': text });
    const attributes = blob('* filter=evil text eol=crlf ident working-tree-encoding=UTF-16\n');
    const made = commitTree(git(folder, 'ls-tree', commit()), `100644 blob ${attributes}\t.gitattributes`);
    const ran = join(newFolder(), 'ran');
    const program = join(newFolder(), 'git');
    writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> '${ran}'\nexit 1\n`);
    chmodSync(program, 0o755);
    const home = newFolder();
    const hooks = ['post-checkout', 'post-index-change', 'reference-transaction'];
    for (const hook of hooks) symlinkSync(program, join(home, hook));
    const own = `[core]\n fsmonitor = ${program}\n hooksPath = ${home}\n[uploadpack]\n packObjectsHook = ${program}\n`;
    writeFileSync(join(folder, '.git/config'), own, { flag: 'a' });
    const ofUser = `${own}[filter "evil"]\n smudge = ${program}\n[credential]\n helper = ${program}\n`;
    writeFileSync(join(home, '.gitconfig'), ofUser);
    // The test proves something only where git itself runs them.
    const env = { PATH: process.env['PATH'], HOME: home };
    spawnSync('git', ['clone', '-q', `file://${folder}`, newFolder()], { env, stdio: 'ignore' });
    expect(readFileSync(ran, 'utf8')).toContain(program);
    writeFileSync(ran, '');

    writeFileSync(join(home, '.gitconfig'), `[url "ext::${program}"]\n insteadOf = ${folder}\n`, { flag: 'a' });
    for (const [name, value] of Object.entries({
      HOME: home,
      GIT_CONFIG_GLOBAL: join(home, '.gitconfig'),
      GIT_DIR: join(folder, '.git'),
      GIT_SSH_COMMAND: program,
      GIT_ASKPASS: program,
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'core.fsmonitor',
      GIT_CONFIG_VALUE_0: program,
      GIT_TEMPLATE_DIR: home,
    }))
      vi.stubEnv(name, value);
    const checkouts = checkoutsIn(newFolder());
    expect(await checkouts.fetch(source)).toBe(made);
    expect(await checkouts.rootFiles(source, made)).toEqual(['prod.yaml']);
    const read = (tree: string) => Promise.resolve(readFileSync(join(tree, 'prod.yaml'), 'latin1'));
    expect(await checkouts.at(source, made, read)).toBe(text);
    expect(readFileSync(ran, 'utf8')).toBe('');
  });

  test('has no submodules', async () => {
    const { source, first, commitTree, blob } = repository({ 'a.yaml': 'trueup: 1\n' });
    const modules = blob('[submodule "sub"]\n\tpath = sub\n\turl = https://example.test/sub\n\tupdate = checkout\n');
    const made = commitTree(`100644 blob ${modules}\t.gitmodules`, `160000 commit ${first}\tsub`);
    const checkouts = checkoutsIn(newFolder());
    expect(await checkouts.fetch(source)).toBe(made);
    expect(await checkouts.at(source, made, (tree) => Promise.resolve(filesIn(tree)))).toEqual(['.gitmodules']);
    const evil = blob('[submodule "sub"]\n\tpath = sub\n\turl = ext::sh -c id\n\tupdate = !id\n');
    commitTree(`100644 blob ${evil}\t.gitmodules`, `160000 commit ${first}\tsub`);
    expect(await refusal(checkouts.fetch(source))).toContain('gitmodules');
  });

  test('has no links that lead out of it, not even through one another', async () => {
    const { source, folder, commit } = repository({ 'a/b/real.yaml': 'trueup: 1\n' });
    const inside = { 'a/b/up': '../b/real.yaml', 'a/top': '..', root: 'a/b', 'a/b/gone': 'none', plain: './a//b' };
    const outside = {
      absolute: '/etc/passwd',
      above: '../x',
      'a/b/far': '../../../x',
      'a/b/through': 'up/../../..',
      'a/b/c': 'top/../../..',
      settings: '.git/config',
      upper: 'a/../.GIT/HEAD',
      dot: './../x',
    };
    for (const [path, target] of Object.entries({ ...inside, ...outside })) symlinkSync(target, join(folder, path));
    const made = commit();
    const files = await checkoutsIn(newFolder()).at(source, made, (tree) => Promise.resolve(filesIn(tree)));
    expect(files).toEqual(['a/b/real.yaml', ...Object.keys(inside)].toSorted());
  });

  test('has the files below a folder alone where only these are asked for, as their commit has them', async () => {
    const files = {
      'a/b.yaml': 'trueup: 1\n',
      'a/c/d.txt': 'x\r\n',
      'a*/e.yaml': 'trueup: 1\n',
      'ab.yaml': 'y',
      'f.yaml': 'z',
    };
    const { source, folder, commit } = repository(files);
    symlinkSync('../f.yaml', join(folder, 'a/out'));
    symlinkSync('b.yaml', join(folder, 'a/in'));
    const made = commit();
    const checkouts = checkoutsIn(newFolder());
    const below = (path: string) => checkouts.at(source, made, (tree) => Promise.resolve(filesIn(tree)), path);
    expect(await below('a')).toEqual(['a/b.yaml', 'a/c/d.txt', 'a/in', 'a/out']);
    expect(await below('a*')).toEqual(['a*/e.yaml']);
    expect(await below('none')).toEqual(['']);
    const read = (tree: string) => Promise.resolve(readFileSync(join(tree, 'a/c/d.txt'), 'utf8'));
    expect(await checkouts.at(source, made, read, 'a/c')).toBe('x\r\n');
    // The commit that a plan names is proved to have its files.
    const proved = (tree: string) => readCommit(join(tree, 'a'), [join(tree, 'a/b.yaml')]);
    expect(await checkouts.at(source, made, proved, 'a')).toEqual({ id: made, differing: 0, isClean: true });
  });

  test('has no names that git would not write', async () => {
    const { source, commitTree, blob } = repository({});
    const checkouts = checkoutsIn(newFolder());
    const text = blob('trueup: 1\n');
    for (const name of ['.git', '..', '.']) {
      commitTree(`100644 blob ${text}\t${name}`);
      expect(await refusal(checkouts.fetch(source))).toContain('cannot read the source shop: git says');
    }
  });

  test('has no more files and bytes than a limit, packed or unpacked, and leaves nothing', async () => {
    const { source, commit, commitTree, blob, folder } = repository({ 'a.yaml': 'trueup: 1\n', 'b.yaml': 'b: 1\n' });
    const home = newFolder();
    expect(await refusal(checkoutsIn(home, { maxFiles: 1 }).fetch(source))).toContain('it has 2 files, more than 1');
    const zeros = blob('0'.repeat(100_000));
    commitTree(...['a', 'b', 'c'].map((name) => `100644 blob ${zeros}\t${name}`));
    const limited = checkoutsIn(home, { maxBytes: 200_000 });
    expect(await refusal(limited.fetch(source))).toContain('its files have 300000 bytes, more than 200000');
    git(folder, 'reset', '-q', '--hard');
    const noise = Array.from({ length: 20_000 }, (_, at) => createHash('sha256').update(String(at)).digest());
    commit({ noise: Buffer.concat(noise).toString('latin1') });
    expect(await refusal(limited.fetch(source))).toContain('it has more than 200000 bytes');
    expectNoDrafts(home);
    expect(readdirSync(home).flatMap((name) => readdirSync(join(home, name)))).toEqual([]);
  });

  test('has no tree that is small as objects and endless as files', async () => {
    const { source, folder, commitTree, blob } = repository({});
    let line = `100644 blob ${blob('trueup: 1\n')}\t`;
    for (let depth = 0; depth < 8; depth++) {
      const input = Array.from({ length: 10 }, (_, at) => `${line}${at}\n`).join('');
      const tree = execFileSync('git', ['-C', folder, 'mktree'], { input, encoding: 'utf8' }).trim();
      line = `040000 tree ${tree}\t`;
    }
    commitTree(`${line}a`);
    expect(await refusal(checkoutsIn(newFolder()).fetch(source))).toContain('too many files');
  });
});

describe('an address', () => {
  const source = { id: 'shop', ref: 'refs/heads/main' };

  test.each([
    'ext::sh -c id',
    'ext::id',
    'file:///srv/shop.git',
    'git://example.test/shop.git',
    'http://example.test/shop.git',
    'ftp://example.test/shop.git',
    '--upload-pack=id',
    '-uid',
    '-oProxyCommand=id:x',
    'https://example.test/a b',
    'https://127.0.0.1\\@example.test/x',
    'http://127.0.0.1#@example.test/x',
    'relative/shop',
    '/srv/shop\n.git',
    '',
  ])('%j is refused', async (url) => {
    expect(await refusal(checkoutsIn(newFolder()).fetch({ ...source, url }))).toContain('its address is neither');
  });

  test.each(['https://ada:pass-4711@example.test/x', 'https://pass-4711@example.test/x', 'ssh://a:pass-4711@b.test/x'])(
    'with credentials is refused, and they are not shown: %s',
    async (url) => {
      const text = await refusal(checkoutsIn(newFolder()).fetch({ ...source, url }));
      expect(text).toContain('its address has credentials');
      expect(text).not.toContain('4711');
    },
  );

  test.each(['-x', '--all', 'main', 'refs/heads/', 'refs/heads/*', 'refs/heads/a..b', 'refs/heads/a b', 'refs/pull/1'])(
    'the ref %j is refused',
    async (ref) => {
      const url = repository({}).folder;
      expect(await refusal(checkoutsIn(newFolder()).fetch({ ...source, url, ref }))).toContain('its ref is neither');
    },
  );

  test('by ssh is read with the command for it', async () => {
    const { folder, first } = repository({ 'a.yaml': 'trueup: 1\n' });
    const program = join(newFolder(), 'ssh');
    writeFileSync(program, `#!/bin/sh\necho "$*" >> '${program}.log'\nfor last; do :; done\nexec sh -c "$last"\n`);
    chmodSync(program, 0o755);
    const checkouts = checkoutsIn(newFolder(), { ssh: `${program} -i 'a key'` });
    expect(await checkouts.fetch({ ...source, url: `git@example.test:${folder}` })).toBe(first);
    expect(await checkouts.fetch({ ...source, url: `ssh://git@example.test${folder}` })).toBe(first);
    expect(readFileSync(`${program}.log`, 'utf8')).toContain('-i a key -o SendEnv=GIT_PROTOCOL git@example.test');
    const dash = { ...source, url: `ssh://-oProxyCommand=id/x` };
    expect(await refusal(checkouts.fetch(dash))).toMatch(/its address is neither|strange hostname/);
  });
});

/** A server on this machine that answers as it is asked to, or not. */
async function serve(
  answer: () => { readonly status: number; readonly body: string; readonly location?: string } | undefined,
) {
  const requests: { readonly authorization: string | undefined }[] = [];
  const server = createServer((request, response) => {
    requests.push({ authorization: request.headers.authorization });
    const given = answer();
    if (given === undefined) return;
    response.writeHead(given.status, {
      'www-authenticate': 'Basic realm="x"',
      ...(given.location === undefined ? {} : { location: given.location }),
    });
    response.end(given.body);
  });
  servers.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { host, url: `http://${host}/shop.git`, requests };
}

/** A server of git for a repository, which wants a user. */
async function serveGit(folder: string, authorization: string): Promise<string> {
  const server = createServer((request, response) => {
    if (request.headers.authorization !== authorization) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
      return;
    }
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    const env = {
      PATH: process.env['PATH'],
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: pathname,
      QUERY_STRING: searchParams.toString(),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'],
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'],
      GIT_PROTOCOL: request.headers['git-protocol'] as string,
    };
    const backend = spawn('git', ['http-backend'], { env, stdio: ['pipe', 'pipe', 'ignore'] });
    request.pipe(backend.stdin);
    let answer = Buffer.alloc(0);
    backend.stdout.on('data', (data: Buffer) => (answer = Buffer.concat([answer, data])));
    backend.on('close', () => {
      const end = answer.indexOf('\r\n\r\n');
      const lines = answer.toString('latin1', 0, end).split('\r\n');
      for (const [name = '', value = ''] of lines.map((line) => line.split(': ')))
        if (name !== 'Status') response.setHeader(name, value);
      response.end(answer.subarray(end + 4));
    });
  });
  servers.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('says who wrote a commit, with its co-authors', async () => {
  const { source, folder } = repository({ 'a.yaml': 'trueup: 1\n' });
  const message = 'x\n\nCo-authored-by: Alex Doe <alex@example.com>\nCo-authored-by: nobody at all\n';
  git(folder, 'commit', '-q', '--allow-empty', '--author', 'Kim Ro\u00e9 <kim@example.com>', '-m', message);
  const checkouts = checkoutsIn(newFolder());
  expect(await checkouts.authors(source, await checkouts.fetch(source))).toEqual([
    { name: 'Kim Ro\u00e9', email: 'kim@example.com' },
    { name: 'Alex Doe', email: 'alex@example.com' },
  ]);
});

describe('credentials', () => {
  test('let git read a source over HTTP, and are in no file of the folder', async () => {
    const { source, folder, first, commit } = repository({ 'a.yaml': 'trueup: 1\n' });
    const host = await serveGit(folder, `Basic ${Buffer.from('ada:secret-4711').toString('base64')}`);
    const credentials = join(newFolder(), 'credentials');
    writeFileSync(credentials, `http://ada:secret-4711@${host}\n`);
    const home = newFolder();
    const checkouts = checkoutsIn(home, { credentials });
    const served = { ...source, url: `http://${host}/.git` };
    expect(await checkouts.fetch(served)).toBe(first);
    const second = commit({ 'b.yaml': 'trueup: 1\n' });
    expect(await checkouts.fetch(served)).toBe(second);
    expect(await checkouts.rootFiles(served, second)).toEqual(['a.yaml', 'b.yaml']);
    const ofSource = { ...served, credentialsFile: credentials };
    expect(await checkoutsIn(newFolder(), { credentials: join(home, 'none') }).fetch(ofSource)).toBe(second);
    await checkouts.at(served, second, () => {
      const texts = readdirSync(home, { recursive: true, encoding: 'utf8', withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
      expect(texts.filter((text) => text.includes('4711'))).toEqual([]);
      return Promise.resolve();
    });
  });

  test('of a host that does not answer are not waited for, and a full disk is said to be full', async () => {
    const words = join(newFolder(), 'words');
    const [ssh, gitProgram] = [newFolder(), newFolder()];
    writeFileSync(join(ssh, 'ssh'), `#!/bin/sh\necho "$*" >> '${words}'\nexit 255\n`);
    writeFileSync(
      join(gitProgram, 'git'),
      `#!/bin/sh\necho 'fatal: write error: No space left on device' >&2\nexit 128\n`,
    );
    for (const program of [join(ssh, 'ssh'), join(gitProgram, 'git')]) chmodSync(program, 0o755);
    const path = process.env['PATH'];
    vi.stubEnv('PATH', `${ssh}${delimiter}${path}`);
    const source = { id: 'shop', url: 'git@git.example.com:shop.git', ref: 'refs/heads/main' };
    await refusal(checkoutsIn(newFolder()).fetch(source));
    const said = readFileSync(words, 'utf8');
    for (const option of ['ConnectTimeout=', 'ServerAliveInterval=']) expect(said).toContain(option);
    vi.stubEnv('PATH', `${gitProgram}${delimiter}${path}`);
    const folder = newFolder();
    const error = await checkoutsIn(folder)
      .fetch(source)
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Stop);
    expect(problemText(error)).toContain(`-> Free space on the disk of ${folder}`);
  });

  test('are of the host, and a server that refuses them cannot have them removed or shown', async () => {
    const password = 'p@ss/word-4711';
    const basic = Buffer.from(`ada:${password}`).toString('base64');
    const { host, url, requests } = await serve(() => ({ status: 401, body: `you sent ${basic}` }));
    const file = join(newFolder(), 'the credentials');
    const text = `https://other:no@example.test\nhttp://ada:${encodeURIComponent(password)}@${host}\n`;
    writeFileSync(file, text);
    const words = join(newFolder(), 'words');
    const program = join(newFolder(), 'git');
    writeFileSync(program, `#!/bin/sh\necho "$*" >> '${words}'\nPATH='${process.env['PATH']}' exec git "$@"\n`);
    chmodSync(program, 0o755);
    vi.stubEnv('PATH', `${dirname(program)}${delimiter}${process.env['PATH']}`);
    const folder = newFolder();
    const said = await refusal(
      checkoutsIn(folder, { credentials: file }).fetch({ id: 'shop', url, ref: 'refs/heads/main' }),
    );
    expect(requests.map(({ authorization }) => authorization)).toEqual([undefined, `Basic ${basic}`]);
    expect(said).toContain('git says: fatal: Authentication failed');
    for (const part of [password, encodeURIComponent(password), basic]) expect(said).not.toContain(part);
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(readdirSync(folder)).toEqual([]);
    expect(readFileSync(words, 'utf8')).toContain('ls-remote');
    expect(readFileSync(words, 'utf8')).not.toContain('4711');
  });

  test('are sent to no other host', async () => {
    const other = await serve(() => ({ status: 401, body: '' }));
    const { url } = await serve(() => ({ status: 302, body: '', location: `${other.url}/info/refs` }));
    const file = join(newFolder(), 'credentials');
    writeFileSync(file, `http://ada:password-4711@${other.host}\n`);
    const source = { id: 'shop', url, ref: 'refs/heads/main' };
    expect(await refusal(checkoutsIn(newFolder(), { credentials: file }).fetch(source))).toContain('302');
    expect(other.requests).toEqual([]);
  });
});
