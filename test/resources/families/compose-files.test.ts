import { describe, expect, test } from 'vitest';
import { deploymentCodes } from '../../../src/kind/checks.ts';
import { hasChanges } from '../../../src/plan/action.ts';
import { read } from '../../diagnostics/in-manifests.ts';
import { everything, platform, production, raw } from '../../diagnostics/provoked.ts';

/** What is found in a compose text, each as `code path-or-message`; `more` is added to its block. */
async function found(
  text: string,
  more = '',
  files: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const all = await read({ 'trueup.yaml': production(raw(text, more)), ...files }).catch((error: unknown) => {
    throw new Error(String(error));
  });
  const codes: readonly string[] = [...deploymentCodes, 'overlap', 'inconsistent', 'bad-reference', 'allowed'];
  return all.filter(({ code }) => codes.includes(code)).map(({ code, message }) => `${code}: ${message}`);
}

const one = (definition: string, rest = '') => `services:\n  web: { image: nginx, ${definition} }\n${rest}`;
const domain = 'domains: { shop.example.com: { serviceName: web, port: 80 } }';
const says = (code: string, text: string) => [expect.stringMatching(new RegExp(`^${code}: .*${text}`)) as string];
const nothing: readonly string[] = [];

test.each([
  ['service:\n  web: { image: nginx }\n', says('not-compose', 'must be a map with services')],
  ['- web\n', says('not-compose', 'must be a map')],
  ['./stack.yml', says('not-compose', 'must be a map')],
  ['version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n', says('not-compose', 'must be a map')],
  ['services:\n  web: nginx\n', says('not-compose', 'services.web must be a map')],
  ['services: [web]\n', says('not-compose', 'must be a map with services')],
  ['services: { web: { image: nginx } }\n', nothing],
  ['name: shop\nservices: { web: { image: nginx } }\n', nothing],
  ['version: "3"\nservices: { web: { image: nginx } }\n', nothing],
  ['x-a: &a { image: nginx }\nservices: { web: *a }\n', nothing],
  ['# none\nservices:\n  web:\n    image: nginx\n', nothing],
  ['services: {}\n', says('refused-setting', 'services: has none')],
  ['services: {}\ninclude: [oci://a/b]\n', nothing],
])('F5: a text that is no compose file: %j', async (text, expected) => {
  expect(await found(text)).toEqual(expected);
});

test('F5: the remedies name what was meant', async () => {
  const remedies = async (text: string) =>
    (await read({ 'trueup.yaml': production(raw(text)) })).map((one) => one.remedy);
  expect(await remedies('./stack.yml')).toEqual(['Did you mean ${file:stack.yml}?']);
  expect(await remedies('service: {}')).toEqual(['Did you mean services: in place of service:?']);
  expect(await remedies('version https://git-lfs.github.com/spec/v1')).toEqual([
    'The file is a pointer of Git LFS: run git lfs pull.',
  ]);
});

