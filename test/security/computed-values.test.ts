import { describe, expect, test } from 'vitest';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import { read } from '../diagnostics/in-manifests.ts';
import { head } from '../support/world.ts';

/** No message holds what checks compute from a variable of the environment or from a secret. */

type Given = NonNullable<Parameters<typeof read>[1]>;

async function reported(text: string, given: Given): Promise<string[]> {
  const found = await read({ 'trueup.yaml': `${head}${text}` }, given).catch((error: unknown) => {
    if (error instanceof Stop) return error.diagnostics;
    throw error;
  });
  return found.map(({ code, message, remedy = '' }) => `${code} ${message} -> ${remedy}`);
}

const compose = (file: string, domains: string) => `environments:
  production:
    compose:
      shop:
        source: { type: raw, composeFile: ${file} }
        domains: ${domains}
`;
const web = '"services: { web: { image: nginx } }"';

describe('a problem that only the value of a variable makes has a general sentence', () => {
  test.each<[string, string, Record<string, string>, readonly string[]]>([
    [
      'a host in another case',
      compose(
        web,
        '{ a: { host: "${env:HOST}", serviceName: web, port: 80 }, b: { host: shop.example.com, serviceName: web, port: 80 } }',
      ),
      { HOST: 'SHOP.example.com' },
      ['overlap host: with the value of ${env:HOST}, two declarations overlap -> Correct ${env:HOST}.'],
    ],
    [
      'a path',
      compose(
        '"services: { web: { image: a }, api: { image: b } }"',
        '{ a: { host: a.b, path: "/${env:ROUTE}", serviceName: web, port: 80 }, b: { host: a.b, path: /x9q, serviceName: api, port: 80 } }',
      ),
      { ROUTE: 'x9q' },
      ['overlap host: with the value of ${env:ROUTE}, two declarations overlap -> Correct ${env:ROUTE}.'],
    ],
    [
      'the name of a service',
      compose(web, '{ a.b: { serviceName: "${env:SERVICE}" } }'),
      { SERVICE: 'hidden-name' },
      [
        'inconsistent serviceName: with the value of ${env:SERVICE}, two declarations contradict each other -> Correct ${env:SERVICE}.',
      ],
    ],
    [
      'services in a text',
      compose('"services: { ${env:NAMES} }"', '{ a.b: { serviceName: web } }'),
      { NAMES: 'hidden-one: {}' },
      [
        'inconsistent serviceName: with the value of ${env:NAMES}, two declarations contradict each other -> Correct ${env:NAMES}.',
      ],
    ],
    [
      'a text that is no YAML',
      compose('"services: ${env:TEXT}"', '{ a.b: { serviceName: web } }'),
      { TEXT: '!<hidden-tag {' },
      [
        'inconsistent source.composeFile: with the value of ${env:TEXT}, this is not valid YAML -> Correct ${env:TEXT}.',
      ],
    ],
    [
      'a port',
      'environments:\n  production:\n    application:\n      web: { ports: { a: { publishedPort: "${env:PORT}", targetPort: 1 } } }\n      api: { ports: { a: { publishedPort: 7431, targetPort: 1 } } }\n',
      { PORT: '7431' },
      ['overlap publishedPort: with the value of ${env:PORT}, two declarations overlap -> Correct ${env:PORT}.'],
    ],
    [
      'a choice',
      'environments:\n  production:\n    libsql:\n      main: { dockerImage: a, databaseUser: a, databasePassword: a, sqldNode: "${env:NODE}", sqldPrimaryUrl: "http://a.b" }\n',
      { NODE: 'primary' },
      [
        'inconsistent sqldPrimaryUrl does not go with sqldNode: ${env:NODE} -> Remove sqldPrimaryUrl, or correct ${env:NODE}.',
      ],
    ],
    [
      'a mount',
      'environments:\n  production:\n    redis:\n      main: { databasePassword: a, mounts: { "x": { type: volume, volumeName: v, mountPath: "${env:AT}" } } }\n',
      { AT: '/data' },
      [
        'inconsistent mountPath: with the value of ${env:AT}, two declarations contradict each other -> Correct ${env:AT}.',
      ],
    ],
  ])('%s', async (_of, text, env, expected) => {
    expect((await reported(text, { env })).filter((one) => !one.startsWith('adopt-only'))).toEqual(expected);
  });

  test('beside problems that have nothing to do with it, which print as they are', async () => {
    const text = compose(web, '{ a.b: { serviceName: "${env:SERVICE}" }, c.d: { serviceName: nowhere } }');
    expect(await reported(text, { env: { SERVICE: 'web' } })).toEqual([
      'inconsistent serviceName: the compose file of shop has no service nowhere -> Its services are web.',
    ]);
  });
});

test('what is not known yet is not taken for what is left out', async () => {
  const text = `environments:
  production:
    redis: { main: { databasePassword: a } }
    compose:
      shop:
        source: { type: raw, composeFile: ${web} }
        domains:
          a: { host: "\${ref:redis.main.host}", serviceName: web, port: 80 }
          b: { host: "\${ref:redis.main.appName}", serviceName: web, port: 80 }
`;
  expect(await reported(text, {})).toEqual([]);
});

test('A4: nothing that objects are found by holds a secret', async () => {
  const text = 'tags: { a: { name: "${secret:PIN}" }, b: { name: "4711" } }\n';
  for (const PIN of ['4711', '4712'])
    expect(await reported(text, { secrets: { PIN } })).toEqual([
      'misplaced-secret name must not hold ${secret:PIN}: plans and messages show its value -> Write name: "${var:PIN}", declare PIN: {} under variables:, and set TRUEUP_VAR_PIN to the value.',
    ]);
});
