import { pathOf } from '../kind/attribute.ts';
import type { Outputs } from '../manifest/wanted.ts';
import type { Action, AttributeChange } from './action.ts';
import type { ServiceActions } from './deploy-inputs.ts';
import { mentionsOf, reachesContainers } from './deploy-inputs.ts';

/** Counts the fields, and keys of maps, that the platform ignores and that a plan does not write again. */
export function countIgnored(actions: readonly Action[]): number {
  return actions.reduce((count, action) => count + ignoredIn(action).length, 0);
}

/**
 * Paths of the ignored values that only a deployment of a service puts into effect. A deployment would run the service
 * with the values that the platform has instead.
 */
export function ignoredInputs({ root, leafs, parent }: ServiceActions, outputs: Outputs): string[] {
  const own = ignoredIn(root).filter(isDeployed);
  const below = leafs.filter((leaf) => reachesContainers(leaf, root));
  const variables = parent === undefined ? [] : ignoredIn(parent).filter(({ field }) => field.map !== undefined);
  const mentioned = variables.length === 0 ? new Set<string>() : mentionsOf(root, outputs);
  return [
    ...own.map(({ attribute }) => pathOf(root.kind, attribute)),
    ...below.flatMap((leaf) => {
      const name = leaf.address.slice(root.address.length + 1);
      return ignoredIn(leaf)
        .filter(isDeployed)
        .map(({ attribute }) => `${name}.${pathOf(leaf.kind, attribute)}`);
    }),
    ...variables
      .filter(({ attribute }) => (attribute.key === undefined ? mentioned.size > 0 : mentioned.has(attribute.key)))
      .map(
        ({ attribute }) =>
          `${parent?.address ?? ''}.${attribute.field}${attribute.key === undefined ? '' : `.${attribute.key}`}`,
      ),
  ];
}

function ignoredIn({ attributes }: Action): AttributeChange[] {
  return attributes.filter(({ decision }) => decision.do === 'nothing' && decision.ignored === true);
}

function isDeployed({ field }: AttributeChange): boolean {
  return field.appliesAt === 'deploy';
}
