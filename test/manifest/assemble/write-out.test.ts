import { describe, expect, test } from 'vitest';
import { meaning, mistakes, stage, stageHead } from '../../support/stages.ts';

/** Templates, and changes of a root file, mean what somebody would have written out. */

const head = `${stageHead}environment: staging\n`;
const image = 'source: { type: docker, image: "nginx:1.27" }';
const web = `templates:
  web:
    parameters: { port: { type: number, default: 8080 }, memory: { default: 256Mi } }
    block:
      source: { type: docker, image: "acme/\${block:key}:1" }
      memoryLimit: \${param:memory}
      env: { PORT: "\${param:port}", URL: "http://a:\${param:port}/$\${param:port}" }
      domains: { main: { host: "\${block:key}.example.com", port: "\${param:port}" } }
`;

const cases: readonly (readonly [title: string, staged: string, writtenOut: string])[] = [
  [
    'a template with defaults',
    `${web}application: { api: { use: web } }\n`,
    `application: { api: { source: { type: docker, image: "acme/api:1" }, memoryLimit: 256Mi,
      env: { PORT: 8080, URL: "http://a:8080/\${param:port}" }, domains: { main: { host: api.example.com, port: 8080 } } } }\n`,
  ],
  [
    'parameters, and keys beside use:, which win',
    `${web}application: { api: { use: web, with: { port: 0x50, memory: "1Gi" }, memoryLimit: 2Gi, env: { A: "1" }, domains: { more: { host: b.example.com } } } }\n`,
    `application: { api: { source: { type: docker, image: "acme/api:1" }, memoryLimit: 2Gi,
      env: { PORT: 0x50, URL: "http://a:0x50/\${param:port}", A: "1" },
      domains: { main: { host: api.example.com, port: 80 }, more: { host: b.example.com } } } }\n`,
  ],
  [
    'a map of another type, which replaces the one below',
    `${web}application: { api: { use: web, source: { type: git, url: "https://g.example.com/a.git", branch: main } } }\n`,
    `application: { api: { source: { type: git, url: "https://g.example.com/a.git", branch: main }, memoryLimit: 256Mi,
      env: { PORT: 8080, URL: "http://a:8080/\${param:port}" }, domains: { main: { host: api.example.com, port: 8080 } } } }\n`,
  ],
  [
    'changes after both, with !reset of a key, a field and a block below',
    `${web}application: { api: { use: web, env: { B: "2" } } }
changes: { application: { api: { env: { URL: !reset, PORT: "1" }, memoryLimit: !reset, domains: { main: !reset } } } }\n`,
    `application: { api: { source: { type: docker, image: "acme/api:1" }, env: { PORT: "1", B: "2" }, domains: {} } }\n`,
  ],
  [
    '!reset with a value behind it',
    `application: { api: { ${image}, env: { A: "1", B: "2" } } }
changes: { application: { api: { env: !reset { C: "3" }, memoryLimit: 1Gi } } }\n`,
    `application: { api: { ${image}, env: { C: "3" }, memoryLimit: 1Gi } }\n`,
  ],
  [
    '!reset with a number behind it keeps its type',
    `application: { api: { ${image}, replicas: 2 } }\nchanges: { application: { api: { replicas: !reset 3 } } }\n`,
    `application: { api: { ${image}, replicas: 3 } }\n`,
  ],
  [
    'env as text instead of a map',
    `${web}application: { api: { use: web, env: !reset "A=1\\n", domains: !reset } }\n`,
    `application: { api: { source: { type: docker, image: "acme/api:1" }, memoryLimit: 256Mi, env: "A=1\\n" } }\n`,
  ],
  [
    'a template of a template, with the key of the block',
    `templates:
  base: { parameters: { tag: {} }, block: { source: { type: docker, image: "acme/\${block:key}:\${param:tag}" }, replicas: 1 } }
  big: { parameters: { tag: { default: "1.10" } }, block: { use: base, with: { tag: "v\${param:tag}" }, replicas: 4 } }
application: { api: { use: big }, admin: { use: big, with: { tag: 2.0 }, replicas: 2 } }\n`,
    `application: { api: { source: { type: docker, image: "acme/api:v1.10" }, replicas: 4 },
      admin: { source: { type: docker, image: "acme/admin:v2.0" }, replicas: 2 } }\n`,
  ],
  [
    'a template of what is below a service, inside of another',
    `templates:
  route: { parameters: { port: { type: number } }, block: { host: "\${block:key}.example.com", port: "\${param:port}" } }
  web: { parameters: { port: { type: number } }, block: { ${image}, domains: { a: { use: route, with: { port: "\${param:port}" } } } } }
application: { api: { use: web, with: { port: 80 } } }
changes: { application: { api: { domains: { a: { https: true } } } } }\n`,
    `application: { api: { ${image}, domains: { a: { host: a.example.com, port: 80, https: true } } } }\n`,
  ],
  [
    'expressions in parameters',
    `templates: { t: { parameters: { a: {}, b: { type: list } }, block: { ${image}, env: { A: "x\${param:a}y", B: "\${param:a}" }, args: "\${param:b}" } } }
application: { api: { use: t, with: { a: "\${secret:PW}", b: [x, "y z"] } }, b: { use: t, with: { a: "\${ref:application.api.appName}", b: [] } } }\n`,
    `application: { api: { ${image}, env: { A: "x\${secret:PW}y", B: "\${secret:PW}" }, args: [x, "y z"] },
      b: { ${image}, env: { A: "x\${ref:application.api.appName}y", B: "\${ref:application.api.appName}" }, args: [] } }\n`,
  ],
  [
    'an object of the organization',
    `templates: { t: { block: { name: "of \${block:key}", color: "#ff0000" } } }
tags: { deploy: { use: t } }
changes: { environment: { env: { A: "1" } }, tags: { deploy: { color: "#00ff00" } } }\n`,
    `environment: { name: staging, env: { A: "1" } }
tags: { deploy: { name: of deploy, color: "#00ff00" } }\n`,
  ],
  [
    'private names, which only grow',
    `templates: { t: { block: { ${image}, private: [A], env: { A: a, B: b } } } }
application: { api: { use: t, private: [B] } }\n`,
    `application: { api: { ${image}, private: [A, B], env: { A: a, B: b } } }\n`,
  ],
  [
    'private names, of a block that is replaced as a whole',
    `application: { api: { ${image}, private: [A], env: { A: a, B: b } } }
changes: { application: { api: !reset { ${image}, env: { A: c } } } }\n`,
    `application: { api: { ${image}, private: [A], env: { A: c } } }\n`,
  ],
  [
    'private names, of blocks below that are replaced',
    `templates: { t: { block: { ${image}, mounts: { a: { type: file, mountPath: /a, filePath: a, content: x, private: [content] } } } } }
application: { api: { use: t, mounts: !reset { a: { type: file, mountPath: /a, filePath: a, content: y } } } }\n`,
    `application: { api: { ${image}, mounts: { a: { type: file, mountPath: /a, filePath: a, content: y, private: [content] } } } }\n`,
  ],
  [
    'a block of another type under changes',
    `application: { api: { ${image}, mounts: { a: { type: file, mountPath: /a, filePath: a, content: x } } } }
changes: { application: { api: { mounts: { a: { type: volume, mountPath: /a, volumeName: v } } } } }\n`,
    `application: { api: { ${image}, mounts: { a: { type: volume, mountPath: /a, volumeName: v } } } }\n`,
  ],
  [
    'variables of the container with the names type and private',
    `application: { api: { ${image}, env: { type: a, private: b, B: c } } }
changes: { application: { api: { env: { type: d, private: !reset } } } }\n`,
    `application: { api: { ${image}, env: { type: d, B: c } } }\n`,
  ],
  [
    'names as __proto__',
    `templates: { constructor: { parameters: { toString: {} }, block: { ${image}, env: { hasOwnProperty: "\${param:toString}" } } } }
application: { __proto__: { use: constructor, with: { toString: x } } }\n`,
    `application: { __proto__: { ${image}, env: { hasOwnProperty: x } } }\n`,
  ],
];

