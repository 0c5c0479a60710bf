import { describe, expect, test } from 'vitest';
import type { Diagnostic } from '../../src/diagnostics/diagnostic.ts';
import { read } from '../diagnostics/in-manifests.ts';
import { problemsOf } from '../support/problems.ts';
import { exportOf } from '../support/exporting.ts';
import type { Bench } from '../support/world.ts';
import { bench, head } from '../support/world.ts';

/** Networks of docker, which services join by their ids. */

const ref = '${ref:networks.back.id}';
const networks = 'networks: { back: { driver: overlay, attachable: true } }\n';
const services = (joins: { one: string; each: string }) => `${head}${networks}environments:
  production:
    application: { web: { source: { type: docker, image: nginx }${joins.one} } }
    redis: { cache: { dockerImage: redis:8, databasePassword: "\${secret:A}"${joins.one} } }
    compose:
      site:
        source: { type: raw, composeFile: "services: { app: { image: nginx } }" }${joins.each}
`;
const joined = services({
  one: `, networkIds: ["${ref}"]`,
  each: `\n        serviceNetworks: [{ serviceName: app, networkIds: ["${ref}"], detachDokployNetwork: false }]`,
});
const left = services({ one: ', networkIds: []', each: '\n        serviceNetworks: []' }).replace(networks, '');

async function made(text = joined): Promise<Bench> {
  const one = bench();
  one.secrets.A = 'correct-horse-1';
  await one.apply(text);
  return one;
}

/** The networks of docker that containers are in. */
function inDocker({ emulator }: Bench): unknown[] {
  return Object.values(emulator.world.tables.container).map(({ networks: names }) => names);
}

async function changesOf(one: Bench, text: string): Promise<string[]> {
  const { actions } = await one.plan(text);
  return actions.flatMap(({ action, address }) => (action === 'no-op' ? [] : [`${action} ${address}`]));
}

test('services of each sort join a network by a reference, and then it plans nothing', async () => {
  const one = await made();
  expect(inDocker(one)).toEqual([['back'], ['back'], ['back']]);
  expect(await changesOf(one, joined)).toEqual([]);
});

describe('serviceNetworks of a compose', () => {
  const detached = `{ serviceName: NAME, networkIds: ["${ref}"], detachDokployNetwork: false }`;
  const site = (settings: string, name = 'app', file = 'services: { app: { image: nginx } }') =>
    `${head}${networks}environments:\n  production:\n    compose:\n      site:\n        source: { type: raw, composeFile: "${file}" }
        serviceNetworks: [${detached.replace('NAME', name)}]\n${settings}`;
  const suffixed = '        randomize: true\n        suffix: a1\n';
  const isolated = '        isolatedDeployment: true\n';
  const silenced = (code: string) => `        allow: { ${code}: known }\n`;
  const findings = async (text: string) =>
    (await bench().plan(text)).diagnostics.map(({ code, severity, message, remedy }) => ({
      code,
      severity,
      message,
      remedy,
    }));

  const messagesOf = (found: readonly Diagnostic[]) =>
    found.map(({ message }) => message).filter((message) => message.startsWith('serviceNetworks'));
  const validated = async (text: string) => messagesOf(await read({ 'trueup.yaml': text }));

  test('names services as the deployment does, with the suffix: another name has no effect, and a warning says so', async () => {
    const one = bench();
    await one.apply(site(suffixed));
    expect(inDocker(one)).toEqual([[]]);
    expect(await findings(site(suffixed))).toEqual([
      {
        code: 'ignored-setting',
        severity: 'warning',
        message:
          'serviceNetworks: a deployment calls the service app app-a1, and the platform leaves out the entry for app',
        remedy: 'Write serviceName: app-a1.',
      },
    ]);
    expect(await findings(site(suffixed, 'app-a1'))).toEqual([]);
    await one.apply(site(suffixed, 'app-a1'));
    expect(inDocker(one)).toEqual([['back']]);
    expect(await changesOf(one, site(suffixed, 'app-a1'))).toEqual([]);
  });

  test.each([
    ['randomize: true', 'the suffix is'],
    ['description: a', 'randomize and suffix are'],
  ])('with %s names a service by the name that it has where %s left to the platform', async (declared) => {
    const text = (name: string) => site(`        ${declared}\n`, name);
    const one = bench();
    await one.apply(text('app'));
    const [row] = Object.values(one.emulator.world.tables.compose);
    await one.emulator.act('compose.update', { composeId: row?.composeId, suffix: 'a1', randomize: true });
    expect(messagesOf((await one.plan(text('app-a1'))).diagnostics)).toEqual([]);
    expect(await validated(text('app-a1'))).toEqual([]);
    await one.apply(text('app-a1'));
    expect(inDocker(one)).toEqual([['back']]);
    expect(await changesOf(one, text('app-a1'))).toEqual([]);
    // A new one has what the platform gives it.
    const ofNew = messagesOf((await bench().plan(text('app-a1'))).diagnostics);
    expect(ofNew).toEqual([expect.stringContaining('has no service app-a1')]);
    expect(await validated(text('apps'))).toEqual([expect.stringContaining('has no service apps')]);
  });

  test.each(['randomize: false', 'isolatedDeployment: true', 'suffix: null', 'suffix: b2\n        randomize: true'])(
    'with %s, an entry for app-a1 can have no effect, and validate says so',
    async (declared) => {
      const text = site(`        ${declared}\n`, 'app-a1');
      expect(await validated(text)).toEqual([expect.stringContaining('has no service app-a1')]);
    },
  );

  test('names a service that the file has', async () => {
    const one = bench();
    await one.apply(site('', 'apps'));
    expect(inDocker(one)).toEqual([[]]);
    expect(await findings(site('', 'apps'))).toEqual([
      {
        code: 'ignored-setting',
        severity: 'warning',
        message: 'serviceNetworks: the compose file has no service apps, and the platform leaves out the entry for it',
        remedy: 'Did you mean app?',
      },
    ]);
  });

  test('is refused with isolatedDeployment: the platform declares no network in the file, and docker refuses it', async () => {
    const one = bench();
    const { outcomes } = await one.apply(site(isolated + silenced('refused-setting')));
    expect(outcomes.map(({ result }) => result)).toContain('failed');
    expect(JSON.stringify(one.emulator.world.tables.log)).toContain('refers to undefined network back');
    expect(await findings(site(isolated))).toEqual([
      {
        code: 'refused-setting',
        severity: 'error',
        message: expect.stringContaining('with isolatedDeployment') as string,
        remedy: expect.stringContaining('external: true') as string,
      },
    ]);
    const file = 'services: { app: { image: nginx } }\\nnetworks: { back: { external: true } }';
    expect(await findings(site(isolated, 'app', file))).toEqual([]);
    const other = bench();
    await other.apply(site(isolated, 'app', file));
    expect(inDocker(other)).toEqual([['back']]);
    expect(await changesOf(other, site(isolated, 'app', file))).toEqual([]);
  });

  test('is refused for a service with network_mode', async () => {
    const file = 'services: { app: { image: nginx, network_mode: host } }';
    const one = bench();
    await one.apply(site(silenced('refused-setting'), 'app', file));
    expect(JSON.stringify(one.emulator.world.tables.log)).toContain('mutually exclusive');
    expect(await findings(site('', 'app', file))).toEqual([
      {
        code: 'refused-setting',
        severity: 'error',
        message: 'serviceNetworks: app has network_mode, and compose refuses that together with networks',
        remedy: 'Leave out network_mode, or the entry for app.',
      },
    ]);
  });
});

