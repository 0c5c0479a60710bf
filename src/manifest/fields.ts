import type * as z from 'zod';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnostic, hasErrors } from '../diagnostics/diagnostic.ts';
import { withArticle } from '../diagnostics/article.ts';
import { closest } from '../diagnostics/closest.ts';
import type { Json } from '../formats/json.ts';
import { textsIn } from '../formats/json.ts';
import type { Written } from '../kind/written.ts';
import { secret } from '../secrets/secret.ts';
import { caseFields, isNumberAsText, mergeOption, writtenFields } from '../kind/written.ts';
import type { Field, Union } from '../kind/field.ts';
import { mayHoldSecrets, schemaOf } from '../kind/field.ts';
import type { Kind } from '../kind/kind.ts';
import type { FieldUnit } from '../formats/units.ts';
import { inUnits, tooSmall } from '../formats/units.ts';
import { caseMeant, valueMeant } from '../kind/aliases.ts';
import { canBeNull, fieldOf, fieldPath, isNeededBy } from '../kind/wire.ts';
import type { Evaluation } from './evaluate.ts';
import { constant, evaluate } from './evaluate.ts';
import type { Block, Resource } from './resource.ts';
import { expressionIn, expressionsIn, notInKeys } from './expression.ts';
import {
  adviceFor,
  alternatives,
  guessFor,
  missingBlank,
  placeAt,
  problemOf,
  shown,
  shownKey,
  withoutMarks,
  wordsOf,
} from './problem.ts';
import { misplacedSecret } from './misplaced-secret.ts';
import { sectionInstead } from './short-blocks.ts';
import { settingInstead, takes, textInstead, unionInstead, valueInstead } from './short-value.ts';
import type { Entry, Node } from './tree.ts';
import { toJson } from '../formats/simple-yaml.ts';
import { isEmpty, position } from './tree.ts';
import { reshapedSetting } from './reshape.ts';
import { pageOf, remedyForKey } from './unknown-key.ts';
import type { Outputs, Resolved, Wanted } from './wanted.ts';
import { asWritten, checkedValue, knownValue, resolve, withNames } from './wanted.ts';

/** What the kinds know about the place of a block. */
interface BlockPlace {
  /** The sections that can stand in it. */
  readonly sections: ReadonlyMap<string, Kind>;
  /** The remedy for a section that cannot stand in it, and can elsewhere. */
  readonly placeOf: (section: string) => string | undefined;
}

