import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Send } from '../../src/api/wire.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { localStore } from '../../src/state/backends/local.ts';
import type { Finished } from '../cli/process.ts';
import { finish, project, start, trueupProcess } from '../cli/process.ts';
import { bundled } from '../support/bundled.ts';
import { stopOf } from '../../src/state/conformance/states.ts';

/** Runs of the real program that share a state, against a platform that counts their requests. */

const env = { TRUEUP_API_KEY: 'right-key' };
const servers: { close(): Promise<void> }[] = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));

/** `gate`: no request is answered before it is open. */
async function platform(latencyMs: number, gate: Promise<unknown> = Promise.resolve()) {
  const emulator = createEmulator({ profile: 'standard', apiKey: env.TRUEUP_API_KEY });
  const behindGate: Send = async (request) => gate.then(async () => emulator.send(request));
  const server = await serve(emulator, { latencyMs, faults: { send: behindGate, deliver: behindGate } });
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
    let open: (() => void) | undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const { url, writes } = await platform(0, gate);
    const folder = project(manifest(url));
    const args = ['apply', '--auto-approve', '--adopt', '-C', folder];
    const ended: Finished[] = [];
    const runs = Array.from({ length: 8 }, async () => {
      ended.push(await trueupProcess(args, { env }));
      // The one that has the lock gets no answer before all others have ended.
      if (ended.length === 7) open?.();
    });
    await Promise.all(runs);
    expect(ended.map(({ code }) => code)).toEqual([5, 5, 5, 5, 5, 5, 5, 0]);
    expect(ended.at(-1)?.out).toContain('6 created');
    for (const { err } of ended.slice(0, 7)) {
      expect(err).toMatch(
        /^error\[locked\]\nthe state .+ is locked by .+ pid \d+, which runs apply since .+, and expires in \d+ s/,
      );
    }
    expect(writes().filter(({ operation }) => operation === 'redis.create')).toHaveLength(services.length);
    const again = await trueupProcess(args, { env });
    expect(again.out).toContain('No changes.');
  });

  it('let one after the other write, when they wait for one another', async () => {
    const { url, writes } = await platform(20);
    const folder = project(manifest(url));
    const args = ['apply', '--auto-approve', '--adopt', '--lock-timeout', '600', '-C', folder];
    const ended = await Promise.all(Array.from({ length: 8 }, () => trueupProcess(args, { env })));
    expect(ended.map(({ code }) => code)).toEqual(Array.from({ length: 8 }, () => 0));
    expect(writes().filter(({ operation }) => operation === 'redis.create')).toHaveLength(services.length);
  });
});

describe('a run that has the lock', () => {
  it('and is killed leaves it free at once, and the next one knows that and continues', async () => {
    const { url, writes } = await platform(150);
    const folder = project(manifest(url));
    const child = start(['apply', '--auto-approve', '--adopt', '-C', folder], { env });
    await until(() => writes().some(({ operation }) => operation === 'redis.create'));
    child.kill('SIGKILL');
    await finish(child);
    const store = localStore(join(folder, '.trueup'));
    const lease = await store.lock({ purpose: 'test' }); // which waits for nothing
    expect(lease.inherited).toMatchObject({
      owner: expect.stringMatching(`pid ${child.pid ?? 0}$`) as string,
      purpose: 'apply',
    });
    await store.close();
    expect(readFileSync(join(folder, '.trueup/state.journal'), 'utf8').split('\n').length).toBeGreaterThan(1);
  });

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
  });
});

describe('a run that cannot write its state at the end', () => {
  it.each([['text'], ['json']])(
    'reports its results and the reason, as %s, and the next one continues',
    async (format) => {
      const { url, writes } = await platform(100);
      const folder = project(manifest(url));
      const args = ['apply', '--auto-approve', '--adopt', '-C', folder];
      const child = start([...args, '--format', format], { env });
      await until(() => writes().some(({ operation }) => operation === 'redis.create'));
      mkdirSync(join(folder, '.trueup/state.json')); // nothing can take its place
      const { code, out, err } = await finish(child);
      expect([code, out, err]).toEqual([6, expect.stringMatching('redis'), expect.anything()]);
      const last = out.trim().split('\n').at(-1) ?? '';
      if (format === 'text') {
        expect(out).toContain('6 created');
        expect(err).toMatch(
          /state\.json cannot be written.+\n.*-> It needs a folder that can be read and written. Then run again/,
        );
      } else {
        const { ending, exitCode, diagnostics } = JSON.parse(last) as Record<string, unknown>;
        expect({ ending, exitCode }).toEqual({ ending: 'partly', exitCode: 6 });
        expect(diagnostics).toContainEqual(expect.objectContaining({ code: 'state-unusable' }));
      }
      rmdirSync(join(folder, '.trueup/state.json'));
      expect((await trueupProcess(args, { env })).code).toBe(0);
      expect((await trueupProcess(['plan', '--detailed-exitcode', '-C', folder], { env })).code).toBe(0);
      expect(writes().filter(({ operation }) => operation === 'redis.create')).toHaveLength(services.length);
    },
  );
});

describe('a process that is stopped for longer than its lock lasts, and continues', () => {
  const lastsMs = 1_500;
  const [writer] = bundled(['test/state/stopped-writer.ts']);

  /** Starts the writer, stops it for longer than its lock lasts, and lets it end. */
  async function stopped(stop: { readonly isTaken: boolean; readonly where?: 'between' }) {
    const { url, writes } = await platform(30);
    const folder = project({});
    const args = [writer, folder, url, String(lastsMs), ...(stop.where === undefined ? [] : [stop.where])];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let out = '';
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    const ended = new Promise((done) => child.on('close', done));
    // It lives longer than one lease: it renews it.
    await until(() => out !== '');
    await new Promise((done) => void setTimeout(done, 2 * lastsMs));
    await until(() => writes().length > 50); // a busy machine writes more slowly
    child.kill(stop.where === undefined ? 'SIGSTOP' : 'SIGUSR2');
    if (stop.where !== undefined) await until(() => isStopped(child.pid));
    const early = await stopOf(localStore(folder).lock({ purpose: 'apply' }));
    expect(early.failure).toBe('locked');
    // What was on its way lands; then the lease runs out.
    await new Promise((done) => void setTimeout(done, lastsMs + 300));
    const other = localStore(folder);
    if (stop.isTaken) await other.lock({ purpose: 'apply' });
    const before = writes().length;
    child.kill('SIGCONT');
    await ended;
    await other.close();
    const end = JSON.parse(out.trim().split('\n').at(-1) ?? '') as {
      readonly refused: number;
      readonly saving: string;
    };
    return { later: writes().length - before, ...end };
  }

  // Only a platform that knows the lock could refuse the one request whose sending had begun.
  it.each([
    ['nobody else came', false],
    ['somebody else has the lock', true],
  ])('starts no request when %s, and sends at most the one that it had begun', async (_title, isTaken) => {
    const { later, ...end } = await stopped({ isTaken });
    expect(later).toBeLessThanOrEqual(1);
    expect(end).toMatchObject({ refused: expect.any(Number) as number, saving: 'locked' });
  });

  it('sends that one, and no other, when it was stopped between the look at its lock and the sending', async () => {
    const { later, ...end } = await stopped({ isTaken: true, where: 'between' });
    expect(later).toBe(1);
    expect(end).toMatchObject({ refused: expect.any(Number) as number, saving: 'locked' });
  });
});

/** Whether a process is stopped: the state in the third field of its line. Linux. */
function isStopped(pid = 0): boolean {
  return / T /.test(readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\)/s, ''));
}
