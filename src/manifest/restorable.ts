import type { CheckedResource, Problem } from '../kind/checks.ts';
import { restoresOnFailure } from '../kind/written-keys.ts';
import type { Resource } from './resource.ts';

/** The mistake of a block with `deploy: { onFailure: restore }` whose former version a second deployment may not bring back. */
export function restoresUncertainly(
  { address, kind, options }: Pick<Resource, 'address' | 'kind' | 'options'>,
  checked: CheckedResource,
): readonly Problem[] {
  const found = restoresOnFailure(options) ? kind.checks?.repeats?.(checked) : undefined;
  if (found === undefined) return [];
  const message = `deploy: { onFailure: restore } cannot bring a former version back: ${found.message}`;
  return [{ code: 'inconsistent', address, ...found, message }];
}
