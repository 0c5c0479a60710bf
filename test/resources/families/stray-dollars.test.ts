import { describe, expect, test } from 'vitest';
import { deploymentFindings } from '../../../src/plan/deployment-findings.ts';
import { read } from '../../diagnostics/in-manifests.ts';
import { database, everything, platform, production, raw, stack } from '../../diagnostics/provoked.ts';

/** What blocks leave to the platform, and variables that nothing reads as they are written. */

const found = async (text: string, ...codes: readonly string[]) =>
  (await read({ 'trueup.yaml': production(text) }))
    .filter(({ code }) => codes.includes(code))
    .map(({ severity, message, remedy = '' }) => `${severity}: ${message} ${remedy}`);
const says = (text: string) => [expect.stringContaining(text) as string];
const nothing: readonly string[] = [];
const web = (more: string, definition = '') =>
  raw(`services: { web: { image: nginx, ${definition} } }`, `domains: { a.example.com: { serviceName: web${more} } }`);
const api = (more: string) =>
  `    application: { api: { source: { type: docker, image: 'nginx:1.27' }, domains: { a.example.com: { ${more} } } } }\n`;

test.each([
  [web(', port: 80, https: true'), says('warning: https: without certificateType there is no certificate')],
  [web(', port: 80, https: true, customEntrypoint: tls'), says('browsers warn')],
  [web(', port: 80, https: true, stripPath: true, path: /a'), says('for a.example.com')],
  [web(', port: 80, https: true, certificateType: letsencrypt'), nothing],
  [web(', port: 80, https: true, certificateType: none'), nothing],
  [web(', port: 80, https: false'), nothing],
  [web(', port: 80'), nothing],
  // The entry point of the proxy has a resolver for what an application routes.
  [api('port: 80, https: true'), nothing],
])('https without a certificate: %s', async (text, expected) => {
  expect(await found(text, 'no-certificate')).toEqual(expected);
});

test.each([
  [web(''), says('note: it names no port: the platform routes it to port 3000 of the container Write port: 3000, or')],
  [web('', 'ports: ["8080:80"]'), says('Write port: 80.')],
  [web('', 'expose: [9000]'), says('Write port: 9000.')],
  [web('', 'ports: [{ target: 8000, published: 80 }]'), says('Write port: 8000.')],
  [web('', 'ports: ["80:80", "443:443"]'), says('Write port: 3000, or')],
  [api(''), says('port 3000')],
  [web(', port: 80'), nothing],
  [web(', port: 3000'), nothing],
  [web('', 'ports: ["127.0.0.1:8080:3000/tcp"]'), nothing],
  [web('', 'expose: ["3000"]'), nothing],
  [web('', 'ports: ["3000"]'), nothing],
  [api('port: 80'), nothing],
])('a domain without port: %s', async (text, expected) => {
  expect(await found(text, 'default-port')).toEqual(expected);
});

test.each([
  [
    web(', port: 80, forwardAuthEnabled: true'),
    says('warning: forwardAuthEnabled: the platform guards domains of applications only'),
  ],
  [web(', port: 80, forwardAuthEnabled: false'), nothing],
  [web(', port: 80'), nothing],
  [api('port: 80, forwardAuthEnabled: true'), nothing],
])('a domain that people sign in for: %s', async (text, expected) => {
  expect(await found(text, 'ignored-setting')).toEqual(expected);
});

const backup = (more: string) =>
  stack(`backups: { nightly: { schedule: '0 3 * * *', destinationId: dst_1, prefix: a/, database: shop, ${more} } }`);
