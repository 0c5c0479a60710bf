import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Emulator } from '../../src/emulator/emulator.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { finish, project, start, trueupProcess } from '../cli/process.ts';
import { createChance } from '../../src/emulator/faults/chance.ts';
import { watchDeployments } from '../support/deployment-watch.ts';
import { readsInBulk, testBulk } from '../support/profile.ts';
import type { PostgresServer } from '../support/postgres-server.ts';
import { startPostgres, whyNoPostgres } from '../support/postgres-server.ts';
import { effort } from '../support/whole.ts';
import { bench } from '../support/world.ts';
import { keyText } from '../support/state-key.ts';

/**
 * The real program, killed again and again while it works on a platform over HTTP: the next one has another manifest to
 * apply, and begins where the one before was killed. Whenever one is let come to its end, everything is there once.
 */

const kills = Number(process.env.TRUEUP_KILLS ?? effort({ fast: 5, all: 32 }));
const seed = Number(process.env.TRUEUP_SEED ?? Date.now() % 1_000_000);
const lanes = 4;
/** About as many as one run sends. */
const requests = testBulk ? 40 : 60;
/** After so many kills one run comes to its end. */
const between = 8;
const apiKey = 'right-key';

/** A manifest of about fifteen objects, of which some differ from one version to the next. */
function manifestOf({ platform, state = '', version }: { platform: string; state?: string; version: number }): string {
  const has = (every: number) => version % every !== 0;
  const names = ['always', ...['one', 'two', 'three'].filter((_, index) => has(index + 2))];
  const caches = names.map(
    (name) => `      ${name}: { dockerImage: "redis:${7 + (version % 2)}", databasePassword: password-1 }\n`,
  );
  return `trueup: 1
platform: ${platform}
project: prj_1
${state}environments:
  production: {}
  staging:
    env: { REGION: "r${version % 3}" }
    postgres:
      main:
        dockerImage: "postgres:17"
        databaseName: "d${Math.floor(version / 5)}"
        databaseUser: u
        databasePassword: password-1
        env: { V: "${version}" }
        backups: { nightly: { schedule: "0 ${version % 4} * * *", destinationId: dst_1, prefix: n/ } }
        mounts: { ${has(3) ? '/x: { type: bind, hostPath: /srv/x }' : ''} }
    redis:
${caches.join('')}    compose:
      shop:
        source: { type: raw, composeFile: "services: { web: { image: nginx:${version} } }" }
        domains: { "${has(2) ? 'a' : 'b'}.example.com": { serviceName: web } }
        files: { a.conf: { content: "${version}" } }
    application:
      web:
        source: { type: docker, image: "nginx:${version % 4}" }
        env: { REGION: "\${{environment.REGION}}" }
`;
}

/** What is on the platform, in the words of a manifest. */
function inventory({ world: { tables } }: Emulator): string[] {
  const columns: Readonly<Record<string, readonly string[]>> = {
    environment: ['name', 'env'],
    postgres: ['name', 'databaseName', 'env'],
    redis: ['name', 'dockerImage'],
    compose: ['name', 'composeFile'],
    application: ['name', 'dockerImage', 'env'],
    domain: ['host', 'serviceName'],
    backup: ['prefix', 'schedule'],
    mount: ['type', 'mountPath', 'filePath', 'content'],
  };
  return Object.entries(columns)
    .flatMap(([table, names]) =>
      Object.values(tables[table as 'mount']).map(
        (row) => `${table} ${names.map((name) => String(row[name])).join(' ')}`,
      ),
    )
    .toSorted();
}

/** What is on a platform to which a manifest was applied once, undisturbed. */
async function wantedOf(version: number): Promise<string[]> {
  const made = bench();
  const { outcomes } = await made.apply(manifestOf({ platform: 'emulator', version }), { adoption: true });
  expect(outcomes.filter(({ result }) => result !== 'done')).toEqual([]);
  return inventory(made.emulator);
}