describe('F1: what a raw source does not have', () => {
  test.each([
    [one('build: .'), says('not-in-source', 'services.web.build names \\., which is not there')],
    [one('build: { context: ./app, dockerfile: Dockerfile }'), says('not-in-source', 'names ./app')],
    [one('env_file: app.env'), says('not-in-source', 'services.web.env_file names app.env')],
    [one('env_file: [{ path: a.env }]'), says('not-in-source', 'env_file.path names a.env')],
    [one('extends: { file: base.yml, service: web }'), says('not-in-source', 'services.web.extends names base.yml')],
    ['include: [other.yml]\nservices: { web: { image: nginx } }', says('not-in-source', 'include names other.yml')],
    [one('configs: [c]', 'configs: { c: { file: ./c.conf } }'), says('not-in-source', 'configs.c.file names ./c.conf')],
    [one('secrets: [s]', 'secrets: { s: { file: s.txt } }'), says('not-in-source', 'secrets.s.file')],
    [
      'services: { web: &app { build: . }, worker: *app }',
      says('not-in-source', 'services.web.build, services.worker.build name \\., which'),
    ],
    [one('build: https://github.com/traefik/whoami.git'), nothing],
    [one('build: { context: ., dockerfile_inline: "FROM nginx" }'), nothing],
    [one('env_file: .env'), nothing],
    [one('env_file: [{ path: a.env, required: false }]'), nothing],
    [one('profiles: [debug], build: .', '  api: { image: nginx }'), nothing],
    [one('configs: [c]', 'configs: { c: { content: a }, unused: { file: ./c.conf } }'), nothing],
    [one('extends: { service: base }', '  base: { image: nginx }'), nothing],
    [one('env_file: /etc/shop.env'), nothing],
  ])('%s', async (text, expected) => {
    expect(await found(text)).toEqual(expected);
  });

  test.each([
    ["'./uploads:/srv/uploads'", 'web mounts ./uploads, and each deployment removes it with all data'],
    ["'./a:/a', './b:/b'", 'web mounts ./a, ./b, and each deployment removes them with all data'],
    ["'.:/app'", 'web mounts ., and each deployment removes it'],
    ["'${UP:-./uploads}:/srv'", 'web mounts ./uploads, and'],
    ['{ type: bind, source: ./data, target: /data }', 'web mounts ./data, and'],
    ['{ type: bind, source: data, target: /data }', 'web mounts ./data, and'],
    ["'.data:/data'", 'web mounts ./.data, and'],
    ["'./nginx.conf:/etc/nginx/nginx.conf:ro'", 'web mounts ./nginx.conf, which is not there: Docker makes an empty'],
    ["'./html:/usr/share/nginx/html:ro'", 'web mounts ./html, which each deployment makes anew, and empty'],
    ["'./letsencrypt:/etc/letsencrypt'", 'web mounts ./letsencrypt, which each deployment makes anew, and empty'],
    ["'./inc/lib.inc.php:/app/lib.php'", 'web mounts ./inc/lib.inc.php, which is not there: Docker makes an empty'],
    ["'./app.jar:/app/app.jar'", 'web mounts ./app.jar, which is not there'],
    [
      "'./a.conf:/a.conf'",
      'web, api mount ./a.conf, which is not there',
      "  api: { image: api, volumes: ['./a.conf:/b.conf'] }",
    ],
  ])('F1: volumes: [%s]', async (mounts, text, more = '') => {
    expect(await found(one(`volumes: [${mounts}]`, more))).toEqual([
      expect.stringContaining(`lost-folder: source.composeFile: ${text}`),
    ]);
  });

  test.each([
    "'../files/uploads:/srv'",
    "'../data:/srv'",
    "'/srv/uploads:/srv'",
    "'/var/run/docker.sock:/var/run/docker.sock:ro'",
    "'~/data:/srv'",
    '{ type: bind, source: ../data, target: /srv }',
    "{ type: bind, source: '~/data', target: /srv }",
    "{ type: bind, source: '${FOLDER:-/srv/data}', target: /srv }",
    '/srv',
  ])('F1: volumes: [%s] loses nothing', async (mounts) => {
    expect(await found(one(`volumes: [${mounts}]`))).toEqual(nothing);
  });

  test('F1: the remedy names a folder that stays', async () => {
    const remedy = async (mounts: string) =>
      (await read({ 'trueup.yaml': production(raw(one(`volumes: [${mounts}]`))) })).map((said) => said.remedy);
    expect(await remedy("'./uploads/:/srv'")).toEqual([
      'Mount ../files/uploads instead, which stays. Copy there first what is to be kept.',
    ]);
    expect(await remedy("'.:/srv', './a:/a'")).toEqual([
      'Mount ../files/data instead, which stays; the others likewise. Copy there first what is to be kept.',
    ]);
    expect(await remedy("'./a.conf:/a.conf:ro'")).toEqual(['Write it under files:, and mount ../files/a.conf.']);
    expect(await remedy("'./certs/:/etc/certs'")).toEqual([
      'Mount ../files/certs instead, which stays, and write what it has to hold under files:.',
    ]);
  });

  test('is not asked of a repository', async () => {
    const text =
      '    compose: { shop: { source: { type: git, url: "https://git.example.com/a.git", branch: main } } }\n';
    const all = await read({ 'trueup.yaml': production(text) });
    expect(all.map(({ code }) => code)).toEqual(['unread-file']);
  });
});

