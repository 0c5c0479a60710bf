import type { YAMLError } from 'yaml';
import { maxLevels, yamlTokens } from '../formats/yaml.ts';

/** What is wrong with a text that is not valid YAML, the remedy, and the part that it is about. */
interface Explanation {
  readonly message: string;
  readonly remedy: string;
  readonly from: number;
  readonly to: number;
}

/** A text that nests too deeply. */
export const tooDeep = {
  message: `nested more than ${maxLevels} levels deep`,
  remedy: 'No manifest and no compose file needs that: check the brackets and the indentation.',
};

/**
 * Explains why a text is not valid YAML. It quotes nothing of the text but names of tags and directives, and no name in a line
 * that may hold a secret.
 */
export function explainSyntax({ code, message, pos: [from, to] }: YAMLError, text: string): Explanation {
  const about = (message: string, remedy: string, place: readonly [number, number] = [from, to]): Explanation => ({
    message,
    remedy,
    from: place[0],
    to: place[1],
  });
  if (code === 'RESOURCE_EXHAUSTION') return about(tooDeep.message, tooDeep.remedy);
  const line = lineAt(text, from);
  const indent = /^[ \t]*/.exec(line.text)?.[0] ?? '';

  const conflict = /^<{7} /m.exec(text);
  if (conflict !== null) {
    const remedy =
      'Keep the lines that are right, and remove those that begin with <<<<<<<, =======, ||||||| and >>>>>>>.';
    return about('git could not merge this file here', remedy, [conflict.index, conflict.index + 7]);
  }
  if (code === 'MULTIPLE_DOCS') {
    return about('a second document begins here', 'A file holds one document: give the second one a file of its own.');
  }
  if (/\r(?!\n)/.test(text)) {
    return about(
      'lines end with CR alone, which YAML reads as one line',
      'Save the file with the line ends LF or CRLF.',
    );
  }
  if (code === 'TAB_AS_INDENT' || indent.includes('\t')) {
    const at = code === 'TAB_AS_INDENT' ? from : line.start + indent.indexOf('\t');
    return about('a tab indents this line', 'Indent with spaces: YAML does not take tabs.', [at, at + 1]);
  }
  if (hasOpenExpression(line.text)) {
    const remedy = 'Quote the value: "${…}". Inside { } and [ ] YAML reads its braces as a map.';
    return about('a value with ${…} has no quotes', remedy);
  }
  if (/[\u201C\u201D\u2018\u2019]/.test(line.text)) {
    return about('curly quotes are no quotes in YAML', `Write straight ones: " or '.`);
  }
  const quote = /^Missing closing (["'])/.exec(message)?.[1];
  if (quote !== undefined) {
    const start = lastQuotes(text, quote, to);
    const escape = quote === '"' ? String.raw`Write \" for one inside of it.` : "Write '' for one inside of it.";
    return about('these quotes are never closed', `Close them with ${quote}. ${escape}`, [start, start + 1]);
  }
  const closing = /\bmust (?:be sufficiently indented and )?end with a ([\]}])/.exec(message)?.[1];
  if (closing !== undefined) {
    const open = openBrackets(text, from).at(-1) ?? { sign: closing === '}' ? '{' : '[', at: from };
    if (/[\]}]/.test(text.charAt(from))) {
      return about(
        `${text.charAt(from)} closes a ${open.sign}`,
        `Write ${closing} here, or correct the one that opens.`,
      );
    }
    const remedy = `Close it with ${closing}. What stands in brackets must be indented more than their key.`;
    return about(`this ${open.sign} is never closed`, remedy, [open.at, open.at + 1]);
  }
  const extra = /^Unexpected flow-(map|seq)-end/.exec(message)?.[1];
  if (extra !== undefined) {
    const [open, close] = extra === 'map' ? ['{', '}'] : ['[', ']'];
    return about(`there is no ${open} that this ${close} closes`, 'Remove it, or quote the text that it belongs to.');
  }
  if (message.startsWith('Flow end indicator')) {
    return about('this bracket is indented less than its key', 'Indent it more than the key that it belongs to.');
  }
  const isBracketed = openBrackets(text, from).length > 0;
  if (/^Unexpected ,|^Unexpected empty item/.test(message)) {
    return about('there is nothing before this comma', 'Remove the comma, or write "" for an empty text.');
  }
  if (
    message.startsWith('Missing , ') ||
    (isBracketed && (code === 'MULTILINE_IMPLICIT_KEY' || code === 'BLOCK_IN_FLOW'))
  ) {
    return /^-\s/.test(text.slice(from, from + 2))
      ? about('a list with - cannot stand inside of { } and [ ]', 'Write it as [a, b], or the map without braces.')
      : about('a comma is missing between two entries', 'Separate the entries of { } and [ ] by commas.');
  }
  if (message.startsWith('Missing space after :')) return about(noSpace.message, noSpace.remedy);
  if (/block-seq-ind on same line with key/.test(message)) {
    const remedy = 'Begin the list in the next line, or write it as [a, b].';
    return about('a list cannot begin in the line of its key', remedy);
  }
  if (message.startsWith('Comments must be separated')) {
    return about('there is no space before this #', 'Write one to begin a comment, or quote the whole value.');
  }
  if (message.startsWith('Block scalar header')) {
    const remedy = 'Begin the text in the next line. Quote a text that begins with | or >.';
    return about('a value that begins with | or > is a text of several lines', remedy);
  }
  if (message.startsWith('Block scalars with more-indented')) {
    return about('this empty line is indented more than the text below it', 'Remove its spaces.');
  }
  if (code === 'BAD_SCALAR_START') {
    return about(`a value without quotes cannot begin with ${text.charAt(from)}`, 'Quote the value.');
  }
  if (code === 'BAD_DQ_ESCAPE') {
    const remedy = "Write \\\\ for a backslash, or use single quotes: '…'.";
    return about('this backslash begins no escape that YAML has', remedy);
  }
  if (code === 'TAG_RESOLVE_FAILED') {
    const tag = text.slice(from, to);
    const name = standardTag.test(tag) || !mayHoldSecret(text, from) ? ` ${tag}` : '';
    return about(
      `a value that begins with ! has a tag, and Trueup reads no tag${name}`,
      'Remove it, or quote the value.',
    );
  }
  if (code === 'BAD_ALIAS') {
    return about('a value that begins with * is an alias, and one with & has an anchor', 'Quote the value.');
  }
  if (message.endsWith('at node end')) {
    const before = text.slice(0, from).trimEnd().at(-1) ?? '';
    if (before === "'")
      return about('text follows behind the closing quote', `Write '' for an apostrophe in single quotes.`);
    if (before === '"')
      return about('text follows behind the closing quote', String.raw`Quote the whole value; write \" inside.`);
    return about('text follows behind the end of a value', 'Quote the whole value.');
  }
  if (code === 'DUPLICATE_KEY') return about('this map has this key already', 'Write each key of a map once.');
  if (code === 'KEY_OVER_1024_CHARS') return about('this key is longer than 1024 characters', 'Shorten it.');
  if (code === 'BAD_INDENT' || message.startsWith('Sequence item without')) return explainIndent(text, from, about);
  if (message.startsWith('A block sequence may not')) {
    return about('the items of this list do not begin in one column', 'Begin every - of a list in the same column.');
  }
  if (code === 'BLOCK_AS_IMPLICIT_KEY') {
    const rest = line.text.slice(from - line.start);
    if (/:(?:\s|$)/.test(rest)) {
      const remedy = 'Quote a value that holds ": ", or write the second key in a line of its own.';
      return about('this line has two keys', remedy);
    }
    return explainIndent(text, nextLine(text, line.start + line.text.length), about);
  }
  if (code === 'MULTILINE_IMPLICIT_KEY' || message.startsWith('Implicit map keys')) {
    const place = [line.start + indent.length, line.start + line.text.trimEnd().length] as const;
    if (/^[^\s:]+:\S/.test(line.text.trim())) return about(noSpace.message, noSpace.remedy, place);
    if (/^[\w.-]+\s*=/.test(line.text.trim()))
      return about('this line has = instead of a colon', 'Write key: value.', place);
    return about('this line has no colon behind its key', 'Write key: value, or - value for an item of a list.', place);
  }
  const said = code === 'BAD_DIRECTIVE' ? message : message.replace(/:.*$/s, '');
  const first = said.split('\n')[0] ?? '';
  return about(
    first.charAt(0).toLowerCase() + first.slice(1),
    'Quote text that holds ": " or " #", or that begins with a sign such as { [ & * ! | > % @ or `.',
  );
}

