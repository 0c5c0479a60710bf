import * as z from 'zod';
import type { Union } from '../kind/field.ts';
import type { ParentLink } from '../kind/parent.ts';
import type { Kind } from '../kind/kind.ts';
import { root } from '../kind/kind.ts';
import { canBeNull, isNeededBy } from '../kind/wire.ts';
import { caseFields, writtenFields, writtenSchema } from '../kind/written.ts';
import { sectionsOf } from './blocks.ts';
import { expressionSources } from './sources/all.ts';
import type { ExpressionSource } from './sources/source.ts';
import { withExpressions } from './schema-expressions.ts';
import type { Schema } from './schema-expressions.ts';
import { includedKeys, settingsShape } from './settings.ts';

/**
 * The JSON Schema (draft 2020-12) of manifests and of the files they include, for editors. It accepts whatever Trueup
 * accepts.
 *
 * @throws {Error} when a kind names a field that it does not declare.
 */
export function manifestSchema(kinds: readonly Kind[], sources = expressionSources): Schema {
  const definitions: Record<string, Schema> = {};
  const settings = Object.entries(settingsShape).map(([name, schema]) => [name, jsonSchema(schema)] as const);
  const rootOnly = settings.map(([name]) => name).filter((name) => !includedKeys.includes(name));
  const required = rootOnly.filter((name) => !isOptional(settingsShape[name as keyof typeof settingsShape])); // its own keys
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Trueup manifest',
    type: 'object',
    properties: {
      ...Object.fromEntries(settings),
      ...sectionSchemas(root, { sections: sectionsOf(kinds), definitions, sources }),
    },
    // An included file has none of these; the manifest itself has all that are required.
    dependentRequired: Object.fromEntries(
      rootOnly.map((name) => [name, required.filter((other) => other !== name)] as const),
    ),
    patternProperties: {
      '^x-': { description: 'A fragment with an anchor (&name) that the rest of the file uses (*name).' },
    },
    additionalProperties: false,
    $defs: definitions,
  };
}

interface Building {
  readonly sections: (parent: string) => ReadonlyMap<string, Kind>;
  readonly definitions: Record<string, Schema>;
  readonly sources: readonly ExpressionSource[];
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
    return [[section, schema] as const];
  });
  return Object.fromEntries(entries);
}

function resourceSchema(kind: Kind, link: ParentLink, building: Building): Schema {
  const properties: Record<string, Schema> = {};
  for (const [key, written] of writtenFields(kind, link)) {
    if (written.is === 'field') properties[key] = fieldSchema(kind, written.field, building);
    else if (written.is === 'union') properties[key] = unionSchema(kind, written.union, building);
    // Options are read as they stand: no expressions.
    else properties[key] = jsonSchema(written.schema);
  }
  Object.assign(properties, sectionSchemas(kind.kind, building));
  return { description: kind.summary, type: 'object', properties, additionalProperties: false };
}

function fieldSchema(kind: Kind, name: string, { sources }: Building): Schema {
  const field = kind.fields[name];
  if (field === undefined) throw new Error(`${kind.kind} has no field ${name}`);
  const schema = withExpressions(withoutDescriptions(jsonSchema(writtenSchema(field))), sources);
  const { description } = jsonSchema(field.schema);
  const canBeCleared = field.onNull === undefined ? canBeNull(kind, name) : 'value' in field.onNull;
  const { anyOf } = schema;
  const alternatives: readonly unknown[] = Array.isArray(anyOf) && Object.keys(schema).length === 1 ? anyOf : [schema];
  return {
    description: description ?? name,
    ...(canBeCleared ? { anyOf: [...alternatives, { type: 'null' }] } : schema),
  };
}

/** The description stands once, above the alternatives. */
function withoutDescriptions(schema: Schema): Schema {
  const { description: _, ...rest } = schema;
  const { anyOf } = rest;
  return Array.isArray(anyOf) ? { ...rest, anyOf: anyOf.map((item: Schema) => withoutDescriptions(item)) } : rest;
}

/** One case each: the word that chooses it, and its fields. */
function unionSchema(kind: Kind, union: Union, building: Building): Schema {
  return {
    description: union.describe,
    oneOf: Object.keys(union.cases).map((word) => ({
      type: 'object',
      properties: {
        type: { const: word },
        ...Object.fromEntries(caseFields(union, word).map(([key, field]) => [key, fieldSchema(kind, field, building)])),
      },
      required: ['type', ...neededKeys(union, word)],
      additionalProperties: false,
    })),
  };
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

function isOptional(schema: z.ZodType): boolean {
  return schema.safeParse(undefined).success;
}
