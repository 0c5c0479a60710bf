import { textsIn } from '../formats/json.ts';
import { type ComposeYaml, readComposeYaml } from '../formats/compose-yaml.ts';
import type { Marks } from './secret-marks.ts';
import { type Concealed, type Wanted, concealedIn, knownTexts, withTexts, writtenName } from './wanted.ts';

/** A secret in a text of YAML that changes how it is read. */
interface MisreadSecret {
  readonly name: string;
  /** The name as its expression has it, with an encoding. */
  readonly written: string;
  /** `key`: it stands in a key of a map. `misread`: YAML reads its value as more, less or something else than a text. */
  readonly is: 'key' | 'misread';
  /** Its value may stand in single quotes. */
  readonly mayBeQuoted: boolean;
}

/**
 * The secrets that YAML does not read as the text that they are. Checks read a text with marks in place of its secrets, which
 * is `marked`: that is true of the text itself only where each secret is what a mark is, a part of one scalar. Says nothing of
 * a text that is no YAML with marks either, and nothing of secrets that this run does not have, but that they stand in a key.
 */
export function misreadSecrets(
  wanted: Wanted,
  marked: ComposeYaml | undefined,
  marks: Marks,
): readonly MisreadSecret[] {
  const secrets = new Map(
    concealedIn(wanted).flatMap((one) => (one.from === 'secret' ? [[writtenName(one), one]] : [])),
  );
  if (secrets.size === 0 || marked === undefined || 'unreadable' in marked) return [];
  if (areWords(wanted, marked.content, marks)) return [];
  const isMisread = (known: readonly Concealed[]): boolean => {
    const texts = new Map(known.map((one) => [marks.of(one), one.hidden ?? '']));
    const textOf = (part: Concealed): string | undefined => {
      const mark = part.from === 'secret' ? marks.of(part) : undefined;
      return mark === undefined ? part.hidden : (texts.get(mark) ?? mark);
    };
    const real = readComposeYaml(String(withTexts(wanted, textOf)));
    return 'unreadable' in real || !isRead(marked.content, real.content, texts);
  };
  const keys = keysIn(marked.content);
  const found = [...secrets].map(([written, secret]) => {
    const isInKey = keys.some((key) => key.includes(marks.of(secret) ?? ''));
    const mayBeQuoted = secret.hidden === undefined || !/['\n\r]/.test(secret.hidden);
    return { name: secret.name, written, is: isInKey ? 'key' : 'misread', mayBeQuoted, secret } as const;
  });
  const inValues = found.filter(({ is, secret }) => is === 'misread' && secret.hidden !== undefined);
  const inKeys = found.filter(({ is }) => is === 'key');
  if (inValues.length === 0 || !isMisread(inValues.map(({ secret }) => secret))) return inKeys;
  const alone = inValues.filter(({ secret }) => isMisread([secret]));
  // Two that are text by themselves may be something else beside each other.
  return [...inKeys, ...(alone.length > 0 ? alone : inValues)];
}

/**
 * Returns true where YAML reads each secret as it reads its mark, without trying: all are words that stand for themselves
 * only, and stand in values. Behind the beginning of a number, in a comment or an anchor, a word may be something else.
 */
function areWords(wanted: Wanted, content: unknown, marks: Marks): boolean {
  const parts = concealedIn(wanted).filter(({ from }) => from === 'secret');
  if (!parts.every(({ hidden = '' }) => /^[A-Za-z][\w-]{5,}$/.test(hidden))) return false;
  if (knownTexts(wanted).some((text) => text.includes('&'))) return false;
  const values = textsIn(content).filter((text) => marks.countIn(text) > 0);
  return marks.countIn(values.join('')) === parts.length && !values.some((text) => /^[-+.\d]/.test(text));
}

/** All keys of the maps in a value. */
function keysIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.values(value).flatMap(keysIn);
  return Array.isArray(value) ? inner : [...Object.keys(value), ...inner];
}

/** Whether a value is the one with marks, with the secrets in their place. A number is the text that it is written as. */
function isRead(marked: unknown, real: unknown, texts: ReadonlyMap<string | undefined, string>): boolean {
  if (typeof marked === 'string') {
    const text = Array.from(marked, (sign) => texts.get(sign) ?? sign).join('');
    if (typeof real === 'number') return text !== marked && String(real) === text;
    return typeof real === 'string' && unindented(real) === unindented(text);
  }
  if (typeof marked !== 'object' || marked === null) return Object.is(marked, real);
  if (typeof real !== 'object' || real === null || Array.isArray(marked) !== Array.isArray(real)) return false;
  const [left, right] = [Object.entries(marked), Object.entries(real)];
  return (
    left.length === right.length &&
    left.every(([key, value], at) => key === right[at]?.[0] && isRead(value, right[at][1], texts))
  );
}

/** A text without the blanks that its lines begin with: a text in a block loses those that indent it. */
function unindented(text: string): string {
  return text.replaceAll(/\n[ \t]+/g, '\n');
}
