import { Document, Scalar, YAMLSeq } from 'yaml';
import type { Field } from '../kind/field.ts';
import { type Json, isObject } from '../formats/json.ts';
import { maskAttribute, maskText } from '../secrets/looks-secret.ts';
import { redacted } from '../secrets/secret.ts';

/** The lines of YAML in a remedy, which users paste: without what may be secret. */

/** What stands for a value that looks secret, is long, or is not known. */
export const open = '…';

/** Most entries of a remedy, and most characters of a value in it. */
const maxEntries = 12;
const maxCharacters = 160;

/** Which values a remedy must not show. */
export interface Hiding {
  /** The keys and fields that the block calls private. */
  readonly privateKeys?: ReadonlySet<string> | undefined;
}

/** One line of a remedy, and what a comment behind it says. */
export interface Line {
  readonly key: string;
  readonly value: Json;
  readonly notes: readonly string[];
}

/** A value with `…` for what may be secret and for what is long. */
export function visible(field: Field, name: string, value: Json, hiding: Hiding): Json {
  const { privateKeys } = hiding;
  if (field.secrecy === 'secret' || privateKeys?.has(name) === true)
    return eachText(value, (text) => (isNamed(text) ? text : open), hidden);
  const masked = maskAttribute({ field, attribute: { field: name } }, value, privateKeys);
  const inMap = field.map !== undefined && isObject(masked);
  const shown = inMap
    ? Object.fromEntries(
        Object.entries(masked).map(([key, one]) => [
          key,
          maskAttribute({ field, attribute: { field: name, key } }, one, privateKeys),
        ]),
      )
    : masked;
  return eachText(shown, (text) => (isNamed(text) ? text : shortened(hidden(text))));
}

/** A text that only names a secret. */
function isNamed(text: string): boolean {
  return /^\$\{(?:secret|env|var|ref):[\w.-]*\}$/.test(text);
}

export function shortened(text: string): string {
  return text.length > maxCharacters ? open : text;
}

/** A text of the manifest without what looks secret. */
export function hidden(text: string): string {
  return maskText(text, { isOpen: true }).replaceAll(redacted, open);
}

/** A value with each text and number in it, and each key, as it is shown. */
export function eachText(value: Json, show: (text: string) => string, showKey = show): Json {
  if (Array.isArray(value)) return value.map((item: Json) => eachText(item, show, showKey));
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [showKey(key), eachText(inner, show, showKey)]),
    );
  if (typeof value === 'string') return show(value);
  return typeof value !== 'number' || show(String(value)) === String(value) ? value : open;
}

/** The remedy that has these entries, also below a key; `rest`: comments behind them. */
export function remedyOf(lines: readonly Line[], below?: string, rest: readonly string[] = []): string {
  const more = lines.length - maxEntries;
  const yaml = lines.slice(0, maxEntries).map(({ key, value, notes }) => {
    const comment = notes.length === 0 ? '' : ` # ${notes.join('; ').replaceAll(/\s+/g, ' ')}`;
    return inYaml(key, value) + comment;
  });
  const last = more > 0 ? [`# ${more} more in the same form`] : [];
  const head = yaml.some((line) => line.replace(/ # .*$/, '').includes(open))
    ? `Write this instead, with your values for ${open}:`
    : 'Write this instead:';
  const all = [...yaml, ...last, ...rest];
  return [head, ...(below === undefined ? all : [`${inFlow(below)}:`, ...all.map((line) => `  ${line}`)])].join('\n');
}

/** One entry in one line. */
export function inYaml(key: string, value: Json): string {
  return `${inFlow(key)}: ${inFlow(value)}`;
}

function inFlow(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(inFlow).join(', ')}]`;
  if (isObject(value)) {
    const entries = Object.entries(value).map(([key, inner]) => `${inFlow(key)}: ${inFlow(inner)}`);
    return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
  }
  if (typeof value === 'string' && /[\n\r]/.test(value)) return JSON.stringify(value);
  const list = new YAMLSeq();
  list.flow = true;
  list.items.push(new Scalar(value));
  return new Document(list).toString({ lineWidth: 0, flowCollectionPadding: false }).trim().slice(1, -1);
}