/** Reads the fields of one block: names, types, nulls and expressions are checked; problems go to the evaluation. */
export function readResource(block: Block, { sections, placeOf }: BlockPlace, evaluation: Evaluation): Resource {
  const { kind, address } = block;
  const { diagnostics } = evaluation;
  const fields: Record<string, Wanted> = {};
  const maps: Record<string, ReadonlyMap<string, Wanted>> = {};
  const options: Record<string, Json> = {};
  const report = (code: Diagnostic['code'], message: string, node: Node, remedy?: string) =>
    diagnostics.push(diagnostic(code, message, { remedy, address, position: position(node.at) }));

  const privateKeys = readPrivate(block);
  const within = { ...evaluation, privateKeys };
  const readField = (written: string, name: string, { node }: Entry): void => {
    const field = fieldOf(kind, name);
    if (field.map !== undefined && node.is === 'map') {
      const entries = [...readMap(written, node.entries, field, within)];
      maps[name] = new Map(entries.map(([key, wanted]) => [key, withPrivate(wanted, [key, written], within)]));
      return;
    }
    if (node.is === 'scalar' && node.value === null) {
      const cleared = clearedValue(kind, name, field);
      if ('value' in cleared) fields[name] = constant(cleared.value, node.at);
      else
        report(
          'not-clearable',
          `${written} cannot be null: ${cleared.refuse}`,
          node,
          'Remove the line to stop managing it.',
        );
      return;
    }
    const told = evaluation.diagnostics.length;
    // Of numbers the platform keeps as text, `2.0` and `2` mean different things.
    const evaluated = evaluate(node, evaluation, {
      asWritten: isNumberAsText(field),
      refuseSecrets: mayHoldSecrets(field) ? undefined : misplacedSecret(written, node, evaluation.values),
    });
    const wanted = withPrivate(evaluated, [written], within);
    // What could not be evaluated has no value that could be wrong too.
    fields[name] = hasErrors(evaluation.diagnostics.slice(told))
      ? wanted
      : checked(wanted, written, field, node, within);
    const { refersTo } = field;
    if (refersTo !== undefined) fields[name] = withNames(fields[name], (key) => evaluation.named(refersTo, key));
  };

  const known = writtenFields(kind, block.link);
  const reportUnknown = (key: string, { keyAt, node }: Entry, group: typeof known, prefix: string): void => {
    const report = (code: Diagnostic['code'], message: string, remedy: string) =>
      diagnostics.push(diagnostic(code, message, { remedy, address, position: position(keyAt) }));
    const expression = expressionIn(key, evaluation.sources);
    if (expression !== undefined) {
      report('bad-expression', notInKeys(expression), 'Write the name of the key itself: expressions work in values.');
      return;
    }
    const { hints = {} } = kind.checks ?? {};
    const hint = prefix === '' && Object.hasOwn(hints, key) ? hints[key] : undefined;
    const below = prefix === '' ? sections : new Map<string, Kind>();
    const own = [...group].flatMap(([name, is]) => (is.is === 'field' && is.isOther === true ? [] : [name]));
    const keys = [...own, ...below.keys()];
    const what = prefix === '' ? kind.kind : `${kind.kind} with this ${prefix}type`;
    const elsewhere = (word: string) =>
      prefix === '' ? (placeInUnion(kind, known, word) ?? placeOf(word)) : undefined;
    const instead = (meant: string): string | undefined => {
      const target = group.get(meant);
      const section = below.get(meant);
      if (section !== undefined) {
        const link = section.parents[kind.kind];
        const isWritten = node.is === 'map' && [...node.entries.values()].every((one) => one.node.is === 'map');
        if (link === undefined || isWritten || isEmpty(node)) return undefined;
        return sectionInstead(meant, node, { kind: section, link, above: kind });
      }
      if (target?.is !== 'field' || isEmpty(node)) return undefined;
      const field = fieldOf(kind, target.field);
      return takes(field, node) ? undefined : valueInstead(meant, field, node, { privateKeys });
    };
    const remedy =
      hint ??
      remedyForKey(key, {
        keys,
        sections: below,
        elsewhere,
        instead,
        page: pageOf(kind),
        isEmpty: isEmpty(node),
      });
    report('unknown-key', `${withArticle(what)} has no key ${prefix}${shownKey(key, isEmpty(node))}`, remedy);
  };
  const writtenAs = new Map<string, string>();
  const readGroup = (
    entries: ReadonlyMap<string, Entry>,
    group: ReturnType<typeof writtenFields>,
    prefix: string,
  ): void => {
    for (const [key, entry] of entries) {
      const target = group.get(key);
      if (target === undefined) {
        if (prefix === '' && sections.has(key)) continue;
        reportUnknown(key, entry, group, prefix);
      } else if (target.is === 'field') {
        const other = writtenAs.get(target.field);
        const name = target.isOther === true ? fieldPath(kind, target.field) : `${prefix}${key}`;
        if (other === undefined) readField(name, target.field, entry);
        else {
          const message = `${prefix}${key} and ${other} are the same field`;
          const about = { remedy: 'Keep one of the two.', address, position: position(entry.keyAt) };
          diagnostics.push(diagnostic('defined-twice', message, about));
        }
        writtenAs.set(target.field, `${prefix}${key}`);
      } else if (target.is === 'option') {
        const result = target.schema.safeParse(toJson(entry.node));
        if (result.success) options[key] = result.data as Json; // options are plain JSON
        else {
          const refused = { name: key, value: toJson(entry.node), isSecret: false };
          const { schema } = target;
          const remedy =
            settingInstead(key, reshapedSetting(refused.value), schema) ??
            whatItIs(key, schema, undefined, adviceFor(result.error, refused));
          report('wrong-type', wordsOf(result.error, refused), entry.node, remedy);
        }
      } else if (entry.node.is === 'map') {
        readUnion(key, target, entry.node.entries, entry.node);
      } else {
        const remedy = unionInstead(kind, target.union, entry.node, { privateKeys });
        report('wrong-type', `${key} must be a map`, entry.node, remedy ?? `Write ${key}: { type: …, … }.`);
      }
    }
  };

  const readUnion = (
    at: string,
    union: Extract<ReturnType<typeof writtenFields> extends ReadonlyMap<string, infer T> ? T : never, { is: 'union' }>,
    entries: ReadonlyMap<string, Entry>,
    node: Node,
  ): void => {
    const tag = entries.get('type');
    const written = tag === undefined ? undefined : toJson(tag.node);
    const type = typeof written === 'string' ? caseMeant(union.union, written) : written;
    const cases = union.union.cases;
    if (tag === undefined || typeof type !== 'string' || !Object.hasOwn(cases, type)) {
      const { refused: reasons = {} } = union.union;
      const refused = typeof type === 'string' && Object.hasOwn(reasons, type) ? reasons[type] : undefined;
      if (tag !== undefined && refused !== undefined) {
        report('inconsistent', `${at}.type cannot be ${String(type)}: ${refused}`, tag.node);
        return;
      }
      const names = Object.keys(cases);
      if (tag === undefined) {
        const others = [...entries.keys()];
        const fitting = names.filter((name) => others.every((key) => Object.hasOwn(cases[name] ?? {}, key)));
        const [only] = others.length > 0 && fitting.length === 1 ? fitting : [];
        const meant = only ?? '…';
        const remedy = `Write ${at}: { type: ${meant}, … }; the types are ${names.join(', ')}.`;
        report('wrong-type', `${at}.type is missing`, node, remedy);
        return;
      }
      const guess = guessCase(written, union.union);
      const remedy = guess === undefined ? `Write one of these. ${union.union.describe}` : `Did you mean ${guess}?`;
      report('wrong-type', `${at}.type must be ${alternatives(names)}, got ${shown(written)}`, tag.node, remedy);
      return;
    }
    const group = new Map(caseFields(union.union, type).map(([key, field]) => [key, { is: 'field', field } as const]));
    readGroup(entries, new Map([['type', { is: 'field', field: union.union.tag }], ...group]), `${at}.`);
    const call = union.union.calls?.[type];
    for (const [key, { field }] of call === undefined ? [] : group) {
      if (call === undefined || entries.has(key) || !isNeededBy(call, field)) continue;
      report(
        'cannot-create',
        `${at}.${key} is missing: the platform needs it for ${type}`,
        node,
        `Write ${at}.${key}.`,
      );
    }
  };

  readGroup(block.entries, known, '');
  refuseOtherCases(block, fields, maps, evaluation);
  if (kind.identity.keyField !== undefined && fields[kind.identity.keyField] === undefined) {
    const field = kind.fields[kind.identity.keyField];
    const keyNode: Node = { is: 'scalar', value: block.key, source: block.key, at: block.at };
    if (field !== undefined)
      fields[kind.identity.keyField] = checked(
        constant(block.key, block.at),
        kind.identity.keyField,
        field,
        keyNode,
        evaluation,
      );
  }
  const merge = mergeOption(kind);
  const { id, private: _private, unset: _unset, ...others } = options;
  const mapMode = merge === undefined ? undefined : (others[merge.name] ?? merge.otherwise);
  if (merge !== undefined && mapMode === merge.otherwise) delete others[merge.name];
  return {
    address,
    kind,
    key: block.key,
    parent: block.parent,
    link: block.link,
    at: block.at,
    fields,
    maps,
    mapMode: mapMode === 'merge' ? 'merge' : 'own',
    options: others,
    pinned: typeof id === 'string' ? id : undefined,
    ...(privateKeys.size === 0 ? {} : { privateKeys }),
  };
}

