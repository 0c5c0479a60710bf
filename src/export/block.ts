import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import { isCipher } from '../kind/cipher.ts';
import { means, plain } from '../kind/codecs.ts';
import { type Field, type Union, fieldBeside, mayHoldSecrets, schemaOf } from '../kind/field.ts';
import { type Json, isObject, same, textsIn } from '../formats/json.ts';
import { inUnits } from '../formats/units.ts';
import type { Kind } from '../kind/kind.ts';
import {
  isHidden,
  appendedBelow,
  canBeNull,
  fieldOf,
  fieldPath,
  isInCase,
  isNeededBy,
  observedValue,
  withoutAppended,
} from '../kind/row-values.ts';
import { type Written, writtenFields } from '../kind/written-keys.ts';
import { unsetKey } from '../manifest/unset.ts';
import { type Masking, maskAttribute, maskValue } from '../secrets/looks-secret.ts';
import { isUserName } from '../secrets/secret-names.ts';
import type { Part } from '../secrets/text-parts.ts';
import { redacted } from '../secrets/secret.ts';
import type { Remembered } from '../state/row-secrets.ts';
import type { Placed } from './place-objects.ts';
import { lastPart } from './free-names.ts';
import type { References } from './references-between.ts';
import { type Secrets, secretSpans, withSpans } from './secrets-of-export.ts';
import { type Entry, type Value, escaped, isUnstorable, plainly } from '../edit/write-yaml.ts';

/** What writing a block needs beside its object. */
export interface Writing {
  readonly secrets: Secrets;
  /** The parts of a text that the run knows as secrets. */
  readonly known: Masking['known'];
  /** What the state remembers of the secrets in an object; undefined for one that it does not have. */
  readonly remembered: (object: Placed['object']) => Remembered | undefined;
  /** Fields that are left out, by address and name: a manifest cannot hold what the platform has. */
  readonly leftOut: ReadonlyMap<string, ReadonlySet<string>>;
  readonly references: References;
  /** The ids of the project that is exported and of its organization. */
  readonly projectIds: ReadonlySet<unknown>;
  /** What a name of a kind stands for where it is written: the key of a block, else the name on the platform, else the id. */
  readonly nameOf: (kind: string, id: string) => string;
  /** Keeps a long text in a file beside the manifest; gives the path to write. */
  readonly keep: (block: Placed, name: string, text: string) => string;
  readonly notes: Diagnostic[];
}

/**
 * The lines of a block: every field that has a value, and in `unset` the names of those that have none. A value that no
 * line says is not watched: the next change of it on the platform would show nowhere.
 */
export function blockEntries(block: Placed, writing: Writing): Entry[] {
  const { object, key } = block;
  const { kind, link, row } = object;
  const { keyField } = kind.identity;
  const entries: Entry[] = [];
  const unset: string[] = [];
  if (block.isPinned)
    entries.push({ key: 'id', value: plainly(object.id), comment: 'another object has the same name' });
  const known = [...writtenFields(kind, link)];
  const isName = (target: Written) => target.is === 'field' && target.field === keyField;
  for (const [written, target] of known.toSorted(([, a], [, b]) => Number(isName(b)) - Number(isName(a)))) {
    if (target.is === 'field') {
      const { field } = target;
      if (target.isAlias === true || !isInCase(kind, field, (tag) => observedValue(kind, tag, row))) continue;
      if (field === keyField && same(observed(block, field), key)) continue;
      const isNeeded = fieldOf(kind, field).needed === true || field === keyField || isTag(kind, field);
      const value = fieldValue(block, field, writing, isNeeded);
      if (value === 'unset') unset.push(written);
      else if (value !== undefined) entries.push({ key: written, value });
    } else if (target.is === 'union') {
      const found = unionValue(block, target.union, writing);
      if (found === undefined) continue;
      entries.push({ key: written, value: found.value });
      unset.push(...found.unset.map((name) => `${written}.${name}`));
    }
  }
  if (unset.length > 0) entries.push({ key: unsetKey, value: { is: 'words', words: unset } });
  if (isWorthProtecting(block)) {
    entries.push({ key: 'protect', value: plainly(true), comment: 'never deleted or replaced' });
  }
  return entries;
}

/** Whether a field chooses the case of a union whose fields stand beside the others. */
function isTag({ unions = [] }: Kind, name: string): boolean {
  return unions.some(({ tag, at }) => tag === name && at === undefined);
}

