import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { dependencies } from '../graph/order.ts';
import type { Resource } from '../manifest/resource.ts';
import { resourcePosition } from '../manifest/resource.ts';
import type { Action } from './action.ts';
import { protectOf } from './removal.ts';

/** What every action of a declared resource has. */
export function actionFor(resource: Resource, parent: Action | undefined, notes: Diagnostic[]) {
  return {
    address: resource.address,
    scope: resource.link.rows === 'whole' && parent !== undefined ? parent.scope : resource.address,
    kind: resource.kind,
    parent: resource.parent,
    dependsOn: dependencies(resource),
    options: resource.options,
    notes,
    protect: protectOf(resource.options),
    position: resourcePosition(resource),
  };
}
