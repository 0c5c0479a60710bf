import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { attempts } from '../../src/api/attempts.ts';
import { createChance } from '../../src/emulator/faults/chance.ts';
import { createFaults } from '../../src/emulator/faults/faults.ts';
import { faultPlan } from '../../src/emulator/faults/fault-plan.ts';
import type { LoggedRequest } from '../../src/emulator/emulator.ts';
import type { Row } from '../../src/emulator/json-rows.ts';
import { servicesOf, observeServices } from '../../src/operate/service-states.ts';
import { addKey } from '../emulator/people.ts';
import type { Send } from '../../src/api/wire.ts';
import { session } from '../../src/workflow/session.ts';
import {
  applyThrough,
  batchFaults,
  batching,
  bulkClient,
  fullPlatform,
  planned,
  platformThrough,
} from '../support/bulk.ts';
import { everything, results, said } from '../support/faults.ts';
import { exportOf } from '../support/exporting.ts';
import { composeBody } from '../support/manifest-texts.ts';
import { effort } from '../support/whole.ts';
import { edited, objectsOf, whole } from '../support/unreliable.ts';
import { bench, head } from '../support/world.ts';

/** Reads that go together are fewer requests, and nothing else changes. */

const range = (count: number) => Array.from({ length: count }, (_, n) => n);
const environments = (names: readonly string[], services: number) =>
  `${head}environments:\n${names
    .map((name) => {
      const composes = range(services).map((n) => `      s${n}: { ${composeBody} }\n`);
      return `  ${name}:\n    env: { REGION: eu }\n    compose:\n${composes.join('')}`;
    })
    .join('')}`;
const readsIn = (log: LoggedRequest[]) => log.splice(0).map(({ operation }) => operation);

describe('the requests of a plan', () => {
  test.each([
    [1, 30],
    [3, 15],
  ])('%s environments with %s services each: one batch for 40 services', async (count, services) => {
    const text = environments(
      range(count).map((n) => `e${n}`),
      services,
    );
    const made = bench();
    await made.apply(text);
    const emulator = batching(made);
    const alone = bulkClient(made, emulator.send, { bulk: false });
    const without = await planned(made, text, alone.client);
    const single = readsIn(emulator.log);
    expect(without).toContain('"hasChanges": false');
    expect(single).toHaveLength(2 + count + count * services);
    const { client, off } = bulkClient(made, emulator.send);
    expect(await planned(made, text, client)).toBe(without);
    const together = readsIn(emulator.log);
    expect(together.length).toBeLessThanOrEqual(1 + count + Math.ceil((count * services) / 40) + 1);
    expect(together.filter((operation) => operation !== 'trpc')).toHaveLength(count === 1 ? 2 : 1);
    expect(off).toEqual([]);
  });

  test.each([
    [10, 42],
    [20, 500],
  ])('a key that is limited to %d uses plans %d services', async (rateLimitMax, services) => {
    const text = environments(['production'], services);
    const made = bench();
    await made.apply(text);
    const metadata = JSON.stringify({ organizationId: 'org_1' });
    const limits = { rateLimitEnabled: true, rateLimitMax, rateLimitTimeWindow: 86_400_000, requestCount: 0 };
    const apiKey = addKey(made.emulator.world, 'limited', 'user_1', { metadata, ...limits });
    const { client } = bulkClient(made, batching(made).send, { apiKey, limitOfNewKey: attempts.newKey });
    expect(await planned(made, text, client)).toContain('"hasChanges": false');
  });
});

describe('the other commands that read much', () => {
  test('status reads all services with a request for 40', async () => {
    const made = bench();
    await made.apply(environments(['production'], 12));
    const { state } = made.store;
    if (state === undefined) throw new Error('no state');
    const { kinds } = made.world();
    const emulator = batching(made);
    const status = async (bulk: boolean) => {
      const { client } = bulkClient(made, emulator.send, { bulk });
      return observeServices(servicesOf(state, kinds), { client, kinds, state, addSecret: () => undefined });
    };
    expect(await status(true)).toEqual(await status(false));
    const reads = readsIn(emulator.log);
    const alone = reads.lastIndexOf('trpc') + 1;
    expect(reads.length - alone).toBeGreaterThanOrEqual(12);
    expect(alone).toBeLessThanOrEqual(4);
  });

  test('export writes the same manifest', async () => {
    const made = await fullPlatform();
    const emulator = batching(made);
    const exportWith = async (bulk: boolean) => {
      const { client, off } = bulkClient(made, emulator.send, { bulk });
      const { files } = await exportOf({ ...made, world: () => ({ ...made.world(), client }) });
      return { files, off, reads: readsIn(emulator.log).length };
    };
    const [alone, together] = [await exportWith(false), await exportWith(true)];
    expect(together.files).toEqual(alone.files);
    expect(together.off).toEqual([]);
    // Some lists of an organization are never read together.
    expect(together.reads * 1.9).toBeLessThanOrEqual(alone.reads);
  });
});

