import type { Operation, ReadOperation } from '../api/contract.ts';
import type { Row } from '../formats/json.ts';

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
  /** How its containers are listed, as its row says. */
  readonly containers?: (row: Row) => ContainerList;
  /** Reads the log of one of its containers, where `logs` cannot: it takes a `containerId`. */
  readonly containerLog?: ReadOperation;
}

/** An address in the web that leads to a service. */
export interface WebAddress {
  readonly url: string;
  /** false: it is served at another port than that of `url`, which no row says. */
  readonly isPortKnown: boolean;
  /** The part of the service that it leads to, where that has several. */
  readonly service: string | undefined;
}

/** The list of the containers or tasks of a service. */
export interface ContainerList {
  readonly call: ReadOperation;
  readonly members: Readonly<Record<string, string>>;
  /** `tasks`: of a service of Swarm, which each deployment renews. `stack`: of several, of which it renews what changed. */
  readonly of: 'containers' | 'tasks' | 'stack';
  /** It is to have none. */
  readonly isEmpty: boolean;
  /** Swarm puts the former version back when a task fails so soon after it came up; 0: it does not. Milliseconds. */
  readonly rollsBackMs: number;
  /** It has a health check, so that a task counts as running only when that succeeds. */
  readonly isChecked: boolean;
}
