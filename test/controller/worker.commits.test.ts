import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Worker, startWorker } from '../../src/controller/worker.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { newStateKey } from '../../src/secrets/state-key.ts';
import { type PostgresServer, startPostgres, whyNoPostgres } from '../support/postgres-server.ts';

/** A worker over a repository with several stacks in one folder, whose commits change some of them. */

const missing = whyNoPostgres();
const names = ['amber', 'blue', 'coral'];
const idOf = (name: string) => `shop:sites/${name}.yaml`;
const manifest = (name: string, image: string) =>
  `trueup: 1\ninclude: [shared/base.yaml]\nproject: prj_1\nenvironments:\n  production:\n    redis:\n      ${name}: { dockerImage: "${image}", databasePassword: a, description: "\${var:team}" }\n`;

describe.skipIf(missing !== undefined)(missing ?? 'a worker', () => {
  let server: PostgresServer;
  let pool: pg.Pool;
  let worker: Worker | undefined;
  beforeAll(async () => {
    server = await startPostgres();
    pool = new pg.Pool({ connectionString: server.url(), max: 8 });
    pool.on('error', () => undefined);
  });
  afterAll(async () => {
    await worker?.stop(0);
    await pool.end();
    server.stop();
  });

  test('plans the stacks whose files a commit changes, and keeps the plans and approvals of the others', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'trueup-commits-'));
    const repository = join(folder, 'repository');
    mkdirSync(repository);
    const git = (...words: readonly string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...words], {
        cwd: repository,
        encoding: 'utf8',
      });
    git('init', '-q', '-b', 'main');
    const write = (path: string, text: string): void => {
      mkdirSync(dirname(join(repository, path)), { recursive: true });
      writeFileSync(join(repository, path), text);
    };
    const push = (): string => {
      git('add', '-A');
      git('commit', '-q', '-m', 'a');
      return git('rev-parse', 'HEAD').trim();
    };
    write('sites/shared/base.yaml', 'variables:\n  team: { default: one }\n');
    for (const name of names) write(`sites/${name}.yaml`, manifest(name, 'redis:7'));
    const first = push();

    writeFileSync(join(folder, 'key'), 'a-key\n');
    const emulator = createEmulator({ apiKey: 'a-key' });
    const platform = await serve(emulator);
    worker = await startWorker({
      url: server.url(),
      pool,
      schema: 'c',
      states: { schema: 's', key: newStateKey().text() },
      folder: join(folder, 'checkouts'),
      concurrency: 2,
      tickMs: 200,
      onError: (error) => expect.fail(String(error)),
    });
    const { records } = worker;
    await records.addPlatform(
      { id: 'main', url: platform.url, profile: null, keyFile: join(folder, 'key'), envFile: null, connections: 4 },
      'alex',
    );
    const platforms = [{ platform: 'main', paths: 'sites/*' }];
    await records.addSource(
      {
        id: 'shop',
        url: repository,
        ref: 'refs/heads/main',
        platforms,
        policy: 'approval',
        pollSeconds: 1,
        lookSeconds: 3_600,
      },
      'alex',
    );
    const limit = { timeout: 60_000, interval: 100 };
    const plans = async () => Promise.all(names.map((name) => records.waitingPlan(idOf(name))));
    const commits = async () => (await plans()).map((plan) => plan?.commit);
    const looks = async () => (await records.runs(idOf('blue'))).length;
    const seen = async () => (await records.source('shop'))?.commit;
    await expect.poll(commits, limit).toEqual([first, first, first]);
    const before = await plans();
    // Polls meanwhile may have sent a stack again.
    await sleep(2_500);
    const looked = await looks();

    write('sites/amber.yaml', manifest('amber', 'redis:7.2'));
    write('README.md', 'The sites.');
    const second = push();
    await expect.poll(commits, limit).toEqual([second, first, first]);
    expect((await plans()).slice(1)).toEqual(before.slice(1));
    expect(await looks()).toBe(looked);

    const approve = async (name: string) => {
      const { digest = '' } = (await records.waitingPlan(idOf(name))) ?? {};
      expect(await records.judge(digest, { who: 'kim', role: 'approver', approves: true, because: 'right' })).toBe(
        true,
      );
    };
    await records.pause({ id: idOf('blue') }, { until: new Date(Date.now() + 600_000), who: 'kim', because: 'a sale' });
    await approve('blue');
    write('sites/coral.yaml', manifest('coral', 'redis:7.2'));
    const third = push();
    await expect.poll(commits, limit).toEqual([second, first, third]);
    await records.pause({ id: idOf('blue') }, { until: undefined, who: 'kim', because: 'over' });
    await expect.poll(async () => (await records.stack(idOf('blue')))?.applied, limit).toBe(first);
    expect(Object.values(emulator.world.tables.redis).map(({ name }) => name)).toEqual(['blue']);

    write('sites/shared/base.yaml', 'variables:\n  team: { default: two }\n');
    const fourth = push();
    await expect.poll(commits, limit).toEqual([fourth, fourth, fourth]);
    for (const name of names) await approve(name);
    const applied = async () => (await records.stacks()).map((stack) => stack.applied);
    await expect.poll(applied, limit).toEqual([fourth, fourth, fourth]);

    // A commit that changes no stack has none of them looked at.
    const runs = async () => (await Promise.all(names.map((name) => records.runs(idOf(name))))).flat().length;
    const count = await runs();
    write('README.md', 'The sites of the shop.');
    const fifth = push();
    await expect.poll(seen, limit).toBe(fifth);
    const after = await runs();
    expect([after, await commits(), await applied()]).toEqual([
      count,
      [undefined, undefined, undefined],
      [fourth, fourth, fourth],
    ]);
    const sent = emulator.log.filter(({ method }) => method === 'POST').length;
    for (const name of names) await records.runSoon({ id: idOf(name) }, 'kim');
    await expect.poll(runs, limit).toBe(count + names.length);
    const endings = async () =>
      (await Promise.all(names.map((name) => records.runs(idOf(name))))).map((all) => all.at(-1)?.ending);
    await expect.poll(endings, limit).toEqual(['in step', 'in step', 'in step']);
    expect(emulator.log.filter(({ method }) => method === 'POST')).toHaveLength(sent);
    await platform.close();
  });
});