const noSpace = { message: 'there is no space behind the colon', remedy: 'Write one: key: value.' };

/** Tags that YAML itself defines. */
const standardTag = /^!!(?:binary|set|omap|pairs|timestamp|merge|int|float|str|bool|null|seq|map)$/;

/** Returns true for an offset at which a secret may stand, by the keys in its line and in the one before. */
export function mayHoldSecret(text: string, offset: number): boolean {
  const before = text.slice(0, offset).trimEnd().split('\n').slice(-2).join('\n');
  return /pass|pw|secret|token|key|cred|dsn|auth|private|url|uri/i.test(before);
}

type About = (message: string, remedy: string, place?: readonly [number, number]) => Explanation;

/** A line that begins in another column than those that it belongs to. */
function explainIndent(text: string, offset: number, about: About): Explanation {
  // Behind a key without a value, the parser names the end of the line of the key.
  const { start, text: line } = lineAt(text, /[\r\n]/.test(text.charAt(offset)) ? nextLine(text, offset) : offset);
  const indent = line.length - line.trimStart().length;
  const place = [start, start + Math.max(indent, 1)] as const;
  const before = columnsBefore(text, start);
  const isItem = /^\s*-(\s|$)/.test(line);
  const same = before.find((other) => other.indent === indent);
  if (same?.isItem === true && !isItem) {
    const at = start + indent;
    return about('this line stands in a list and does not begin with -', 'Write - and a space before it.', [
      at,
      at + 1,
    ]);
  }
  const columns = before.flatMap(({ inside, ...other }) =>
    inside === undefined || isItem ? [other] : [{ ...other, indent: inside }, other],
  );
  const [nearest] = columns.toSorted((a, b) => Math.abs(a.indent - indent) - Math.abs(b.indent - indent));
  const remedy =
    nearest === undefined
      ? 'Begin it in column 1.'
      : `Begin it in column ${nearest.indent + 1}, as line ${nearest.line}.`;
  return about(`this line begins in column ${indent + 1}, and no line that it can belong to does`, remedy, place);
}

