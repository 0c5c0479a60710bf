import { diagnostic } from '../diagnostics/diagnostic.ts';
import { fieldPath } from '../kind/row-values.ts';
import type { Resource } from '../manifest/resource.ts';
import { noOutputs } from '../manifest/wanted.ts';
import type { StateRecord } from '../state/record.ts';
import { type Action, isDeferred } from './action.ts';
import { keep, resourceTarget } from './action-target.ts';
import type { PlanInput } from './input.ts';
import { declarationOf, isEdited } from './standing.ts';

/** Plans no action for an object that the platform does not list yet: creating it again would duplicate it. */
export function planPending(input: PlanInput, resource: Resource, parent: Action | undefined, until: string): Action {
  const { address } = resource;
  const edited = editedSince(input, resource);
  const record = input.state.resources[address];
  const message = unlisted(address, record, until);
  const later = edited.length === 0 ? '' : ` Until then ${edited.join(', ')} cannot be changed.`;
  const base = resourceTarget(resource, parent, record);
  const removal = `Connect it there. If the platform does not have it, remove the block, apply, and put it back.${later}`;
  const note = diagnostic('pending', message, { removal, address, position: base.position });
  return keep({ ...base, notes: [...base.notes, note] }, 'held');
}

/** Says of an object that the platform lists late what is known of its create. */
export function unlisted(address: string, record: StateRecord | undefined, until: string): string {
  return wasAnswered(record)
    ? `${address} was created and is listed only once ${until}`
    : `whether ${address} was created is not known: its create got no answer, and it is listed only once ${until}`;
}

/** Whether the platform answered the create of an object that it lists late: the state has pairs of it only then. */
export function wasAnswered(record: StateRecord | undefined): boolean {
  return Object.keys(record?.pairs ?? {}).length > 0;
}

/** The fields that the manifest declares with other values than the create sent. */
function editedSince({ state, digests }: PlanInput, { address, kind, fields }: Resource): string[] {
  const pairs = state.resources[address]?.pairs ?? {};
  return Object.entries(fields).flatMap(([name, wanted]) => {
    const field = kind.fields[name];
    if (field === undefined) return [];
    const about = { field, wanted, pair: pairs[name], digest: digests(address, name), outputs: noOutputs };
    return isEdited(declarationOf(about)) ? [fieldPath(kind, name)] : [];
  });
}

/** Holds an action back while it depends on an object that the platform does not list yet; else gives it unchanged. */
export function deferred(action: Action, actions: ReadonlyMap<string, Action>): Action {
  const waiting = action.dependsOn.filter((need) => {
    const other = actions.get(need);
    if (other === undefined || other.id !== undefined) return false;
    return isDeferred(other) || other.kind.identity.listedOnce !== undefined;
  });
  if (waiting.length === 0) return action;
  const { address, position } = action;
  const message = `${address} waits for ${waiting.join(', ')}, whose id is not known yet`;
  const note = diagnostic('pending', message, { address, position, remedy: 'Apply again when it is.' });
  return keep({ ...action, notes: [...action.notes, note] }, 'held');
}
