import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { addRow, seedWorld } from '../../src/emulator/world.ts';
import type { Finished } from '../cli/process.ts';
import { trueup, trueupProcess } from '../cli/process.ts';
import { secretOf, serveS3 } from '../support/s3-server.ts';
import type { HostileManifest, Hosts } from './hostile-manifests.ts';
import { hostileManifests } from './hostile-manifests.ts';
import { keyText } from '../support/state-key.ts';
import { isAll, isSampled } from '../support/whole.ts';

/**
 * A pipeline checks the pull request of an attacker with the credentials of the project: it plans, validates and reads.
 * No secret may get into an output, a file or a request to another host, and no command to the runner into an output.
 */

/** Secrets of the run and of the checkout; each has a text of its own. */
const canary = (name: string): string => `${name}-cAnArY-${Buffer.from(name).toString('hex').slice(0, 8)}-q7Zp`;
const inEnvironment = {
  TRUEUP_API_KEY: canary('api'),
  TRUEUP_SECRET_DB: canary('db'),
  TRUEUP_SECRET_UNUSED: canary('unused'),
  TRUEUP_AGE_IDENTITY: canary('age'),
  TRUEUP_STATE_KEY: keyText,
  GITHUB_TOKEN: canary('github'),
  CI_JOB_TOKEN: canary('job'),
  ACTIONS_ID_TOKEN_REQUEST_TOKEN: canary('actions'),
  NPM_TOKEN: canary('npm'),
  AWS_ACCESS_KEY_ID: canary('aws'),
  AWS_SECRET_ACCESS_KEY: secretOf(canary('aws')),
  AWS_SESSION_TOKEN: canary('session'),
  DATABASE_URL: `postgres://app:${canary('url')}@db.example.test/app`,
};
const inFiles = {
  '.env': `PASSWORD=${canary('dotenv')}\n`,
  '.npmrc': `//packages.example.test/:_authToken=${canary('npmrc')}\n`,
  '.trueup/key': canary('key'),
  'deploy/id_ed25519': `-----BEGIN OPENSSH PRIVATE KEY-----\n${canary('ssh')}\n`,
  'server.pem': `-----BEGIN PRIVATE KEY-----\n${canary('pem')}\n`,
  'ignored.txt': `[${canary('ignored')}\n`,
  'untracked.txt': canary('untracked'),
};
const token = canary('checkout');
const outside = canary('outside');
const foreign = canary('foreign');
const canaries = [
  ...Object.values(inEnvironment).map((value) => /:([^:@]+)@/.exec(value)?.[1] ?? value),
  ...Object.values(inFiles).map((text) => /\S*-cAnArY-\w+-\w+/.exec(text)?.[0].replace(/^.*[=[]/, '') ?? text),
  token,
  canary('database'),
  outside,
  foreign,
];

/** Whether a text holds a canary, or enough of one: in clear, in another case, in hex or in base64 of any alignment. */
function canariesIn(text: string): string[] {
  const lower = text.toLowerCase();
  return canaries.filter((value) => {
    const part = value.slice(0, -4).toLowerCase();
    const encoded = [0, 1, 2].map((skipped) => Buffer.from(value.slice(skipped)).toString('base64').slice(0, 12));
    const hex = Buffer.from(value).toString('hex').slice(0, 24);
    return lower.includes(part) || lower.includes(hex) || encoded.some((form) => text.includes(form));
  });
}

/** Commands to a runner, and characters that a terminal interprets or does not show. */
const commands = /##\[|##vso\[|^\s*::[\w-]+[^\n]*::/m;
const unprintable =
  // eslint-disable-next-line no-control-regex, no-misleading-character-class -- they are what this is about
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u061C\u115F\u180E\u200B-\u200F\u2028-\u202E\u2060-\u206F\u3164\uFE0F\uFEFF\uFFF9-\uFFFB]|\uDB40/;

