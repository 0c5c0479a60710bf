import { describe, expect, test } from 'vitest';
import { jobOf } from '../../src/apply/apply-run.ts';
import { actionOf, serviceOf } from '../support/plan-values.ts';
import { runOf } from '../support/run-values.ts';

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
