/** The five sources of values. Anything else in `${…}` is text and belongs to compose files and to the platform. */
export type Source = 'env' | 'var' | 'file' | 'secret' | 'ref';

/** One `${source:name}` of a text. */
export interface Expression {
  readonly source: Source;
  readonly name: string;
}

/** Splits a text into its plain pieces and its expressions; a `${` that is never closed is told by its source. */
export function parseExpressions(text: string): { parts: (string | Expression)[]; unclosed?: Source } {
  if (!text.includes('${')) return { parts: [text] };
  const parts: (string | Expression)[] = [];
  let plain = '';
  let from = 0;
  opening.lastIndex = 0;
  for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
    const source = match[2] as Source; // the pattern has no other words
    plain += text.slice(from, match.index);
    from = opening.lastIndex;
    if (match[1] === '$') {
      plain += `\${${source}:`;
      continue;
    }
    const close = closing(text, from, source);
    if (close === -1) return { parts: [text], unclosed: source };
    if (plain !== '') parts.push(plain);
    plain = '';
    parts.push({ source, name: text.slice(from, close) });
    from = close + 1;
    opening.lastIndex = from;
  }
  plain += text.slice(from);
  if (plain !== '' || parts.length === 0) parts.push(plain);
  return { parts };
}

/** Where the expression ends: a key in an address may hold a brace, in quotes. */
function closing(text: string, from: number, source: Source): number {
  if (source !== 'ref') return text.indexOf('}', from);
  addressEnd.lastIndex = from;
  return addressEnd.test(text) ? addressEnd.lastIndex - 1 : text.indexOf('}', from);
}

const addressEnd = /(?:\["(?:[^"\\]|\\.)*"\]|[^}[])*\}/y;
const opening = /\$(\$?)\{(env|var|file|secret|ref):/g;
