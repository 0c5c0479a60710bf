import { closest } from '../diagnostics/closest.ts';
import { withArticle } from '../diagnostics/article.ts';
import { type Json, isObject } from '../formats/json.ts';
import { toJson } from '../formats/yaml-node.ts';
import { resolveCase } from '../kind/aliases.ts';
import { type Union, fieldBeside } from '../kind/field.ts';
import type { Kind } from '../kind/kind.ts';
import { fieldOf, fieldPath, isNeededBy } from '../kind/row-values.ts';
import { type Written, caseFields, mergeOption, writtenFields } from '../kind/written-keys.ts';
import { createOnlyIn } from './create-only.ts';
import { type Evaluation, evaluate } from './evaluate-expressions.ts';
import { expressionIn, notInKeys } from './expression.ts';
import { type FieldEvaluation, type FieldValue, checked, readField } from './fields.ts';
import { alternatives, shown, shownKey } from './problem.ts';
import { type OptionValue, readOption } from './read-option.ts';
import type { Report } from './report-at.ts';
import type { Block, Resource } from './resource.ts';
import { sectionInstead } from './short-blocks.ts';
import { takes, unionInstead, valueInstead } from './short-value.ts';
import { type Entry, type MapNode, type Node, type Place, isEmpty } from './tree.ts';
import { pageOf, remedyForKey } from './unknown-key.ts';
import { type Wanted, asWritten, checkedValue, constant, knownValue } from './wanted.ts';

/** What the kinds know about the place of a block. */
interface BlockPlace {
  /** The sections that can stand in it. */
  readonly sections: ReadonlyMap<string, Kind>;
  /** The remedy for a section that cannot stand in it, and can elsewhere. */
  readonly placeOf: (section: string) => string | undefined;
}

/** A block while it is read. */
interface Reading {
  readonly kind: Kind;
  readonly place: BlockPlace;
  /** The keys of the block that mean something. */
  readonly keys: ReadonlyMap<string, Written>;
  /** The key that each field was written by, in the block or in the map of a union. */
  readonly writtenAs: Map<string, string>;
  /** What a `!reset` took out, by the paths of keys. */
  readonly resets: Map<string, Place>;
  readonly evaluation: FieldEvaluation;
}

/** The keys of a block, or of the map of one of its unions. */
interface Group {
  readonly keys: ReadonlyMap<string, Written>;
  /** What stands before each key in messages: nothing, or `source.`. */
  readonly prefix: string;
}

/** What one key of a block says. */
type Declared = FieldValue | OptionValue;

/** Reads the keys of one block: names, types, nulls and expressions are checked; problems are reported to the evaluation. */
export function readResource(block: Block, place: BlockPlace, evaluation: Evaluation): Resource {
  const { kind, key, at, parent, link, address } = block;
  const keys = writtenFields(kind, link);
  const privateKeys = privateNames(block, keys);
  const reading = {
    kind,
    place,
    keys,
    writtenAs: new Map<string, string>(),
    resets: new Map(block.resets),
    evaluation: { ...evaluation, privateKeys },
  };
  const fields: Record<string, Wanted> = {};
  const maps: Record<string, ReadonlyMap<string, Wanted>> = {};
  const options: Record<string, Json> = {};
  let isConcealed = false;
  for (const declared of readGroup(block.entries, { keys, prefix: '' }, reading)) {
    if (declared.is === 'field') fields[declared.name] = declared.wanted;
    else if (declared.is === 'map') maps[declared.name] = declared.entries;
    else {
      options[declared.name] = declared.value;
      isConcealed ||= declared.isConcealed;
    }
  }
  refuseOtherCases(block, fields, maps, evaluation.report);
  const createOnly = createOnlyIn(block, { writtenAs: reading.writtenAs, maps }, evaluation.report);
  const { keyField } = kind.identity;
  if (keyField !== undefined && fields[keyField] === undefined) {
    const node: Node = { is: 'scalar', value: key, source: key, at };
    // No block calls its key private.
    const unmarked = { ...evaluation, privateKeys: new Set<string>() };
    fields[keyField] = checked(constant(key, at), keyField, fieldOf(kind, keyField), node, unmarked);
  }
  const { id, allow, probe, private: _private, unset: _unset, after: _after, ...more } = options;
  const { createOnly: _createOnly, ...others } = more;
  const merge = mergeOption(kind);
  const mapMode = merge === undefined ? undefined : (others[merge.name] ?? merge.otherwise);
  if (merge !== undefined && mapMode === merge.otherwise) delete others[merge.name];
  return {
    address,
    kind,
    key,
    parent,
    link,
    at,
    fields,
    maps: orNone(maps),
    mapMode: mapMode === 'merge' ? 'merge' : 'own',
    options: orNone(others),
    createOnly,
    pinned: typeof id === 'string' ? id : undefined,
    allows: isObject(allow) ? new Map(Object.entries(allow).map(([code, why]) => [code, String(why)])) : undefined,
    // Only a probe takes expressions.
    probe: isObject(probe) ? { ...probe, isConcealed } : undefined,
    privateKeys: privateKeys.size === 0 ? undefined : privateKeys,
    resets: reading.resets.size === 0 ? undefined : reading.resets,
  };
}

