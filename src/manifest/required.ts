import { requiredMembers } from '../api/contract.ts';
import { type Diagnostic, type Position, diagnostic } from '../diagnostics/diagnostic.ts';
import { createOf, fieldPath, isInCase, takesNull } from '../kind/row-values.ts';
import type { Resource } from './resource.ts';
import { position } from './tree.ts';
import { knownValue } from './wanted.ts';

/** The fields that a creation needs and that a block leaves out. */
export function missingAtCreation({
  kind,
  link,
  fields,
  maps,
  parent,
}: Pick<Resource, 'kind' | 'link' | 'fields' | 'maps' | 'parent'>): string[] {
  const chosen = (tag: string): unknown => knownValue(fields[tag]);
  const create = createOf(kind, chosen);
  if (create === undefined) return [];
  const needed = Object.keys(kind.fields).filter(
    (name) => kind.fields[name]?.needed === true && link.lacks?.includes(name) !== true && isInCase(kind, name, chosen),
  );
  const declared = [...Object.keys(fields), ...Object.keys(maps)];
  const isGiven = (name: string): boolean => {
    const from = link.set[name];
    if (from !== undefined && 'sameAs' in from) return fields[from.sameAs] !== undefined;
    if (from !== undefined) return !('parent' in from) || parent !== undefined;
    return (
      declared.some((one) => isWithin(one, name)) ||
      name === kind.identity.id ||
      kind.fields[name]?.atCreate !== undefined
    );
  };
  // A create that leaves out a field which may be null sends null.
  const required = requiredMembers(create).filter(
    (name) => kind.fields[name] === undefined || !takesNull(create, name),
  );
  return [...new Set([...required, ...needed])].filter((name) => !isGiven(name));
}

/** Whether a field is a member, or one within it. */
function isWithin(field: string, member: string): boolean {
  return field === member || field.startsWith(`${member}.`);
}

/** Where a block lacks fields: at the `!reset` that takes the first of them out, or else at its key. */
export function missingPosition({ kind, at, resets }: Resource, missing: readonly string[]): Position {
  const paths = missing.map((name) => fieldPath(kind, name));
  const taken = paths.map((path) => resets?.get(path) ?? resets?.get(path.split('.', 1)[0] ?? ''));
  return position(taken.find((place) => place !== undefined) ?? at);
}

/** Warns of blocks that can only adopt an object: without a request it is unknown whether theirs exists. */
export function adoptOnly(resources: readonly Resource[]): Diagnostic[] {
  return resources.flatMap((resource) => {
    const missing = resource.pinned === undefined ? missingAtCreation(resource) : [];
    if (missing.length === 0) return [];
    const { kind, address } = resource;
    const names = missing.map((name) => fieldPath(kind, name)).join(', ');
    const message = `${address} cannot be created without ${names}: it can only adopt what the platform has`;
    const remedy = `Add ${names}, unless the object exists.`;
    return [diagnostic('adopt-only', message, { remedy, address, position: missingPosition(resource, missing) })];
  });
}
