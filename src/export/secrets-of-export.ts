import { append } from '../kind/group.ts';
import { type Masking, secretParts } from '../secrets/looks-secret.ts';
import { createNames, secretName } from './free-names.ts';

/** A secret that an export names: `${secret:NAME}` stands for its value. */
export interface NamedSecret {
  readonly name: string;
  /** The places that use it: `production.postgres.main: databasePassword`. */
  readonly usedBy: string[];
  /** In clear: it goes into the file of secrets and nowhere else. */
  readonly value: string;
}

/** A place that holds a secret: `parts` make up the name, `place` tells people. */
interface SecretPlace {
  readonly parts: readonly string[];
  readonly place: string;
}

/** Names the secrets of an export. */
export interface Secrets {
  /** Those that something uses. */
  readonly all: () => readonly NamedSecret[];
  /** Makes known that a field which is declared secret has a value: other texts with the same value refer to its secret. */
  readonly declare: (value: string, at: SecretPlace) => void;
  /** The name for the value of a declared field. */
  readonly nameOfField: (value: string, at: SecretPlace) => string;
  /** The name for a value in a text: that of a field or text before with the same value, else one of its own. */
  readonly nameOf: (value: string, at: SecretPlace) => string;
}

/** The secrets that a manifest names already, with the values that this run has. */
export interface UsedSecrets {
  readonly names: ReadonlySet<string>;
  readonly valueOf: (name: string) => string | undefined;
}

/** Makes an empty set of secrets. A name that is used already stands for the same value only. */
export function createSecrets(used: UsedSecrets): Secrets {
  const names = createNames(used.names, { numbered: (name, count) => `${name}_${count}` });
  const reused = new Set<string>();
  const secrets: NamedSecret[] = [];
  const byPlace = new Map<string, NamedSecret>();
  const byValue = new Map<string, { readonly secret: NamedSecret; readonly top: string | undefined }[]>();
  for (const name of used.names) {
    const value = used.valueOf(name);
    if (value === undefined || value.length < minShared) continue;
    append(byValue, value, { secret: hidden({ name, usedBy: [] }, value), top: undefined });
  }
  const add = (value: string, { parts }: SecretPlace): NamedSecret => {
    const wanted = secretName(parts);
    const isSame = used.names.has(wanted) && !reused.has(wanted) && used.valueOf(wanted) === value;
    if (isSame) reused.add(wanted);
    const secret = hidden({ name: isSame ? wanted : names.take(wanted), usedBy: [] }, value);
    secrets.push(secret);
    if (value.length >= minShared) append(byValue, value, { secret, top: parts[0] });
    return secret;
  };
  const declare = (value: string, at: SecretPlace): NamedSecret => {
    const known = byPlace.get(at.place);
    if (known !== undefined) return known;
    const secret = byValue.get(value)?.find(({ top }) => top === at.parts[0])?.secret ?? add(value, at);
    byPlace.set(at.place, secret);
    return secret;
  };
  const use = (secret: NamedSecret, { place }: SecretPlace): string => {
    if (!secret.usedBy.includes(place)) secret.usedBy.push(place);
    return secret.name;
  };
  return {
    all: () => secrets.filter(({ usedBy }) => usedBy.length > 0).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    declare: (value, at) => void declare(value, at),
    nameOfField: (value, at) => use(declare(value, at), at),
    nameOf: (value, at) => {
      const alike = byValue.get(value) ?? [];
      // In the same environment, if there is one.
      const known = alike.find(({ top }) => top === at.parts[0]) ?? alike[0];
      return use(known?.secret ?? add(value, at), at);
    },
  };
}

/** Shorter values are no proof that two texts mean one secret. */
const minShared = 6;

/** A secret whose value neither JSON nor an inspection shows. */
function hidden(about: Omit<NamedSecret, 'value'>, value: string): NamedSecret {
  return Object.defineProperty({ ...about, value }, 'value', { value, enumerable: false });
}

/** A part of a text that looks like a secret, with the name that it gets. */
interface Span {
  readonly from: number;
  readonly to: number;
  readonly key: string;
}

/** The parts of a text that are secrets, or look like them. */
export function secretSpans(text: string, how: Masking = {}): readonly Span[] {
  let before = 0;
  return secretParts(text, how).map(([from, to]) => {
    const key = keyBefore(text, from, before);
    before = to;
    return { from, to, key };
  });
}

/** What the line of a secret is about: the key at its beginning, if it lies behind the secret before and is none itself. */
function keyBefore(text: string, from: number, before: number): string {
  if (text.startsWith('-----BEGIN', from)) return 'PRIVATE_KEY';
  const line = text.slice(Math.max(0, from - 256, text.lastIndexOf('\n', from - 1) + 1), from);
  const key = /^[\s#-]*["']?(?:export\s+)?([A-Za-z_][\w.-]{0,64})["']?\s*[=:]/.exec(line)?.[1];
  const isOwn = key !== undefined && from - line.length + line.indexOf(key) >= before;
  return isOwn && secretParts(key).length === 0 ? key : 'SECRET';
}

/** A text with `${secret:…}` in the place of some spans; what is between them is written by `plainly`. */
export function withSpans(
  text: string,
  spans: readonly Span[],
  {
    nameOf,
    plainly,
  }: { readonly nameOf: (value: string, key: string) => string; readonly plainly: (text: string) => string },
): string {
  let written = '';
  let at = 0;
  for (const { from, to, key } of spans) {
    written += `${plainly(text.slice(at, from))}\${secret:${nameOf(text.slice(from, to), key)}}`;
    at = to;
  }
  return written + plainly(text.slice(at));
}
