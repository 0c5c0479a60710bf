import { expect, test } from 'vitest';
import { recordOf } from '../../src/state/conformance/states.ts';
import { without } from '../../src/state/readdress.ts';

test('a state without some addresses has neither their records nor their deployments, and all others', () => {
  const [api, web, cache] = [recordOf('a'), recordOf('w'), recordOf('c')];
  const held = { resources: { api, web, cache }, deployments: { api: { inputs: '1.a' }, web: { inputs: '1.b' } } };
  expect(without(held, ['web', 'cache', 'none'])).toEqual({
    resources: { api },
    deployments: { api: { inputs: '1.a' } },
  });
  expect(without(held, [])).toEqual(held);
});
