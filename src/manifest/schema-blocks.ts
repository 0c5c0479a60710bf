import * as z from 'zod';
import type { Json } from '../formats/json.ts';
import { inUnits } from '../formats/units.ts';
import { sectionAlias, valueAliases } from '../kind/aliases.ts';
import { type Field, type Union, mayHoldSecrets, schemaOf } from '../kind/field.ts';
import type { Kind } from '../kind/kind.ts';
import type { ParentLink } from '../kind/parent.ts';
import { canBeNull, isNeededBy } from '../kind/row-values.ts';
import { caseFields, writtenFields, writtenSchema } from '../kind/written-keys.ts';
import { withOtherWords, withWords } from './schema-descriptions.ts';
import { type Schema, choice, withExpressions, withoutSecrets } from './schema-expressions.ts';
import { inLayer, orReset } from './schema-layers.ts';

/** Schemas of blocks, by their kinds. */

/** A block as it stands in a section; or a layer: what stands over a block, or is part of one. */
type Form = 'block' | 'layer';

export interface Building {
  readonly sections: (parent: string) => ReadonlyMap<string, Kind>;
  readonly definitions: Record<string, Schema>;
  readonly hasAliases: boolean;
}

/** A map that has a key. */
export function having(key: string): Schema {
  return { type: 'object', properties: { [key]: {} }, required: [key] };
}

/** The sections that stand below one kind of parent. */
export function sectionSchemas(parent: string, building: Building, form: Form = 'block'): Record<string, Schema> {
  const entries = [...building.sections(parent)].flatMap(([section, kind]) => {
    const link = kind.parents[parent];
    if (link === undefined) return [];
    const block = entrySchema(kind, link, building, form);
    const schema: Schema =
      kind.isSingle === true ? block : { description: kind.summary, type: 'object', additionalProperties: block };
    const also = building.hasAliases ? sectionAlias(section) : undefined;
    const same = also === undefined ? [] : [[also, { ...schema, description: `The same as ${section}.` }] as const];
    return [[section, schema] as const, ...same];
  });
  return Object.fromEntries(entries);
}

/** A block of a section. One with `use:` has only a part of its keys. */
function entrySchema(kind: Kind, link: ParentLink, building: Building, form: Form): Schema {
  const layer = () => definitionOf(kind, link, building, 'layer');
  if (form === 'layer') return orReset(layer());
  const block = definitionOf(kind, link, building, 'block');
  return takesTemplate(kind) ? { description: kind.summary, ...choice(having('use'), layer(), block) } : block;
}

/** A reference to the schema of a kind below one kind of parent. */
function definitionOf(kind: Kind, link: ParentLink, building: Building, form: Form): Schema {
  const { definitions } = building;
  const [parent = ''] = Object.entries(kind.parents).find(([, one]) => one === link) ?? [];
  const own = Object.keys(kind.parents).length === 1 ? kind.kind : `${kind.kind}-of-${parent}`;
  const name = form === 'block' ? own : `${own}-layer`;
  // A name that is known but not yet filled in ends the circle of kinds that stand below themselves.
  if (definitions[name] === undefined) {
    definitions[name] = {};
    definitions[name] = resourceSchema(kind, link, building, form);
  }
  return { $ref: `#/$defs/${name}` };
}

/** Whether a block of the kind may be written more than once. */
function takesTemplate({ identity, isSingle }: Kind): boolean {
  return identity.addressedByKey !== true && isSingle !== true;
}

export function resourceSchema(kind: Kind, link: ParentLink, building: Building, form: Form = 'block'): Schema {
  const { hasAliases } = building;
  const properties: Record<string, Schema> = {};
  const valueIn = form === 'block' ? (schema: Schema) => schema : inLayer;
  for (const [key, written] of writtenFields(kind, link)) {
    if (written.is === 'field') {
      if (hasAliases || written.isOther !== true)
        properties[key] = valueIn(fieldSchema(kind, written.field, hasAliases));
    } else if (written.is === 'union') properties[key] = unionSchema(kind, written.union, hasAliases, form);
    // Options are read as they stand: no expressions.
    else {
      const words = withWords(withoutSecrets(jsonSchema(written.schema)), written.words);
      const option = { ...words, ...defaultOf(written.otherwise) };
      // What is private only grows.
      properties[key] = key === 'private' && form === 'layer' ? { anyOf: [option, hole] } : valueIn(option);
    }
  }
  // A block without `use:` has no `with:`.
  if (takesTemplate(kind)) Object.assign(properties, form === 'block' ? { use: useSchemas.use } : useSchemas);
  const sections = sectionSchemas(kind.kind, building, form);
  for (const [section, schema] of Object.entries(sections))
    properties[section] = form === 'block' ? schema : orReset(schema);
  return { description: kind.summary, type: 'object', properties, additionalProperties: false };
}

/** The block of a template: what a kind takes, whichever it is. */
export function templateSchema(kinds: readonly Kind[], building: Building): Schema {
  const layers = kinds
    .filter(takesTemplate)
    .flatMap((kind) => Object.values(kind.parents).map((link) => definitionOf(kind, link, building, 'layer')));
  // The rest would hold for each block that uses it.
  const protect = { anyOf: [{ description: 'Never deleted or replaced.', type: 'boolean', const: true }, hole] };
  return {
    description: 'Keys of each block that uses the template.',
    type: 'object',
    properties: { id: { not: {} }, protect },
    anyOf: layers,
  };
}

