import type * as z from 'zod';
import { type Json, textsIn } from '../formats/json.ts';
import { type FieldUnit, inUnits, tooSmall } from '../formats/units.ts';
import { valueMeant } from '../kind/aliases.ts';
import { type Field, mayHoldSecrets, schemaOf } from '../kind/field.ts';
import type { Kind } from '../kind/kind.ts';
import { canBeNull } from '../kind/row-values.ts';
import { isNumberAsText } from '../kind/written-keys.ts';
import { secret } from '../secrets/secret.ts';
import { type Evaluation, evaluate } from './evaluate-expressions.ts';
import { expressionIn, expressionsIn, notInKeys } from './expression.ts';
import { variablesIn } from './sources/var.ts';
import { misplacedSecret } from './misplaced-secret.ts';
import { aboutListsAndMaps, adviceFor, guessFor, missingBlank, problemOf, shownKey, withoutMarks } from './problem.ts';
import { textInstead, valueInstead } from './short-value.ts';
import { type Entry, type Node, isEmpty, placeAt, textOf } from './tree.ts';
import {
  type Outputs,
  type Resolved,
  type Wanted,
  asWritten,
  changed,
  checkedValue,
  constant,
  knownValue,
  resolve,
  withNames,
} from './wanted.ts';

/** What a block says of one of its fields. */
export type FieldValue =
  | { readonly is: 'field'; readonly name: string; readonly wanted: Wanted }
  | { readonly is: 'map'; readonly name: string; readonly entries: ReadonlyMap<string, Wanted> };

/** What reading the values of a block needs. */
export interface FieldEvaluation extends Evaluation {
  /** The keys and fields that the block calls private. */
  readonly privateKeys: ReadonlySet<string>;
}

/** Reads what stands at the key of a field; undefined where it cannot be cleared, which is reported. */
export function readField(
  kind: Kind,
  { name, written, field }: { readonly name: string; readonly written: string; readonly field: Field },
  node: Node,
  evaluation: FieldEvaluation,
): FieldValue | undefined {
  if (field.map !== undefined && node.is === 'map')
    return { is: 'map', name, entries: readMap(written, node.entries, field, evaluation) };
  if (isEmpty(node)) {
    const cleared = clearedValue(kind, name, field);
    if ('value' in cleared) return { is: 'field', name, wanted: constant(cleared.value, node.at) };
    const message = `${written} cannot be null: ${cleared.refuse}`;
    evaluation.report('not-clearable', message, node.at, 'Remove the line to stop managing it.');
    return undefined;
  }
  // Of numbers the platform keeps as text, `2.0` and `2` mean different things.
  const evaluated = evaluate(node, evaluation, {
    asWritten: isNumberAsText(field),
    refuseSecrets: mayHoldSecrets(field) ? undefined : misplacedSecret(written, node, evaluation.values),
  });
  const open = withPrivate(evaluated.wanted, [written], evaluation);
  // What could not be evaluated has no value that could be wrong too.
  const wanted = evaluated.isUnknown ? open : checked(open, written, field, node, evaluation);
  const { refersTo } = field;
  const named = refersTo === undefined ? wanted : withNames(wanted, (key) => evaluation.named(refersTo, key));
  return { is: 'field', name, wanted: named };
}

/** A wanted value, secret as a whole if one of its names is private. */
function withPrivate(
  wanted: Wanted,
  names: readonly string[],
  { privateKeys, addSecret }: Pick<FieldEvaluation, 'privateKeys' | 'addSecret'>,
): Wanted {
  if (privateKeys.size === 0) return wanted;
  if (!names.some((name) => privateKeys.has(name))) return changed(wanted, { privateKeys });
  // The platform may quote it.
  for (const text of textsIn(knownValue(wanted))) addSecret(text);
  return changed(wanted, { isPrivate: true, isSecret: true });
}

function clearedValue(kind: Kind, name: string, field: Field): { value: Json } | { refuse: string } {
  if (field.onNull !== undefined) return field.onNull;
  if (canBeNull(kind, name)) return { value: null };
  return { refuse: 'the platform has no empty value for it' };
}

