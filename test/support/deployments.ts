import type { Row } from '../../src/formats/json.ts';
import type { Bench } from './world.ts';

/** Deployments, as a test sees them that is about something else, or does what somebody does on the platform. */

/** Whether an operation orders a deployment. */
export function isDeployOrder(operation: string): boolean {
  return /\.(deploy|redeploy)$/.test(operation);
}

/** The orders to deploy among operations. */
export function deployOrders(operations: readonly string[]): string[] {
  return operations.filter(isDeployOrder);
}

/** The operations that change something, without those by which services are deployed. */
export function withoutDeployments(operations: readonly string[]): string[] {
  return operations.filter((operation) => !isDeployOrder(operation) && !operation.endsWith('.changeStatus'));
}

/** Somebody deploys a service in the pages of the platform, and it is over when this resolves. */
export async function deployByHand(
  { emulator }: Bench,
  id: string,
  table: 'application' | 'compose' | 'mariadb' | 'postgres' | 'redis' = 'application',
  verb: 'deploy' | 'redeploy' = 'deploy',
): Promise<void> {
  const { deployment } = emulator.world.tables;
  const before = new Set(Object.keys(deployment));
  await emulator.act(`${table}.${verb}`, { [`${table}Id`]: id, description: `by hand, after ${before.size} others` });
  if (table !== 'application' && table !== 'compose') return;
  const isOver = () => Object.values(deployment).some(isTheOne);
  const isTheOne = ({ deploymentId, ...row }: Row) =>
    row[`${table}Id`] === id && row.status !== 'running' && !before.has(String(deploymentId));
  // The platform answers before it begins.
  for (let turns = 0; !isOver(); turns++) {
    if (turns > 100) throw new Error(`the deployment of ${id} does not end`);
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}