describe('nothing counts as absent because of a batch:', () => {
  const text = environments(['production', 'staging'], 3);
  const applied = (async () => {
    const made = bench();
    await made.apply(text);
    return made;
  })();

  test.each([
    ['every list lacks its rows', 'after: { hide: all }'],
    ['items are in another order', 'after: { items: shuffled }'],
    ['an item is missing', 'after: { items: fewer }'],
    ['an item is too many', 'after: { items: more }'],
    ['a query failed', 'after: { items: failed }'],
    ['404', 'before: { answer: 404 }'],
    ['414', 'before: { answer: 414 }'],
    ['a page', 'after: { page: 200 }'],
    ['half of the JSON', 'after: { cut: json }'],
    ['half of the answer', 'after: { cut: length }'],
    ['no answer', 'after: drop'],
  ])('%s', async (_, fault) => {
    const { emulator: over, clock, store } = await applied;
    for (const at of ['', 'at: 1, ', 'at: 2, ', 'at: 3, ']) {
      for (const state of [store.state, undefined]) {
        const made = bench({ emulator: over, clock });
        made.store.state = state;
        const emulator = batching(made);
        const calm = await planned(made, text, bulkClient(made, emulator.send, { bulk: false }).client);
        const plan = faultPlan.parse(parse(`faults: [{ on: trpc, ${at}${fault} }]`));
        const { client } = bulkClient(made, createFaults(emulator, plan).send);
        expect(await planned(made, text, client)).toBe(calm);
      }
    }
  });
});

describe('a plan with bulk reads is byte for byte the one without, in a random world with random faults:', () => {
  /** Edits of somebody else, each of one row that is there. */
  const edits: readonly ((row: (table: string) => Row) => readonly [string, Row])[] = [
    (row) => ['compose.update', { composeId: row('compose')['composeId'] ?? '', description: 'theirs' }],
    (row) => ['compose.delete', { composeId: row('compose')['composeId'] ?? '', deleteVolumes: false }],
    (row) => ['domain.delete', { domainId: row('domain')['domainId'] ?? '' }],
    (row) => ['mounts.remove', { mountId: row('mount')['mountId'] ?? '' }],
    (row) => ['redis.remove', { redisId: row('redis')['redisId'] ?? '' }],
    (row) => ['postgres.update', { postgresId: row('postgres')['postgresId'] ?? '', memoryLimit: '1' }],
    (row) => ['environment.update', { environmentId: row('environment')['environmentId'] ?? '', env: 'A=theirs' }],
    (row) => ['sshKey.remove', { sshKeyId: row('sshKey')['sshKeyId'] ?? '' }],
    (row) => ['ai.delete', { aiId: row('ai')['aiId'] ?? '' }],
  ];
  test.each(range(effort({ fast: 5, full: 8, all: 20 })))('%i', async (seed) => {
    const made = await fullPlatform();
    const chance = createChance(seed);
    const anyRow = (table: string): Row => {
      const rows = Object.values(made.emulator.world.tables[table as 'compose']);
      return rows[Math.floor(chance() * rows.length)] ?? {};
    };
    for (const _ of range(Math.floor(chance() * 4))) {
      const [operation, input] = edits[Math.floor(chance() * edits.length)]?.(anyRow) ?? ['', {}];
      await made.emulator.act(operation, input).catch(() => undefined);
    }
    if (chance() < 0.2) made.store.state = undefined;
    const emulator = batching(made);
    const without = await planned(made, whole, bulkClient(made, emulator.send, { bulk: false }).client);
    const calm = bulkClient(made, emulator.send);
    expect(await planned(made, whole, calm.client)).toBe(without);
    expect(calm.off).toEqual([]);
    const { client } = bulkClient(made, createFaults(emulator, batchFaults(seed)).send);
    expect(await planned(made, whole, client)).toBe(without);
  });
});

