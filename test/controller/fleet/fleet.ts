import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type Records, recordsIn } from '../../../src/controller/records/all.ts';
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
  /** Seconds between two polls of the repository; 5 when left out. */
  readonly pollSeconds?: number;
  /** Seconds between two looks for drift at a stack; a day when left out. */
  readonly lookSeconds?: number;
  /** Platforms; the stacks have them in turn. As many as stacks when left out. */
  readonly platforms?: number;
}

/** A worker as a process. */
export interface WorkerProcess {
  /** What the records of the controller call it. */
  readonly name: string;
  /** CPU that it used, in milliseconds, and the memory that it holds, in MB. */
  readonly usage: () => { readonly cpuMs: number; readonly rssMb: number };
  /** The heap that is in use after a collection, in MB. */
  readonly heapMb: () => Promise<number>;
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
  readonly urls: readonly string[];
  /** Commits manifests by the numbers of their stacks, and gives the commit: the next poll sees it. */
  readonly commit: (manifests: ReadonlyMap<number, string>) => string;
  /** Enrols the repository, or has it looked at now. */
  readonly enrol: () => Promise<void>;
  /** Commits a manifest with an image for every stack, has it seen at once, and gives the commit. */
  readonly push: (image: string, many?: number) => Promise<string>;
  /** Starts a worker; `isElsewhere`: it has processes and a host name of its own, as on another machine. */
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

export async function createFleet(options: FleetOptions): Promise<Fleet> {
  const { stacks, services, latencyMs = 0 } = options;
  const folder = mkdtempSync(join(tmpdir(), 'trueup-fleet-'));
  const repository = repositoryIn(join(folder, 'repository'));
  writeFileSync(join(folder, 'key'), 'a-key\n');
  const emulators = Array.from({ length: options.platforms ?? stacks }, () => createEmulator({ apiKey: 'a-key' }));
  const platforms = await Promise.all(emulators.map((emulator) => serve(emulator, { latencyMs })));
  const urls = platforms.map(({ url }) => url);
  const server = await startPostgres();
  const proxy = await proxyTo(server.port);
  const pool = new pg.Pool({ connectionString: server.url(), max: 4 });
  pool.on('error', () => undefined);
  await migrate(pool, 'trueup_controller');
  const records = recordsIn(pool, 'trueup_controller');
  for (const [at, url] of urls.entries())
    await records.addPlatform(
      { id: `p${at}`, url, profile: null, keyFile: join(folder, 'key'), envFile: null, connections: 4 },
      'fleet',
    );
  const environment = {
    ...process.env,
    TRUEUP_TEST_DATABASE: server.url(proxy.port),
    TRUEUP_TEST_FOLDER: join(folder, 'mirrors'),
    TRUEUP_TEST_KEY: newStateKey().text(),
  };
  const workers = new Set<ChildProcess>();
  return {
    server,
    proxy,
    pool,
    records,
    emulators,
    urls,
    commit: repository.commit,
    enrol: () => enrol(records, repository.folder, options),
    push: async (image, many = stacks) => {
      const manifests = Array.from({ length: many }, (_, at) => manifestOf(`s${at}`, image, services));
      const commit = repository.commit(new Map(manifests.entries()));
      await enrol(records, repository.folder, options);
      return commit;
    },
    start: async ({ isElsewhere = false } = {}) => {
      const host = isElsewhere ? `elsewhere-${workers.size}` : hostname();
      const worker = spawnWorker(isElsewhere ? host : undefined, environment);
      workers.add(worker);
      await Promise.race([
        once(worker, 'message'),
        once(worker, 'exit').then(() => Promise.reject(new Error('a worker did not start'))),
      ]);
      return processOf(worker, host, isElsewhere);
    },
    posts: () => emulators.reduce((sum, { log }) => sum + log.filter(({ method }) => method === 'POST').length, 0),
    inStep: async (commit) => (await records.stacks()).filter(({ applied }) => applied === commit).length,
    close: async () => {
      for (const worker of workers) worker.kill('SIGKILL');
      await pool.end();
      await proxy.close();
      server.stop();
      await Promise.all(platforms.map((platform) => platform.close()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A repository of root files, one in a folder for each stack. */
function repositoryIn(folder: string) {
  mkdirSync(folder);
  const git = (...words: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...words], {
      cwd: folder,
      encoding: 'utf8',
    });
  git('init', '-q', '-b', 'main');
  return {
    folder,
    commit: (manifests: ReadonlyMap<number, string>): string => {
      for (const [at, text] of manifests) {
        mkdirSync(join(folder, `s${at}`), { recursive: true });
        writeFileSync(join(folder, `s${at}/trueup.yaml`), text);
      }
      git('add', '-A');
      git('commit', '-q', '--allow-empty', '-m', 'a');
      return git('rev-parse', 'HEAD').trim();
    },
  };
}

/** Enrols a repository, and has it looked at now. */
async function enrol(records: Records, url: string, options: FleetOptions): Promise<void> {
  const { stacks, platforms = stacks, policy = 'automatic', pollSeconds = 5, lookSeconds = 24 * 3_600 } = options;
  const ofStack = Array.from({ length: stacks }, (_, at) => ({ platform: `p${at % platforms}`, paths: `s${at}/*` }));
  await records.addSource(
    { id: 'fleet', url, ref: 'refs/heads/main', platforms: ofStack, policy, pollSeconds, lookSeconds },
    'fleet',
  );
}

/** Starts the process of a worker. With a host: it sees its own processes alone, and its machine has that name. */
function spawnWorker(host: string | undefined, env: NodeJS.ProcessEnv): ChildProcess {
  const program = [process.execPath, '--expose-gc', '--import', 'tsx', 'test/support/controller-worker.ts'];
  const apart = ['unshare', '--pid', '--uts', '--fork', '--mount-proc', '--kill-child=KILL'];
  const [command = '', ...words] =
    host === undefined ? program : [...apart, 'sh', '-c', `hostname ${host} && exec "$@"`, 'sh', ...program];
  const stderr = process.env['FLEET_VERBOSE'] === undefined ? 'ignore' : 'inherit';
  return spawn(command, words, { env, stdio: ['ignore', 'ignore', stderr, 'ipc'] });
}

function processOf(worker: ChildProcess, host: string, isElsewhere: boolean): WorkerProcess {
  const own = worker.pid ?? 0;
  const children = () => readFileSync(`/proc/${own}/task/${own}/children`, 'utf8').trim();
  const pid = isElsewhere ? Number(children().split(' ')[0]) : own;
  return {
    // The first process of a namespace has the number 1.
    name: `${host} ${isElsewhere ? 1 : pid}`,
    usage: () => {
      // After the name of the program: state is the third field, and user and system time are the 14th and 15th.
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /, '')
        .split(' ');
      const ticks = Number(fields[11]) + Number(fields[12]);
      const kb = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
      return { cpuMs: ticks * 10, rssMb: Number(kb) / 1_024 };
    },
    heapMb: async () => {
      const answer = once(worker, 'message');
      worker.send('heap');
      const [bytes] = (await answer) as [number];
      return bytes / 1_048_576;
    },
    kill: async () => {
      const gone = worker.exitCode !== null || worker.signalCode !== null ? undefined : once(worker, 'exit');
      process.kill(pid, 'SIGKILL');
      await gone;
    },
  };
}
