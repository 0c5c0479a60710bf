import { describe, expect, test } from 'vitest';
import type { Profile } from '../../src/api/contract.ts';
import type { Diagnostic } from '../../src/diagnostics/diagnostic.ts';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import { bench, head } from '../support/world.ts';

/** Values in the short forms of compose files: the remedy is the user's own block, and pasted it is valid. */

interface Files {
  readonly [name: string]: string;
}

async function problems(text: string, profile: Profile, files: Files = {}): Promise<readonly Diagnostic[]> {
  try {
    const world = bench({ profile });
    world.secrets['DB_PASSWORD'] = 'hunter2hunter2';
    world.env['HOME_PAGE'] = 'https://www.example.com';
    await world.manifest({ 'trueup.yaml': text, ...files });
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    return error.diagnostics;
  }
  return [];
}

/** The lines to paste of the one error of a manifest. */
async function pasted(text: string, profile: Profile, files?: Files): Promise<{ head: string; lines: string[] }> {
  const found = await problems(text, profile, files);
  expect(found.map(({ message, remedy }) => `${message} -> ${remedy ?? ''}`)).toHaveLength(1);
  const [sentence = '', ...lines] = (found[0]?.remedy ?? '').split('\n');
  return { head: sentence, lines };
}

const indented = (lines: readonly string[], by: number) => lines.map((line) => `${' '.repeat(by)}${line}\n`).join('');

const application = (block: string) =>
  `${head}environments:\n  production:\n    application:\n      web:\n        source: { type: docker, image: "nginx:1.27" }\n${block}`;
const compose = (block: string) =>
  `${head}environments:\n  production:\n    compose:\n      shop:\n        source: { type: raw, composeFile: "services: { web: { image: nginx } }" }\n${block}`;
const database = (block: string) =>
  `${head}environments:\n  production:\n    postgres:\n      main:\n        dockerImage: "postgres:17"\n        databaseName: shop\n        databaseUser: shop\n        databasePassword: "\${secret:DB_PASSWORD}"\n${block}`;
const service = (block: string) => `${head}environments:\n  production:\n${block}`;

