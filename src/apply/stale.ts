import type { Row } from '../kind/json.ts';
import { deploymentsIn } from '../observe/deployments.ts';
import type { Action } from '../plan/action.ts';
import type { ServiceActions } from '../plan/deploy-inputs.ts';
import { inputsDigest } from '../plan/deploy-inputs.ts';
import type { Deploys } from '../state/pending.ts';
import { withDeploys } from '../state/pending.ts';
import { resultOf } from './job.ts';
import { recordNow, recordOf } from './records.ts';
import type { Run } from './run.ts';
import { happen, hasWritten, idOf, jobOf } from './run.ts';

/** Records which services are stale, before anything is sent for an address: a killed run has them deployed later. */
export async function saveStale(run: Run, address: string): Promise<void> {
  // Its own record is written with the pending operation.
  const others = jobOf(run, address).makesStale.filter((service) => service !== address);
  await Promise.all(
    others.map(async (service) => {
      const scope = run.scopes.get(service);
      if (scope === undefined || idOf(run, service) === undefined) return; // its pending create says so
      scope.staleSaved ??= saveDeploys(run, service, jobOf(run, service).deploys ?? {});
      await scope.staleSaved;
    }),
  );
}

/** Records the deployments of a service. */
export async function saveDeploys(run: Run, service: string, deploys: Deploys, how?: 'with the rest'): Promise<void> {
  happen(run, service, { is: 'deploys', deploys });
  const { action, object } = jobOf(run, service);
  const record = recordNow(run, service) ?? recordOf(run, action, object?.id ?? null, {});
  await run.journal.save(service, withDeploys(record, deploys), how);
}

/** Records what the deployments of a service come to, once everything is over and was read back. */
export async function settleStale(run: Run, root: Action): Promise<void> {
  const { address, service, kind } = root;
  if (service === undefined) return;
  const isDone = (other: string): boolean => {
    const job = run.jobs.get(other);
    return job !== undefined && resultOf(job) === 'done';
  };
  if (run.scopes.get(address)?.actions.every((action) => isDone(action.address)) === false) return;
  const inputs = inputsNow(run, root);
  const known = jobOf(run, address).deploys;
  if (inputs === undefined || known?.pending !== undefined) return;
  if (known?.stale === undefined) {
    await saveDeploys(run, address, { inputs }, 'with the rest');
    return;
  }
  const through = service.staleness?.through ?? [];
  const row = await rowAfter(run, root, through);
  const listed = row === undefined ? undefined : deploymentsIn(kind, row);
  // Stale since earlier, and nothing written now: what was noted then still holds.
  const isOld = service.staleness === undefined && known.stale.saved !== undefined;
  if (listed === undefined || !through.every(isDone) || isOld) return;
  const saved = { inputs, newest: listed.at(-1)?.id ?? null };
  await saveDeploys(run, address, { ...known, stale: { ...known.stale, saved } }, 'with the rest');
}

/** The row of a service as it was when all was written; what was written elsewhere may have been written since. */
async function rowAfter(run: Run, { address, kind }: Action, through: readonly string[]): Promise<Row | undefined> {
  const id = idOf(run, address);
  const isElsewhere = through.some((other) => hasWritten(run, other) && jobOf(run, other).action.scope !== address);
  if (!isElsewhere || id === undefined || kind.service?.deployments === undefined) {
    return run.scopes.get(address)?.readBack ?? run.input.plan.observed.objects.get(address)?.row;
  }
  return run.reader.row(kind, id).catch(() => undefined); // without it nothing is remembered
}

/** The digest of what a deployment of a service takes in now; undefined while something of it is not known. */
export function inputsNow(run: Run, root: Action): string | undefined {
  const { outputs, input } = run;
  return inputsDigest(serviceOf(run, root), { outputs, digest: input.digest });
}

function serviceOf(run: Run, root: Action): ServiceActions {
  const leafs = (run.scopes.get(root.address)?.actions ?? []).filter((action) => action !== root);
  return { root, leafs, parent: root.parent === undefined ? undefined : run.jobs.get(root.parent)?.action };
}
