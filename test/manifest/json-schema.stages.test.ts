import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { manifestSchema } from '../../src/manifest/json-schema.ts';
import { kinds } from '../../src/resources/index.ts';
import { planted, repository, withMistake } from '../support/planted-mistakes.ts';
import { createRandom } from '../support/random-stages.ts';
import { yamlTrials } from '../support/yaml-samples.ts';

/** What editors say of the files of stages. */

const formats = { uri: (text: string) => URL.canParse(text), email: /@/ };
const check = new Ajv2020({ strict: true, allErrors: true, formats }).compile(manifestSchema(kinds));

/** As an editor that knows the tag `!reset` reads it: a scalar with a tag is its text. */
const parsed = (yaml: string) => parseDocument(yaml, { merge: true, logLevel: 'silent' });

/** What the schema says against a file. */
function refused(yaml: string): string {
  const document = parsed(yaml);
  if (document.errors.length > 0) return String(document.errors[0]);
  if (check(document.toJS())) return '';
  return (check.errors ?? [])
    .map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`)
    .join('\n');
}

describe('the JSON Schema accepts', () => {
  it('each file of the example with stages', () => {
    expect(Object.entries(repository).map(([file, text]) => [file, refused(text)])).toEqual(
      Object.keys(repository).map((file) => [file, '']),
    );
  });

  it('each manifest of the pages', () => {
    const trials = (['other pages', 'generated pages'] as const).flatMap(yamlTrials);
    const files = trials
      .filter(({ commands, prints }) => commands.startsWith('trueup validate') && prints === undefined)
      .flatMap(({ at, files: all }) =>
        Object.entries(all).map(([name, text]) => [`${at} ${name}`, refused(text)] as const),
      );
    expect(files.length).toBeGreaterThan(100);
    expect(files.filter(([, problem]) => problem !== '')).toEqual([]);
  });

  it('200 generated repositories, in both of their forms', () => {
    const wrong = Array.from({ length: 200 }, (_, seed) => createRandom(seed)).flatMap(({ staged, writtenOut }, seed) =>
      Object.entries({ ...staged, writtenOut }).flatMap(([name, text]) => {
        const problem = refused(text);
        return problem === '' ? [] : [`${seed} ${name}: ${problem}`];
      }),
    );
    expect(wrong).toEqual([]);
  });

  it.each([
    'application: { a: { use: t, source: { branch: main } } }',
    'application: { a: { use: t, with: { a: 1, b: [x, 2], c: "${secret:A}" }, memoryLimit: !reset , domains: !reset } }',
    'application: { a: { use: t, domains: { main: { use: d, port: 80 } } } }',
    'application: { a: { source: { type: docker, image: a }, args: "${var:words}", replicas: "${var:count}" } }',
    'templates: { t: { block: { source: { type: "${param:type}", image: a }, protect: "${param:kept}", replicas: "${param:count}" } } }',
    'templates: { t: { block: { use: u, memoryLimit: !reset } }, d: { block: { host: a, port: "${param:port}" } } }',
    'trueup: 1\nproject: a\nchanges: { application: { a: { healthCheckSwarm: { Interval: !reset , Timeout: 3s }, env: !reset { A: 1 } } } }',
    'trueup: 1\nproject: a\nchanges: { environments: { production: { postgres: { main: !reset } } }, tags: { live: { color: "#ffffff" } } }',
    'trueup: 1\nproject: a\nchanges: { compose: { shop: { domains: { "shop.example.com": { https: !reset false , port: !reset 80 } } } } }',
    'trueup: 1\nproject: a\nchanges: { application: !reset , tags: !reset }',
    'variables: { a: { type: number, default: "${preview:id}" } }',
    'environment: { env: { A: 1 }, protect: true }',
    'trueup: 1\ninclude: [shop.yaml]\nenvironment: { name: staging, description: x }\nredis: { a: { use: cache } }',
    'trueup: 1\nproject: a\nenvironment: pr\npreview: { for: 3d12h, most: 10 }',
    'trueup: 1\nproject: a\nsecrets: [{ sealed: a.env, recipients: [age1abc] }, { file: b.env }]',
    'moved: [{ from: staging, to: test }]\ngenerated: { A: uuid, B: ed25519, C: { length: 40 } }',
    'variables: { a: , b: {}, c: { type: list, default: [x], pattern: a+ }, d: { type: number, min: 1 }, e: { default: 1.10 } }',
  ])('%s', (text) => {
    expect(refused(text)).toBe('');
  });
});

describe('the JSON Schema finds', () => {
  it.each([
    ['trueup: 1\nproject: a\nchanges: { application: { api: { memoryLimt: 1Gi } } }', 'memoryLimt'],
    ['trueup: 1\nproject: a\nchanges: { application: { api: { domains: { main: { prot: 80 } } } } }', 'prot'],
    ['trueup: 1\nproject: a\nchanges: { application: { api: { healthCheckSwarm: { Intervall: 3s } } } }', 'Intervall'],
    [
      'trueup: 1\nproject: a\nchanges: { application: { api: { replicas: many } } }',
      '/changes/application/api/replicas must be integer',
    ],
    [
      'trueup: 1\nproject: a\nchanges: { application: { api: { use: web } } }',
      '/changes/application/api must NOT be valid',
    ],
    ['trueup: 1\nproject: a\nchanges: { aplication: { api: { replicas: 2 } } }', 'aplication'],
    ['trueup: 1\nproject: a\nchanges: { project: { description: a } }', 'project'],
    [
      'trueup: 1\nproject: a\nchanges: { postgres: { main: { private: !reset } } }',
      '/changes/postgres/main/private must be array',
    ],
    ['application: { a: { use: t, replicas: many } }', '/application/a/replicas must be integer'],
    ['application: { a: { use: t, memoryLimt: 1Gi } }', 'memoryLimt'],
    ['application: { a: { use: t, source: { type: docker, branch: main } } }', 'branch'],
    ['application: { a: { use: t, domains: { main: { prot: 80 } } } }', 'prot'],
    ['application: { a: { use: [t] } }', '/application/a/use must be string'],
    ['application: { a: { use: t, with: [1] } }', '/application/a/with must be object'],
    ['application: { a: { with: { a: 1 } } }', '"with"'],
    [
      'application: { a: { source: { type: docker, image: a }, replicas: !reset } }',
      '/application/a/replicas must be integer',
    ],
    ['application: { a: { source: { type: docker, image: a }, replicas: "${param:count}" } }', 'must be integer'],
    ['templates: { t: { block: { id: a } } }', '/templates/t/block/id must NOT be valid'],
    ['templates: { t: { block: { protect: false } } }', '/templates/t/block/protect must be equal to constant'],
    ['templates: { t: { block: { memoryLimt: 1Gi } } }', 'memoryLimt'],
    ['templates: { t: { block: { dockerImage: a, source: { type: docker, image: a } } } }', 'source'],
    ['templates: { t: { parameters: { a: { promote: true } }, block: {} } }', 'promote'],
    ['trueup: 1\nproject: a\nenvironment: pr\npreview: { fro: 3d }', 'fro'],
    ['trueup: 1\nproject: a\nenvironment: pr\npreview: { for: soon }', '/preview/for must match'],
    ['environment: staging', "must have required property 'trueup'"],
    ['trueup: 1\nproject: a\nredis: {}', "must have required property 'environment'"],
    ['trueup: 1\nproject: a\nenvironment: a\nenvironments: {}', '/environments boolean schema is false'],
    ['trueup: 1\nproject: a\nenvironment: { name: a, redis: {} }', 'redis'],
    ['variables: { a: { type: number, default: many } }', '/variables/a/default must be number'],
    ['variables: { a: { min: 1 } }', '/variables/a/min'],
    ['variables: { a: x }', '/variables/a must be object'],
    ['trueup: 1\nproject: a\nsecrets: [{ sealed: a.env }]', 'recipients'],
  ])('the mistake in %s', (text, says) => {
    expect(refused(text)).toContain(says);
  });

  it('the planted mistakes that one file shows', () => {
    const found = planted.filter((mistake) =>
      Object.values(withMistake(mistake)).some((text) => refused(text.replaceAll(/[§¤]/g, '')) !== ''),
    );
    expect(found.length).toBe(29);
  });
});
