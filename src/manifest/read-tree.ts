import {
  type CST,
  type Document,
  type Pair,
  type YAMLError,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  visit as visitNodes,
} from 'yaml';
import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import { closest } from '../diagnostics/closest.ts';
import { readSimpleYaml } from '../formats/simple-yaml.ts';
import { maxLevels, parseYaml, yamlTokens } from '../formats/yaml.ts';
import { explainSyntax, mayHoldSecret, tooDeep } from './syntax-errors.ts';
import { type Entry, type Node, type Place, type ScalarNode, linesOf, position } from './tree.ts';

/** Most values to which aliases and merge keys may expand. */
const maxNodes = 1_000_000;
/** Most bytes of memory for the parser, by `costs`. A file with 10,000 services costs 440 MB where it needs the parser. */
const maxCost = 500_000_000;
const [minTokenCost, maxTokenCost] = [100, 1_000];
/** Bytes that the parser takes for a token with what it makes of it, as measured. A line counts double, for its time. */
const costs: Readonly<Partial<Record<CST.TokenType, number>>> = {
  scalar: 600,
  'single-quoted-scalar': 600,
  'double-quoted-scalar': 600,
  alias: 600,
  'flow-seq-start': maxTokenCost,
  'flow-map-start': maxTokenCost,
  'seq-item-ind': 500,
  'map-value-ind': 500,
  'explicit-key-ind': 500,
  comma: 350,
  tag: 350,
  anchor: 350,
  newline: 250,
};
/** YAML has two directives, and a manifest needs none. */
const maxDirectives = 100;
/** Characters that YAML 1.2 forbids everywhere: control characters but tab and line ends (section 5.1, c-printable). */
// oxlint-disable-next-line no-control-regex -- they are what it looks for
const forbidden = /[\0-\x08\x0B\x0C\x0E-\x1F]/g;
/** Characters that it allows in quotes only, as JSON has them there (nb-json). */
// oxlint-disable-next-line no-control-regex -- they are what it looks for
const inQuotesOnly = /[\x7F-\x84\x86-\x9F\uFFFE\uFFFF]/g;
/** Text that no JSON and no database carries unchanged. */
const unstorable = /\0|\p{Surrogate}/u;

/** Reads one YAML text; problems go into `diagnostics`. An empty text gives undefined. */
export function readTree(file: string, text: string, diagnostics: Diagnostic[]): Node | undefined {
  const inLines = linesOf(text);
  const simple = readSimpleYaml<Place>(text, (offset, end) => ({ file, offset, end, lines: inLines }));
  return simple ?? parseTree(file, text, diagnostics);
}

/** The same for every text, by a YAML parser. */
export function parseTree(file: string, text: string, diagnostics: Diagnostic[]): Node | undefined {
  const excess = tooMany(text);
  if (excess !== undefined) {
    const about = { remedy: excess.remedy, position: { file, line: 1, column: 1 } };
    diagnostics.push(diagnostic('too-large', `${file} holds ${excess.message}`, about));
    return undefined;
  }
  const lines = new LineCounter();
  const document = parseYaml(text, {
    lineCounter: lines,
    uniqueKeys: false, // checked below, in linear time
    prettyErrors: false,
    logLevel: 'error', // only from this level on, a second document in the file is reported
    schema: 'core', // whatever a %YAML line says: `yes` is text and 0755 is a number
    resolveKnownTags: false,
    keepSourceTokens: false,
  });
  const problem =
    document.errors[0] ?? document.warnings.find(({ message }) => message !== `Unresolved tag: ${resetTag}`);
  if (problem !== undefined) {
    diagnostics.push(syntaxDiagnostic(text, { file, lines: linesOf(text) }, problem));
    return undefined;
  }
  const place = forbiddenAt(text, document);
  if (place !== undefined) {
    diagnostics.push(forbiddenDiagnostic(text, { file, offset: place, lines }));
    return undefined;
  }
  const { contents } = document;
  if (contents === null) return undefined;
  const conversion: Conversion = { file, text, lines, diagnostics, anchors: new Map(), failed: false };
  const { node } = convert(contents, 0, 0, conversion);
  return conversion.failed ? undefined : node;
}

