import { Validator } from '@cfworker/json-schema';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { mayHoldSecrets } from '../../src/kind/field.ts';
import type { Json } from '../../src/formats/json.ts';
import type { Kind } from '../../src/kind/kind.ts';
import { manifestSchema } from '../../src/manifest/json-schema.ts';
import { kinds } from '../../src/resources/index.ts';

const whole = manifestSchema(kinds);
const id = whole['$id'] as string;

/** Refuses every schema that JSON Schema does not define, such as a format or a keyword that it does not know. */
const strict = new Ajv2020({
  strict: true,
  allErrors: true,
  formats: { uri: (text) => URL.canParse(text), email: /@/ },
});
const strictly = strict.compile(whole);
const other = new Validator(whole, '2020-12');
const read = (yaml: string): unknown => parseDocument(yaml, { merge: true }).toJS();
const accepts = (yaml: string): boolean => other.validate(read(yaml)).valid;
const postgres = (fields: string): string => `environments: { production: { postgres: { main: { ${fields} } } } }`;
const compose = (fields: string): string => `environments: { production: { compose: { shop: { ${fields} } } } }`;
const application = (fields: string): string => `environments: { production: { application: { web: { ${fields} } } } }`;
const folder = new URL('../../examples/', import.meta.url);
const examples = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
  /^[^/]+\/(environments\/)?[^/]+\.yaml$/.test(path),
);

interface Node {
  readonly [key: string]: unknown;
  readonly $ref?: string;
  readonly description?: string;
}

/** Every schema within the schema, with its JSON pointer. */
function nodesIn(node: Node, at = ''): readonly { readonly at: string; readonly node: Node }[] {
  const inMap = ['properties', 'patternProperties', '$defs'].flatMap((key) =>
    Object.entries((node[key] ?? {}) as Record<string, Node>).flatMap(([name, item]) =>
      nodesIn(item, `${at}/${key}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`),
    ),
  );
  const inList = ['anyOf', 'oneOf', 'allOf', 'prefixItems'].flatMap((key) =>
    ((node[key] ?? []) as Node[]).flatMap((item, index) => nodesIn(item, `${at}/${key}/${index}`)),
  );
  const single = ['items', 'additionalProperties', 'propertyNames'].flatMap((key) =>
    typeof node[key] === 'object' ? nodesIn(node[key] as Node, `${at}/${key}`) : [],
  );
  return [{ at, node }, ...inMap, ...inList, ...single];
}

const nodes = nodesIn(whole);

/** An alternative with `!reset` has the description of the other one. */
function isDescribed({ $ref, description, anyOf }: Node): boolean {
  return /\S/.test(description ?? '') || $ref !== undefined || (Array.isArray(anyOf) && anyOf.every(isDescribed));
}

/** The field at a JSON pointer of the schema. */
function fieldAt(at: string): { readonly kind: Kind; readonly name: string } | undefined {
  const [, definition = '', rest = ''] = /^\/\$defs\/([^/]+)((?:\/.*)?)$/.exec(at) ?? [];
  const kind = kinds.find((one) => one.kind === definition.replace(/-of-.*$/, ''));
  const [, key, inUnion, inner = ''] =
    /^\/properties\/([^/]+)(?:(\/oneOf\/\d+)\/properties\/([^/]+))?$/.exec(rest) ?? [];
  if (kind === undefined || key === undefined) return undefined;
  if (inUnion !== undefined) {
    const union = kind.unions?.find((one) => (one.at ?? one.tag) === key);
    const cases = Object.values(union?.cases ?? {});
    const name = cases[Number(inUnion.split('/').at(-1))]?.[inner];
    return name === undefined ? undefined : { kind, name };
  }
  const [name] = Object.entries(kind.fields).find(([one, { written = one }]) => written === key) ?? [];
  return name === undefined ? undefined : { kind, name };
}

/** A value with a text in place of each of its texts in turn. */
function withEachText(value: Json, text: string): Json[] {
  if (typeof value !== 'object' || value === null) return [text];
  if (Array.isArray(value))
    return value.flatMap((item: Json, at) => withEachText(item, text).map((one) => value.with(at, one)));
  return Object.entries(value as Record<string, Json>).flatMap(([key, item]) =>
    withEachText(item, text).map((one): Json => ({ ...(value as Record<string, Json>), [key]: one })),
  );
}

