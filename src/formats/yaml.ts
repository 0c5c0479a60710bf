import {
  type Document,
  type DocumentOptions,
  type ParsedNode,
  type ParseOptions,
  type SchemaOptions,
  CST,
  Lexer,
  parseDocument,
  YAMLParseError,
} from 'yaml';

/** Most maps and lists within each other in a YAML text: no manifest and no compose file needs more. */
export const maxLevels = 64;

/**
 * Parses a YAML text. One that nests too deeply is an empty document with that error (`RESOURCE_EXHAUSTION`): the parser calls
 * itself for each level, and at the end of its stack Node.js may abort. All YAML that Trueup reads comes through here.
 */
export function parseYaml(
  text: string,
  options: ParseOptions & DocumentOptions & SchemaOptions,
): Document.Parsed<ParsedNode> {
  const at = tooDeepAt(text);
  if (at === undefined) return parseDocument(text, options);
  const document = parseDocument('', options);
  document.errors.push(
    new YAMLParseError([at, at + 1], 'RESOURCE_EXHAUSTION', `nested more than ${maxLevels} levels deep`),
  );
  return document;
}

/** A word or a sign of a YAML text. */
interface YamlToken {
  readonly type: CST.TokenType | null;
  readonly source: string;
  readonly at: number;
}

/** The tokens of a YAML text, without the signs that the lexer puts between them. Takes linear time, whatever the depth. */
export function* yamlTokens(text: string): Generator<YamlToken> {
  let [at, isScalar] = [0, false];
  for (const source of new Lexer().lex(text)) {
    const type: CST.TokenType | null = isScalar ? 'scalar' : CST.tokenType(source);
    const isSign = !isScalar && (type === 'scalar' || type === 'doc-mode' || type === 'flow-error-end');
    isScalar = isSign && type === 'scalar'; // its text is the next token
    if (isSign) continue;
    yield { type, source, at };
    at += source.length;
  }
}

/**
 * Where a text nests deeper than `maxLevels`, by its open brackets and the columns of its open maps and lists. Those of one
 * column count once, so a valid text that is not deeper is never taken for one.
 */
function tooDeepAt(text: string): number | undefined {
  if (text.length <= maxLevels) return undefined;
  const columns: number[] = [];
  let [brackets, lineStart] = [0, 0];
  /** The first word behind the last sign in its line: a key, if a colon follows. */
  let first: number | undefined;
  for (const { type, source, at } of yamlTokens(text)) {
    let from = at;
    if (type === 'flow-map-end' || type === 'flow-seq-end') brackets = Math.max(0, brackets - 1);
    else if (type === 'flow-map-start' || type === 'flow-seq-start') {
      if (brackets++ === 0) first ??= at;
    } else if (type === 'seq-item-ind' || type === 'explicit-key-ind' || type === 'map-value-ind') {
      if (brackets > 0) continue;
      if (type === 'map-value-ind') from = first ?? at;
      const column = from - lineStart;
      while ((columns.at(-1) ?? -1) > column) columns.pop();
      if (columns.at(-1) !== column) columns.push(column);
      first = undefined;
    } else if (type !== 'space' && type !== 'newline' && type !== 'comment') first ??= at;
    if (brackets + columns.length > maxLevels) return from;
    const end = source.lastIndexOf('\n');
    if (end === -1) continue;
    lineStart = at + end + 1;
    first = undefined;
  }
  return undefined;
}
