import { Validator } from '@cfworker/json-schema';
import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import { kindAt } from '../../src/manifest/kind-at.ts';
import { manifestSchema } from '../../src/manifest/json-schema.ts';
import { kinds } from '../../src/resources/index.ts';
import { bench, head } from '../support/world.ts';

const services = `environments:
  production:
    redis: { cache: { databasePassword: x1, dockerImage: "redis:8" } }
`;

/** What is wrong with a manifest: code, place and words. */
async function problems(text: string | Record<string, string>): Promise<string[]> {
  try {
    await bench().manifest(text);
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    return error.diagnostics.map(
      ({ code, address, message, remedy, position: at }) =>
        `${code} ${at?.file}:${at?.line}:${at?.column} ${address ?? ''}: ${message} -> ${remedy ?? ''}`,
    );
  }
  return [];
}

describe('outputs:', () => {
  it('reports every mistake with its position, as for fields of resources', async () => {
    const text = `${head}${services}outputs:
  one: \${ref:production.redis.cahce.host}
  two: \${ref:production.redis.cache.hots}
  three: \${ref:cache}
  four: \${var:none}
  five: a \${env:TRUEUP_API_KEY}
`;
    expect(await problems(text)).toEqual([
      'bad-reference trueup.yaml:8:8 outputs.one: ${ref:production.redis.cahce.host}: there is no resource production.redis.cahce -> Did you mean ${ref:production.redis.cache.host}?',
      'bad-reference trueup.yaml:9:8 outputs.two: ${ref:production.redis.cache.hots}: production.redis.cache has no output hots -> Did you mean ${ref:production.redis.cache.host}?',
      'bad-reference trueup.yaml:10:10 outputs.three: ${ref:cache} must be an address and an output -> Write for example ${ref:postgres.main.host}. Write a key with other characters than letters, digits, "_" and "-" as ["…"].',
      'bad-expression trueup.yaml:11:9 outputs.four: there is no variable none -> Declare it under variables:.',
      'hostile-setting trueup.yaml:12:9 outputs.five: a manifest cannot read ${env:TRUEUP_API_KEY} -> Write ${secret:NAME} for a secret. Variables that begin with TRUEUP_ configure Trueup itself; the API key is one.',
    ]);
  });

  it.each([
    ['outputs:', 'wrong-type trueup.yaml:7:9 '],
    ['outputs: [a]', 'wrong-type trueup.yaml:7:10 '],
    ['outputs: { a: [b] }', 'wrong-type trueup.yaml:7:15 '],
    ['outputs: { a: null }', 'wrong-type trueup.yaml:7:15 '],
    ['outputs: { "a b": x }', 'wrong-type trueup.yaml:7:'],
  ])('accepts names and texts only: %s', async (line, told) => {
    const [first, ...others] = await problems(`${head}${services}${line}\n`);
    expect(first).toContain(told);
    expect(first).toContain('outputs: ');
    expect(first).toContain('Write outputs: { name: "${ref:address.output}" }');
    expect(others).toEqual([]);
  });

  it('may stand in included files, with each name once', async () => {
    const root = `${head}include: [more.yaml]\n${services}outputs: { a: x }\n`;
    const made = bench();
    const { outputs } = await made.manifest({
      'trueup.yaml': root,
      'more.yaml': 'outputs: { b: "${ref:production.redis.cache.id}" }\n',
    });
    expect([...outputs.keys()]).toEqual(['a', 'b']);
    expect(outputs.get('b')?.references).toEqual([{ address: 'production.redis.cache', output: 'id' }]);
    expect((await problems({ 'trueup.yaml': root, 'more.yaml': 'outputs: { a: y }\n' }))[0]).toContain(
      'defined-twice more.yaml:1:12',
    );
  });

  it('changes nothing in a plan', async () => {
    const made = bench();
    await made.apply(head + services, { adoption: true });
    const plan = await made.plan(`${head}${services}outputs: { a: "\${ref:production.redis.cache.host}" }\n`);
    expect(plan.actions.filter(({ action }) => action !== 'no-op')).toEqual([]);
  });

  it('is part of the JSON Schema', () => {
    const editor = new Validator(manifestSchema(kinds), '2020-12');
    const accepts = (yaml: string): boolean => editor.validate(parseDocument(yaml).toJS()).valid;
    expect(accepts('outputs: { db_host: "${ref:production.postgres.main.host}", port: 5432 }')).toBe(true);
    expect(accepts('outputs: { "a b": x }')).toBe(false);
    expect(accepts('outputs: { a: [x] }')).toBe(false);
  });
});

it.each([
  ['production', 'environment'],
  ['production.postgres.main', 'postgres'],
  ['production.compose.shop.domains["shop.example.com"]', 'domain'],
  ['gitlab.lab', 'gitlab'],
  ['environments.redis.cache', 'redis'],
  ['production.nothing.main', undefined],
  ['production.postgres', undefined],
  ['', undefined],
  ['a b', undefined],
])('the address %s belongs to the kind %s', (address, kind) => {
  expect(kindAt(address, kinds)?.kind.kind).toBe(kind);
});
