import { describe, expect, test } from 'vitest';
import { deploy } from '../../src/apply/deploy.ts';
import type { Stop } from '../../src/diagnostics/diagnostic.ts';
import { partAddress } from '../../src/kind/address.ts';
import type { Step } from '../../src/plan/action.ts';
import { actionOf, kindNamed, serviceOf } from '../support/plan-values.ts';
import { dispatchAt, jobFor, runOf } from '../support/run-values.ts';

/** Whether a service is deployed, once the values are known that decide about it. */

const address = 'production.redis.main';
const [env, port] = [`${address}.env`, `${address}.port`];
const step: Step = { operation: 'redis.deploy', role: 'deploy', members: {}, changed: [] };

type Service = Parameters<typeof serviceOf>[0];

/** Deploys a Redis that the platform does not have any more: says whether it was looked at, and what the state has then. */
async function deployed(service: Service, isWritten = false) {
  const root = actionOf(address, { id: 'redis_1', service: serviceOf({ inputs: () => 'now', ...service }) });
  const beside = { kind: kindNamed('redis'), id: 'redis_1', parent: address, steps: [step], action: 'deploy' } as const;
  const deployment = actionOf(partAddress(address, 'deployment'), beside);
  const { run, requests } = runOf([root, actionOf(env), actionOf(port), deployment]);
  if (isWritten) dispatchAt(run, env, { is: 'sent', at: 0 }, { is: 'answered' });
  const result = await deploy(run, jobFor(run, deployment)).catch((error: Stop) => [
    error.message,
    ...error.diagnostics.map(({ remedy }) => remedy),
  ]);
  return { result, requests, deploys: jobFor(run, root).deploys };
}

const pending = { isPending: true, through: [env, port] } as const;
const isGone = [`${address} was not deployed: it is not on the platform any more`, 'Plan again.'];

describe('a service whose changes are known only after apply', () => {
  test('is not deployed when nothing was written: the platform gets no request', async () => {
    expect(await deployed({ known: { inputs: 'before' }, staleness: pending })).toEqual({
      result: 'done',
      requests: [],
      deploys: { inputs: 'now' },
    });
  });

  test.each<[string, Service, boolean]>([
    ['one of them was written', { known: { inputs: 'before' }, staleness: pending }, true],
    ['it was stale before', { known: { inputs: 'before', stale: {} }, staleness: pending }, false],
    ['no deployment of it is known', { known: {}, staleness: pending }, false],
    ['nothing is known of its deployments', { known: undefined, staleness: pending }, false],
    ['others are known already', { known: { inputs: 'before' }, staleness: { through: [env] } }, false],
    ['nothing makes it stale', { known: { inputs: 'before' } }, false],
  ])('is deployed when %s', async (_title, service, isWritten) => {
    const { result, requests } = await deployed(service, isWritten);
    expect([result, requests]).toEqual([isGone, ['redis.one redis_1']]);
  });
});
