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

/** An error of the parser, and where it is. */
interface Mistake {
  readonly code: YAMLError['code'];
  /** What the parser says. */
  readonly said: string;
  readonly text: string;
  readonly from: number;
  readonly to: number;
  /** The line in which it is. */
  readonly line: { readonly start: number; readonly text: string };
  readonly indent: string;
}

/** What a mistake means, and its remedy; the place where that is another than the parser's. */
type Words = readonly [message: string, remedy: string, place?: readonly [from: number, to: number]];

/** A kind of mistake: by its code, by what the parser says, or by the text. */
type Rule = readonly [
  when: string | RegExp | ((mistake: Mistake) => boolean),
  words: Words | ((mistake: Mistake) => Words),
];

/**
 * Explains why a text is not valid YAML. It quotes nothing of the text but names of tags and directives, and no name in a line
 * that may hold a secret.
 */
export function explainSyntax({ code, message: said, pos: [from, to] }: YAMLError, text: string): Explanation {
  const line = lineAt(text, from);
  const mistake = { code, said, text, from, to, line, indent: /^[ \t]*/.exec(line.text)?.[0] ?? '' };
  const rule = rules.find(([when]) =>
    typeof when === 'string' ? code === when : when instanceof RegExp ? when.test(said) : when(mistake),
  );
  const words = rule?.[1] ?? inWordsOfParser;
  const [message, remedy, [start, end] = [from, to]] = typeof words === 'function' ? words(mistake) : words;
  return { message, remedy, from: start, to: end };
}

const noSpace: Words = ['there is no space behind the colon', 'Write one: key: value.'];
const missingClose = /\bmust (?:be sufficiently indented and )?end with a ([\]}])/;
const conflict = /^<{7} /m;

