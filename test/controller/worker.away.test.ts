import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { finish, start } from '../cli/process.ts';
import { forgeBench } from '../support/forge-bench.ts';
import { type PostgresServer, startPostgres, whyNoPostgres } from '../support/postgres-server.ts';

/** A worker whose PostgreSQL crashes in the middle of each kind of job, and is there again later. */

const missing = whyNoPostgres();
const services = (image: string, more = '') => `trueup: 1
project: prj_1
environments:
  production:
    redis:
      one: { dockerImage: "${image}", databasePassword: "\${secret:DB}" }
      two: { dockerImage: "${image}", databasePassword: "\${secret:DB}" }
      three: { dockerImage: "${image}", databasePassword: "\${secret:DB}" }
${more}`;
const preview = `trueup: 1
project: prj_1
environment: pr
preview: { for: 3d }
redis:
  four: { dockerImage: "redis:8", databasePassword: "\${secret:DB}" }
  five: { dockerImage: "redis:8", databasePassword: "\${secret:DB}" }
`;
const web = `    application:\n      web: { source: { type: docker, image: "web:1" } }\n`;

describe.skipIf(missing !== undefined)(missing ?? 'a worker whose database is away', () => {
  let server: PostgresServer;
  let pool: pg.Pool;
  beforeAll(async () => {
    server = await startPostgres();
    pool = new pg.Pool({ connectionString: server.url(), max: 5 });
    pool.on('error', () => undefined);
  });
  afterAll(async () => {
    await pool.end();
    server.stop();
  });

  const pause = (ms: number) => new Promise((done) => void setTimeout(done, ms));
  const soon = { timeout: 240_000, interval: 100 };

  test('does each job once in the end, whichever it is in the middle of', { timeout: 900_000 }, async () => {
    const slow = { latencyMs: 100, deployDelayMs: 4_000 };
    const { server: forge, at, records, push, drift, emulator } = await forgeBench(pool, 'gitea', 'automatic', slow);
    await pool.query('update trueup_controller.source set poll_seconds = 1');
    const folder = mkdtempSync(join(tmpdir(), 'trueup-away-'));
    const env = { TRUEUP_CONTROLLER_URL: server.url(), TRUEUP_STATE_KEY: at.states.key };
    const args = ['controller', 'work', '--folder', join(folder, 'checkouts'), '--format', 'json', '--log', 'json'];
    const child = start(args, { env });
    onTestFinished(() => void child.kill('SIGKILL'));
    const ended = finish(child);
    const id = 'shop:infra/trueup.yaml';
    const stack = () => records.stack(id);
    const runs = async () => (await Promise.all((await records.stacks()).map((one) => records.runs(one.id)))).flat();
    const sent = (operation: string | RegExp) =>
      emulator.log.filter((one) =>
        typeof operation === 'string' ? one.operation === operation : operation.test(one.operation),
      ).length;
    const deploys = /^application\.(?:re)?deploy$/;
    const posts = () => emulator.log.filter(({ method }) => method === 'POST').length;
    /** The database crashes once something is under way, and is there again after some seconds. */
    const away = async (isUnderWay: () => boolean, ms = 6_000): Promise<void> => {
      await expect.poll(isUnderWay, { timeout: 120_000, interval: 5 }).toBe(true);
      server.crash();
      await pause(ms);
      server.start();
      await pause(200);
    };
    const ends = async (wanted: string): Promise<void> => {
      await expect.poll(async () => (await stack())?.applied, soon).toBe(wanted);
      await expect.poll(async () => (await runs()).filter(({ ending }) => ending === null), soon).toEqual([]);
    };
    const statuses = (commit: string) => forge.statuses.filter((one) => one.commit === commit);

    // A plan: it reads.
    let [reads] = [emulator.log.length];
    const first = push({ 'infra/trueup.yaml': services('redis:7') });
    await away(() => emulator.log.length > reads + 1);
    await ends(first);
    expect(sent('redis.create')).toBe(3);

    // An apply, and then one for longer than its lease lasts.
    const writes = posts();
    const second = push({ 'infra/trueup.yaml': services('redis:7.2') });
    await away(() => posts() > writes);
    await ends(second);
    const before = sent('redis.create');
    const more = `      six: { dockerImage: "redis:8", databasePassword: "\${secret:DB}" }\n      seven: { dockerImage: "redis:8", databasePassword: "\${secret:DB}" }\n`;
    const third = push({ 'infra/trueup.yaml': services('redis:7.2', more) });
    await away(() => sent('redis.create') > before, 65_000);
    await ends(third);
    expect([sent('redis.create'), Object.values(emulator.world.tables.redis).length]).toEqual([5, 5]);

    // Deployments that go on.
    const eight = `      eight: { dockerImage: "redis:8", databasePassword: "\${secret:DB}" }\n`;
    const fourth = push({ 'infra/trueup.yaml': services('redis:7.2', more + web) });
    await away(() => sent(deploys) > 0);
    await ends(fourth);
    expect([sent('application.create'), sent(deploys)]).toEqual([1, 1]);

    // A look at drift.
    await drift({ dockerImage: 'redis:6' });
    reads = emulator.log.length;
    await pool.query('update trueup_controller.stack set look_at = now()');
    await away(() => emulator.log.length > reads + 1);
    await expect.poll(async () => (await records.waitingPlan(id))?.cause, soon).toBe('drift');
    await expect.poll(() => statuses(fourth).at(-1)?.state, soon).toBe('pending');
    const repair = (await records.waitingPlan(id))?.digest ?? '';
    const verdict = { who: 'alex', role: 'approver', approves: true, because: 'it is right', allowsDataLoss: true };
    expect(await records.judge(repair, verdict)).toBe(true);
    await expect.poll(async () => records.waitingPlan(id), soon).toBeUndefined();
    await ends(fourth);

    // A status: what was sent and not noted is sent once more at most.
    await expect.poll(() => statuses(fourth).at(-1)?.state, soon).toBe('success');
    const told = forge.statuses.length;
    const fifth = push({ 'infra/trueup.yaml': services('redis:7.2', `${more}${eight}${web}`) });
    await away(() => forge.statuses.length > told);
    await ends(fifth);
    await expect.poll(() => statuses(fifth).at(-1)?.state, soon).toBe('success');
    expect(new Set(statuses(fifth).map(({ description }) => description)).size).toBeLessThanOrEqual(3);

    // The removal of a preview.
    push({ 'infra/preview.yaml': preview });
    push({ 'README.md': 'a\n' }, 'change');
    const shown = `shop:infra/preview.yaml/${forge.propose({ branch: 'change' })}`;
    await expect.poll(async () => (await records.stack(shown))?.applied, soon).toEqual(expect.any(String));
    for (const pull of forge.requests.values()) pull.isOpen = false;
    const removals = sent('redis.remove');
    await away(() => sent('redis.remove') > removals);
    await expect.poll(async () => records.stack(shown), soon).toMatchObject({ isGone: true, made: null });
    expect(Object.values(emulator.world.tables.redis)).toHaveLength(6);

    // Nothing is left to do, and nothing runs.
    await expect.poll(async () => (await runs()).filter(({ ending }) => ending === null), soon).toEqual([]);
    const written = posts();
    await pool.query('update trueup_controller.stack set look_at = now()');
    const looks = async () => (await records.runs(id)).at(-1);
    await expect.poll(looks, soon).toMatchObject({ kind: 'drift', ending: 'in step' });
    expect(posts()).toBe(written);
    expect([child.exitCode, child.signalCode]).toEqual([null, null]);
    child.kill('SIGTERM');
    const { code, err } = await ended;
    expect(code).toBe(0);
    // What happened is one line a minute, whatever it kept from ending.
    const lines = err
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly level: string; readonly message?: string; readonly time: string });
    const errors = lines.filter(({ level }) => level === 'error');
    expect(errors.length).toBeGreaterThan(0);
    expect(
      errors.filter(({ message }) => message?.startsWith('the database of the controller does not answer (') !== true),
    ).toEqual([]);
    const times = errors.map(({ time }) => Date.parse(time));
    expect(times.every((time, at) => at === 0 || time - (times[at - 1] ?? 0) >= 60_000)).toBe(true);
  });
});