/** In each: the place, the wrong block, the block to paste, and the keys around both. */
const whole: readonly [
  title: string,
  place: (block: string) => string,
  wrong: string,
  right: string[],
  keys?: string,
][] = [
  [
    'env as a list',
    application,
    'env: [A=b, "PORT=8080", "EMPTY=", "URL=https://a.example.com/?b=c", "HOME_PAGE"]',
    [
      'env:',
      '  A: b',
      '  PORT: "8080"',
      '  EMPTY: ""',
      '  URL: https://a.example.com/?b=c',
      '  HOME_PAGE: "${env:HOME_PAGE}"',
    ],
  ],
  ['env as a list of maps', application, 'env: [{ A: b }, { name: C, value: d }]', ['env:', '  A: b', '  C: d']],
  ['environment as a list', database, 'environment: ["A=b"]', ['env: { A: b }']],
  ['build arguments', application, 'buildArgs: ["A=b", "C=d"]', ['buildArgs:', '  A: b', '  C: d']],
  [
    'domains as a list',
    application,
    'domains: [shop.example.com, "www.example.com/shop"]',
    ['domains:', '  shop.example.com: {}', '  www.example.com: { path: /shop }'],
  ],
  ['one domain', application, 'domains: shop.example.com', ['domains:', '  shop.example.com: {}']],
  [
    'domains of one host',
    application,
    'domains: ["a.example.com", "a.example.com/api"]',
    ['domains:', '  a.example.com: {}', '  a.example.com-2: { host: a.example.com, path: /api }'],
  ],
  [
    'domains as maps',
    application,
    'domains: [{ host: a.example.com, port: "8080" }, { b.example.com: 80 }]',
    ['domains:', '  a.example.com: { port: 8080 }', '  b.example.com: { port: 80 }'],
  ],
  ['a port below a domain', application, 'a.example.com: 8080', ['a.example.com: { port: 8080 }'], 'domains'],
  [
    'a service and a port below a domain',
    compose,
    'a.example.com: "web:8080"',
    ['a.example.com: { serviceName: web, port: 8080 }'],
    'domains',
  ],
  [
    'ports',
    application,
    'ports: ["8080:80", "5353:53/udp", "3000-3001:4000-4001", { target: 90, published: 9090, mode: host }]',
    [
      'ports:',
      '  8080/tcp: { publishedPort: 8080, targetPort: 80 }',
      '  5353/udp: { publishedPort: 5353, targetPort: 53, protocol: udp }',
      '  3000/tcp: { publishedPort: 3000, targetPort: 4000 }',
      '  3001/tcp: { publishedPort: 3001, targetPort: 4001 }',
      '  9090/tcp: { targetPort: 90, publishedPort: 9090, publishMode: host }',
    ],
  ],
  ['a port below a port', application, '8080: 80', ['"8080": { publishedPort: 8080, targetPort: 80 }'], 'ports'],
  [
    'ports without a word for the protocol',
    application,
    'ports: ["127.0.0.1:8080:80"]',
    [
      'ports:',
      '  8080/tcp: { publishedPort: 8080, targetPort: 80 } # without 127.0.0.1: it is published on every address of the server',
    ],
  ],
  ['the port of a database', database, 'ports: ["15432:5432"]', ['externalPort: 15432']],
  [
    'mounts',
    application,
    'mounts: ["/srv/x:/y", "data:/var/lib/x:ro"]',
    [
      'mounts:',
      '  /y: { type: bind, hostPath: /srv/x }',
      '  /var/lib/x: { type: volume, volumeName: data } # without ro: containers can write to every mount',
    ],
  ],
  [
    'volumes',
    database,
    'volumes: ["data:/extra", { type: bind, source: /srv/a, target: /a }]',
    ['mounts:', '  /extra: { type: volume, volumeName: data }', '  /a: { type: bind, hostPath: /srv/a }'],
  ],
  [
    'volumes as a map',
    application,
    'volumes: { data: /var/lib/x }',
    ['mounts:', '  /var/lib/x: { type: volume, volumeName: data }'],
  ],
  ['a volume below a path', application, '/x: data', ['/x: { type: volume, volumeName: data }'], 'mounts'],
  ['labels', application, 'labels: ["team=shop", "tier=web"]', ['labelsSwarm:', '  team: shop', '  tier: web']],
  ['labels of the swarm', database, 'labelsSwarm: ["team=shop"]', ['labelsSwarm: { team: shop }']],
  ['labels that are no text', application, 'labels: { a: 1, b: true }', ['labelsSwarm:', '  a: "1"', '  b: "true"']],
  ['one argument', application, 'args: --fast', ['args: [--fast]']],
  ['arguments', database, 'args: "-c max=1"', ['args: [-c, max=1] # split at each blank']],
  ['a command', application, 'command: [npm, run, start]', ['command: npm run start']],
  ['one network', application, 'networkIds: net_1', ['networkIds: [net_1]']],
  ['networks of the swarm', application, 'networkSwarm: [back]', ['networkSwarm: [{ Target: back }]']],
  [
    'limits',
    application,
    'ulimits: { nofile: { soft: 1, hard: 2 }, nproc: 9 }',
    ['ulimitsSwarm: [{ Name: nofile, Soft: 1, Hard: 2 }, { Name: nproc, Soft: 9, Hard: 9 }]'],
  ],
  [
    'a health check',
    application,
    'healthcheck: { test: [CMD, "true"], interval: 30s, start_period: 5s, retries: 3 }',
    ['healthCheckSwarm:', '  Test: [CMD, "true"]', '  Interval: 30s', '  StartPeriod: 5s', '  Retries: 3'],
  ],
  ['a restart policy', application, 'restart: always', ['restartPolicySwarm: { Condition: any }']],
  [
    'the middlewares of a domain',
    application,
    'middlewares: auth@file',
    ['middlewares: [auth@file]'],
    'domains/a.example.com',
  ],
  ['a list of private keys', application, 'private: A', ['private: [A]']],
  ['fields that are unset', application, 'unset: memoryLimit', ['unset: [memoryLimit]']],
  [
    'schedules',
    application,
    'schedules: ["0 3 * * * npm run cleanup"]',
    ['schedules:', '  npm-run-cleanup: { cronExpression: 0 3 * * *, command: npm run cleanup }'],
  ],
  [
    'a domain without a name',
    application,
    'domains: { host: a.example.com, port: 8080 }',
    ['domains:', '  a.example.com: { port: 8080 }'],
  ],
  [
    'redirects',
    application,
    'redirects: ["^https://www.example.com/(.*) -> https://example.com/", { from: "^http://a.example.com", to: "https://b.example.com" }]',
    [
      'redirects:',
      '  https-www-example-com: { regex: ^https://www.example.com/(.*), replacement: https://example.com/ }',
      '  http-a-example-com: { regex: ^http://a.example.com, replacement: https://b.example.com }',
    ],
  ],
  [
    'a redirect below an address',
    application,
    '"https://www.example.com/(.*)": https://example.com/',
    ['https-www-example-com: { regex: https://www.example.com/(.*), replacement: https://example.com/ }'],
    'redirects',
  ],
  ['files', compose, 'shop.conf: "a = 1"', ['shop.conf: { content: a = 1 }'], 'files'],
  [
    'backups with names',
    database,
    'backups: [{ name: nightly, schedule: "0 3 * * *", prefix: shop/, destination: s3 }]',
    ['backups:', '  nightly: { schedule: 0 3 * * *, prefix: shop/, destinationId: s3 }'],
  ],
  ['a build', application, 'build: dockerfile', ['build: { type: dockerfile }']],
  [
    'a folder that is built',
    application,
    'build: ./web',
    ['build: { type: dockerfile, dockerfile: Dockerfile, contextPath: ./web }'],
  ],
  [
    'a service that is an image',
    service,
    'web: "nginx:1.27"',
    ['web: { source: { type: docker, image: nginx:1.27 } }'],
    'application',
  ],
];