/** The first that applies counts. */
const rules: readonly Rule[] = [
  ['RESOURCE_EXHAUSTION', [tooDeep.message, tooDeep.remedy]],
  [({ text }) => conflict.test(text), ({ text }) => inConflict(text.search(conflict))],
  [
    'MULTIPLE_DOCS',
    ['a second document begins here', 'A file holds one document: give the second one a file of its own.'],
  ],
  [
    ({ text }) => /\r(?!\n)/.test(text),
    ['lines end with CR alone, which YAML reads as one line', 'Save the file with the line ends LF or CRLF.'],
  ],
  [({ code, indent }) => code === 'TAB_AS_INDENT' || indent.includes('\t'), explainTab],
  [
    ({ line }) => hasOpenExpression(line.text),
    ['a value with ${…} has no quotes', 'Quote the value: "${…}". Inside { } and [ ] YAML reads its braces as a map.'],
  ],
  [
    ({ line }) => /[\u201C\u201D\u2018\u2019]/.test(line.text),
    ['curly quotes are no quotes in YAML', `Write straight ones: " or '.`],
  ],
  [/^Missing closing ["']/, explainOpenQuotes],
  [missingClose, explainOpenBracket],
  [
    /^Unexpected flow-(?:map|seq)-end/,
    ({ said }) => explainClosing(said.startsWith('Unexpected flow-map') ? '{}' : '[]'),
  ],
  [
    /^Flow end indicator/,
    ['this bracket is indented less than its key', 'Indent it more than the key that it belongs to.'],
  ],
  [
    /^Unexpected ,|^Unexpected empty item/,
    ['there is nothing before this comma', 'Remove the comma, or write "" for an empty text.'],
  ],
  [lacksComma, explainEntries],
  [/^Missing space after :/, noSpace],
  [
    /block-seq-ind on same line with key/,
    ['a list cannot begin in the line of its key', 'Begin the list in the next line, or write it as [a, b].'],
  ],
  [
    /^Comments must be separated/,
    ['there is no space before this #', 'Write one to begin a comment, or quote the whole value.'],
  ],
  [
    /^Block scalar header/,
    [
      'a value that begins with | or > is a text of several lines',
      'Begin the text in the next line. Quote a text that begins with | or >.',
    ],
  ],
  [
    /^Block scalars with more-indented/,
    ['this empty line is indented more than the text below it', 'Remove its spaces.'],
  ],
  [
    'BAD_SCALAR_START',
    ({ text, from }) => [`a value without quotes cannot begin with ${text.charAt(from)}`, 'Quote the value.'],
  ],
  [
    'BAD_DQ_ESCAPE',
    ['this backslash begins no escape that YAML has', "Write \\\\ for a backslash, or use single quotes: '…'."],
  ],
  ['TAG_RESOLVE_FAILED', explainTag],
  ['BAD_ALIAS', ['a value that begins with * is an alias, and one with & has an anchor', 'Quote the value.']],
  [/at node end$/, explainRest],
  ['DUPLICATE_KEY', ['this map has this key already', 'Write each key of a map once.']],
  ['KEY_OVER_1024_CHARS', ['this key is longer than 1024 characters', 'Shorten it.']],
  [
    ({ code, said }) => code === 'BAD_INDENT' || said.startsWith('Sequence item without'),
    ({ text, from }) => explainIndent(text, from),
  ],
  [
    /^A block sequence may not/,
    ['the items of this list do not begin in one column', 'Begin every - of a list in the same column.'],
  ],
  ['BLOCK_AS_IMPLICIT_KEY', explainSecondKey],
  [
    ({ code, said }) => code === 'MULTILINE_IMPLICIT_KEY' || said.startsWith('Implicit map keys'),
    explainKeyWithoutColon,
  ],
];

function inConflict(at: number): Words {
  const remedy =
    'Keep the lines that are right, and remove those that begin with <<<<<<<, =======, ||||||| and >>>>>>>.';
  return ['git could not merge this file here', remedy, [at, at + 7]];
}

function explainTab({ code, from, line, indent }: Mistake): Words {
  const at = code === 'TAB_AS_INDENT' ? from : line.start + indent.indexOf('\t');
  return ['a tab indents this line', 'Indent with spaces: YAML does not take tabs.', [at, at + 1]];
}

function explainOpenQuotes({ said, text, to }: Mistake): Words {
  const quote = said.includes('"') ? '"' : "'";
  const start = lastQuotes(text, quote, to);
  const escape = quote === '"' ? String.raw`Write \" for one inside of it.` : "Write '' for one inside of it.";
  return ['these quotes are never closed', `Close them with ${quote}. ${escape}`, [start, start + 1]];
}

function explainOpenBracket({ said, text, from }: Mistake): Words {
  const closing = missingClose.exec(said)?.[1] ?? ']';
  const { sign, at } = openBrackets(text, from).at(-1) ?? { sign: closing === '}' ? '{' : '[', at: from };
  if (/[\]}]/.test(text.charAt(from)))
    return [`${text.charAt(from)} closes a ${sign}`, `Write ${closing} here, or correct the one that opens.`];
  const remedy = `Close it with ${closing}. What stands in brackets must be indented more than their key.`;
  return [`this ${sign} is never closed`, remedy, [at, at + 1]];
}

function explainClosing([open, close]: string): Words {
  return [`there is no ${open} that this ${close} closes`, 'Remove it, or quote the text that it belongs to.'];
}

function lacksComma({ code, said, text, from }: Mistake): boolean {
  if (said.startsWith('Missing , ')) return true;
  return (code === 'MULTILINE_IMPLICIT_KEY' || code === 'BLOCK_IN_FLOW') && openBrackets(text, from).length > 0;
}

function explainEntries({ text, from }: Mistake): Words {
  return /^-\s/.test(text.slice(from, from + 2))
    ? ['a list with - cannot stand inside of { } and [ ]', 'Write it as [a, b], or the map without braces.']
    : ['a comma is missing between two entries', 'Separate the entries of { } and [ ] by commas.'];
}

