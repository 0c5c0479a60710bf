import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { finish, project, start, trueup, trueupProcess } from '../cli/process.ts';
import { killedBefore } from '../support/killing.ts';
import { effort } from '../support/whole.ts';

/** An export that is killed: what it leaves harms nobody, and the next one ends it. */

const apiKey = 'right-key-4711';
const open: { close(): Promise<void> }[] = [];
afterAll(() => Promise.all(open.map((server) => server.close())));

const kills = effort({ fast: 3, all: 40 });
const limitMs = 60_000 + kills * 5_000;

test(
  `killed ${kills} times at any moment, it leaves whole files or none, and runs again to an empty plan`,
  async () => {
    const emulator = createEmulator({ profile: 'standard', apiKey });
    for (let at = 0; at < 20; at++) {
      const composeFile = `# ${'long '.repeat(200)}\nservices:\n  web:\n    image: nginx:1.${at}\n`;
      await emulator.act('compose.create', {
        name: `s${at}`,
        environmentId: 'env_prj_1',
        sourceType: 'raw',
        composeFile,
      });
    }
    const server = await serve(emulator);
    open.push(server);
    const env = { TRUEUP_API_KEY: apiKey };
    const args = (folder: string) => [
      'export',
      '-C',
      folder,
      '--url',
      server.url,
      '--project',
      'prj_1',
      '--lock-timeout',
      '30',
    ];
    const whole = mkdtempSync(join(tmpdir(), 'trueup-export-whole-'));
    const began = performance.now();
    expect((await finish(start(args(whole), { env }))).code).toBe(0);
    const tookMs = performance.now() - began;
    for (let kill = 0; kill < kills; kill++) {
      const folder = mkdtempSync(join(tmpdir(), 'trueup-export-killed-'));
      const child = start(args(folder), { env });
      // The files are written at the end.
      const timer = setTimeout(() => child.kill('SIGKILL'), tookMs * (0.6 + (0.5 * kill) / kills));
      await finish(child);
      clearTimeout(timer);
      const left = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.yaml'));
      for (const path of left) {
        expect(readFileSync(join(folder, path), 'utf8')).toBe(readFileSync(join(whole, path), 'utf8'));
      }
      if (existsSync(join(folder, 'trueup.yaml'))) {
        const { include } = parse(readFileSync(join(folder, 'trueup.yaml'), 'utf8')) as { include: string[] };
        expect(include).toEqual(['environments/*.yaml', 'organization.yaml']);
        expect(left).toContain('environments/production.yaml');
      }
      const state = join(folder, '.trueup/state.json');
      if (!existsSync(state)) {
        const again = await trueup(args(folder), { env });
        expect([again.err, again.code]).toEqual(['', 0]);
      }
      const plan = await trueup(['plan', '-C', folder], { env });
      expect(plan.out).toContain('No changes in what was compared.');
    }
    expect(emulator.log.filter(({ method }) => method !== 'GET')).toEqual([]);
  },
  limitMs,
);

/** The files outside of the state; and its key. */
const outside = /^(?!.*\/\.trueup\/)/;
const outsideAndKey = /^(?!.*\/\.trueup\/(?!key|\.gitignore))/;

/** All bytes that git would commit, as text. */
function committed(folder: string): string {
  const git = (...args: string[]) => execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8' });
  if (!existsSync(join(folder, '.git'))) git('init', '--quiet');
  git('add', '--all');
  const paths = git('ls-files', '-z').split('\0');
  return paths
    .filter((path) => path !== '' && !/^\.trueup\/(?!key)/.test(path))
    .map((path) => `${path}\n${readFileSync(join(folder, path), 'utf8')}`)
    .join('\n');
}

