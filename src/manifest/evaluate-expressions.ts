import { closest } from '../diagnostics/closest.ts';
import { maxHashedBytes } from '../secrets/digest.ts';
import { secret } from '../secrets/secret.ts';
import {
  type TextPart,
  bcrypt,
  breakingAddresses,
  encode,
  encodingWords,
  isHashed,
  unknownEncoding,
  urlencode,
} from './expression-encoding.ts';
import { type Expression, findNearMisses, parseExpressions, shellDefault } from './expression.ts';
import { type TextPiece, secretsApart } from './secrets-apart.ts';
import { type Refusal, type Resolution, type Values, badExpression } from './sources/source.ts';
import type { Report } from './report-at.ts';
import type { Node, Place, ScalarNode } from './tree.ts';
import type { Reference } from './reference.ts';
import {
  type Shape,
  type ShapePiece,
  type Wanted,
  changed,
  constant,
  join,
  maxCharactersOfValue,
  tooLong,
} from './wanted.ts';

/** Most characters of all values of a manifest together. */
const maxCharactersOfAll = 4 * maxCharactersOfValue;

/** The characters that a reference counts as, before its output is known. */
const charactersOfReference = 256;

/** What evaluating needs besides the node. */
export interface Evaluation {
  readonly values: Values;
  /** Called with the value of every secret source. */
  readonly addSecret: (value: string) => void;
  /** Finds the resource of a kind that has a key, wherever it is referred to. */
  readonly named: (kind: string, key: string) => Reference | undefined;
  readonly report: Report;
  /** The characters of all values of the manifest so far; counted up. */
  readonly size: { characters: number };
  readonly address: string;
  /** The project of the manifest, as it is written. */
  readonly project: string;
  /** The text of a scalar stands in its file character by character: each expression has a place of its own. */
  readonly isVerbatim?: true;
}

/** What a field says of the values in it. */
export interface Reading {
  /** Takes numbers and booleans as they were written, for maps of text. */
  readonly asWritten?: boolean;
  /** Why no `${secret:…}` may stand in the value; undefined where one may. */
  readonly refuseSecrets?: ((node: ScalarNode, names: readonly string[]) => Refusal) | undefined;
}

/** What evaluating gives. `isUnknown`: of an expression in it nothing is known; where that is a mistake, it is reported. */
interface Evaluated {
  readonly wanted: Wanted;
  readonly isUnknown: boolean;
}

/**
 * Turns a YAML value into what the user wants: expressions that are known now are filled in.
 * @throws {Stop} `manifest`, when a value is too long, or all of them are together
 */
export function evaluate(node: Node, evaluation: Evaluation, reading: Reading = {}): Evaluated {
  const found: Found = { isSecret: false, isUnknown: false, references: [], missing: [], evaluation, reading };
  const shape = shapeOf(node, found);
  const { isSecret, isUnknown, references, missing, written } = found;
  // Neither a list nor a map stays apart in its parts where nothing in it is concealed, or comes later.
  const value = join(shape, () => undefined);
  const wanted =
    value === undefined || isSecret || references.length > 0 || missing.length > 0
      ? {
          at: node.at,
          isSecret,
          references,
          missing,
          content: secret<Shape>(value === undefined ? shape : { is: 'value', value }),
        }
      : constant(value, node.at);
  return { wanted: written === undefined ? wanted : changed(wanted, { written }), isUnknown };
}

interface Found {
  isSecret: boolean;
  isUnknown: boolean;
  readonly references: Reference[];
  readonly missing: string[];
  readonly evaluation: Evaluation;
  readonly reading: Reading;
  written?: string;
}

function shapeOf(node: Node, found: Found): Shape {
  switch (node.is) {
    case 'scalar':
      return scalarShape(node, found);
    case 'list':
      return { is: 'list', items: node.items.map((item) => shapeOf(item, found)) };
    case 'map':
      return {
        is: 'map',
        entries: [...node.entries].map(([key, entry]) => [key, shapeOf(entry.node, found)] as const),
      };
    default:
      return node satisfies never;
  }
}

function scalarShape(node: ScalarNode, found: Found): Shape {
  const { evaluation, reading } = found;
  const { value, secretParts } = node;
  const isText = typeof value === 'string' || (reading.asWritten === true && value !== null);
  if (!isText || (typeof value !== 'string' && secretParts === undefined))
    return { is: 'value', value: isText ? node.source : value };
  const text = typeof value === 'string' ? value : node.source;
  const { parts, unclosed, unclosedAt = 0 } = parseExpressions(text);
  if (unclosed !== undefined) {
    const remedy = `Close it, or write $\${${unclosed.name}: for the text itself.`;
    const opening = { from: unclosedAt, to: unclosedAt + `\${${unclosed.name}:`.length };
    const at = placeOf(opening, node, evaluation);
    refuse(found, at, badExpression(`\${${unclosed.name}:… is never closed with }`, remedy));
    return { is: 'value', value };
  }
  const secrets = parts.flatMap((part) =>
    typeof part === 'object' && part.source.conceals === 'secret' ? [part] : [],
  );
  if (secrets[0] !== undefined && reading.refuseSecrets !== undefined) {
    const names = [...new Set(secrets.map(({ argument }) => argument))];
    refuse(found, placeOf(secrets[0], node, evaluation), reading.refuseSecrets(node, names));
    // Not known, like one that is missing: no check finds a second mistake in it.
    found.isSecret = true;
    return textShape([{ from: 'secret', name: secrets[0].argument }]);
  }
  for (const { written, meant } of findNearMisses(text)) {
    const message = `${written} is no expression and stays as text; did you mean ${meant}?`;
    evaluation.report('no-expression', message, node.at);
  }
  const isApart = secretParts !== undefined && mayConceal(found);
  return joinedShape(node, isApart ? secretsApart(text, parts, secretParts) : parts, found);
}

