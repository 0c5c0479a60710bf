import { randomUUID } from 'node:crypto';
import { newDigestKey } from '../secrets/digest.ts';
import type { State } from './state.ts';

/** The state of a project that was never applied. */
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
