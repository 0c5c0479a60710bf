import {
  type Document,
  type DocumentOptions,
  type ParsedNode,
  type ParseOptions,
  type SchemaOptions,
  Composer,
  CST,
  isScalar,
  Lexer,
  parseDocument,
  Parser,
  visit,
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
  const { lineCounter } = options;
  const parser = new Parser(lineCounter?.addNewLine);
  const levels = levelMeter();
  let deepAt: number | undefined;
  // A document is composed when all of it was read, and so none that is too deep.
  function* syntax(): Generator<CST.Token> {
    lineCounter?.addNewLine(0);
    for (const lexeme of lexemes(text)) {
      deepAt = levels(lexeme);
      if (deepAt !== undefined) return;
      yield* parser.next(lexeme.source);
    }
    yield* parser.end();
  }
  const composer = new Composer({ ...options, uniqueKeys: false }); // they are compared below, in linear time
  // It always gives a document, of an empty text too.
  const [document = parseDocument('', options), second] = composer.compose(syntax(), true, text.length);
  if (deepAt !== undefined) {
    const empty = parseDocument('', options);
    const message = `nested more than ${maxLevels} levels deep`;
    empty.errors.push(new YAMLParseError([deepAt, deepAt + 1], 'RESOURCE_EXHAUSTION', message));
    return empty;
  }
  if (second !== undefined && options.logLevel !== 'silent') {
    const [from, to] = second.range;
    document.errors.push(new YAMLParseError([from, to], 'MULTIPLE_DOCS', 'a second document begins here'));
  }
  if (options.uniqueKeys !== false) document.errors.push(...keysTwice(document));
  return document;
}

/** An error for each key that a map has a second time. */
function keysTwice(document: Document.Parsed): YAMLParseError[] {
  const errors: YAMLParseError[] = [];
  visit(document, {
    Map: (_key, { items }) => {
      const known = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        const at = key.range?.[0] ?? 0;
        if (known.has(key.value))
          errors.push(new YAMLParseError([at, at + 1], 'DUPLICATE_KEY', 'a map has this key already'));
        known.add(key.value);
      }
    },
  });
  return errors;
}

/** A word or a sign of a YAML text. */
interface YamlToken {
  readonly type: CST.TokenType | null;
  readonly source: string;
  readonly at: number;
}

/** What the lexer gives; `isSign`: it put that between the words, and no character stands for it. */
interface Lexeme extends YamlToken {
  readonly isSign: boolean;
}

function* lexemes(text: string): Generator<Lexeme> {
  let [at, isScalar] = [0, false];
  for (const source of new Lexer().lex(text)) {
    const type: CST.TokenType | null = isScalar ? 'scalar' : CST.tokenType(source);
    const isSign = !isScalar && (type === 'scalar' || type === 'doc-mode' || type === 'flow-error-end');
    isScalar = isSign && type === 'scalar'; // its text is the next token
    yield { type, source, at, isSign };
    if (!isSign) at += source.length;
  }
}

/** The tokens of a YAML text, without the signs that the lexer puts between them. Takes linear time, whatever the depth. */
export function* yamlTokens(text: string): Generator<YamlToken> {
  for (const lexeme of lexemes(text)) if (!lexeme.isSign) yield lexeme;
}

/**
 * Takes the lexemes of a text one by one, and says where it nests deeper than `maxLevels`, by its open brackets and the columns
 * of its open maps and lists. Those of one column count once, so a valid text that is not deeper is never taken for one.
 */
function levelMeter(): (lexeme: Lexeme) => number | undefined {
  const columns: number[] = [];
  let [brackets, lineStart] = [0, 0];
  /** The first word behind the last sign in its line: a key, if a colon follows. */
  let first: number | undefined;
  return ({ type, source, at, isSign }) => {
    if (isSign) return undefined;
    let from = at;
    if (type === 'flow-map-end' || type === 'flow-seq-end') brackets = Math.max(0, brackets - 1);
    else if (type === 'flow-map-start' || type === 'flow-seq-start') {
      if (brackets++ === 0) first ??= at;
    } else if (type === 'seq-item-ind' || type === 'explicit-key-ind' || type === 'map-value-ind') {
      if (brackets > 0) return undefined;
      if (type === 'map-value-ind') from = first ?? at;
      const column = from - lineStart;
      while ((columns.at(-1) ?? -1) > column) columns.pop();
      if (columns.at(-1) !== column) columns.push(column);
      first = undefined;
    } else if (type !== 'space' && type !== 'newline' && type !== 'comment') first ??= at;
    if (brackets + columns.length > maxLevels) return from;
    const end = source.lastIndexOf('\n');
    if (end === -1) return undefined;
    lineStart = at + end + 1;
    first = undefined;
    return undefined;
  };
}
