import { type CST, type Document, visit as visitNodes } from 'yaml';
import { yamlTokens } from './yaml.ts';

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
export function forbiddenAt(text: string, document: Document.Parsed): number | undefined {
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