/** Makes known the values of a block's fields that are declared secret. */
export function declareSecrets(block: Placed, secrets: Secrets): void {
  const { kind } = block.object;
  for (const [name, field] of Object.entries(kind.fields)) {
    const value = field.secrecy === 'secret' ? observed(block, name) : null;
    if (typeof value !== 'string' || value === '' || isHidden(field, value)) continue;
    secrets.declare(value, { parts: [...keysTo(block), name], place: `${block.address}: ${fieldPath(kind, name)}` });
  }
}

/** Whether the deletion of an object deletes data that it holds itself, as that of a database. */
function isWorthProtecting({ object: { kind, row, isProvided }, parent }: Placed): boolean {
  if (kind.service === undefined || isProvided) return false;
  return (
    kind.lifecycle?.dataAtRisk?.({ row, parent: parent?.object.row ?? {}, options: {}, action: 'delete' })?.of ===
    'data'
  );
}

/** The group of a union: its case, and the fields of that, those that have a value and the names of those that have none. */
function unionValue(
  block: Placed,
  union: Union,
  writing: Writing,
): { readonly value: Value; readonly unset: readonly string[] } | undefined {
  const { kind, row } = block.object;
  const type = observedValue(kind, union.tag, row);
  const { leftOut } = writing;
  if (typeof type !== 'string' || leftOut.get(block.address)?.has(union.tag) === true) return undefined;
  if (!Object.hasOwn(union.cases, type)) {
    const why = union.refused !== undefined && Object.hasOwn(union.refused, type) ? union.refused[type] : undefined;
    leave(block, writing, union.tag, `${type} cannot be declared${why === undefined ? '' : `: ${why}`}`);
    return undefined;
  }
  const call = union.calls?.[type];
  const fields = Object.values(union.cases[type] ?? {});
  const isNeeded = (name: string) =>
    fieldOf(kind, name).needed === true || (call !== undefined && isNeededBy(call, name));
  const isIncomplete = fields.some(isNeeded);
  const isUsual = type === (kind.fields[union.tag]?.otherwise ?? null);
  if ((isUsual || isIncomplete) && fields.every((name) => isAsNew(block, name))) {
    if (isIncomplete)
      leave(block, writing, union.tag, `it has no ${union.at ?? union.tag} yet; one that it gets is not drift`);
    return undefined;
  }
  const entries: Entry[] = [{ key: 'type', value: plainly(type) }];
  const unset: string[] = [];
  for (const [written, field] of Object.entries(union.cases[type] ?? {})) {
    const value = fieldValue(block, field, writing, isNeeded(field));
    if (value === 'unset') unset.push(written);
    else if (value !== undefined) entries.push({ key: written, value });
  }
  return { value: { is: 'map', entries }, unset };
}

/** Whether a field has the value that the platform gives a new object. */
function isAsNew(block: Placed, name: string): boolean {
  const field = fieldOf(block.object.kind, name);
  const value = observed(block, name);
  return value === null || isAlike(field, value, field.otherwise ?? null);
}

/** The value of a field as users write it, or that it has none; undefined when the block leaves it out. */
function fieldValue(block: Placed, name: string, writing: Writing, isNeeded: boolean): Value | 'unset' | undefined {
  const { object, address } = block;
  const { kind, row, isProvided } = object;
  if (writing.leftOut.get(address)?.has(name) === true) return undefined;
  const field = fieldOf(kind, name);
  const value = observed(block, name);
  if ((field.map !== undefined || field.secrecy !== undefined) && isCipher(value)) {
    leave(block, writing, name, 'the platform cannot decrypt the value that it stores');
    return undefined;
  }
  const { provided } = kind.lifecycle ?? {};
  if (isProvided && provided?.allows === 'update' && provided.fixed.includes(name) && !isNeeded) return undefined;
  const none = noValue(kind, name);
  if (none !== undefined && !(isNeeded && value !== null) && isNone(field, value, none))
    return observedValue(kind, name, row) === undefined ? undefined : 'unset';
  if (isHidden(field, value)) {
    leave(block, writing, name, 'the platform never shows it; write it by hand, as ${secret:…}');
    return undefined;
  }
  if (value === null) {
    if ((field.atCreate ?? field.otherwise ?? null) !== null)
      leave(block, writing, name, 'it has no value, which no block can say');
    return undefined;
  }
  if (!isNeeded && isEmpty(value) && (field.growsByItself === true || field.secrecy === 'secret')) return undefined;
  if (typeof value === 'string' && field.madeUp?.test(value) === true) return undefined;
  const written = blockValue(
    fieldBeside(field, (other) => observed(block, other)),
    value,
  );
  if (written === undefined) {
    leave(block, writing, name, 'its value is not valid in a block');
    return undefined;
  }
  if (textsIn(written).some(isUnstorable)) {
    leave(block, writing, name, 'text with the character NUL, or with half of a surrogate pair, cannot be stored');
    return undefined;
  }
  return writtenValue(block, name, inHumanUnits(field, written), writing);
}