describe('an apply with bulk reads', () => {
  const faulty = range(effort({ fast: 3, full: 8, all: 12 }));
  test.each(faulty)('ends as one without, with random faults: %i', async (seed) => {
    const steps = [{ text: edited }, { text: edited, destroys: true }];
    const calm = await fullPlatform();
    const made = await fullPlatform();
    const emulator = batching(made);
    for (const { text, ...about } of steps) {
      await applyThrough(calm, text, bulkClient(calm, batching(calm).send, { bulk: false }).client, about);
      const { client } = bulkClient(made, createFaults(emulator, batchFaults(seed)).send);
      const result = await applyThrough(made, text, client, about);
      expect(said(result)).not.toMatch(/changed on the platform|still there/);
      expect(result.outcomes.filter((one) => one.result !== 'done')).toEqual([]);
      expect(objectsOf(made)).toEqual(objectsOf(calm));
    }
    expect(made.store.state?.resources).toEqual(calm.store.state?.resources);
  });

  test('reads what it writes next in one request, and again where that was more than 5 s ago', async () => {
    const text = (value: string) =>
      environments(['production'], 4).replaceAll(composeBody, `${composeBody}, description: "${value}"`);
    const made = bench();
    await made.apply(text('1'));
    const emulator = batching(made);
    // Services that are ready from the beginning are written in the order of the plan.
    const last = made.store.state?.resources['production.compose.s3']?.id ?? '';
    const byHand = async () => {
      await made.emulator.act('compose.update', { composeId: last, description: 'by hand' });
      await made.clock.sleep(6_000);
    };
    let meddling: Promise<void> | undefined;
    const send: Send = async (request) => {
      if (request.method === 'POST') await (meddling ??= byHand());
      return emulator.send(request);
    };
    const { client, off } = bulkClient(made, send);
    const result = await applyThrough(made, text('2'), client, { connections: 1 });
    expect(off).toEqual([]);
    expect(said(result)).toContain('description of production.compose.s3 was changed on the platform');
    expect(results(result)).toMatchObject({ 'production.compose.s0': 'done', 'production.compose.s3': 'failed' });
    const before = emulator.log.findIndex(({ method }) => method === 'POST');
    const reads = emulator.log.slice(before - 1, before).map(({ operation }) => operation);
    expect(reads).toEqual(['trpc']);
    await made.apply(text('2'));
    expect(await planned(made, text('2'), bulkClient(made, emulator.send, { bulk: false }).client)).toContain(
      '"hasChanges": false',
    );
  });

  test.each([
    [1, 'bulk reads'],
    [4, 'bulk reads'],
    [8, 'bulk reads'],
    [1, 'bulk reads that end after the plan'],
    [4, 'bulk reads that end after the plan'],
  ])('creates objects below services that are there, over %i connections with %s', async (connections, reads) => {
    const before = environments(['production'], 10);
    const after = before.replaceAll(composeBody, `${composeBody}, files: { app.conf: { content: a } }`);
    const made = bench();
    await made.apply(before);
    const emulator = batching(made);
    let isCut = false;
    const send: Send = (request) =>
      isCut && request.path.includes('/trpc/')
        ? Promise.resolve({ status: 404, headers: {}, body: '' })
        : emulator.send(request);
    const { client, off } = bulkClient(made, send, { connections });
    const at = { purpose: 'apply', clock: made.clock, connections };
    const result = await session(await made.manifest(after), platformThrough(made, client), at, async (run) => {
      const plan = await run.plan();
      isCut = reads !== 'bulk reads';
      return run.apply(plan, everything);
    });
    expect(off).toHaveLength(reads === 'bulk reads' ? 0 : 1);
    expect(result.outcomes.filter((one) => one.result !== 'done')).toEqual([]);
    expect(await planned(made, after, client)).toContain('"hasChanges": false');
  });

  test('reads what a request sends back as it is just before that request', async () => {
    const databases = range(4).map(
      (n) =>
        `      d${n}: { dockerImage: "postgres:17", databaseName: d, databaseUser: u, databasePassword: password-1, backups: { nightly: { schedule: "0 3 * * *", destinationId: dst_1, prefix: n/${n} } } }\n`,
    );
    const before = `${head}environments:\n  production:\n    postgres:\n${databases.join('')}`;
    const after = before.replaceAll('0 3 * * *', '0 4 * * *');
    const made = bench();
    await made.apply(before);
    const { backup } = made.emulator.world.tables;
    const last = () => Object.values(backup).find(({ prefix }) => prefix === 'n/3') ?? {};
    const emulator = batching(made);
    let meddling: Promise<unknown> | undefined;
    const send: Send = async (request) => {
      if (request.method === 'POST')
        await (meddling ??= made.emulator.act('backup.update', { ...last(), keepLatestCount: 5 }));
      return emulator.send(request);
    };
    const result = await applyThrough(made, after, bulkClient(made, send).client, { connections: 1 });
    expect(result.outcomes.filter((one) => one.result !== 'done')).toEqual([]);
    expect(last()).toMatchObject({ schedule: '0 4 * * *', keepLatestCount: 5 });
    expect(await planned(made, after, bulkClient(made, emulator.send, { bulk: false }).client)).toContain(
      '"hasChanges": false',
    );
  });
});
