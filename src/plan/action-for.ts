import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { dependencies } from '../graph/order.ts';
import type { Resource } from '../manifest/resource.ts';
import { resourcePosition } from '../manifest/resource.ts';
import type { StateRecord } from '../state/record.ts';
import type { Action } from './action.ts';
import { planOptions, protection } from './options.ts';

/** What an action has that does nothing. */
export const idle = {
  action: 'no-op',
  createsObject: false,
  createsBeforeDestroy: false,
  changes: [],
  teardown: [],
  steps: [],
  attributes: [],
  dataAtRisk: undefined,
  needsConsent: false,
} as const;

/** An action that does nothing yet, for an object below that of another action. */
export function actionFor(
  { address, kind, parent, options, dependsOn }: Pick<Action, 'address' | 'kind' | 'parent' | 'options' | 'dependsOn'>,
  above: Action | undefined,
) {
  const notes: Diagnostic[] = [];
  const scope = above !== undefined && kind.parents[above.kind.kind]?.rows === 'whole' ? above.scope : address;
  const protect = protectOf(options);
  // What is spread comes last: Node 20 gives each object that begins with a spread and goes on with other members a hidden
  // class of its own, of 500 bytes.
  return {
    address,
    scope,
    kind,
    id: undefined,
    parent,
    dependsOn,
    options,
    notes,
    position: undefined,
    protect,
    ...idle,
  };
}

/** An action that changes nothing but options, for a declared resource. */
export function resourceAction(
  resource: Resource,
  above: Action | undefined,
  record: StateRecord | undefined,
  cause?: Parameters<typeof planOptions>[2],
) {
  const { options, changes, notes } = planOptions(resource, record?.options, cause);
  const { address, kind, parent } = resource;
  const base = actionFor({ address, kind, parent, options, dependsOn: dependencies(resource) }, above);
  base.notes.push(...notes);
  const position = resourcePosition(resource);
  return { ...base, changes, protect: protection(resource.options, record), position };
}

/** Whether the options of a block protect it; undefined when they do not say. */
export function protectOf(options: Action['options']): boolean | undefined {
  return typeof options.protect === 'boolean' ? options.protect : undefined;
}
