declare const isPrinted: unique symbol;

/** Text that commands neither a terminal nor a CI runner: the only text that a stream of the process takes. */
export type Printed = string & { readonly [isPrinted]: true };

/** An emoji with the selectors and joiners that belong to it: there they show. */
const emoji = String.raw`(\p{Extended_Pictographic}(?:[\ufe0e\ufe0f]|\p{Emoji_Modifier})?(?:\u200d\p{Extended_Pictographic}(?:\ufe0f|\p{Emoji_Modifier})?)*)`;

/** Controls, line separators, halves of surrogate pairs, and characters that reorder text or show nothing. */
const signs = String.raw`[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]`;

const unprintable = new RegExp(`${emoji}|${signs}`, 'gu');
const unprintableInLines = new RegExp(String.raw`${emoji}|(?![\n\t])${signs}`, 'gu');

/** Nothing to escape in one line: most texts. */
const harmless = /^[\u0020-\u007e]*$/;

/** Nothing to escape at the edge: most texts of Trueup. */
const harmlessLines = /^(?!.*(?:::|##))[\n\u0020-\u007e\u2026]*$/s;

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** A foreign text as one line without control characters: they are written as escapes. */
export function printable(text: string): string {
  return harmless.test(text)
    ? text
    : text.replaceAll(unprintable, (sign: string, shown?: string) => shown ?? short[sign] ?? code(sign));
}

function code(sign: string): string {
  const point = sign.codePointAt(0) ?? 0;
  return point < 0x100 ? `\\x${point.toString(16).padStart(2, '0')}` : inJson(sign);
}

/** A character as JSON writes it: in a string of a document, its value stays the same. */
function inJson(sign: string): string {
  return [...Array(sign.length).keys()].map((at) => `\\u${sign.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');
}

/**
 * A text of Trueup, in any format, as it is printed. Whatever foreign text in it could command is escaped as in JSON: the
 * characters that `printable` escapes, except line ends and tabs, and what runners take for commands: `##[` and `##name[`
 * anywhere, `::name` at the start of a line. `hasColours`: the colours of a `Style` stay.
 */
export function printed(text: string, { hasColours = false }: { readonly hasColours?: boolean } = {}): Printed {
  const clean = harmlessLines.test(text)
    ? text
    : text
        .split(hasColours ? colours : /(?!)/)
        .map((part, index) => (index % 2 === 1 ? part : withoutControls(part)))
        .join('')
        .replaceAll(/##(?=[\w.-]*\[)/g, '\\u0023#')
        .replaceAll(commandAtStart, '$1\\u003a:');
  return clean as Printed;
}

function withoutControls(text: string): string {
  return text.replaceAll(unprintableInLines, (sign: string, shown?: string) => shown ?? inJson(sign));
}

/** The codes of `Style.paint` and nothing else. */
// eslint-disable-next-line no-control-regex -- they are what this is about
const colours = /(\u001b\[(?:1|2|22|31|32|33|36|39)m)/;

/** Runners skip white space before a command. */
// eslint-disable-next-line no-control-regex -- colours stand before it
const commandAtStart = /((?:^|\n)(?:[^\S\n]|\u001b\[\d+m)*)::(?=[a-z])/gi;

/** A text exactly as it is, for whoever asked for that with `--raw`. */
export function unchanged(text: string): Printed {
  return text as Printed;
}
