import { chmodSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Forge } from '../../src/ci/forge-of-job.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { program, trueup } from '../cli/process.ts';
import { forgeToken, serveForge } from '../support/fake-forge.ts';
import { commitAll, hostRepository } from '../support/hosted-repository.ts';
import type { Event, Hosted } from '../support/pipelines.ts';
import { runPipeline } from '../support/pipelines.ts';
import { secretOf, serveS3 } from '../support/s3-server.ts';
import { keyText } from '../support/state-key.ts';
import { serveProgram } from '../support/warm-program.ts';
import { effort, isAll } from '../support/whole.ts';

/** The life of previews by the pipeline files: requests that fail, jobs that are killed, and jobs that come late. */

const apiKey = 'api-key-canary-30pr';
/** Pull requests. */
const count = effort({ fast: 3, all: 30 });

const shop = `project: prj_1
variables: { suffix: {}, tag: { type: text } }
application:
  web: { source: { type: docker, image: 'nginx:\${var:tag}' }, domains: { main: { host: 'web\${var:suffix}' } } }
redis: { cache: { dockerImage: redis:8, databasePassword: correct-horse-4711 } }
outputs: { web: 'https://web\${var:suffix}' }
`;

type Step = Omit<Extract<Event, { is: 'pull request' }>, 'is' | 'number' | 'branch'>;

