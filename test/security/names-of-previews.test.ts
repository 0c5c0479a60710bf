import { expect, test } from 'vitest';
import { mistakes } from '../support/stages.ts';

/** A preview runs beside production: its labels, and its names in the networks of both, must lead nobody to it. */

const root = `trueup: 1
platform: emulator
environment: pr
preview: { for: 3d, most: 10 }
include: [shop.yaml]
variables: { suffix: "-pr-\${preview:id}", own: "own-\${preview:id}", owns: ["own-\${preview:id}"] }
`;

const found = (section: string, block: string) =>
  mistakes(
    {
      'preview.yaml': root,
      'shop.yaml': `project: prj_1
variables: { suffix: {}, own: {}, owns: { type: list }, word: {}, list: { type: list }, number: { type: number }, zero: { type: number, default: 0 } }
postgres: { main: { dockerImage: "postgres:17", databaseName: shop, databaseUser: shop, databasePassword: "\${secret:PW}" } }
${section}: { shop: { ${block} } }
`,
    },
    'preview.yaml',
  );

/** What is found in a compose file of these services, and of what stands beside `services:` and in the block. */
const inCompose = ({ services, top = '', block = '' }: File) =>
  found(
    'compose',
    `source: { type: raw, composeFile: §${JSON.stringify(`services: { ${services} }\n${top}\n`)} }, ${block}`,
  );

interface File {
  readonly services: string;
  readonly top?: string;
  readonly block?: string;
}

const refused = (message: string) => [
  { code: 'not-in-previews', at: 'the mark', says: expect.stringContaining(message) },
];
const domain = (...names: readonly string[]) =>
  `domains: { ${names.map((name) => `${name}: { host: "${name.replace('.', '')}\${var:suffix}", serviceName: ${name}, port: 80 }`).join(', ')} }`;

const labels = (names: string) => `the service web has ${names}, which the proxy or the platform reads`;

test.each<readonly [string, File, string]>([
  [
    'a router',
    {
      services:
        'web: { image: nginx, labels: ["traefik.enable=true", "traefik.http.routers.x.rule=Host(`shop.example.com`)"] }',
    },
    labels('the label traefik.http.routers.x.rule'),
  ],
  [
    'a router of TCP in a map',
    { services: 'web: { image: nginx, labels: { Traefik.tcp.routers.x.rule: "HostSNI(`*`)" } }' },
    labels('the label Traefik.tcp.routers.x.rule'),
  ],
  [
    'a middleware of a stack',
    {
      services: 'web: { image: nginx, deploy: { labels: { traefik.http.middlewares.auth.headers.x: y } } }',
      block: 'composeType: stack',
    },
    labels('the label traefik.http.middlewares.auth.headers.x'),
  ],
  [
    'labels of the image that it builds',
    { services: 'web: { build: { dockerfile_inline: FROM nginx, labels: ["traefik.udp.routers.x.service=y"] } }' },
    labels('the label traefik.udp.routers.x.service'),
  ],
  [
    'the name of another compose',
    { services: 'web: { image: nginx, labels: ["com.docker.compose.project=shop", "com.docker.compose.service=db"] }' },
    labels('the labels com.docker.compose.project, com.docker.compose.service'),
  ],
  [
    'a label by a variable',
    { services: 'web: { image: nginx, labels: ["$A=b"] }', block: 'env: { A: traefik.http.routers.x.rule }' },
    labels('the label traefik.http.routers.x.rule'),
  ],
  ['a label that is not known', { services: 'web: { image: nginx, labels: ["${A}=b"] }' }, labels('the label ${A}')],
  [
    'labels by an anchor and a merge key',
    {
      top: '',
      services: 'web: { <<: &x { labels: { traefik.http.routers.x.priority: 9999 } }, image: nginx }',
    },
    labels('the label traefik.http.routers.x.priority'),
  ],
])('refuses %s', async (_is, file, message) => {
  expect(await inCompose(file)).toEqual(refused(message));
});

const platform = 'networks: { dokploy-network: { external: true } }';
const byName = (names: string) => `containers of others would find ${names}`;