/** A listener of the attacker: it takes every connection, asks for more, and keeps what comes. */
async function listen(greeting: string): Promise<{ url: string; received: () => string; close: () => void }> {
  const chunks: string[] = [];
  const server = createServer((socket) => {
    chunks.push('connected ');
    socket.on('data', (data) => {
      chunks.push(data.toString('latin1'));
      socket.end(greeting);
    });
    socket.on('error', () => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: () => chunks.join(''),
    close: () => void server.close(),
  };
}

/** What a PostgreSQL that has no TLS says, and then asks for the password in clear. */
const askForPassword = 'NR\0\0\0\x08\0\0\0\x03';
const emptyObject = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-type: application/json\r\n\r\n{}';
const apiKey = inEnvironment.TRUEUP_API_KEY;

/** A platform with two projects, of which the attacker's repository declares one. */
function platformWithTwoProjects() {
  const world = seedWorld();
  const createdAt = '2025-01-01T00:00:00.000Z';
  addRow(world, 'project', { projectId: 'prj_2', name: foreign, organizationId: 'org_1', createdAt });
  const place = { environmentId: 'env_prj_2', name: 'production', projectId: 'prj_2', isDefault: true, createdAt };
  addRow(world, 'environment', { ...place, description: foreign });
  const login = { databaseName: foreign, databaseUser: foreign, databasePassword: foreign };
  addRow(world, 'postgres', {
    ...login,
    postgresId: 'pg_foreign',
    name: foreign,
    appName: foreign,
    environmentId: 'env_prj_2',
    description: foreign,
    dockerImage: 'postgres:17',
    command: foreign,
    createdAt,
  });
  return createEmulator({ profile: 'standard', world, apiKey });
}

/** The checkout of the pipeline without the manifest: the files of the project, and what the runner left in it. */
function checkout(): string {
  const folder = join(mkdtempSync(join(tmpdir(), 'trueup-hostile-')), 'repository');
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  for (const [name, text] of Object.entries(inFiles)) write(name, text);
  write('sub/notes.txt', 'notes');
  write('.gitignore', '.trueup/\n.env\nignored.txt\n');
  write('../outside.txt', outside);
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: folder, stdio: 'ignore' });
  git('init', '-q', '--template=');
  git('add', 'sub', '.gitignore');
  // A monitor of the files would be a program of the attacker.
  const monitor = `[core]\n\tfsmonitor = "touch ${join(folder, '../ran')}; true"\n`;
  writeFileSync(
    join(folder, '.git/config'),
    `[core]\n\trepositoryformatversion = 0\n[http]\n\textraheader = AUTHORIZATION: ${token}\ntoken=${token}\n${monitor}`,
  );
  return folder;
}

