import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import { groupBy } from '../kind/group.ts';
import type { Json } from '../formats/json.ts';
import { fieldPath } from '../kind/row-values.ts';
import { knownValue } from '../manifest/wanted.ts';
import type { Observed } from '../observe/observed.ts';
import { type Action, isCreation } from './action.ts';

/**
 * Notes each object that a plan creates beside one of nearly the same name that is not managed: one of the two may be a
 * slip. Names are nearly the same when they differ in case, in signs, or in a letter that is missing or two that are
 * swapped. Takes time in proportion to the names.
 */
export function similarNames(actions: readonly Action[], { unmanaged, objects }: Observed): Diagnostic[] {
  const created = actions.filter((one) => isCreation(one) && one.kind.identity.addressedByKey !== true);
  if (created.length === 0 || unmanaged.length === 0) return [];
  const known = groupBy(
    unmanaged.flatMap((one) => formsOf(one.name).map((form) => [keyOf(one.kind, one.parentId, form), one] as const)),
  );
  return created.flatMap((action) => {
    const { kind, address, parent, attributes, position } = action;
    const { keyField } = kind.identity;
    const wanted = attributes.find(({ attribute }) => attribute.field === keyField)?.wanted;
    const name = wanted === undefined || wanted.isSecret ? undefined : knownValue(wanted);
    const parentId = parent === undefined ? undefined : objects.get(parent)?.id;
    const near = formsOf(name).flatMap((form) => known.get(keyOf(kind.kind, parentId, form)) ?? []);
    const other = near.find((one) => !hasOtherLetter(name, one.name));
    if (keyField === undefined || other === undefined) return [];
    const there = `${JSON.stringify(other.name)} (${other.id})`;
    const message = `${address} is created, and the platform has ${there}, which is not managed`;
    const line = `${fieldPath(kind, keyField)}: ${JSON.stringify(other.name)}`;
    // An id that begins with a hyphen would be an option.
    const id = other.id.startsWith('-') ? `-- ${other.id}` : other.id;
    const remedy = `If they are the same, write ${line} in the block, or import it: trueup import ${address} ${id}.`;
    return [diagnostic('similar-name', message, { remedy, address, position })];
  });
}

function keyOf(kind: string, parentId: string | undefined, form: string): string {
  return JSON.stringify([kind, parentId, form]);
}

/** The name without case and signs, and each form of that which lacks one letter: near names have one in common. */
function formsOf(name: Json | undefined): string[] {
  if (typeof name !== 'string') return [];
  const bare = bareName(name);
  if (bare.length < shortest || bare.length > longest) return [bare];
  const less = Array.from(bare, (sign, at) => (/\p{L}/u.test(sign) ? bare.slice(0, at) + bare.slice(at + 1) : bare));
  return [...new Set([bare, ...less])];
}

/** `worker-a` and `worker-b` are two. */
function hasOtherLetter(name: Json | undefined, other: Json | undefined): boolean {
  const [one, two] = [bareName(String(name)), bareName(String(other))];
  return one.length === two.length && Array.from(one).filter((sign, at) => sign !== two[at]).length === 1;
}

function bareName(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** Of shorter names only the case and the signs may differ. */
const shortest = 4;

/** Longer names are compared as a whole. */
const longest = 100;
