import { plain } from '../kind/codecs.ts';
import type { Json } from '../kind/json.ts';
import { canonical } from '../kind/json.ts';
import type { Field } from '../kind/field.ts';
import { idsIn } from '../kind/shared-set.ts';
import { holdsCredentials } from '../secrets/credentials.ts';
import type { Digest } from '../secrets/digest.ts';
import type { Stored } from './record.ts';

/** Tells whether a value equals the stored one. */
export function matchesStored(
  { field, digest }: { readonly field: Field; readonly digest: Digest },
  stored: Stored,
  value: Json,
): boolean {
  const normal = (field.codec ?? plain).normal(value);
  return 'digest' in stored
    ? stored.digest === digest(canonical(normal), stored.digest)
    : canonical(stored.value) === canonical(normal);
}

/** What the state holds of a value: the value, or a digest where it may be secret. */
export function toStored(field: Field, value: Json, isSecret: boolean, digest: Digest): Stored {
  const normal = (field.codec ?? plain).normal(value);
  const isHidden = field.secrecy !== undefined || isSecret || holdsCredentials(normal);
  return isHidden ? { digest: digest(canonical(normal)) } : { value: normal };
}

/** The ids in a value that was settled. */
export function membersOf(stored: Stored | undefined): readonly string[] {
  return stored !== undefined && 'value' in stored ? idsIn(stored.value) : [];
}
