import { textOr } from './json-rows.ts';
import type { World } from './world.ts';

/**
 * Does what a restart of the platform does: the queue was in memory, so what was being deployed is given up. Returns whether
 * that changed the world.
 */
export function interruptDeployments(world: World): boolean {
  let isChanged = false;
  const { application, compose, deployment } = world.tables;
  for (const run of Object.values(deployment)) {
    if (run['status'] !== 'running') continue;
    isChanged = true;
    run['status'] = 'cancelled';
    const owners = [
      { owner: application[textOr(run, 'applicationId')], status: 'applicationStatus' },
      { owner: compose[textOr(run, 'composeId')], status: 'composeStatus' },
    ];
    for (const { owner, status } of owners) {
      if (owner?.[status] === 'running') owner[status] = 'idle';
    }
  }
  return isChanged;
}
