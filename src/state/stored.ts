import { plain } from '../kind/codecs.ts';
import type { Json } from '../kind/json.ts';
import { canonical } from '../kind/json.ts';
import type { Field } from '../kind/field.ts';
import type { Stored } from './record.ts';

/** Tells whether a value equals the stored one. */
export function matchesStored(
  { field, digest }: { readonly field: Field; readonly digest: (text: string) => string },
  stored: Stored,
  value: Json,
): boolean {
  const normal = (field.codec ?? plain).normal(value);
  return 'digest' in stored
    ? stored.digest === digest(canonical(normal))
    : canonical(stored.value) === canonical(normal);
}