const hole = { $ref: '#/$defs/hole' };

const argument = { anyOf: ['string', 'number', 'boolean'].map((type) => ({ type })) };

/** The keys of a block that takes what a template has. */
const useSchemas = {
  use: {
    description: 'Name of a template: the block has what the template has, and its own keys over it.',
    type: 'string',
  },
  with: {
    description: 'Values of the parameters of the template.',
    type: 'object',
    additionalProperties: { anyOf: [...argument.anyOf, { type: 'array', items: argument }] },
  },
} satisfies Record<string, Schema>;

function fieldSchema(kind: Kind, name: string, hasAliases: boolean): Schema {
  const field = kind.fields[name];
  if (field === undefined) throw new Error(`${kind.kind} has no field ${name}`);
  const written = withExpressions(withoutDescriptions(jsonSchema(writtenSchema(field))), mayHoldSecrets(field));
  const schema = hasAliases
    ? withOtherWords(withWords(written, field.words), valueAliases(name))
    : withWords(written, field.words);
  const { description } = jsonSchema(schemaOf(field));
  const canBeCleared = field.onNull === undefined ? canBeNull(kind, name) : 'value' in field.onNull;
  const { anyOf } = schema;
  const alternatives: readonly unknown[] = Array.isArray(anyOf) && Object.keys(schema).length === 1 ? anyOf : [schema];
  return {
    description: description ?? name,
    ...(canBeCleared ? { anyOf: [...alternatives, { $ref: '#/$defs/cleared' }] } : schema),
    ...defaultOf(field.atCreate ?? field.otherwise),
    examples: examplesOf(field),
  };
}

/** The value of a key that is left out, where one stands for that. */
function defaultOf(otherwise: Json | undefined): Schema {
  return otherwise === undefined || otherwise === null ? {} : { default: otherwise };
}

/** Values as people write them; of a secret, where it comes from. */
function examplesOf({ examples, secrecy, unit }: Field): readonly Json[] {
  const isSecret = secrecy === 'secret' && typeof examples[0] === 'string';
  return isSecret ? ['${secret:NAME}'] : examples.map((value) => inUnits(unit, value));
}

/** The description stands once, above the alternatives. */
function withoutDescriptions(schema: Schema): Schema {
  const { description: _, ...rest } = schema;
  const { anyOf } = rest;
  return Array.isArray(anyOf) ? { ...rest, anyOf: anyOf.map((item: Schema) => withoutDescriptions(item)) } : rest;
}

/** One case each: the word that chooses it, and its fields. A layer may leave out the word, and so have those of any. */
function unionSchema(kind: Kind, union: Union, hasAliases: boolean, form: Form): Schema {
  const isLayer = form === 'layer';
  const cases = Object.keys(union.cases).map((word) => {
    const fields = caseFields(union, word).map(([key, field]) => [key, fieldSchema(kind, field, hasAliases)] as const);
    const needed = isLayer ? [] : neededKeys(union, word);
    return {
      fields,
      schema: {
        description: union.words?.[word],
        type: 'object',
        properties: {
          type: caseSchema(union, word, hasAliases),
          ...Object.fromEntries(fields.map(([key, schema]) => [key, isLayer ? inLayer(schema) : schema])),
        },
        required: ['type', ...needed],
        additionalProperties: false,
      },
    };
  });
  const alternatives = { description: union.describe, oneOf: cases.map(({ schema }) => schema) as Schema[] };
  if (!isLayer) return alternatives;
  const byKey = new Map<string, Schema[]>();
  for (const [key, schema] of cases.flatMap(({ fields }) => fields))
    byKey.set(key, [...(byKey.get(key) ?? []), schema]);
  alternatives.oneOf.push({
    description: 'Fields of the type that stands below.',
    type: 'object',
    properties: {
      type: hole,
      ...Object.fromEntries([...byKey].map(([key, same]) => [key, inLayer(...same)])),
    },
    additionalProperties: false,
  });
  return orReset(alternatives);
}

/** The word of a case, and the word of the API document where that is another one. */
function caseSchema(union: Union, word: string, hasAliases: boolean): Schema {
  const other = hasAliases ? valueAliases(union.tag)[word] : undefined;
  const about = { description: union.words?.[word] };
  const [own, ...others] = [word, other].flatMap((one) =>
    one === undefined ? [] : [{ ...about, type: 'string', const: one }],
  );
  return others.length === 0 ? { ...own } : { ...about, anyOf: [own, ...others] };
}

/** The keys that the operation of a case cannot do without. */
function neededKeys({ cases, calls }: Union, word: string): string[] {
  const call = calls?.[word];
  const fields = Object.entries(cases[word] ?? {});
  return call === undefined ? [] : fields.flatMap(([key, field]) => (isNeededBy(call, field) ? [key] : []));
}

export function jsonSchema(schema: z.ZodType): Schema {
  const { $schema: _, $defs, ...content } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  // Only any JSON value is defined by itself; in one file its definition would clash with others, and it asks for nothing.
  return $defs === undefined ? content : (JSON.parse(JSON.stringify(content), dropReference) as Schema);
}

function dropReference(_key: string, value: unknown): unknown {
  return typeof value === 'object' && value !== null && '$ref' in value ? {} : value;
}
