import * as z from 'zod';
import { fieldAlias, valueAliases } from '../../src/kind/aliases.ts';
import { endpointOf, requiredMembers } from '../../src/api/contract.ts';
import { idSet, pathPatterns, suffixed } from '../../src/kind/codecs.ts';
import type { Field, Union } from '../../src/kind/field.ts';
import { schemaOf } from '../../src/kind/field.ts';
import type { Kind } from '../../src/kind/kind.ts';
import { canBeNull, fieldOf, fieldPath, isNeededBy, keyDefault, takes } from '../../src/kind/row-values.ts';
import { caseFields } from '../../src/kind/written-keys.ts';
import { routesOf } from './kind-calls.ts';
import { kindNamed, linkTo } from './kind-place.ts';
import { code, enumerate, inDocument, table } from './markdown.ts';
import { schemaWords } from './schema-words.ts';

/** The tables of the keys that a block of a kind can have: its own, then one per case of each choice. */
export function renderKeys(kind: Kind, kinds: readonly Kind[]): string[] {
  const grouped = (kind.unions ?? []).filter((union) => union.at !== undefined);
  const elsewhere = new Set(
    grouped.flatMap((union) => [union.tag, ...Object.values(union.cases).flatMap(Object.values)]),
  );
  // What every parent sets by itself, nobody can write.
  const links = Object.values(kind.parents);
  const own = Object.keys(kind.fields).filter(
    (name) => !elsewhere.has(name) && links.some(({ set }) => !Object.hasOwn(set, name)),
  );
  return [
    keyTable(
      kind,
      kinds,
      own.map((name) => ({ written: fieldPath(kind, name), name })),
    ),
    ...grouped.flatMap((union) => renderUnion(kind, union, kinds)),
  ];
}

interface Key {
  readonly written: string;
  readonly name: string;
  /** The case that it belongs to. */
  readonly of?: { readonly union: Union; readonly word: string };
}

function renderUnion(kind: Kind, union: Union, kinds: readonly Kind[]): string[] {
  const { at = '', cases, calls, refused = {}, describe, tag } = union;
  const field = fieldOf(kind, tag);
  return [
    `### ${code(`${at}:`)}`,
    `${describe} ${code(`${at}.type`)} is ${enumerate(
      Object.keys(cases).map((word) => code(word) + inDocument(maybeCode(valueAliases(tag)[word]))),
      'or',
    )}. When created: ${atCreation(kind, { name: tag }, field)}. When changed: ${onChange(kind, field)}.`,
    ...Object.entries(refused).map(([word, why]) => `${code(`type: ${word}`)} cannot be declared: ${why}.`),
    ...Object.keys(cases).flatMap((word) => {
      const call = calls?.[word];
      const carried = call === undefined ? '' : ` (${code(call)})`;
      const keys = caseFields(union, word).map(([written, name]) => ({
        written: `${at}.${written}`,
        name,
        of: { union, word },
      }));
      return [
        `#### ${code(`${at}.type: ${word}`)}${carried}`,
        keys.length === 0 ? 'No other keys.' : keyTable(kind, kinds, keys),
      ];
    }),
  ];
}

function keyTable(kind: Kind, kinds: readonly Kind[], keys: readonly Key[]): string {
  const isMade = kind.operations.create !== undefined;
  const head = ['key', 'what it is', 'type', ...(isMade ? ['when created'] : []), 'when changed', '`null`'];
  return table(
    head,
    keys.map((key) => {
      const field = fieldOf(kind, key.name);
      return [
        [key.written, field.alsoWritten ?? []].flat().map(code).join(' or ') +
          inDocument(key.of === undefined ? maybeCode(fieldAlias(key.name)) : undefined),
        about(kind, kinds, key, field),
        field.map === undefined ? schemaWords(schemaOf(field)) + otherWords(key.name, field) : 'map of text, or text',
        ...(isMade ? [atCreation(kind, key, field)] : []),
        onChange(kind, field),
        onNull(kind, key.name, field),
      ];
    }),
  );
}

function maybeCode(name: string | undefined): string | undefined {
  return name === undefined ? undefined : code(name);
}

/** The words of a value that the API document has others for. */
function otherWords(name: string, field: Field): string {
  const schema = schemaOf(field);
  const item = schema instanceof z.ZodArray ? schema.element : schema;
  const members = item instanceof z.ZodObject ? Object.keys(item.shape) : [];
  const pairs = [
    ...Object.entries(valueAliases(name)).filter(([word]) => schema.safeParse(word).success),
    ...members.flatMap((member) => {
      const other = fieldAlias(member);
      return other === undefined ? [] : [[member, other] as const];
    }),
  ];
  const words = pairs.map(([word, other]) => `${code(word)} is ${code(other)}`);
  return words.length === 0 ? '' : `; in the API document ${enumerate(words)}`;
}

