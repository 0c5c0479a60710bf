import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { applyCommand, callCommand, driftAdoptCommand, driftCommand, planCommand } from '../cli/asked.ts';
import { project, trueup } from '../cli/process.ts';
import type { Asked } from '../support/commands.ts';
import { execute, recordingTerminal } from '../support/commands.ts';
import { oneError, told } from '../support/problems.ts';
import type { Bench } from '../support/world.ts';
import { bench, head } from '../support/world.ts';

/** The settings of the platform's own server: one block, of what is there once and always. */

const adoption = { adoption: true };
const block = (fields: string) => `${head}webServer: { ${fields} }\n`;

async function made(fields: string): Promise<Bench> {
  const one = bench();
  await one.apply(block(fields), adoption);
  one.requests('POST');
  return one;
}

function rowOf({ emulator }: Bench) {
  const [row, ...others] = Object.values(emulator.world.tables.webServerSettings);
  expect(others).toEqual([]);
  return row;
}

async function changesOf(one: Bench, text: string | Record<string, string>): Promise<string[]> {
  const { actions } = await one.plan(text);
  return actions.flatMap(({ action, address, changes }) =>
    action === 'no-op' ? [] : changes.map(({ path }) => `${action} ${address} ${path}`),
  );
}

test('each field goes with its own operation, alone, and what nothing declares stays', async () => {
  const one = await made('buildsConcurrency: 2');
  expect(one.store.state?.resources['webServer']).toMatchObject({ kind: 'webServer', id: rowOf(one)?.['id'] });
  const all =
    'host: Deploy.example.com, https: true, certificateType: letsencrypt, letsEncryptEmail: ops@example.test, ' +
    'serverIp: "2001:db8::1", enableDockerCleanup: false, logCleanupCron: null, buildsConcurrency: 2';
  await one.apply(block(all));
  expect(one.requests('POST').toSorted()).toEqual([
    'settings.assignDomainServer',
    'settings.updateDockerCleanup',
    'settings.updateLogCleanup',
    'settings.updateServerIp',
  ]);
  expect(rowOf(one)).toMatchObject({ https: true, logCleanupCron: null, remoteServersOnly: false, enforceSSO: false });
  expect(await changesOf(one, block(all.toLowerCase().replaceAll(/\b\w+/g, (word) => spelt[word] ?? word)))).toEqual(
    [],
  );
  const other = all.replace('ops@', 'admin@');
  await one.apply(block(other));
  expect(one.requests('POST')).toEqual(['settings.assignDomainServer']);
  expect(rowOf(one)).toMatchObject({ host: 'Deploy.example.com', https: true, letsEncryptEmail: 'admin@example.test' });
  expect(await changesOf(one, block(other))).toEqual([]);
});

const spelt = Object.fromEntries(
  'certificateType letsEncryptEmail serverIp enableDockerCleanup logCleanupCron buildsConcurrency'
    .split(' ')
    .map((word) => [word.toLowerCase(), word]),
);

test('a dashboard that loses its host is said, and only that; a first host and the same one are not', async () => {
  const one = bench();
  const codesOf = async (fields: string) => {
    const { actions } = await one.plan(block(fields));
    return actions.flatMap(({ notes }) => notes.map(({ code, message }) => `${code}: ${message}`));
  };
  expect(await codesOf('host: deploy.example.com')).toEqual([]);
  await one.apply(block('host: deploy.example.com, serverIp: 203.0.113.1'), adoption);
  expect(await codesOf('host: DEPLOY.example.com, https: true')).toEqual([
    'released: serverIp: is no longer managed and stays as it is',
  ]);
  const gone = 'dashboard-moves: webServer: the dashboard and the API answer there no more: deploy.example.com';
  expect(await codesOf('host: platform.example.com, serverIp: 203.0.113.1')).toEqual([gone]);
  const none = 'host: null, serverIp: null';
  expect(await codesOf(none)).toEqual([gone]);
  await one.apply(block(none));
  expect(rowOf(one)).toMatchObject({ host: '', serverIp: '', certificateType: 'none' });
  expect(await changesOf(one, block(none))).toEqual([]);
});

