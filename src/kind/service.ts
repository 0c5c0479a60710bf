import type { Operation, ReadOperation } from '../api/contract.ts';

/** Where an object that runs shows its status, deployments and log. */
export interface Service {
  /** The member of its row that holds the status. */
  readonly status: string;
  /** The member of its row that lists its deployments, where the platform keeps some. */
  readonly deployments?: string;
  /** Sets the status, where the platform keeps no deployments: the status after a deployment is then its outcome. */
  readonly setStatus?: Operation;
  /** Reads its log. */
  readonly logs?: ReadOperation;
  /** Reads the log of one of its deployments. */
  readonly deploymentLog?: ReadOperation;
  /** Answers with an error that says why its deployment fails, where the platform keeps no reason with a deployment. */
  readonly explains?: ReadOperation;
}