describe('F17: files and mounts', () => {
  const files = (name: string) => `files: { ${name}: { content: "a" } }`;
  test.each([
    [one("volumes: ['../files/nginx.conf:/etc/nginx.conf']"), files('nginx.cnf'), 2],
    [one("volumes: ['../files/nginx.conf:/etc/nginx.conf']"), '', 1],
    [one('user: root'), files('a.conf'), 1],
    [one("volumes: ['../files/nginx.conf:/etc/nginx.conf']"), files('nginx.conf'), 0],
    [one("volumes: ['./../files/conf:/etc/nginx']"), files('conf/nginx.conf'), 0],
    [one("volumes: ['../files:/etc/nginx']"), files('a.conf'), 0],
    [one("volumes: ['../files/conf:/etc/nginx']"), files('/conf/nginx.conf'), 0],
    [one("volumes: ['../files/nginx.conf:/etc/nginx.conf']"), files('//nginx.conf'), 0],
    [one("volumes: ['../files/nginx.conf:/etc/nginx.conf']"), files('/nginx.cnf'), 2],
    [one("volumes: ['../files/pg:/data']"), '', 0],
    [one("volumes: ['../files/conf:/etc/app:ro']"), '', 1],
    [one("volumes: ['../files/a.conf:/a']", "  app: { image: app, volumes: ['../files/a.conf:/a'] }"), '', 1],
    [one("volumes: ['../files/conf:/etc/app:ro']"), files('conf/a'), 0],
    [one("volumes: ['../files/html:/a:ro']", "  app: { image: app, volumes: ['../files/html:/a'] }"), '', 0],
    [one("volumes: ['../files/html/a:/a:ro']", "  app: { image: app, volumes: ['../files/html:/a'] }"), '', 0],
    [one("volumes: ['../files/conf:/etc/app']"), '', 0],
    [one('configs: [c]', 'configs: { c: { file: ../files/c.conf } }'), files('c.conf'), 0],
    [one('volumes: [{ type: bind, source: ../files/a.conf, target: /a.conf }]'), files('a.conf'), 0],
  ])('%s beside %s: %i warnings', async (text, more, count) => {
    const all = await found(text, more);
    expect(all.map((text) => text.split(':')[0])).toEqual(Array.from({ length: count }, () => 'unmounted-file'));
  });
});

