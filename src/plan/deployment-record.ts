import type { Row } from '../formats/json.ts';
import type { Kind } from '../kind/kind.ts';
import { type Deployment, deploymentsIn, isFetchedIn, statusIn } from '../observe/listed-deployments.ts';
import type { Deploys, PendingDeploy } from '../state/record.ts';

/** What the state knows of the deployments of a service, brought up to date with what the platform lists now. */
export function afterwards(kind: Kind, known: Deploys | undefined, row: Row | undefined): Deploys | undefined {
  if (known === undefined || row === undefined) return known;
  const { pending, ...rest } = known;
  const { saved, code } = known.stale ?? {};
  const listed = deploymentsIn(kind, row);
  if (pending !== undefined) {
    const status = statusOf(kind, pending, row, listed);
    if (status === 'done') return isToBeWatched(kind, pending, known) ? known : deployedFrom(known, pending.inputs);
    return status === 'error' || status === 'cancelled' ? rest : known;
  }
  if (saved === undefined || listed === undefined) return known;
  // One that began after everything was saved has it all; code only when it was fetched.
  const newer = listed.slice(listed.findIndex(({ id }) => id === saved.newest) + 1);
  const isIn = (item: Deployment) => item.status === 'done' && (code !== true || isFetchedIn(item));
  return newer.some(isIn) ? deployedFrom(known, saved.inputs) : known;
}

/** The deployments of a service once one from these inputs succeeded. Another change that failed stays known. */
export function deployedFrom({ failed }: Deploys, inputs: string): Deploys {
  if (failed === undefined || failed.inputs === inputs) return { inputs };
  const { isRestoring: _, ...rest } = failed;
  return { inputs, failed: rest };
}

/** Whether a run waited for a deployment and ended before it knew that the service holds: the next one looks at that. */
function isToBeWatched({ service }: Kind, { isAwaited, id }: PendingDeploy, { failed }: Deploys): boolean {
  if (service?.containers === undefined || failed?.isRestoring === true) return false;
  return service.deployments === undefined || isAwaited === true || id !== undefined;
}

/** What is seen of a deployment that an earlier run ordered; undefined: nothing that proves anything. */
function statusOf(
  kind: Kind,
  pending: PendingDeploy,
  row: Row,
  listed: readonly Deployment[] | undefined,
): string | undefined {
  if (listed !== undefined) {
    return listed.find(({ id, description }) => id === pending.id || description?.includes(pending.mark) === true)
      ?.status;
  }
  // Only where the status was set before does what it is now come of the order.
  return kind.service?.setStatus === undefined ? undefined : statusIn(kind, row);
}
