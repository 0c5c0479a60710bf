import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { diagnostic, Stop } from '../../src/diagnostics/diagnostic.ts';
import { createChance } from '../../src/emulator/faults/chance.ts';
import { createFaults } from '../../src/emulator/faults/faults.ts';
import { faultPlan } from '../../src/emulator/faults/fault-plan.ts';
import type { Send } from '../../src/api/wire.ts';
import { parse } from 'yaml';
import { addKey } from '../emulator/people.ts';
import { applyThrough, batchFaults, batching, bulkClient, fullPlatform, planned } from '../support/bulk.ts';
import { likenessOf } from '../support/crashes/likeness.ts';
import { connection, idOf, operationOf, results, said } from '../support/faults.ts';
import { composeBody, database, production } from '../support/manifest-texts.ts';
import { modelOf } from '../support/random-blocks.ts';
import { twoManifests } from '../support/random-commands.ts';
import { applyEdit } from '../support/random-edits.ts';
import { treeOf, yamlOf } from '../support/random-yaml.ts';
import { countedIds, edited } from '../support/unreliable.ts';
import { effort, isSoak } from '../support/whole.ts';
import type { Bench } from '../support/world.ts';
import { bench } from '../support/world.ts';

/** Applies with bulk reads that fail, are cut short or wait: each comes to what one without bulk reads comes to. */

const range = (count: number) => Array.from({ length: count }, (_, n) => n);
const isBatch = ({ path }: Parameters<Send>[0]) => path.startsWith('/api/trpc/');
/** What is there and what is remembered, without what chance decides: the inputs of a deployment hold appNames. */
const likeness = ({ emulator, store }: Bench) =>
  likenessOf(emulator.world, store.state).map((line) =>
    line
      .replace(/"inputs":"[^"]*"/, '')
      .replace(/"databaseRootPassword","[a-z0-9]{16}"/, '')
      .replaceAll(/id\d{19}/g, 'an id that is gone')
      .replaceAll(/-[a-z0-9]{6}\b/g, ''),
  );
const undone = ({ outcomes }: Awaited<ReturnType<typeof applyThrough>>) =>
  outcomes.filter(({ result }) => result !== 'done').map(({ action, result }) => `${result} ${action.address}`);

/** A world that has an enterprise license, which some kinds need. */
function licensed(): Bench {
  const made = bench();
  const { user } = made.emulator.world.tables;
  Object.assign(user['user_1'] ?? {}, { enableEnterpriseFeatures: true, isValidEnterpriseLicense: true });
  return made;
}

/** The plan of a manifest, read one by one, has no change. */
async function expectNothingLeft(made: Bench, text: string): Promise<void> {
  const { client } = bulkClient(made, batching(made).send, { bulk: false });
  expect(await planned(made, text, client)).toContain('"hasChanges": false');
}

/** What `edited` comes to without bulk reads. */
const wanted = (async () => {
  const made = await fullPlatform();
  const { client } = bulkClient(made, batching(made).send, { bulk: false });
  expect(undone(await applyThrough(made, edited, client))).toEqual([]);
  return likeness(made);
})();

/** How many requests an apply of `edited` with bulk reads takes, by their sort. */
const counted = (async () => {
  const made = await fullPlatform();
  const emulator = batching(made);
  expect(undone(await applyThrough(made, edited, bulkClient(made, emulator.send).client))).toEqual([]);
  expect(likeness(made)).toEqual(await wanted);
  const batches = emulator.log.filter(({ operation }) => operation === 'trpc').length;
  const writes = emulator.log.filter(({ method }) => method === 'POST').length;
  return { batches, writes, requests: emulator.log.length };
})();

describe('one batch of an apply is answered with', () => {
  const off = ['before: drop', 'after: drop', 'before: { answer: 401 }', 'before: { answer: 414 }'].concat(
    ['before: { answer: 503 }', 'before: { page: 200 }', 'after: { cut: json }', 'after: { cut: reset }'],
    ['after: { items: fewer }', 'after: { items: more }', 'after: { items: shuffled }'],
  );
  const passing = ['after: { items: failed }', 'before: { answer: 429, retryAfter: 1s }', 'after: { hide: all }'];

  test.each([...off, ...passing].map((fault, turn) => [turn, fault] as const))('%i: %s', async (turn, fault) => {
    const { batches } = await counted;
    expect(batches).toBeGreaterThan(3);
    for (const at of effort({ fast: [turn % batches], soak: range(batches) })) {
      for (const connections of effort({ fast: [turn % 2 === 0 ? 1 : 4], soak: [1, 4] })) {
        const made = await fullPlatform();
        const plan = faultPlan.parse(parse(`faults: [{ on: trpc, at: ${at + 1}, ${fault} }]`));
        const { client } = bulkClient(made, createFaults(batching(made), plan).send, { connections });
        const result = await applyThrough(made, edited, client, { connections });
        expect(undone(result), `batch ${at}`).toEqual([]);
        expect(likeness(made), `batch ${at}`).toEqual(await wanted);
        await expectNothingLeft(made, edited);
      }
    }
  });
});