describe('F17: data that go with the container', () => {
  const block = (kind: string, more: string) =>
    read({
      'trueup.yaml': production(
        kind === 'application'
          ? `    application: { db: { ${more} } }\n`
          : `    ${kind}: { db: { databaseName: a, databaseUser: a, databasePassword: "a-long-one", ${more} } }\n`,
      ),
    });
  const mounts = (path: string) => `mounts: { ${path}: { type: volume, volumeName: pg } }`;
  test.each([
    ['postgres', 'dockerImage: postgres', '/var/lib/postgresql/18/docker'],
    ['postgres', 'dockerImage: "bitnamilegacy/postgresql:16"', '/bitnami/postgresql'],
    ['postgres', 'dockerImage: "timescale/timescaledb-ha:pg16"', '/home/postgres/pgdata/data'],
    ['postgres', 'dockerImage: "postgres:17", env: { PGDATA: /srv/pg }', '/srv/pg'],
    ['application', `source: { type: docker, image: "postgres:18" }, ${mounts('/var/lib/pg')}`, '/18/'],
    ['application', `source: { type: docker, image: "influxdb:2" }, ${mounts('/var/lib/influxdb')}`, '/influxdb2'],
  ])('%s: %s', async (kind, more, folder) => {
    expect(await block(kind, more)).toMatchObject([
      { code: 'unkept-data', severity: 'warning', message: expect.stringContaining(folder) as string },
    ]);
  });

  test.each([
    ['postgres', 'dockerImage: "pgvector/pgvector:pg18"'],
    ['application', `source: { type: docker, image: "postgres:18" }, ${mounts('/var/lib/postgresql/data')}`],
  ])('%s: %s does not start', async (kind, more) => {
    expect(await block(kind, more)).toMatchObject([
      { code: 'unkept-data', severity: 'error', message: expect.stringContaining('does not start') as string },
    ]);
  });

  test.each([
    ['postgres', 'dockerImage: "postgres:18"'],
    ['postgres', 'dockerImage: "postgres:17"'],
    ['postgres', 'dockerImage: "pgvector/pgvector:pg18", env: { PGDATA: /var/lib/postgresql/data }'],
    ['postgres', 'dockerImage: "pgvector/pgvector:pg17"'],
    ['postgres', `dockerImage: "timescale/timescaledb-ha:pg16", ${mounts('/home/postgres/pgdata')}`],
    ['mariadb', 'dockerImage: "mariadb:11", databaseRootPassword: "a-long-one"'],
    ['application', `source: { type: docker, image: "postgres:18" }, ${mounts('/var/lib/postgresql')}`],
    ['application', 'source: { type: docker, image: "postgres:18" }'],
    ['application', `source: { type: docker, image: "nginx:1.27" }, ${mounts('/srv')}`],
  ])('%s: %s keeps them', async (kind, more) => {
    expect((await block(kind, more)).filter(({ code }) => code === 'unkept-data')).toEqual([]);
  });
});

test.each(['env_file: .env', 'env_file: [{ path: .env }]'])(
  'says nothing of a folder that %s may name',
  async (line) => {
    const text = `services: { db: { image: "postgres:18", ${line}, volumes: ["pg:/var/lib/postgresql/data"] } }\nvolumes: { pg: {} }\n`;
    expect(await found(text, 'env: { PGDATA: /var/lib/postgresql/data }')).toEqual([]);
    expect(await found(text.replace(`${line}, `, ''), 'env: {}')).toEqual(says('unkept-data', 'does not start'));
  },
);

