import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { onTestFinished } from 'vitest';
import { checkoutsIn } from '../../src/controller/checkouts.ts';
import type { AtForge } from '../../src/controller/forge/forge-of-source.ts';
import { sendDueAtForges, workAtForge } from '../../src/controller/forge/forge-work.ts';
import { pusherIn } from '../../src/controller/forge/push-branch.ts';
import { type NewSource, type Policy, recordsIn } from '../../src/controller/records/all.ts';
import { runStack } from '../../src/controller/run-stack.ts';
import { migrate } from '../../src/controller/schema.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import type { Repository as ForgeRepository } from '../../src/forge/repository.ts';
import { newStateKey } from '../../src/secrets/state-key.ts';
import { edit } from './drifting.ts';
import { hostedForge, wordOf, write } from './hosted-forge.ts';
import { commitAll } from './hosted-repository.ts';

/** The secret of the stacks, and the key of their platform. */
export const canaries = ['canary-of-a-stack', 'key-canary-4711'] as const;
const [secret, apiKey] = canaries;

/** The manifest of a stack with one Redis. */
export const manifestOf = (image: string, name = 'main') =>
  `trueup: 1\nproject: prj_1\nenvironments:\n  production:\n    redis:\n      ${name}: # the only one\n        dockerImage: ${image}\n        databasePassword: \${secret:DB}\n`;

/** The stack of the benches. */
export const stackId = 'shop:infra/trueup.yaml';

/** A forge with a repository whose stack is on an emulated platform, and a worker that does one job after the other. */
export async function forgeBench(
  pool: pg.Pool,
  name: ForgeRepository['name'],
  policy: Policy = 'automatic',
  slow: { readonly latencyMs?: number; readonly deployDelayMs?: number } = {},
) {
  await pool.query('drop schema if exists trueup_controller cascade; drop schema if exists trueup cascade');
  await migrate(pool, 'trueup_controller');
  const hosted = await hostedForge(name, { 'infra/trueup.yaml': manifestOf('redis:7') });
  const { server, repository } = hosted;
  const emulator = createEmulator({ apiKey, ...slow });
  const platform = await serve(emulator, slow);
  onTestFinished(() => platform.close());
  const folder = mkdtempSync(join(tmpdir(), 'trueup-forge-bench-'));
  writeFileSync(join(folder, 'key'), `${apiKey}\n`);
  writeFileSync(join(folder, 'env'), `TRUEUP_SECRET_DB=${secret}\n`);
  const records = recordsIn(pool, 'trueup_controller');
  const [keyFile, envFile] = [join(folder, 'key'), join(folder, 'env')];
  const about = { id: 'main', url: platform.url, profile: null, keyFile, envFile, connections: 4 };
  await records.addPlatform(about, 'a test');
  await records.setPageAddress('https://trueup.example.com', { by: 'page' });
  const enrol = (given: Policy, at: Omit<typeof server, 'close'> = server, forge: NewSource['forge'] = wordOf(name)) =>
    records.addSource(
      {
        id: 'shop',
        url: at.address,
        ref: 'refs/heads/main',
        platforms: [{ platform: 'main', paths: '*' }],
        policy: given,
        pollSeconds: 60,
        lookSeconds: 3_600,
        forge,
        forgeTokenFile: at.tokenFile,
        credentialsFile: at.credentialsFile,
      },
      'a test',
    );
  await enrol(policy);
  const places = join(folder, 'checkouts');
  const states = { schema: 'trueup', key: newStateKey().text() };
  const at: AtForge = {
    records,
    checkouts: checkoutsIn(places),
    pool,
    states,
    worker: 'a worker',
    only: {},
    site: 0,
    platforms: new Map(),
    onError: () => undefined,
    pusher: pusherIn(places),
  };
  const signal = new AbortController().signal;
  /** What a poll and its runs do. */
  const look = async (): Promise<void> => {
    const source = await records.source('shop');
    if (source === undefined) throw new Error('no source');
    const commit = await at.checkouts.fetch(source);
    const previews = await at.checkouts.previewFiles(source, commit);
    const paths = (await at.checkouts.rootFiles(source, commit)).filter((path) => !previews.includes(path));
    if (commit === source.commit) await records.sawNothing(source);
    else await records.sawCommit(source, commit, paths, { previews });
    for (const { id, isGone } of await records.stacks())
      if (!isGone) await runStack(at, id, signal).catch((error: unknown) => errors.push(error));
  };
  const errors: unknown[] = [];
  /** What the forge is told then, until nothing is left to tell. Gives the jobs. */
  const tell = async (first: readonly string[] = ['pulls shop']): Promise<readonly string[]> => {
    const done: string[] = [];
    const keys = [...first];
    do {
      for (const key of keys.splice(0)) {
        done.push(key);
        await workAtForge(at, key, signal);
      }
      await sendDueAtForges(records, { send: async (_name, key) => void keys.push(key) }, 10);
      if (done.length > 20) throw new Error(`it does not end: ${done.join(', ')}`);
    } while (keys.length > 0);
    return done;
  };
  return {
    ...hosted,
    emulator,
    records,
    at,
    errors,
    enrol,
    look,
    tell,
    push: (files: Readonly<Record<string, string>>, branch?: string): string => {
      write(repository, files);
      return commitAll(repository, 'A change', branch);
    },
    drift: async (change: Readonly<Record<string, string>>): Promise<void> => {
      const [row] = Object.values(emulator.world.tables.redis);
      await edit({ emulator, apiKey }, 'redis.update', { redisId: row?.redisId, ...change });
    },
    posts: () => emulator.log.filter(({ method }) => method === 'POST').length,
    /** All that the forge shows. */
    shown: (): string => JSON.stringify([server.statuses, [...server.requests], [...server.comments]]),
  };
}
