import { didYouMean } from '../diagnostics/closest.ts';
import { type Diagnostic, Stop, stop } from '../diagnostics/diagnostic.ts';
import type { Manifest } from '../manifest/manifest.ts';
import type { Plan } from '../plan/action.ts';
import type { Connection } from './connection.ts';
import { planWithIds } from './make-plan.ts';
import type { State } from '../state/state.ts';

/** Adopts an existing object at an address of the manifest, without changing either. Gives the plan that follows. */
export async function importObject(
  manifest: Manifest,
  connection: Connection,
  address: string,
  id: string,
): Promise<Plan> {
  const resource = manifest.resources.find((item) => item.address === address);
  if (resource === undefined) {
    const declared = manifest.resources.map((item) => item.address);
    const meant = didYouMean(address, declared, 'trueup graph lists the addresses.');
    throw stop('refused', 'bad-reference', `nothing is declared at ${address}`, {
      remedy: `Declare it first. ${meant}`,
    });
  }
  if (resource.pinned !== undefined && resource.pinned !== id) {
    throw stop('refused', 'ambiguous', `${address} is pinned to ${resource.pinned} by id:`, {
      address,
      remedy: 'Correct one of the two.',
    });
  }
  refuseManaged(address, (await connection.store.read())?.resources);
  const made = await planWithIds(manifest, connection, new Map([[address, id]])).catch((error: unknown) => {
    throw error instanceof Stop && resource.pinned === undefined ? inWordsOfImport(error, address) : error;
  });
  const action = made.actions.find((item) => item.address === address);
  // An entry of moved: may have given it an object.
  refuseManaged(address, made.base.resources);
  const notes = [...(action?.notes ?? []), ...made.diagnostics.filter((item) => item.address === address)];
  const errors = notes.filter((item) => item.severity === 'error');
  if (action === undefined || errors.length > 0) throw new Stop('refused', errors);
  const record = {
    kind: resource.kind.kind,
    id,
    parent: resource.parent ?? null,
    dependsOn: action.dependsOn,
    pairs: {},
    options: action.options,
  };
  await connection.store.write({
    ...made.base,
    serial: made.base.serial + 1,
    resources: { ...made.base.resources, [address]: record },
  });
  return made;
}

/** The same refusal, where its remedy is about a line `id:`: the id stands on the command line. */
function inWordsOfImport({ failure, diagnostics, cause }: Stop, address: string): Stop {
  const remedy = 'Give the id of an object of this project: docs/bring-your-server.md says where ids are.';
  const isAboutLine = (item: Diagnostic) => item.address === address && /\bid:/.test(item.remedy ?? '');
  const told = diagnostics.map((item) => (isAboutLine(item) ? { ...item, remedy } : item));
  return new Stop(failure, told, { cause });
}

/** @throws {Stop} `refused`, when the state ties an address to an object. */
function refuseManaged(address: string, resources: State['resources'] = {}): void {
  const known = resources[address]?.id ?? undefined;
  if (known === undefined) return;
  const remedy = `Compare ${known} with the object that you mean. To manage that instead, run trueup state rm '${address}' first.`;
  throw stop('refused', 'ambiguous', `${address} manages ${known} already`, { address, remedy });
}
