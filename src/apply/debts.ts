import type { Action } from '../plan/action.ts';
import type { ServiceActions } from '../plan/deploy-inputs.ts';
import { inputsDigest } from '../plan/deploy-inputs.ts';
import { deploymentsIn } from '../observe/deployments.ts';
import type { Deployed } from '../state/state.ts';
import type { Run } from './run.ts';
import { recordOf, save } from './run.ts';

/** Writes down what services owe, before anything of it is sent: a run that is killed then deploys them later. */
export async function noteDebts(run: Run, address: string): Promise<void> {
  const noting = (run.debtors.get(address) ?? []).map((service) => {
    const known = run.debts.get(service) ?? noteDebt(run, service);
    run.debts.set(service, known);
    return known;
  });
  await Promise.all(noting);
}

async function noteDebt(run: Run, service: string): Promise<void> {
  const action = run.actions.get(service);
  const id = run.ids.get(service);
  if (action === undefined || id === undefined) return; // it is made in this run, and its intent says so
  await saveDeployed(run, service, run.deployed.get(service) ?? {});
}

/** Keeps what is known of the deployments of a service for the state. */
export async function saveDeployed(
  run: Run,
  service: string,
  deployed: Deployed,
  how?: 'with the rest',
): Promise<void> {
  run.deployed.set(service, deployed);
  const action = run.actions.get(service);
  if (action === undefined) return;
  const record =
    run.records.get(service) ??
    run.input.plan.base.resources[service] ??
    recordOf(run, action, run.ids.get(service) ?? null, {});
  await save(run, service, { ...record, deployed }, how);
}

/** Settles what a service owes, once everything in its lane is read back and as it was to be. */
export async function settleDebt(run: Run, root: Action): Promise<void> {
  const { address, service, kind } = root;
  const isWell = (run.lanes.get(address) ?? []).every((action) => run.results.get(action.address) === 'done');
  if (service === undefined || !isWell) return;
  const inputs = inputsNow(run, root);
  const known = run.deployed.get(address);
  if (inputs === undefined || known?.sent !== undefined) return;
  if (known?.owes === undefined) {
    await saveDeployed(run, address, { inputs }, 'with the rest');
    return;
  }
  const row = run.readBack.get(address) ?? run.input.plan.observed.objects.get(address)?.row;
  const listed = row === undefined ? undefined : deploymentsIn(kind, row);
  const isWhole = (service.debt?.through ?? []).every((through) => run.results.get(through) === 'done');
  // Owed since earlier, and nothing written now: what was noted then still holds.
  if (listed === undefined || !isWhole || (service.debt === undefined && known.saved !== undefined)) return;
  await saveDeployed(run, address, { ...known, saved: { inputs, newest: listed.at(-1)?.id ?? null } }, 'with the rest');
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
