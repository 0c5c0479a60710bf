import { expect, test } from 'vitest';
import type { PlannedAction } from '../../src/render/groups.ts';
import { groupActions } from '../../src/render/groups.ts';

function actionAt(address: string, more: Partial<PlannedAction> = {}): PlannedAction {
  return { address, kind: 'redis', action: 'no-op', requests: 0, changes: [], needsConsent: false, notes: [], ...more };
}

test('a move follows from that of the first object above it, where all that differs is what stands before', () => {
  const groups = groupActions([
    actionAt('new', { action: 'move', movedFrom: 'old' }),
    actionAt('new.redis.main', { action: 'move', movedFrom: 'old.redis.main', parent: 'new' }),
    actionAt('new.redis.main.mounts.data', {
      action: 'move',
      movedFrom: 'old.redis.main.mounts.data',
      parent: 'new.redis.main',
    }),
    actionAt('new.redis.other', { action: 'move', movedFrom: 'old.redis.before', parent: 'new' }),
    actionAt('new.redis.fresh', { action: 'create', parent: 'new' }),
    actionAt('still.redis.here', { action: 'move', movedFrom: 'old.redis.here', parent: 'still' }),
    actionAt('still'),
    actionAt('elsewhere.redis.far', { action: 'move', movedFrom: 'old.redis.far', parent: 'new' }),
  ]);
  expect(
    groups.flatMap(({ actions }) => actions.map((one) => [one.action.address, one.movedFrom, one.followers])),
  ).toEqual([
    ['new', 'old', 2],
    ['new.redis.other', 'old.redis.before', 0],
    ['new.redis.fresh', undefined, 0],
    ['still.redis.here', 'old.redis.here', 0],
    ['elsewhere.redis.far', 'old.redis.far', 0],
  ]);
});
