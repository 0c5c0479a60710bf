import type { ExpressionSource } from './sources/source.ts';

/** One `${source:argument}` of a text. */
export interface Expression {
  readonly source: ExpressionSource;
  readonly argument: string;
}

/** Splits a text into its plain pieces and its expressions; `unclosed` is the source of a `${` that is never closed. */
export function parseExpressions(
  text: string,
  sources: readonly ExpressionSource[],
): { parts: (string | Expression)[]; unclosed?: ExpressionSource } {
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
    if (close === -1) return { parts: [text], unclosed: source };
    if (plain !== '') parts.push(plain);
    plain = '';
    parts.push({ source, argument: text.slice(from, close) });
    from = close + 1;
    opening.lastIndex = from;
  }
  plain += text.slice(from);
  if (plain !== '' || parts.length === 0) parts.push(plain);
  return { parts };
}