test('a network is deleted after the deployments with which its services leave it', async () => {
  const one = await made();
  one.requests('POST');
  const { outcomes } = await one.apply(left);
  expect(outcomes.filter(({ result }) => result !== 'done')).toEqual([]);
  const posts = one.requests('POST');
  expect(posts.findLast((operation) => /deploy|network/.test(operation))).toBe('network.remove');
  expect(await changesOf(one, left)).toEqual([]);
});

test('an export names it by a reference, in a list and inside of a map', async () => {
  const { files } = await exportOf(await made());
  expect([...files.values()].join('').split(ref)).toHaveLength(4);
});

describe('docker refuses', () => {
  test('to delete a network that somebody else uses: it stays, and the next plan deletes it again', async () => {
    const one = bench();
    await one.apply(`${head}${networks}`);
    const { networkId } = Object.values(one.emulator.world.tables.network)[0] ?? {};
    const app = { name: 'other', environmentId: 'env_prj_1' };
    const { applicationId } = (await one.emulator.act('application.create', app)) as { applicationId: string };
    await one.emulator.act('application.update', {
      applicationId,
      networkIds: [networkId],
      sourceType: 'docker',
      dockerImage: 'nginx',
    });
    await one.emulator.act('application.deploy', { applicationId });
    await expect.poll(() => inDocker(one)).toEqual([['back']]);
    const { outcomes } = await one.apply(head);
    expect(JSON.stringify(outcomes.map(({ diagnostics }) => diagnostics))).toContain('has active endpoints');
    expect(await changesOf(one, head)).toEqual(['delete networks.back']);
    expect(one.store.state?.resources['networks.back']?.id).toBe(networkId);
  });

  test('a name that it has: nothing is stored', async () => {
    const one = bench();
    const { outcomes } = await one.apply(`${head}networks: { ingress: {} }\n`);
    expect(JSON.stringify(outcomes.map(({ diagnostics }) => diagnostics))).toContain(
      'network with name ingress already exists',
    );
    expect(one.emulator.world.tables.network).toEqual({});
  });
});

describe.each([
  ['{ enableIPv4: false }', 'turns both off'],
  ['{ ipam: { config: [{ gateway: 10.0.0.1 }] } }', 'needs a subnet'],
  ['{ ipam: { config: [{ subnet: 10.0.0.0 }] } }', 'is not a network such as'],
  ['{ ipam: { config: [{ subnet: 10.0.0.0/33 }] } }', 'is not a network such as'],
  ['{ mtu: 20 }', 'mtu'],
])('a block that the platform refuses: %s', (block, says) => {
  test('is an error before any request', async () => {
    const { problems } = await problemsOf(`${head}networks: { back: ${block} }\n`);
    expect(problems.map(({ message }) => message)).toEqual([expect.stringContaining(says)]);
  });
});

test.each([
  '{ enableIPv4: false, enableIPv6: true, ipam: { config: [{ subnet: "fd00::/64", gateway: "fd00::1" }] } }',
  '{ ipam: {} }',
])('a block that the platform takes is applied and then plans nothing: %s', async (block) => {
  const text = `${head}networks: { back: ${block} }\nservers: { server-1: { networks: { back: ${block} } } }\n`;
  const one = bench();
  one.emulator.world.everyServerAnswers = true;
  await one.apply(text, { adoption: true });
  expect(await changesOf(one, text)).toEqual([]);
});