/** Why the parser would take too much memory for a text. To read its tokens takes none, and a tenth of the time. */
export function tooMany(text: string): { readonly message: string; readonly remedy: string } | undefined {
  // A shorter text than that holds too few tokens.
  if (text.length * maxTokenCost <= maxCost && !/^%/m.test(text)) return undefined;
  let [cost, directives] = [0, 0];
  for (const { type } of yamlTokens(text)) {
    cost += (type === null ? undefined : costs[type]) ?? minTokenCost;
    if (type === 'directive-line' && ++directives > maxDirectives) {
      return {
        message: `more than ${maxDirectives} lines that begin with %`,
        remedy: 'Remove them: no manifest needs any.',
      };
    }
    if (cost > maxCost) {
      const remedy = 'Split it into several files, and name them under include:.';
      return { message: 'so many values and lines that reading them would take more than 500 MB of memory', remedy };
    }
  }
  return undefined;
}

/** The offset of the first character that YAML forbids there. */
function forbiddenAt(text: string, document: Document.Parsed): number | undefined {
  const [always] = text.matchAll(forbidden);
  const quoted: (readonly [number, number])[] = [];
  const others = [...text.matchAll(inQuotesOnly)];
  if (others.length > 0) {
    visitNodes(document, {
      Scalar: (_key, { type, range }) => {
        if (type?.startsWith('QUOTE') === true && range) quoted.push([range[0], range[1]]);
      },
    });
  }
  const outside = others.find(({ index }) => !quoted.some(([start, end]) => index >= start && index < end));
  const found = [always, outside].flatMap((match) => (match === undefined ? [] : [match.index]));
  return found.length === 0 ? undefined : Math.min(...found);
}

function forbiddenDiagnostic(text: string, place: Place): Diagnostic {
  const code = text.codePointAt(place.offset) ?? 0;
  const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  const escape = code < 256 ? `"\\x${code.toString(16).padStart(2, '0')}"` : `"\\u${code.toString(16)}"`;
  return diagnostic('yaml-syntax', `the control character ${name} stands here, which YAML forbids`, {
    remedy:
      code === 0 ? 'Remove it: text with NUL cannot be stored.' : `Remove it, or write ${escape} in double quotes.`,
    position: position(place),
  });
}

/** The conversion of what a parser gives. */
interface Conversion {
  readonly file: string;
  readonly text: string;
  readonly lines: LineCounter;
  readonly diagnostics: Diagnostic[];
  readonly anchors: Map<string, Converted>;
  /** A mistake was reported: there will be no tree. */
  failed: boolean;
}

/** A value, and the number of values in it and itself, each alias followed. */
interface Converted {
  readonly node: Node;
  readonly size: number;
}

/** A YAML value of the parser, as far as all of them have it. */
type Source = { readonly range?: readonly number[] | null; readonly anchor?: string; readonly tag?: string } | null;

/** The tag of a value that forgets what stood below it. */
const resetTag = '!reset';

/** Converts a value below `depth` others; `around`: the offset of what it stands in. After a mistake it gives nulls. */
function convert(node: unknown, depth: number, around: number, conversion: Conversion): Converted {
  const { file, lines, anchors } = conversion;
  const [offset = around, end] = (node as Source)?.range ?? [];
  const at: Place = { file, offset, end, lines };
  if (conversion.failed) return { node: nothing(at), size: 1 };
  if (depth > maxLevels) return { node: fail(conversion, at, tooDeep.message, tooDeep.remedy), size: 1 };
  if (isAlias(node)) return anchors.get(node.source) ?? { node: failAlias(node.source, at, conversion), size: 1 };
  const converted = isMap(node)
    ? convertMap(node.items, at, depth, conversion)
    : isSeq(node)
      ? convertList(node.items, at, depth, conversion)
      : { node: scalar(node, at), size: 1 };
  const result = (node as Source)?.tag === resetTag ? asReset(converted) : converted;
  const { node: made } = result;
  if (made.is === 'scalar' && typeof made.value === 'string' && unstorable.test(made.value))
    fail(conversion, at, notStorable, 'Remove it. Bytes that are no text can be passed as base64.');
  const anchor = (node as Source)?.anchor;
  if (anchor !== undefined) anchors.set(anchor, result);
  return result;
}

function asReset({ node, size }: Converted): Converted {
  return { node: { ...node, isReset: true }, size };
}

function convertList(items: readonly unknown[], at: Place, depth: number, conversion: Conversion): Converted {
  let size = 1;
  const nodes: Node[] = [];
  for (const item of items) {
    const converted = convert(item, depth + 1, at.offset, conversion);
    size += converted.size;
    nodes.push(converted.node);
    if (isTooMuch(size, at, conversion)) break;
  }
  return { node: { is: 'list', items: nodes, at }, size };
}

