import { mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createEmulator } from '../../../src/emulator/emulator.ts';
import { serve } from '../../../src/emulator/http-server.ts';
import { initCommand } from '../asked.ts';
import { documentOf, trueup } from '../process.ts';
import { execute, recordingTerminal } from '../../support/commands.ts';
import { processOfTest } from '../../support/process.ts';

/** What a plan says that finds no difference in a run without the secrets. */
const noChanges = 'No changes in what was compared. ';

/** `trueup init`, typed by a script. */

const apiKey = 'canary-key-of-the-owner';
const open: { close(): Promise<void> }[] = [];
afterAll(() => Promise.all(open.map((server) => server.close())));

/** A platform over HTTP that has services which people made by hand. */
async function platformWith(services: number): Promise<{ readonly url: string }> {
  const emulator = createEmulator({ profile: 'standard', apiKey });
  for (let at = 0; at < services; at++) {
    const name = `service-${at}`;
    const environmentId = 'env_prj_1';
    if (at % 2 === 0) {
      const made = await emulator.act('compose.create', {
        name,
        environmentId,
        sourceType: 'raw',
        composeFile: `services:\n  web:\n    image: nginx:1.${at}\n`,
      });
      const { composeId } = made as { composeId: string };
      await emulator.act('compose.update', { composeId, env: `PORT=80\nAPI_TOKEN=canary-token-${at}\n` });
      await emulator.act('domain.create', {
        host: `${name}.example.com`,
        composeId,
        serviceName: 'web',
        domainType: 'compose',
      });
    } else {
      await emulator.act('postgres.create', {
        name,
        environmentId,
        databaseName: 'shop',
        databaseUser: 'shop',
        databasePassword: `canary-password-${at}`,
        dockerImage: 'postgres:17',
      });
    }
  }
  const server = await serve(emulator);
  open.push(server);
  return { url: server.url };
}

function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'trueup-init-'));
}

test('asks for address, key, project and consent, and 50 services are under management in less than 60 s', async () => {
  const { url } = await platformWith(50);
  const folder = newFolder();
  const typed = [url, apiKey, 'prj_1', 'yes'];
  expect(typed.length).toBeLessThanOrEqual(8);
  const start = performance.now();
  const { printed, terminal } = recordingTerminal({ isInteractive: true });
  const process = processOfTest({ cwd: folder, input: `${typed.join('\n')}\n` });
  expect(await execute(initCommand({}), { folder, terminal, signals: process })).toBe('done');
  const planned = await trueup(['plan', '-C', folder], { env: { TRUEUP_API_KEY: apiKey } });
  expect(planned.out).toContain(noChanges);
  expect(performance.now() - start).toBeLessThan(60_000);
  expect(printed.out).toContain('Project prj_1, by section: environments 1, compose 25, domains 25, ');
  expect(printed.out).toContain('Set TRUEUP_API_KEY');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (path) => /\.\w+$/.test(path) && !path.endsWith('.trueup') && !path.endsWith('.vscode'),
  );
  expect(files).toContain('.vscode/settings.json');
  expect(readFileSync(`${folder}/.vscode/settings.json`, 'utf8')).toContain('"!reset mapping"');
  const said = [printed.out, printed.err, process.printed.out, process.printed.err];
  for (const text of [...said, ...files.map((path) => readFileSync(join(folder, path), 'utf8'))])
    expect(text).not.toContain('canary');
});

test('writes a manifest without resources when the answer is no', async () => {
  const { url } = await platformWith(1);
  const folder = newFolder();
  const { printed, terminal } = recordingTerminal({ isInteractive: true });
  const process = processOfTest({ cwd: folder, input: `${[url, apiKey, 'prj_1', 'no'].join('\n')}\n` });
  expect(await execute(initCommand({}), { folder, terminal, signals: process })).toBe('done');
  expect(readFileSync(join(folder, 'trueup.yaml'), 'utf8')).toBe(
    `trueup: 1\nplatform:\n  url: ${url}\nproject: prj_1\n`,
  );
  expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toBe('.trueup/\n/secrets.env\n');
  expect(printed.out).toContain('Next: trueup export');
  const exported = await trueup(['export', '-C', folder], { env: { TRUEUP_API_KEY: apiKey } });
  expect([exported.err, exported.code]).toEqual(['', 0]);
  expect((await trueup(['plan', '-C', folder], { env: { TRUEUP_API_KEY: apiKey } })).out).toContain(noChanges);
});