/** One project, one process after the other, until so many were killed; gives how many that were. */
async function live(lane: number, count: number, state: { text: string; env: Record<string, string> }) {
  const random = createChance(seed + lane);
  const emulator = createEmulator({ apiKey, deployDelayMs: 20, ...(testBulk ? { profile: 'dokploy' } : {}) });
  const watch = watchDeployments(emulator);
  const server = await serve(emulator, { latencyMs: 5 });
  const folder = project('');
  const flags = ['--auto-approve', '--adopt', '--allow-data-loss', '--allow-mass-delete', '--in-flight-timeout', '1'];
  const args = ['apply', ...flags, '-C', folder];
  const options = { env: { TRUEUP_API_KEY: apiKey, ...state.env } };
  const story: string[] = [];
  let killed = 0;
  const told = (): string => `seed ${seed}, lane ${lane}\n${story.slice(-between - 2).join('\n')}`;

  const beginVersion = (): number => {
    const version = Math.floor(random() * 30) + 1;
    const platform = `{ url: "${server.url}" }`;
    writeFileSync(join(folder, 'trueup.yaml'), manifestOf({ platform, state: state.text, version }));
    return version;
  };
  const comeToAnEnd = async (): Promise<void> => {
    const version = beginVersion();
    const { code, out, err } = await trueupProcess(args, options);
    story.push(`version ${version} to its end: ${code}\n${out}${err}`);
    expect(code, told()).toBe(0);
    const after = await trueupProcess(args, options);
    expect([after.code, after.out.includes('No changes.')], `${told()}\nand then: ${after.out}`).toEqual([0, true]);
    expect(inventory(emulator), told()).toEqual(await wantedOf(version));
    expect(watch.stale(), told()).toEqual([]);
  };

  for (let round = 1; killed < count; round++) {
    if (round > count * 3 + 12) throw new Error(`only ${killed} processes of ${round} were killed in time`);
    const version = beginVersion();
    const child = start(args, options);
    const ended = finish(child);
    // At its n-th request or later: from the beginning to the end of what it has to do.
    const at = emulator.log.length + Math.floor(random() * requests);
    while (emulator.log.length < at && child.exitCode === null) await pause(2);
    await pause(random() * 20);
    child.kill('SIGKILL');
    const { code, out, err } = await ended;
    story.push(`version ${version} killed before request ${at}: ${code ?? 'killed'}\n${out}${err}`);
    // One that was over before has done it; 5 would be a lock that stays.
    if (code === null) killed++;
    else expect(code, told()).toBe(0);
    if (round % between === 0) await comeToAnEnd();
  }
  await comeToAnEnd();
  expect(readsInBulk(emulator)).toBe(testBulk);
  await server.close();
  return killed;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}

/** Half of all kills, in several projects at the same time; gives how many there were. */
async function liveInLanes(stateOf: (lane: number) => Parameters<typeof live>[2]): Promise<number> {
  const count = Math.ceil(kills / 2 / lanes);
  const killed = await Promise.all(Array.from({ length: lanes }, (_, lane) => live(lane, count, stateOf(lane))));
  return killed.reduce((sum, one) => sum + one, 0);
}

const limitMs = 60_000 + kills * 5_000;

test(
  'with a state in a folder, the next one continues',
  async () => {
    expect(await liveInLanes(() => ({ text: '', env: {} }))).toBeGreaterThanOrEqual(kills / 2);
  },
  limitMs,
);

const why = whyNoPostgres();

describe.skipIf(why !== undefined)(`with a state in PostgreSQL${why === undefined ? '' : ` (${why})`}`, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  test(
    'the next one continues',
    async () => {
      const stateOf = (lane: number) => ({
        text: `state: { backend: postgres, name: lane-${lane} }\n`,
        env: { TRUEUP_STATE_URL: server.url(), TRUEUP_STATE_KEY: keyText },
      });
      expect(await liveInLanes(stateOf)).toBeGreaterThanOrEqual(kills / 2);
    },
    limitMs,
  );
});
