import { closest } from '../diagnostics/closest.ts';
import { expressionSources } from './sources/all.ts';
import type { ExpressionSource } from './sources/source.ts';

/** What a shell and a compose file have behind the name and the colon: `${NAME:-default}`. */
export const shellDefault = /^[-+?=]/;

/** What to do where the text of a shell reads like an expression, and nothing escapes it. */
export function remedyForShell(name: string): string {
  return `If a shell reads it, give its variable another name than ${name}.`;
}

/** One `${source:argument}` of a text. */
export interface Expression {
  readonly source: ExpressionSource;
  readonly argument: string;
  /** The words behind `|`, of a source whose values can be encoded. */
  readonly encoding?: string;
  /** Offsets of its first character in the text, and behind its last one. */
  readonly from: number;
  readonly to: number;
}

/** What no source reads, and the expression that was probably meant. */
interface NearMiss {
  readonly written: string;
  readonly meant: string;
}

/**
 * Finds what looks like an expression and is text, such as `${secrets:`, `${ secret:`, `${SECRET:`, `${secret.` and what
 * pipelines write, `${{ secrets.`. What a shell and a compose file write, such as `${NAME:-default}`, is no near miss.
 */
export function findNearMisses(text: string): NearMiss[] {
  if (!text.includes('$')) return [];
  return [...text.matchAll(/(?<!\$)\$(\{\{?|\()(\s*)([A-Za-z][A-Za-z0-9-]*)(\s*)([:.])(?![-+?=])/g)].flatMap(
    ([written, opening, before, word = '', after, sign]): NearMiss[] => {
      const exact = opening === '{' && sign === ':' ? `${before}${word}${after}` : undefined;
      if (expressionSources.some(({ name }) => name === exact)) return [];
      const lower = word.toLowerCase();
      const isNear = (name: string) =>
        lower === name || lower === `${name}s` || isMistyped(lower, name) || (name === 'secret' && isLike(lower, name));
      const near = expressionSources.find(({ name }) => isNear(name));
      if (near === undefined) return [];
      return [{ written: `${written}…${closings[opening ?? '']}`, meant: `\${${near.name}:…}` }];
    },
  );
}

const closings: Readonly<Record<string, string>> = { '{': '}', '{{': '}}', '(': ')' };

/** The same letters in another order, or one of them twice. */
function isMistyped(word: string, name: string): boolean {
  const letters = (text: string) => text.split('').toSorted().join('');
  return letters(word) === letters(name) || word.replaceAll(/(.)\1/g, '$1') === name;
}

function isLike(word: string, name: string): boolean {
  return closest(word, [name]) === name;
}

/**
 * Splits a text into its plain pieces and its expressions; `unclosed` is the source of a `${` that is never closed, and
 * `unclosedAt` its offset.
 */
export function parseExpressions(
  text: string,
  sources = expressionSources,
): { parts: (string | Expression)[]; unclosed?: ExpressionSource; unclosedAt?: number } {
  if (!text.includes('${')) return { parts: [text] };
  const parts: (string | Expression)[] = [];
  const opening = /\$(\$?)\{([A-Za-z][A-Za-z0-9-]*):/g;
  let plain = '';
  let from = 0;
  for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
    const source = sources.find(({ name }) => name === match?.[2]);
    if (source === undefined) continue;
    plain += text.slice(from, match.index);
    from = opening.lastIndex;
    if (match[1] === '$') {
      plain += `\${${source.name}:`;
      continue;
    }
    const close = source.closing(text, from);
    if (close === -1) return { parts: [text], unclosed: source, unclosedAt: match.index };
    if (plain !== '') parts.push(plain);
    plain = '';
    parts.push({ source, ...argumentIn(text.slice(from, close), source), from: match.index, to: close + 1 });
    from = close + 1;
    opening.lastIndex = from;
  }
  plain += text.slice(from);
  if (plain !== '' || parts.length === 0) parts.push(plain);
  return { parts };
}

/** Splits `PW|urlencode`. A key in an address may hold the sign, in quotes. */
function argumentIn(written: string, { isEncodable }: ExpressionSource): Pick<Expression, 'argument' | 'encoding'> {
  const at = isEncodable === true ? written.indexOf('|', written.lastIndexOf('"]') + 1) : -1;
  return at === -1 ? { argument: written } : { argument: written.slice(0, at), encoding: written.slice(at + 1) };
}

/** The first expression in a key, as it is written; undefined: there is none. */
export function expressionIn(key: string, sources = expressionSources): string | undefined {
  const { unclosed } = parseExpressions(key, sources);
  return unclosed === undefined ? expressionsIn(key, sources)[0] : `\${${unclosed.name}:…`;
}

/** The expressions in a text, as they are written. */
export function expressionsIn(text: string, sources = expressionSources): string[] {
  const expressions = parseExpressions(text, sources).parts.filter((part) => typeof part === 'object');
  return expressions.map(({ from, to }) => text.slice(from, to));
}

/** The sentence about an expression in a key. */
export function notInKeys(expression: string): string {
  return `${expression} stands in a key, and expressions do not work in keys`;
}