test('adds the state to a .gitignore that is there, also without an export', async () => {
  const { url } = await platformWith(1);
  const env = { TRUEUP_API_KEY: apiKey };
  for (const more of [['--no-export'], []]) {
    const folder = newFolder();
    writeFileSync(join(folder, '.gitignore'), '*.log\nbuild');
    const ran = await trueup(['init', '-C', folder, '--url', url, '--project', 'prj_1', '--yes', ...more], { env });
    expect([ran.err, ran.code]).toEqual(['', 0]);
    expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toBe('*.log\nbuild\n.trueup/\n/secrets.env\n');
  }
});

test.each([['--no-export'], []])('refuses a .gitignore that is a link, which git does not read %s', async (...more) => {
  const { folder, init } = await newProject();
  writeFileSync(join(folder, 'common'), '.trueup/\n/secrets.env\n');
  symlinkSync('common', join(folder, '.gitignore'));
  const { code, err } = await init(...more);
  expect([code, err]).toEqual([1, expect.stringContaining('.gitignore is a link, and git reads none')]);
  expect(readdirSync(folder).toSorted()).toEqual(['.gitignore', 'common']);
});

test('takes options instead of answers', async () => {
  const { url } = await platformWith(2);
  const folder = newFolder();
  const env = { TRUEUP_API_KEY: apiKey };
  const ran = await trueup(['init', '-C', folder, '--url', url, '--project', 'prj_1', '--yes'], { env });
  expect([ran.err, ran.code]).toEqual(['', 0]);
  expect((await trueup(['plan', '-C', folder], { env })).out).toContain(noChanges);
  const again = await trueup(['init', '-C', folder, '--url', url, '--project', 'prj_1', '--yes'], { env });
  expect(again.code).not.toBe(0);
  expect(again.err).toContain('there is a manifest');
});

test('prints one document with --format json, also without an export', async () => {
  const { url } = await platformWith(1);
  const env = { TRUEUP_API_KEY: apiKey };
  const run = async (...more: string[]) => {
    const folder = newFolder();
    const words = ['init', '-C', folder, '--url', url, '--project', 'prj_1', '--yes', '--format', 'json', ...more];
    return { folder, ran: await trueup(words, { env }) };
  };
  const { folder, ran } = await run('--no-export');
  expect([ran.err, ran.code]).toEqual(['', 0]);
  const document = documentOf(ran);
  expect(document).toMatchObject({ format: 'trueup/export', project: 'prj_1', folder, resources: [], secrets: [] });
  expect(document).toMatchObject({ requests: { writes: 0 } });
  const files = ['.gitignore', '.vscode/settings.json', '.vscode/trueup.schema.json', 'trueup.yaml'];
  expect(document).toMatchObject({ files });
  const exported = documentOf((await run()).ran);
  expect(exported).toMatchObject({ format: 'trueup/export', resources: expect.arrayContaining([expect.anything()]) });
});

test('on a pipe it names the options that are missing, and sends nothing', async () => {
  const folder = newFolder();
  const ran = await trueup(['init', '-C', folder], { env: { TRUEUP_API_KEY: apiKey } });
  expect(ran.code).not.toBe(0);
  expect(ran.err).toContain('Give --url and --project');
  expect(readdirSync(folder)).toEqual([]);
});