describe('an apply with bulk reads is ended, and the next one comes to the end,', () => {
  const endings: [string, (count: number) => { readonly send: (send: Send) => Send; readonly signal?: AbortSignal }][] =
    [
      [
        'by Ctrl-C',
        (count) => {
          const controller = new AbortController();
          let at = 0;
          const send =
            (real: Send): Send =>
            async (request) => {
              if (at++ === count) controller.abort();
              return real(request);
            };
          return { send, signal: controller.signal };
        },
      ],
      [
        'by the loss of its lock',
        (count) => {
          let at = 0;
          const send =
            (real: Send): Send =>
            async (request) => {
              if (at++ >= count && request.method === 'POST')
                throw new Stop('locked', [diagnostic('locked', 'the lock is lost')]);
              return real(request);
            };
          return { send };
        },
      ],
    ];
  test.each(endings)('%s', async (_, ending) => {
    const { requests } = await counted;
    for (const count of range(requests).filter((at) => isSoak || at % 12 === 0)) {
      for (const connections of effort({ fast: [count % 24 === 0 ? 1 : 4], soak: [1, 4] })) {
        const made = await fullPlatform();
        const emulator = batching(made);
        const { send, ...about } = ending(count);
        const { client } = bulkClient(made, send(emulator.send), { connections });
        await applyThrough(made, edited, client, { connections, ...about }).catch((error: unknown) => {
          expect(error).toBeInstanceOf(Stop); // of a plan that was interrupted
        });
        const next = await applyThrough(made, edited, bulkClient(made, emulator.send).client);
        expect(undone(next), `request ${count}`).toEqual([]);
        expect(likeness(made), `request ${count}`).toEqual(await wanted);
        await expectNothingLeft(made, edited);
      }
    }
  });
});

test.each([1, 2, 4])('a key that may be used 20 times in a minute applies over %i connections', async (connections) => {
  const made = await fullPlatform();
  const metadata = JSON.stringify({ organizationId: 'org_1' });
  const limits = { rateLimitEnabled: true, rateLimitMax: 20, rateLimitTimeWindow: 60_000, requestCount: 0 };
  const apiKey = addKey(made.emulator.world, 'limited', 'user_1', { metadata, ...limits });
  const { sleep, monotonic } = made.clock;
  const { client } = bulkClient(made, batching(made).send, { connections, apiKey, sleep, clock: monotonic });
  expect(undone(await applyThrough(made, edited, client, { connections }))).toEqual([]);
  await expectNothingLeft(made, edited);
});

test('a change by hand while apply waits for a lost create is no other form of the value: the next plan shows it', async () => {
  const text = (value: string, more = '') =>
    production(`    compose: { shop: { ${composeBody}, description: "${value}" } }\n${more}`);
  const made = bench();
  await made.apply(text('1'));
  const emulator = batching(made);
  const composeId = idOf(made, 'production.compose.shop');
  let isLost = false;
  let meddling: Promise<unknown> | undefined;
  const send: Send = async (request) => {
    const isCreate = operationOf(request) === 'postgres.create';
    if (isCreate && !isLost) {
      isLost = true;
      throw connection('ECONNRESET');
    }
    if (isCreate) await (meddling ??= made.emulator.act('compose.update', { composeId, description: 'by hand' }));
    return emulator.send(request);
  };
  const through = bulkClient(made, send);
  const after = text('2', database());
  const result = await applyThrough(made, after, through.client);
  expect([undone(result), through.off]).toEqual([[], []]);
  expect(meddling).toBeDefined();
  const { client } = bulkClient(made, emulator.send);
  expect(await planned(made, after, client)).toContain('by hand');
  await applyThrough(made, after, client);
  await expectNothingLeft(made, after);
});