/** Manifests with one mistake each. */
const broken: readonly string[] = [
  'environmentz: {}',
  'environments: []',
  'environments: { production: [] }',
  'environments: { production: { postgress: {} } }',
  'trueup: 2\nproject: prj_1',
  'trueup: 1',
  'platform: emulater\ntrueup: 1\nproject: prj_1',
  'platform: { url: 7 }\ntrueup: 1\nproject: prj_1',
  'platform: { address: https://platform.example }\ntrueup: 1\nproject: prj_1',
  'platform: { url: https://platform.example, profile: new }\ntrueup: 1\nproject: prj_1',
  'project: 7\ntrueup: 1',
  'project: ""\ntrueup: 1',
  'project: { description: The shop. }\ntrueup: 1',
  'project: { name: shop, tag: live }\ntrueup: 1',
  'project: { name: shop, tags: live }\ntrueup: 1',
  'project: { name: shop, env: [A] }\ntrueup: 1',
  'state: { backend: file }\ntrueup: 1\nproject: prj_1',
  'state: { backend: s3, bucket: states }\ntrueup: 1\nproject: prj_1',
  'state: { backend: postgres, schema: Upper }\ntrueup: 1\nproject: prj_1',
  'include: environments/*.yaml\ntrueup: 1\nproject: prj_1',
  'include: [""]\ntrueup: 1\nproject: prj_1',
  'variables: { tag: [[1]] }',
  'variables: { tag: { default: [[1]] } }',
  'variables: { tag: { type: int } }',
  'variables: { tag: { type: number, min: low } }',
  'variables: { "1tag": { default: a } }',
  'secrets: [{}]\ntrueup: 1\nproject: prj_1',
  'secrets: [{ keepass: a }]\ntrueup: 1\nproject: prj_1',
  'moved: [{ from: a }]',
  'moved: { from: a, to: b }',
  'outputs: { host: [a] }',
  postgres('dockerimage: "postgres:17"'),
  postgres('dockerImage: 17'),
  postgres('dockerImage: ""'),
  postgres('externalPort: high'),
  postgres('externalPort: 99999'),
  postgres('env: [A]'),
  postgres('env: { A: [1] }'),
  postgres('protect: "yes"'),
  postgres('deploy: sometimes'),
  postgres('envMode: mix'),
  postgres('id: 7'),
  compose('source: { type: raw, branch: main }'),
  compose('source: { branch: main }'),
  compose('source: { type: Git, url: "https://git.example.com/a.git", branch: main }'),
  compose('composeType: swarm'),
  compose('source: { type: raw, composeFile: 7 }'),
  compose('domains: { shop.example.com: { port: eighty } }'),
  compose('domains: { shop.example.com: { path: shop, serviceName: web } }'),
  compose('domains: [shop.example.com]'),
  application('build: { type: rail, version: "1" }'),
  application('source: { type: docker, image: nginx, branch: main }'),
  application('replicas: many'),
  'sshKeys: [a]',
];

