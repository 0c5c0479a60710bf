import { describe, expect, test } from 'vitest';
import { jobOf } from '../../src/apply/apply-run.ts';
import type { ApplyEvent, JobEvent } from '../../src/apply/job.ts';
import { partAddress } from '../../src/kind/address.ts';
import { actionOf, aStep, serviceOf } from '../support/plan-values.ts';
import { dispatchAt, runOf } from '../support/run-values.ts';

/** The values of a run before its first request. */

const shop = 'production.compose.shop';
const through = ['production', shop];
const service = (address: string, about: Parameters<typeof serviceOf>[0]) =>
  actionOf(address, { service: serviceOf(about) });

describe('when a run begins', () => {
  test('the deployments of a service are those of the state, stale by the changes of the plan', () => {
    const known = { inputs: 'a', stale: { code: true, saved: { inputs: 'b', newest: null } } } as const;
    const { run } = runOf([
      actionOf('production'),
      service('a', { known }),
      service('b', { known: undefined }),
      service('c', { known, staleness: { through } }),
      service('d', { known: undefined, staleness: { code: true, through } }),
      service('e', { known: { stale: {} }, staleness: { through } }),
    ]);
    const before = Object.fromEntries([...run.jobs].map(([address, { deploys }]) => [address, deploys]));
    expect(before).toStrictEqual({
      production: undefined,
      a: known,
      b: undefined,
      c: { inputs: 'a', stale: { code: true } },
      d: { stale: { code: true } },
      e: { stale: {} },
    });
  });

  test('each address names the services that are stale as soon as something is sent for it', () => {
    const owing = { known: undefined, staleness: { through } };
    const { run } = runOf([
      service(shop, owing),
      actionOf('production'),
      service('production.compose.b', owing),
      service('a', { known: undefined }),
    ]);
    const stale = [shop, 'production.compose.b'];
    const madeStale = (address: string) => jobOf(run, address).makesStale.map(({ action }) => action.address);
    expect(madeStale('production')).toEqual(stale);
    expect(madeStale(shop)).toEqual(stale);
    expect(madeStale('production.compose.b')).toEqual([]);
    expect(madeStale('a')).toEqual([]);
  });
});

describe('a run reports to its listener', () => {
  const update = actionOf('a', { action: 'update', steps: [aStep] });
  const deployment = actionOf(partAddress('a', 'deployment'), { action: 'deploy', steps: [aStep] });
  const idle = actionOf('a');
  const sent: readonly JobEvent[] = [{ is: 'announced' }, { is: 'sent', at: 0 }, { is: 'answered' }];
  const done: JobEvent = { is: 'settled', result: 'done' };

  test.each<[string, typeof update, readonly JobEvent[], readonly ApplyEvent[]]>([
    [
      'that an action is done, once',
      update,
      [...sent, done, done],
      [{ event: 'done', address: 'a', action: 'update' }],
    ],
    [
      'that an action failed, once',
      update,
      [...sent, { is: 'failed' }, done],
      [{ event: 'failed', address: 'a', action: 'update' }],
    ],
    [
      'of a deployment by the address of its service',
      deployment,
      [done],
      [{ event: 'done', address: 'a', action: 'deploy' }],
    ],
    ['nothing while an action goes on', update, sent, []],
    ['nothing of an action that changes nothing', idle, [done], []],
    [
      'that an action was skipped, and why',
      update,
      [{ is: 'skipped', stopped: 'no time' }],
      [{ event: 'skipped', stopped: 'no time', address: 'a', action: 'update' }],
    ],
    [
      'that an action which changes nothing was skipped',
      idle,
      [{ is: 'skipped' }],
      [{ event: 'skipped', address: 'a', action: 'no-op' }],
    ],
  ])('%s', (_title, action, events, reported) => {
    const seen: ApplyEvent[] = [];
    const { run } = runOf([action], { more: { onEvent: (event) => seen.push(event) } });
    dispatchAt(run, action.address, ...events);
    expect(seen).toEqual(reported);
  });
});

test('an action that the platform answered with an error stays unproven, whatever it sends next', () => {
  const { run } = runOf([actionOf('a', { action: 'update' })]);
  const job = jobOf(run, 'a');
  dispatchAt(run, 'a', { is: 'sent', at: 0 }, { is: 'lost', mayLandLater: false }, { is: 'seen', isDoubted: true });
  dispatchAt(run, 'a', { is: 'sent', at: 1 }, { is: 'answered' }, { is: 'failed' });
  expect(job).toMatchObject({ isDoubted: true, phase: { is: 'failed', reach: 'may be executed' } });
});
