import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Json } from '../kind/json.ts';
import type { Kind } from '../kind/kind.ts';
import { idsBelow } from '../kind/wire.ts';
import type { Observed, ObservedObject } from '../observe/observed.ts';
import type { StateRecord } from '../state/record.ts';
import type { Action } from './action.ts';
import type { PlanInput } from './input.ts';
import { deleteSteps } from './steps.ts';

/** Plans what becomes of a resource that is in the state and no longer in the manifest. */
export function planRemoval(
  input: PlanInput,
  kind: Kind,
  address: string,
  record: StateRecord,
  actions: ReadonlyMap<string, Action>,
): Action {
  const object = input.observed.objects.get(address);
  const notes: Diagnostic[] = [];
  const parent = record.parent === null ? undefined : actions.get(record.parent);
  const goesAnyway =
    kind.lifecycle?.deletedWithParent === true && (parent?.action === 'delete' || parent?.action === 'replace');
  const isLeaf = parent !== undefined && kind.parents[parent.kind.kind]?.rows === 'whole';
  const base = {
    address,
    scope: isLeaf ? parent.scope : address,
    kind,
    id: object?.id,
    parent: record.parent ?? undefined,
    changes: [],
    steps: [],
    attributes: [],
    dependsOn: record.dependsOn,
    options: record.options,
    notes,
    protect: protectOf(record.options),
    needsConsent: false,
    position: undefined,
  };
  const forgotten: Action = { ...base, action: 'forget', teardown: [], dataAtRisk: undefined };
  if (object === undefined || (object.isProvided && kind.lifecycle?.provided?.allows === 'update')) {
    if (record.id === null && object === undefined && kind.identity.listedOnce !== undefined) {
      const message = `${address} was created, stays on the platform, and is listed only once ${kind.identity.listedOnce}`;
      const remedy = 'Delete it there before you declare it again: it would be made a second time.';
      notes.push(diagnostic('stays-there', message, { address, remedy }));
    } else if (record.id === null && object === undefined) {
      notes.push(
        diagnostic(
          'unverified',
          `${address} was about to be created when a run ended; whether it exists is not known`,
          {
            remedy: 'Look for it on the platform.',
            address,
          },
        ),
      );
    }
    return forgotten;
  }
  if (object.foundBy !== 'id' && isSomebodys(input, kind, object)) {
    const message = `${address} was about to be created when a run ended, and ${object.id} bears its key; whether it is that is not known`;
    notes.push(
      diagnostic('unverified', message, {
        remedy: 'Look at it on the platform, and delete it there if nobody needs it.',
        address,
      }),
    );
    return forgotten;
  }
  if (kind.operations.delete === undefined) {
    const why = kind.operations.cannot?.delete ?? 'the platform has no operation for it';
    const message = `${address} (${object.id}) is not deleted: ${why}`;
    notes.push(diagnostic('stays-there', message, { address }));
    return forgotten;
  }
  const gone = takeAway(input, kind, address, object, record.options, 'delete', notes);
  return {
    ...base,
    action: 'delete',
    teardown: goesAnyway ? [] : gone.steps,
    dataAtRisk: goesAnyway ? undefined : gone.dataAtRisk,
  };
}

/** Whether an object whose id nobody wrote down was made by somebody else, or has something that we cannot have made. */
function isSomebodys(input: PlanInput, kind: Kind, object: ObservedObject): boolean {
  return object.foundBy === 'key' || unmanagedBelow(input, kind, object).length > 0;
}

/** The requests that take an object away, what that puts at risk, and whether its protection forbids it. */
export function takeAway(
  input: PlanInput,
  kind: Kind,
  address: string,
  object: ObservedObject,
  options: Readonly<Record<string, Json>>,
  action: 'delete' | 'replace',
  notes: Diagnostic[],
) {
  // Protection is lifted by an apply of its own, not by the edit that it is there to stop.
  if (options.protect === true || input.state.resources[address]?.options.protect === true) {
    notes.push(
      diagnostic('protected', `${address} is protected and would be ${action === 'delete' ? 'deleted' : 'replaced'}`, {
        remedy:
          action === 'delete'
            ? 'Put its block back; to delete it, write protect: false, apply, and remove the block then.'
            : 'Undo the change, or write protect: false and apply that first.',
        address,
      }),
    );
  }
  const guests = unmanagedBelow(input, kind, object);
  if (guests.length > 0) {
    const message = `what is below ${address} and not in the manifest goes with it: ${guests.join(', ')}`;
    notes.push(diagnostic('goes-along', message, { address }));
  }
  const dataAtRisk = kind.lifecycle?.dataAtRisk?.({ row: object.row, options, action });
  return { steps: deleteSteps(kind, address, options), dataAtRisk };
}

/** What the block says of its protection; undefined when it says nothing. */
export function protectOf(options: Readonly<Record<string, Json>>): boolean | undefined {
  return typeof options.protect === 'boolean' ? options.protect : undefined;
}

/** What the platform has below an object that nobody declared: it goes with the object. */
function unmanagedBelow(input: PlanInput, kind: Kind, object: ObservedObject): string[] {
  const managed = managedIds(input);
  return input.kinds.flatMap((child) => {
    const guests = idsBelow(kind, object.row, child).filter((id) => !managed.has(id));
    return guests.length === 0 ? [] : [`${guests.length} of ${child.section}`];
  });
}

function managedIds({ observed, resources }: PlanInput): ReadonlySet<string> {
  const known = idsOf.get(observed) ?? new Set(managedIn(observed, resources));
  idsOf.set(observed, known);
  return known;
}

/** What was found by a key alone is somebody else's, unless a block takes it over. */
function managedIn({ objects }: Observed, resources: PlanInput['resources']): string[] {
  const declared = new Set(resources.map(({ address }) => address));
  return [...objects].flatMap(([address, { id, foundBy }]) =>
    foundBy === 'key' && !declared.has(address) ? [] : [id],
  );
}

const idsOf = new WeakMap<Observed, ReadonlySet<string>>(); // so that many deletions stay linear
