import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/formats/json.ts';
import type { Body, Stand } from '../support/kind-manifests.ts';
import { manifestWith, stands } from '../support/kind-manifests.ts';
import { told } from '../support/problems.ts';

/** Natural keys are unique within a parent: two blocks of one would be two objects that only the state tells apart. */

/** The manifest of a stand with a second block beside its own. */
function withSecond(stand: Stand, first: Body, second: readonly [key: string, body: Body]): string {
  const manifest = JSON.parse(manifestWith(stand, first)) as Record<string, Json>;
  const add = (node: Json): boolean => {
    if (typeof node !== 'object' || node === null || Array.isArray(node)) return false;
    const section = (node as Record<string, Record<string, Json> | undefined>)[stand.kind.section];
    if (section?.[stand.key] === undefined) return Object.values(node).some(add);
    section[second[0]] = second[1];
    return true;
  };
  if (!add(manifest)) throw new Error(`${stand.title}: no section ${stand.kind.section}`);
  return JSON.stringify(manifest);
}

/** The fields of the natural key that a block can say, with the value that they have for the first block. */
function keyOf({ kind, parent, key, body }: Stand): Record<string, Json> {
  const { identity } = kind;
  const names = typeof identity.key === 'function' ? identity.key((name) => body[name]) : identity.key;
  const given = names.filter((name) => !Object.hasOwn(kind.parents[parent]?.set ?? {}, name));
  const values = given.map((name) => [name, body[name] ?? (name === identity.keyField ? key : undefined)] as const);
  return Object.fromEntries(values.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

const backups = ['a', 'b']
  .map((key) => `${key}: { schedule: "0 3 * * *", destinationId: dst_1, prefix: shop/ }`)
  .join(', ');
const domains = ['a', 'b'].map((key) => `${key}: { host: shop.example.com, port: 80 }`).join(', ');
const said = (names: readonly string[]) =>
  `have the same ${names.join(', ')}: they would be two objects that nothing but the state tells apart Write another ${names.join(' or ')} in one of them, or remove it.`;

/** A kind whose key has nothing that a block says has one object for each parent. */
const all = stands().filter((stand) => Object.keys(keyOf(stand)).length > 0);

describe('U4, U20: two blocks of one natural key are refused', () => {
  test('for every kind below every parent', () => {
    const covered = new Set(all.map(({ kind }) => kind.kind));
    expect(
      stands()
        .filter(({ kind }) => kind.isSingle !== true && !covered.has(kind.kind))
        .map(({ title }) => title),
    ).toEqual([]);
  });

  test.each(all.map((stand) => [stand.title, stand] as const))('%s', async (_title, stand) => {
    const text = withSecond(stand, stand.body, ['second-block', { ...stand.body, ...keyOf(stand) }]);
    const { problems } = await told(text);
    expect(problems.map((problem) => problem.split(' ')[0])).toContain('defined-twice');
  });

  test.each([
    [
      'postgres',
      'main: { databaseName: shop, databaseUser: shop, databasePassword: x',
      'backups',
      backups,
      said(['database', 'destinationId', 'prefix']),
    ],
    ['application', 'api: { source: { type: docker, image: nginx }', 'domains', domains, said(['host', 'path'])],
  ])(
    'below a block of %s, with a remedy of fields that a block can say',
    async (section, service, children, two, expected) => {
      const text = `environments:\n  production:\n    ${section}:\n      ${service}, ${children}: { ${two} } }\n`;
      expect((await told(`trueup: 1\nplatform: emulator\nproject: prj_1\n${text}`)).said).toContain(expected);
    },
  );

  test.each(
    all.flatMap((stand) => {
      const texts = Object.entries(keyOf(stand)).filter(([, value]) => typeof value === 'string');
      return texts.map(([name, value]) => [`${stand.title}: ${name}`, stand, name, String(value)] as const);
    }),
  )('%s with a space behind it is the same, or refused', async (_title, stand, name, value) => {
    const second = { ...stand.body, ...keyOf(stand), [name]: `${value} ` };
    const { problems } = await told(withSecond(stand, stand.body, ['second-block', second]));
    expect(problems.length).toBeGreaterThan(0);
  });
});