describe('F6: variables', () => {
  test.each([
    [
      one("environment: { P: '${DB_PASS}' }"),
      '',
      says('unset-variable', '\\$\\{DB_PASS\\} is set nowhere: compose fills in'),
    ],
    [one("labels: { a: '${TAG:?no tag}' }"), '', says('unset-variable', 'compose refuses the file')],
    [one("labels: { a: '${TAG:?}' }"), 'env: { TAG: "" }', says('unset-variable', 'is empty: compose refuses')],
    [one("labels: { a: '${A:-${B}}' }"), '', says('unset-variable', '\\$\\{B\\}')],
    [
      one("labels: { a: '${A} ${B} ${C} ${D}' }"),
      'env: { D: "" }',
      ['${A}', '${B}', '${C}'].map((name) => expect.stringContaining(`${name} is set nowhere`) as string),
    ],
    [
      one("labels: { a: '${A} ${B} ${C} ${D} ${E:?}' }"),
      '',
      [
        expect.stringContaining('${E} is set nowhere: compose refuses the file') as string,
        expect.stringContaining('${A}, ${B}, ${C}, ${D} are set nowhere: compose fills in empty texts') as string,
      ],
    ],
    [one("labels: { a: '$TAG' }"), 'env: { TAG: a }, createEnvFile: false', says('unset-variable', 'TAG')],
    [one('user: root'), 'env: { A: b, C: d }', says('unused-env', 'A, C reach no service')],
    [
      one('profiles: [x], volumes: ["./up:/srv"]', '  db: { image: "postgres:18", profiles: [y, x] }'),
      'env: { A: b }, files: { a.conf: { content: a } }',
      says('refused-setting', 'all services are in profiles that are off, and compose has none to start: x, y$'),
    ],
    [
      one('profiles: [x], network_mode: host', '  api: { image: nginx }'),
      `${domain}, isolatedDeployment: true`,
      [
        'lost-route: serviceName: web starts only with a profile (x), and none of that is on: its route leads to nothing',
      ],
    ],
    [
      one('user: root', '  db: { image: nginx, profiles: [y, z] }'),
      'schedules: { a: { name: a, serviceName: db, cronExpression: "* * * * *", command: date } }, env: { COMPOSE_PROFILES: x }',
      ['lost-route: serviceName: db starts only with a profile (y, z), and none of that is on: it finds no container'],
    ],
    [one("labels: { a: '${A:-b}${C-}${D:+e}' }"), '', nothing],
    [one("labels: { a: '${A:-{}}' }"), '', nothing],
    [one("labels: { a: '$$A $${B}' }"), '', nothing],
    [one("labels: { a: '${APP_NAME} ${COMPOSE_PROJECT_NAME} ${HOME}' }"), '', nothing],
    [one('environment: [A]'), 'env: { A: b }', nothing],
    [one('environment: { A: }'), 'env: "A=b\\n"', nothing],
    [one('env_file: [.env]'), 'env: { A: b }', nothing],
    [one("volumes: ['./.env:/app/.env']"), 'env: { A: b }', nothing],
    [one("labels: { a: '${TAG}' }"), 'env: { TAG: "1" }, envMode: merge', nothing],
    [one("labels: { a: '${OTHER}' }"), 'env: {}, envMode: merge', nothing],
    [one("labels: { a: '${B}' }"), 'env: { A: a, B: "${{A}}" }', nothing],
    [one('user: root'), 'env: { COMPOSE_PROFILES: debug }', nothing],
  ])('%s beside %s', async (text, more, expected) => {
    expect(await found(text, more)).toEqual(expected);
  });

  test.each([
    ['${a.b}', '', says('refused-expression', 'cannot read \\$\\{a.b\\}')],
    ['${postgres.main.host}', '', says('refused-expression', 'cannot read')],
    ['${A', '', says('refused-expression', 'cannot read \\$\\{A')],
    ['$1 ${1}', '', says('refused-expression', 'cannot read \\$\\{1\\}')],
    ['echo $1', 'composeType: stack', says('refused-expression', 'cannot read \\$1')],
    ['price: 5$', 'composeType: stack', says('refused-expression', 'cannot read \\$')],
    ['echo $1 $(date) $! 5$', '', nothing],
    ['$$1', 'composeType: stack', nothing],
    ['^a$$', '', nothing],
    ['a {b}', '', nothing],
  ])('a $ that compose refuses: %s %s', async (value, more, expected) => {
    expect(await found(one(`command: ${JSON.stringify(value)}`), more)).toEqual(expected);
  });

  test('the remedy for a $ holds for text that stands behind $${ in the manifest', async () => {
    const textOf = (value: string) =>
      production(
        `    compose: { shop: { source: { type: raw, composeFile: 'services: { web: { image: nginx, command: "${value}" } }' } } }\n`,
      );
    const remedies = async (value: string) =>
      (await read({ 'trueup.yaml': textOf(value) })).map(({ remedy }) => remedy);
    expect(await remedies('$${env:HOME}')).toEqual(['Put one more $ before ${env:HOME} for that text.']);
    expect(await remedies('$$${env:HOME}')).toEqual([]);
  });

  test('an expression stands at its line in the file', async () => {
    const text = production('    compose: { shop: { source: { type: raw, composeFile: "${file:compose.yml}" } } }\n');
    const file = 'services:\n  web:\n    image: nginx:${TAG}\n    volumes:\n      - ../files/a.conf:/a.conf\n';
    const all = await read({ 'trueup.yaml': text, 'compose.yml': file });
    expect(all.map(({ code, position }) => [code, position?.file, position?.line])).toEqual([
      ['unset-variable', 'compose.yml', 3],
      ['unmounted-file', 'compose.yml', 5],
    ]);
    const inside = `${file.replaceAll(/^/gm, '            ').trimEnd()}\n`;
    const inline = `    compose:\n      shop:\n        source:\n          type: raw\n          composeFile: |\n${inside}`;
    const found = await read({ 'trueup.yaml': production(inline) });
    const first =
      production(inline)
        .split('\n')
        .findIndex((line) => line.includes('services:')) + 1;
    expect(found.map(({ code, position }) => [code, position?.line, position?.column])).toEqual([
      ['unset-variable', first + 2, 17],
      ['unmounted-file', first + 4, 21],
    ]);
  });
});