describe('previews of pull requests', () => {
  const emulator = createEmulator({ profile: 'standard', apiKey });
  const repository = hostRepository();
  const { bare, clone } = repository;
  const closing: (() => Promise<unknown>)[] = [];
  const beside = mkdtempSync(join(tmpdir(), 'trueup-node-'));
  const hosts = new Map<Forge['name'], Hosted>();
  const heads: string[] = [];
  let settings: Record<string, string> = {};
  /** What runs the other jobs, which need not be processes. */
  let inside: Pick<Hosted, 'node'> = {};
  let [sent, kills, killAt, everyTenth]: [number, number, number | undefined, boolean] = [0, 0, undefined, false];

  /** Kills the job that runs, with the program that it started: its next write never comes. */
  function killJob(): void {
    const pid = readFileSync(join(beside, 'pid'), 'utf8').trim();
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
    for (const one of [...children, pid]) process.kill(Number(one), 'SIGKILL');
  }

  beforeAll(async () => {
    writeFileSync(join(beside, 'node'), `#!/bin/sh\necho $$ > ${beside}/pid\nexec ${process.execPath} "$@"\n`);
    chmodSync(join(beside, 'node'), 0o755);
    const store = await serveS3(['states']);
    const warm = await serveProgram();
    if (!isAll) inside = { node: warm.node };
    const deliver: typeof emulator.send = async (request) => {
      const isWrite = request.method === 'POST';
      if (isWrite && killAt !== undefined && --killAt === 0) {
        killAt = undefined;
        kills++;
        killJob();
        return { status: 500, headers: {}, body: '' };
      }
      if (!everyTenth || ++sent % 10 !== 0) return emulator.send(request);
      const failed = { status: 503, headers: { 'content-type': 'application/json' }, body: '{"message":"busy"}' };
      // Of the writes that fail, every second one was carried out.
      if (isWrite && sent % 20 === 0) await emulator.send(request);
      return isWrite && sent % 20 !== 0
        ? { ...failed, status: 429, headers: { ...failed.headers, 'retry-after': '0' } }
        : failed;
    };
    const platform = await serve(emulator, { faults: { send: deliver, deliver } });
    closing.push(...[store, platform, warm].map((one) => () => one.close()));
    settings = {
      TRUEUP_URL: platform.url,
      TRUEUP_STATE_URL: `s3://states/previews?endpoint=${store.url}`,
      TRUEUP_API_KEY: apiKey,
      TRUEUP_STATE_KEY: keyText,
      AWS_ACCESS_KEY_ID: 'ci',
      AWS_SECRET_ACCESS_KEY: secretOf('ci'),
    };
    const named = Object.entries(settings).map(([key, value]) => [
      key.startsWith('AWS_') ? `PREVIEW_${key}` : key.replace('TRUEUP_', 'TRUEUP_PREVIEW_'),
      value,
    ]);
    for (const name of ['github', 'gitlab', 'gitea'] as const) {
      const forge = await serveForge(name);
      closing.push(() => forge.close());
      const all = { ...settings, ...Object.fromEntries(named), TRUEUP_FORGE_TOKEN: forgeToken };
      const node = join(beside, 'node');
      const more = ' --in-flight-timeout 1';
      hosts.set(name, { name, forge, bare, files: '-previews', settings: { '': all }, program: program(), node, more });
    }
    mkdirSync(join(clone, 'infra'));
    const root = (environment: string, rest: string) =>
      `trueup: 1\nplatform: { url: "${platform.url}" }\nenvironment: ${environment}\ninclude: [shop.yaml]\n${rest}`;
    const files = {
      'shop.yaml': shop,
      'staging.yaml': root('staging', 'variables: { suffix: .staging.example.com, tag: "1" }\n'),
      'production.yaml': root('production', 'variables: { suffix: .example.com, tag: "1" }\n'),
      'preview.yaml': root('pr', 'preview: {}\nvariables: { suffix: "-pr-${preview:id}.example.com" }\n'),
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(clone, 'infra', name), text);
    commitAll(repository, 'Begin');
    heads.push(...[0, 1].map((at) => commitAll(repository, `Change ${at}`, 'feature')));
  });

  afterAll(() => Promise.all(closing.map((close) => close())));

  async function stage(name: string, command: string): Promise<string> {
    const env = { ...settings, TRUEUP_STATE_URL: (settings['TRUEUP_STATE_URL'] ?? '').replace('previews', name) };
    const args = ['-C', join(clone, 'infra'), '-f', `${name}.yaml`, ...command.split(' ')];
    const { code, out, err } = await trueup(args, { env });
    expect([code, err]).toEqual([0, expect.any(String)]);
    return out;
  }

  /** `isProcess`: the job is killed, or runs beside another one. */
  async function happens(host: Hosted, number: number, about: Step, isProcess = false) {
    const by = isProcess ? host : { ...host, ...inside };
    const runs = await runPipeline(by, { is: 'pull request', number, branch: 'feature', ...about });
    expect(runs).toHaveLength(1);
    return { code: runs[0]?.code, log: runs[0]?.log ?? '' };
  }

  /** No job saw how a pull request was closed: the one of the night removes its preview, and leaves that of another one. */
  async function pruneAtNight(): Promise<void> {
    const host = hosts.get('github');
    if (host === undefined) throw new Error('nothing is served');
    const [head = ''] = heads;
    for (const number of [41, 42]) {
      host.forge.pulls.set(number, { isOpen: true, head });
      const opened = await happens(host, number, { action: 'opened', head });
      expect(opened.code, opened.log).toBe(0);
    }
    host.forge.pulls.set(41, { isOpen: false, head });
    const [night] = await runPipeline(host, { is: 'schedule' });
    expect(night?.code, night?.log).toBe(0);
    expect([41, 42].map((number) => environments().includes(`pr-${number}`))).toEqual([false, true]);
    host.forge.pulls.set(42, { isOpen: false, head });
    const last = await runPipeline(host, { is: 'dispatch', inputs: { command: '' } });
    expect([last[0]?.code, environments().includes('pr-42')]).toEqual([0, true]);
    expect((await happens(host, 42, { action: 'closed', head })).code).toBe(0);
  }

  const environments = () =>
    Object.values(emulator.world.tables.environment).map((row) => String((row as { name?: unknown }).name));

  test('come, change and go with their pull requests, whatever fails, and touch no stage', async () => {
    for (const name of ['staging', 'production']) await stage(name, 'apply --auto-approve --adopt');
    const rows = (['environment', 'application', 'redis', 'domain'] as const).flatMap((table) =>
      Object.entries(emulator.world.tables[table]),
    );
    const [before, stood] = [JSON.stringify(rows), environments()];
    expect(stood).toEqual(expect.arrayContaining(['staging', 'production']));
    emulator.log.splice(0);
    everyTenth = true;
    const logs: string[] = [];
    const [first = '', second = ''] = heads;
    for (let number = 1; number <= count; number++) {
      const host = [...hosts.values()][number % 3];
      if (host === undefined) throw new Error('nothing is served');
      const third = (number - 1 + Math.floor((number - 1) / 3)) % 3;
      const pull = { isOpen: true, head: first };
      host.forge.pulls.set(number, pull);
      const run = async (step: Step, how?: 'killed' | 'beside another') => {
        if (how === 'killed') killAt = 1 + (number % 2);
        const ended = await happens(host, number, step, how !== undefined);
        if (how === 'killed') killAt = undefined;
        logs.push(`${host.name} ${number} ${JSON.stringify(step)}: ${ended.code}\n${ended.log}`);
        return ended;
      };
      const close = (how?: 'killed' | 'beside another') => {
        pull.isOpen = false;
        return run({ action: 'closed', head: pull.head }, how);
      };
      await run({ action: 'opened', head: first }, third === 0 ? 'killed' : undefined);
      pull.head = second;
      if (third === 0) {
        // The pull request is closed while the job of the push runs.
        const pushed = run({ action: 'synchronize', head: second }, 'beside another');
        await delay(100 * number);
        await close('beside another');
        expect((await pushed).code, logs.join('\n')).toBe(0);
      } else {
        await run({ action: 'synchronize', head: second }, third === 1 ? 'killed' : undefined);
        if (third === 1) {
          const late = await run({ action: 'synchronize', head: first });
          expect(late, late.log).toMatchObject({ code: 0, log: expect.stringContaining('Nothing was applied') });
        }
        await close(third === 2 ? 'killed' : undefined);
        // A job that waited since before the end: it finds the pull request closed, and removes what is left.
        await run({ action: 'synchronize', head: second });
      }
      // Runs a failed job again, as people do.
      for (let again = 0; again < 3 && environments().includes(`pr-${number}`); again++) await close();
      expect(environments(), logs.slice(-4).join('\n')).not.toContain(`pr-${number}`);
    }
    // A job with a single write ends before the second one, at which it would be killed.
    expect(kills / count).toBeGreaterThan(0.6);
    everyTenth = false;
    await pruneAtNight();
    expect(environments()).toEqual(stood);
    const touched = emulator.log.filter(
      ({ method, input = '' }) =>
        method !== 'GET' && rows.some(([id]) => JSON.stringify(input).includes(JSON.stringify(id))),
    );
    expect([touched, JSON.stringify(rows)]).toEqual([[], before]);
    for (const name of ['staging', 'production']) expect(await stage(name, 'plan')).toContain('No changes.');
    expect(logs.join('\n')).not.toContain(apiKey);
  }, 1_800_000);
});
