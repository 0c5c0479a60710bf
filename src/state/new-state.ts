import { randomUUID } from 'node:crypto';
import type { State } from './state.ts';

/** Creates the state of a project before its first apply. */
export function newState(organizationId: string, projectId: string): State {
  return {
    formatVersion: 4,
    lineage: randomUUID(),
    serial: 0,
    keyNumber: 1,
    organizationId,
    projectId,
    resources: {},
    deployments: {},
  };
}
