import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import { type Attribute, attributeName, pathOf } from '../kind/attribute.ts';
import { plain } from '../kind/codecs.ts';
import type { Field } from '../kind/field.ts';
import { type Json, canonical } from '../formats/json.ts';
import type { Kind } from '../kind/kind.ts';
import { fieldPath } from '../kind/row-values.ts';
import type { Acceptance, AcceptedDrift } from '../manifest/accepted-drift.ts';
import { type Subject, subjectKey } from '../manifest/entry-list.ts';
import type { Digests } from '../secrets/digest.ts';

/** Longest time for which drift can be accepted, in days. */
const longestAcceptance = 366;

/** An acceptance of exactly what the platform has now. `over`: its day has passed. */
export interface Accepted extends Acceptance {
  readonly over: boolean;
}

/** Looks up the acceptance of what the platform has at a subject now. */
export interface Acceptances {
  readonly of: (subject: Subject, digest: (like: string) => string) => Accepted | undefined;
  /** The acceptance of a subject for another value than the platform has now. Its day has not passed. */
  readonly ofAnother: (subject: Subject) => Acceptance | undefined;
  /** Makes the digests of values, bound to objects instead of addresses. */
  readonly digests: Digests;
  /** The entries that accept nothing, with the command that renews them. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * The acceptances that count on a day. An entry without a digest, with one made by a key that the state does not know, or of
 * more than a year counts for nothing.
 */
export function acceptancesOn(today: string, entries: readonly AcceptedDrift[], digests: Digests): Acceptances {
  const known = new Map<string, AcceptedDrift>();
  const diagnostics: Diagnostic[] = [];
  for (const entry of entries) {
    const why = whyVoid(entry, today, digests);
    if (why === undefined) known.set(subjectKey(entry), entry);
    else diagnostics.push(voided(entry, why));
  }
  return {
    digests,
    diagnostics,
    ofAnother: (subject) => {
      const entry = known.get(subjectKey(subject));
      if (entry === undefined || entry.until < today) return undefined;
      const { until, because, by } = entry;
      return { until, because, by };
    },
    of: (subject, digest) => {
      const entry = known.get(subjectKey(subject));
      if (entry?.digest === undefined || digest(entry.digest) !== entry.digest) return undefined;
      const { until, because, by } = entry;
      return { until, because, by, over: until < today };
    },
  };
}

function whyVoid({ digest, until, objectId }: AcceptedDrift, today: string, digests: Digests): string | undefined {
  if (digest === undefined) return 'it has no digest of the value that was accepted';
  if (keyNumber(digests(objectId, '')('', digest)) !== keyNumber(digest))
    return 'its digest was made with a key that this state does not have';
  return isTooFar(until, today) ? `${until} is more than a year away` : undefined;
}

/** Whether a day is so far away that nothing can be accepted until then. */
export function isTooFar(until: string, today: string): boolean {
  return Date.parse(until) - Date.parse(today) > longestAcceptance * 86_400_000;
}

/** The number of the key that a digest was made with. */
function keyNumber(made: string): string {
  return /^\d{1,9}\./.exec(made)?.[0] ?? '';
}

function voided({ address, objectId, field, because, position }: AcceptedDrift, why: string): Diagnostic {
  const subject = address ?? objectId;
  const message = `the acceptance of ${subject}${field === undefined ? '' : ` ${field}`} counts for nothing: ${why}`;
  const remedy = `To renew it: ${acceptCommand({ subject, field, because })}. Or remove the entry.`;
  return diagnostic('acceptance-void', message, { remedy, position });
}

/** The command that accepts drift; without a day, the user writes it. */
export function acceptCommand({
  subject,
  field,
  until = 'DAY',
  because,
}: {
  readonly subject: string;
  readonly field: string | undefined;
  readonly until?: string;
  readonly because: string;
}): string {
  const words = [shellQuoted(subject), ...(field === undefined ? [] : ['--field', shellQuoted(field)])].join(' ');
  return `trueup drift accept ${words} --until ${until} --because ${shellQuoted(because)}`;
}

/** A word of a command line of a POSIX shell. */
function shellQuoted(word: string): string {
  return /^[\w./@:=-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** Makes the digest of an object as a whole: that it is missing, unmanaged or a duplicate is all there is to accept. */
export function objectDigest(
  digests: Digests,
  objectId: string,
  is: 'missing' | 'unmanaged' | 'duplicate',
): (like?: string) => string {
  return (like) => digests(objectId, `(${is})`)(is, like);
}

/** The name of an attribute in findings and acceptances: its path, with the name of its field where others have the same. */
export function subjectField(kind: Kind, attribute: Attribute): string {
  const path = fieldPath(kind, attribute.field);
  const isShared = Object.keys(kind.fields).some((name) => name !== attribute.field && fieldPath(kind, name) === path);
  return isShared ? `${pathOf(kind, attribute)} (${attribute.field})` : pathOf(kind, attribute);
}

/** Makes the digest of what the platform has in an attribute, bound to the object and not to its address. */
export function subjectDigest(
  digests: Digests,
  {
    objectId,
    attribute,
    field,
    observed,
  }: {
    readonly objectId: string;
    readonly attribute: Attribute;
    readonly field: Field;
    readonly observed: Json;
  },
): (like?: string) => string {
  const normal = canonical((field.codec ?? plain).normal(observed));
  return (like) => digests(objectId, attributeName(attribute))(normal, like);
}