/** Reads a field that is written as a map, key by key. */
function readMap(
  written: string,
  entries: ReadonlyMap<string, Entry>,
  field: Field,
  evaluation: FieldEvaluation,
): ReadonlyMap<string, Wanted> {
  const wanted = new Map<string, Wanted>();
  const known = new Map<string, string>();
  const { report } = evaluation;
  for (const [key, { keyAt, node }] of entries) {
    const expression = expressionIn(key);
    if (expression !== undefined) {
      const remedy = 'Write the name of the variable itself: expressions work in values.';
      report('bad-expression', notInKeys(expression), keyAt, remedy);
      continue;
    }
    const name = `${written}.${shownKey(key, isEmpty(node))}`;
    if (node.is !== 'scalar') {
      const remedy = missingBlank(key) ?? textInstead(key, field, node, evaluation);
      report('env-value', `${name} must be text`, node.at, remedy);
      continue;
    }
    if (node.value === null) {
      const remedy = 'Write "" for an empty value, or remove the line to remove the key.';
      report('env-value', `${name} is null`, node.at, missingBlank(key, true) ?? remedy);
      continue;
    }
    const value = evaluate(node, evaluation, { asWritten: true }).wanted;
    wanted.set(key, withPrivate(value, [key, written], evaluation));
    const text = wholeValue(value);
    if (text !== undefined) known.set(key, String(text));
  }
  for (const { key, reason } of field.map?.write(known).refused ?? []) {
    const message = `${written}.${shownKey(key)} cannot be passed unchanged`;
    const node = entries.get(key)?.node;
    if (node !== undefined) report('env-value', message, node.at, `${capital(reason)}.`);
  }
  return wanted;
}

/** Checks a wanted value that is known already; text that came from an expression may stand for a number. */
export function checked(
  wanted: Wanted,
  written: string,
  field: Field,
  node: Node,
  evaluation: FieldEvaluation,
): Wanted {
  const found = checkedValue(wanted);
  if (found === undefined) {
    refuseTextInPlace(wanted, written, field, node, evaluation);
    return wanted;
  }
  const text = textOf(node);
  const isFilledIn = text?.includes('${') === true;
  const { value, error: refusal } = conform(field, found, isFilledIn, wanted.written);
  const error = refusal === undefined ? undefined : withoutMarks(refusal, found);
  if (error !== undefined) {
    const isSecret = field.secrecy !== undefined || wanted.isSecret;
    const source = node.is === 'scalar' ? node.source : undefined;
    const expressions = text === undefined ? [] : [...new Set(expressionsIn(text))];
    const refused = { name: written, value: found, isSecret, source };
    const { message: said, place } = problemOf(error, node, refused);
    const message = field.map === undefined ? said : said.replace(' must be text,', ' must be a map or text,');
    const advice = adviceFor(error, refused);
    // What looks like an expression and is none is no value to write.
    const instead = advice === undefined && !isFilledIn ? valueInstead(written, field, node, evaluation) : undefined;
    const example = inUnits(field.unit, field.examples[0]);
    // Only a variable gives a list, which is one of texts.
    const givesList =
      expressions.some((one) => variablesIn(one).length > 0) && schemaOf(field).safeParse(['a']).success;
    const fits = aboutListsAndMaps(error) === undefined || givesList;
    const remedy =
      expressions.length === 0
        ? (instead ?? whatItIs(written, schemaOf(field), example, advice))
        : fits
          ? whatToCorrect(
              expressions.map(withPlace(evaluation)),
              schemaOf(field),
              isSecret ? undefined : example,
              guessFor(error, refused),
            )
          : withoutExpression(written, field, Array.isArray(found));
    evaluation.report('wrong-type', message, place, remedy);
  } else if (field.unit !== undefined)
    warnOfSmall(written, field.unit, { value, isSecret: wanted.isSecret, node }, evaluation);
  if (value === found) return wanted;
  if (wanted.content.reveal().is === 'value') return changed(wanted, { content: constant(value, wanted.at).content });
  return knownValue(wanted) === undefined ? wanted : changed(wanted, { reading: secret(value) });
}

/** Refuses an expression whose value is not known yet in the place of a list or a map: it gives a text, whichever that is. */
function refuseTextInPlace(
  wanted: Wanted,
  written: string,
  field: Field,
  node: Node,
  { report }: FieldEvaluation,
): void {
  const value = asWritten(wanted);
  const error = aboutListsAndMaps(conform(field, value, true).error);
  if (error === undefined) return;
  const isSecret = field.secrecy !== undefined || wanted.isSecret;
  const { message, place } = problemOf(error, node, { name: written, value, isSecret });
  report('wrong-type', message, place, withoutExpression(written, field));
}

