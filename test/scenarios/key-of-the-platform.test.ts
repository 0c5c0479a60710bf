import { documentOf } from '../support/documents.ts';
import { describe, expect, test } from 'vitest';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import { driftExit } from '../../src/render/exit-codes.ts';
import { renderPlan } from '../../src/render/plan-text.ts';
import { plainStyle } from '../../src/render/style.ts';
import { driftOf } from '../support/drifting.ts';
import { exportOf } from '../support/exporting.ts';
import type { Bench } from '../support/world.ts';
import { bench, head } from '../support/world.ts';

/** The encryption key of the platform changed: it answers env files as cipher text. */

const cipher = 'enc:v1:AAECAwQFBgcICQoLDA0ODxAREhM=';
const shop = (env: string, more = '') => `${head}environments:
  production:
    compose:
      shop:
        env: ${env}${more}
        source: { type: raw, composeFile: "services: { web: { image: nginx } }" }
`;
const asMap = '{ REGION: eu, SECRET_TOKEN: canary-7f3a }';
const asText = '"REGION=eu\\n"';
const consent = { adoption: true, dataLoss: true };
const address = 'production.compose.shop';

/** A platform with the service, whose key changed afterwards. */
async function changedKey(text: string): Promise<{ made: Bench; restore: () => Promise<unknown> }> {
  const made = bench();
  await made.apply(text, consent);
  const composeId = made.store.state?.resources[address]?.id;
  const row = made.emulator.world.tables.compose[String(composeId)];
  const before = row?.['env'] ?? null;
  await made.emulator.act('compose.update', { composeId, env: cipher });
  made.requests('POST');
  return { made, restore: () => made.emulator.act('compose.update', { composeId, env: before }) };
}

const envOf = (made: Bench) => Object.values(made.emulator.world.tables.compose).map((row) => row['env']);

describe.each([
  ['a map', asMap],
  ['a text', asText],
])('an env file that the platform cannot decrypt, declared as %s', (_, env) => {
  test('is an error with the remedy, no difference, and no apply overwrites it', async () => {
    const { made } = await changedKey(shop(env));
    const plan = await made.plan(shop(env));
    const action = plan.actions.find((one) => one.address === address);
    expect(action).toMatchObject({
      action: 'no-op',
      changes: [],
      notes: [
        {
          code: 'not-decrypted',
          severity: 'error',
          message: 'env: the platform cannot decrypt the value that it stores, and answers cipher text',
          position: { line: 8 },
        },
      ],
    });
    const text = renderPlan(documentOf(plan), plainStyle);
    expect(text).toContain('If that key is lost, clear the field there');
    expect(text).not.toContain(cipher);
    await expect(made.apply(shop(env), consent)).rejects.toThrow(Stop);
    expect(made.requests('POST')).toEqual([]);
    expect(envOf(made)).toEqual([cipher]);
  });

  test('is an error of drift, and no finding that adopts cipher text', async () => {
    const { made } = await changedKey(shop(env));
    const found = await driftOf(made, shop(env));
    expect(found).toMatchObject({ findings: [], diagnostics: [{ code: 'not-decrypted', address }] });
    expect(JSON.stringify(found)).not.toContain(cipher);
  });

  test('is no end of what drifted in it before, and drift without another finding fails', async () => {
    const { made, restore } = await changedKey(shop(env));
    const [composeId] = Object.keys(made.emulator.world.tables.compose);
    await made.emulator.act('compose.update', { composeId, env: 'REGION=us\nSECRET_TOKEN=canary-7f3a' });
    expect(await driftOf(made, shop(env))).toMatchObject({ exitCode: 2, findings: [{ status: 'new' }] });
    await made.emulator.act('compose.update', { composeId, env: cipher });
    const unread = await driftOf(made, shop(env));
    expect([unread.findings, unread.resolved, driftExit(unread)]).toEqual([[], [], 'failed']);
    await made.emulator.act('compose.update', { composeId, env: 'REGION=us\nSECRET_TOKEN=canary-7f3a' });
    expect(await driftOf(made, shop(env))).toMatchObject({ exitCode: 8, findings: [{ status: 'known' }] });
    await restore();
    const after = await driftOf(made, shop(env));
    expect([after.findings, after.resolved.length, driftExit(after)]).toEqual([[], 1, 'done']);
  });

  test('is as before once the platform has its key again, and then plans nothing', async () => {
    const { made, restore } = await changedKey(shop(env));
    await made.plan(shop(env));
    await restore();
    const plan = await made.plan(shop(env));
    expect(plan.actions.filter(({ action, notes }) => action !== 'no-op' || notes.length > 0)).toEqual([]);
  });

  test('is written anew when somebody cleared it, and then plans nothing', async () => {
    const { made } = await changedKey(shop(env));
    const [composeId] = Object.keys(made.emulator.world.tables.compose);
    await made.emulator.act('compose.update', { composeId, env: null });
    await made.apply(shop(env), consent);
    expect(envOf(made)).toEqual([expect.stringContaining('REGION=eu')]);
    const plan = await made.plan(shop(env));
    expect(plan.actions.filter(({ action, notes }) => action !== 'no-op' || notes.length > 0)).toEqual([]);
  });

  test('keeps other changes of its block back', async () => {
    const { made } = await changedKey(shop(env));
    const text = shop(env, '\n        description: Live traffic');
    const plan = await made.plan(text);
    expect(plan.actions.find((one) => one.address === address)?.changes.map(({ path }) => path)).toEqual([
      'description',
    ]);
    await expect(made.apply(text, consent)).rejects.toThrow(Stop);
    expect(made.requests('POST')).toEqual([]);
  });
});

test('an export leaves the field out and says so', async () => {
  const { made } = await changedKey(shop(asMap));
  const { files, notes } = await exportOf(made);
  expect(JSON.stringify([...files])).not.toContain(cipher);
  expect(notes.filter((note) => note.address === address)).toMatchObject([
    { message: 'env: the platform cannot decrypt the value that it stores' },
  ]);
});

test('a block that does not declare the field is planned as ever', async () => {
  const undeclared = shop('{}').replace('        env: {}\n', '');
  const { made } = await changedKey(undeclared);
  const plan = await made.plan(undeclared);
  expect(plan.actions.filter(({ action, notes }) => action !== 'no-op' || notes.length > 0)).toEqual([]);
});
