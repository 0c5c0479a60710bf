import { vi } from 'vitest';
import { parse } from 'yaml';
import { createClient } from '../../src/api/client.ts';
import type { Send } from '../../src/api/wire.ts';
import type { Outcome } from '../../src/apply/job.ts';
import type { EmulatorOptions } from '../../src/emulator/emulator.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { createChance } from '../../src/emulator/faults/chance.ts';
import { createFaults } from '../../src/emulator/faults/faults.ts';
import { faultPlan } from '../../src/emulator/faults/fault-plan.ts';
import { wordsOf } from '../../src/emulator/faults/fault-words.ts';
import type { Row } from '../../src/formats/json.ts';
import { plan } from '../../src/workflow/make-plan.ts';
import { testBulk } from './profile.ts';
import { kinds } from '../../src/resources/index.ts';
import type { Connecting } from '../../src/workflow/session.ts';
import { session } from '../../src/workflow/session.ts';
import { systemClock } from '../../src/state/clock.ts';
import { actionsOf, everything } from './faults.ts';
import { spoken } from './profile.ts';
import { whenSettled } from './virtual-clock.ts';
import type { Bench } from './world.ts';
import { bench, head } from './world.ts';

/** A platform on which requests go wrong in every way that they can, and a manifest with something of every sort. */

/** What can go wrong with any request; the last two only take their time. */
const ways = `
  - before: drop
  - after: drop
  - before: { answer: 500 }
  - before: { page: 502 }
  - after: { page: 502 }
  - after: { page: 200 }
  - before: { answer: 429, retryAfter: 2s }
  - after: { cut: json }
  - after: { cut: length }
  - after: { cut: reset }
  - before: { delay: 5s }
  - after: { drip: 5s }
`;

/** What can go wrong with a write beside that. */
const waysOfWrites = `
  - late: 20s
  - after: { unseen: 3s }
  - after: { page: 504 }
`;

/** 30 % of all requests go wrong, each in one of the ways. */
function thirtyPercent(seed: number) {
  const common = parse(ways) as object[];
  const writes = parse(waysOfWrites) as object[];
  return faultPlan.parse({
    seed,
    faults: [
      { on: 'GET', chance: '30%', oneOf: common },
      { on: 'POST', chance: '30%', oneOf: [...common, ...writes] },
    ],
  });
}

/** Three writes in ten get an error of the platform as their answer, half of these with a page, after their work. */
export const errorsAfterWork = (seed: number) =>
  faultPlan.parse({
    seed,
    faults: [{ on: 'POST', chance: '30%', oneOf: [{ after: { answer: 500 } }, { after: { page: 500 } }] }],
  });

/** Every fault that a request can meet, as the log tells it. */
export const everyFault = [...new Set(thirtyPercent(1).faults.flatMap(({ oneOf = [] }) => oneOf.map(wordsOf)))];

const privateKey = (name: string) =>
  JSON.stringify(`-----BEGIN OPENSSH PRIVATE KEY-----\n${name}\n-----END OPENSSH PRIVATE KEY-----\n`);

/** An environment with a service of every kind, and something of everything that can stand below one. */
const environment = (name: string) => `
  ${name}:
    env: { REGION: eu }
    postgres:
      main:
        dockerImage: postgres:17
        databaseName: shop
        databaseUser: u
        databasePassword: password-1
        memoryLimit: '536870912'
        env: { A: "1" }
        mounts: { /init.sql: { type: file, filePath: init.sql, content: 'SELECT 1;' } }
        backups: { nightly: { schedule: '0 3 * * *', destinationId: dst_1, prefix: ${name}/main } }
    mariadb:
      legacy: { dockerImage: 'mariadb:11', databaseName: l, databaseUser: l, databasePassword: password-2, databaseRootPassword: password-3 }
    redis:
      cache: { dockerImage: 'redis:8', databasePassword: password-4 }
    application:
      web:
        source: { type: docker, image: 'nginx:1.27' }
        env: { DB: "\${ref:postgres.main.host}", REGION: "\${{environment.REGION}}" }
        domains:
          ${name}.example.com: { port: 80, https: true, certificateType: letsencrypt }
          www.${name}.example.com: { port: 80 }
        mounts: { /uploads: { type: volume, volumeName: ${name}-uploads } }
        volumeBackups:
          uploads: { volumeName: ${name}-uploads, cronExpression: '0 5 * * *', destinationId: dst_1, prefix: ${name}/uploads }
    compose:
      tools:
        source: { type: raw, composeFile: "services: { web: { image: nginx } }" }
        env: { DB: "\${ref:postgres.main.host}" }
        files: { proxy.conf: { content: "listen 8080;" } }
        domains: { tools.${name}.example.com: { serviceName: web, port: 8080 } }
`;

