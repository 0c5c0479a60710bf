import fc from 'fast-check';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readSimpleYaml } from '../../src/formats/simple-yaml.ts';
import { toJson } from '../../src/formats/yaml-node.ts';
import type { Node, Place } from '../../src/manifest/tree.ts';
import { parseTree } from '../../src/manifest/read-tree.ts';
import { linesOf, position } from '../../src/manifest/tree.ts';

/** The reader gives nothing, or exactly what the parser gives: the same values at the same positions. */

function read(text: string): Node | undefined {
  const lines = linesOf(text);
  return readSimpleYaml<Place>(text, (offset, end) => ({ file: 'f', offset, end, lines }));
}

/** A tree with its positions; of texts below `|` the offset behind them too, by which their lines are found. */
function shown(node: Node, text: string): unknown {
  const at = [node.at.offset, position(node.at)];
  const { isReset } = node;
  if (node.is === 'list') return { at, isReset, items: node.items.map((item) => shown(item, text)) };
  if (node.is === 'scalar') return { ...node, at, end: '|>'.includes(text.charAt(node.at.offset)) ? node.at.end : 0 };
  const entries = [...node.entries].map(([key, { keyAt, node: inner }]) => [
    key,
    position(keyAt),
    keyAt.end,
    shown(inner, text),
  ]);
  return { at, isReset, entries };
}

/** Compares the reader with the parser. Whether the reader gives anything. */
function agrees(text: string): boolean {
  const simple = read(text);
  if (simple === undefined) return false;
  const full = parseTree('f', text, []);
  expect(shown(simple, text)).toEqual(full === undefined ? full : shown(full, text));
  if (!text.includes('!reset')) {
    expect(toJson(simple)).toEqual(parse(text, { merge: true, maxAliasCount: -1 }));
    const unmerged = readSimpleYaml(text, () => undefined, { keepsMergeKeys: true });
    if (unmerged !== undefined) expect(toJson(unmerged)).toEqual(parse(text, { maxAliasCount: -1 }));
  }
  return true;
}

const usual = `# The shop.
services:
  web: &web
    image: nginx:1.27 # pinned
    command: ["nginx", -g, 'daemon off;']
    ports:
      - "80:80"
      - 443:443
    environment:
    - NAME=\${NAME:-web}
    labels: {}
    healthcheck:
      test: |
        curl http://localhost/ || exit 1

      interval: 30s
    volumes:
      - type: volume
        source: data
        target: /data
    domains:
      "*.example.com":
        { serviceName: web, port: 8080, https: true, tags: [a, { b: c }] }
    description: >-
      Folded
      text.
  db:
    <<: *web
    image: "postgres:17\\n"
    depends_on: [web]
volumes:
  data:
  none: ~
  numbers: [1, -2.5, 1e3, 0755, 08, +7, .5]
`;

