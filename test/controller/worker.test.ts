import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Records, recordsIn } from '../../src/controller/records/all.ts';
import { migrate } from '../../src/controller/schema.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { newStateKey } from '../../src/secrets/state-key.ts';
import { type PostgresServer, startPostgres, whyNoPostgres } from '../support/postgres-server.ts';
import { effort } from '../support/whole.ts';

/** Workers as processes that are killed, over a PostgreSQL, git repositories and a platform of their own. */

const missing = whyNoPostgres();
const services = 4;
const stacks = effort({ fast: 4, full: 6, all: 24 });
const kills = effort({ fast: 1, full: 2, all: 8 });

const git = (cwd: string, ...words: readonly string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...words], { cwd, encoding: 'utf8' });

const manifestOf = (name: string, image: string) => {
  const blocks = Array.from(
    { length: services },
    (_, at) => `      ${name}-${at}: { dockerImage: "${image}", databasePassword: a }\n`,
  );
  return `trueup: 1\nproject: prj_1\nenvironments:\n  production:\n    redis:\n${blocks.join('')}`;
};

/** Waits until something holds, looking every 100 ms. */
async function until(what: () => Promise<boolean>, limitMs: number): Promise<number> {
  const began = performance.now();
  while (!(await what())) {
    if (performance.now() - began > limitMs) throw new Error(`it does not come in ${limitMs} ms`);
    await new Promise((resolve) => void setTimeout(resolve, 100));
  }
  return performance.now() - began;
}

describe.skipIf(missing !== undefined)(missing ?? 'two workers', () => {
  let server: PostgresServer;
  let pool: pg.Pool;
  let records: Records;
  const workers = new Set<ChildProcess>();
  beforeAll(async () => {
    server = await startPostgres();
    pool = new pg.Pool({ connectionString: server.url(), max: 3 });
    pool.on('error', () => undefined);
    await migrate(pool, 'trueup_controller');
    records = recordsIn(pool, 'trueup_controller');
  });
  afterEach(async () => {
    await Promise.all(
      [...workers].map(async (worker) => {
        worker.kill('SIGKILL');
        if (worker.exitCode === null && worker.signalCode === null) await once(worker, 'exit');
      }),
    );
    workers.clear();
  });
  afterAll(async () => {
    await pool.end();
    server.stop();
  });

  test(
    `bring ${stacks} stacks to each commit, whoever is killed, and send nothing twice`,
    { timeout: 900_000 },
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'trueup-workers-'));
      const repository = join(folder, 'repository');
      mkdirSync(repository);
      git(repository, 'init', '-q', '-b', 'main');
      const names = Array.from({ length: stacks }, (_, at) => `s${at}`);
      const push = (image: string): string => {
        for (const name of names) {
          mkdirSync(join(repository, name), { recursive: true });
          writeFileSync(join(repository, name, 'trueup.yaml'), manifestOf(name, image));
        }
        git(repository, 'add', '-A');
        git(repository, 'commit', '-q', '-m', image);
        return git(repository, 'rev-parse', 'HEAD').trim();
      };
      writeFileSync(join(folder, 'key'), 'a-key\n');
      const emulator = createEmulator({ apiKey: 'a-key' });
      const platform = await serve(emulator);
      const about = {
        id: 'main',
        url: platform.url,
        profile: null,
        keyFile: join(folder, 'key'),
        envFile: null,
        connections: 8,
      };
      await records.addPlatform(about, 'alex');
      const key = newStateKey().text();
      const start = async (): Promise<ChildProcess> => {
        const worker = spawn(process.execPath, ['--import', 'tsx', 'test/support/controller-worker.ts'], {
          env: {
            ...process.env,
            TRUEUP_TEST_DATABASE: server.url(),
            TRUEUP_TEST_FOLDER: join(folder, 'mirrors'),
            TRUEUP_TEST_KEY: key,
          },
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        workers.add(worker);
        await Promise.race([
          once(worker.stdout, 'data'),
          once(worker, 'exit').then(() => Promise.reject(new Error('a worker did not start'))),
        ]);
        return worker;
      };
      const inStep = async (commit: string) =>
        (await records.stacks()).filter(({ applied }) => applied === commit).length === stacks;
      const creates = () => emulator.log.filter(({ operation }) => operation === 'redis.create').length;
      const rows = () => Object.values(emulator.world.tables.redis).length;

      const running = [await start(), await start()];
      const first = push('redis:7');
      await records.addSource(
        {
          id: 'shop',
          url: repository,
          ref: 'refs/heads/main',
          platforms: [{ platform: 'main', paths: '*' }],
          policy: 'automatic',
          pollSeconds: 1,
          lookSeconds: 3_600,
        },
        'alex',
      );
      for (let kill = 0; kill < kills; kill++) {
        // Somewhere in the middle of what this commit needs.
        const before = creates();
        await until(async () => creates() > before + (kill % 3) || (await inStep(first)), 180_000);
        const victim = running.shift();
        victim?.kill('SIGKILL');
        if (victim !== undefined && victim.exitCode === null && victim.signalCode === null) await once(victim, 'exit');
        running.push(await start());
      }
      await until(() => inStep(first), 240_000);
      expect([creates(), rows()]).toEqual([stacks * services, stacks * services]);
      const second = push('redis:7.4');
      await until(() => inStep(second), 240_000);
      expect([creates(), rows()]).toEqual([stacks * services, stacks * services]);
      const images = Object.values(emulator.world.tables.redis).map((row) => row['dockerImage']);
      expect(new Set(images)).toEqual(new Set(['redis:7.4']));
      // The runs of who was killed count as lost after a while.
      const runs = async () => (await Promise.all((await records.stacks()).map(({ id }) => records.runs(id)))).flat();
      await until(async () => (await runs()).every(({ ending }) => ending !== null), 60_000);
      // Nothing is left to do: another look finds every stack in step.
      const posts = emulator.log.filter(({ method }) => method === 'POST').length;
      await pool.query('update trueup_controller.stack set look_at = now()');
      const looks = async () =>
        (await Promise.all((await records.stacks()).map(({ id }) => records.runs(id))))
          .flat()
          .filter(({ kind }) => kind === 'drift');
      await until(async () => (await looks()).filter(({ ending }) => ending === 'in step').length >= stacks, 60_000);
      expect(emulator.log.filter(({ method }) => method === 'POST')).toHaveLength(posts);
      await platform.close();
    },
  );
});
