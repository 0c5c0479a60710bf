import { hasMark } from '../formats/secret-mark.ts';

/** How a variable is used: `${NAME}` alone, or with a default, a replacement or an error. */
export interface VariableUse {
  readonly name: string;
  /** What stands behind the name: `:-`, `-`, `:+`, `+`, `:?`, `?`; undefined: nothing. */
  readonly operator?: string | undefined;
}

/** What a variable has: a value, a value that is not known, or none. */
export type Lookup = (name: string) => string | typeof notKnown | undefined;

/** The variable is set, and its value is not known. */
export const notKnown = Symbol('not known');

/** Returns true for a text that may become anything: what is left of its variables is not known, or it has a secret. */
export function isOpen(text: string): boolean {
  return text.includes('${') || hasMark(text);
}

/** A text with its variables filled in. */
export interface Interpolated {
  /** A variable without value and default stays, as `${X}`: two of them are the same. */
  readonly text: string;
  readonly uses: readonly VariableUse[];
  /** Each `$…` that is no variable. */
  readonly refused: readonly Refused[];
}

/** A `$…` that is no variable: refused with braces, and text without, which only a stack refuses. Source: docker/compose#12287. */
export interface Refused {
  readonly text: string;
  readonly isBraced: boolean;
  /** It stands in the default of a variable, which a stack takes as text. Measured with docker 28. */
  readonly isInDefault: boolean;
}

const nameHere = /[a-z_]\w*/iy;
const operatorHere = /:?[-+?]/y;
const brace = /[{}]/g;

/** Fills the variables of a text in as Docker Compose does: `$$`, `$NAME`, and `${NAME}` with a default inside of another. */
export function interpolate(text: string, lookup: Lookup): Interpolated {
  if (!text.includes('$')) return { text, uses: [], refused: [] };
  const uses: VariableUse[] = [];
  const refused: Refused[] = [];
  const fill = (part: string, isInDefault = true): string => {
    let filled = '';
    let from = 0;
    for (let at = part.indexOf('$'); at !== -1; at = part.indexOf('$', from)) {
      filled += part.slice(from, at);
      const found = readExpression(part, at);
      from = found.end;
      if (found.is === 'variable') filled += valueOf(found, lookup, { uses, fill });
      else if (found.is === 'escaped') filled += '$';
      else {
        const text = part.slice(at, found.end);
        refused.push({ text, isBraced: text.startsWith('${'), isInDefault });
        filled += text;
      }
    }
    return filled + part.slice(from);
  };
  const whole = fill(text, false);
  return { text: whole, uses, refused };
}

type Expression =
  | { readonly is: 'escaped' | 'refused'; readonly end: number }
  | {
      readonly is: 'variable';
      readonly name: string;
      readonly operator: string | undefined;
      /** What stands behind the operator. */
      readonly word: string;
      readonly end: number;
    };

/** Reads what begins with the `$` at an offset. */
function readExpression(text: string, at: number): Expression {
  if (text[at + 1] === '$') return { is: 'escaped', end: at + 2 };
  if (text[at + 1] !== '{') {
    const name = here(nameHere, text, at + 1);
    if (name === undefined) return { is: 'refused', end: Math.min(text.length, at + 2) };
    return { is: 'variable', name, operator: undefined, word: '', end: at + 1 + name.length };
  }
  const close = closingBrace(text, at + 2);
  const end = close === undefined ? text.length : close + 1;
  const name = here(nameHere, text, at + 2);
  if (close === undefined || name === undefined) return { is: 'refused', end };
  const behind = at + 2 + name.length;
  const operator = here(operatorHere, text, behind);
  if (operator === undefined && behind !== close) return { is: 'refused', end };
  return { is: 'variable', name, operator, word: text.slice(behind + (operator?.length ?? 0), close), end };
}

/** The offset of the brace that closes the one before an offset. */
function closingBrace(text: string, from: number): number | undefined {
  let depth = 1;
  brace.lastIndex = from;
  for (let found = brace.exec(text); found !== null; found = brace.exec(text)) {
    depth += found[0] === '{' ? 1 : -1;
    if (depth === 0) return found.index;
  }
  return undefined;
}

function here(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

function valueOf(
  { name, operator = '', word }: Extract<Expression, { is: 'variable' }>,
  lookup: Lookup,
  { uses, fill }: { readonly uses: VariableUse[]; readonly fill: (text: string) => string },
): string {
  uses.push(operator === '' ? { name } : { name, operator });
  const value = lookup(name);
  const written = `\${${name}}`;
  if (value === notKnown) return written;
  const isSet = value !== undefined && (value !== '' || !operator.startsWith(':'));
  if (operator.endsWith('-')) return isSet ? value : fill(word);
  if (operator.endsWith('+')) return isSet ? fill(word) : '';
  return value ?? written;
}
