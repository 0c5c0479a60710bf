import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import type { Kind } from '../kind/kind.ts';
import { fieldPath, takes, updatesOf } from '../kind/row-values.ts';
import type { Resource } from './resource.ts';
import { position } from './tree.ts';

/** The remedy where it could not be read which operations the platform serves. */
export const unknownServed = 'Run trueup doctor: it shows what the platform answers.';

/**
 * The resources of a manifest with the kinds as a platform can, and an error for each block and each field that it has no
 * operation for. Never throws.
 *
 * @param isKnown false: it could not be read which operations the platform serves, so no error advises to remove anything.
 */
export function resourcesOn(
  resources: readonly Resource[],
  kinds: readonly Kind[],
  isKnown = true,
): { readonly resources: readonly Resource[]; readonly diagnostics: readonly Diagnostic[] } {
  const next = (what: string) =>
    isKnown
      ? { removal: `Use a platform that serves the operation, or remove the ${what}.` }
      : { remedy: `${unknownServed} The manifest may be right.` };
  /** Says that an operation is lacking, or may be. */
  const lacks = (what: string, operation: string) =>
    isKnown
      ? `the platform ${what}: it does not serve ${operation}`
      : `whether the platform serves ${operation} is not known`;
  const byName = new Map(kinds.map((kind) => [kind.kind, kind]));
  const diagnostics: Diagnostic[] = [];
  const lacking = new Set<string>();
  const found = resources.flatMap((resource): Resource[] => {
    const { address, kind: full, parent } = resource;
    const kind = byName.get(full.kind);
    if (kind === full) return [resource];
    const place = Object.keys(full.parents).find((name) => full.parents[name] === resource.link) ?? '';
    const link = kind?.parents[place];
    if (parent !== undefined && lacking.has(parent)) {
      lacking.add(address);
      return [];
    }
    if (kind === undefined || link === undefined) {
      lacking.add(address);
      const message = `${address}: ${lacks(`has no ${full.section}`, full.operations.read)}`;
      const about = { ...next('block'), address, position: position(resource.at) };
      diagnostics.push(diagnostic('unsupported', message, about));
      return [];
    }
    for (const [name, at] of declaredFields(resource)) {
      if (kind.fields[name] !== undefined) continue;
      const carrier = updatesOf(full).find((operation) => takes(operation, name));
      const lost = carrier === undefined ? 'the operation for it' : carrier;
      const path = fieldPath(full, name);
      const message = `${address}: ${lacks(`cannot set ${path}`, lost)}`;
      diagnostics.push(diagnostic('unsupported', message, { ...next('line'), address, position: position(at) }));
    }
    return [{ ...resource, kind, link }];
  });
  return { resources: found, diagnostics };
}

/** The fields that a resource declares, each with its place. */
function declaredFields({ fields, maps, at }: Resource) {
  return [
    ...Object.entries(fields).map(([name, wanted]) => [name, wanted.at] as const),
    ...Object.entries(maps).map(([name, entries]) => [name, [...entries.values()][0]?.at ?? at] as const),
  ];
}