describe('F7: values that the platform changes', () => {
  test.each([
    [
      one('labels: { id: 123456789012345678 }'),
      says('rewritten-file', 'writes 123456789012345680 for 123456789012345678'),
    ],
    [
      one('configs: [{ source: c, mode: 0440 }]', 'configs: { c: { content: a } }'),
      says('rewritten-file', 'writes 440 for 0440'),
    ],
    [one('ports: !reset []'), says('rewritten-file', 'writes nothing for !reset')],
    [one('environment: { DAY: "2024-01-01" }'), says('rewritten-file', 'writes 2024-01-01 for "2024-01-01"')],
    [one("environment: { N: '1_000' }"), says('rewritten-file', 'writes 1_000')],
    [one('volumes: !override ["a:/a"]', 'volumes: { a: {} }'), says('rewritten-file', '!override')],
    [one('labels: { id: "123456789012345678" }'), nothing],
    [one('configs: [{ source: c, mode: 0o440 }]', 'configs: { c: { content: a } }'), nothing],
    [one('environment: ["DAY=2024-01-01", "N=1_000"]'), nothing],
    [one('environment: { N: 1000, M: "0440", D: "2024-01-01 noon" }'), nothing],
    [one("environment: { N: '10.0.0.1', V: '1.2.3', T: '12:30' }"), nothing],
    [one("labels: { a: 'x_1', b: '1_x' }"), nothing],
  ])('%s', async (text, expected) => {
    expect(await found(text)).toEqual(expected);
  });
});

describe('services with a domain', () => {
  const base = 'x-base: &base { networks: [back], labels: { a: b } }\nnetworks: { back: {} }\nservices:\n';
  test.each([
    [
      `${base}  web: { <<: *base, image: nginx }\n`,
      domain,
      says('lost-route', 'networks and labels of web come by a merge key'),
    ],
    [`${base}  web: { <<: *base, image: nginx, labels: [] }\n`, domain, says('lost-route', 'networks of web come')],
    [
      'x-a: &a { image: nginx }\nservices: { web: *a, api: *a }\n',
      domain,
      says('lost-route', 'web and api are one alias'),
    ],
    [
      'x-a: &a { web: { image: nginx } }\nservices: { <<: *a, api: { image: nginx } }\n',
      domain,
      says('lost-route', 'web comes by a merge key'),
    ],
    [one('network_mode: host'), domain, says('lost-route', 'web has network_mode')],
    [one('network_mode: "service:vpn"', '  vpn: { image: vpn }'), domain, says('lost-route', 'network_mode')],
    [`${base}  web: { <<: *base, image: nginx, labels: [], networks: [back] }\n`, domain, nothing],
    [`${base}  web: { <<: *base, image: nginx }\n`, '', nothing],
    [`${base}  web: { image: nginx }\n  api: { <<: *base, image: nginx }\n`, domain, nothing],
    [`x-e: &e { A: b }\nservices: { web: { image: nginx, environment: { <<: *e } } }\n`, domain, nothing],
    [one('network_mode: bridge'), '', nothing],
    ['x-a: &a { image: nginx }\nservices: { web: *a, api: { <<: *a } }\n', domain, nothing],
  ])('%s beside %s', async (text, more, expected) => {
    expect(await found(text, more)).toEqual(expected);
  });
});

