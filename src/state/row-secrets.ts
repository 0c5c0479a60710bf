import { attributeField, attributeNamed, readRow } from '../kind/attribute.ts';
import type { Json, Row } from '../formats/json.ts';
import type { Kind } from '../kind/kind.ts';
import { addSecretsOf } from '../secrets/call-secrets.ts';
import type { Digest } from '../secrets/digest.ts';
import type { Redactor } from '../secrets/redactor.ts';
import { knownPairs } from './pending-operation.ts';
import type { StateRecord, Stored } from './record.ts';
import { type SecretLine, lostSecrets, secretLinesIn, secretsIn } from './stored.ts';

/** An object in the state. */
interface Recorded {
  readonly kind: Kind;
  readonly record: StateRecord | undefined;
}

/** Adds the secrets of the row of an object: what the kind and its names say, and what the state remembers as secret. */
export function addSecretsOfRow(add: Redactor['add'], row: Row | undefined, about: Recorded): void {
  if (row === undefined) return;
  addSecretsOf(add, row, about.kind);
  for (const text of eachRemembered(row, about, secretsIn)) add(text);
}

/** What the state remembers of the secrets in a row. */
export interface Remembered {
  /** The lines that came from one. */
  readonly lines: readonly SecretLine[];
  /** The fields that hold secrets and changed since: where these stand is not known. */
  readonly changed: ReadonlySet<string>;
}

/** Finds what came from secrets in a row. */
export function rememberedIn(row: Row, about: Recorded, digests: (attribute: string) => Digest): Remembered {
  const { kind, record } = about;
  const now = readRow(kind, row);
  const changed = Object.entries(knownPairs(record)).flatMap(([name, { answered }]) => {
    const attribute = attributeNamed(name);
    const field = kind.fields[attribute.field] === undefined ? undefined : attributeField(kind, attribute);
    if (field === undefined || field.secrecy === 'secret') return [];
    return lostSecrets({ field, digest: digests(name) }, answered, now.value(attribute)) ? [attribute.field] : [];
  });
  return { lines: eachRemembered(row, about, secretLinesIn), changed: new Set(changed) };
}

function eachRemembered<T>(
  row: Row,
  { kind, record }: Recorded,
  find: (stored: Stored, value: Json) => readonly T[],
): T[] {
  const now = readRow(kind, row);
  return Object.entries(knownPairs(record)).flatMap(([name, { answered }]) =>
    find(answered, now.value(attributeNamed(name))),
  );
}
