import type { Json } from '../kind/json.ts';
import type { Field } from '../kind/field.ts';
import type { Resolved, Wanted } from '../manifest/wanted.ts';
import { withoutCredentials } from '../secrets/credentials.ts';
import type { Stored } from '../state/record.ts';
import type { Shown } from './action.ts';

/**
 * What people may see of a wanted value. Not what a secret flowed into, and nothing of a field that may hold secrets:
 * plans are read in logs and pull requests, by more people than the manifest.
 */
export function showWanted(field: Field, wanted: Wanted, resolved: Resolved): Shown {
  if (resolved.is === 'known' && resolved.value === null) return { is: 'absent' };
  if (field.secrecy !== undefined || wanted.isSecret) return { is: 'hidden' };
  if (resolved.is === 'known') return { is: 'value', value: withoutCredentials(resolved.value) };
  return resolved.is === 'pending' ? { is: 'known after apply' } : { is: 'hidden' };
}

/** What people may see of a value of the platform. */
export function showObserved(field: Field, value: Json, isSecret: boolean): Shown {
  if (value === null) return { is: 'absent' };
  return field.secrecy !== undefined || isSecret ? { is: 'hidden' } : { is: 'value', value: withoutCredentials(value) };
}

/** What people may see of a value that was settled. */
export function showStored(stored: Stored): Shown {
  if ('digest' in stored) return { is: 'hidden' };
  return stored.value === null ? { is: 'absent' } : { is: 'value', value: stored.value };
}

/** What may be said of two texts without showing them: how many lines there are and which differ. */
export function compareHidden(before: Json, after: Json): string | undefined {
  if (typeof after !== 'string' || !after.includes('\n')) return undefined;
  const lines = after.replace(/\n$/, '').split('\n');
  if (typeof before !== 'string') return lines.length === 1 ? '1 line' : `${lines.length} lines`;
  const old = before.replace(/\n$/, '').split('\n');
  let first = 0;
  while (first < lines.length && first < old.length && lines[first] === old[first]) first++;
  let same = 0;
  while (same < lines.length - first && same < old.length - first && lines.at(-1 - same) === old.at(-1 - same)) same++;
  const last = lines.length - same;
  // Where nothing but the end is missing, that is the line before it.
  const where = last - first <= 1 ? `line ${Math.min(first + 1, lines.length)}` : `lines ${first + 1} to ${last}`;
  return `${where} of ${lines.length}, before ${old.length}`;
}
