import { describe, expect, test } from 'vitest';
import { jsonParts } from '../../src/state/json-parts.ts';

const resources = (count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, n) => [
      `env.compose.app${n}.domains["a.example.com"]`,
      {
        id: `id${n}`,
        parent: null,
        dependsOn: [],
        left: undefined,
        pairs: { 'env["A"]': { wanted: { value: `"resources": {}\n${n}` } } },
      },
    ]),
  );

const before = { formatVersion: 3, projectName: '"resources": {}', left: undefined };
const after = { platform: { version: null, lacks: ['{', '}'], left: undefined }, left: undefined, mac: '' };

describe('the parts of a JSON text', () => {
  for (const count of [0, 1, 500, 501, 1_000, 1_001, 1_700]) {
    test(`are the text of JSON.stringify: ${count} members`, () => {
      const large = { resources: resources(count) };
      for (const content of [
        large,
        { ...before, ...large },
        { ...large, ...after },
        { ...before, ...large, ...after },
      ]) {
        const text = JSON.stringify(content);
        expect(jsonParts(content).join('')).toBe(text);
        const lines = jsonParts(content, 'lines').join('');
        expect(JSON.parse(lines)).toEqual(JSON.parse(text));
        expect(lines.split('\n').filter((line) => line.startsWith('  "env.compose.'))).toHaveLength(count);
      }
    });
  }

  test('have each record of a state on a line of its own', () => {
    const content = { formatVersion: 3, resources: { a: { id: '1', pairs: { b: [1] } }, c: null }, none: {}, mac: '' };
    expect(jsonParts(content, 'lines').join('')).toBe(`{
 "formatVersion": 3,
 "resources": {
  "a": {"id":"1","pairs":{"b":[1]}},
  "c": null
 },
 "none": {},
 "mac": ""
}`);
  });

  test('keep members of every name', () => {
    const names = ['__proto__', 'constructor', 'toString', '', '"', '\n'];
    const content = { resources: { ...resources(600), ...Object.fromEntries(names.map((name) => [name, { name }])) } };
    Object.defineProperty(content.resources, '__proto__', { value: { id: 'x' }, enumerable: true });
    expect(jsonParts(content).join('')).toBe(JSON.stringify(content));
  });

  test('are one for a small content, and small ones for a large one', () => {
    expect(jsonParts({ resources: resources(500), mac: '' })).toHaveLength(1);
    const lengths = jsonParts({ resources: resources(1_700), mac: '' }).map((part) => part.length);
    expect(lengths).toHaveLength(4);
    expect(Math.max(...lengths)).toBeLessThan(100_000);
  });
});