/**
 * The keys and fields that a block calls private, a field by each of its names; none where they are written wrongly, which is
 * reported.
 */
function readPrivate({ entries, kind, link }: Block): ReadonlySet<string> {
  const entry = entries.get('private');
  if (entry === undefined) return new Set();
  const written = toJson(entry.node);
  if (!Array.isArray(written)) return new Set();
  const known = writtenFields(kind, link);
  const names = written.filter((name) => typeof name === 'string');
  const fields = new Set(names.flatMap((name) => fieldNamed(known.get(name)) ?? []));
  const others = [...known].flatMap(([key, target]) => (fields.has(fieldNamed(target) ?? '') ? [key] : []));
  return new Set([...names, ...fields, ...others]);
}

function fieldNamed(target: Written | undefined): string | undefined {
  return target?.is === 'field' ? target.field : undefined;
}

/** A wanted value, secret as a whole if one of its names is private. */
function withPrivate(
  wanted: Wanted,
  names: readonly string[],
  { privateKeys, addSecret }: { readonly privateKeys: ReadonlySet<string> } & Pick<Evaluation, 'addSecret'>,
): Wanted {
  if (privateKeys.size === 0) return wanted;
  if (!names.some((name) => privateKeys.has(name))) return { ...wanted, privateKeys };
  // The platform may quote it.
  for (const text of textsIn(knownValue(wanted))) addSecret(text);
  return { ...wanted, isSecret: true, isPrivate: true };
}