test('the address that the manifest reaches the platform by goes with the host of the dashboard', async () => {
  const one = await made('host: deploy.example.com');
  const notesOf = async (url: string, host: string) => {
    const text = block(`host: ${host}`).replace('platform: emulator', `platform: { url: "${url}" }`);
    const { actions } = await one.plan(text);
    return actions.flatMap(({ notes }) => notes.map(({ message, remedy }) => [message, remedy]));
  };
  const moves = 'webServer: the dashboard and the API answer there no more: deploy.example.com';
  const usual = undefined; // that of the code
  expect(await notesOf('https://deploy.example.com/base/', 'platform.example.com')).toEqual([
    [
      `${moves}, the address in platform:`,
      'Point the DNS of the new host to the server, and apply this alone, with --target webServer. Then write platform: { url: https://platform.example.com/base }, and that into TRUEUP_URL where it is set.',
    ],
  ]);
  expect(await notesOf('https://DEPLOY.example.com', 'null')).toEqual([[`${moves}, the address in platform:`, usual]]);
  expect(await notesOf('https://203.0.113.1:3000', 'platform.example.com')).toEqual([[moves, usual]]);
});

test('it is neither created nor deleted: an empty answer, as of the cloud, and a block that is gone', async () => {
  const one = await made('buildsConcurrency: 2');
  const { actions } = await one.plan(head);
  expect(actions).toMatchObject([{ action: 'forget', notes: [{ code: 'stays-there' }] }]);
  await one.apply(head);
  expect(one.requests('POST')).toEqual([]);
  expect(await changesOf(one, head)).toEqual([]);
  const { clock, emulator } = bench();
  const send: typeof emulator.send = async (request) => {
    const answer = await emulator.send(request);
    return request.path.endsWith('.getWebServerSettings') ? { ...answer, body: 'null' } : answer;
  };
  const plan = await bench({ clock, emulator: { ...emulator, send } }).plan(block('buildsConcurrency: 2'));
  const message = 'the platform has no such webServer, and the platform makes them itself';
  expect(plan.actions).toMatchObject([
    { notes: [{ code: 'cannot-create', message: expect.stringContaining(message) as string }] },
  ]);
});

test('what needs a license is refused without one, with what to do, and applied with one', async () => {
  const one = bench();
  const text = block('buildsConcurrency: 2, remoteServersOnly: true, enforceSSO: true');
  const { outcomes } = await one.apply(text, adoption);
  expect(outcomes).toMatchObject([
    {
      result: 'failed',
      diagnostics: [
        {
          message: expect.stringContaining('only with an enterprise license') as string,
          remedy: expect.stringContaining('activate a license key in the dashboard') as string,
        },
      ],
    },
  ]);
  Object.assign(one.emulator.world.tables.user['user_1'] ?? {}, licence);
  await one.apply(text, adoption);
  expect(rowOf(one)).toMatchObject({ buildsConcurrency: 2, remoteServersOnly: true, enforceSSO: true });
  expect(await changesOf(one, text)).toEqual([]);
});

const licence = { enableEnterpriseFeatures: true, isValidEnterpriseLicense: true };

describe('what is written in place of the block', () => {
  test.each([
    ['§webServer:\n', 'webServer is empty Write webServer: {} for no fields'],
    ['webServer: §8080\n', 'webServer must be a map of fields'],
    ['webServer: { §main: { buildsConcurrency: 2 } }\n', 'webServer has no key main'],
    ['webServer: { https: §true }\n', 'https belongs to the host of the dashboard'],
    ['webServer: { host: §"https://deploy.example.com" }\n', 'is not a host name'],
    ['webServer: { host: deploy.example.com, letsEncryptEmail: §null }\n', 'the proxy would keep the address'],
    ['webServer: { buildsConcurrency: §0 }\n', 'buildsConcurrency'],
    ['§settings: { buildsConcurrency: 2 }\n', 'Did you mean webServer?'],
  ])('%j', async (text, said) => {
    const found = await told(head + text);
    expect(found.said).toContain(said);
    expect(found).toMatchObject({ problems: [expect.stringMatching(/ at the mark$/)], hasRemedy: true });
  });

  test('two files that both define it are an error', async () => {
    const files = { 'trueup.yaml': `${block('buildsConcurrency: 2')}include: [more.yaml]\n` };
    const more = 'webServer: { §serverIp: 203.0.113.1 }\n'.replace('{ §', '{ ');
    expect(await told({ ...files, 'more.yaml': `§${more}` })).toEqual(
      oneError('defined-twice', 'webServer is already'),
    );
  });
});

