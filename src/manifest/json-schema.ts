import { sectionAlias, valueAliases } from '../kind/aliases.ts';
import * as z from 'zod';
import { type Field, type Union, mayHoldSecrets, schemaOf } from '../kind/field.ts';
import type { ParentLink } from '../kind/parent.ts';
import type { Json } from '../formats/json.ts';
import { type Kind, root } from '../kind/kind.ts';
import { topOf, withTop } from '../kind/top.ts';
import { inUnits } from '../formats/units.ts';
import { canBeNull, isNeededBy } from '../kind/row-values.ts';
import { caseFields, writtenFields, writtenSchema } from '../kind/written-keys.ts';
import { environmentKey } from './assemble/environment.ts';
import { sectionsOf } from './blocks.ts';
import { expressionSources } from './sources/all.ts';
import { described, withOtherWords, withWords } from './schema-descriptions.ts';
import { type Schema, expressionSchemas, withExpressions, withoutSecrets } from './schema-expressions.ts';
import { includedKeys, neededSettings, settingsShape } from './settings-shape.ts';

interface SchemaOptions {
  readonly sources?: typeof expressionSources;
  readonly hasAliases?: boolean;
}

/**
 * The JSON Schema (draft 2020-12) of manifests and of the files they include, for editors. It accepts whatever Trueup
 * accepts; without `hasAliases`, of two words for one thing only that of Dokploy.
 *
 * @throws {Error} when a kind names a field that it does not declare.
 */
export function manifestSchema(
  kinds: readonly Kind[],
  { sources = expressionSources, hasAliases = true }: SchemaOptions = {},
): Schema {
  const definitions: Record<string, Schema> = {
    ...expressionSchemas(sources),
    cleared: { description: 'Clears the field on the platform.', type: 'null' },
  };
  const top = topOf(withTop(kinds));
  const link = top?.parents[root];
  // Its sections stand beside it.
  if (top !== undefined && link !== undefined)
    definitions[top.kind] = topSchema(top, link, { definitions, hasAliases });
  const building = { sections: sectionsOf(kinds), definitions, hasAliases };
  const settings = Object.entries(settingsShape).map(
    ([name, schema]) =>
      [
        name,
        withBlock(jsonSchema(schema), name === top?.section || name === environmentKey ? name : undefined),
      ] as const,
  );
  const rootOnly = settings.map(([name]) => name).filter((name) => !includedKeys.includes(name));
  const required = rootOnly.filter((name) => neededSettings.has(name));
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    // A name, not an address: editors need no network for it.
    $id: 'urn:trueup:manifest:1',
    title: 'Trueup manifest',
    ...described({
      description: 'What a deployment platform is to have: settings, and resources by section and name.',
      type: 'object',
      properties: {
        ...Object.fromEntries(settings),
        ...sectionSchemas(root, building),
        // With `environment:` they stand at the top.
        ...sectionSchemas(environmentKey, building),
      },
      dependentSchemas: { trueup: { anyOf: ['project', 'include'].map(having) } },
      // An included file has none of these; the manifest itself has all that are required.
      dependentRequired: Object.fromEntries(
        rootOnly.map((name) => [name, required.filter((other) => other !== name)] as const),
      ),
      patternProperties: {
        '^x-': { description: 'A fragment with an anchor (&name) that the rest of the file uses (*name).' },
      },
      additionalProperties: false,
      $defs: definitions,
    }),
  };
}

/** A map that has a key. */
function having(key: string): Schema {
  return { properties: { [key]: {} }, required: [key] };
}

/** The block of what the top stands for. */
function topSchema(top: Kind, link: ParentLink, about: Omit<Building, 'sections'>): Schema {
  const { identity } = top;
  const schema = resourceSchema(top, link, { sections: () => new Map(), ...about });
  return { ...schema, required: identity.keyField === undefined ? [] : [identity.keyField] };
}