describe('F8: settings', () => {
  test.each([
    ['command: "compose up -d; date"', says('refused-setting', 'refuses a command with ;')],
    ['command: "compose -f $X up"', says('refused-setting', 'refuses a command with \\$')],
    ['command: "compose up -d && rm -r x"', says('refused-setting', '&& before another command')],
    ['composePath: ./deploy/compose.yml', says('ignored-setting', 'gets none of them')],
    ['composePath: ./compose.yml', says('ignored-setting', 'always docker-compose.yml')],
    ['randomize: true, isolatedDeployment: true', says('ignored-setting', 'randomize does nothing')],
    ['suffix: a, isolatedDeployment: true', says('lost-route', 'without a network a docker refuses')],
    ['appName: a, suffix: a, isolatedDeployment: true', nothing],
    ['command: "compose up -d --build"', nothing],
    ['command: "compose pull && docker compose up -d"', nothing],
    ['composePath: ./docker-compose.yml', nothing],
    ['randomize: true, suffix: a', nothing],
    ['isolatedDeployment: true', nothing],
    ['composeType: stack', nothing],
  ])('%s', async (more, expected) => {
    expect(await found(one('user: root'), more)).toEqual(expected);
  });

  test.each([
    ['build: .', ['not-in-source', 'refused-setting']],
    ['image: nginx, build: https://github.com/a/b.git', ['ignored-setting']],
    ['image: nginx, container_name: web, restart: always', ['ignored-setting']],
    ['image: nginx, deploy: { replicas: 2 }', []],
  ])('of a stack: %s', async (definition, codes) => {
    const all = await found(`services: { web: { ${definition} } }`, 'composeType: stack');
    expect(all.map((text) => text.split(':')[0] ?? '').toSorted((a, b) => a.localeCompare(b))).toEqual(codes);
  });
});

test('compose files in repositories are named once, as not checked', async () => {
  const ofGit = (name: string) =>
    `      ${name}: { source: { type: git, url: "https://git.example.com/shop.git", branch: main } }\n`;
  const notes = async (sections: string) =>
    (await read({ 'trueup.yaml': production(sections) })).flatMap(({ code, message }) =>
      code === 'unread-file' ? [message.replace('source.type: ', '')] : [],
    );
  expect(await notes(`    compose:\n${ofGit('a')}`)).toEqual([
    'Trueup does not read the compose file of production.compose.a in the repository, and checks nothing in it',
  ]);
  expect(await notes(raw(one('user: root')) + ofGit('a') + ofGit('b'))).toEqual([
    'Trueup does not read the compose files of production.compose.a, production.compose.b in the repository, and checks nothing in them',
  ]);
  expect(await notes(raw(one('user: root')))).toEqual([]);
  expect(await notes('    application: { a: { source: { type: docker, image: nginx } } }\n')).toEqual([]);
});

describe('what a server must have', () => {
  const volume = (definition: string) => `volumes: { data: ${definition} }\n`;
  test.each([
    [one('volumes: ["data:/data"]', volume('{ external: true }')), 'the external volume data: the server must have it'],
    [one('volumes: ["data:/data"]', volume('{ external: "yes", name: shop }')), 'the external volume data: the server'],
    [
      one('volumes: ["data:/a", "data:/b"]', volume('{ external: { name: a } }')),
      'web needs the external volume data:',
    ],
    [one('pull_policy: never'), 'web needs its image, by pull_policy: never: the server must have it'],
    [
      one('pull_policy: never, volumes: ["data:/data"]', volume('{ external: true }')),
      'the external volume data and its image, by pull_policy: never: the server must have them',
    ],
  ])('%s', async (text, expected) => {
    expect(await found(text)).toEqual(says('must-exist', expected));
  });

  test.each([
    one('volumes: ["data:/data"]', volume('{ name: shop }')),
    one('volumes: ["data:/data"]', volume('{ external: false }')),
    one('user: root', volume('{ external: true }')),
    one('pull_policy: missing'),
    one('pull_policy: never, build: "https://github.com/a/b.git"'),
    one('networks: [back]', 'networks: { back: { external: true } }\n'),
    one('profiles: [debug], pull_policy: never', '  api: { image: nginx }\n'),
  ])('nothing: %s', async (text) => {
    expect(await found(text)).toEqual([]);
  });

  test('a stack makes the volume', async () => {
    const text = one('volumes: ["data:/data"]', volume('{ external: true }'));
    expect(await found(text, stackType)).toEqual([]);
  });
});

