import type { Operation } from '../api/contract.ts';

/** Concern "service": where an object that runs says how it does. */
export interface Service {
  /** The member of its row that holds the status. */
  readonly status: string;
  /** The member of its row that lists its deployments, where the platform keeps some. */
  readonly deployments?: string;
  /** Where it keeps none: the operation that sets the status, so that what it becomes is the outcome of what follows. */
  readonly setStatus?: Operation;
  /** Reads what it has written to its log. */
  readonly logs?: Operation;
}