function about(kind: Kind, kinds: readonly Kind[], { name }: Key, field: Field): string {
  const { description = '' } = schemaOf(field);
  const notes = [
    ...casesBeside(kind, name),
    ...(field.refersTo === undefined ? [] : [`Refers to ${linkTo(kindNamed(field.refersTo, kinds))}.`]),
    ...(field.codec === suffixed ? ['Compared without what the platform adds.'] : []),
    ...(field.codec === idSet ? ['Its order does not count.'] : []),
    ...(field.codec === pathPatterns ? ['Its order does not count, unless one begins with `!`.'] : []),
    ...(field.growsByItself === true ? ['The platform adds to it by itself.'] : []),
    ...(field.secrecy === 'secret' ? ['**Secret:** never shown; the state keeps a digest.'] : []),
    ...(field.secrecy === 'private' ? [mayHoldSecrets] : []),
    ...(field.takesSecrets === true ? ['May hold `${secret:…}`.'] : []),
    ...onlyBelow(kind, name),
  ];
  return [description, ...notes].join(' ');
}

const mayHoldSecrets =
  '**May hold secrets:** plans show what git shows, and [`(sensitive)`](../secrets.md#which-values-a-plan-shows) for the rest.';

/** The cases of a choice that stands beside the other keys, of which a field belongs to one. */
function casesBeside(kind: Kind, name: string): string[] {
  return (kind.unions ?? []).flatMap(({ at, tag, cases }) => {
    if (at !== undefined) return [];
    const words = Object.keys(cases).filter((word) => Object.values(cases[word] ?? {}).includes(name));
    return words.length === 0
      ? []
      : [
          `Only with ${enumerate(
            words.map((word) => code(`${tag}: ${word}`)),
            'or',
          )}.`,
        ];
  });
}

/** The parents below which a field can be written, where that is not all. */
function parentsWith(kind: Kind, name: string): readonly string[] {
  return Object.entries(kind.parents).flatMap(([parent, { set, lacks = [] }]) =>
    Object.hasOwn(set, name) || lacks.includes(name) ? [] : [parent],
  );
}

function onlyBelow(kind: Kind, name: string): string[] {
  const parents = parentsWith(kind, name);
  return parents.length === Object.keys(kind.parents).length ? [] : [`Only below ${enumerate(parents)}.`];
}

function atCreation(kind: Kind, { name, of }: Pick<Key, 'name' | 'of'>, field: Field): string {
  const { create } = kind.operations;
  if (name === kind.identity.keyField && kind.isTop !== true) return 'the key of the block, when left out';
  if (field.fromParent !== undefined) return `required, unless its parent has a ${code(field.fromParent)}`;
  const call = of?.union.calls?.[of.word];
  const isRequired =
    field.needed === true ||
    (create !== undefined && requiredMembers(create).includes(name)) ||
    (call !== undefined && isNeededBy(call, name));
  if (isRequired) return 'required';
  const isInKey = typeof kind.identity.key !== 'function' && kind.identity.key.includes(name);
  const fallback = field.atCreate ?? (isInKey ? keyDefault(kind, name) : null) ?? contractDefault(kind, name);
  return fallback === undefined ? 'optional' : `${code(JSON.stringify(fallback))} when left out`;
}

function contractDefault(kind: Kind, name: string): unknown {
  const { create } = kind.operations;
  const member = create !== undefined && takes(create, name) ? endpointOf(create).input.shape[name] : undefined;
  const parsed = (member as { safeParse(value: unknown): { data?: unknown } } | undefined)?.safeParse(undefined);
  return parsed?.data;
}

function onChange(kind: Kind, field: Field): string {
  const { onChange: how = 'write', rowOnly, appliesAt } = field;
  const drift =
    rowOnly === true ? '; changed on the platform, it is written back there, and what runs keeps its first value' : '';
  if (how === 'replace') return `a new object replaces the old one${drift}`;
  if (typeof how === 'object' && 'refuse' in how) return `refused: ${how.refuse}${drift}`;
  const { calls, notes } = routesOf(field);
  if (calls.length > 0) {
    const through = enumerate(
      calls.map(({ call }) => code(call)),
      'or',
    );
    return [`in place, through ${through}`, ...notes.map((note) => `else written only: ${note}`)].join('; ');
  }
  const beyond = field.needsNewObject === undefined ? '' : '; what an update cannot carry, in a new object';
  if (appliesAt === undefined) return `in place${beyond}`;
  const atOnce = Object.keys(kind.parents).filter((parent) => kind.parents[parent]?.atOnce === true);
  return `in place, next deployment${beyond}${atOnce.length === 0 ? '' : ` (below ${enumerate(atOnce)}: at once)`}`;
}

function onNull(kind: Kind, name: string, field: Field): string {
  if (field.onNull !== undefined)
    return 'value' in field.onNull
      ? `writes ${code(JSON.stringify(field.onNull.value))}`
      : `refused: ${field.onNull.refuse}`;
  return canBeNull(kind, name) ? 'clears it' : 'refused';
}