test.each([
  [backup('databaseType: postgres, serviceName: web'), says('metadata has no databaseUser for postgres')],
  [backup('databaseType: mysql, serviceName: web'), says("{ mysql: { databaseRootPassword: '${secret:NAME}' } }")],
  [
    backup('databaseType: mariadb, serviceName: web, metadata: { mariadb: { databaseUser: a } }'),
    says('has no databasePassword for mariadb'),
  ],
  [
    backup('databaseType: mongo, serviceName: web, metadata: { mysql: { databaseRootPassword: a } }'),
    says('has no databaseUser and no databasePassword for mongo'),
  ],
  [backup('databaseType: libsql, serviceName: web'), says('dumps no libSQL inside a compose')],
  [backup('databaseType: postgres, metadata: { postgres: { databaseUser: a } }'), says('it names no service')],
  [backup('databaseType: postgres, serviceName: web, metadata: { postgres: { databaseUser: a } }'), nothing],
  [
    backup("databaseType: mysql, serviceName: web, metadata: { mysql: { databaseRootPassword: '${secret:P}' } }"),
    nothing,
  ],
  [
    backup('databaseType: mariadb, serviceName: web, metadata: { mariadb: { databaseUser: a, databasePassword: b } }'),
    nothing,
  ],
  [
    backup('databaseType: mongo, serviceName: web, metadata: { mongo: { databaseUser: a, databasePassword: b } }'),
    nothing,
  ],
  [database("backups: { nightly: { schedule: '0 3 * * *', destinationId: dst_1, prefix: a/ } }"), nothing],
])('a backup of a database inside a compose: %s', async (text, expected) => {
  expect(await found(text, 'backup-fails')).toEqual(expected);
});

const copy = (more: string) =>
  `volumeBackups: { a: { volumeName: data, cronExpression: '0 3 * * *', destinationId: dst_1, prefix: v/${more} } }`;

test.each([
  [
    database(copy(', turnOff: true')),
    says('turns no database off for a copy of its volume: each run fails Write turnOff: false.'),
  ],
  [database(`serverId: srv_1, ${copy('')}`), says('copies a volume of its own machine')],
  [database(copy('')), nothing],
  [api('port: 80').replace('source:', `serverId: srv_1, ${copy(', turnOff: true')}, source:`), nothing],
])('a copy of the volume of a database: %s', async (text, expected) => {
  expect(await found(text, 'backup-fails')).toEqual(expected);
});

describe('a $ that nothing reads', () => {
  const image = (name: string) => api('port: 80').replace('nginx:1.27', name);
  test.each([
    [image('nginx:${TAG}'), says('error: source.image: nothing fills in ${TAG}, and docker')],
    [image('ghcr.io/acme/$NAME'), says('Write ${var:NAME}, and under variables:')],
    [image('nginx:${TAG:-1.27}'), says('${TAG:-1.27}')],
    [image('${a.b.c}/api'), says('error')],
    [database().replace('postgres:17', 'postgres:${PG}'), says('dockerImage: nothing fills in ${PG}')],
    [database().replace('postgres:17', '${postgres.main.host}:17'), says('Write ${ref:postgres.main.host}.')],
    [image('nginx:1.27'), nothing],
    [image('nginx'), nothing],
    [image('registry:5000/a/b:1.2@sha256:0a'), nothing],
    [image('ghcr.io/acme/api:sha-1a2b'), nothing],
    [stack('', 'nginx:${TAG}'), nothing],
    [database(), nothing],
  ])('in an image: %s', async (text, expected) => {
    expect(await found(text, 'stray-dollar')).toEqual(expected);
  });

  test.each([
    ['{ HOST: a, URL: "https://${HOST}" }', says('env: URL: HOST is not filled in: the service gets the text ${HOST}')],
    ['{ HOST: a, URL: "https://$HOST/x" }', says('Write ${{HOST}}')],
    ['{ HOST: a, URL: "${X:-${HOST}}" }', says('HOST')],
    ['"HOST=a\\nURL=https://${HOST}\\n"', says('HOST')],
    ['{ DB: "${postgres.main.host}:5432" }', says('Write ${ref:postgres.main.host}.')],
    ['{ DB: "${production.compose.shop.appName}" }', says('Write ${ref:production.compose.shop.appName}.')],
    ['{ HOST: a, URL: "https://${{HOST}}" }', nothing],
    ['{ HOST: a, URL: "https://$${HOST}" }', nothing],
    ['{ OPTS: "-Dx=${spring.profile.name}" }', nothing],
    ['{ A: "pa$$w0rd$1", B: "5$" }', nothing],
    ['{ PATH: "$PATH:/app" }', nothing],
    ['{ PW: "${secret:PW}", URL: "${var:HOST}" }', nothing],
    ['{ PW: "${secret:PW}.${HOST}", HOST: b }', says('PW: HOST is not filled in')],
  ])('in env: %s', async (env, expected) => {
    const text = `variables: { HOST: { default: a } }\n`;
    const all = (await read({ 'trueup.yaml': `${text}${production(database(`env: ${env}`))}` }))
      .filter(({ code }) => code === 'stray-dollar')
      .map(({ message, remedy = '' }) => `${message} ${remedy}`);
    expect(all).toEqual(expected);
  });
});

