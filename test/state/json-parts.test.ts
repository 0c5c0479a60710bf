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
        pairs: { 'env["A"]': { wanted: { value: `"resources": {}\n${n}` } } },
      },
    ]),
  );

const before = { formatVersion: 3, projectName: '"resources": {}', left: undefined };
const after = { platform: { version: null, lacks: ['{', '}'] }, left: undefined, mac: '' };

describe('the parts of a JSON text', () => {
  for (const indent of [0, 1, 2]) {
    for (const count of [0, 1, 500, 501, 1_000, 1_001, 1_700]) {
      test(`are the text of JSON.stringify: ${count} members, indent ${indent}`, () => {
        const large = { resources: resources(count) };
        for (const content of [
          large,
          { ...before, ...large },
          { ...large, ...after },
          { ...before, ...large, ...after },
        ])
          expect(jsonParts(content, indent).join('')).toBe(JSON.stringify(content, null, indent));
      });
    }
  }

  test('keep members of every name', () => {
    const names = ['__proto__', 'constructor', 'toString', '', '"', '\n'];
    const content = { resources: { ...resources(600), ...Object.fromEntries(names.map((name) => [name, { name }])) } };
    Object.defineProperty(content.resources, '__proto__', { value: { id: 'x' }, enumerable: true });
    expect(jsonParts(content, 1).join('')).toBe(JSON.stringify(content, null, 1));
  });

  test('are one for a small content, and small ones for a large one', () => {
    expect(jsonParts({ resources: resources(500), mac: '' })).toHaveLength(1);
    const lengths = jsonParts({ resources: resources(1_700), mac: '' }).map((part) => part.length);
    expect(lengths).toHaveLength(4);
    expect(Math.max(...lengths)).toBeLessThan(100_000);
  });
});
