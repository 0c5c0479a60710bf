import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { servicesIn } from '../../../src/resources/families/compose-file.ts';
import { scanServices } from '../../../src/resources/families/compose-scan.ts';

/** The scanner says nothing, or exactly what the parser says. */

const usual = `# The shop.
services:
  web:
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
  db:
    image: "postgres:17"
    depends_on: [web]
volumes:
  data:
`;

describe('the services of a compose file in the usual style', () => {
  test.each([
    ['with all that is usual', usual, ['web', 'db']],
    ['without services', 'volumes:\n  data:\n', []],
    ['with none', 'services:\n', []],
    ['that are a list', 'services:\n  - web\n', []],
    ['that are a text', 'services: web\n', []],
  ])('%s are scanned', (_, text, services) => {
    expect(scanServices(text)).toEqual(services);
    expect(servicesIn(text)).toEqual(services);
  });

  test.each([
    ['an anchor', 'services:\n  web: &a\n    image: x\n'],
    ['a merge key', 'services:\n  web:\n    <<: x\n'],
    ['a tag', 'services:\n  web: !!map\n'],
    ['a tab', 'services:\n\tweb:\n'],
    ['a key twice', 'services:\n  web:\n  web:\n'],
    ['a key that is no text', 'services:\n  true:\n'],
    ['another indentation', 'services:\n    web:\n  db:\n'],
    ['a text in several lines', 'services:\n  web:\n    image: a\n      b\n'],
    ['a document end', 'services:\n...\n'],
    ['an open bracket', 'services: [\n'],
    ['nothing', ''],
  ])('%s is left to the parser', (_, text) => {
    expect(scanServices(text)).toBeUndefined();
  });
});

/** Parts of lines as users write them. */
const simple = String.raw`services:
volumes:
web:
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
c: --x
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
t: |
t: >-
- |+
u: "\n"
u: a, b
u: ]
u: (é)
u: ~
u: a\
u: =`.split('\n');
/** Parts that the scanner must not take for those. */
const odd = String.raw`x: &a 1
y: *a
<<: *a
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
"q": 1
true: 1
Null:
1: 2
e: "\q"
e: "a
e: 'a
f: { a: b }
f: [a, b
g: [a, b,]
g: [a, -]
g: [a: b]
g: [a:]
h: "x"# c
h: "x" y
i: !!str x
i: @x
i: |2
i: | # c
k 2: 1
k2 : 1
k3:v
k4: <<
k4: a #
k5: a:
k5: a: b
- a: b: c
-x
- ---
- ...
\ta: b
a: b\r`
  .split('\n')
  .map((part) => part.replace('\\t', '\t').replace('\\r', '\r'));
const line = fc.tuple(
  fc.oneof(
    { arbitrary: fc.constantFrom(0, 2, -2), weight: 9 },
    { arbitrary: fc.constantFrom(1, -1, 4, -4), weight: 1 },
  ),
  fc.oneof({ arbitrary: fc.constantFrom(...simple), weight: 12 }, { arbitrary: fc.constantFrom(...odd), weight: 1 }),
);

test('of random lines are those of the parser, wherever the scanner names any', () => {
  let scannedTexts = 0;
  const lines = fc.array(line, { minLength: 1, maxLength: 9 });
  fc.assert(
    fc.property(lines, (found) => {
      let column = 0;
      const text = found.map(([by, part]) => ' '.repeat((column = Math.max(0, column + by))) + part).join('\n');
      const scanned = scanServices(`services:\n${text}\n`);
      if (scanned === undefined) return;
      scannedTexts++;
      expect(servicesIn(`services:\n${text}\n`)).toEqual(scanned);
    }),
    { numRuns: 800 },
  );
  expect(scannedTexts).toBeGreaterThan(40);
});

test.each([
  ['blanks', `a: b${' '.repeat(900_000)}: x`],
  ['an open text', `a: "${'b'.repeat(900_000)}`],
  ['an open list', `a: [${'b, '.repeat(300_000)}`],
  ['signs of comments', `a: b${' #'.repeat(450_000)}`],
])('takes linear time for %s', (_, text) => {
  expect(scanServices(text) ?? []).toEqual([]);
});