/** A manifest with a block below these keys: `domains/a.example.com`. */
function around(place: (block: string) => string, keys: string | undefined, lines: readonly string[]): string {
  const names = keys === undefined ? [] : keys.split('/');
  const depth = place === service ? 4 : 8;
  const outer = names.map((name, at) => `${'  '.repeat(at)}"${name}":`);
  const inner = lines.map((line) => '  '.repeat(names.length) + line);
  return place(indented([...outer, ...inner], depth));
}

describe.each(['standard', 'dokploy'] as const)('in the words of profile %s', (profile) => {
  test.each(whole)('%s: the remedy is the block, and pasted it is valid', async (_title, place, wrong, right, keys) => {
    const found = await pasted(around(place, keys, [wrong]), profile);
    expect(found).toEqual({ head: 'Write this instead:', lines: right });
    expect(await problems(around(place, keys, found.lines), profile)).toEqual([]);
  });
});

describe('what a value leaves open', () => {
  test.each<[string, (block: string) => string, string, string[]]>([
    [
      'values that look secret',
      application,
      'env: ["DB_PASSWORD=hunter2", "URL=postgres://shop:hunter2@db/shop", "LEVEL=info", "TOKEN=${secret:DB_PASSWORD}"]',
      [
        'env:',
        '  DB_PASSWORD: …',
        '  URL: postgres://shop:…@db/shop',
        '  LEVEL: info',
        '  TOKEN: "${secret:DB_PASSWORD}"',
      ],
    ],
    [
      'values of secret fields',
      application,
      'buildSecrets: ["A=hunter2", "B=hunter3"]',
      ['buildSecrets:', '  A: …', '  B: …'],
    ],
    [
      'values that are private',
      application,
      'private: [A]\n        env: ["A=hunter2", "B=c"]',
      ['env:', '  A: …', '  B: c'],
    ],
    ['long values', application, `env: ["A=${'long '.repeat(50)}", "B=c"]`, ['env:', '  A: …', '  B: c']],
    [
      'the service of a domain',
      compose,
      'domains: [a.example.com]',
      ['domains:', '  a.example.com: { serviceName: … } # serviceName: Service, by its name in the compose file'],
    ],
    [
      'a port of an address',
      application,
      'domains: ["https://a.example.com:8443"]',
      [
        'domains:',
        '  a.example.com: { https: true, certificateType: …, port: … } # certificateType: letsencrypt, none or custom; port: port of the container; 8443 may be the one of the proxy',
      ],
    ],
    [
      'a port of the server',
      application,
      'ports: ["80"]',
      [
        'ports:',
        '  port-1: { targetPort: 80, publishedPort: … } # name it as you like; publishedPort: port of the server; yours has none',
      ],
    ],
    [
      'a folder that is relative',
      application,
      'mounts: ["./x:/y"]',
      ['mounts:', '  /y: { type: bind, hostPath: … } # hostPath: folder of the server, from /; yours is ./x'],
    ],
    [
      'a mount with two folders',
      application,
      'mounts: { /a: /b }',
      [
        '/a: { type: bind, hostPath: … } # hostPath: folder of the server; yours is /b, unless you wrote the two the other way round',
      ],
    ],
    [
      'a volume without a name',
      database,
      'volumes: [/extra]',
      ['mounts:', '  /extra: { type: volume, volumeName: … } # volumeName: name of the volume; yours has none'],
    ],
    [
      'a variable as the source of a mount',
      application,
      'mounts: ["${DATA}:/d"]',
      ['mounts:', '  /d: { type: … } # type: bind or volume; yours is ${DATA}'],
    ],
    ['the password of a user', application, 'security: ["reader:hunter2"]', ['security:', '  reader: { password: … }']],
    [
      'the password of a user that is hashed',
      application,
      'security: ["reader:$apr1$x$y"]',
      ['security:', '  reader: { password: … } # password: in clear: the platform hashes it'],
    ],
    [
      'the destination of a backup',
      database,
      'backups: ["0 3 * * *"]',
      [
        'backups:',
        '  backup-1: { schedule: 0 3 * * *, prefix: …, destinationId: … } # name it as you like; prefix: Folder in the destination; destinationId: Destination, by its key in this manifest, its name on the platform or its id',
      ],
    ],
    [
      'the branch of a repository',
      service,
      'application: { web: { source: "https://git.example.com/shop.git" } }',
      ['source: { type: git, url: https://git.example.com/shop.git, branch: … }'],
    ],
    [
      'an item that has no known form',
      application,
      'ports: ["8080:80", "http"]',
      [
        'ports:',
        '  8080/tcp: { publishedPort: 8080, targetPort: 80 }',
        '  # item 2 has no form that is known: write a block for it too',
      ],
    ],
    [
      'a key that the block does not have',
      application,
      'mounts: [{ type: volume, source: data, target: /x, read_only: true }]',
      ['mounts:', '  /x: { type: volume, volumeName: data } # without read_only, which it does not have'],
    ],
  ])('%s: the remedy says so', async (_title, place, wrong, right) => {
    const depth = place === service ? 4 : 8;
    const [found] = await problems(place(`${' '.repeat(depth)}${wrong}\n`), 'standard');
    const isOpen = right.some((line) => line.replace(/ # .*/, '').includes('…'));
    const sentence = isOpen ? 'Write this instead, with your values for …:' : 'Write this instead:';
    expect(found?.remedy?.split('\n')).toEqual([sentence, ...right]);
  });

  test.each<[string, string, string[]]>([
    [
      'an item of env that is no entry',
      'env: ["A=b", "what is this", "export C=d"]',
      ['env: { A: b, C: d } # without item 2: no NAME=value'],
    ],
    [
      'items that say the same',
      'ports: ["8080:80", "8080:80/tcp"]',
      ['ports:', '  8080/tcp: { publishedPort: 8080, targetPort: 80 }'],
    ],
    [
      'a text of several lines',
      `env: ["A=x y z\\nb: \\"c\\" and more than forty characters"]`,
      ['env: { A: "x y z\\nb: \\"c\\" and more than forty characters" }'],
    ],
  ])('%s', async (_title, wrong, right) => {
    const [found] = await problems(application(`        ${wrong}\n`), 'standard');
    expect(found?.remedy?.split('\n')).toEqual(['Write this instead:', ...right]);
  });

  test.each([
    ['of a list', application, 'volumes: { cache=hunter2: /x }'],
    ['of a block', service, 'application: [web=hunter2]'],
    ['of a map', service, 'application: { "web=hunter2": nginx }'],
    ['of an item', service, 'application: [{ name: "web:hunter2", description: x }]'],
  ])('a value behind the name %s never shows', async (_title, place, wrong) => {
    const depth = place === service ? 4 : 8;
    const found = await problems(place(`${' '.repeat(depth)}${wrong}\n`), 'standard');
    expect(found).toHaveLength(1);
    expect(found[0]?.message).not.toContain('hunter2');
    expect(found[0]?.remedy).not.toContain('hunter2');
  });

  test('a port of a database that names no port of the server is no guess', async () => {
    const [found] = await problems(database('        ports: ["5432"]\n'), 'standard');
    expect(found?.remedy).toBe('Did you mean externalPort?');
  });

  test('keys that an item calls private have no value', async () => {
    const item =
      '{ name: web, source: { type: docker, image: nginx, password: hunter2 }, private: [A], env: { A: hunter3, B: c } }';
    const [found] = await problems(service(`    application: [${item}]\n`), 'standard');
    expect(found?.remedy?.split('\n').slice(1)).toEqual([
      'application:',
      '  web: { env: { A: …, B: c }, source: { type: docker, image: nginx, password: … }, private: [A] }',
    ]);
  });

  test('a list of thousands takes no longer than its first items', async () => {
    const items = [...Array(5_000).keys()].map((at) => `"${at + 1_000}:80"`).join(', ');
    const [found] = await problems(application(`        ports: [${items}]\n`), 'standard');
    expect(found?.remedy?.split('\n').slice(-2)).toEqual([
      '  # 38 more in the same form',
      '  # 4950 more items: write a block for each',
    ]);
  });

  test('a long list is cut, and says how much is left', async () => {
    const items = [...Array(40).keys()].map((at) => `"A${at}=b"`).join(', ');
    const { lines } = await pasted(application(`        env: [${items}]\n`), 'standard');
    expect(lines).toHaveLength(14);
    expect(lines.at(-1)).toBe('  # 28 more in the same form');
  });

  test.each([
    ['include: environments/*.yaml', 'include: [environments/*.yaml]'],
    ['variables: { tag: "1.27", level: { default: info } }', 'tag: { default: "1.27" }'],
    [
      'variables: ["tag=1.27", "API_TOKEN=hunter2"]',
      'variables: { tag: { default: "1.27" }, API_TOKEN: { default: … } }',
    ],
    ['outputs: ["host=a.example.com"]', 'outputs: { host: a.example.com }'],
    ['moved: { from: a, to: b }', 'moved: [{ from: a, to: b }]'],
    ['moved: { a: b }', 'moved: [{ from: a, to: b }]'],
    ['secrets: secrets.env', 'secrets: [{ file: secrets.env }]'],
    ['secrets: { age: secrets.env.age }', 'secrets: [{ age: secrets.env.age }]'],
    ['state: postgres', 'state: { backend: postgres }'],
  ])('the setting %s', async (wrong, right) => {
    const [found] = await problems(`${head}${wrong}\n`, 'standard');
    expect(found?.remedy?.split('\n').slice(1)).toEqual([right]);
  });

  test('JSON in a map of texts is written as text', async () => {
    const [found] = await problems(application('        env: { A: { b: [1] } }\n'), 'standard');
    expect(found?.remedy).toBe(`Write JSON as text, in quotes:\nA: '{"b":[1]}'`);
  });

  test('a value of no known form has an example', async () => {
    const [found] = await problems(application('        ports: [http]\n'), 'standard');
    expect(found?.remedy).toBe('Write it as ports: { name: { … } }.');
  });

  test('a text of the user is not compared with secrets of the run', async () => {
    const text = application('        env: ["A=hunter2hunter2", "B=${secret:DB_PASSWORD}"]\n');
    const [found] = await problems(text, 'standard');
    expect(found?.remedy).toBe('Write this instead:\nenv:\n  A: hunter2hunter2\n  B: "${secret:DB_PASSWORD}"');
  });
});