test('an included file holds it, changes: change it and take it out, and a reference reads it', async () => {
  const one = bench();
  const shared = 'webServer: { serverIp: 203.0.113.1, buildsConcurrency: 2 }\n';
  const files = (changes: string) => ({
    'trueup.yaml': `${head}include: [server.yaml]\nchanges: { ${changes} }\noutputs: { ip: "\${ref:webServer.serverIp}" }\n`,
    'server.yaml': shared,
  });
  await one.apply(files('webServer: { buildsConcurrency: 3 }'), adoption);
  expect(rowOf(one)).toMatchObject({ serverIp: '203.0.113.1', buildsConcurrency: 3 });
  expect(await changesOf(one, files('webServer: { buildsConcurrency: 3 }'))).toEqual([]);
  expect(await changesOf(one, files('webServer: { buildsConcurrency: !reset }'))).toEqual([]);
  await one.apply(files('webServer: { buildsConcurrency: !reset 4 }'));
  expect(rowOf(one)).toMatchObject({ buildsConcurrency: 4 });
  const without = {
    'trueup.yaml': `${head}include: [server.yaml]\nchanges: { webServer: !reset }\n`,
    'server.yaml': shared,
  };
  expect((await one.plan(without)).actions.map(({ action }) => action)).toEqual(['forget']);
});

test('an export of a project leaves it out and says how to add it; the next export keeps what was added', async () => {
  const emulator = createEmulator({ profile: 'dokploy', apiKey: 'a-key' });
  const server = await serve(emulator);
  onTestFinished(() => server.close());
  const folder = project({});
  const env = { TRUEUP_API_KEY: 'a-key', TRUEUP_URL: server.url };
  const run = async (...words: string[]) => {
    const { code, out, err } = await trueup([...words, '-C', folder], { env });
    expect([words, err.replaceAll(/^(note|warning).*\n(  .*\n)*/gm, ''), code]).toEqual([words, '', 0]);
    return out + err;
  };
  const adding = 'trueup export --address webServer adds it';
  const written = () => readFileSync(join(folder, 'organization.yaml'), 'utf8');
  expect(await run('export', '--project', 'prj_1')).toContain(adding);
  expect(await run('export', '--unmanaged')).toContain(adding);
  expect(written()).not.toContain('webServer');
  await run('export', '--address', 'webServer');
  expect(written()).toContain('\nwebServer:\n  https: false\n  certificateType: none\n  enableDockerCleanup: true\n');
  expect(await run('plan')).toContain('No changes');
  const before = written();
  for (const words of [['--force'], ['--unmanaged']]) expect(await run('export', ...words)).not.toContain(adding);
  expect(written().split('\n').toSorted()).toEqual(before.split('\n').toSorted());
  expect(await run('plan')).toContain('No changes');
});

test('what a person changed there is adopted into the block', async () => {
  const text = `${head}webServer: { buildsConcurrency: 2 } # one server\n`;
  const folder = project(text);
  const run = async (asked: Asked, format = 'text') => {
    const { printed, terminal } = recordingTerminal();
    const exit = await execute(asked, { folder, terminal, format });
    return `${exit}: ${printed.out}${printed.err}`;
  };
  await run(applyCommand({ autoApprove: true, adopt: true }));
  await run(callCommand(['settings.updateBuildsConcurrency'], { timeout: '30s', input: '{"buildsConcurrency":5}' }));
  expect(await run(driftCommand({}), 'json')).toContain('"single": true,');
  expect(await run(driftAdoptCommand(['webServer'], {}))).toMatch(/^done/);
  expect(readFileSync(join(folder, 'trueup.yaml'), 'utf8')).toBe(text.replace('2', '5'));
  expect(await run(planCommand({}))).toContain('No changes');
  expect((await trueup(['graph', '-C', folder, '--format', 'json'])).out).toContain('"single": true,');
});
