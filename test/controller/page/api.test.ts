import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type * as z from 'zod';
import { api } from '../../../src/controller/page/api.ts';
import * as documents from '../../../src/render/document-schemas.ts';
import { type ControllerDatabase, pageFor, startControllerDatabase } from '../../support/controller-pages.ts';
import { type ExampleRows, exampleRows, rowsOf } from '../../support/controller-rows.ts';
import { whyNoPostgres } from '../../support/postgres-server.ts';

/** The API as programs use it: with a token, and by the published schemas alone. */

const tokens = {
  shops: { token: 'a-token-for-the-approver-of-the-shops-1', role: 'approver', labels: { tier: 'shop' } },
  sites: { token: 'a-token-for-somebody-who-looks-at-sites', role: 'viewer', labels: { tier: 'site' } },
  all: { token: 'a-token-for-the-admin-of-everything-111', role: 'admin', labels: {} },
  agent: { token: 'a-token-for-an-agent-that-proposes-only', role: 'agent', labels: {} },
} as const;

const missing = whyNoPostgres();

describe.skipIf(missing !== undefined)(missing ?? 'the API', () => {
  let database: ControllerDatabase;
  let example: ExampleRows;
  let app: FastifyInstance;
  beforeAll(async () => {
    database = await startControllerDatabase();
    example = await exampleRows(database.pool, 'trueup_controller');
    app = pageFor(database.records, {
      parts: [api],
      tokens: Object.entries(tokens).map(([name, one]) => ({ name, ...one })),
    });
  });
  afterAll(() => database.stop());

  const send = async (who: keyof typeof tokens, url: string, body?: object) => {
    const answer = await app.inject({
      method: body === undefined ? 'GET' : 'POST',
      url: `/api/v1${url}`,
      headers: { authorization: `Bearer ${tokens[who].token}` },
      ...(body === undefined ? {} : { payload: body }),
    });
    return { status: answer.statusCode, json: answer.json<unknown>() };
  };
  /** Reads an answer by its schema, and proves that the schema knows all of it. */
  const read = <T>(schema: z.ZodType<T>, { json }: { readonly json: unknown }): T => {
    const parsed = schema.parse(json);
    expect(parsed).toEqual(json);
    expect(documents.anyDocument.parse(json)).toEqual(json);
    return parsed;
  };
  const checkout = '/stacks/shops:checkout~1trueup.yaml';

  test('lists stacks with their states, narrowed as the page is', async () => {
    const all = read(documents.controllerStacksDocument, await send('all', '/stacks'));
    expect(all.found).toBe(16);
    const failed = read(documents.controllerStacksDocument, await send('all', '/stacks?state=failed'));
    expect(failed.stacks.map(({ id, state }) => [id, state])).toEqual([['shops:search/trueup.yaml', 'failed']]);
    const canaries = read(documents.controllerStacksDocument, await send('sites', '/stacks?label=ring%3Dcanary'));
    expect(canaries.stacks.map(({ id }) => id)).toEqual(['sites:lyon/trueup.yaml']);
  });

  test('gives a stack, its plan and its runs by published documents', async () => {
    const { stack, runs } = read(documents.controllerStackDocument, await send('agent', checkout));
    expect(stack).toMatchObject({ state: 'approval', plan: { digest: example.waiting, cause: 'commit' } });
    expect(stack.address).toBe('https://trueup.example.com/stacks/shops:checkout~1trueup.yaml');
    const plan = read(documents.controllerPlanDocument, await send('agent', `/plans/${stack.plan?.digest}`));
    expect(plan.state).toBe('waits');
    expect(plan.dataLoss).toEqual(['production.redis.sessions', 'staging.redis.cache']);
    const applied = runs.find(({ kind }) => kind === 'apply');
    const run = read(documents.controllerRunDocument, await send('agent', `/runs/${applied?.id}`));
    expect(run.document?.format).toBe('trueup/result');
    const drift = read(documents.controllerRunDocument, await send('all', `/runs/${example.looked}`));
    expect(drift.document?.format).toBe('trueup/drift');
    const going = read(documents.controllerRunDocument, await send('all', `/runs/${example.going}`));
    const actions = going.progress?.actions ?? [];
    expect(going.progress).toMatchObject({ all: actions.length, over: 0, running: 0, failed: 0 });
    expect(actions.length).toBeGreaterThan(0);
    const { address = '', action = 'create' } = actions[0] ?? {};
    await database.records.noteProgress(example.going, [{ address, action, event: 'started', seconds: 3 }]);
    const later = read(documents.controllerRunDocument, await send('all', `/runs/${example.going}`));
    expect(later.progress).toMatchObject({ over: 0, running: 1 });
    expect(later.progress?.actions).toContainEqual(expect.objectContaining({ address, action, stage: 'started' }));
    expect(run.progress).toBeUndefined();
  });

  test('shows nothing of stacks with other labels', async () => {
    for (const url of [checkout, `/plans/${example.waiting}`, `/runs/${example.done}`, '/stacks/none'])
      expect([url, (await send('sites', url)).status]).toEqual([url, 404]);
    const { events } = read(documents.controllerEventsDocument, await send('sites', '/events'));
    expect(events).toEqual([]);
    expect(read(documents.controllerEventsDocument, await send('all', '/events')).events).toHaveLength(3);
  });

  test('takes a verdict of an approver with consent, once, and of nobody else', async () => {
    const form = `/plans/${example.waiting}/verdict`;
    const complete = { verdict: 'approve', because: 'as announced', dataLoss: true };
    expect((await send('agent', form, complete)).status).toBe(403);
    expect((await send('sites', form, complete)).status).toBe(403);
    expect((await send('shops', form, { verdict: 'perhaps' })).status).toBe(400);
    expect((await send('shops', form, { ...complete, dataLoss: false })).status).toBe(422);
    const answer = await send('shops', form, complete);
    expect(answer.status).toBe(200);
    expect(read(documents.controllerPlanDocument, answer)).toMatchObject({
      state: 'wave',
      verdicts: [{ who: 'token:shops', role: 'approver', approves: true, because: 'as announced' }],
    });
    const again = await send('shops', form, complete);
    expect([again.status, read(documents.controllerPlanDocument, again).state]).toEqual([409, 'wave']);
    const late = await send('shops', `/plans/${example.superseded}/verdict`, complete);
    expect([late.status, read(documents.controllerPlanDocument, late).state]).toEqual([409, 'superseded']);
  });

  test('pauses, resumes and runs a stack', async () => {
    const id = 'shops:accounts/trueup.yaml';
    const url = '/stacks/shops:accounts~1trueup.yaml';
    const until = new Date(Date.now() + 3_600_000).toISOString();
    const paused = read(
      documents.controllerStackDocument,
      await send('shops', `${url}/pause`, { until, because: 'a fair' }),
    );
    expect(paused.stack).toMatchObject({ state: 'paused', paused: { by: 'token:shops', because: 'a fair', until } });
    expect((await send('shops', `${url}/pause`, { until: 'soon', because: 'a fair' })).status).toBe(400);
    const resumed = await send('shops', `${url}/resume`, { because: 'over' });
    expect(read(documents.controllerStackDocument, resumed).stack.state).toBe('in step');
    expect((await send('shops', `${url}/run`, {})).status).toBe(200);
    expect((await send('agent', `${url}/run`, {})).status).toBe(403);
    const [row] = await rowsOf(database.pool, 'trueup_controller').send<{ readonly due: boolean }>(
      'select look_at <= now() as due from @stack where id = $1',
      [id],
    );
    expect(row?.due).toBe(true);
  });
});