function clearedValue(kind: Kind, name: string, field: Field): { value: Json } | { refuse: string } {
  if (field.onNull !== undefined) return field.onNull;
  if (canBeNull(kind, name)) return { value: null };
  return { refuse: 'the platform has no empty value for it' };
}

/** A field of another case of a union that stands beside the others contradicts the case that was chosen. */
function refuseOtherCases(
  block: Block,
  fields: Readonly<Record<string, Wanted>>,
  maps: Readonly<Record<string, unknown>>,
  evaluation: Evaluation,
): void {
  for (const union of block.kind.unions ?? []) {
    if (union.at !== undefined) continue;
    const declared = fields[union.tag];
    const word = knownValue(declared);
    if (declared === undefined || typeof word !== 'string' || !Object.hasOwn(union.cases, word)) continue;
    const isOpen = !declared.isSecret;
    const tag = asWritten(declared);
    const chosen = Object.values(union.cases[word] ?? {});
    for (const name of new Set(Object.values(union.cases).flatMap((fieldsOfCase) => Object.values(fieldsOfCase)))) {
      const wanted = fields[name];
      if (chosen.includes(name) || (wanted === undefined && maps[name] === undefined)) continue;
      evaluation.diagnostics.push(
        diagnostic('inconsistent', `${name} does not go with ${union.tag}: ${String(tag)}`, {
          remedy: isOpen
            ? `Remove ${name}, or write another ${union.tag}: this one takes ${chosen.join(', ')}.`
            : `Remove ${name}, or correct ${String(tag)}.`,
          address: block.address,
          position: position(wanted?.at ?? block.at),
        }),
      );
    }
  }
}

function readMap(
  written: string,
  entries: ReadonlyMap<string, Entry>,
  field: Field,
  evaluation: Evaluation & { readonly privateKeys: ReadonlySet<string> },
): ReadonlyMap<string, Wanted> {
  const wanted = new Map<string, Wanted>();
  const known = new Map<string, string>();
  const report = (message: string, node: Node, remedy?: string) =>
    evaluation.diagnostics.push(
      diagnostic('env-value', message, { remedy, address: evaluation.address, position: position(node.at) }),
    );
  for (const [key, { keyAt, node }] of entries) {
    const expression = expressionIn(key, evaluation.sources);
    if (expression !== undefined) {
      const { diagnostics, address } = evaluation;
      const remedy = 'Write the name of the variable itself: expressions work in values.';
      diagnostics.push(
        diagnostic('bad-expression', notInKeys(expression), { remedy, address, position: position(keyAt) }),
      );
      continue;
    }
    const name = `${written}.${shownKey(key, isEmpty(node))}`;
    if (node.is !== 'scalar') {
      const remedy = missingBlank(key) ?? textInstead(key, field, node, evaluation);
      report(`${name} must be text`, node, remedy);
      continue;
    }
    if (node.value === null) {
      const remedy = 'Write "" for an empty value, or remove the line to remove the key.';
      report(`${name} is null`, node, missingBlank(key, true) ?? remedy);
      continue;
    }
    const value = evaluate(node, evaluation, { asWritten: true });
    wanted.set(key, value);
    const text = wholeValue(value);
    if (text !== undefined) known.set(key, String(text));
  }
  for (const { key, reason } of field.map?.write(known).refused ?? []) {
    const node = entries.get(key)?.node;
    if (node !== undefined)
      report(`${written}.${shownKey(key)} cannot be passed unchanged`, node, `${capital(reason)}.`);
  }
  return wanted;
}