describe('a batch of rows that are written next', () => {
  const text = (value: string) =>
    production(
      `    compose:\n${range(4)
        .map((n) => `      s${n}: { ${composeBody}, description: "${value}" }\n`)
        .join('')}`,
    );

  /** Somebody acts when the batch before the first write was executed; its answer comes so much later. Milliseconds. */
  const meddling = async (ms: number, act: (made: Bench, composeId: string) => Promise<unknown>) => {
    const made = bench();
    await made.apply(text('1'));
    const emulator = batching(made);
    const { client, off } = bulkClient(made, emulator.send);
    const composeId = made.store.state?.resources['production.compose.s0']?.id ?? '';
    let batches = 0;
    const send: Send = async (request) => {
      const answer = await emulator.send(request);
      // The first is the trial of the plan.
      if (isBatch(request) && ++batches === 2) {
        await act(made, composeId);
        await made.clock.sleep(ms);
      }
      return answer;
    };
    const through = bulkClient(made, send);
    const result = await applyThrough(made, text('2'), through.client, { connections: 1 });
    expect([...off, ...through.off]).toEqual([]);
    expect(batches).toBeGreaterThan(2);
    await applyThrough(made, text('2'), client);
    await expectNothingLeft(made, text('2'));
    return result;
  };
  const others = { 'production.compose.s1': 'done', 'production.compose.s2': 'done', 'production.compose.s3': 'done' };

  test('that comes 6 s late does not count: what a person changed meanwhile is not overwritten', async () => {
    const result = await meddling(6_000, (made, composeId) =>
      made.emulator.act('compose.update', { composeId, description: 'by hand' }),
    );
    expect(said(result)).toContain('description of production.compose.s0 was changed on the platform');
    expect(results(result)).toMatchObject({ 'production.compose.s0': 'failed', ...others });
  });

  test('that lacks an object is read again alone, and so is what a person deleted', async () => {
    const result = await meddling(6_000, (made, composeId) =>
      made.emulator.act('compose.delete', { composeId, deleteVolumes: false }),
    );
    expect(said(result)).toContain('production.compose.s0 is not on the platform any more');
    expect(results(result)).toMatchObject({ 'production.compose.s0': 'failed', ...others });
  });
});

test('random manifests, faults of batches and interruptions: an apply comes to what one without bulk reads comes to', async () => {
  const stories = fc.record({
    begin: twoManifests,
    seed: fc.nat(1_000_000),
    connections: fc.constantFrom(1, 2, 4, 8),
    // The request of the second apply with which it is interrupted.
    end: fc.option(fc.nat(30), { nil: undefined }),
  });
  let compared = 0;
  const property = fc.asyncProperty(stories, async ({ begin, seed, connections, end }) => {
    const [alone, together] = [licensed(), licensed()];
    // An id of chance looks like a secret now and then.
    const calmly = batching(alone, { newId: countedIds() });
    const server = batching(together, { newId: countedIds() });
    const model = modelOf(begin);
    const before = yamlOf(treeOf(model, []));
    for (const edit of begin.edits) applyEdit(model, edit);
    const after = yamlOf(treeOf(model, []));
    for (const [n, text] of [before, after].entries()) {
      const single = bulkClient(alone, calmly.send, { bulk: false });
      const calm = await orRefusal(applyThrough(alone, text, single.client));
      const random = createChance(seed + n);
      const faulty = () => createFaults(server, batchFaults(Math.floor(random() * 1_000_000))).send;
      if (n === 1 && end !== undefined) {
        const controller = new AbortController();
        const send = faulty();
        let at = 0;
        const ending: Send = async (request) => {
          if (at++ === end) controller.abort();
          return send(request);
        };
        const { client } = bulkClient(together, ending, { connections });
        await orRefusal(applyThrough(together, text, client, { connections, signal: controller.signal }));
      }
      const { client } = bulkClient(together, faulty(), { connections });
      const result = await orRefusal(applyThrough(together, text, client, { connections }));
      if (typeof calm === 'string' || typeof result === 'string') {
        expect(result).toEqual(calm);
        return;
      }
      expect(undone(result)).toEqual(undone(calm));
      expect(likeness(together)).toEqual(likeness(alone));
      if (undone(calm).length === 0) await expectNothingLeft(together, text);
      compared += 1;
    }
  });
  const numRuns = Number(process.env['TRUEUP_RUNS'] ?? effort({ fast: 10, soak: 200 }));
  await fc.assert(property, {
    seed: Number(process.env['TRUEUP_SEED'] ?? 1),
    numRuns,
    endOnFailure: true,
  });
  expect(compared).toBeGreaterThan(numRuns / 2);
}, 700_000);

/** The result of an apply, or the codes and addresses that its plan is refused with. */
async function orRefusal<T>(work: Promise<T>): Promise<T | string> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    return error.diagnostics.map(({ code, address = '' }) => `${code} ${address}`).join(', ');
  }
}
