import type { Row } from '../kind/json.ts';
import type { Action } from '../plan/action.ts';
import type { ServiceActions } from '../plan/deploy-inputs.ts';
import { inputsDigest } from '../plan/deploy-inputs.ts';
import { deploymentsIn } from '../observe/deployments.ts';
import type { Deploys } from '../state/pending.ts';
import { withDeploys } from '../state/pending.ts';
import type { Run } from './run.ts';
import { recordNow, recordOf, save } from './records.ts';

/** Writes down what services owe, before anything of it is sent: a run that is killed then deploys them later. */
export async function noteDebts(run: Run, address: string): Promise<void> {
  // Its own record is written with the intent of what is sent.
  const others = (run.debtors.get(address) ?? []).filter((service) => service !== address);
  const noting = others.map((service) => {
    const known = run.debts.get(service) ?? noteDebt(run, service);
    run.debts.set(service, known);
    return known;
  });
  await Promise.all(noting);
}

async function noteDebt(run: Run, service: string): Promise<void> {
  if (!run.ids.has(service)) return; // it is made in this run, and its intent says so
  await saveDeployed(run, service, run.deployed.get(service) ?? {});
}

/** Keeps what is known of the deployments of a service for the state. */
export async function saveDeployed(run: Run, service: string, deploys: Deploys, how?: 'with the rest'): Promise<void> {
  run.deployed.set(service, deploys);
  const action = run.actions.get(service);
  if (action === undefined) return;
  const record = recordNow(run, service) ?? recordOf(run, action, run.ids.get(service) ?? null, {});
  await save(run, service, withDeploys(record, deploys), how);
}

/** Settles what a service owes, once everything is over and was read back. */
export async function settleDebt(run: Run, root: Action): Promise<void> {
  const { address, service, kind } = root;
  if (service === undefined) return;
  if (run.lanes.get(address)?.some((action) => run.results.get(action.address) !== 'done') === true) return;
  const inputs = inputsNow(run, root);
  const known = run.deployed.get(address);
  if (inputs === undefined || known?.pending !== undefined) return;
  if (known?.stale === undefined) {
    await saveDeployed(run, address, { inputs }, 'with the rest');
    return;
  }
  const through = service.debt?.through ?? [];
  const isWhole = through.every((other) => run.results.get(other) === 'done');
  const row = await rowAfter(run, root, through);
  const listed = row === undefined ? undefined : deploymentsIn(kind, row);
  // Owed since earlier, and nothing written now: what was noted then still holds.
  if (listed === undefined || !isWhole || (service.debt === undefined && known.stale.saved !== undefined)) return;
  const saved = { inputs, newest: listed.at(-1)?.id ?? null };
  await saveDeployed(run, address, { ...known, stale: { ...known.stale, saved } }, 'with the rest');
}

/** The row of a service as it was when all was written; what was written elsewhere may have been written since. */
async function rowAfter(run: Run, { address, kind }: Action, through: readonly string[]): Promise<Row | undefined> {
  const id = run.ids.get(address);
  const isElsewhere = through.some((other) => run.written.has(other) && run.actions.get(other)?.lane !== address);
  if (!isElsewhere || id === undefined || kind.service?.deployments === undefined) {
    return run.readBack.get(address) ?? run.input.plan.observed.objects.get(address)?.row;
  }
  return run.reader.row(kind, id).catch(() => undefined); // without it nothing is remembered
}

/** The digest of what a deployment of a service takes in now. */
export function inputsNow(run: Run, root: Action): string | undefined {
  const { outputs, input } = run;
  return inputsDigest(serviceOf(run, root), { outputs, digest: input.digest });
}

function serviceOf(run: Run, root: Action): ServiceActions {
  const leafs = (run.lanes.get(root.address) ?? []).filter((action) => action !== root);
  return { root, leafs, parent: root.parent === undefined ? undefined : run.actions.get(root.parent) };
}
