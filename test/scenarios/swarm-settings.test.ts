import { describe, expect, test } from 'vitest';
import { plansNothing } from '../support/faults.ts';
import { read } from '../diagnostics/in-manifests.ts';
import { warningsAndMark } from '../support/problems.ts';
import { type Bench, bench, head } from '../support/world.ts';

/** Settings of Swarm that the platform takes in place of other fields. */

const services = (sections: string) => `${head}environments:\n  production:\n${sections}`;
const application = (settings: string, name = 'web') =>
  services(`    application: { ${name}: { source: { type: docker, image: nginx }, ${settings} } }\n`);
const redis = (settings: string) =>
  services(`    redis: { cache: { dockerImage: redis:8, databasePassword: "\${secret:A}", ${settings} } }\n`);
const libsql = (settings: string) =>
  services(
    `    libsql: { db: { sqldNode: primary, dockerImage: "ghcr.io/tursodatabase/libsql-server:v0.24.32", databaseUser: a, databasePassword: "\${secret:A}", ${settings} } }\n`,
  );

async function made(text: string): Promise<Bench> {
  const one = bench();
  one.secrets.A = 'correct-horse-1';
  await one.apply(text);
  await plansNothing(one, text);
  return one;
}

/** The field and what is said of it, of each warning of a plan that begins. */
async function findings(text: string): Promise<string[]> {
  const one = bench();
  one.secrets.A = 'correct-horse-1';
  const { diagnostics } = await one.plan(text);
  return diagnostics.map(({ code, severity, message }) => `${severity} ${code} ${message.split(' in place')[0] ?? ''}`);
}

const orders = ({ emulator }: Bench) =>
  Object.values(emulator.world.tables.container).flatMap(
    (row) => row['orders'] as unknown as Record<string, unknown>[],
  );
const networks = ({ emulator }: Bench) => Object.values(emulator.world.tables.container).map((row) => row['networks']);
const warning = (field: string, swarm: string) => `warning ignored-setting ${field}: the platform takes ${swarm}`;

describe('modeSwarm', () => {
  test.each(['{ Global: {} }', '{}', '{ Replicated: {} }'])('%s starts one, whatever replicas says', async (mode) => {
    const text = application(`replicas: 3, modeSwarm: ${mode}`);
    expect(orders(await made(text)).map(({ replicas }) => replicas)).toEqual([1]);
    expect(await findings(text)).toEqual([warning('replicas', 'modeSwarm')]);
  });

  test('of the same number says the same', async () => {
    const text = application('replicas: 3, modeSwarm: { Replicated: { Replicas: 3 } }');
    expect(orders(await made(text)).map(({ replicas }) => replicas)).toEqual([3]);
    expect(await findings(text)).toEqual([]);
  });

  test('null leaves replicas as it is', async () => {
    const text = application('replicas: 3, modeSwarm: null');
    expect(orders(await made(text)).map(({ replicas }) => replicas)).toEqual([3]);
    expect(await findings(text)).toEqual([]);
  });
});

