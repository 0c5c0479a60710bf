import { attributeNamed, readRow } from '../kind/attribute.ts';
import type { Row } from '../kind/json.ts';
import type { Kind } from '../kind/kind.ts';
import { addSecretsOf } from '../secrets/call-secrets.ts';
import type { Redactor } from '../secrets/redactor.ts';
import { knownPairs } from './known-pairs.ts';
import type { StateRecord } from './record.ts';
import { secretsIn } from './stored.ts';

/** Adds the secrets of the row of an object: what the kind and its names say, and what the state remembers as secret. */
export function addSecretsOfRow(
  add: Redactor['add'],
  row: Row | undefined,
  { kind, record }: { readonly kind: Kind; readonly record: StateRecord | undefined },
): void {
  if (row === undefined) return;
  addSecretsOf(add, row, kind);
  const now = readRow(kind, row);
  for (const [name, { answered }] of Object.entries(knownPairs(record)))
    for (const text of secretsIn(answered, now.value(attributeNamed(name)))) add(text);
}
