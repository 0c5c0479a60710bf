import type { Kind } from '../kind/kind.ts';
import type { Action } from '../plan/action.ts';
import type { Run } from './run.ts';

/** A service that is deployed by an action of its own. */
export interface DeployedService {
  readonly run: Run;
  /** The deployment. */
  readonly action: Action;
  readonly kind: Kind;
  readonly address: string;
  readonly id: string;
  /** The digest of what it is deployed from. */
  readonly inputs: string;
}

/** Whether the order to deploy is answered when the work is over, and not before it begins. */
export function isLate({ kind }: DeployedService): boolean {
  return kind.service?.deployments === undefined;
}

/** Tells what is waited for now. */
export function tell({ run, action, address }: DeployedService, phase: 'queue' | 'deployment' | 'answer'): void {
  run.input.onEvent?.({ event: 'waiting', for: phase, address, action: action.action });
}