test.each(cases)('%s', async (_title, staged, writtenOut) => {
  expect(await mistakes({ 'staging.yaml': head + staged })).toEqual([]);
  const found = await stage({ 'staging.yaml': head + staged });
  const own = writtenOut.startsWith('environment:') ? stageHead : head;
  expect(JSON.parse(meaning(found))).toEqual(JSON.parse(meaning(await stage({ 'staging.yaml': own + writtenOut }))));
});

test('a file is relative to the file that holds the text, also inside of a text', async () => {
  const found = await stage({
    'staging.yaml': `${head}include: [a/t.yaml, b/api.yaml]\n`,
    'a/t.yaml': `templates: { t: { parameters: { f: {} }, block: { ${image}, env: { A: "\${param:f}", B: "<\${param:f}>", C: "\${file:x.txt}" } } } }\n`,
    'a/x.txt': 'of a',
    'b/api.yaml': 'application: { api: { use: t, with: { f: "${file:x.txt}" } } }\n',
    'b/x.txt': 'of b',
  });
  const whole = await stage({
    'staging.yaml': `${head}application: { api: { ${image}, env: { A: of b, B: <of b>, C: of a } } }\n`,
  });
  expect(JSON.parse(meaning(found))).toEqual(JSON.parse(meaning(whole)));
});

