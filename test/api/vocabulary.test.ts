import fc from 'fast-check';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Operation } from '../../src/api/contract.ts';
import { extendedContracts } from '../../src/api/contract.ts';
import type { Schema } from '../../src/api/members.ts';
import { inputSchema } from '../../src/api/members.ts';
import { namesOf } from '../../src/api/translate.ts';
import { document, freeMembers } from '../../src/api/vocabulary.ts';

const names = namesOf(document);
const operations = [...extendedContracts.dokploy.operations.keys()] as Operation[];

/** The words of the document that are another thing elsewhere. */
const documentsWords =
  /selfgit|hubgit|labgit|bucketgit|billing|proxyfiles|proxyme|platformnetwork|buildpacksv|railbuilder/i;

/** The words of Dokploy that are another thing in the document. */
const dokploysWords = /gitea|github|gitlab|bitbucket|stripe|traefikfiles|traefikme|dokploynetwork|herokuv|railpackv/i;

/** A place in an input: the members of an object in it, or the values of a member. */
interface Found {
  readonly members: readonly (readonly string[])[];
  readonly values: readonly (readonly [member: string, value: unknown])[];
  readonly open: readonly string[];
}

/** Everything that the schema of an input names, at any depth. */
function search(schema: Schema, member = ''): Found {
  const inner = [schema.items, ...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  const properties = Object.entries(schema.properties ?? {});
  const more = schema.additionalProperties;
  const found = [
    ...inner.flatMap((one) => (typeof one === 'object' && !Array.isArray(one) ? [search(one, member)] : [])),
    ...properties.flatMap(([name, one]) => (typeof one === 'object' ? [search(one, name)] : [])),
  ];
  return {
    members: [...(properties.length > 0 ? [properties.map(([name]) => name)] : []), ...found.flatMap((f) => f.members)],
    values: [...(schema.enum ?? []).map((value) => [member, value] as const), ...found.flatMap((f) => f.values)],
    open: [...(more !== undefined && more !== false ? [member] : []), ...found.flatMap((f) => f.open)],
  };
}

const found = new Map(operations.map((operation) => [operation, search(inputSchema(operation))]));

function samples(): { request: { body: unknown }; response: unknown }[] {
  const folder = new URL('../fixtures/samples/', import.meta.url);
  return readdirSync(folder).flatMap(
    (file) =>
      JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as { request: { body: unknown }; response: unknown }[],
  );
}

function keysIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(keysIn);
  return Object.entries(value).flatMap(([key, inner]) => [key, ...keysIn(inner)]);
}

describe('the vocabulary of the API document', () => {
  test('gives each word one other word, which no other thing has', () => {
    for (const table of [document.groups, document.operations, document.members, ...Object.values(document.values)]) {
      const [ours, theirs] = [Object.keys(table), Object.values(table)];
      expect(new Set([...ours, ...theirs]).size).toBe(2 * ours.length);
    }
  });

  test('gives each operation a path that no other has', () => {
    const paths = operations.map(names.operation);
    expect(new Set(paths).size).toBe(operations.length);
    for (const [index, path] of paths.entries()) {
      if (path !== operations[index]) expect(operations).not.toContain(path);
      expect(path).not.toMatch(dokploysWords);
    }
  });

  test('gives each member of an input a name that no other member of it has', () => {
    for (const [operation, { members }] of found) {
      for (const shape of members) {
        const renamed = shape.map(names.member);
        expect(new Set([...renamed, ...shape]).size, operation).toBe(
          shape.length + renamed.filter((name, index) => name !== shape[index]).length,
        );
        expect(renamed.join(' '), operation).not.toMatch(dokploysWords);
      }
    }
  });

  test('translates a value wherever an input can have it, and in no other member', () => {
    const words = new Map(Object.values(document.values).flatMap((table) => Object.entries(table)));
    const seen = new Set<string>();
    for (const { values } of found.values()) {
      for (const [member, value] of values) {
        if (typeof value !== 'string' || !words.has(value)) continue;
        seen.add(value);
        expect(names.value(member, value), member).toBe(words.get(value));
      }
    }
    expect(seen).toEqual(new Set(words.keys()));
    for (const member of Object.keys(document.values)) expect(names.member(member)).toBe(member);
  });

  test('knows each member of an input that holds JSON of users', () => {
    const open = new Set([...found.values()].flatMap((one) => one.open).filter((member) => member !== ''));
    for (const member of open) expect([...freeMembers]).toContain(member);
  });

  test('leaves no word of the document in a member of a recorded answer', () => {
    const answers = samples().map(({ response }) => response);
    const before = answers.flatMap(keysIn).filter((key) => documentsWords.test(key));
    expect(new Set(before).size).toBeGreaterThan(30);
    const left = answers.flatMap((answer) => keysIn(names.data(answer))).filter((key) => documentsWords.test(key));
    expect(left).toEqual([]);
  });

  test('gives back every recorded request and answer that is translated twice', () => {
    for (const { request, response } of samples()) {
      expect(names.data(names.data(request.body))).toEqual(request.body);
      expect(JSON.stringify(names.data(names.data(response)))).toBe(JSON.stringify(response));
    }
  });
});

test('translating twice gives back any input and answer of each operation', () => {
  const allWords = [
    ...Object.entries(document.members).flat(),
    ...Object.keys(document.values),
    ...Object.values(document.values).flatMap((table) => Object.entries(table).flat()),
    ...freeMembers,
  ];
  for (const [operation, { members }] of found) {
    const member = fc.oneof(fc.constantFrom(...allWords), fc.constantFrom('id', ...members.flat()));
    const { row } = fc.letrec<{ row: object; value: unknown }>((tie) => ({
      row: fc.dictionary(member, tie('value'), { maxKeys: 6 }),
      value: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom<unknown>(null, true, 1, ...allWords),
        tie('row'),
        fc.array(tie('value'), { maxLength: 3 }),
      ),
    }));
    const property = fc.property(row, (data) => {
      const wire = names.data(data);
      expect(JSON.stringify(names.data(wire))).toBe(JSON.stringify(data));
    });
    fc.assert(property, { numRuns: 4, seed: operation.length });
  }
});