/** Of almost every block: all of those share one map. */
const none: Readonly<Record<string, never>> = {};

function orNone<T>(members: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.keys(members).length === 0 ? none : members;
}

/** Reads the keys of a group in their order. What is refused is reported, and not among them. */
function readGroup(entries: MapNode['entries'], group: Group, reading: Reading): Declared[] {
  const { prefix } = group;
  const { writtenAs } = reading;
  return [...entries].flatMap(([key, entry]): readonly Declared[] => {
    const target = group.keys.get(key);
    if (target === undefined) {
      if (prefix !== '' || !reading.place.sections.has(key)) reportUnknown(key, entry, group, reading);
      return [];
    }
    if (target.is === 'option') return readOption(key, target, entry.node, reading.evaluation);
    if (target.is === 'union') return readUnion(key, target.union, entry.node, reading);
    const [other, name] = [writtenAs.get(target.field), `${prefix}${key}`];
    writtenAs.set(target.field, name);
    if (other !== undefined) {
      const message = `${name} and ${other} are the same field`;
      reading.evaluation.report('defined-twice', message, entry.keyAt, 'Keep one of the two.');
      return [];
    }
    const written = target.isOther === true ? fieldPath(reading.kind, target.field) : name;
    const field = fieldBeside(fieldOf(reading.kind, target.field), (one) => valueIn(entries, one, group, reading));
    const value = readField(reading.kind, { name: target.field, written, field }, entry.node, reading.evaluation);
    return value === undefined ? [] : [value];
  });
}

/** The value of a field in the entries of a group, which is read by itself; null for none, undefined while it is not known. */
function valueIn(
  entries: MapNode['entries'],
  field: string,
  { keys }: Group,
  { evaluation }: Reading,
): Json | undefined {
  const entry = [...entries].find(([key]) => fieldNamed(keys.get(key)) === field)?.[1];
  if (entry === undefined) return null;
  return checkedValue(evaluate(entry.node, { ...evaluation, report: () => {}, size: { characters: 0 } }).wanted);
}

/** Reads the map of a union: its case, and the fields of that. */
function readUnion(at: string, union: Union, node: Node, reading: Reading): readonly Declared[] {
  const { report, privateKeys } = reading.evaluation;
  if (node.is !== 'map') {
    const remedy = unionInstead(reading.kind, union, node, { privateKeys });
    report('wrong-type', `${at} must be a map`, node.at, remedy ?? `Write ${at}: { type: …, … }.`);
    return [];
  }
  for (const [key, place] of node.resets ?? []) reading.resets.set(`${at}.${key}`, place);
  const type = caseIn(at, union, node, report);
  if (type === undefined) return [];
  const fields = caseFields(union, type);
  const keys = [['type', union.tag] as const, ...fields];
  const group = new Map(keys.map(([key, field]) => [key, { is: 'field', field } as const]));
  const declared = readGroup(node.entries, { keys: group, prefix: `${at}.` }, reading);
  const call = union.calls?.[type];
  for (const [key, field] of call === undefined ? [] : fields) {
    if (call === undefined || node.entries.has(key) || !isNeededBy(call, field)) continue;
    const message = `${at}.${key} is missing: the platform needs it for ${type}`;
    report('cannot-create', message, node.resets?.get(key) ?? node.at, `Write ${at}.${key}.`);
  }
  return declared;
}

/** The case of a union that its map chooses; undefined for none that there is, which is reported. */
function caseIn(at: string, union: Union, { entries, resets, at: place }: MapNode, report: Report): string | undefined {
  const { cases, refused = {}, describe } = union;
  const tag = entries.get('type')?.node;
  const names = Object.keys(cases);
  if (tag === undefined) {
    const others = [...entries.keys()];
    const fitting = names.filter((name) => others.every((key) => Object.hasOwn(cases[name] ?? {}, key)));
    const [only] = others.length > 0 && fitting.length === 1 ? fitting : [];
    const remedy = `Write ${at}: { type: ${only ?? '…'}, … }; the types are ${names.join(', ')}.`;
    report('wrong-type', `${at}.type is missing`, resets?.get('type') ?? place, remedy);
    return undefined;
  }
  const written = toJson(tag);
  const type = typeof written === 'string' ? resolveCase(union, written) : undefined;
  if (type !== undefined && Object.hasOwn(cases, type)) return type;
  if (type !== undefined && Object.hasOwn(refused, type)) {
    report('inconsistent', `${at}.type cannot be ${type}: ${refused[type] ?? ''}`, tag.at);
    return undefined;
  }
  const guess = guessCase(written, union);
  const remedy = guess === undefined ? `Write one of these. ${describe}` : `Did you mean ${guess}?`;
  report('wrong-type', `${at}.type must be ${alternatives(names)}, got ${shown(written)}`, tag.at, remedy);
  return undefined;
}

