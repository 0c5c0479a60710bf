import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/server.ts';
import { localStore } from '../../src/state/backends/local.ts';
import { finish, project, start, trueup } from '../cli/process.ts';
import { stopOf } from './conformance.ts';

/** Runs of the real program that share a state, against a platform that counts their requests. */

const env = { TRUEUP_API_KEY: 'right-key' };
const servers: { close(): Promise<void> }[] = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));

async function platform(latencyMs: number) {
  const emulator = createEmulator({ apiKey: env.TRUEUP_API_KEY });
  const server = await serve(emulator, { latencyMs });
  servers.push(server);
  const writes = () => emulator.log.filter(({ method }) => method === 'POST');
  return { url: server.url, writes };
}

const services = ['a', 'b', 'c', 'd', 'e', 'f'];
const manifest = (url: string) => `trueup: 1
platform: { url: "${url}" }
project: prj_1
environments:
  production:
    redis:
${services.map((name) => `      ${name}: { dockerImage: "redis:8", databasePassword: password-1, deploy: never }`).join('\n')}
`;

const until = async (isSo: () => boolean) => {
  while (!isSo()) await new Promise((done) => void setTimeout(done, 10));
};

describe('8 processes with one state', () => {
  it('let one write, and the other seven end at once with who that is', async () => {
    const { url, writes } = await platform(400);
    const folder = project(manifest(url));
    const args = ['apply', '--auto-approve', '--adopt', '-C', folder];
    const began = performance.now();
    const runs = Array.from({ length: 8 }, async () => {
      const run = await trueup(args, { env });
      return { ...run, took: performance.now() - began };
    });
    const ended = await Promise.all(runs);
    const writers = ended.filter(({ out }) => out.includes('6 created'));
    expect(writers.map(({ code }) => code)).toEqual([0]);
    const [writer] = writers;
    // One that was started late may find that everything is done.
    const others = ended.filter((run) => run !== writer && !run.out.includes('No changes.'));
    expect(others.length).toBeGreaterThan(4);
    for (const { code, err, took } of others) {
      expect(code).toBe(5);
      expect(err).toMatch(
        /^error\[locked\]\nthe state .+ is locked by .+ pid \d+, which runs apply since .+, and expires in \d+ s/,
      );
      expect(took).toBeLessThan((writer?.took ?? 0) - 500);
    }
    expect(writes().filter(({ operation }) => operation === 'redis.create')).toHaveLength(services.length);
    const again = await trueup(args, { env });
    expect(again.out).toContain('No changes.');
  }, 60_000);

  it('let one after the other write, when they wait for one another', async () => {
    const { url, writes } = await platform(20);
    const folder = project(manifest(url));
    const args = ['apply', '--auto-approve', '--adopt', '--lock-timeout', '60', '-C', folder];
    const ended = await Promise.all(Array.from({ length: 8 }, () => trueup(args, { env })));
    expect(ended.map(({ code }) => code)).toEqual(Array.from({ length: 8 }, () => 0));
    expect(writes().filter(({ operation }) => operation === 'redis.create')).toHaveLength(services.length);
  }, 90_000);
});

describe('a run that has the lock', () => {
  it('and is killed leaves it free at once, and the next one knows and goes on', async () => {
    const { url, writes } = await platform(150);
    const folder = project(manifest(url));
    const child = start(['apply', '--auto-approve', '--adopt', '-C', folder], { env });
    await until(() => writes().some(({ operation }) => operation === 'redis.create'));
    child.kill('SIGKILL');
    await finish(child);
    const began = performance.now();
    const store = localStore(join(folder, '.trueup'));
    const lease = await store.lock({ purpose: 'test' });
    expect(performance.now() - began).toBeLessThan(1_000);
    expect(lease.inherited).toMatchObject({
      owner: expect.stringMatching(`pid ${child.pid ?? 0}$`) as string,
      purpose: 'apply',
    });
    await store.close();
    expect(readFileSync(join(folder, '.trueup/state.journal'), 'utf8').split('\n').length).toBeGreaterThan(1);
  }, 60_000);

  it('and is interrupted gives it back', async () => {
    const { url, writes } = await platform(150);
    const folder = project(manifest(url));
    const child = start(['apply', '--auto-approve', '--adopt', '-C', folder], { env });
    await until(() => writes().some(({ operation }) => operation === 'redis.create'));
    child.kill('SIGINT');
    await finish(child);
    const store = localStore(join(folder, '.trueup'));
    expect((await store.lock({ purpose: 'test' })).inherited).toBeUndefined();
    await store.close();
    expect(existsSync(join(folder, '.trueup/state.journal'))).toBe(false);
  }, 60_000);
});

