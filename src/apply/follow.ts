import type { Client } from '../api/client.ts';
import type { Row } from '../kind/json.ts';
import type { Kind } from '../kind/kind.ts';
import type { Deployment } from '../observe/deployments.ts';
import { deploymentsIn } from '../observe/deployments.ts';
import { readRow } from '../observe/read-row.ts';

/** Waits until it is time to look again; false when it is time to look no more. */
export type Patience = () => Promise<boolean>;

/**
 * Waits for what a service that was told to deploy makes of it. The status alone proves nothing: it stays what it was
 * until the queue takes the job. Gives the newest deployment that was not there before, once no new one runs any more.
 */
export async function follow(
  client: Client,
  service: { readonly kind: Kind; readonly id: string; readonly before: Row },
  patience: Patience,
): Promise<Deployment | 'not listed' | 'not over'> {
  const { kind, id, before } = service;
  const known = deploymentsIn(kind, before)?.map((deployment) => deployment.id);
  if (known === undefined) return 'not listed';
  do {
    const row = await readRow(client, kind, id);
    const fresh = (row === undefined ? [] : (deploymentsIn(kind, row) ?? [])).filter(
      (item) => !known.includes(item.id),
    );
    const newest = fresh.at(-1);
    if (newest !== undefined && fresh.every(({ status }) => status !== 'running')) return newest;
  } while (await patience());
  return 'not over';
}
