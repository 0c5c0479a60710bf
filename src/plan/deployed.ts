import type { Row } from '../kind/json.ts';
import type { Kind } from '../kind/kind.ts';
import type { Deployment } from '../observe/deployments.ts';
import { deploymentsIn, isFetchedIn, statusIn } from '../observe/deployments.ts';
import type { Deployed } from '../state/state.ts';

/** What the state knows of the deployments of a service, brought up to date with what the platform lists now. */
export function afterwards(kind: Kind, known: Deployed | undefined, row: Row | undefined): Deployed | undefined {
  if (known === undefined || row === undefined) return known;
  const { sent, saved, ...rest } = known;
  const listed = deploymentsIn(kind, row);
  if (sent !== undefined) {
    const status = statusOfSent(kind, sent, row, listed);
    if (status === 'done') return { inputs: sent.inputs };
    if (status === 'error' || status === 'cancelled') return { ...rest, ...(saved === undefined ? {} : { saved }) };
    return known;
  }
  if (saved === undefined || listed === undefined) return known;
  // One that began after everything was saved has it all; code only when it was fetched.
  const newer = listed.slice(listed.findIndex(({ id }) => id === saved.newest) + 1);
  const isIn = (item: Deployment) => item.status === 'done' && (known.owes?.code !== true || isFetchedIn(item));
  return newer.some(isIn) ? { inputs: saved.inputs } : known;
}

/** What is seen of a deployment that an earlier run ordered; undefined: nothing that proves anything. */
function statusOfSent(
  kind: Kind,
  sent: NonNullable<Deployed['sent']>,
  row: Row,
  listed: readonly Deployment[] | undefined,
): string | undefined {
  if (listed !== undefined) {
    return listed.find(({ id, description }) => id === sent.id || description?.includes(sent.mark) === true)?.status;
  }
  // Only where the status was set before does what it is now come of the order.
  return kind.service?.setStatus === undefined ? undefined : statusIn(kind, row);
}