const organization = `
organizations: { Organization: { logo: 'https://example.com/logo.svg' } }
members: { admin@example.test: { canAccessToAPI: true } }
sshKeys:
  deploy: { publicKey: ssh-ed25519 AAAA deploy, privateKey: ${privateKey('one')} }
  other: { publicKey: ssh-ed25519 BBBB other, privateKey: ${privateKey('two')} }
certificates: { internal: { certificateData: certificate, privateKey: key-3, autoRenew: false } }
ai: { helper: { apiUrl: 'https://models.example.com/v1', apiKey: key-4, model: small } }
gitea:
  forge: { giteaUrl: 'https://git.example.com', clientId: c, clientSecret: s-1, redirectUri: 'https://d.example.com/callback' }
bitbucket:
  bucket: { bitbucketUsername: shop, bitbucketEmail: git@example.com, bitbucketWorkspaceName: shop, apiToken: t-1 }
`;

/** 50 resources of all kinds but github and gitlab, which a person has to make or to connect. */
export const whole = `${head}${organization}environments:${['production', 'staging', 'preview'].map(environment).join('')}`;

/** The same after an edit: fields and maps changed, objects replaced, moved and deleted, one environment gone. */
export const edited = `${head}moved: [{ from: staging.redis.cache, to: production.redis.moved }]
${organization
  .replace('ssh-ed25519 BBBB', 'ssh-ed25519 CCCC')
  .replace(privateKey('two'), privateKey('three'))
  .replace('model: small', 'model: large')
  .replace('certificateData: certificate', 'certificateData: renewed')}
environments:${environment('production')
  .replace('REGION: eu', 'REGION: us, ZONE: a')
  .replace('postgres:17', 'postgres:17.6')
  .replace('password-1', 'password-5')
  .replace("schedule: '0 3 * * *'", "schedule: '0 4 * * *'")
  .replace('    redis:\n', "    redis:\n      moved: { dockerImage: 'redis:8', databasePassword: password-4 }\n")
  .replace('listen 8080;', 'listen 9090;')}${environment('staging')
  .replace('databaseName: shop', 'databaseName: store')
  .replace("      cache: { dockerImage: 'redis:8', databasePassword: password-4 }\n", '')
  .replace('    redis:\n', '')
  .replace('          www.staging.example.com: { port: 80 }\n', '')}`;

/** Gives ids that are the same in every run, and as long as those of the platform. */
export function countedIds(): () => string {
  let count = 0;
  return () => `id${String((count += 1)).padStart(19, '0')}`;
}

/** What one apply over a platform came to. */
export interface OneApply {
  readonly failed: readonly Outcome[];
  /** Everything that was said. */
  readonly said: string;
  /** Requests as the client sent them. */
  readonly reads: number;
  readonly writes: number;
}

/** Lets time pass, from one timer to the next, until something is done. */
async function inTime<T>(work: Promise<T>): Promise<T> {
  const time = { isOver: false };
  const over = work.finally(() => {
    time.isOver = true;
  });
  over.catch(() => undefined);
  for (let turn = 0; !time.isOver; turn++) {
    if (turn > 1_000_000) throw new Error('it does not come to an end');
    await whenSettled();
    if (!time.isOver) await vi.advanceTimersToNextTimerAsync();
  }
  return over;
}

/** Waits out what may still land, plans and applies: what `trueup apply` does. */
export async function applyOnce(made: Bench, text: string, send: Send, random: () => number): Promise<OneApply> {
  const client = createClient({
    ...spoken(send, made.world().client.contract),
    url: 'http://platform.test',
    apiKey: 'emulator-key',
    redact: made.redact,
    random,
  });
  const clock = systemClock;
  const platform = {
    kinds,
    connect: async (about: Connecting) => ({ ...(await made.platform().connect(about)), client }),
  };
  const { outcomes } = await inTime(
    session(await made.manifest(text), platform, { purpose: 'apply', clock }, async (run) =>
      run.apply(await run.plan(), everything),
    ),
  );
  const failed = outcomes.filter(({ result }) => result !== 'done');
  const said = outcomes.flatMap(({ diagnostics }) => diagnostics.map(({ message }) => message)).join('\n');
  return { failed, said, reads: client.counts.reads, writes: client.counts.writes };
}

/** The actions that are left once nothing can land any more. */
export async function leftOver(made: Bench, text: string): Promise<string[]> {
  await vi.advanceTimersByTimeAsync(120_000);
  return actionsOf(await inTime(plan(await made.manifest(text), made.world())));
}

/** What each row of a platform is called: every object that there is, once. */
export function objectsOf({ emulator }: Bench): string[] {
  const { deployment: _, volume: _kept, task: _ran, ...tables } = emulator.world.tables;
  const nameOf = (row: Row) => row.name ?? row.host ?? row.mountPath ?? row.prefix ?? row.giteaUrl ?? row.email;
  return Object.entries(tables)
    .flatMap(([table, rows]) => Object.values(rows).map((row) => `${table} ${String(nameOf(row))}`))
    .toSorted();
}

/** A new platform. */
export function calmPlatform(options: EmulatorOptions = {}): Bench {
  return bench({
    emulator: createEmulator({ newId: countedIds(), batches: testBulk, ...options }),
    clock: systemClock,
  });
}

/** Applies a manifest once, while 30 % of all requests go wrong, or what is said instead. */
export function applyUnreliably(
  made: Bench,
  text: string,
  seed: number,
  faults: (seed: number) => ReturnType<typeof thirtyPercent> = thirtyPercent,
): Promise<OneApply> {
  return applyOnce(made, text, createFaults(made.emulator, faults(seed)).send, createChance(seed));
}