/** A value of the platform as a block can hold it; undefined: no block can. */
export function blockValue(field: Field, value: Json): Json | undefined {
  const written = typeof value === 'string' && field.codec?.keeps !== undefined ? value.slice(0, -7) : value;
  const read = schemaOf(field).safeParse(written);
  // A text such as `2Gi` that the platform holds where it takes a number would be read as an amount.
  const isOther = field.unit !== undefined && read.success && !same(read.data, written);
  return means(field.codec ?? plain, written, value) && read.success && !isOther ? written : undefined;
}

/** An amount as people write it, where that reads back as the same number. */
export function inHumanUnits(field: Field, value: Json): Json {
  const { unit } = field;
  if (unit === undefined) return value;
  const shown = inUnits(unit, value);
  const { success, data } = schemaOf(field).safeParse(shown);
  return success && same(data, value) ? shown : value;
}

const never = (): boolean => false;

/** The value in a row, without what the platform appended; null for none. */
function observed({ object: { kind, row, parent } }: Placed, name: string): Json {
  const value = observedValue(kind, name, row) ?? null;
  return parent === undefined ? value : withoutAppended(value, appendedBelow(kind, name, parent));
}

/** The value that `null` in a block stands for; undefined where a block cannot say that a field has none. */
function noValue(kind: Kind, name: string): Json | undefined {
  const { onNull } = fieldOf(kind, name);
  if (onNull === undefined) return canBeNull(kind, name) ? null : undefined;
  return 'value' in onNull ? onNull.value : undefined;
}

/** Whether a value is none: nothing, or an empty text, list or object that means what `null` in a block stands for. */
function isNone(field: Field, value: Json, none: Json): boolean {
  return (value === null || isEmpty(value)) && isAlike(field, value, none);
}

/** Whether two values that the platform may have mean the same. */
function isAlike({ codec = plain }: Field, a: Json, b: Json): boolean {
  return means({ ...codec, keeps: never }, a, b);
}

function isEmpty(value: Json): boolean {
  if (isObject(value)) return Object.keys(value).length === 0;
  return value === '' || (Array.isArray(value) && value.length === 0);
}

/** A value with names in place of an id, or of the ids in a list, which are sorted. */
export function namedIn(value: Json, nameOf: (id: string) => string): Json {
  if (typeof value === 'string') return nameOf(value);
  if (!Array.isArray(value)) return value;
  return [...new Set(value.map((id: Json) => nameOf(String(id))))].toSorted((a, b) => (a < b ? -1 : 1));
}

function writtenValue(block: Placed, name: string, value: Json, writing: Writing): Value | undefined {
  const { kind } = block.object;
  const field = fieldOf(kind, name);
  if (field.secrecy === 'secret') return secretValue(value, [name], block, writing);
  // People see in the dashboard what objects are found by.
  const isKey = naturalKey(block).includes(name);
  const held = isKey ? undefined : writing.remembered(block.object);
  if (held?.changed.has(name) === true) {
    leave(block, writing, name, 'a secret flowed into it, and where it stands in the changed text is not known');
    return undefined;
  }
  const known = isKey ? undefined : knownWith(held, writing.known);
  const { refersTo } = field;
  if (refersTo !== undefined) {
    return plainly(namedIn(value, (id) => writing.nameOf(refersTo, id)));
  }
  if (Array.isArray(value) && field.growsByItself === true) return idList(block, name, value, writing);
  const how = textsOf(block, name, { writing, known });
  if (field.secrecy === undefined) {
    const shown = maskAttribute({ field, attribute: { field: name } }, value, undefined, known);
    if (!same(shown, value) && !mayHoldSecrets(field)) {
      const why = 'it is a secret, or looks like one, and the field takes no ${secret:…}; write it by hand';
      leave(block, writing, name, why);
      return undefined;
    }
    if (typeof value !== 'string' && same(shown, value)) return withReferences(value, block, writing);
    if (typeof value !== 'string' || !same(shown, value)) return openValue(value, shown, name, how);
  }
  if (typeof value !== 'string') return plainly(value);
  const map = asMap(field, value);
  if (map !== undefined) {
    const entries = [...map].map(([key, text]): Entry => ({ key, value: variable(key, text, how) }));
    return { is: 'map', entries };
  }
  return textValue(block, name, value, { writing, how });
}