test('asks for the address again where no platform answers there, and not for the key alone', async () => {
  const { url } = await platformWith(1);
  const answers = [
    `${url}/dashboard/projects`,
    apiKey,
    url.replace('http:', 'https:'),
    apiKey,
    url,
    apiKey,
    'prj_1',
    'no',
  ];
  const folder = newFolder();
  const { printed, terminal } = recordingTerminal({ isInteractive: true });
  const process = processOfTest({ cwd: folder, input: `${answers.join('\n')}\n` });
  expect(await execute(initCommand({}), { folder, terminal, signals: process })).toBe('done');
  expect(process.printed.out.match(/Address of the platform/g)).toHaveLength(3);
  expect(printed.err).toContain('is not the root address of the platform: write');
  expect(printed.err).toContain('the server answers without TLS');
  expect(readFileSync(join(folder, 'trueup.yaml'), 'utf8')).toContain(`url: ${url}\n`);
});

test('asks again after an answer that cannot be right, with the reason, and not for ever', async () => {
  const { url } = await platformWith(1);
  const answers = ['no address', url, 'wrong-key-4711', apiKey, 'prj_none', 'prj_1', 'what?', 'no'];
  const folder = newFolder();
  const { printed, terminal } = recordingTerminal({ isInteractive: true });
  const process = processOfTest({ cwd: folder, input: `${answers.join('\n')}\n` });
  expect(await execute(initCommand({}), { folder, terminal, signals: process })).toBe('done');
  expect(printed.err).toContain('"no address" is no address of a platform');
  expect(printed.err).toContain('rejected the API key that was typed');
  expect(printed.err).not.toContain('TRUEUP_API_KEY');
  expect(printed.err).toContain('there is no project prj_none, or the API key may not see it');
  expect(printed.err).toContain('-> Give the id of a project that the API key may see;');
  expect(printed.err, 'no manifest is there to write into').not.toContain('Write project:');
  expect(printed.err).not.toContain('4711');
  expect(readFileSync(join(folder, 'trueup.yaml'), 'utf8')).toContain('project: prj_1\n');
  const other = newFolder();
  const tired = processOfTest({ cwd: other, input: 'x y\n'.repeat(9) });
  await expect(execute(initCommand({}), { folder: other, terminal, signals: tired })).rejects.toThrow('no address');
  expect(tired.printed.out.match(/Address of the platform/g)).toHaveLength(3);
  expect(readdirSync(other)).toEqual([]);
});

/** A platform that lists its projects: shop with two services, and others with none. */
async function platformWithProjects(others: readonly string[]): Promise<{ readonly url: string }> {
  const emulator = createEmulator({ apiKey, profile: 'dokploy' });
  for (const name of ['shop', ...others]) {
    const made = await emulator.act('project.create', { name });
    const { environmentId } = (made as { environment: { environmentId: string } }).environment;
    for (const service of name === 'shop' ? ['a', 'b'] : [])
      await emulator.act('redis.create', { name: service, environmentId, databasePassword: 'canary-password' });
  }
  const server = await serve(emulator);
  open.push(server);
  return { url: server.url };
}