describe('a hostile repository', () => {
  const emulator = platformWithTwoProjects();
  const closing: (() => unknown)[] = [];
  let hosts: Hosts;
  let received: () => string;
  let stateUrl: string;
  /** The hosts that the pipeline names. */
  let pinned: readonly string[];
  let template: string;
  /** The checkouts of the table, in its order. */
  let folders: readonly string[];
  const connections: string[] = [];

  beforeAll(async () => {
    const platform = await serve(emulator);
    const store = await serveS3(['states']);
    const [fake, fakeStore] = [await listen(emptyObject), await listen(emptyObject)];
    const fakeDatabase = await listen(askForPassword);
    closing.push(
      () => platform.close(),
      () => store.close(),
      fake.close,
      fakeStore.close,
      fakeDatabase.close,
    );
    stateUrl = `s3://states/shop?endpoint=${store.url}`;
    pinned = [platform.url, store.url].map((url) => new URL(url).host);
    hosts = {
      platform: platform.url,
      attacker: {
        platform: fake.url,
        s3: fakeStore.url,
        postgres: fakeDatabase.url.replace('http://', `postgres://trueup:${canary('database')}@`),
      },
      foreignId: 'pg_foreign',
    };
    received = () => fake.received() + fakeStore.received() + fakeDatabase.received();
    template = checkout();
    folders = placeAll(hostileManifests(hosts));
    const connect = Reflect.get(Socket.prototype, 'connect') as (...args: unknown[]) => Socket;
    vi.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket, ...args: unknown[]) {
      connections.push(hostOf(args));
      return Reflect.apply(connect, this, args);
    });
  });
  afterAll(async () => {
    vi.restoreAllMocks();
    for (const close of closing) await close();
  });

  /** Writes manifests, each into a checkout of its own, and adds their files to the index of git: one program does so for all. */
  function placeAll(manifests: readonly HostileManifest[]): readonly string[] {
    const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
    const placed = manifests.map((manifest) => ({ folder: place(manifest), names: Object.keys(filesOf(manifest)) }));
    const lines = placed.map(
      ({ folder, names }) =>
        `cd ${quoted(folder)}; git -c core.fsmonitor=false add -f -- ${names.map(quoted).join(' ')}\n`,
    );
    execFileSync('sh', ['-e'], { input: lines.join(''), stdio: ['pipe', 'ignore', 'ignore'] });
    return placed.map(({ folder }) => folder);
  }

  const filesOf = ({ files }: Pick<HostileManifest, 'files'>) =>
    typeof files === 'string' ? { 'trueup.yaml': files } : files;

  function place({ files, head }: HostileManifest): string {
    const folder = join(mkdtempSync(join(tmpdir(), 'trueup-hostile-')), 'repository');
    cpSync(dirname(template), dirname(folder), { recursive: true, verbatimSymlinks: true });
    for (const [name, content] of Object.entries(filesOf({ files }))) {
      const path = join(folder, name);
      mkdirSync(dirname(path), { recursive: true });
      if (typeof content !== 'string') symlinkSync(content.link, path);
      else if (name !== 'trueup.yaml') writeFileSync(path, content);
      else
        writeFileSync(
          path,
          `${head ?? `trueup: 1\nplatform: { url: "${hosts.platform}" }\nproject: prj_1\n`}${content}`,
        );
    }
    return folder;
  }

  const environmentOf = ({ env }: HostileManifest) => ({
    CI: 'true',
    TRUEUP_URL: hosts.platform,
    TRUEUP_STATE_URL: stateUrl,
    ...inEnvironment,
    ...env,
  });

  const commandLines = [
    ['plan'],
    ['plan', '--format', 'json'],
    ['validate'],
    ['status'],
    ['output'],
    ['complete', '--', 'import', ''],
    ['complete', '--', 'output', ''],
    ['complete', '--', 'state', 'show', ''],
    ['complete', '--', 'status', ''],
  ];

  /** What is large takes seconds each time: it is planned, checked and completed once, unless everything is tried. */
  const forLarge = isAll ? commandLines : commandLines.filter((words) => /json|validate|import/.test(words.join(' ')));

  /** Each is planned; the other commands take turns. */
  const forOne = (index: number) =>
    commandLines.filter((words, at) => words.includes('json') || isSampled(index, at, 6));

  function check(folder: string, { args, code, out, err }: Finished & { args: readonly string[] }): void {
    const words = args.join(' ');
    expect([words, canariesIn(out + err)]).toEqual([words, []]);
    expect([words, commands.exec(out + err)?.[0], unprintable.exec(out + err)?.[0]]).toEqual([
      words,
      undefined,
      undefined,
    ]);
    expect([words, /defect of Trueup/.test(err + out), code]).toEqual([words, false, expect.any(Number)]);
    if (args.includes('json')) expect(() => JSON.parse(out) as unknown).not.toThrow();
    expect(existsSync(join(template, '../ran'))).toBe(false);
    expect(existsSync(join(folder, 'ran'))).toBe(false);
    // A shell takes each line for a word to offer.
    if (args[0] === 'complete') expect(out.split('\n').filter((line) => line.startsWith('-'))).toEqual([]);
  }

  const titles = hostileManifests({ platform: '', attacker: { platform: '', s3: '', postgres: '' }, foreignId: '' });

  test('has 140 intents', () => {
    expect(titles.length).toBeGreaterThanOrEqual(140);
    expect(canaries.length).toBeGreaterThan(20);
    expect(new Set(canaries).size).toBe(canaries.length);
  });

  test.each(titles.map(({ intent }, index) => [`${index + 1}. ${intent}`, index] as const))('%s', async (_, index) => {
    const manifest = hostileManifests(hosts)[index];
    const folder = folders[index];
    if (manifest === undefined || folder === undefined) throw new Error('the table changed');
    const before = contents(folder);
    const requests = emulator.log.length;
    connections.length = 0;
    const heard = received().length;
    let ends = '';
    const isLarge = [...before.values()].some((text) => text.length > 100_000);
    for (const args of isLarge ? forLarge : forOne(index)) {
      const finished = await trueup(args, { cwd: folder, env: environmentOf(manifest) });
      check(folder, { ...finished, args });
      if (!args.includes('json')) continue;
      ends = endOf(finished);
      // Not that of another run: what shows does not depend on what this one knows.
      if (manifest.shows !== undefined) expect(finished.out).toContain(manifest.shows);
    }
    expect(ends).toBe(manifest.ends);
    expect(received().slice(heard)).toBe('');
    expect(connections.filter((host) => !pinned.includes(host))).toEqual([]);
    const sent = emulator.log.slice(requests);
    expect(sent.filter(({ method }) => method !== 'GET')).toEqual([]);
    expect(canariesIn(JSON.stringify(sent))).toEqual([]);
    const after = contents(folder);
    const changed = [...after].filter(([path, text]) => before.get(path) !== text);
    expect(changed.flatMap(([path, text]) => canariesIn(text).map((value) => `${path}: ${value}`))).toEqual([]);
  });

  test.each([
    'print the token that a checkout leaves',
    'send the API key to another platform',
    'have the emulator read a file',
  ])('also in a process of its own: %s', async (intent) => {
    const manifest = hostileManifests(hosts).find((item) => item.intent === intent);
    if (manifest === undefined) throw new Error('the table changed');
    const [folder = ''] = placeAll([manifest]);
    const heard = received().length;
    const finished = await trueupProcess(['plan'], { cwd: folder, env: environmentOf(manifest) });
    check(folder, { ...finished, args: ['plan'] });
    expect(received().slice(heard)).toBe('');
  });
});

/** What a plan in JSON came to: `planned`, or the code of its first error. */
function endOf({ out }: Finished): string {
  const { diagnostics = [], command } = JSON.parse(out) as {
    readonly command?: string;
    readonly diagnostics?: readonly { readonly code: string; readonly severity: string }[];
  };
  const error = diagnostics.find(({ severity }) => severity === 'error');
  return error?.code ?? (command === undefined ? 'planned' : command);
}

/** The host that a socket connects to, with its port. */
function hostOf(args: readonly unknown[]): string {
  const [first] = args.flat() as readonly unknown[];
  if (typeof first !== 'object' || first === null) return String(first);
  const { host = 'localhost', port, path } = first as { host?: string; port?: number | string; path?: string };
  return path ?? `${host}:${port}`;
}

/** The texts of the files below a folder, and beside it. */
function contents(folder: string): ReadonlyMap<string, string> {
  const root = dirname(folder);
  const names = readdirSync(root, { recursive: true, withFileTypes: true });
  return new Map(
    names.flatMap((entry) => {
      const path = join(entry.parentPath, entry.name);
      return entry.isFile() ? [[path, readFileSync(path, 'latin1')] as const] : [];
    }),
  );
}