describe('the JSON Schema of manifests', () => {
  it.each(examples)('accepts the example %s, in two validators', (path) => {
    const manifest = read(readFileSync(new URL(path, folder), 'utf8'));
    expect(strictly(manifest), JSON.stringify(strictly.errors)).toBe(true);
    expect(other.validate(manifest)).toMatchObject({ valid: true });
  });

  it.each(broken)('U14: refuses %j, in two validators', (text) => {
    const manifest = read(text);
    expect(strictly(manifest)).toBe(false);
    expect(other.validate(manifest).valid).toBe(false);
  });

  it('refuses unknown keys at every level', () => {
    expect(broken.length).toBeGreaterThanOrEqual(40);
    expect(accepts(postgres('dockerImage: "postgres:17"'))).toBe(true);
    expect(accepts(postgres('dockerimage: "postgres:17"'))).toBe(false);
    expect(accepts('environmentz: {}')).toBe(false);
  });

  it('accepts an expression where another type is required, and no other text', () => {
    expect(accepts(postgres('externalPort: 15432'))).toBe(true);
    expect(accepts(postgres('externalPort: "${var:port}"'))).toBe(true);
    expect(accepts(postgres('externalPort: high'))).toBe(false);
  });

  it('accepts ${secret:…} in exactly the fields that may hold secrets, alone, in a text and deep in a value', () => {
    const wrong = nodes.flatMap(({ at }) => {
      const { kind, name } = fieldAt(at) ?? {};
      const field = kind?.fields[name ?? ''];
      if (field === undefined) return [];
      const check = strict.getSchema(`${id}#${encodeURI(at)}`);
      return ['${secret:PW}', '/a${secret:PW}b', '$${secret:PW} ${secret:PW}', 'https://h/${secret:PW}'].flatMap(
        (secret) => {
          const values = field.examples.flatMap((example) => withEachText(example, secret));
          const taken = values.filter((value) => check?.(value) === true);
          const isRight = mayHoldSecrets(field)
            ? secret !== '${secret:PW}' || taken.length === values.length
            : taken.length === 0;
          return isRight ? [] : [`${at}: ${JSON.stringify(taken[0] ?? values[0])}`];
        },
      );
    });
    expect(wrong).toEqual([]);
  });

  it('accepts what is no expression: a ${secret:…} with two dollars, and another variable', () => {
    for (const image of [
      'postgres:$${secret:a}',
      'postgres:$$${secret:a}',
      'postgres:${SECRET}',
      'a$',
      '$$$',
      '${var:secret:}',
    ])
      expect([image, accepts(postgres(`dockerImage: '${image}'`))]).toEqual([image, true]);
    for (const image of ['${secret:a}', '$${secret:a}${secret:b}', 'x\n${secret:a}', '${var:a}${secret:a}'])
      expect([image, accepts(postgres(`dockerImage: ${JSON.stringify(image)}`))]).toEqual([image, false]);
    expect(strictly(read(postgres(`dockerImage: '${'$'.repeat(100_000)}{secret:a}'`)))).toBe(true);
  });

  it('U2: accepts amounts with a unit, and no other text', () => {
    for (const good of [
      'memoryLimit: 2Gi',
      'memoryLimit: 536870912',
      'cpuLimit: 1.5',
      'cpuLimit: 500m',
      'cpuLimit: "2.0"',
    ])
      expect([good, accepts(postgres(good))]).toEqual([good, true]);
    for (const good of ['30s', '1m30s', '30000000000', '"${var:grace}"'])
      expect([good, accepts(postgres(`stopGracePeriodSwarm: ${good}`))]).toEqual([good, true]);
    expect(accepts(postgres('healthCheckSwarm: { Interval: 30s, Timeout: 1000000 }'))).toBe(true);
    for (const bad of [
      'memoryLimit: 512M',
      'cpuLimit: half',
      'stopGracePeriodSwarm: soon',
      'healthCheckSwarm: { Interval: often }',
    ])
      expect([bad, accepts(postgres(bad))]).toEqual([bad, false]);
  });

  it('U24: accepts x- keys at the top, and only there', () => {
    expect(accepts('x-a: &a { any: [thing] }\nenvironments: { production: {} }')).toBe(true);
    expect(accepts('environments: { production: { x-a: {} } }')).toBe(false);
  });

  it('accepts env as a map and as text', () => {
    expect(accepts(postgres('env: { A: 1, B: yes, C: "3" }'))).toBe(true);
    expect(accepts(postgres('env: "A=1"'))).toBe(true);
    expect(accepts(postgres('env: [A]'))).toBe(false);
  });

  it('accepts the fields of the chosen case only', () => {
    const source = (fields: string) => compose(`source: { ${fields} }`);
    expect(accepts(source('type: git, url: https://git.example.com/a.git, branch: main'))).toBe(true);
    expect(accepts(source('type: raw, branch: main'))).toBe(false);
    expect(accepts(source('branch: main'))).toBe(false);
  });

  it('U14: describes every node, or refers to one that is described', () => {
    expect(nodes.length).toBeGreaterThan(1_500);
    expect(nodes.flatMap(({ at, node }) => (isDescribed(node) ? [] : [at]))).toEqual([]);
    const targets = new Set(nodes.map(({ at }) => `#${at}`));
    expect(nodes.flatMap(({ node: { $ref } }) => ($ref === undefined || targets.has($ref) ? [] : [$ref]))).toEqual([]);
  });

  it('U14: has a name, and no words or formats that only some validators know', () => {
    expect(URL.canParse(id)).toBe(true);
    const formats = new Set(nodes.flatMap(({ node }) => node['format'] ?? []));
    expect(formats).toEqual(new Set(['email', 'uri']));
    expect(nodes.filter(({ node }) => Array.isArray(node['type']))).toEqual([]);
  });

  it('U14: says what each word of a choice means', () => {
    expect(nodes.filter(({ node }) => 'enum' in node)).toEqual([]);
    const words = nodes.filter(({ node }) => 'const' in node);
    expect(words.length).toBeGreaterThan(50);
    const bare = words.filter(({ node }) => node.description === `${JSON.stringify(node['const'])}.`);
    expect(bare.map(({ at }) => at)).toEqual([]);
  });

  it('U14: has examples of every field, and defaults, which it accepts itself', () => {
    const fields = nodes.filter(({ node }) => Array.isArray(node['examples']));
    expect(fields.length).toBeGreaterThan(250);
    expect(nodes.filter(({ node }) => 'default' in node).length).toBeGreaterThan(50);
    const wrong = nodes.flatMap(({ at, node }) => {
      const values = [...((node['examples'] ?? []) as unknown[]), ...('default' in node ? [node['default']] : [])];
      if (values.length === 0) return [];
      const check = strict.getSchema(`${id}#${encodeURI(at)}`);
      return values.filter((value) => check?.(value) !== true).map((value) => `${at}: ${JSON.stringify(value)}`);
    });
    expect(wrong).toEqual([]);
  });

  it('describes every field, and requires the keys that a manifest needs', () => {
    const definitions = whole['$defs'] as Record<string, { properties?: Record<string, Node> }>;
    for (const [kind, { properties = {} }] of Object.entries(definitions)) {
      for (const [name, field] of Object.entries(properties)) {
        expect(isDescribed(field), `${kind}.${name}`).toBe(true);
      }
    }
    expect(whole['dependentRequired']).toMatchObject({ platform: ['trueup'] });
    expect(whole['dependentSchemas']).toMatchObject({
      trueup: { anyOf: [{ required: ['project'] }, { required: ['include'] }] },
    });
  });

  it('U14: is a file of the package, for editors that are given its path', () => {
    const { exports } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      exports: Record<string, unknown>;
    };
    const path = exports['./schema.json'] as string;
    expect(path).toBe('./schema/trueup.schema.json');
    const file = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
    expect(JSON.parse(file)).toEqual(JSON.parse(JSON.stringify(whole)));
  });
});