function convertMap(
  pairs: readonly Pair<unknown, unknown>[],
  at: Place,
  depth: number,
  conversion: Conversion,
): Converted {
  const { file, lines } = conversion;
  const own = new Map<string, Entry>();
  const merged = new Map<string, Entry>();
  let size = 1;
  for (const { key: keyNode, value } of pairs) {
    const [offset = at.offset, end = offset] = (keyNode as Source)?.range ?? [];
    const keyAt: Place = { file, offset, end, lines };
    const { node, size: added } = convert(value, depth + 1, offset, conversion);
    size += added;
    if (isTooMuch(size, keyAt, conversion)) break;
    if (!isScalar(keyNode)) {
      fail(conversion, keyAt, 'a key has to be plain text', 'Write the key as text, in quotes if need be.');
      continue;
    }
    if (keyNode.tag === resetTag || (keyNode.source === '<<' && (value as Source)?.tag === resetTag)) {
      fail(conversion, keyAt, '!reset is the tag of a value, and stands behind its key', 'Write key: !reset.');
      continue;
    }
    const key = typeof keyNode.value === 'string' ? keyNode.value : (keyNode.source ?? '');
    const known = own.get(key);
    if (key === '<<' && keyNode.type === 'PLAIN') {
      for (const from of node.is === 'list' ? node.items : [node]) {
        if (from.is !== 'map') {
          const remedy = 'Write <<: *name, or quote the key: "<<".';
          fail(conversion, keyAt, '<< merges a map or a list of maps', remedy);
        } else for (const [name, entry] of from.entries) if (!merged.has(name)) merged.set(name, entry);
      }
    } else if (known !== undefined) {
      // One with a colon or a blank may hold a value.
      const name = /[:=\s]/.test(key) ? 'this key' : `the key ${key}`;
      const { line } = position(known.keyAt);
      fail(conversion, keyAt, `${name} is defined twice, first on line ${line}`, 'Keep one of them.');
    } else if (unstorable.test(key)) fail(conversion, keyAt, notStorable, 'Remove it.');
    else own.set(key, { keyAt, node });
  }
  for (const [name, entry] of merged) if (!own.has(name)) own.set(name, entry);
  return { node: { is: 'map', entries: own, at }, size };
}

function nothing(at: Place): ScalarNode {
  return { is: 'scalar', value: null, source: '', at };
}

/** Reports the first mistake of a text. */
function fail(conversion: Conversion, at: Place, message: string, remedy: string): ScalarNode {
  if (!conversion.failed)
    conversion.diagnostics.push(diagnostic('yaml-syntax', message, { remedy, position: position(at) }));
  conversion.failed = true;
  return nothing(at);
}

function failAlias(name: string, at: Place, conversion: Conversion): ScalarNode {
  if (mayHoldSecret(conversion.text, at.offset)) {
    const message = 'a value that begins with * is an alias, and it has no anchor';
    return fail(conversion, at, message, 'Quote a text that begins with *.');
  }
  const guess = closest(name, [...conversion.anchors.keys()]);
  const remedy =
    guess === undefined
      ? `Write &${name} before the value that is meant, above this line. Quote a text that begins with *.`
      : `Did you mean *${guess}?`;
  return fail(conversion, at, `there is no complete anchor &${name} before this alias`, remedy);
}

/** Returns true after a mistake, which too many values are. */
function isTooMuch(size: number, at: Place, conversion: Conversion): boolean {
  if (size > maxNodes) {
    const message = `aliases and merge keys expand to more than ${maxNodes.toLocaleString('en')} values`;
    fail(conversion, at, message, 'Use fewer of them.');
  }
  return conversion.failed;
}

function scalar(node: unknown, at: Place): ScalarNode {
  if (!isScalar(node)) return nothing(at);
  // Behind a tag that the parser does not know, it takes each word for text.
  if (node.tag === resetTag && node.type === 'PLAIN')
    return scalar(parseYaml(node.source ?? '', { schema: 'core', logLevel: 'silent' }).contents, at);
  const { value } = node;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' || value === null) {
    return { is: 'scalar', value, source: node.source ?? String(value), at };
  }
  return { is: 'scalar', value: String(value), source: node.source ?? '', at };
}

const notStorable = 'text with the character NUL, or with half of a surrogate pair, cannot be stored';

function syntaxDiagnostic(text: string, where: Pick<Place, 'file' | 'lines'>, problem: YAMLError): Diagnostic {
  const { message, remedy, from, to } = explainSyntax(problem, text);
  return diagnostic('yaml-syntax', message, { remedy, position: position({ ...where, offset: from, end: to }) });
}