test('lists the projects with their services, and takes the number of one, its name or its id', async () => {
  const { url } = await platformWithProjects(['\u001b[2Jred\nblue', 'twice', 'twice']);
  for (const [answer, project] of [
    // No manifest takes a name of two lines.
    ['twice\n1', /^project: [\w-]{21}$/m],
    ['5', /project: (?!twice)/],
  ] as const) {
    const folder = newFolder();
    const { printed, terminal } = recordingTerminal({ isInteractive: true });
    const process = processOfTest({ cwd: folder, input: `${[url, apiKey, answer, 'no'].join('\n')}\n` });
    expect(await execute(initCommand({}), { folder, terminal, signals: process })).toBe('done');
    expect(printed.out).toMatch(
      /^Projects:\n {2}1 {2}\\x1b\[2Jred\\nblue {2}0 services\n {2}2 {2}project-1 +0 services\n/,
    );
    expect(printed.out).toMatch(/^ {2}4 {2}shop +2 services$/m);
    const questions = answer.includes('\n') ? 2 : 1;
    expect(process.printed.out.match(/Project \(number, name or id\): /g)).toHaveLength(questions);
    // Also where the words of the platform turn out to be those of another profile.
    expect(process.printed.out.match(/Address|API key/g)).toEqual(['Address', 'API key']);
    expect(printed.err.includes('2 projects are called twice')).toBe(answer.startsWith('twice'));
    expect(readFileSync(join(folder, 'trueup.yaml'), 'utf8')).toMatch(project);
  }
});

test('takes a number of the list for nothing else, and says which project that is', async () => {
  const { url } = await platformWithProjects(['2', '7', 'a']);
  // 1 is the project 2, and 2 is the project 7; there is no number 7.
  for (const [answer, project, said] of [
    ['1', '"2"', /^Number 1 is 2\.$/m],
    ['2', '"7"', /^Number 2 is 7\. The project with the name 2: trueup init --project [\w-]+$/m],
    ['7', '"7"', /^Project 7, by section: environments 1, /m],
    ['a', 'a', /^Project a, by section: environments 1, /m],
  ] as const) {
    const folder = newFolder();
    const { printed, terminal } = recordingTerminal({ isInteractive: true });
    const process = processOfTest({ cwd: folder, input: `${[url, apiKey, answer, 'no'].join('\n')}\n` });
    expect(await execute(initCommand({}), { folder, terminal, signals: process })).toBe('done');
    expect(printed.out).toMatch(said);
    expect(printed.out.includes('Number')).toBe(['1', '2'].includes(answer));
    expect(readFileSync(join(folder, 'trueup.yaml'), 'utf8')).toContain(`project: ${project}\n`);
  }
});

test('names at most ten projects where it cannot ask', async () => {
  const { url } = await platformWithProjects([...Array(12).keys()].map((at) => `p${at + 10}`));
  const env = { TRUEUP_API_KEY: apiKey };
  const folder = newFolder();
  const ran = await trueup(['init', '-C', folder, '--url', url], { env });
  expect(ran.code).not.toBe(0);
  expect(ran.err).toContain('cannot ask for --project');
  expect(ran.err.replaceAll(/\s+/g, ' ')).toContain(
    'Give --project with one of: p10 (0 services), p11 (0 services), p12 (0 services), p13 (0 services), p14 (0 services), p15 (0 services), p16 (0 services), p17 (0 services), p18 (0 services), p19 (0 services) and 5 more.',
  );
  expect(readdirSync(folder)).toEqual([]);
});

test('a password in an address is not said again', async () => {
  const folder = newFolder();
  const url = 'https://admin:hunter2secret@deploy.example.com';
  const env = { TRUEUP_API_KEY: apiKey };
  const words = ['--project', 'x', '-C', folder];
  const runs = [
    await trueup(['init', '--yes', ...words], { env: { ...env, TRUEUP_URL: url } }),
    await trueup(['export', '--url', url, ...words], { env }),
  ];
  for (const { code, out, err } of runs) {
    expect(code).toBe(1);
    expect(out + err).not.toContain('hunter2secret');
    expect(err).toContain('what was given is no address of a platform');
  }
});

const elsewhere = Object.values(networkInterfaces())
  .flat()
  .find((one) => one?.family === 'IPv4' && !one.internal)?.address;

test.skipIf(elsewhere === undefined)('no API key goes over plain http to another machine', async () => {
  const keys: unknown[] = [];
  const server = createServer((request, response) => {
    keys.push(request.headers['x-api-key']);
    response.writeHead(500, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((done) => void server.listen(0, '0.0.0.0', done));
  const { port } = server.address() as AddressInfo;
  const words = ['--url', `http://${elsewhere}:${port}`, '--project', 'prj_1', '-C', newFolder()];
  const { code, err } = await trueup(['init', '--yes', ...words], { env: { TRUEUP_API_KEY: apiKey } });
  expect([code, keys]).toEqual([1, []]);
  expect(err).toContain('the API key is not sent to');
  expect(err).toContain('--allow-http');
  const allowed = await trueup(['init', '--yes', '--allow-http', ...words], { env: { TRUEUP_API_KEY: apiKey } });
  server.close();
  expect(allowed.code).not.toBe(0);
  expect(keys[0]).toBe(apiKey);
});

/** A platform of emulated objects, and the command line in a new folder for it. */
async function newProject() {
  const emulator = createEmulator({ profile: 'dokploy', apiKey });
  const server = await serve(emulator);
  open.push(server);
  const env = { TRUEUP_URL: server.url, TRUEUP_API_KEY: apiKey };
  const folder = newFolder();
  const run = (...words: string[]) => trueup([...words, '-C', folder], { env });
  return { emulator, folder, run, init: (...more: string[]) => run('init', '--project', 'prj_1', '--yes', ...more) };
}

test('writes an application without a source, as it is after "Create" in the dashboard, and then plans nothing', async () => {
  const { emulator, folder, run, init } = await newProject();
  await emulator.act('application.create', { name: 'web', environmentId: 'env_prj_1' });
  const { out } = await init();
  expect(readFileSync(join(folder, 'environments/production.yaml'), 'utf8')).toContain('web:');
  expect(out).toContain('production.application.web: source.type: it has no source yet; one that it gets is not drift');
  expect((await run('plan')).out).toContain(noChanges);
  expect((await run('drift')).code).toBe(0);
  await run('apply', '--auto-approve');
  expect((await run('plan')).out).toContain(noChanges);
});

test('of a block that is left out it says so once, and export --address gives the same reason', async () => {
  const { emulator, run, init } = await newProject();
  const made = await emulator.act('application.create', { name: 'web', environmentId: 'env_prj_1' });
  const { applicationId } = made as { applicationId: string };
  const customGitUrl = 'https://git.example.com/web.git'; // and no branch
  await emulator.act('application.update', { applicationId, sourceType: 'git', customGitUrl });
  const address = 'production.application.web';
  const lines = (await init()).out.split('\n').filter((line) => line.includes(address));
  expect(lines).toHaveLength(1);
  const { err } = await run('export', '--address', address);
  const reason = lines[0]?.trim().slice(address.length + 2) ?? '';
  expect(err.replaceAll(/\s+/g, ' ')).toContain(`${address} cannot be exported: ${reason}`);
});

test('says how to keep what another manifest manages, where it writes what all projects share', async () => {
  const { init } = await newProject();
  expect((await init()).out).toContain('remove here before the next apply: trueup state rm ADDRESS, then its block');
});

test('replaces the schema that another version wrote for editors', async () => {
  const { folder, init } = await newProject();
  mkdirSync(join(folder, '.vscode'));
  writeFileSync(join(folder, '.vscode/trueup.schema.json'), '{"of": "an earlier version"}\n');
  expect(await init()).toMatchObject({ code: 0, err: '' });
  expect(readFileSync(join(folder, '.vscode/trueup.schema.json'), 'utf8')).not.toContain('an earlier version');
});

test.each([['--no-export'], []])('writes nothing for editors where .vscode is a file %s', async (...more) => {
  const { folder, init } = await newProject();
  writeFileSync(join(folder, '.vscode'), 'mine');
  expect(await init(...more)).toMatchObject({ code: 0, err: '' });
  expect(readFileSync(join(folder, '.vscode'), 'utf8')).toBe('mine');
});

test.each(['.gitignore', 'secrets.env.example', 'organization.yaml', 'trueup.yaml'])(
  'refuses to write the secrets into a file that the export writes itself: %s',
  async (name) => {
    const { folder, init } = await newProject();
    const { code, err } = await init('--with-secrets', join(folder, name));
    expect([code, err]).toEqual([1, expect.stringContaining(`the export writes ${name} itself`)]);
    expect(readdirSync(folder)).toEqual([]);
  },
);

test('of known drift that nobody manages, drift names the command that declares it', async () => {
  const { emulator, run, init } = await newProject();
  await init();
  await emulator.act('application.create', { name: 'web', environmentId: 'env_prj_1' });
  await run('drift');
  const { code, out } = await run('drift');
  expect(code).toBe(8);
  expect(out).toContain('trueup export --unmanaged declares what is not managed, trueup drift accept leaves it');
  expect(out).not.toContain('drift adopt');
});
