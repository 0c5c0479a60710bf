import { expect, test } from 'vitest';
import { benchWith, exportOf } from '../support/exporting.ts';
import { readNarrowing } from '../../src/plan/narrow.ts';
import { session } from '../../src/workflow/session.ts';
import { told } from '../support/problems.ts';
import type { Bench } from '../support/world.ts';
import { bench, head } from '../support/world.ts';

/** The host where people sign in before a protected domain answers: of the platform's own server, and with a license only. */

const block = (fields: string) => `${head}forwardAuth: { ${fields} }\n`;
const licence = { enableEnterpriseFeatures: true, isValidEnterpriseLicense: true };

function licensed(): Bench {
  const one = bench();
  Object.assign(one.emulator.world.tables.user['user_1'] ?? {}, licence);
  return one;
}

const rowsOf = ({ emulator }: Bench) => Object.values(emulator.world.tables.forwardAuthSettings);

async function changesOf(one: Bench, text: string | Record<string, string>): Promise<string[]> {
  const { actions } = await one.plan(text);
  return actions.flatMap(({ action, changes }) =>
    action === 'no-op' ? [] : [action, ...changes.map(({ path }) => path)],
  );
}

test('it is set, changed without losing what nothing declares, and removed with its block', async () => {
  const one = licensed();
  const first = block('host: Auth.example.com, https: false, certificateType: custom, customCertResolver: internal');
  await one.apply(first);
  expect(one.requests('POST')).toEqual(['forwardAuth.setAuthDomain']);
  const stored = { serverId: null, https: false, certificateType: 'custom', customCertResolver: 'internal' };
  expect(rowsOf(one)).toMatchObject([{ authDomain: 'auth.example.com', baseDomain: '.example.com', ...stored }]);
  expect(await changesOf(one, first)).toEqual([]);
  const other = `${block('host: login.example.com')}outputs: { callback: "\${ref:forwardAuth.callbackUrl}" }\n`;
  await one.apply(other);
  expect(rowsOf(one)).toMatchObject([{ authDomain: 'login.example.com', ...stored }]);
  expect(await changesOf(one, other)).toEqual([]);
  const none = block('host: login.example.com, customCertResolver: null');
  await one.apply(none);
  expect(rowsOf(one)).toMatchObject([{ customCertResolver: '', https: false }]);
  expect(await changesOf(one, none)).toEqual([]);
  one.requests('POST');
  await one.apply(head);
  expect(one.requests('POST')).toEqual(['forwardAuth.removeAuthDomain']);
  expect(rowsOf(one)).toEqual([]);
  expect(await changesOf(one, head)).toEqual([]);
});

test('one that a person set is adopted with consent; that of a remote server is no other one', async () => {
  const one = licensed();
  const set = { https: true, certificateType: 'letsencrypt' };
  await one.emulator.act('server.update', { ...server, sshKeyId: 'key_1' });
  await one.emulator.act('forwardAuth.setAuthDomain', { ...set, serverId: 'srv_1', authDomain: 'one.example.com' });
  expect(await changesOf(one, block('host: auth.example.com'))).toEqual(['create', 'host']);
  await one.emulator.act('forwardAuth.setAuthDomain', { ...set, serverId: null, authDomain: 'auth.example.com' });
  const { actions } = await one.plan(block('host: auth.example.com'));
  expect(actions).toMatchObject([{ action: 'adopt', needsConsent: true, id: 'platform' }]);
  const { files, notes } = await exportOf(one);
  const written = [...files.values()].join('\n');
  expect(written).not.toMatch(/^forwardAuth/m);
  expect(written).toContain('\n    forwardAuth:\n      host: one.example.com\n');
  const message = expect.stringContaining('trueup export --address forwardAuth adds it') as string;
  expect(notes).toContainEqual(expect.objectContaining({ address: 'forwardAuth', message }));
});

const server = {
  serverId: 'srv_1',
  name: 'server-1',
  description: null,
  ipAddress: '192.0.2.1',
  port: 22,
  username: 'root',
  serverType: 'deploy',
  enableDockerCleanup: false,
};

test('it is replaced on purpose, and the new one has the id of the old one', async () => {
  const one = licensed();
  await one.apply(block('host: auth.example.com'));
  one.requests('POST');
  const manifest = await one.manifest(block('host: auth.example.com'));
  const ran = await session(manifest, one.platform(), { purpose: 'apply', clock: one.clock }, async (run) =>
    run.apply(await run.plan({ narrowing: readNarrowing({ replace: ['forwardAuth'] }) }), {
      dataLoss: true,
      adoption: true,
      massDeletion: true,
    }),
  );
  expect(ran.outcomes.map(({ result, diagnostics }) => [result, diagnostics])).toEqual([['done', []]]);
  expect(one.requests('POST')).toEqual(['forwardAuth.removeAuthDomain', 'forwardAuth.setAuthDomain']);
  expect(await changesOf(one, block('host: auth.example.com'))).toEqual([]);
});