describe('a text in the simple way', () => {
  test.each([
    ['with all that is usual', usual],
    ['without an end of its last line', usual.trimEnd()],
    ['with an open key at its end', 'a:\n  b:'],
    ['with comments between', 'a:\n# b\n  # c\n  d: # e\n   # f\ng: h\n'],
    [
      'with brackets over lines',
      'a:\n  [\n    "b",\n    c, -d,\n\n    { e: f,\n     g: [],\n    },\n  ]\nh: [\n i\n ] # j\nk: {\n    l: m }\n',
    ],
    ['with brackets over lines in a list', '- &a [b,\n   c]\n- [*a,\n   d\n  ]\n'.replace(/^/, 'x:\n')],
    ['with texts that end in empty lines', 'a: |+\n  b\n\n\nc: |-\n  d\n\ne: |\n  f\n\n'],
  ])('%s is read as the parser reads it', (_, text) => {
    expect(agrees(text)).toBe(true);
  });

  test('is what the manifests of the examples are', () => {
    const examples = join(import.meta.dirname, '../../examples');
    const files = readdirSync(examples, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.yaml'));
    expect(files.length).toBeGreaterThan(3);
    for (const name of files) {
      const text = readFileSync(join(examples, name), 'utf8');
      expect([name, agrees(text)]).toEqual([name, true]);
    }
  });

  test.each([
    ['a tag', 'a: !!map\n'],
    ['a tag without a value above a comment', 'r: !reset\n\n  # comment'],
    ['an anchor inside of one of the same name', 'x: &x\n  y: &x { a: b }\n<<: *x\n'],
    ['a tab', 'a:\n\tb:\n'],
    ['another line end', 'a: b\r\n'],
    ['a key twice', 'a:\n  b:\n  b:\n'],
    ['a key that is no text', 'a:\n  true:\n'],
    ['another indentation', 'a:\n    b:\n  c:\n'],
    ['a value behind a comment in the column of its key', 'b:\n#c\n  x\nk: 1\n'],
    ['a text in several lines', 'a: b\n  c\n'],
    ['a document end', 'a:\n...\n'],
    ['blanks that end in no line end', 'a: |+\n  b\n '],
    ['an open bracket', 'a: [\n'],
    ['a bracket that closes below its key', 'a: [\n  b\n]\n'],
    ['a text over lines in brackets', 'a: [b\n  c]\n'],
    ['a text over lines in brackets and quotes', 'a: ["b,\n  c"]\n'],
    ['a key over lines in brackets', 'a: {b:\n  c}\n'],
    ['a comment in brackets', 'a: [b, # c\n  d]\n'],
    ['an alias without an anchor', 'a: *b\n'],
    ['an alias inside of its anchor', 'a: &b\n  c: *b\n'],
    ['a merge of a text', 'a: &b c\nd:\n  <<: *b\n'],
    ['half of a surrogate pair', 'a: \uD800\n'],
    ['too many levels', Array.from({ length: 50 }, (_, level) => `${' '.repeat(level)}a:`).join('\n')],
    ['nothing', '# only a comment\n'],
  ])('with %s is left to the parser', (_, text) => {
    expect(read(text)).toBeUndefined();
  });

  test('with more aliases than asked for, or with some in an anchor, is left to the parser', () => {
    const isRead = (text: string) => readSimpleYaml(text, () => undefined, { maxAliases: 3 }) !== undefined;
    const aliases = (many: number) => `a: &a { b: c }\nd: [${'*a, '.repeat(many)}]\n`;
    expect([aliases(3), aliases(4)].map(isRead)).toEqual([true, false]);
    const inAnchor = ['c: &c [*a]', 'c: &c\n  - *a', 'c: &c\n  <<: *a', 'c: &c { <<: *a }', 'c: &c\n  [\n    *a ]'];
    expect(inAnchor.map((text) => isRead(`a: &a { b: c }\n${text}\n`))).toEqual(inAnchor.map(() => false));
  });

  test('with aliases that expand to too much is left to the parser', () => {
    const bomb = [
      'a0: &a0 [x, x, x, x]',
      ...Array.from({ length: 20 }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}]`),
    ];
    expect(read(bomb.slice(0, 10).join('\n'))).toBeDefined();
    expect(read(bomb.join('\n'))).toBeUndefined();
  });
});

/** Parts of lines as users write them. */
const simple = String.raw`web:
db:
a.b-c:
constructor:
k: # comment
# comment

image: nginx:1.27
image: "a" # b
image: 'it''s'
a: b#c
a: b # c
b: $X
b: -x
- "80:80"
- 80:80
- a b
- -x
- a: b
-  c: d
- k:
ports: ["80:80", 81:81]
c: [a, -g, --x]
p: []
m: {}
m: { a: b, "c": [d, { e: f }], g: 0 3 * * * }
{ a: b }
"*.x": y
t: |
t: >-
- |+
u: "\n"
u: a, b
u: ]
u: (é😀)
u: ~
n: 0755
n: -1.5e3
n: 1.2.3
x: &x
x: &x 1
x: &x { a: b }
y: *x
- *x
l: [*x, *x]
<<: *x
m: { <<: *x, c: d }
l: [a,
- b
f: {
 ]
 }
 [
 a, "b",
u: a\
r: !reset
r: !reset # b
r: !reset 1
r: !reset "x" # y
r: !reset { a: !reset, b: !reset b }
l: [!reset a, !reset]
- !reset
x: &x !reset 1
u: =`.split('\n');
/** Parts that the reader must not take for those. */
const odd = String.raw`<<: [*x]
<<: !reset
<<: !reset { a: b }
r: !reset *x
r: !reset &x
r: !reset !reset a
r: !resetx
r: !reset|
r: !reset |
m: { r: !resetx, a: b }
m: { r: !reset,b: c }
m: { <<: !reset a }
m: { a: !reset b: c }
r: !reset - a
r: !reset a: b
!reset a: b
!reset
? x
: y
---
...
%YAML 1.2
n: - x
- - x
-
- # c
text
true: 1
Null:
1: 2
e: "\q"
e: "a
e: 'a
f: { a: b, a: c }
f: [a, b
f: {a}
f: { a: }
f: { "a":b }
g: [a, b,]
g: [a, -]
g: [a: b]
g: [a:]
g: [a :b]
h: "x"# c
h: "x" y
i: !!str x
i: @x
i: |2
i: | # c
n: 0x1F
n: .inf
k 2: 1
k2 : 1
k3:v
k4: <<
k4: a #
k5: a:
k5: a: b
- a: b: c
- &x k: v
y: *x:
-x
- ---
- ...
`.split('\n');
const line = fc.tuple(
  fc.oneof(
    { arbitrary: fc.constantFrom(0, 2, -2), weight: 9 },
    { arbitrary: fc.constantFrom(1, -1, 4, -4), weight: 1 },
  ),
  fc.oneof({ arbitrary: fc.constantFrom(...simple), weight: 14 }, { arbitrary: fc.constantFrom(...odd), weight: 1 }),
);

test('of random lines is what the parser gives, wherever the reader gives anything', () => {
  let count = 0;
  const lines = fc.array(line, { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(lines, fc.boolean(), (found, hasEnd) => {
      let column = 0;
      const text = found.map(([by, part], at) => {
        const before = found[at - 1]?.[1] ?? '';
        const isOpen = /^[^#]*[:|>][-+]?(?: [#&].*)?$/.test(before) || before.startsWith('- a:');
        column = at === 0 ? 0 : Math.max(0, column + (isOpen && by === 0 ? 2 : by));
        // The same key twice is rarely meant.
        return ' '.repeat(column) + part.replace(/^([a-z])\w*:/, (_, letter: string) => `${letter}${at}:`);
      });
      if (agrees(text.join('\n') + (hasEnd ? '\n' : ''))) count++;
    }),
    { numRuns: 700 },
  );
  // The reader gives something for about 113 of 700 texts (standard deviation 10).
  expect(count).toBeGreaterThan(60);
});

const manyKeys = `x: &x\n${Array.from({ length: 20_000 }, (_, n) => `  k${n}: 1\n`).join('')}`;

test.each([
  ['words', `a: ${'b '.repeat(2_500_000)}`],
  ['merges in a list', `${manyKeys}m:\n  <<: [${'*x, '.repeat(20_000)}*x]`],
  ['merges in brackets', `${manyKeys}m: { ${'<<: *x, '.repeat(20_000)}a: b }`],
  ['merges in many brackets', `${manyKeys}m: [${'{ <<: *x }, '.repeat(20_000)}a]`],
  ['blanks', `a: b${' '.repeat(900_000)}: x`],
  ['an open text', `a: "${'b'.repeat(900_000)}`],
  ['an open list', `a: [${'b, '.repeat(300_000)}`],
  ['open brackets', `a: ${'[{ b: '.repeat(100_000)}`],
  ['signs of comments', `a: b${' #'.repeat(450_000)}`],
  ['dashes', `a:\n${'- '.repeat(450_000)}`],
])('takes linear time for %s', (_, text) => {
  expect(['undefined', 'object']).toContain(typeof read(text));
});