/** The shape of a text with its expressions filled in; of one that is an expression alone its value. */
function joinedShape(node: ScalarNode, parts: readonly TextPiece[], found: Found): Shape {
  const { evaluation, reading } = found;
  const pieces: Piece[] = [];
  let characters = 0;
  for (const part of parts) {
    const piece = pieceOf(part, node, found);
    characters += knownText(piece)?.length ?? charactersOfReference;
    if (characters > maxCharactersOfValue)
      throw tooLong('this value has', maxCharactersOfValue, node.at, evaluation.address);
    pieces.push(piece);
  }
  evaluation.size.characters += characters;
  if (evaluation.size.characters > maxCharactersOfAll)
    throw tooLong('the values of the manifest together have', maxCharactersOfAll, node.at, evaluation.address);
  if (parts.length > 1) warnOfSplit(parts, pieces, node, evaluation);
  const [only] = pieces;
  if (pieces.length === 1 && typeof only === 'object' && 'value' in only && reading.asWritten !== true) {
    if (only.is === 'scalar') found.written = only.written;
    return { is: 'value', value: only.value };
  }
  for (const [index, part] of parts.entries())
    if (typeof part === 'object' && 'source' in part && isList(pieces[index])) refuseList(part, node, found);
  return textShape(pieces.map(asText));
}

function pieceOf(part: TextPiece, node: ScalarNode, found: Found): Piece {
  if (typeof part === 'string') return part;
  if ('source' in part) return evaluateExpression(part, placeOf(part, node, found.evaluation), found);
  found.isSecret = true;
  found.evaluation.addSecret(part.hidden);
  return part;
}

/** Whether a value may hold secrets: what looks like one stays apart in it. */
function mayConceal({ reading }: Found): boolean {
  return reading.refuseSecrets === undefined;
}

/** The text of a piece; undefined where it is not known. */
function knownText(piece: Piece): string | undefined {
  const text = asText(piece);
  if (typeof text === 'string') return text;
  return 'hidden' in text ? text.hidden : undefined;
}

/** Warns of values that end or split the address around them. */
function warnOfSplit(
  parts: readonly TextPiece[],
  pieces: readonly Piece[],
  node: ScalarNode,
  evaluation: Evaluation,
): void {
  if (!String(node.value).includes('://')) return;
  const inAddress = parts.map((part, at): TextPart => {
    if (typeof part === 'string') return part;
    return 'source' in part ? { ...part, value: knownText(pieces[at] ?? '') } : part.hidden;
  });
  for (const expression of breakingAddresses(inAddress)) {
    const written = String(node.value).slice(expression.from, expression.to);
    const message = `the value of ${written} has a character that ends or splits the address around it`;
    const remedy = `Write ${written.slice(0, -1)}|${urlencode}}.`;
    evaluation.report('splits-address', message, placeOf(expression, node, evaluation), remedy);
  }
}

/** The place of a part of a scalar; that of the whole, where its text is not known to stand in the file as it is. */
function placeOf({ from, to }: Pick<Expression, 'from' | 'to'>, { at }: ScalarNode, { isVerbatim }: Evaluation): Place {
  return isVerbatim === true ? { ...at, offset: at.offset + from, end: at.offset + to } : at;
}

/** The shape of a text; texts beside each other are one. */
function textShape(pieces: readonly ShapePiece[]): Shape {
  const merged: ShapePiece[] = [];
  for (const piece of pieces) {
    const last = merged.at(-1);
    if (typeof piece === 'string' && typeof last === 'string') merged[merged.length - 1] = last + piece;
    else merged.push(piece);
  }
  const [text] = merged;
  return merged.length === 1 && typeof text === 'string'
    ? { is: 'value', value: text }
    : { is: 'text', pieces: merged };
}

/** A piece as part of a text. */
function asText(piece: Piece): ShapePiece {
  if (typeof piece === 'string' || !('value' in piece)) return piece;
  return piece.is === 'scalar' ? piece.written : piece.value.join();
}

type Piece = ShapePiece | Extract<Resolution, { is: 'scalar' | 'list' }>;