interface ColumnBefore {
  readonly indent: number;
  readonly line: number;
  readonly isItem: boolean;
  /** Of an item of a list, the indentation of what stands behind its dash. */
  readonly inside: number | undefined;
}

/** The lines before an offset that a following one can belong to, nearest first: each is indented less than the one after it. */
function columnsBefore(text: string, offset: number): ColumnBefore[] {
  const lines = text.slice(0, offset).split('\n').slice(0, -1);
  const found: ColumnBefore[] = [];
  for (let index = lines.length - 1; index >= 0; index--) {
    const line = lines[index] ?? '';
    const indent = line.length - line.trimStart().length;
    if (line.trim() === '' || line.trimStart().startsWith('#')) continue;
    if (indent >= (found.at(-1)?.indent ?? Infinity)) continue;
    const item = /^\s*-\s+(?=\S)/.exec(line)?.[0];
    found.push({ indent, line: index + 1, isItem: /^\s*-(\s|$)/.test(line), inside: item?.length });
    if (indent === 0) break;
  }
  return found;
}

function lineAt(text: string, offset: number): { start: number; text: string } {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  const end = text.indexOf('\n', start);
  return { start, text: text.slice(start, end === -1 ? text.length : end) };
}

/** The first character of the next line with text. */
function nextLine(text: string, end: number): number {
  const rest = /\n[^\S\n]*(?=\S)/.exec(text.slice(end));
  return rest === null ? end : end + rest.index + rest[0].length;
}

/** The start of the last text in quotes before an offset. */
function lastQuotes(text: string, quote: string, offset: number): number {
  let found = 0;
  for (const { source, at } of yamlTokens(text)) {
    if (at >= offset) break;
    if (source.startsWith(quote)) found = at;
  }
  return found;
}

/** The brackets that are open before an offset, outermost first. */
function openBrackets(text: string, offset: number): { sign: string; at: number }[] {
  const open: { sign: string; at: number }[] = [];
  for (const { source, at } of yamlTokens(text)) {
    if (at >= offset) break;
    if (source === '{' || source === '[') open.push({ sign: source, at });
    if (source === '}' || source === ']') open.pop();
  }
  return open;
}

/** Whether a `${` stands behind a sign of YAML without a quote between them; in linear time. */
function hasOpenExpression(line: string): boolean {
  const before = line.split('${').slice(0, -1);
  return before.some((text, count) => {
    const at = Math.max(...['"', "'", '{', '['].map((sign) => text.lastIndexOf(sign)));
    // Behind an earlier expression its brace is such a sign.
    if (at === -1 ? count > 0 : '{['.includes(text[at] ?? '')) return true;
    return /[,:]/.test(text.slice(at + 1));
  });
}
