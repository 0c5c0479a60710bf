import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Send } from '../../src/api/wire.ts';
import { type Applying, applyInTime, ordersIn, plansNothingMore, platformWith } from '../support/deploying.ts';
import { answered, connection, failed, idOf, operationOf, results } from '../support/faults.ts';
import type { Bench } from '../support/world.ts';
import { head } from '../support/world.ts';

/** Why a deployment failed, and what the user can do about it. */

afterEach(() => {
  vi.useRealTimers();
});

const stack = (image: string) =>
  `${head}environments:\n  production:\n    compose:\n      shop: { source: { type: raw, composeFile: "services: { web: { image: '${image}' } }" } }\n`;
const database = (image: string) =>
  `${head}environments:\n  production:\n    postgres:\n      main: { dockerImage: "${image}", databaseName: shop, databaseUser: u, databasePassword: password-1 }\n`;
const shop = 'production.compose.shop';
const main = 'production.postgres.main';

const next = 'The next plan looks at what became of it, and deploys it again if it has to.';
const again = 'What was written before stays. Apply again: the deployment is planned until it succeeds.';

/** A platform that answers an operation itself, and lets all others through. */
const answers =
  (operation: string, answer: (made: Bench) => ReturnType<Send>) =>
  (made: Bench): Send =>
  (request) =>
    operationOf(request) === operation ? answer(made) : made.emulator.send(request);

/** A platform on which something happens with the first request of a deployment; then it goes on as it is. */
const deploying =
  (work: (made: Bench) => Promise<unknown>) =>
  (made: Bench): Send =>
  async (request) => {
    const answer = await made.emulator.send(request);
    if (operationOf(request) === 'compose.deploy') await work(made);
    return answer;
  };

interface Case {
  readonly text: (image: string) => string;
  readonly image?: string;
  readonly send?: (made: Bench) => Send;
  readonly options?: Applying;
  readonly message: string;
  readonly remedy: string;
}

const cases: Readonly<Record<string, Case>> = {
  'is not over in time': {
    text: stack,
    image: 'stall:1',
    options: { limitSeconds: 120 },
    message: `${shop} was not deployed: it was not over within 120 s`,
    remedy: `Give it more time with --deploy-timeout, or end it with trueup run kill-build ${shop}. ${next}`,
  },
  'of a database is not over in time': {
    text: database,
    image: 'stall:1',
    options: { limitSeconds: 120 },
    message: `${main} was not deployed: it was not over within 120 s`,
    remedy: `Give it more time with --deploy-timeout. ${next}`,
  },
  'is not begun': {
    text: stack,
    send: answers('compose.deploy', () => Promise.resolve(answered('{"success":true}'))),
    message: `${shop} was not deployed: the platform did not begin with it within 300 s, while nothing else of this run was deployed`,
    remedy: `Its queue may be stuck, or a restart of the platform may have emptied it. ${next}`,
  },
  'of a database never arrives': {
    text: database,
    send: answers('postgres.deploy', () => Promise.reject(connection('ECONNRESET'))),
    message: `${main} was not deployed: nothing of it shows in its status`,
    remedy: `Its queue may be stuck, or a restart of the platform may have emptied it. ${next}`,
  },
  'is answered with an error and does not begin': {
    text: stack,
    send: answers('compose.deploy', () => Promise.resolve(failed('Out of memory'))),
    message: `${shop} was not deployed: Out of memory`,
    remedy: next,
  },
  'of a database whose status cannot be reset is not sent': {
    text: database,
    send: answers('postgres.changeStatus', () => Promise.reject(connection('ECONNRESET'))),
    message: `${main} was not deployed: postgres.changeStatus was not confirmed: `,
    remedy: again,
  },
  'is of a service that is deleted meanwhile': {
    text: stack,
    send: deploying((made) =>
      made.emulator.act('compose.delete', { composeId: idOf(made, shop), deleteVolumes: false }),
    ),
    message: `${shop} was not deployed: it was deleted on the platform while it was deployed`,
    remedy: 'Plan again.',
  },
};

describe('a deployment that', () => {
  test.each(Object.entries(cases))(
    '%s says why, and what to do',
    async (_title, { text, image = 'nginx:2', ...one }) => {
      const made = platformWith(5);
      await applyInTime(made, text('nginx:1'));
      const send = one.send?.(made) ?? made.emulator.send;
      const result = await applyInTime(made, text(image), { ...one.options, send });
      expect(Object.values(results(result))).toContain('failed');
      const told = result.outcomes
        .flatMap(({ diagnostics }) => diagnostics)
        .filter(({ severity }) => severity === 'error');
      expect(told).toMatchObject([{ code: 'deploy-failed', remedy: one.remedy }]);
      expect(told[0]?.message).toContain(one.message);
      ordersIn(made);
      if (image === 'nginx:2') await applyInTime(made, text('nginx:2'));
      if (image === 'nginx:2') await plansNothingMore(made, text('nginx:2'));
    },
  );
});

test('a deployment whose service cannot be read any more has an unknown outcome', async () => {
  const made = platformWith(30);
  await applyInTime(made, stack('nginx:1'));
  let isDeploying = false;
  const send: Send = async (request) => {
    if (isDeploying && operationOf(request) === 'compose.one') return failed('no access', 403, { code: 'FORBIDDEN' });
    isDeploying ||= operationOf(request) === 'compose.deploy';
    return made.emulator.send(request);
  };
  const result = await applyInTime(made, stack('nginx:2'), { send });
  expect(results(result)[`${shop} (deploy)`]).toBe('failed');
  const told = result.outcomes.flatMap(({ diagnostics }) => diagnostics).find(({ code }) => code === 'deploy-failed');
  expect(told?.message).toMatch(/^production\.compose\.shop was not deployed: its outcome is unknown: /);
  expect(told?.remedy).toContain(next);
  ordersIn(made);
  await applyInTime(made, stack('nginx:2'));
  expect(ordersIn(made)).toEqual([]);
  await plansNothingMore(made, stack('nginx:2'));
});