function isList(piece: Piece | undefined): boolean {
  return typeof piece === 'object' && 'value' in piece && piece.is === 'list';
}

function refuseList(part: Expression, node: ScalarNode, found: Found): void {
  const written = String(node.value).slice(part.from, part.to);
  const remedy = 'Write it alone, where a field takes a list, or declare the variable as text.';
  refuse(found, placeOf(part, node, found.evaluation), badExpression(`${written} is a list, and no text`, remedy));
}

function evaluateExpression({ source, argument: name, encoding }: Expression, at: Place, found: Found): Piece {
  const { values, addSecret } = found.evaluation;
  const resolution = checkedEncoding(source.resolve(name, values, at), { source, argument: name, encoding });
  const isSecretVariable = resolution.is === 'scalar' && resolution.isSecret === true && mayConceal(found);
  const from = isSecretVariable ? 'var' : source.conceals;
  if (from !== undefined) found.isSecret = true;
  switch (resolution.is) {
    case 'list':
      return resolution;
    case 'text':
    case 'scalar': {
      const plain = resolution.is === 'text' ? resolution.text : resolution.written;
      const text = encode(plain, encoding, `${found.evaluation.project}\0${name}`);
      if (from === undefined) return resolution.is === 'scalar' && encoding === undefined ? resolution : text;
      addSecret(text);
      if (encoding === undefined) return { from, name, hidden: text };
      addSecret(plain);
      return { from, name, hidden: text, encoding, plain };
    }
    case 'reference': {
      const { reference } = resolution;
      found.references.push(reference);
      return encoding === undefined ? reference : { ...reference, encoding };
    }
    case 'missing':
      if (!found.missing.includes(name)) found.missing.push(name);
      return { from: 'secret', name, encoding };
    case 'unknown':
      found.isUnknown = true;
      return { from: 'secret', name };
    case 'refused':
      refuse(
        found,
        at,
        shellDefault.test(name) ? { ...resolution, remedy: remedyForDefault(source, name) } : resolution,
      );
      // Like a secret that is missing, its value is not known: no check finds a second mistake in it.
      return { from: from ?? 'secret', name };
    default:
      return resolution satisfies never;
  }
}

/** The remedy for what a shell may have meant; what stands behind its sign may be secret. */
function remedyForDefault({ name }: Expression['source'], argument: string): string {
  const ofShell = `$\${${name}:${argument.slice(0, 1)}…}`;
  return `Write ${ofShell} where a shell reads it. Write \${var:NAME} for a variable that has its default under variables:.`;
}

/** What an expression stands for, before it is encoded; a refusal where it cannot be. */
function checkedEncoding(
  resolution: Resolution,
  expression: Pick<Expression, 'source' | 'argument'> & { readonly encoding: string | undefined },
): Resolution {
  const { source, argument: name, encoding } = expression;
  const written = `\${${source.name}:${name}}`;
  if (encoding === undefined) {
    const word = encodingWords.find((one) => name.endsWith(`|${one}`));
    if (source.isEncodable === true || word === undefined) return resolution;
    const remedy = `Write \${${source.name}:${name.slice(0, -word.length - 1)}}: only secret, env, var and ref take one.`;
    return badExpression(`\${${source.name}:…} takes no |${word}`, remedy);
  }
  const unknown = unknownEncoding(encoding);
  if (unknown !== undefined) {
    const words = encodingWords.filter((word) => source.conceals === 'secret' || !isHashed(word));
    const guess = words.find((word) => word === unknown.trim()) ?? closest(unknown, words);
    const meant = guess === undefined ? words : [encoding.replace(unknown, guess)];
    const encoded = meant.map((word) => `\${${source.name}:${name.trim()}|${word}}`).join(' or ');
    const remedy = guess === undefined ? `Write ${encoded}.` : `Did you mean ${encoded}?`;
    return badExpression(`${JSON.stringify(unknown)} is no encoding`, remedy);
  }
  if (isHashed(encoding) && source.conceals !== 'secret')
    return badExpression(
      `\${${source.name}:…} takes no |${bcrypt}`,
      'Write ${secret:NAME|bcrypt}: only a secret is hashed.',
    );
  if (encoding.includes(`|${bcrypt}`))
    return badExpression(
      `|${bcrypt} stands behind another word`,
      `Write ${written.slice(0, -1)}|${bcrypt}}: it comes first.`,
    );
  if (isHashed(encoding) && resolution.is === 'text' && Buffer.byteLength(resolution.text) > maxHashedBytes)
    return badExpression(
      `the value of ${written} is longer than bcrypt reads`,
      `Give it at most ${maxHashedBytes} bytes.`,
    );
  if (resolution.is === 'list')
    return badExpression(`${written} is a list, and takes no |${encoding}`, 'Declare the variable as text.');
  return resolution;
}

function refuse(found: Found, at: Place, { code, message, remedy }: Refusal): void {
  found.isUnknown = true;
  found.evaluation.report(code, message, at, remedy);
}