/** The ids in a list of a person that stand for blocks, or for the project. */
function idList(block: Placed, name: string, ids: readonly Json[], writing: Writing): Value | undefined {
  const items = ids.flatMap((id): Value[] => {
    const reference = writing.references.toId(String(id), block);
    if (reference !== undefined) return [{ is: 'expression', text: reference }];
    // What the lists of a person hold of other projects changes with those, and no other platform knows the ids.
    return writing.projectIds.has(id) ? [plainly(id)] : [];
  });
  const others = ids.length - items.length;
  if (others > 0) leave(block, writing, name, `ids that have no block here are not written, and stay (${others})`);
  if (items.length === 0) return undefined;
  return { is: 'list', items: items.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) };
}

/** A value in which the ids of objects that have blocks are references. */
function withReferences(value: Json, block: Placed, writing: Writing): Value {
  if (Array.isArray(value)) {
    const items = value.map((item: Json) => withReferences(item, block, writing));
    return items.every(({ is }) => is === 'plain') ? plainly(value) : { is: 'list', items };
  }
  if (isObject(value)) {
    const entries = Object.entries(value).map(([key, item]) => ({ key, value: withReferences(item, block, writing) }));
    return entries.every((entry) => entry.value.is === 'plain') ? plainly(value) : { is: 'map', entries };
  }
  const reference = typeof value === 'string' ? writing.references.toId(value, block) : undefined;
  return reference === undefined ? plainly(value) : { is: 'expression', text: reference };
}

/** How the parts of a text of a field are written. */
function textsOf(
  block: Placed,
  name: string,
  { writing: { secrets, references }, known }: { readonly writing: Writing; readonly known: Masking['known'] },
): Texts {
  const { kind } = block.object;
  const isMap = fieldOf(kind, name).map !== undefined;
  const path = fieldPath(kind, name);
  return {
    nameOf: (secret, key) => {
      const place = `${block.address}: ${isMap ? `${path}.${key}` : path}`;
      return secrets.nameOf(secret, { parts: [...keysTo(block), key], place });
    },
    plainly: (text) => references.inText(text, block, isMap ? 'host' : undefined),
    known,
  };
}

/** A text, with expressions in place of its secrets and of names of services; a long one in a file. */
function textValue(
  block: Placed,
  name: string,
  value: string,
  { writing, how }: { readonly writing: Writing; readonly how: Texts },
): Value {
  const { savedAs, secrecy, map } = fieldOf(block.object.kind, name);
  const isMap = map !== undefined;
  const plain = isMap || !value.includes('\n') ? how.plainly : escaped;
  const spans = secrecy === undefined ? [] : secretSpans(value, { known: how.known, isEnv: isMap });
  const written = withSpans(value, spans, { ...how, plainly: plain });
  if (written !== escaped(value)) return { is: 'expression', text: written };
  if (savedAs === undefined || !isLong(value)) return plainly(value);
  const file = typeof savedAs === 'string' ? savedAs : lastPart(String(observed(block, savedAs.field) ?? name));
  return { is: 'expression', text: `\${file:${writing.keep(block, file, value)}}` };
}

/** The parts of a text of an object that the run knows as secrets, or that came from one. */
function knownWith(held: Remembered | undefined, known: Masking['known']): Masking['known'] {
  const byLine = new Map((held?.lines ?? []).map((one) => [one.line, one]));
  if (byLine.size === 0) return known;
  return (text) => {
    let at = 0;
    const found = text.split('\n').flatMap((line): Part[] => {
      const { from = 0, to = 0 } = byLine.get(line) ?? {};
      const start = at;
      at += line.length + 1;
      return to > from ? [[start + from, start + to]] : [];
    });
    return [...(known?.(text) ?? []), ...found];
  };
}

