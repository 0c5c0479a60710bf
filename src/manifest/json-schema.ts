import { root, type Kind } from '../kind/kind.ts';
import { topOf, withTop } from '../kind/top.ts';
import { environmentKey, holderOf } from './assemble/environment.ts';
import { sectionsOf } from './blocks.ts';
import { type Building, having, jsonSchema, resourceSchema, sectionSchemas, templateSchema } from './schema-blocks.ts';
import { described } from './schema-descriptions.ts';
import { type Schema, choice, expressionSchemas } from './schema-expressions.ts';
import { layerSchemas, orReset } from './schema-layers.ts';
import { shareRepeated } from './schema-shared.ts';
import { includedKeys, neededSettings, settingsShape } from './settings-shape.ts';

/**
 * The JSON Schema (draft 2020-12) of manifests and of the files they include, for editors. It accepts whatever Trueup
 * accepts; without `hasAliases`, of two words for one thing only that of Dokploy.
 *
 * @throws {Error} when a kind names a field that it does not declare.
 */
export function manifestSchema(
  kinds: readonly Kind[],
  { hasAliases = true }: { readonly hasAliases?: boolean } = {},
): Schema {
  const definitions: Record<string, Schema> = {
    ...expressionSchemas(),
    ...layerSchemas,
    cleared: { description: 'Clears the field on the platform.', type: 'null' },
  };
  const building = { sections: sectionsOf(kinds), definitions, hasAliases };
  const top = topOf(withTop(kinds));
  for (const kind of [top, kinds.find((one) => one.kind === environmentKey)])
    if (kind !== undefined) definitions[`own-${kind.kind}`] = ownSchema(kind, building);
  definitions['template'] = templateSchema(kinds, building);
  const sections = sectionSchemas(root, building);
  // With `environment:` they stand at the top.
  const inEnvironment = sectionSchemas(environmentKey, building);
  const settings = Object.entries(settingsShape).map(
    ([name, schema]) => [name, settingSchema(name, jsonSchema(schema), building)] as const,
  );
  const rootOnly = settings.map(([name]) => name).filter((name) => !includedKeys.includes(name));
  const required = rootOnly.filter((name) => neededSettings.has(name));
  const schema = described({
    description: 'What a deployment platform is to have: settings, and resources by section and name.',
    type: 'object',
    properties: { ...Object.fromEntries(settings), ...sections, ...inEnvironment },
    dependentSchemas: {
      trueup: { anyOf: ['project', 'include'].map(having) },
      // Its sections stand at the top.
      [environmentKey]: { type: 'object', properties: { [holderOf(kinds)?.section ?? '']: false } },
    },
    // An included file has none of these; the manifest itself has all that are required.
    dependentRequired: Object.fromEntries(
      rootOnly.map((name) => [name, required.filter((other) => other !== name)] as const),
    ),
    allOf: rulesOfFile(Object.keys(inEnvironment)),
    patternProperties: {
      '^x-': { description: 'A fragment with an anchor (&name) that the rest of the file uses (*name).' },
    },
    additionalProperties: false,
    $defs: definitions,
  });
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    // A name, not an address: editors need no network for it.
    $id: 'urn:trueup:manifest:1',
    title: 'Trueup manifest',
    ...shareRepeated(schema),
  };
}

/** What keys of one file say about others. */
function rulesOfFile(inEnvironment: readonly string[]): readonly Schema[] {
  const isRoot = having('trueup');
  const names = { anyOf: [{ type: 'string' }, { type: 'object', ...having('name') }] };
  return [
    {
      description: 'The root file names the environment.',
      ...choice({ type: 'object', properties: { [environmentKey]: names }, required: [environmentKey] }, isRoot),
    },
    {
      description: 'Sections of an environment stand at the top of a root file with environment: only.',
      ...choice({ ...isRoot, anyOf: inEnvironment.map(having) }, having(environmentKey)),
    },
    {
      description: 'The root file gives values to variables.',
      ...choice(isRoot, {}, { type: 'object', properties: { variables: declarations } }),
    },
  ];
}

const declarations = { type: 'object', additionalProperties: { anyOf: [{ type: 'object' }, { type: 'null' }] } };

/** The block of what the top of the files stands for: its sections stand beside it. */
function ownSchema(kind: Kind, building: Building): Schema {
  const link = kind.parents[root];
  if (link === undefined) throw new Error(`${kind.kind} has no place at the top`);
  const schema = resourceSchema(kind, link, { ...building, sections: () => new Map() });
  const { keyField } = kind.identity;
  return { ...schema, required: kind.isTop !== true || keyField === undefined ? [] : [keyField] };
}

/** A setting that holds blocks, with their schemas in place of the little that settings know. */
function settingSchema(name: string, schema: Schema, building: Building): Schema {
  const own = `own-${name}`;
  if (building.definitions[own] !== undefined) {
    const others = (schema.anyOf as readonly Schema[]).filter(({ type }) => type !== 'object');
    return { ...schema, anyOf: [...others, { $ref: `#/$defs/${own}` }] };
  }
  if (name === 'changes') {
    const sections = [root, environmentKey].flatMap((parent) =>
      Object.entries(sectionSchemas(parent, building, 'layer')),
    );
    const properties = sections.map(([section, { additionalProperties: block, ...rest }]) => [
      section,
      // One block stands for itself.
      block === undefined
        ? { ...rest, not: having('use') }
        : orReset({ ...rest, additionalProperties: { ...(block as Schema), not: having('use') } }),
    ]);
    return { ...schema, properties: Object.fromEntries(properties) as Schema, additionalProperties: false };
  }
  if (name === 'templates') {
    const template = schema.additionalProperties as Schema;
    const { block: _, ...others } = template.properties as Record<string, Schema>;
    const properties = { ...others, block: { $ref: '#/$defs/template' } };
    return { ...schema, additionalProperties: { ...template, properties } };
  }
  return schema;
}
