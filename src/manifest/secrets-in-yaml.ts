import { parseDocument } from 'yaml';
import { secretMarks } from './secret-marks.ts';
import type { Wanted } from './wanted.ts';
import { concealedIn, knownTexts, withTexts, writtenName } from './wanted.ts';

/** A secret in a text of YAML that changes how it is read. */
export interface MisreadSecret {
  readonly name: string;
  /** The name as its expression has it, with an encoding. */
  readonly written: string;
  /** `key`: it stands in a key of a map. `misread`: YAML reads its value as more, less or something else than a text. */
  readonly is: 'key' | 'misread';
  /** Its value may stand in single quotes. */
  readonly mayBeQuoted: boolean;
}

/**
 * The secrets that YAML does not read as the text that they are. Checks read a text with marks in place of its secrets: that is
 * true of the text itself only where each secret is what a mark is, a part of one scalar. Says nothing of a text that is no YAML
 * with marks either, and nothing of secrets that this run does not have, but that they stand in a key.
 */
export function misreadSecrets(wanted: Wanted): readonly MisreadSecret[] {
  const secrets = new Map(
    concealedIn(wanted).flatMap((one) => (one.from === 'secret' ? [[writtenName(one), one]] : [])),
  );
  const shape = wanted.content.reveal();
  // A text that is one secret is not checked.
  if (secrets.size === 0 || (shape.is === 'text' && shape.pieces.length === 1)) return [];
  const marks = secretMarks(knownTexts(wanted));
  const readWith = (secret: string | undefined): Read | undefined => {
    const text = withTexts(wanted, (part) =>
      part.from === 'env' || writtenName(part) === secret ? part.hidden : marks.of(part),
    );
    return typeof text === 'string' ? read(text) : undefined;
  };
  const marked = readWith(undefined);
  if (marked === undefined || 'isBroken' in marked) return [];
  return [...secrets].flatMap(([written, secret]): MisreadSecret[] => {
    const { name, hidden } = secret;
    const mark = marks.of(secret) ?? '';
    const mayBeQuoted = hidden === undefined || !/['\n\r]/.test(hidden);
    if (keysIn(marked.value).some((key) => key.includes(mark))) return [{ name, written, is: 'key', mayBeQuoted }];
    if (hidden === undefined) return [];
    const real = readWith(written);
    const isSame = real !== undefined && !('isBroken' in real) && isRead(marked.value, real.value, [mark, hidden]);
    return isSame ? [] : [{ name, written, is: 'misread', mayBeQuoted }];
  });
}

type Read = { readonly value: unknown } | { readonly isBroken: true };

function read(text: string): Read {
  const document = parseDocument(text, { merge: true, logLevel: 'error', prettyErrors: false });
  if (document.errors.length > 0) return { isBroken: true };
  try {
    return { value: document.toJS({ maxAliasCount: mostAliases }) };
  } catch {
    return { isBroken: true }; // an alias without an anchor, or too many
  }
}

/** As many uses of one anchor as compose files may have. */
const mostAliases = 10_000;

/** All keys of the maps in a value. */
function keysIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.values(value).flatMap(keysIn);
  return Array.isArray(value) ? inner : [...Object.keys(value), ...inner];
}

/** Whether a value is the one with a mark, with the secret in its place. A number is the text that it is written as. */
function isRead(marked: unknown, real: unknown, [mark, hidden]: readonly [string, string]): boolean {
  if (typeof marked === 'string') {
    if (!marked.includes(mark)) return marked === real;
    const text = marked.replaceAll(mark, () => hidden);
    return typeof real === 'number'
      ? String(real) === text
      : typeof real === 'string' && unindented(real) === unindented(text);
  }
  if (typeof marked !== 'object' || marked === null) return Object.is(marked, real);
  if (typeof real !== 'object' || real === null || Array.isArray(marked) !== Array.isArray(real)) return false;
  const [left, right] = [Object.entries(marked), Object.entries(real)];
  return (
    left.length === right.length &&
    left.every(([key, value], at) => key === right[at]?.[0] && isRead(value, right[at][1], [mark, hidden]))
  );
}

/** A text without the blanks that its lines begin with: a text in a block loses those that indent it. */
function unindented(text: string): string {
  return text.replaceAll(/\n[ \t]+/g, '\n');
}