const stackType = 'composeType: stack';

describe('F9: ports', () => {
  const other = (ports: string) =>
    `      other: { source: { type: raw, composeFile: "services: { web: { image: nginx, ports: [${ports}] } }" } }\n`;
  test.each([
    [`'8080:80'`, `'8080:8080'`, 1],
    [`'8080-8090:80-90'`, `'8085:1'`, 1],
    [`{ target: 80, published: 8080 }`, `'8080:1'`, 1],
    [`'127.0.0.1:8080:80'`, `'8080:1'`, 1],
    [`'80:80'`, `'8080:1'`, 1],
    [`'443:443/udp'`, `'8080:1'`, 1],
    [`'80:80/udp'`, `'8080:1'`, 0],
    [`'3000:3000/udp'`, `'8080:1'`, 0],
    [`'8080:80'`, `'8081:80'`, 0],
    [`'8080:80/udp'`, `'8080:80'`, 0],
    [`'127.0.0.1:8080:80'`, `'127.0.0.2:8080:80'`, 0],
    [`'80'`, `80`, 0],
    [`'\${PORT:-8080}:80'`, `'8081:80'`, 0],
    [`{ target: 80 }`, `'8080:1'`, 0],
  ])('%s and %s: %i', async (first, second, count) => {
    const all = await read({
      'trueup.yaml': production(raw(`services: { web: { image: nginx, ports: [${first}] } }`) + other(second)),
    });
    expect(all.map(({ code }) => code)).toEqual(Array.from({ length: count }, () => 'overlap'));
  });
});

describe('allow', () => {
  const text = one("labels: { a: '${TAG}' }");
  const why = 'set by hand on the server';

  test('silences a code with its reason, also of a block below', async () => {
    expect(await found(text, `allow: { unset-variable: ${why} }`)).toEqual([
      `allowed: unset-variable is allowed: ${why}`,
    ]);
    expect(
      await found(one('user: root'), `files: { a.conf: { content: a } }, allow: { unmounted-file: ${why} }`),
    ).toEqual([`allowed: unmounted-file is allowed: ${why}`]);
  });

  test('of something else silences nothing, and a wrong code is an error', async () => {
    expect(await found(text, `allow: { unused-env: ${why} }`)).toEqual(says('unset-variable', 'TAG'));
    await expect(found(text, 'allow: { unset: x }')).rejects.toThrow('allow has no key unset');
    await expect(found(text, 'allow: { unset-variable: "" }')).rejects.toThrow(/allow/);
  });
});

test('what fails is an error of a new or edited block, and a warning of one that stays as it was applied', async () => {
  const made = platform();
  const of = (more: string, image = 'nginx') =>
    production(raw(`services: { web: { image: ${image}, command: 'echo \${1}' } }`, more));
  const severities = async (text: string) => {
    const plan = await made.plan(text);
    return [
      hasChanges(plan),
      ...plan.diagnostics.filter(({ code }) => code === 'refused-expression').map((one) => one.severity),
    ];
  };
  expect(await severities(of(''))).toEqual([true, 'error']);
  await expect(made.apply(of(''), everything)).rejects.toThrow('cannot read ${1}');
  await made.apply(of('allow: { refused-expression: run by another tool }, deploy: never'), everything);
  expect(await severities(of('allow: { refused-expression: run by another tool }, deploy: never'))).toEqual([false]);
  expect(await severities(of('deploy: never'))).toEqual([false, 'warning']);
  expect(await severities(of('deploy: never', 'nginx:1.28'))).toEqual([true, 'error']);
});
