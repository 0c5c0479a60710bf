import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type Records, recordsIn } from '../../../src/controller/records.ts';
import { migrate } from '../../../src/controller/schema.ts';
import { type Emulator, createEmulator } from '../../../src/emulator/emulator.ts';
import { serve } from '../../../src/emulator/http-server.ts';
import { newStateKey } from '../../../src/secrets/state-key.ts';
import { type PostgresServer, type Proxy, proxyTo, startPostgres } from '../../support/postgres-server.ts';

/** Many stacks, each on an emulated platform of its own, in one repository; and workers as processes that are killed. */

export interface FleetOptions {
  readonly stacks: number;
  /** Services of each stack. */
  readonly services: number;
  /** What each platform takes for an answer. */
  readonly latencyMs?: number;
  readonly policy?: 'automatic' | 'approval';
}

/** A worker as a process. */
export interface WorkerProcess {
  /** Of the node process, in this namespace. */
  readonly pid: number;
  /** CPU that it used, in milliseconds, and the memory that it holds, in MB. */
  readonly usage: () => { readonly cpuMs: number; readonly rssMb: number };
  /** Kills it as `kill -9` does. */
  readonly kill: () => Promise<void>;
}

export interface Fleet {
  readonly server: PostgresServer;
  /** Before the database, for the workers. */
  readonly proxy: Proxy;
  readonly pool: pg.Pool;
  readonly records: Records;
  readonly emulators: readonly Emulator[];
  /** Commits a manifest with an image for every stack, has it seen at once, and gives the commit. */
  readonly push: (image: string) => Promise<string>;
  readonly start: (options?: { readonly isElsewhere?: boolean }) => Promise<WorkerProcess>;
  /** Requests that may write, to all platforms. */
  readonly posts: () => number;
  readonly inStep: (commit: string) => Promise<number>;
  readonly close: () => Promise<void>;
}

export const idOf = (at: number): string => `fleet:s${at}/trueup.yaml`;

function manifestOf(name: string, image: string, services: number): string {
  const blocks = Array.from(
    { length: services },
    (_, at) => `      ${name}-${at}: { dockerImage: "${image}", databasePassword: a }\n`,
  );
  return `trueup: 1\nproject: prj_1\nenvironments:\n  production:\n    redis:\n${blocks.join('')}`;
}

/** Waits until something holds, looking every 200 ms; gives the milliseconds that it took. */
export async function until(what: () => boolean | Promise<boolean>, limitMs: number): Promise<number> {
  const began = performance.now();
  while (!(await what())) {
    if (performance.now() - began > limitMs) throw new Error(`it does not come in ${limitMs / 1_000} s`);
    await sleep(200);
  }
  return performance.now() - began;
}

export async function createFleet({
  stacks,
  services,
  latencyMs = 0,
  policy = 'automatic',
}: FleetOptions): Promise<Fleet> {
  const folder = mkdtempSync(join(tmpdir(), 'trueup-fleet-'));
  const repository = join(folder, 'repository');
  mkdirSync(repository);
  const git = (...words: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...words], {
      cwd: repository,
      encoding: 'utf8',
    });
  git('init', '-q', '-b', 'main');
  writeFileSync(join(folder, 'key'), 'a-key\n');
  const emulators = Array.from({ length: stacks }, () => createEmulator({ apiKey: 'a-key' }));
  const platforms = await Promise.all(emulators.map((emulator) => serve(emulator, { latencyMs })));
  const server = await startPostgres();
  const proxy = await proxyTo(server.port);
  const pool = new pg.Pool({ connectionString: server.url(), max: 4 });
  pool.on('error', () => undefined);
  await migrate(pool, 'trueup_controller');
  const records = recordsIn(pool, 'trueup_controller');
  for (const [at, { url }] of platforms.entries())
    await records.addPlatform(
      { id: `p${at}`, url, profile: null, keyFile: join(folder, 'key'), envFile: null, connections: 4 },
      'fleet',
    );
  const key = newStateKey().text();
  const processes = new Set<ChildProcess>();
  const enrol = () =>
    records.addSource(
      {
        id: 'fleet',
        url: repository,
        ref: 'refs/heads/main',
        platforms: platforms.map((_, at) => ({ platform: `p${at}`, paths: `s${at}/*` })),
        policy,
        pollSeconds: 5,
        lookSeconds: 24 * 3_600,
      },
      'fleet',
    );
  return {
    server,
    proxy,
    pool,
    records,
    emulators,
    push: async (image) => {
      for (let at = 0; at < stacks; at++) {
        mkdirSync(join(repository, `s${at}`), { recursive: true });
        writeFileSync(join(repository, `s${at}/trueup.yaml`), manifestOf(`s${at}`, image, services));
      }
      git('add', '-A');
      git('commit', '-q', '-m', image);
      await enrol();
      return git('rev-parse', 'HEAD').trim();
    },
    start: async ({ isElsewhere = false } = {}) => {
      const program = [process.execPath, '--import', 'tsx', 'test/support/controller-worker.ts'];
      const words = isElsewhere
        ? ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child=KILL', ...program]
        : program;
      const [command = '', ...rest] = words;
      const worker = spawn(command, rest, {
        env: {
          ...process.env,
          TRUEUP_TEST_DATABASE: server.url(proxy.port),
          TRUEUP_TEST_FOLDER: join(folder, 'mirrors'),
          TRUEUP_TEST_KEY: key,
        },
        stdio: ['ignore', 'pipe', process.env['FLEET_VERBOSE'] === undefined ? 'ignore' : 'inherit'],
      });
      processes.add(worker);
      await Promise.race([
        once(worker.stdout, 'data'),
        once(worker, 'exit').then(() => Promise.reject(new Error('a worker did not start'))),
      ]);
      const own = worker.pid ?? 0;
      const children = readFileSync(`/proc/${own}/task/${own}/children`, 'utf8').trim();
      return processOf(worker, isElsewhere ? Number(children.split(' ')[0]) : own);
    },
    posts: () => emulators.reduce((sum, { log }) => sum + log.filter(({ method }) => method === 'POST').length, 0),
    inStep: async (commit) => (await records.stacks()).filter(({ applied }) => applied === commit).length,
    close: async () => {
      for (const worker of processes) worker.kill('SIGKILL');
      await pool.end();
      await proxy.close();
      server.stop();
      await Promise.all(platforms.map((platform) => platform.close()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function processOf(worker: ChildProcess, pid: number): WorkerProcess {
  return {
    pid,
    usage: () => {
      // After the name of the program: state is the third field, and user and system time are the 14th and 15th.
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /, '')
        .split(' ');
      const ticks = Number(fields[11]) + Number(fields[12]);
      const kb = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
      return { cpuMs: ticks * 10, rssMb: Number(kb) / 1_024 };
    },
    kill: async () => {
      const gone = worker.exitCode !== null || worker.signalCode !== null ? undefined : once(worker, 'exit');
      process.kill(pid, 'SIGKILL');
      await gone;
    },
  };
}