/** The remedy where an expression stands in the place of a list or a map. */
function withoutExpression(written: string, field: Field, isList = false): string {
  const example = inUnits(field.unit, field.examples[0]);
  const gives = isList ? 'a variable gives here is a list of texts' : 'an expression gives here is a text';
  return `What ${gives}. ${whatItIs(written, schemaOf(field), example)}`;
}

/** A value with its secrets, for what a field says of any text; undefined where it needs an output or a secret that is missing. */
function wholeValue(wanted: Wanted): Json | undefined {
  const resolved = resolve(wanted, () => undefined);
  return resolved.is === 'known' ? resolved.value : undefined;
}

/** Warns of numbers that are so small that their unit was probably forgotten. */
function warnOfSmall(
  written: string,
  fieldUnit: FieldUnit,
  { value, isSecret, node }: { readonly value: Json; readonly isSecret: boolean; readonly node: Node },
  { report }: Evaluation,
): void {
  for (const { path, amount, unit } of tooSmall(fieldUnit, value)) {
    const name = [written, ...path].join('.');
    const least = unit.show(unit.least.amount);
    const message = `${name} ${isSecret ? `is less than ${least}` : `means ${unit.show(amount)}`}: ${unit.least.because}`;
    report('no-unit', message, placeAt(node, path), `Write the unit, as in ${name}: ${unit.example}.`);
  }
}

/** Resolves a wanted value, reading text as a number or boolean where the field is one. A list of names has each object once. */
export function resolveField(field: Field, wanted: Wanted, outputs: Outputs): Resolved {
  const resolved = resolve(wanted, outputs, (value) => conform(field, value, true).value);
  if (field.refersTo === undefined || resolved.is !== 'known' || !Array.isArray(resolved.value)) return resolved;
  return { is: 'known', value: [...new Set(resolved.value)] };
}

/** Checks a value against its field; what was filled in is read as text, number or boolean, as the field needs it. */
function conform(
  field: Field,
  value: Json,
  isFilledIn: boolean,
  written?: string,
): { value: Json; error?: z.ZodError } {
  const schema = schemaOf(field);
  const meant = valueMeant(value, (word) => schema.safeParse(word).success);
  const result = schema.safeParse(meant);
  // An amount is the number that the platform takes.
  if (result.success) return { value: field.unit === undefined ? meant : (result.data as Json) };
  if (isFilledIn) {
    const others: readonly Json[] =
      typeof value === 'string' ? readings(value) : written === undefined ? [] : [written];
    for (const other of others) if (schema.safeParse(other).success) return { value: other };
  }
  return { value, error: result.error };
}

function readings(value: string): Json[] {
  if (/^(true|false)$/.test(value)) return [value === 'true'];
  return /^[-+.\d]/.test(value) && value.trim() === value && Number.isFinite(Number(value)) ? [Number(value)] : [];
}

/** The remedy for a wrong value: the value that was probably meant or an example, and the description of the field. */
export function whatItIs(written: string, schema: z.ZodType, example?: Json, advice?: string): string {
  const shown = example === undefined ? [] : [`Write for example ${written}: ${JSON.stringify(example)}.`];
  const first = advice === undefined ? shown : [advice];
  return [...first, ...(schema.description === undefined ? [] : [schema.description])].join(' ');
}

/** The remedy for a wrong value that expressions gave: they are right where they stand, and what they stand for is not. */
function whatToCorrect(expressions: readonly string[], schema: z.ZodType, example?: Json, guess?: string): string {
  const shown = example === undefined ? undefined : `For example ${JSON.stringify(example)}.`;
  const sentences = [`Correct the value of ${expressions.join(' or ')}.`, guess ?? shown, schema.description];
  return sentences.filter((sentence) => sentence !== undefined).join(' ');
}

/** Names what gives a variable its value behind the expression for it. */
function withPlace({ values }: Evaluation): (expression: string) => string {
  return (expression) => {
    const [name] = variablesIn(expression);
    const from = name === undefined ? undefined : values.variableFrom(name);
    return from === undefined ? expression : `${expression}, from ${from}`;
  };
}

function capital(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
