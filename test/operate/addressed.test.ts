import { expect, test } from 'vitest';
import { findObjects } from '../../src/operate/addressed.ts';
import { kinds } from '../../src/resources/index.ts';
import { newState } from '../../src/state/new-state.ts';
import { recordOf } from '../support/plan-values.ts';

test('a project that the state has as a block is found as a project, and not as an environment of that name', async () => {
  const resources = { project: recordOf('project', 'prj_1'), production: recordOf('environment', 'env_1') };
  const state = { ...newState('org_1', 'prj_1'), resources };
  const addresses = ['project', 'production'];
  const found = await findObjects({ kinds, state, declared: () => Promise.resolve([]), addresses });
  expect(found.map(({ kind, id }) => [kind.kind, id])).toEqual([
    ['project', 'prj_1'],
    ['environment', 'env_1'],
  ]);
});
