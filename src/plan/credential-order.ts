import type { Edge } from '../graph/run-schedule.ts';
import { groupBy } from '../kind/group.ts';
import { concealedIn } from '../manifest/wanted.ts';
import { type Action, type AttributeChange, createsObject } from './action.ts';
import type { Relations } from './relations.ts';
import { serviceOf, usersOf, writesValue } from './rotations.ts';

/**
 * A service that its clients connect to with a secret gets the new value, and runs with it, before the secret is written
 * anywhere else. One hub for each secret stands between them.
 */
export function credentialsFirst(
  actions: readonly Action[],
  { deployments }: Pick<Relations, 'deployments'>,
): readonly Edge[] {
  const rotated = new Set(actions.flatMap(({ attributes }) => attributes.flatMap(rotatedSecrets)));
  if (rotated.size === 0) return [];
  const isWritten = (action: Action, planned: AttributeChange) =>
    writesValue(planned) || (isCredential(planned) && !createsObject(action) && deployments.has(action.address));
  const uses = actions.flatMap((action) =>
    action.attributes
      .filter((planned) => isWritten(action, planned))
      .flatMap((planned) => secretsOf(planned).map((secret) => [secret, { action, planned }] as const)),
  );
  return [...groupBy(uses)].flatMap(([secret, written]) => {
    const first = new Set(
      written.flatMap(({ action, planned }) => (isCredential(planned) && !createsObject(action) ? [action] : [])),
    );
    if (!rotated.has(secret) || first.size === 0) return [];
    const hub = `${secret} (changed first)`;
    const after = written.flatMap(({ action, planned }) => {
      if (first.has(action)) return [];
      if (serviceOf(action, actions) !== undefined) return [action.address];
      // What stands above services is there before them: they run with it once they are deployed.
      return usersOf(action, planned, actions, secret).flatMap((service) => deployments.get(service)?.address ?? []);
    });
    const done = [...first].flatMap((action): Edge[] => {
      const { address } = action;
      const deployment = deployments.get(address)?.address;
      const is = changesRunning(action) ? 'over' : 'success';
      const deployed: Edge[] = deployment === undefined ? [] : [{ from: deployment, to: hub, is }];
      return [{ from: address, to: hub, is: 'success' }, ...deployed];
    });
    return [...done, ...[...new Set(after)].map((to): Edge => ({ from: hub, to, is: 'success' }))];
  });
}

/** Whether the write changes the credential of the running database: its deployment may fail, the old one opens nothing. */
function changesRunning({ attributes }: Action): boolean {
  return attributes.some(
    ({ field: { isCredential: is, onChange } }) => is === true && typeof onChange === 'object' && 'through' in onChange,
  );
}

function isCredential({ field }: AttributeChange): boolean {
  return field.isCredential === true;
}

function rotatedSecrets(planned: AttributeChange): readonly string[] {
  return planned.rotation !== undefined && writesValue(planned) ? [...planned.rotation.secrets] : [];
}

function secretsOf({ wanted }: AttributeChange): readonly string[] {
  if (wanted === undefined) return [];
  return [...new Set(concealedIn(wanted).flatMap(({ from, name }) => (from === 'secret' ? [name] : [])))];
}