describe('beside a plan', () => {
  /** What deployments do, of a manifest beside one that is applied, on a platform of a version. */
  const planned = async (before: string, after: string, version = '0.30.2') => {
    const made = platform();
    if (before !== '') await made.apply(production(before), everything);
    const { deployments } = await made.manifest(production(after));
    const { actions } = await made.plan(production(after));
    return deploymentFindings(deployments, actions, version).map(({ code, message }) => `${code} ${message}`);
  };
  const env = (value: string) =>
    raw(
      "services: { web: { image: nginx, environment: { HOST: '${HOST}', URL: '${URL}' } } }",
      `env: { HOST: a, URL: "${value}" }`,
    );

  test.each([
    ['${HOST}', '0.30.0', says('stray-dollar env: URL: HOST is not filled in')],
    ['${HOST}', 'v0.29.9', says('stray-dollar env: URL: this platform is older than 0.30.0')],
    ['$NONE', 'v0.29.14', says('this platform is older')],
    ['http://a:pa$NONE@b', 'v0.29.14', says('docker compose puts a variable in place of the text')],
    ['pa${x', '0.29.9', nothing],
    ['$NONE', '0.30.1', nothing],
    ['$$HOST 5$', '0.9.0', nothing],
    ['${{HOST}}', '0.29.9', nothing],
    ['$NONE', 'canary', nothing],
  ])('a $ in env, %s on %s', async (value, version, expected) => {
    expect(await planned('', env(value), version)).toEqual(expected);
  });

  test('a domain that exists may have what its block leaves open', async () => {
    const open = web(', https: true');
    expect(await planned('', open)).toEqual([...says('default-port'), ...says('no-certificate')]);
    const there = web(', https: true, port: 80, certificateType: letsencrypt');
    expect(await planned(there, open.replace('https: true', 'https: true, path: /'))).toEqual([]);
  });

  const file = (content: string, type: string, { definition = "volumes: ['../files/a.conf:/a']", rest = '' } = {}) =>
    raw(
      `services: { web: { image: nginx, ${definition} } }\n${rest}`,
      `composeType: ${type}, files: { a.conf: { content: ${content} } }`,
    );
  const config = { definition: 'configs: [c]', rest: 'configs: { c: { file: ../files/a.conf } }' };
  test.each([
    ['stack', {}, says('not-effective content: the deployment writes the file, and restarts no container')],
    ['docker-compose', {}, says('web may go on with what was read before')],
    ['stack', { definition: "volumes: ['../files:/etc/app:ro']" }, says('not-effective')],
    ['stack', config, says('refused-setting content: Swarm cannot change c of configs')],
    ['docker-compose', config, nothing],
  ])('a new content alone, of a %s with %j', async (type, parts, expected) => {
    expect(await planned(file('a', type, parts), file('b', type, parts))).toEqual(expected);
  });

  test.each([
    ['a new service', '', file('a', 'stack')],
    ['the same content', file('a', 'stack'), file('a', 'stack')],
    ['beside another definition', file('a', 'stack'), file('b', 'stack').replace('nginx', 'nginx:1.27')],
    [
      'with other variables',
      file('a', 'stack'),
      file('b', 'stack').replace('composeType', 'env: { A: b }, composeType'),
    ],
  ])('%s keeps no container', async (_, before, after) => {
    expect((await planned(before, after)).filter((text) => !text.startsWith('unused-env'))).toEqual([]);
  });
});