describe('a run whose state cannot be written at the end', () => {
  it.each([['text'], ['json']])(
    'tells what was done and why that is, as %s, and the next one goes on',
    async (format) => {
      const { url, writes } = await platform(100);
      const folder = project(manifest(url));
      const args = ['apply', '--auto-approve', '--adopt', '-C', folder];
      const child = start([...args, '--format', format], { env });
      await until(() => writes().some(({ operation }) => operation === 'redis.create'));
      mkdirSync(join(folder, '.trueup/state.json')); // nothing can take its place
      const { code, out, err } = await finish(child);
      expect([code, out, err]).toEqual([7, expect.stringMatching('redis'), expect.anything()]);
      const last = out.trim().split('\n').at(-1) ?? '';
      if (format === 'text') {
        expect(out).toContain('6 created');
        expect(err).toMatch(/state\.json cannot be written.+\n.*-> Make room, or mend the disk, and run again/);
      } else {
        const { ending, exitCode, diagnostics } = JSON.parse(last) as Record<string, unknown>;
        expect({ ending, exitCode }).toEqual({ ending: 'partly', exitCode: 7 });
        expect(diagnostics).toContainEqual(expect.objectContaining({ code: 'state-unusable' }));
      }
      rmdirSync(join(folder, '.trueup/state.json'));
      expect((await trueup(args, { env })).code).toBe(0);
      expect((await trueup(['plan', '--detailed-exitcode', '-C', folder], { env })).code).toBe(0);
      expect(writes().filter(({ operation }) => operation === 'redis.create')).toHaveLength(services.length);
    },
    60_000,
  );
});

describe('a process that is stopped for longer than its lock lasts, and goes on', () => {
  it.each([
    ['nobody else came', false],
    ['somebody else has the lock', true],
  ])(
    'starts no request when %s',
    async (_title, isTaken) => {
      const lastsMs = 1_500;
      const { url, writes } = await platform(30);
      const folder = project({});
      const tsx = resolve(import.meta.dirname, '../../node_modules/tsx/dist/esm/index.mjs');
      const program = fileURLToPath(new URL('stopped-writer.ts', import.meta.url));
      const child = spawn(process.execPath, ['--import', tsx, program, folder, url, String(lastsMs)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let out = '';
      child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
      const ended = new Promise((done) => child.on('close', done));
      // It lives longer than one lease: it renews it.
      await until(() => out !== '');
      await new Promise((done) => void setTimeout(done, 2 * lastsMs));
      expect(writes().length).toBeGreaterThan(50);
      child.kill('SIGSTOP');
      const early = await stopOf(localStore(folder).lock({ purpose: 'apply' }));
      expect(early.failure).toBe('locked');
      // What was on its way lands; then the lease runs out.
      await new Promise((done) => void setTimeout(done, lastsMs + 300));
      const other = localStore(folder);
      if (isTaken) await other.lock({ purpose: 'apply' });
      const before = writes().length;
      child.kill('SIGCONT');
      await ended;
      expect(writes().length - before).toBe(0);
      expect(JSON.parse(out.trim().split('\n').at(-1) ?? '')).toMatchObject({
        refused: expect.any(Number) as number,
        saving: 'locked',
      });
      await other.close();
    },
    60_000,
  );
});