test.each<readonly [string, File, string]>([
  [
    'an alias',
    {
      services: 'web: { image: nginx, networks: { dokploy-network: { aliases: [dokploy-redis] } } }',
      top: platform,
      block: domain('web'),
    },
    byName('the service web by dokploy-redis'),
  ],
  [
    'a hostname',
    { services: 'web: { image: nginx, hostname: api.example.com }', block: domain('web') },
    byName('the service web by api.example.com'),
  ],
  [
    'a hostname by a variable',
    { services: 'web: { image: nginx, hostname: "${H:-shop-x1y2z3}" }', block: domain('web') },
    byName('the service web by shop-x1y2z3'),
  ],
  [
    'a service without a domain',
    { services: 'web: { image: nginx }, db: { image: nginx, networks: [dokploy-network] }', top: platform },
    byName('the service db by its name'),
  ],
  [
    'a service by the network that all have',
    { services: 'db: { image: nginx }', top: 'networks: { default: { external: true, name: dokploy-network } }' },
    byName('the service db by its name'),
  ],
  [
    'a service by a network of another name',
    {
      services: 'db: { image: nginx, networks: { n: {} } }',
      top: 'networks: { n: { external: { name: dokploy-network } } }',
    },
    byName('the service db by its name'),
  ],
  [
    'a service by what it extends',
    {
      services:
        'web: { image: nginx }, db: { extends: { service: base } }, base: { image: nginx, networks: [dokploy-network] }',
      top: platform,
    },
    byName('the services base, db by their names'),
  ],
  [
    'a service by a network of the platform',
    {
      services: 'web: { image: nginx }',
      block: 'serviceNetworks: [{ serviceName: web, networkIds: [net_1], detachDokployNetwork: true }]',
    },
    byName('the service web by its name'),
  ],
  [
    'several services with domains',
    { services: 'web: { image: nginx }, api: { image: nginx }', block: domain('web', 'api') },
    byName('the services web, api by their names'),
  ],
  ...['postgres', 'db', 'dokploy', 'dokploy-postgres', 'shop-main-x1y2z3', 'api.stripe.com'].map(
    (name) =>
      [
        `a service with a domain called ${name}`,
        { services: `${name}: { image: nginx }`, block: domain(name) },
        byName(`the service ${name} by its name`),
      ] as const,
  ),
  [
    'a service of an isolated stack called dokploy',
    {
      services: 'dokploy: { image: nginx }, db: { image: nginx }',
      block: `composeType: stack, isolatedDeployment: true, ${domain('dokploy')}`,
    },
    'the proxy would find the service dokploy by its name',
  ],
])('refuses a name in a network with others: %s', async (_is, file, message) => {
  expect(await inCompose(file)).toEqual(refused(message));
});

test.each<readonly [string, File]>([
  [
    'a web service with a domain',
    {
      services: 'web: { image: nginx, labels: ["traefik.enable=true", "a.b=c"] }, db: { image: nginx }',
      block: domain('web'),
    },
  ],
  [
    'a web service with a domain that names the network itself',
    {
      services:
        'web: { image: nginx, hostname: web, networks: { dokploy-network: {}, own: { aliases: [db] } } }, db: { image: nginx, networks: [own] }',
      top: 'networks: { dokploy-network: { external: true }, own: {} }',
      block: domain('web'),
    },
  ],
  [
    'services with domains in a network of their own',
    {
      services: 'web: { image: nginx, hostname: x }, db: { image: nginx }',
      block: `isolatedDeployment: true, ${domain('web', 'db')}`,
    },
  ],
  [
    'services of a stack in a network of their own',
    {
      services: 'web: { image: nginx }, db: { image: nginx }',
      block: `composeType: stack, isolatedDeployment: true, ${domain('web')}`,
    },
  ],
  [
    'services with the id in their names',
    {
      services:
        'web: { image: nginx, networks: [dokploy-network, own] }, db: { image: nginx, networks: [dokploy-network] }',
      top: 'networks: { dokploy-network: { external: true }, own: {} }',
      block: `randomize: true, suffix: "pr\${var:suffix}", ${domain('web', 'db')}`,
    },
  ],
  [
    'an alias with the id',
    {
      services: 'web: { image: nginx, networks: { dokploy-network: { aliases: ["db${var:suffix}"] } } }',
      top: platform,
      block: domain('web'),
    },
  ],
  [
    'a domain that is off',
    {
      services: 'postgres: { image: nginx }',
      block: domain('postgres').replace('port: 80', 'port: 80, enabled: false'),
    },
  ],
  [
    'names in a network of its own',
    { services: 'postgres: { image: nginx, hostname: dokploy }, db: { image: nginx }' },
  ],
  [
    'a service without networks',
    {
      services: 'db: { image: nginx, network_mode: none }',
      top: 'networks: { default: { external: true, name: dokploy-network } }',
    },
  ],
])('takes %s', async (_is, file) => {
  expect(await inCompose(file)).toEqual([]);
});

const app = 'source: { type: docker, image: nginx }';

