import { textOr } from './json.ts';
import type { World } from './world.ts';

/** What a restart of the platform does: the queue was in memory, so what was being deployed is given up. */
export function interruptDeployments(world: World): void {
  const { application, compose, deployment } = world.tables;
  for (const run of Object.values(deployment)) {
    if (run['status'] !== 'running') continue;
    run['status'] = 'cancelled';
    const owners = [
      { owner: application[textOr(run, 'applicationId')], status: 'applicationStatus' },
      { owner: compose[textOr(run, 'composeId')], status: 'composeStatus' },
    ];
    for (const { owner, status } of owners) {
      if (owner?.[status] === 'running') owner[status] = 'idle';
    }
  }
}