/** The fields by which an object is found. */
function naturalKey({ object: { kind, row } }: Placed): readonly string[] {
  const { key } = kind.identity;
  return typeof key === 'function' ? key((name) => observedValue(kind, name, row) ?? undefined) : key;
}

/** How the parts of a text are written. */
type Texts = Parameters<typeof withSpans>[2] & Pick<Writing, 'known'>;

/** Whether a text makes a manifest hard to read. */
function isLong(text: string): boolean {
  return text.length > 600 || text.split('\n').length > 12;
}

/** The variables of an env text that are all that it says; undefined for a text with comments or other lines. */
function asMap(field: Field, text: string): ReadonlyMap<string, string> | undefined {
  const map = field.map?.read(text);
  if (map === undefined || map.size === 0) return undefined;
  const lines = text.split(/\r\n|\r|\n/).filter((line) => line.trim() !== '');
  const isPlain = lines.length === map.size && lines.every((line) => /^\s*[\w.-]+\s*=/.test(line) && !/\s#/.test(line));
  return isPlain && field.map?.write(map).refused.length === 0 ? map : undefined;
}

/** One variable: a secret as a whole, or the parts of it that are. */
function variable(key: string, text: string, how: Texts): Value {
  const { known } = how;
  const shown = maskValue(key, text, { known });
  if (shown === text) {
    if (/^(?:0|[1-9]\d{0,14})$/.test(text)) return plainly(Number(text));
    if (/^(?:true|false)$/.test(text)) return plainly(text === 'true');
    const written = how.plainly(text);
    return written === escaped(text) ? plainly(text) : { is: 'expression', text: written };
  }
  if (shown === redacted) return { is: 'expression', text: `\${secret:${how.nameOf(text, key)}}` };
  const spans = secretSpans(text, { known }).map((span) => ({ ...span, key }));
  return { is: 'expression', text: withSpans(text, spans, how) };
}

/** A value of a field that is meant to be seen, in which an address may hold a password all the same. */
function openValue(value: Json, shown: Json, name: string, how: Texts): Value {
  if (same(value, shown)) return plainly(value);
  if (typeof value === 'string') {
    if (shown === redacted) return { is: 'expression', text: `\${secret:${how.nameOf(value, name)}}` };
    const spans = secretSpans(value, { isOpen: true, known: how.known }).map((span) => ({ ...span, key: name }));
    return { is: 'expression', text: withSpans(value, spans, { ...how, plainly: escaped }) };
  }
  if (Array.isArray(value) && Array.isArray(shown)) {
    const masked = shown as readonly Json[];
    const items = (value as readonly Json[]).map((item, at) => openValue(item, masked[at] ?? null, name, how));
    return { is: 'list', items };
  }
  if (!isObject(value) || !isObject(shown)) return plainly(value);
  const entries = Object.entries(value).map(([key, item]) => ({
    key,
    value: openValue(item, shown[key] ?? null, key, how),
  }));
  return { is: 'map', entries };
}

/** A secret, or the secrets in a value of several members. */
function secretValue(value: Json, path: readonly string[], block: Placed, writing: Writing): Value {
  if (typeof value === 'string' && value !== '') {
    const place = `${block.address}: ${[fieldPath(block.object.kind, path[0] ?? ''), ...path.slice(1)].join('.')}`;
    const name = writing.secrets.nameOfField(value, { parts: [...keysTo(block), ...path], place });
    return { is: 'expression', text: `\${secret:${name}}` };
  }
  if (Array.isArray(value)) {
    const items = (value as readonly Json[]).map((item, at) =>
      secretValue(item, [...path, String(at + 1)], block, writing),
    );
    return { is: 'list', items };
  }
  if (!isObject(value)) return plainly(value);
  const entries = Object.entries(value).map(([key, item]) => ({
    key,
    value: isUserName(key) ? plainly(item) : secretValue(item, [...path, key], block, writing),
  }));
  return { is: 'map', entries };
}

/** The keys of a block and of those around it. */
export function keysTo(block: Placed): string[] {
  return [...(block.parent === undefined ? [] : keysTo(block.parent)), block.key];
}

function leave(block: Placed, { notes }: Writing, name: string, why: string): void {
  const { kind } = block.object;
  notes.push(diagnostic('not-exported', `${fieldPath(kind, name)}: ${why}`, { address: block.address }));
}
