import { blockOf } from '../kind/address.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { dependencies } from '../graph/order.ts';
import { type Resource, resourcePosition } from '../manifest/resource.ts';
import type { StateRecord } from '../state/record.ts';
import type { Action, Keeping, Target } from './action.ts';
import { planOptions, protection } from './resource-options.ts';

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

const none: readonly Diagnostic[] = [];

/** What an action has that nothing is planned for yet, of an object below that of another action. */
export function targetFor(
  { address, kind, parent, options, dependsOn }: Pick<Target, 'address' | 'kind' | 'parent' | 'options' | 'dependsOn'>,
  above: Action | undefined,
) {
  const scope = above !== undefined && kind.parents[above.kind.kind]?.rows === 'whole' ? above.scope : address;
  const protect = protectOf(options);
  return {
    address,
    block: blockOf(address),
    scope,
    kind,
    id: undefined,
    parent,
    dependsOn,
    options,
    notes: none,
    position: undefined,
    protect,
    ...unchanged,
  };
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
  const position = resourcePosition(resource);
  return { ...base, changes, notes, protect: protection(resource.options, record), position };
}

/** Whether the options of a block protect it; undefined when they do not say. */
export function protectOf(options: Target['options']): boolean | undefined {
  return typeof options.protect === 'boolean' ? options.protect : undefined;
}