test('a value knows where it stands and the uses that led there', async () => {
  const { resources } = await stage({
    'staging.yaml': `${head}include: [t.yaml]\napplication:\n  api: { use: outer }\n`,
    't.yaml': `templates:\n  inner: { block: { replicas: 2 } }\n  outer: { block: { use: inner, ${image} } }\n`,
  });
  const at = resources.find(({ key }) => key === 'api')?.fields['replicas']?.at;
  const places = [at, ...(at?.via ?? [])].map((one) => one && `${one.file}:${one.offset}`);
  expect(places).toEqual(['t.yaml:41', expect.stringMatching(/^t\.yaml:/), expect.stringMatching(/^staging\.yaml:/)]);
});

describe('is an error at its place', () => {
  test.each([
    ['an unknown template', 'application: { a: { use: §wbe } }', 'bad-reference', 'Did you mean web?'],
    ['use: that is no text', 'application: { a: { use: §[web] } }', 'wrong-type', 'use must be the name of a template'],
    [
      'an unknown parameter',
      'application: { a: { use: web, with: { §prot: 1 } } }',
      'unknown-key',
      'Did you mean port?',
    ],
    [
      'a value of a wrong type',
      'application: { a: { use: web, with: { port: §eighty } } }',
      'wrong-type',
      'with.port must be a number, got "eighty" -> It is declared at staging.yaml:',
    ],
    [
      'a misspelt parameter, and not that it is unused',
      'templates: { t: { parameters: { memory: { default: 1Gi } }, block: { description: §"${param:memroy}" } } }',
      'bad-expression',
      'Did you mean memory?',
    ],
    [
      'a reference for a number',
      'application: { a: { use: web, with: { port: §"${ref:postgres.a.host}" } } }',
      'wrong-type',
      '${ref:…} gives text',
    ],
    [
      'a parameter without a value',
      'templates: { t: { parameters: { x: {} }, block: { description: "${param:x}" } } }\napplication: { a: { use: §t } }',
      'missing-key',
      'needs the parameter x',
    ],
    [
      'a hole that nothing fills',
      'templates: { t: { block: { description: §"${param:x}" } } }',
      'bad-expression',
      'has no parameter x',
    ],
    [
      'a block without that',
      'templates: { t: { block: { description: §"${block:name}" } } }',
      'bad-expression',
      '${block:key}',
    ],
    [
      'a hole in a key',
      'templates: { t: { block: { env: { §"${block:key}": x } } } }',
      'bad-expression',
      'do not work in keys',
    ],
    [
      'a hole that is not closed',
      'templates: { t: { block: { description: §"${param:x" } } }',
      'bad-expression',
      'never closed',
    ],
    [
      'a list inside of a text',
      'templates: { t: { parameters: { x: { type: list } }, block: { description: §"a ${param:x}" } } }\napplication: { a: { use: t, with: { x: [a] } } }',
      'bad-expression',
      'is a list, and no text',
    ],
    [
      'a circle',
      'templates: { t: { block: { use: u } }, u: { block: { use: §t } } }\napplication: { a: { use: t } }',
      'bad-reference',
      'the template t, which uses u, which uses t',
    ],
    [
      'id in a template',
      `templates: { t: { block: { §id: x, ${image} } } }\napplication: { a: { use: t } }`,
      'inconsistent',
      'would hold for each block',
    ],
    [
      'protect: false in a template',
      `templates: { t: { block: { ${image}, domains: { m: { host: a.example.com, §protect: false } } } } }\napplication: { a: { use: t } }`,
      'inconsistent',
      'protect: false',
    ],
    ['a template without a block', 'templates: { t: §{ parameters: {} } }', 'wrong-type', 'block'],
    ['an unknown key of a template', 'templates: { t: { block: {}, §blok: {} } }', 'wrong-type', 'Did you mean block?'],
    [
      'a mistake in the block of a template',
      `templates: { t: { block: { ${image}, §replcas: 1 } } }\napplication: { a: { use: t } }`,
      'unknown-key',
      'Did you mean replicas?',
    ],
    [
      'a change of a block that is not there',
      `application: { api: { ${image} } }\nchanges: { application: { §aip: { replicas: 2 } } }`,
      'bad-reference',
      'there is no staging.application.aip to change -> Did you mean api?',
    ],
    [
      'a change of a section that is not there',
      `application: { api: { ${image} } }\nchanges: { §postgres: { main: {} } }`,
      'bad-reference',
      'there is no staging.postgres to change',
    ],
    [
      'a change of what a file does not have',
      'changes: { §variables: { a: 1 } }',
      'unknown-key',
      'changes has no key variables',
    ],
    [
      'use: under changes',
      `application: { api: { ${image} } }\nchanges: { application: { api: { §use: web } } }`,
      'unknown-key',
      'use stands in the block itself',
    ],
    [
      'an empty change',
      `application: { api: { ${image} } }\nchanges: { application: { §api: } }`,
      'wrong-type',
      'api: !reset',
    ],
    [
      '!reset where nothing stood',
      `application: { api: { ${image} } }\nchanges: { application: { api: { §replicas: !reset } } }`,
      'bad-reference',
      '!reset takes out replicas',
    ],
    [
      '!reset inside of a new map',
      `application: { api: { ${image} } }\nchanges: { application: { api: { env: { §A: !reset } } } }`,
      'bad-reference',
      '!reset takes out A',
    ],
    [
      '!reset of private',
      `application: { api: { ${image}, private: [A] } }\nchanges: { application: { api: { §private: !reset [B] } } }`,
      'inconsistent',
      'private only grows',
    ],
    [
      '!reset in a plain block',
      `application: { api: { ${image}, replicas: !reset §2 } }`,
      'wrong-type',
      '!reset stands under changes:',
    ],
    [
      '!reset in a list',
      `application: { api: { ${image} } }\nchanges: { application: { api: { args: [!reset §a] } } }`,
      'wrong-type',
      '!reset stands under changes:',
    ],
    [
      '!reset as the tag of a key',
      `application: { api: { ${image}, env: { A: "1" } } }\nchanges: { application: { api: { env: { !reset §A: "2" } } } }`,
      'yaml-syntax',
      '!reset is the tag of a value',
    ],
    [
      '!reset of what is merged',
      `application: { api: { ${image}, env: { A: "1" } } }\nchanges: { application: { api: { env: { §<<: !reset { A: "2" } } } } }`,
      'yaml-syntax',
      '!reset is the tag of a value',
    ],
    [
      '!reset of all changes',
      `application: { api: { ${image} } }\nchanges: !reset §{ application: { api: { replicas: 2 } } }`,
      'wrong-type',
      '!reset stands under changes:',
    ],
    [
      '!reset in a value of a parameter',
      'application: { api: { use: web, with: { port: !reset §3 } } }',
      'wrong-type',
      '!reset stands under changes:',
    ],
    [
      '!reset in a declaration',
      `templates: { t: { parameters: { p: { default: !reset §a } }, block: { ${image}, env: { A: "\${param:p}" } } } }\napplication: { api: { use: t } }`,
      'wrong-type',
      '!reset stands under changes:',
    ],
    [
      'a hole in a default',
      `templates: { t: { parameters: { p: { default: §"\${param:q}" }, q: { default: a } }, block: { ${image}, env: { A: "\${param:p}\${param:q}" } } } }\napplication: { api: { use: t } }`,
      'bad-expression',
      'stands in a default',
    ],
    [
      'a map over a text',
      `application: { api: { ${image}, env: "A=1" } }\nchanges: { application: { api: { §env: { A: "2" } } } }`,
      'inconsistent',
      'env is a map here and a text in staging.yaml:4:75, and the two do not merge',
    ],
    [
      'a reference that !reset leaves hanging',
      `redis: { c: { dockerImage: redis:8, databasePassword: "\${secret:PW}" } }\napplication: { api: { ${image}, env: { H: §"\${ref:redis.c.host}" } } }\nchanges: { redis: { c: !reset } }`,
      'bad-reference',
      'staging.yaml:6:21 takes staging.redis.c out with !reset',
    ],
  ])('%s', async (_title, text, code, says) => {
    const found = await mistakes({ 'staging.yaml': `${head}${text.includes('templates:') ? '' : web}${text}\n` });
    const column = says.replace(/staging\.yaml:(\d+)/, (_all, line: string) => `staging.yaml:${Number(line) + 9}`);
    expect(found).toEqual([{ code, at: 'the mark', says: expect.stringContaining(column) as string }]);
  });

  test('changes and templates of a root file in an included one', async () => {
    const files = { 'staging.yaml': `${head}include: [a.yaml]\n`, 'a.yaml': '§changes: {}\n' };
    expect(await mistakes(files)).toMatchObject([{ code: 'unknown-key', at: 'the mark' }]);
  });

  test.each([
    [
      'values',
      (i: number) =>
        `t${i}: { block: { ${Array.from({ length: 10 }, (_, n) => `e${n}: { use: t${i + 1} }`).join(', ')} } }`,
    ],
    [
      'text',
      (i: number) =>
        `t${i}: { parameters: { x: {} }, block: { use: t${i + 1}, with: { x: "${'${param:x}'.repeat(10)}" } } }`,
    ],
    ['levels', (i: number) => `t${i}: { block: { use: t${i + 1} } }`],
  ])('templates of templates that expand to too many %s', async (what, row) => {
    const last =
      what === 'text' ? 't20: { parameters: { x: {} }, block: { description: "${param:x}" } }' : 't20: { block: {} }';
    const lines = [...Array.from({ length: 20 }, (_, i) => `  ${row(i)}\n`), `  ${last}\n`].join('');
    const use = what === 'text' ? '{ use: t0, with: { x: aaaaaaaaaa } }' : '{ use: t0 }';
    const began = Date.now();
    const found = await mistakes({ 'staging.yaml': `${head}templates:\n${lines}application: { a: ${use} }\n` });
    expect(found.length).toBeGreaterThan(0);
    expect(Date.now() - began).toBeLessThan(10_000);
  });
});