/** A setting that is a block, with the schema of that in place of the few keys that settings know. */
function withBlock(schema: Schema, definition: string | undefined): Schema {
  const { anyOf } = schema;
  if (definition === undefined || !Array.isArray(anyOf)) return schema;
  const others = anyOf.filter(({ type }: Schema) => type !== 'object');
  return { ...schema, anyOf: [...others, { $ref: `#/$defs/${definition}` }] };
}

interface Building {
  readonly sections: (parent: string) => ReadonlyMap<string, Kind>;
  readonly definitions: Record<string, Schema>;
  readonly hasAliases: boolean;
}

/** The sections that stand below one kind of parent. */
function sectionSchemas(parent: string, building: Building): Record<string, Schema> {
  const entries = [...building.sections(parent)].flatMap(([section, kind]) => {
    const link = kind.parents[parent];
    if (link === undefined) return [];
    const name = Object.keys(kind.parents).length === 1 ? kind.kind : `${kind.kind}-of-${parent}`;
    // A name that is known but not yet filled in ends the circle of kinds that stand below themselves.
    if (building.definitions[name] === undefined) {
      building.definitions[name] = {};
      building.definitions[name] = resourceSchema(kind, link, building);
    }
    const schema: Schema = {
      description: kind.summary,
      type: 'object',
      additionalProperties: { $ref: `#/$defs/${name}` },
    };
    const also = building.hasAliases ? sectionAlias(section) : undefined;
    const same = also === undefined ? [] : [[also, { ...schema, description: `The same as ${section}.` }] as const];
    return [[section, schema] as const, ...same];
  });
  return Object.fromEntries(entries);
}

function resourceSchema(kind: Kind, link: ParentLink, building: Building): Schema {
  const { hasAliases } = building;
  const properties: Record<string, Schema> = {};
  for (const [key, written] of writtenFields(kind, link)) {
    if (written.is === 'field') {
      if (hasAliases || written.isOther !== true) properties[key] = fieldSchema(kind, written.field, hasAliases);
    } else if (written.is === 'union') properties[key] = unionSchema(kind, written.union, hasAliases);
    // Options are read as they stand: no expressions.
    else
      properties[key] = {
        ...withWords(withoutSecrets(jsonSchema(written.schema)), written.words),
        ...defaultOf(written.otherwise),
      };
  }
  if (kind.identity.addressedByKey !== true && kind.isTop !== true) Object.assign(properties, useSchemas);
  Object.assign(properties, sectionSchemas(kind.kind, building));
  return { description: kind.summary, type: 'object', properties, additionalProperties: false };
}

/** The keys of a block that takes what a template has. */
const useSchemas: Record<string, Schema> = {
  use: {
    description: 'Name of a template: the block has what the template has, and its own keys over it.',
    type: 'string',
  },
  with: { description: 'Values of the parameters of the template.', type: 'object' },
};

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

/** One case each: the word that chooses it, and its fields. */
function unionSchema(kind: Kind, union: Union, hasAliases: boolean): Schema {
  return {
    description: union.describe,
    oneOf: Object.keys(union.cases).map((word) => ({
      description: union.words?.[word],
      type: 'object',
      properties: {
        type: caseSchema(union, word, hasAliases),
        ...Object.fromEntries(
          caseFields(union, word).map(([key, field]) => [key, fieldSchema(kind, field, hasAliases)]),
        ),
      },
      required: ['type', ...neededKeys(union, word)],
      additionalProperties: false,
    })),
  };
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

function jsonSchema(schema: z.ZodType): Schema {
  const { $schema: _, $defs, ...content } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  // Only any JSON value is defined by itself; in one file its definition would clash with others, and it asks for nothing.
  return $defs === undefined ? content : (JSON.parse(JSON.stringify(content), dropReference) as Schema);
}

function dropReference(_key: string, value: unknown): unknown {
  return typeof value === 'object' && value !== null && '$ref' in value ? {} : value;
}
