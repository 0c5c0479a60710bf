import { means, plain } from '../kind/codecs.ts';
import { type Json, canonical, same, textsIn } from '../formats/json.ts';
import type { Attribute } from '../kind/attribute.ts';
import type { Field } from '../kind/field.ts';
import { idsIn } from '../kind/shared-set.ts';
import type { Digest } from '../secrets/digest.ts';
import { maskAttribute } from '../secrets/looks-secret.ts';
import { concealedMark } from '../secrets/secret.ts';
import type { ClearAround, Stored } from './record.ts';

/** Tells whether a value equals the stored one. */
export function matchesStored(
  { field, digest }: { readonly field: Field; readonly digest: Digest },
  stored: Stored,
  value: Json,
): boolean {
  const normal = (field.codec ?? plain).normal(value);
  return 'digest' in stored ? stored.digest === digest(canonical(normal), stored.digest) : same(stored.value, normal);
}

/** Tells whether the platform answers `observed` when the stored value is what it has. */
export function keepsStored(about: Parameters<typeof matchesStored>[0], stored: Stored, observed: Json): boolean {
  if ('digest' in stored) return matchesStored(about, stored, observed);
  return means(about.field.codec ?? plain, stored.value, observed);
}

/** What is known of the secrets in a value that is about to be stored. */
export interface Storing {
  readonly field: Field;
  readonly attribute: Attribute;
  /** A secret flowed into it, or the user calls it private. */
  readonly isSecret: boolean;
  /** The lines of its text that are secret in part, by their numbers; undefined where any part may be secret. */
  readonly secretLines?: ReadonlyMap<number, ClearAround> | undefined;
  readonly privateKeys?: ReadonlySet<string> | undefined;
  readonly digest: Digest;
}

/** Most characters of a text in a field with long texts, such as a compose file, that the state holds as it is. */
const maxTextLength = 1_024;

/** What the state holds of a value: the value; or a digest, where it may be secret or is long. */
export function toStored(
  { field, attribute, isSecret, secretLines, privateKeys, digest }: Storing,
  value: Json,
): Stored {
  const normal = (field.codec ?? plain).normal(value);
  if (field.secrecy === 'secret' || (isSecret && secretLines === undefined))
    return { digest: digest(canonical(normal)) };
  const isLong = field.secrecy === 'private' && typeof normal === 'string' && normal.length > maxTextLength;
  if (!isSecret && !isLong && maskAttribute({ field, attribute }, normal, privateKeys) === normal)
    return { value: normal };
  const lines = [...(secretLines ?? [])];
  return {
    digest: digest(canonical(normal)),
    secretLines: lines.map(([line]) => line),
    ...(lines.length === 0 ? {} : { clearAround: lines.map(([, around]) => around) }),
  };
}

/** Returns true for a value into which a secret flowed, as far as the state tells. */
export function heldSecrets(stored: Stored): boolean {
  return 'digest' in stored && stored.secretLines?.length !== 0;
}

/** Returns true for a value that held secrets when it was settled, and is another one now: where they stand is not known. */
export function lostSecrets(about: Parameters<typeof matchesStored>[0], stored: Stored, value: Json): boolean {
  return heldSecrets(stored) && !matchesStored(about, stored, value);
}

/** A line, and the part of it that came from a secret. */
export interface SecretLine {
  readonly line: string;
  readonly from: number;
  readonly to: number;
}

/** The lines of a value that came from a secret when it was settled; of one that changed since, they may be others. */
export function secretLinesIn(stored: Stored, value: Json): readonly SecretLine[] {
  if ('value' in stored || !heldSecrets(stored)) return [];
  const { secretLines, clearAround = [] } = stored;
  if (secretLines === undefined || typeof value !== 'string')
    return textsIn(value).flatMap((text) => text.split('\n').map((line) => ({ line, from: 0, to: line.length })));
  const lines = value.split('\n');
  return secretLines.map((at, index) => {
    const [line = '', [before, behind] = [0, 0]] = [lines[at], clearAround[index]];
    return { line, from: before, to: line.length - behind };
  });
}

/** The texts in those lines that came from a secret; those of a value without known lines as a whole. */
export function secretsIn(stored: Stored, value: Json): readonly string[] {
  const isWhole = 'digest' in stored && stored.secretLines === undefined;
  if (isWhole || typeof value !== 'string') return heldSecrets(stored) ? textsIn(value) : [];
  return secretLinesIn(stored, value).map(({ line, from, to }) => line.slice(from, to));
}

/**
 * A value that is as it was settled, with marks in place of what came from a secret then; undefined where that may be all
 * of it. `shown`: the lines that are known with their secrets apart.
 */
export function withoutSecrets(
  stored: Stored,
  value: Json,
  shown: ReadonlyMap<string, string> = new Map(),
): Json | undefined {
  if ('value' in stored || !heldSecrets(stored)) return value;
  const { secretLines, clearAround = [] } = stored;
  if (secretLines === undefined || typeof value !== 'string') return undefined;
  const around = new Map(secretLines.map((line, at) => [line, clearAround[at] ?? ([0, 0] as const)]));
  const conceal = (line: string, [before, behind]: ClearAround) =>
    shown.get(line) ?? line.slice(0, before) + concealedMark + line.slice(line.length - behind);
  return value
    .split('\n')
    .map((line, at) => {
      const clear = around.get(at);
      return clear === undefined ? line : conceal(line, clear);
    })
    .join('\n');
}

/** The ids in a value that was settled. */
export function membersOf(stored: Stored | undefined): readonly string[] {
  return stored !== undefined && 'value' in stored ? idsIn(stored.value) : [];
}