function explainTag({ text, from, to }: Mistake): Words {
  const tag = text.slice(from, to);
  if (knownTag.test(tag))
    return [`${tag} stands before a value of another type`, 'Write a value that it takes, or leave the tag out.'];
  const name = otherTag.test(tag) || !mayHoldSecret(text, from) ? ` ${tag}` : '';
  return [`a value that begins with ! has a tag, and Trueup reads no tag${name}`, 'Remove it, or quote the value.'];
}

/** What follows behind the end of a value. */
function explainRest({ text, from }: Mistake): Words {
  const before = text.slice(0, from).trimEnd().at(-1);
  if (before === "'") return ['text follows behind the closing quote', `Write '' for an apostrophe in single quotes.`];
  if (before === '"')
    return ['text follows behind the closing quote', String.raw`Quote the whole value; write \" inside.`];
  return ['text follows behind the end of a value', 'Quote the whole value.'];
}

function explainSecondKey({ text, from, line }: Mistake): Words {
  if (!/:(?:\s|$)/.test(line.text.slice(from - line.start)))
    return explainIndent(text, nextLine(text, line.start + line.text.length));
  const remedy = 'Quote a value that holds ": ", or write the second key in a line of its own.';
  return ['this line has two keys', remedy];
}

function explainKeyWithoutColon({ line, indent }: Mistake): Words {
  const place = [line.start + indent.length, line.start + line.text.trimEnd().length] as const;
  const [message, remedy] = noSpace;
  if (/^[^\s:]+:\S/.test(line.text.trim())) return [message, remedy, place];
  if (/^[\w.-]+\s*=/.test(line.text.trim())) return ['this line has = instead of a colon', 'Write key: value.', place];
  return ['this line has no colon behind its key', 'Write key: value, or - value for an item of a list.', place];
}

function inWordsOfParser({ code, said }: Mistake): Words {
  const [first = ''] = (code === 'BAD_DIRECTIVE' ? said : said.replace(/:.*$/s, '')).split('\n');
  return [
    first.charAt(0).toLowerCase() + first.slice(1),
    'Quote text that holds ": " or " #", or that begins with a sign such as { [ & * ! | > % @ or `.',
  ];
}

/** The tags of YAML itself that Trueup reads, and the others. */
const knownTag = /^!!(?:int|float|str|bool|null|seq|map)$/;
const otherTag = /^!!(?:binary|set|omap|pairs|timestamp|merge)$/;

/** Returns true for an offset at which a secret may stand, by the keys in its line and in the one before. */
export function mayHoldSecret(text: string, offset: number): boolean {
  const before = text.slice(0, offset).trimEnd().split('\n').slice(-2).join('\n');
  return /pass|pw|secret|token|key|cred|dsn|auth|private|url|uri/i.test(before);
}

/** A line that begins in another column than those that it belongs to. */
function explainIndent(text: string, offset: number): Words {
  // Behind a key without a value, the parser names the end of the line of the key.
  const { start, text: line } = lineAt(text, /[\r\n]/.test(text.charAt(offset)) ? nextLine(text, offset) : offset);
  const indent = line.length - line.trimStart().length;
  const place = [start, start + Math.max(indent, 1)] as const;
  const before = columnsBefore(text, start);
  const isItem = /^\s*-(\s|$)/.test(line);
  const same = before.find((other) => other.indent === indent);
  if (same?.isItem === true && !isItem) {
    const at = start + indent;
    return ['this line stands in a list and does not begin with -', 'Write - and a space before it.', [at, at + 1]];
  }
  const columns = before.flatMap(({ inside, ...other }) =>
    inside === undefined || isItem ? [other] : [{ ...other, indent: inside }, other],
  );
  const [nearest] = columns.toSorted((a, b) => Math.abs(a.indent - indent) - Math.abs(b.indent - indent));
  const remedy =
    nearest === undefined
      ? 'Begin it in column 1.'
      : `Begin it in column ${nearest.indent + 1}, as line ${nearest.line}.`;
  return [`this line begins in column ${indent + 1}, and no line that it can belong to does`, remedy, place];
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