/** Reports a key that stands where none has its name. */
function reportUnknown(key: string, { keyAt, node }: Entry, { keys, prefix }: Group, reading: Reading): void {
  const { kind, place, evaluation } = reading;
  const expression = expressionIn(key);
  if (expression !== undefined) {
    const remedy = 'Write the name of the key itself: expressions work in values.';
    evaluation.report('bad-expression', notInKeys(expression), keyAt, remedy);
    return;
  }
  const isInBlock = prefix === '';
  const { hints = {} } = kind.checks ?? {};
  const hint = isInBlock && Object.hasOwn(hints, key) ? hints[key] : undefined;
  const sections = isInBlock ? place.sections : new Map<string, Kind>();
  const own = [...keys].flatMap(([name, is]) => (is.is === 'field' && is.isOther === true ? [] : [name]));
  const remedy =
    hint ??
    remedyForKey(key, {
      keys: [...own, ...sections.keys()],
      sections,
      elsewhere: (word) => (isInBlock ? (placeInUnion(kind, reading.keys, word) ?? place.placeOf(word)) : undefined),
      instead: (meant) => valueBelow(meant, node, { keys, sections }, reading),
      page: pageOf(kind),
      isEmpty: isEmpty(node),
    });
  const what = isInBlock ? kind.kind : `${kind.kind} with this ${prefix}type`;
  const message = `${withArticle(what)} has no key ${prefix}${shownKey(key, isEmpty(node))}`;
  evaluation.report('unknown-key', message, keyAt, remedy);
}

/** The remedy for the value of a mistyped key, in a form that the key takes which was meant; undefined: it has one. */
function valueBelow(
  meant: string,
  node: Node,
  { keys, sections }: Pick<Group, 'keys'> & Pick<BlockPlace, 'sections'>,
  { kind, evaluation: { privateKeys } }: Reading,
): string | undefined {
  if (isEmpty(node)) return undefined;
  const section = sections.get(meant);
  if (section !== undefined) {
    const link = section.parents[kind.kind];
    const isWritten = node.is === 'map' && [...node.entries.values()].every((one) => one.node.is === 'map');
    if (link === undefined || isWritten) return undefined;
    return sectionInstead(meant, node, { kind: section, link, above: kind });
  }
  const target = keys.get(meant);
  if (target?.is !== 'field') return undefined;
  const field = fieldOf(kind, target.field);
  return takes(field, node) ? undefined : valueInstead(meant, field, node, { privateKeys });
}

/**
 * The keys and fields that a block calls private, a field by each of its names; none where they are written wrongly, which is
 * reported.
 */
function privateNames({ entries }: Block, known: ReadonlyMap<string, Written>): ReadonlySet<string> {
  const entry = entries.get('private');
  if (entry === undefined) return new Set();
  const written = toJson(entry.node);
  if (!Array.isArray(written)) return new Set();
  const names = written.filter((name) => typeof name === 'string');
  const fields = new Set(names.flatMap((name) => fieldNamed(known.get(name)) ?? []));
  const others = [...known].flatMap(([key, target]) => (fields.has(fieldNamed(target) ?? '') ? [key] : []));
  return new Set([...names, ...fields, ...others]);
}

function fieldNamed(target: Written | undefined): string | undefined {
  return target?.is === 'field' ? target.field : undefined;
}

/** A field of another case of a union that stands beside the others contradicts the case that was chosen. */
function refuseOtherCases(
  block: Block,
  fields: Readonly<Record<string, Wanted>>,
  maps: Readonly<Record<string, unknown>>,
  report: Report,
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
      const remedy = isOpen
        ? `Remove ${name}, or write another ${union.tag}: this one takes ${chosen.join(', ')}.`
        : `Remove ${name}, or correct ${String(tag)}.`;
      const message = `${name} does not go with ${union.tag}: ${String(tag)}`;
      report('inconsistent', message, wanted?.at ?? block.at, remedy);
    }
  }
}

/** The case of a union that was probably meant. */
function guessCase(type: Json | undefined, { cases, alsoCalled = {} }: Union): string | undefined {
  if (typeof type !== 'string') return undefined;
  const called = Object.hasOwn(alsoCalled, type.toLowerCase()) ? alsoCalled[type.toLowerCase()] : undefined;
  if (called !== undefined && Object.hasOwn(cases, called)) return called;
  return closest(type, Object.keys(cases));
}

/** The remedy for a key that stands beside the map in which it belongs. */
function placeInUnion(kind: Kind, known: ReadonlyMap<string, Written>, key: string): string | undefined {
  for (const [at, target] of known) {
    if (target.is !== 'union') continue;
    const name = Object.entries(target.union.cases).find(([, fields]) => Object.hasOwn(fields, key))?.[0];
    if (name === undefined) continue;
    return `Write it inside of ${at}:, as ${at}: { type: ${name}, ${key}: … }.`;
  }
  return undefined;
}
