import { expect, test } from 'vitest';
import { deploy } from '../../src/apply/deploy.ts';
import type { Row } from '../../src/formats/json.ts';
import { partAddress } from '../../src/kind/address.ts';
import type { Step } from '../../src/plan/action.ts';
import { actionOf, kindNamed, recordOf, serviceOf } from '../support/plan-values.ts';
import { jobFor, runOf } from '../support/run-values.ts';
import { selfMovingClock } from '../support/virtual-clock.ts';

/** How long a run waits for a deployment that the platform accepted and does not begin. */

const address = 'production.compose.shop';
const kind = kindNamed('compose');
const step: Step = { operation: 'compose.deploy', role: 'deploy', members: {}, changed: [] };
const production = actionOf('production', { kind: kindNamed('environment'), id: 'env_1' });

/** Deploys a compose on a platform that has an environment, or none; gives the error and the seconds that passed. */
async function deployed(environment: Row | undefined, others = [production]) {
  const service = serviceOf({ known: {}, inputs: () => 'now' });
  const root = actionOf(address, { kind, id: 'compose_1', parent: 'production', service });
  const beside = { kind, id: 'compose_1', parent: address, steps: [step], action: 'deploy' } as const;
  const deployment = actionOf(partAddress(address, 'deployment'), beside);
  const rows: Readonly<Record<string, unknown>> = {
    'compose.one': { composeId: 'compose_1', composeStatus: 'idle', deployments: [] },
    'compose.deploy': { success: true },
    'environment.one': environment,
  };
  const clock = selfMovingClock();
  const { run } = runOf([...others, root, deployment], {
    answers: (operation) => rows[operation],
    more: { clock },
    resources: { [address]: recordOf('compose', 'compose_1') },
  });
  const error = await deploy(run, jobFor(run, deployment)).catch((one: Error) => one.message);
  return { error, seconds: clock.monotonic() / 1_000 };
}

const compose = (composeId: string, composeStatus: string): Row => ({ composeId, composeStatus });
const beganNot = (seconds: number) =>
  `${address} was not deployed: the platform did not begin with it within ${seconds} s, while nothing else of this run was deployed`;

test.each<[string, Row | undefined, Parameters<typeof deployed>[1]]>([
  ['no other is deployed', { environmentId: 'env_1', compose: [compose('compose_2', 'done')] }, [production]],
  ['the environment lists no services', { environmentId: 'env_1' }, [production]],
  ['the environment has gone', undefined, [production]],
  ['the plan has no action for the environment', undefined, []],
])('it waits 5 minutes where %s', async (_title, environment, others) => {
  const { error, seconds } = await deployed(environment, others);
  expect(error).toBe(beganNot(300));
  expect(seconds).toBeGreaterThanOrEqual(300);
  expect(seconds).toBeLessThan(310);
});

test('it waits for the whole limit where another service of its environment is deployed', async () => {
  const rows = [compose('compose_2', 'done'), compose('compose_3', 'running')];
  const { error, seconds } = await deployed({ environmentId: 'env_1', compose: rows });
  expect(error).toBe(beganNot(300));
  expect(seconds).toBeGreaterThanOrEqual(900);
});
