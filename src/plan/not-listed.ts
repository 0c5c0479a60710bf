import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import { pathOf } from '../kind/attribute.ts';
import { fieldPath } from '../kind/row-values.ts';
import type { Resource } from '../manifest/resource.ts';
import { noOutputs } from '../manifest/wanted.ts';
import type { StateRecord } from '../state/record.ts';
import { type Action, type AttributeChange, createsObject, isDeferred } from './action.ts';
import { keep, resourceTarget } from './action-target.ts';
import { writesOrRemoves } from './decide.ts';
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

/** The actions of what a resource depends on that have no id, and get none while the plan is applied. */
export function awaitedIn(needs: readonly string[], actions: ReadonlyMap<string, Action>): readonly Action[] {
  return needs.flatMap((need) => {
    const other = actions.get(need);
    if (other === undefined || other.id !== undefined) return [];
    return isDeferred(other) || other.kind.identity.listedOnce !== undefined ? [other] : [];
  });
}

/**
 * Holds an action back that cannot be done without what it waits for; else gives it unchanged. Of an object that is there,
 * only the attributes wait that refer to it.
 */
export function deferred(action: Action, awaited: readonly Action[]): Action {
  if (awaited.length === 0 || isDeferred(action)) return action;
  const paths = action.attributes.filter(isAwaiting).map(({ attribute }) => pathOf(action.kind, attribute));
  const isHeld = createsObject(action) || awaited.some(({ address }) => address === action.parent) || doesHalf(action);
  if (!isHeld && paths.length === 0) return action;
  const notes = [...action.notes, ...waitingNotes(action, isHeld ? [action.address] : paths, awaited)];
  return isHeld ? keep({ ...action, notes }, 'held') : { ...action, notes };
}

/** Whether an attribute waits for an output. */
function isAwaiting({ decision, standing }: AttributeChange): boolean {
  return decision.do === 'wait' && standing.there !== 'unreadable';
}

/** Whether an action writes only a part of what belongs together: the rest of it waits. */
function doesHalf({ kind, attributes, steps }: Action): boolean {
  const waiting = new Set(attributes.filter(isAwaiting).map(({ attribute }) => attribute.field));
  const isSentBack = steps.some(({ members }) =>
    Object.entries(members).some(([name, from]) => from.is === 'as read' && waiting.has(name)),
  );
  const written = new Set(
    attributes.filter(({ decision }) => writesOrRemoves(decision)).map(({ attribute }) => attribute.field),
  );
  const isSplit = (kind.unions ?? []).some(({ tag, cases }) => {
    const fields = [tag, ...Object.values(cases).flatMap((fields) => Object.values(fields))];
    return fields.some((name) => waiting.has(name)) && fields.some((name) => written.has(name));
  });
  return isSentBack || isSplit;
}

/** The warnings about what waits: for what a person accepted as missing, and for what is not listed yet. */
function waitingNotes(
  { address, position }: Action,
  subjects: readonly string[],
  awaited: readonly Action[],
): Diagnostic[] {
  const isAccepted = ({ notes }: Action) => notes.some(({ code }) => code === 'accepted');
  const missing = awaited.filter(isAccepted);
  const others = awaited.filter((other) => !isAccepted(other));
  const verb = subjects.length === 1 ? 'waits' : 'wait';
  const note = (some: readonly Action[], why: string, remedy: string) => {
    const message = `${subjects.join(', ')} ${verb} for ${some.map((other) => other.address).join(', ')}, ${why}`;
    return some.length === 0 ? [] : [diagnostic('pending', message, { address, position, remedy })];
  };
  const [are, them] = missing.length === 1 ? ['is', 'it'] : ['are', 'them'];
  return [
    ...note(missing, `which ${are} accepted as missing`, `To create ${them} now: --include-accepted.`),
    ...note(others, 'whose id is not known yet', 'Apply again when it is.'),
  ];
}