describe('endpointSpecSwarm', () => {
  const spec = (ports = '') => `endpointSpecSwarm: { Mode: vip${ports === '' ? '' : `, Ports: [${ports}]`} }`;
  const ports = 'ports: { web: { publishedPort: 8080, targetPort: 80 } }';

  test('publishes its own ports, and none of those below the application', async () => {
    const text = application(`${ports}, ${spec('{ PublishedPort: 9090, TargetPort: 80 }')}`);
    expect(orders(await made(text)).map((one) => one['ports'])).toEqual([[':9090/tcp']]);
    expect(await findings(text)).toEqual([warning('publishedPort', 'endpointSpecSwarm of production.application.web')]);
  });

  test('without ports publishes none', async () => {
    const text = application(`${ports}, ${spec()}`);
    expect(orders(await made(text)).map((one) => one['ports'])).toEqual([[]]);
    expect(await findings(text)).toHaveLength(1);
  });

  test('with the same port says the same', async () => {
    const text = application(`${ports}, ${spec('{ PublishedPort: 8080, TargetPort: 80, PublishMode: ingress }')}`);
    expect(orders(await made(text)).map((one) => one['ports'])).toEqual([[':8080/tcp']]);
    expect(await findings(text)).toEqual([]);
  });

  test('of a database replaces externalPort', async () => {
    const text = redis(`externalPort: 16379, ${spec()}`);
    expect(orders(await made(text)).map((one) => one['ports'])).toEqual([[]]);
    expect(await findings(text)).toEqual([warning('externalPort', 'endpointSpecSwarm')]);
  });

  test('of a libSQL is stored and not read', async () => {
    const text = libsql(`externalPort: 18080, stopGracePeriodSwarm: 10s, ${spec()}`);
    expect(orders(await made(text)).map((one) => one['ports'])).toEqual([[':18080/tcp']]);
    const stored = 'the platform stores it, and starts a libSQL without it';
    expect(await findings(text)).toEqual([
      `warning ignored-setting endpointSpecSwarm: ${stored}`,
      `warning ignored-setting stopGracePeriodSwarm: ${stored}`,
    ]);
  });

  test('takes a port of its server as another service does', async () => {
    const text = application(
      `${spec('{ PublishedPort: 9090, TargetPort: 80, PublishMode: ingress }')} }, api: { source: { type: docker, image: nginx }, ports: { a: { publishedPort: 9090, targetPort: 80 } }`,
    );
    const { warnings } = await warningsAndMark(text);
    expect(warnings.map(({ message }) => message)).toEqual([
      expect.stringContaining('port 9090 (tcp) of the same server is also published by production.application.web'),
    ]);
    const one = bench();
    await one.apply(text);
    expect(JSON.stringify(one.emulator.world.tables.log)).toContain('is already in use by service');
  });
});

describe('networkSwarm', () => {
  const back = 'networks: { back: { driver: overlay, attachable: true } }\n';
  const joined = (settings: string) =>
    application(`networkIds: ["\${ref:networks.back.id}"], detachDokployNetwork: true, ${settings}`).replace(
      'environments:',
      `${back}environments:`,
    );

  test.each([
    ['[]', []],
    ['[{ Target: other }]', ['other']],
  ])('%s replaces networkIds and detachDokployNetwork', async (value, names) => {
    const text = joined(`networkSwarm: ${value}`);
    expect(networks(await made(text))).toEqual([names]);
    expect(await findings(text)).toEqual([
      warning('detachDokployNetwork', 'networkSwarm'),
      warning('networkIds', 'networkSwarm'),
    ]);
  });

  test('null leaves them as they are', async () => {
    const text = joined('networkSwarm: null');
    expect(networks(await made(text))).toEqual([['back']]);
    expect(await findings(text)).toEqual([]);
  });
});

describe('a variable that has no value yet, as in a file of previews,', () => {
  const preview = (settings: string) => ({
    'trueup.yaml': `${head}environment: pr
preview: {}
variables: { port: { type: number }, count: { type: number } }
application: { web: { source: { type: docker, image: nginx }, ${settings} } }
redis: { cache: { dockerImage: redis:8, databasePassword: example-1 } }
`,
  });

  test.each([
    'replicas: 3, modeSwarm: { Replicated: { Replicas: "${var:count}" } }',
    'replicas: "${var:count}", modeSwarm: { Replicated: { Replicas: 3 } }',
    'replicas: "${var:count}", modeSwarm: { Replicated: { Replicas: "${var:count}" } }',
    'endpointSpecSwarm: { Ports: [{ TargetPort: "${var:port}", PublishedPort: 0 }] }',
  ])('may say the same: %s', async (settings) => {
    expect((await read(preview(settings))).map(({ message }) => message)).toEqual([]);
  });

  test.each([
    'replicas: "${var:count}", modeSwarm: { Global: {} }',
    'networkIds: ["${ref:redis.cache.host}"], networkSwarm: [{ Target: dokploy-network }]',
  ])('changes nothing of a field without effect: %s', async (settings) => {
    const found = (await read(preview(settings))).map(({ message }) => message);
    expect(found).toEqual([expect.stringContaining('in place of it')]);
  });
});
