import type { Diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import type { Action } from '../plan/action.ts';
import type { State } from '../state/state.ts';

/** Something that happened while applying; a deployment bears the address of its service. */
export type ApplyEvent = {
  readonly address: string;
  readonly action: Action['action'];
} & (
  | { readonly event: 'started' | 'done' | 'failed' | 'skipped' }
  /** A deployment was sent, and this is what is waited for now; told again only when it is something else. */
  | {
      readonly event: 'waiting';
      /** Its turn in the queue of the platform; the end of what runs; the answer to a request that lasts as long. */
      readonly for: 'queue' | 'deployment' | 'answer';
    }
);

/** What became of one action. */
export interface Outcome {
  readonly action: Action;
  /** `unverified`: everything was sent, and what the platform has could not be read back, or not be written down. */
  readonly result: 'done' | 'failed' | 'skipped' | 'not kept' | 'unverified';
  /** A write of it was executed, or may have been. */
  readonly mayHaveWritten: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

/** What became of a plan. */
export interface ApplyResult {
  readonly outcomes: readonly Outcome[];
  readonly state: State;
  /** Why the state could not be written at the end; what it lacks is found by the next run. */
  readonly unsaved?: Stop | undefined;
}
