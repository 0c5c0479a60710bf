import { addressParts } from '../kind/address.ts';
import { type Attribute, pathOf } from '../kind/attribute.ts';
import { fieldPath } from '../kind/row-values.ts';
import { type Resource, wantedAttributes } from './resource.ts';
import type { Wanted } from './wanted.ts';

/** A declared value, and its keys below the path that was asked for. */
interface ValueBelow {
  readonly attribute: Attribute;
  readonly wanted: Wanted;
  readonly below: readonly string[];
}

/** The part of a manifest at a path. */
export interface PartOfManifest {
  readonly resource: Resource;
  /** The path below the resource: `['env', 'TAG']`; empty for the resource itself. */
  readonly path: readonly string[];
  /** The values at the path or below it; none: nothing is declared there. */
  readonly values: readonly ValueBelow[];
  /** The keys inside of the only value, where the path leads into it. */
  readonly inside: readonly string[];
}

/**
 * Finds what stands at a path such as `production.compose.shop.env.TAG`: the address of a resource, and the way to a value
 * below it. Undefined: the path begins with no address of a resource.
 */
export function findPart(path: string, resources: readonly Resource[]): PartOfManifest | undefined {
  const parts = addressParts(path);
  if (parts === undefined) return undefined;
  let found: { readonly resource: Resource; readonly length: number } | undefined;
  for (const resource of resources) {
    const { length } = addressParts(resource.address) ?? [];
    if (length > (found?.length ?? 0) && startsWith(parts, addressParts(resource.address) ?? []))
      found = { resource, length };
  }
  if (found === undefined) return undefined;
  const { resource, length } = found;
  const rest = parts.slice(length);
  const all = wantedAttributes(resource).map((one) => ({ ...one, steps: stepsOf(resource, one.attribute) }));
  const values = all.flatMap(({ steps, ...one }) =>
    startsWith(steps, rest) ? [{ ...one, below: steps.slice(rest.length) }] : [],
  );
  if (values.length > 0) return { resource, path: rest, values, inside: [] };
  const around = all.find(({ steps }) => startsWith(rest, steps));
  return around === undefined
    ? { resource, path: rest, values: [], inside: [] }
    : {
        resource,
        path: rest,
        values: [{ attribute: around.attribute, wanted: around.wanted, below: [] }],
        inside: rest.slice(around.steps.length),
      };
}

/** The paths of all declared values of a resource, below it, as people write them: `source.branch`. */
export function pathsOf(resource: Resource): string[] {
  return wantedAttributes(resource).map(({ attribute }) => pathOf(resource.kind, attribute));
}

function stepsOf({ kind }: Resource, { field, key }: Attribute): string[] {
  return [...fieldPath(kind, field).split('.'), ...(key === undefined ? [] : [key])];
}

function startsWith(parts: readonly string[], start: readonly string[]): boolean {
  return start.length <= parts.length && start.every((part, index) => part === parts[index]);
}
