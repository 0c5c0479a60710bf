import { position } from '../manifest/tree.ts';
import { partAddress, readAddress } from '../kind/address.ts';
import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import { type Json, same } from '../formats/json.ts';
import { dependencies } from '../graph/order.ts';
import { writtenFields } from '../kind/written-keys.ts';
import type { Resource } from '../manifest/resource.ts';
import type { StateRecord } from '../state/record.ts';
import type { Action, Change, Keeping, Shown, Target } from './action.ts';

/** What an action has that sends nothing. */
export const sendsNothing = { teardown: [], steps: [] } as const;

/** Keeps an object as it is, whatever was planned for it. */
export function keep(one: Target, kept: Keeping['kept']) {
  const { address, block, scope, kind, id, parent, dependsOn, options, notes, position, protect } = one;
  const target = { address, block, scope, kind, id, parent, dependsOn, options, notes, position, protect };
  return { ...target, ...unchanged, ...sendsNothing, action: 'no-op', kept } as const;
}

const unchanged = {
  movedFrom: undefined,
  changes: [],
  attributes: [],
  dataAtRisk: undefined,
  service: undefined,
} as const;

const none: readonly never[] = [];

/** The items of lists as one list. Most objects have none: all of these share one. */
export function all<T>(...lists: readonly (readonly T[])[]): readonly T[] {
  return lists.every((list) => list.length === 0) ? none : lists.flat();
}

/** What an action has that nothing is planned for yet, of an object below that of another action. */
export function targetFor(
  { address, kind, parent, options, dependsOn }: Pick<Target, 'address' | 'kind' | 'parent' | 'options' | 'dependsOn'>,
  above: Action | undefined,
) {
  const scope = above !== undefined && kind.parents[above.kind.kind]?.rows === 'whole' ? above.scope : address;
  const protect = protectOf(options);
  return {
    address,
    block: readAddress(address).block,
    scope,
    kind,
    id: undefined,
    parent,
    dependsOn,
    options,
    notes: none as readonly Diagnostic[],
    position: undefined,
    protect,
    ...unchanged,
  };
}

/** The same of the deployment of a service, or of the run of a command of an object. */
export function targetBeside(
  { address, kind, id, position }: Action,
  part: 'deployment' | 'run',
  dependsOn: Iterable<string>,
) {
  const about = { kind, parent: address, options: {}, dependsOn: [...new Set(dependsOn)] };
  return { ...targetFor({ ...about, address: partAddress(address, part) }, undefined), id, position };
}

/** The address that the object of an action has from now on, because a new one takes its place. */
export function deposedAddress(address: string, isTaken: (address: string) => boolean): string {
  const deposed = partAddress(address, 'deposed');
  return isTaken(deposed) ? deposedAddress(deposed, isTaken) : deposed;
}

/** The same of a declared resource, with the changes of its options. */
export function resourceTarget(
  resource: Resource,
  above: Action | undefined,
  record: StateRecord | undefined,
  cause?: Parameters<typeof planOptions>[2],
) {
  const { options, changes, notes } = planOptions(resource, record?.options, cause);
  const { address, kind, parent } = resource;
  const base = targetFor({ address, kind, parent, options, dependsOn: dependencies(resource) }, above);
  return { ...base, changes, notes, protect: protection(resource.options, record), position: position(resource.at) };
}

/** Whether the options of a block protect it; undefined when they do not say. */
export function protectOf(options: Target['options']): boolean | undefined {
  return typeof options.protect === 'boolean' ? options.protect : undefined;
}

type Options = Target['options'];

/**
 * Compares the options of a block with those in the state. An option that is left out has its default again, which is the
 * safe one. Only `protect: true` stays: to lift a protection is a decision, and a line that got lost is none.
 */
export function planOptions(
  resource: Resource,
  recorded: Options = {},
  cause: 'create' | 'first managed' | 'edit' = 'edit',
): Pick<Target, 'options' | 'changes' | 'notes'> {
  const { address, kind, link, options: declared } = resource;
  const stays = declared.protect === undefined && recorded.protect === true;
  const options = stays ? { ...declared, protect: true } : declared;
  const names = new Set([...Object.keys(options), ...Object.keys(recorded)]);
  if (names.size === 0) return { options, changes: [], notes: [] };
  const written = writtenFields(kind, link);
  const changes = [...names].flatMap((name): Change[] => {
    const option = written.get(name);
    if (option?.is !== 'option') return []; // of a kind as an earlier version had it
    const before = recorded[name] ?? option.otherwise;
    const after = options[name] ?? option.otherwise;
    if (same(before, after)) return [];
    return [
      {
        path: name,
        cause: after === undefined ? 'removed' : cause,
        before: shown(cause === 'create' ? recorded[name] : before),
        after: shown(after),
        ...(after === undefined ? { last: shown(before) } : {}),
        atDeploy: false,
        forcesReplacement: false,
      },
    ];
  });
  if (!stays) return { options, changes, notes: [] };
  const note = diagnostic('still-protected', `${address} stays protected: its block does not say protect: any more`, {
    remedy: 'Write protect: true again, or protect: false to lift the protection.',
    address,
    position: position(resource.at),
  });
  return { options, changes, notes: [note] };
}

/**
 * The protection that holds for a run. It is lifted, and data may go without a flag, only once an apply recorded that: the
 * edit that would delete an object cannot lift its protection too.
 */
export function protection(declared: Options, record: Pick<StateRecord, 'options'> | undefined): boolean | undefined {
  const [block, state] = [declared.protect, record?.options.protect];
  if (block === true || state === true) return true;
  return block === false && state === false ? false : undefined;
}

function shown(value: Json | undefined): Shown {
  return value === undefined ? { is: 'absent' } : { is: 'value', value };
}
