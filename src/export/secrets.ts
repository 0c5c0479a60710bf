import { append } from '../graph/group.ts';
import { passwordsIn } from '../secrets/credentials.ts';
import { createNames, secretName } from './names.ts';

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
  /** The name for a value in a text: that of the field that has the same value, else one of its own. */
  readonly nameOf: (value: string, at: SecretPlace) => string;
}

/** Makes an empty set of secrets. */
export function createSecrets(taken: Iterable<string> = []): Secrets {
  const names = createNames(taken, { numbered: (name, count) => `${name}_${count}` });
  const secrets: NamedSecret[] = [];
  const byPlace = new Map<string, NamedSecret>();
  const byValue = new Map<string, { readonly secret: NamedSecret; readonly top: string | undefined }[]>();
  const add = (value: string, { parts }: SecretPlace): NamedSecret => {
    const secret = hidden({ name: names.take(secretName(parts)), usedBy: [] }, value);
    secrets.push(secret);
    return secret;
  };
  const declare = (value: string, at: SecretPlace): NamedSecret => {
    const known = byPlace.get(at.place);
    if (known !== undefined) return known;
    const secret = add(value, at);
    byPlace.set(at.place, secret);
    if (value.length >= leastShared) append(byValue, value, { secret, top: at.parts[0] });
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
const leastShared = 6;

/** A secret whose value neither JSON nor an inspection shows. */
function hidden(about: Omit<NamedSecret, 'value'>, value: string): NamedSecret {
  return Object.defineProperty({ ...about, value }, 'value', { value, enumerable: false });
}

/** Names of variables whose values are secrets. */
const secretKey =
  /(?:^|[_.-])(?:pass(?:word|wd|phrase)?|pwd|secrets?|tokens?|credentials?|auth|salt|dsn|api_?keys?|apikeys?|private_?keys?|access_?keys?|encryption_?keys?|signing_?keys?|license_?keys?|keys?)(?:[_.-]?(?:base|hash|[0-9]+))?$|password|passwd|secret|token|api[_-]?key|private[_-]?key|credential/i;

/** Names that only look so. */
const openKey =
  /(?:public|publishable|site)[_-]?key|_(?:file|path|dir|url_path|name|id|ttl|expiry|expires(?:_in)?|length|enabled|type|header|algorithm|issuer|host|port|user(?:name)?)$/i;

/** Texts that are secret wherever they stand. */
const secretValue =
  /-----BEGIN [A-Z ]*PRIVATE KEY-----|^eyJ[\w-]{8,}\.[\w-]{8,}\.|^(?:sk|pk|rk)_(?:live|test)_\w{8,}|^gh[opsru]_\w{16,}|^github_pat_\w{16,}|^glpat-[\w-]{16,}|^xox[abprs]-[\w-]{8,}|^AKIA[0-9A-Z]{12,}|^AIza[\w-]{20,}|^SG\.[\w-]{16,}|^AGE-SECRET-KEY-1|^sk-[\w-]{16,}|^hf_\w{16,}|^npm_\w{16,}/;

/** Whether a value under a key, such as that of a variable, looks like a secret. */
export function looksSecret(key: string, value: string): boolean {
  if (value === '' || isMention(value)) return false;
  if (secretValue.test(value) || passwordsIn(value).length > 0 || isRandom(value)) return true;
  return secretKey.test(key) && !openKey.test(key) && !/^(?:true|false|yes|no|none|null|\d{1,3})$/i.test(value);
}

/** A value that only names another: `$TOKEN`, `${TOKEN:?why}`, `${{environment.TOKEN}}`; one with a default is what the default is. */
function isMention(value: string): boolean {
  const [, otherwise = ''] = /^\$\{\w+:?-([^{}]*)\}$/.exec(value.trim()) ?? [];
  if (otherwise !== '') return !secretValue.test(otherwise) && !isRandom(otherwise);
  return /^\$+(?:\w+|\{\w+(?::?[-?+][^{}]*)?\}|\{\{[^}]*\}\})$/.test(value.trim());
}

/** Whether a word has so many different signs that nobody thought it up: hex from 32 characters, others from 24. */
function isRandom(value: string): boolean {
  if (/^[0-9a-f]{32,}$/i.test(value)) return !/^sha\d+:/i.test(value) && entropy(value) > 3;
  if (!/^[A-Za-z0-9+/_=-]{24,}$/.test(value)) return false;
  const sorts = [/[a-z]/, /[A-Z]/, /\d/].filter((sort) => sort.test(value)).length;
  return sorts === 3 && entropy(value) > 3.8 && !/[a-z]{8,}/i.test(value);
}

/** Bits per character. */
function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const sign of text) counts.set(sign, (counts.get(sign) ?? 0) + 1);
  return [...counts.values()].reduce((sum, count) => sum - (count / text.length) * Math.log2(count / text.length), 0);
}

/** Where a secret stands in a text: `from` and `to` are offsets. */
export interface Span {
  readonly from: number;
  readonly to: number;
  /** What it is called there. */
  readonly key: string;
}

/**
 * The secrets in a text of any form: values of lines such as `KEY=value` and `key: value`, passwords of addresses, tokens
 * and private keys.
 */
export function secretSpans(text: string): readonly Span[] {
  const spans: Span[] = [];
  const add = (from: number, to: number, key: string) => {
    if (to > from && !spans.some((span) => from < span.to && span.from < to)) spans.push({ from, to, key });
  };
  for (const match of text.matchAll(privateKey)) add(match.index, match.index + match[0].length, 'PRIVATE_KEY');
  for (const match of text.matchAll(userInfo)) {
    const [whole, before = '', password = ''] = match;
    if (!password.startsWith('$')) add(match.index + before.length, match.index + whole.length, 'PASSWORD');
  }
  for (const match of text.matchAll(assignment)) {
    const [whole, key = '', , value = ''] = match;
    const from = match.index + whole.length - value.length;
    if (passwordsIn(value).length === 0 && looksSecret(key, value)) add(from, from + value.length, key);
  }
  return spans.toSorted((a, b) => a.from - b.from);
}

const privateKey = /-----BEGIN ([A-Z ]*PRIVATE KEY)-----[\s\S]*?-----END \1-----/g;
const userInfo = /([a-z][a-z\d+.-]*:\/\/[^\s/:@"'$]*:)([^\s/@"']+)(?=@)/gi;
/** A key, `=` or `:`, and a value to the end of its line or quotes. */
const assignment =
  /(?<![\w.{-])([\w.-]+)["']?[ \t]*[=:][ \t]*(?:(["'])(?=[^"'\n]*\2))?([^\s"'#,{}[\]][^\n"']*?)(?=["']|[ \t]*(?:\r?$|[ \t]#|,[ \t]*$))/gm;

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