/** Ends a command at each of its changes of files, and asserts what is left each time; gives the number of moments. */
async function killedEverywhere({
  every,
  start: begin,
  again,
}: {
  readonly every: number;
  readonly start: () => { folder: string; args: readonly string[]; env: Record<string, string> };
  readonly again: (folder: string) => Promise<void>;
}): Promise<number> {
  for (let moment = 0; ; moment += every) {
    const { folder, args, env } = begin();
    const isExport = args[0] === 'export' || args[0] === 'init';
    const { code } = await trueupProcess(args, {
      env: { ...env, ...killedBefore(moment, folder, isExport ? outsideAndKey : outside) },
    });
    if (code !== null) return moment;
    const when = `killed before change ${moment}`;
    const text = committed(folder);
    expect(text, when).not.toContain('canary');
    if (isExport) expect(text, when).not.toContain('trueup-key-1-');
    await again(folder);
    const left = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    expect(
      left.filter((path) => path.includes('draft') || path.endsWith('.tmp')),
      `after ${moment}`,
    ).toEqual([]);
    expect(committed(folder)).not.toContain('canary');
  }
}

test(
  'killed before any of its changes of files, an export leaves no secret to git, and the next one removes its drafts',
  async () => {
    const emulator = createEmulator({ profile: 'standard', apiKey });
    await emulator.act('postgres.create', {
      name: 'main',
      environmentId: 'env_prj_1',
      databaseName: 'shop',
      databaseUser: 'shop',
      databasePassword: 'canary-4711',
      dockerImage: 'postgres:17',
    });
    const server = await serve(emulator);
    open.push(server);
    const env = { TRUEUP_API_KEY: apiKey };
    const args = (folder: string) => [
      'export',
      '-C',
      folder,
      '--url',
      server.url,
      '--project',
      'prj_1',
      '--lock-timeout',
      '30',
      '--with-secrets',
      join(folder, 'secrets.env'),
      '--force',
    ];
    const moments = await killedEverywhere({
      every: effort({ fast: 12, all: 1 }),
      start: () => {
        const folder = mkdtempSync(join(tmpdir(), 'trueup-export-killed-'));
        return { folder, args: args(folder), env };
      },
      again: async (folder) => {
        const ran = await trueup(args(folder), { env });
        expect([ran.err, ran.code]).toEqual(['', 0]);
        expect((await trueup(['plan', '-C', folder], { env })).out).toContain(
          'No changes. The platform matches the manifest.',
        );
      },
    });
    expect(moments).toBeGreaterThan(10);
  },
  limitMs * 3,
);

test(
  'killed before any of its changes of files, an export beside a manifest runs again into the same file',
  async () => {
    const emulator = createEmulator({ profile: 'standard', apiKey });
    for (const name of ['web', 'more']) await emulator.act('application.create', { name, environmentId: 'env_prj_1' });
    const server = await serve(emulator);
    open.push(server);
    const env = { TRUEUP_API_KEY: apiKey };
    const manifest = `trueup: 1\nplatform: { url: "${server.url}" }\nproject: prj_1\nenvironments: { production: {} }\n`;
    const moments = await killedEverywhere({
      every: effort({ fast: 12, all: 1 }),
      start: () => {
        const folder = project(manifest);
        return { folder, args: ['export', '-C', folder, '--unmanaged', '--lock-timeout', '30'], env };
      },
      again: async (folder) => {
        const ran = await trueup(['export', '-C', folder, '--unmanaged', '--lock-timeout', '30'], { env });
        expect([ran.err, ran.code]).toEqual(['', 0]);
        const yaml = readdirSync(folder).filter((path) => path.endsWith('.yaml'));
        expect(yaml).toEqual(['trueup.yaml', 'unmanaged.yaml']);
      },
    });
    expect(moments).toBeGreaterThan(5);
  },
  limitMs * 3,
);

