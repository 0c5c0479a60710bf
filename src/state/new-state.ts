import { randomUUID } from 'node:crypto';
import { newDigestKey } from '../secrets/digest.ts';
import type { State } from './state.ts';

/** Creates the state of a project before its first apply. */
export function newState(organizationId: string, projectId: string): State {
  return {
    formatVersion: 2,
    lineage: randomUUID(),
    serial: 0,
    digestKey: newDigestKey(),
    organizationId,
    projectId,
    resources: {},
  };
}