/** Checks a wanted value that is known already; text that came from an expression may stand for a number. */
function checked(
  wanted: Wanted,
  written: string,
  field: Field,
  node: Node,
  evaluation: Evaluation & { readonly privateKeys?: ReadonlySet<string> },
): Wanted {
  const found = checkedValue(wanted);
  if (found === undefined) return wanted;
  const isFilledIn = node.is === 'scalar' && typeof node.value === 'string' && node.value.includes('${');
  const { value, error: refusal } = conform(field, found, isFilledIn, wanted.written);
  const error = refusal === undefined ? undefined : withoutMarks(refusal, found);
  if (error !== undefined) {
    const isSecret = field.secrecy !== undefined || wanted.isSecret;
    const source = node.is === 'scalar' ? node.source : undefined;
    const expressions = isFilledIn ? expressionsIn(node.value, evaluation.sources) : [];
    const refused = { name: written, value: found, isSecret, source };
    const { message: said, place } = problemOf(error, node, refused);
    const message = field.map === undefined ? said : said.replace(' must be text,', ' must be a map or text,');
    const advice = adviceFor(error, refused);
    const instead = advice === undefined ? valueInstead(written, field, node, evaluation) : undefined;
    const example = inUnits(field.unit, field.examples[0]);
    evaluation.diagnostics.push(
      diagnostic('wrong-type', message, {
        remedy:
          expressions.length > 0
            ? whatToCorrect(expressions, schemaOf(field), isSecret ? undefined : example, guessFor(error, refused))
            : (instead ?? whatItIs(written, schemaOf(field), example, advice)),
        address: evaluation.address,
        position: position(place),
      }),
    );
  } else if (field.unit !== undefined)
    warnOfSmall(written, field.unit, { value, isSecret: wanted.isSecret, node }, evaluation);
  if (value === found) return wanted;
  if (wanted.content.reveal().is === 'value') return { ...wanted, content: constant(value, wanted.at).content };
  return knownValue(wanted) === undefined ? wanted : { ...wanted, reading: secret(value) };
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
  { diagnostics, address }: Evaluation,
): void {
  for (const { path, amount, unit } of tooSmall(fieldUnit, value)) {
    const name = [written, ...path].join('.');
    const least = unit.show(unit.least.amount);
    const message = `${name} ${isSecret ? `is less than ${least}` : `means ${unit.show(amount)}`}: ${unit.least.because}`;
    const remedy = `Write the unit, as in ${name}: ${unit.example}.`;
    diagnostics.push(diagnostic('no-unit', message, { remedy, address, position: position(placeAt(node, path)) }));
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

/** The case of a union that was probably meant. */
function guessCase(type: Json | undefined, { cases, alsoCalled = {} }: Union): string | undefined {
  if (typeof type !== 'string') return undefined;
  const called = Object.hasOwn(alsoCalled, type.toLowerCase()) ? alsoCalled[type.toLowerCase()] : undefined;
  if (called !== undefined && Object.hasOwn(cases, called)) return called;
  return closest(type, Object.keys(cases));
}

/** The remedy for a key that stands beside the map in which it belongs. */
function placeInUnion(kind: Kind, known: ReturnType<typeof writtenFields>, key: string): string | undefined {
  for (const [at, target] of known) {
    if (target.is !== 'union') continue;
    const name = Object.entries(target.union.cases).find(([, fields]) => Object.hasOwn(fields, key))?.[0];
    if (name === undefined) continue;
    return `Write it inside of ${at}:, as ${at}: { type: ${name}, ${key}: … }.`;
  }
  return undefined;
}

/** The remedy for a wrong value: the value that was probably meant or an example, and the description of the field. */
function whatItIs(written: string, schema: z.ZodType, example?: Json, advice?: string): string {
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

function capital(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