test.each([
  [
    'labelsSwarm: §{ "traefik.http.routers.x.rule": "Host(`shop.example.com`)" }',
    'labelsSwarm has the label traefik.http',
  ],
  ['labelsSwarm: §{ com.docker.compose.project: shop }', 'labelsSwarm has the label com.docker.compose.project'],
  [
    'networkSwarm: §[{ Target: dokploy-network, Aliases: [dokploy-postgres] }]',
    'networkSwarm has the alias dokploy-postgres',
  ],
  ['networkSwarm: §[{ Target: shop_back }]', 'networkSwarm names shop_back, a network of others'],
  ['endpointSpecSwarm: §{ Ports: [{ TargetPort: 80, PublishedPort: 8443 }] }', 'endpointSpecSwarm publishes a port'],
  // What is not known yet, such as a variable without a value, may be anything.
  ['endpointSpecSwarm: §{ Ports: [{ PublishedPort: "${var:number}" }] }', 'endpointSpecSwarm publishes a port'],
  ['endpointSpecSwarm: §{ Ports: "${var:list}" }', 'endpointSpecSwarm publishes a port'],
  ['networkSwarm: §[{ Aliases: ["${ref:postgres.main.host}"] }]', 'networkSwarm has the alias ${ref:'],
  ['networkSwarm: §[{ Aliases: "${var:list}" }]', 'networkSwarm has the alias ${'],
  ['networkSwarm: §[{ Target: "${ref:postgres.main.host}" }]', 'networkSwarm names ${ref:'],
])('refuses %s of an application and of a database', async (field, message) => {
  expect(await found('application', `${app}, ${field}`)).toEqual(refused(message));
  const database = 'dockerImage: "redis:8", databasePassword: "${secret:PW}"';
  expect(await found('redis', `${database}, ${field}`)).toEqual(refused(message));
});

test.each([
  'labelsSwarm: §"${ref:postgres.main.host}"',
  'labelsSwarm: §"${secret:LABELS}"',
  'networkSwarm: §"${ref:postgres.main.host}"',
  'networkSwarm: [§"${ref:postgres.main.host}"]',
  'networkSwarm: [{ Aliases: §"${ref:postgres.main.host}" }]',
  'endpointSpecSwarm: §"${ref:postgres.main.host}"',
  'endpointSpecSwarm: { Ports: §"${ref:postgres.main.host}" }',
])('refuses %s: nothing sees what is in it', async (field) => {
  const says: unknown = expect.stringMatching(
    /Swarm[\w.]* must be a (?:list|map), got .* What an expression gives here is a text\./,
  );
  expect(await found('application', `${app}, ${field}`)).toContainEqual({ code: 'wrong-type', at: 'the mark', says });
});

test.each([
  'labelsSwarm: { traefik.enable: "false", team: shop }',
  'networkSwarm: [{ Target: dokploy-network, Aliases: ["web${var:suffix}"] }]',
  'endpointSpecSwarm: { Mode: dnsrr }',
  'endpointSpecSwarm: { Ports: [{ TargetPort: 80, PublishedPort: 0 }] }',
  'endpointSpecSwarm: { Ports: [{ TargetPort: 80, PublishedPort: "${var:zero}" }] }',
  'endpointSpecSwarm: { Ports: [{ TargetPort: "${var:number}" }] }',
  'endpointSpecSwarm: { Mode: "${var:word}" }',
  'networkSwarm: [{ Target: "${var:own}", Aliases: ["${var:own}"] }]',
  'networkSwarm: [{ Aliases: "${var:owns}" }]',
  'labelsSwarm: { team: "${var:word}", traefik.enable: "${secret:PW}" }',
])('takes %s of an application', async (field) => {
  expect(await found('application', `${app}, ${field}`)).toEqual([]);
});

test('refuses a path that is more than a path to the proxy, in each stage', async () => {
  const domains = 'domains: { a: { host: "a${var:suffix}", path: §"/`) || Host(`shop.example.com" } }';
  expect(await found('application', `${app}, ${domains}`)).toEqual([
    expect.objectContaining({ says: expect.stringContaining('must begin with / and hold no backtick') }),
  ]);
});

test('refuses an entry point that is more than a name in a label of the proxy, in each stage', async () => {
  const point = JSON.stringify('web.rule=Host(`shop.example.com`) || Path("');
  const domains = `domains: { a: { host: "a\${var:suffix}", path: '/") || Path(', customEntrypoint: §${point} } }`;
  expect(await found('application', `${app}, ${domains}`)).toEqual([
    expect.objectContaining({ says: expect.stringContaining('must be the name of an entry point') }),
  ]);
});
