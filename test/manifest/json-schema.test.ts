import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import * as z from 'zod';
import { manifestSchema } from '../../src/manifest/json-schema.ts';
import { kinds } from '../../src/resources/index.ts';

// dependentRequired is the one word of the schema that this reader does not have.
const { dependentRequired, ...schema } = manifestSchema(kinds);
const editor = z.fromJSONSchema(schema);
const accepts = (yaml: string): boolean => editor.safeParse(parseDocument(yaml, { merge: true }).toJS()).success;
const postgres = (fields: string): string => `environments: { production: { postgres: { main: { ${fields} } } } }`;
const folder = new URL('../../examples/', import.meta.url);
const examples = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
  /^[^/]+\/(environments\/)?[^/]+\.yaml$/.test(path),
);

describe('the JSON Schema of manifests', () => {
  it.each(examples)('accepts the example %s', (path) => {
    expect(accepts(readFileSync(new URL(path, folder), 'utf8'))).toBe(true);
  });

  it('refuses unknown keys at every level', () => {
    expect(accepts(postgres('dockerImage: "postgres:17"'))).toBe(true);
    expect(accepts(postgres('dockerimage: "postgres:17"'))).toBe(false);
    expect(accepts('environmentz: {}')).toBe(false);
  });

  it('accepts an expression where another type is required, and no other text', () => {
    expect(accepts(postgres('externalPort: 15432'))).toBe(true);
    expect(accepts(postgres('externalPort: "${var:port}"'))).toBe(true);
    expect(accepts(postgres('externalPort: high'))).toBe(false);
  });

  it('accepts env as a map and as text', () => {
    expect(accepts(postgres('env: { A: 1, B: yes, C: "3" }'))).toBe(true);
    expect(accepts(postgres('env: "A=1"'))).toBe(true);
    expect(accepts(postgres('env: [A]'))).toBe(false);
  });

  it('accepts the fields of the chosen case only', () => {
    const source = (fields: string) => `environments: { production: { compose: { shop: { source: { ${fields} } } } } }`;
    expect(accepts(source('type: git, url: https://git.example.com/a.git, branch: main'))).toBe(true);
    expect(accepts(source('type: raw, branch: main'))).toBe(false);
    expect(accepts(source('branch: main'))).toBe(false);
  });

  it('describes every field, and requires the keys that a manifest needs', () => {
    const definitions = schema.$defs as Record<
      string,
      { properties: Record<string, { description?: string; $ref?: string }> }
    >;
    for (const [kind, { properties }] of Object.entries(definitions)) {
      for (const [name, field] of Object.entries(properties)) {
        expect(field.description, `${kind}.${name}`).toMatch(/\S/);
      }
    }
    expect(dependentRequired).toMatchObject({ trueup: ['project'] });
  });
});