test('one that was taken away without Trueup is set again, and the new one has the id of the old one', async () => {
  const one = licensed();
  await one.emulator.act('server.update', { ...server, sshKeyId: 'key_1' });
  const own = 'forwardAuth: { host: auth.example.com }';
  const text = `${head}${own}\nservers: { first: { name: server-1, forwardAuth: { host: one.example.com } } }\n`;
  await one.apply(text, { adoption: true });
  for (const serverId of [null, 'srv_1']) await one.emulator.act('forwardAuth.removeAuthDomain', { serverId });
  expect(rowsOf(one)).toEqual([]);
  one.requests('POST');
  const { outcomes } = await one.apply(text);
  expect(outcomes.filter(({ result }) => result !== 'done')).toEqual([]);
  expect(outcomes.flatMap(({ diagnostics }) => diagnostics)).toEqual([]);
  expect(one.requests('POST')).toEqual(['forwardAuth.setAuthDomain', 'forwardAuth.setAuthDomain']);
  expect(rowsOf(one)).toHaveLength(2);
  expect(await changesOf(one, text)).toEqual([]);
});

test('each server has one of its own, which is set, changed and removed for that server alone', async () => {
  const one = licensed();
  await one.emulator.act('server.update', { ...server, sshKeyId: 'key_1' });
  const worker = 'worker: { name: worker, ipAddress: 192.0.2.9, sshKeyId: key_1';
  const all = (of: string, own = 'forwardAuth: { host: auth.example.com }', first = 'name: server-1') =>
    `${head}${own}\nservers:\n  first: { ${first}, forwardAuth: { host: one.example.com } }\n  ${worker}${of} }\n`;
  const hosts = () => rowsOf(one).map(({ authDomain, serverId }) => [authDomain, serverId]);
  await one.apply(all(', forwardAuth: { host: two.example.com, https: false }'), { adoption: true });
  const ids = Object.fromEntries(
    Object.entries(one.store.state?.resources ?? {}).map(([address, { id }]) => [address, id]),
  );
  expect(ids['servers.first.forwardAuth']).toBe('forwardAuth of srv_1');
  const second = String(ids['servers.worker']);
  expect(hosts()).toEqual(
    expect.arrayContaining([
      ['auth.example.com', null],
      ['one.example.com', 'srv_1'],
      ['two.example.com', second],
    ]),
  );
  expect(await changesOf(one, all(', forwardAuth: { host: two.example.com, https: false }'))).toEqual([]);
  const other = all(', forwardAuth: { host: four.example.com }');
  await one.apply(other);
  expect(rowsOf(one).find(({ serverId }) => serverId === second)).toMatchObject({
    authDomain: 'four.example.com',
    https: false,
  });
  expect(await changesOf(one, other)).toEqual([]);
  const exported = await exportOf(one);
  expect([...exported.files.values()].join('\n')).toContain('    forwardAuth:\n      host: four.example.com\n');
  expect(await changesOf(benchWith(one, exported), Object.fromEntries(exported.files))).toEqual([]);
  one.requests('POST');
  await one.apply(all('', ''));
  expect(one.requests('POST')).toEqual(['forwardAuth.removeAuthDomain', 'forwardAuth.removeAuthDomain']);
  expect(hosts()).toEqual([['one.example.com', 'srv_1']]);
  expect(await changesOf(one, all('', ''))).toEqual([]);
  const last = `${head}servers: { ${worker} } }\n`;
  await one.apply(last, { dataLoss: true });
  expect(one.requests('POST')).toEqual(['forwardAuth.removeAuthDomain', 'server.remove']);
  expect(hosts()).toEqual([]);
  expect(await changesOf(one, last)).toEqual([]);
});

test('a server that builds images takes none: the platform would not list it', async () => {
  const { problems, said } = await told(
    `${head}servers: { worker: { ipAddress: 192.0.2.9, sshKeyId: key_1, serverType: build, §forwardAuth: { host: auth.example.com } } }\n`,
  );
  expect([...problems, said].join()).toMatch(/builds images, and runs no service/);
});

test('without a license the plan says so and what to do, and an export leaves it out', async () => {
  const one = bench();
  await expect(one.plan(block('host: auth.example.com'))).rejects.toMatchObject({
    message: expect.stringContaining('only with an enterprise license') as string,
    remedy: expect.stringContaining('activate a license key in the dashboard') as string,
    neededBy: [{ address: 'forwardAuth', position: { line: 4 } }],
  });
  await expect(one.apply(block('host: auth.example.com'))).rejects.toThrow('only with an enterprise license');
  expect(one.requests('POST')).toEqual([]);
  const { files, notes } = await exportOf(one);
  expect([...files.values()].join('\n')).not.toContain('forwardAuth');
  expect(notes.filter(({ message }) => message.includes('forwardAuth'))).toEqual([]);
});

test('a block without a host, and a host that the platform refuses, are errors of the plan', async () => {
  const { actions } = await licensed().plan(block('https: true'));
  expect(actions).toMatchObject([
    { notes: [{ code: 'cannot-create', message: expect.stringContaining('without host') as string }] },
  ]);
  const { said, problems } = await told(`${head}forwardAuth: { host: §localhost }\n`);
  expect([...problems, said].join()).toMatch(/^wrong-type at the mark,.*must be a host name that ends in letters/);
});