test(
  'killed before any of its changes of files, init leaves no key to git',
  async () => {
    const emulator = createEmulator({ profile: 'standard', apiKey });
    const server = await serve(emulator);
    open.push(server);
    const env = { TRUEUP_API_KEY: apiKey };
    const options = (folder: string) => ['-C', folder, '--url', server.url, '--project', 'prj_1'];
    const moments = await killedEverywhere({
      every: effort({ fast: 12, all: 1 }),
      start: () => {
        const folder = mkdtempSync(join(tmpdir(), 'trueup-init-killed-'));
        return { folder, args: ['init', '--yes', ...options(folder), '--lock-timeout', '30'], env };
      },
      again: async (folder) => {
        const hasManifest = existsSync(join(folder, 'trueup.yaml'));
        const isDone = existsSync(join(folder, '.trueup/state.json'));
        const first = hasManifest ? ['export', ...options(folder)] : ['init', '--yes', ...options(folder)];
        const args = isDone ? ['export', '--unmanaged', '-C', folder] : first;
        const ran = await trueup([...args, '--lock-timeout', '30'], { env });
        expect([ran.err, ran.code]).toEqual(['', 0]);
        expect((await trueup(['plan', '-C', folder], { env })).out).toContain('No changes in what was compared.');
      },
    });
    expect(moments).toBeGreaterThan(5);
  },
  limitMs * 3,
);

test(
  'killed before any of its changes of files, an export of one address is completed by the same command',
  async () => {
    const emulator = createEmulator({ profile: 'standard', apiKey });
    await emulator.act('postgres.create', {
      name: 'main',
      environmentId: 'env_prj_1',
      databaseName: 'shop',
      databaseUser: 'shop',
      databasePassword: 'canary-4711',
      dockerImage: 'postgres:17',
    });
    const server = await serve(emulator);
    open.push(server);
    const env = { TRUEUP_API_KEY: apiKey };
    const manifest = `trueup: 1\nplatform: { url: "${server.url}" }\nproject: prj_1\ninclude: [environments/*.yaml]\n`;
    const args = (folder: string) => [
      'export',
      '-C',
      folder,
      '--address',
      'production.postgres.main',
      '--with-secrets',
      join(folder, 'secrets.env'),
      '--lock-timeout',
      '30',
    ];
    const moments = await killedEverywhere({
      every: effort({ fast: 12, all: 1 }),
      start: () => {
        const folder = project({
          'trueup.yaml': manifest,
          'environments/production.yaml': 'environments:\n  production:\n    description: Production environment\n',
        });
        return { folder, args: args(folder), env };
      },
      again: async (folder) => {
        const isDone = existsSync(join(folder, '.trueup/state.json'));
        const ran = await trueup(args(folder), { env });
        if (!isDone) expect([ran.err, ran.code]).toEqual(['', 0]);
        const text = readFileSync(join(folder, 'environments/production.yaml'), 'utf8');
        expect(text.split('main:')).toHaveLength(2);
        expect(readdirSync(folder)).toContain('secrets.env');
        const { resources } = JSON.parse(readFileSync(join(folder, '.trueup/state.json'), 'utf8')) as {
          resources: object;
        };
        expect(Object.keys(resources)).toContain('production.postgres.main');
      },
    });
    expect(moments).toBeGreaterThan(5);
  },
  limitMs * 3,
);

test(
  'killed before any of its changes of files, fmt and plan --out leave whole files, and the next run removes their drafts',
  async () => {
    const emulator = createEmulator({ profile: 'standard', apiKey });
    const server = await serve(emulator);
    open.push(server);
    const env = { TRUEUP_API_KEY: apiKey };
    const manifest = `trueup: 1\nplatform: { url: "${server.url}" }\nproject:   prj_1\nenvironments: { production: { description:   Live. } }\n`;
    const commands = [
      (folder: string) => ['fmt', '-C', folder],
      (folder: string) => ['plan', '-C', folder, '--out', join(folder, 'reviewed.plan')],
    ];
    for (const args of commands) {
      const moments = await killedEverywhere({
        every: 1,
        start: () => {
          const folder = project(manifest);
          return { folder, args: args(folder), env };
        },
        again: async (folder) => {
          const ran = await trueup(args(folder), { env });
          expect(ran.code).toBeLessThan(3);
        },
      });
      expect(moments).toBeGreaterThan(3);
    }
  },
  limitMs * 3,
);
