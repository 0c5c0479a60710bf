import { afterEach, describe, expect, test, vi } from 'vitest';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Send } from '../../src/api/wire.ts';
import { applyInTime, ordersIn, platformWith } from '../support/deploying.ts';
import { answered, applyOver, failed, operationOf } from '../support/faults.ts';
import { meeting, planned } from '../support/restoring.ts';
import { bench, head } from '../support/world.ts';

/** What an apply does with objects that its plan leaves as they are, beside those that it writes, deploys and runs. */

afterEach(() => void vi.useRealTimers());

test('a seed that ran is not run again, however many objects beside it stay as they are', async () => {
  const others = Array.from(
    { length: 150 },
    (_, n) =>
      `  a${String(n).padStart(3, '0')}: { source: { type: docker, image: "nginx:1.27" }, env: { A: "${n}" } }\n`,
  );
  const text = `trueup: 1
platform: emulator
project: prj_1
environment: pr
preview: { seed: [application.zapi.schedules.seed] }
application:
${others.join('')}  zapi:
    source: { type: docker, image: nginx:1.27 }
    schedules:
      seed: { cronExpression: '0 3 * * *', command: npm run seed }
`;
  const made = bench();
  const isRun = (request: Parameters<Send>[0]) => operationOf(request) === 'schedule.runManually';
  const refused = answered(JSON.stringify({ status: 'error', deploymentId: 'd', logPath: '/logs/seed.log' }));
  await applyOver(made, text, (request) => (isRun(request) ? Promise.resolve(refused) : made.emulator.send(request)));
  const changes = async () => (await made.plan(text)).actions.filter(({ action }) => action !== 'no-op');
  expect((await changes()).map(({ action }) => action)).toEqual(['run']);
  const result = await applyOver(made, text, async (request) => {
    await sleep(1);
    return made.emulator.send(request);
  });
  expect(result.outcomes.filter((one) => one.result !== 'done')).toEqual([]);
  expect(await changes()).toEqual([]);
});

/** Three services, each of which refers to the one before it, with a variable of the first and of the last. */
const chain = (first: string, last: string) => {
  const app = (name: string, env: string) =>
    `      ${name}: { source: { type: raw, composeFile: 'services: { web: { image: "nginx:1.27" } }' }, env: { ${env} } }\n`;
  const apps = [
    app('zdb', `A: "${first}"`),
    app('mid', 'B: "${ref:compose.zdb.appName}"'),
    app('aweb', `C: "\${ref:compose.mid.appName}", N: "${last}"`),
  ];
  return `${head}environments:\n  production:\n    compose:\n${apps.join('')}`;
};

describe('deployments that are left from an apply without them', () => {
  /** The deployments of an apply, each with the seconds at which it was sent. */
  const deployedIn = async (meet: (operation: string) => ReturnType<typeof failed> | undefined = () => undefined) => {
    const made = platformWith(5);
    await applyInTime(made, chain('1', '1'));
    await applyInTime(made, chain('2', '2'), { deploys: false });
    const began = performance.now();
    const sent: [seconds: number, name: string][] = [];
    const names = () => Object.values(made.emulator.world.tables.compose);
    const send: Send = (request) => {
      const operation = operationOf(request);
      const { composeId } = JSON.parse(request.body ?? '{}') as { readonly composeId?: string };
      const name = String(names().find((one) => one['composeId'] === composeId)?.['name']);
      if (/^compose\.(?:re)?deploy$/.test(operation)) {
        sent.push([Math.round((performance.now() - began) / 1_000), name]);
        const refused = meet(name);
        if (refused !== undefined) return Promise.resolve(refused);
      }
      return made.emulator.send(request);
    };
    const result = await applyInTime(made, chain('2', '2'), { send });
    const results = result.outcomes.flatMap((one) =>
      one.action.action === 'deploy' ? [[one.action.block.split('.').at(-1), one.result]] : [],
    );
    return { made, sent, results: Object.fromEntries(results) as Record<string, string> };
  };

  test('come one after the other where services refer to each other through one that stays as it is', async () => {
    const { made, sent, results } = await deployedIn();
    expect(results).toEqual({ zdb: 'done', aweb: 'done' });
    expect(sent.map(([, name]) => name)).toEqual(['zdb', 'aweb']);
    expect((sent[1]?.[0] ?? 0) - (sent[0]?.[0] ?? 0)).toBeGreaterThanOrEqual(5);
    expect((await planned(made, chain('2', '2'))).actions.filter(({ action }) => action !== 'no-op')).toEqual([]);
  });

  test('are not made behind one that fails', async () => {
    const { sent, results } = await deployedIn((name) => (name === 'zdb' ? failed('no') : undefined));
    expect(results).toEqual({ zdb: 'failed', aweb: 'skipped' });
    expect([...new Set(sent.map(([, name]) => name))]).toEqual(['zdb']);
  });
});

test('a service whose change failed before holds back what refers to it', async () => {
  const text = (image: string, variable: string, more = '') => `${head}environments:
  production:
${more}    application:
      web: { source: { type: docker, image: "${image}" }, deploy: { onFailure: restore } }
      api: { source: { type: docker, image: "api:1" }, env: { W: "\${ref:application.web.appName}", N: "${variable}" } }
`;
  const database =
    '    postgres:\n      main: { dockerImage: "postgres:17", databaseName: shop, databaseUser: u, databasePassword: password-1 }\n';
  const made = platformWith(0);
  await applyInTime(made, text('web:1', '1'));
  const dies = 'web:2-will-exit-1-after-5s';
  const send = meeting(made, async (operation: string, nth: number) =>
    operation === 'application.saveDockerProvider' && nth >= 2 ? failed('no') : undefined,
  );
  await applyInTime(made, text(dies, '1'), { send });
  const last = text(dies, '${ref:postgres.main.host}', database);
  ordersIn(made);
  const result = await applyInTime(made, last);
  const results = result.outcomes.map((one) => [one.action.address, one.result]);
  expect(Object.fromEntries(results)).toMatchObject({
    'production.application.web': 'failed',
    'production.application.api': 'skipped',
  });
  expect(ordersIn(made)).not.toContain('application.saveEnvironment');
});

test('a deployment that the run does not wait for leaves its service stale, as nobody read what it takes in', async () => {
  const text = (image: string) =>
    `${head}environments:\n  production:\n    application:\n      web: { source: { type: docker, image: "${image}" } }\n`;
  const made = platformWith(3);
  await applyInTime(made, text('web:1'));
  await applyInTime(made, text('web:2'), { waits: false });
  const { pending, stale } = made.store.state?.deployments['production.application.web'] ?? {};
  expect(pending).toBeDefined();
  expect(stale).toEqual({});
  await applyInTime(made, text('web:2'));
  expect((await planned(made, text('web:2'))).actions.filter(({ action }) => action !== 'no-op')).toEqual([]);
});
