import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contract, extension } from '../../src/api/contract.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import type { Row } from '../../src/emulator/json-rows.ts';
import { until } from '../emulator/caller.ts';

/** The platform's own command line, as npm installs it, against the emulator: what it can do on the server it can do here. */

const entry = createRequire(import.meta.url).resolve('@dokploy/cli/dist/index.js');
const apiKey = 'right-key-4711';
const folder = mkdtempSync(join(tmpdir(), 'trueup-platform-cli-'));

const emulator = createEmulator({ profile: 'dokploy', apiKey });
let server: Awaited<ReturnType<typeof serve>>;
beforeAll(async () => void (server = await serve(emulator)));
afterAll(() => server.close());

interface Ran {
  readonly code: number;
  readonly out: string;
}

/** Runs the command line in an empty folder; of the environment it gets the address and a key. */
function run(line: string, { key = apiKey, program = entry } = {}): Promise<Ran> {
  const address = key === '' ? {} : { DOKPLOY_URL: server.url, DOKPLOY_API_KEY: key };
  const env = { PATH: process.env['PATH'] ?? '', NO_COLOR: '1', ...address };
  const args = [...line.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
  return new Promise((done) => {
    execFile(process.execPath, [program, ...args], { cwd: folder, env }, (error, out, err) => {
      done({ code: error === null ? 0 : Number(error.code), out: `${out}${err}`.trim() });
    });
  });
}

/** What a command answers as JSON; most answer an object. */
async function answerTo(line: string): Promise<Row> {
  const { code, out } = await run(`${line} --json`);
  expect([line, code, code === 0 ? '' : out]).toEqual([line, 0, '']);
  return JSON.parse(out) as Row;
}

describe("the platform's own command line", () => {
  test('authenticates with a good key, and keeps it', async () => {
    // It writes the key beside its program: here beside a copy.
    const copy = join(folder, 'cli');
    cpSync(resolve(dirname(entry), '..'), copy, { recursive: true });
    symlinkSync(resolve(dirname(entry), '../../..'), join(folder, 'node_modules'));
    const program = join(copy, 'dist/index.js');
    const refused = await run(`auth -u ${server.url}/ -t wrong`, { key: '', program });
    expect([refused.code, refused.out]).toEqual([1, expect.stringMatching(/Authentication failed: .* 401$/)]);
    expect((await run('project all', { key: '', program })).out).toMatch(/^No configuration found/);
    expect((await run(`auth -u ${server.url}/ -t ${apiKey}`, { key: '', program })).out).toMatch(/Authenticated/);
    expect((await run('project all --json', { key: '', program })).out).toMatch(/project-1/);
    expect(await run('project all', { key: 'wrong' })).toEqual({ code: 1, out: 'Request failed with status code 401' });
  });

  test('makes a project with services, deploys them, moves one, and removes it all', async () => {
    const { project, environment } = (await answerTo('project create --name shop --description d')) as Record<
      string,
      Row
    >;
    const environmentId = String(environment?.['environmentId']);
    const projects = (await answerTo('project all')) as unknown as Row[];
    expect(projects.map(({ name }) => name)).toContain('shop');
    const place = `--environmentId ${environmentId}`;
    const database = '--databaseName d --databaseUser u --databasePassword p';
    const create = async (kind: string, line: string) =>
      String((await answerTo(`${kind} create ${line} ${place}`))[`${kind}Id`]);
    const application = await create('application', '--name web');
    const compose = await create(
      'compose',
      '--name stack --sourceType raw --composeFile "services: { a: { image: nginx } }"',
    );
    const postgres = await create('postgres', `--name db ${database}`);
    const redis = await create('redis', '--name cache --databasePassword p');
    const source = `--dockerImage nginx:1.27 --username u --password p --registryUrl ""`;
    const variables = '--env A=1 --buildArgs "" --buildSecrets "" --createEnvFile';
    for (const line of [
      `application save-docker-provider --applicationId ${application} ${source}`,
      `application save-environment --applicationId ${application} ${variables}`,
      `domain create --host shop.example.test --port 80 --https --certificateType letsencrypt --applicationId ${application}`,
      `compose save-environment --composeId ${compose} --env B=2`,
      `application deploy --applicationId ${application} --title first`,
      `compose deploy --composeId ${compose}`,
      `postgres deploy --postgresId ${postgres}`,
      `redis deploy --redisId ${redis}`,
    ])
      expect([line, (await run(line)).code]).toEqual([line, 0]);
    const { tables } = emulator.world;
    const status = () => [tables.application[application], tables.compose[compose]];
    await until(() => status().every((row) => [row?.['applicationStatus'], row?.['composeStatus']].includes('done')));
    expect(status()).toMatchObject([{ env: 'A=1', dockerImage: 'nginx:1.27' }, { env: 'B=2' }]);
    expect(Object.values(tables.domain)).toMatchObject([{ host: 'shop.example.test', port: 80, https: true }]);
    expect(Object.values(tables.deployment).map(({ title, status: end }) => [title, end])).toContainEqual([
      'first',
      'done',
    ]);
    const containers = (await answerTo('docker get-containers')) as unknown as Row[];
    expect(containers).toHaveLength(4);
    expect(await answerTo('project home-stats')).toMatchObject({ applications: 1, compose: 1, databases: 2 });
    await answerTo(`compose move --composeId ${compose} --targetEnvironmentId env_prj_1`);
    expect(tables.compose[compose]?.['environmentId']).toBe('env_prj_1');
    await answerTo(`compose delete --composeId ${compose} --deleteVolumes`);
    await answerTo(`project remove --projectId ${String(project?.['projectId'])}`);
    expect([Object.keys(tables.application), Object.keys(tables.postgres)]).toEqual([[], []]);
  });

  // Its queries lack what the server packs inputs in, and the server refuses them; a write has it.
  test('cannot read one thing by its id, as on the server', async () => {
    const read = await run('project one --projectId prj_1');
    expect(read).toEqual({ code: 1, out: 'Request failed with status code 400' });
    expect((await run('project update --projectId prj_1 --name renamed')).code).toBe(0);
    expect(emulator.world.tables.project['prj_1']?.['name']).toBe('renamed');
  });

  test('has nothing that the contract knows by another method or with other members', () => {
    const source = readFileSync(join(dirname(entry), 'generated/commands.js'), 'utf8');
    const commands = new Map(
      source.split(/\n {4}g_\w+\n/).map((text): [string, { method: string; members: string[] }] => {
        const [, method = '', operation = ''] = /await api(Post|Get)\("([\w.]+)"/.exec(text) ?? [];
        const members = [...text.matchAll(/\.(?:requiredO|o)ption\('--(\w+)/g)].map(([, member = '']) => member);
        return [operation, { method: method.toUpperCase(), members: members.filter((member) => member !== 'json') }];
      }),
    );
    const known = Object.entries({ ...contract, ...extension });
    expect(known.filter(([name]) => !commands.has(name)).map(([name]) => name)).toEqual([]);
    const others = known.flatMap(([name, { method, input }]) => {
      const { members = [], method: other } = commands.get(name) ?? {};
      const missing = members.filter((member) => !Object.hasOwn(input.shape, member));
      const gone = Object.keys(input.shape).filter((member) => !members.includes(member));
      return method === other && missing.length + gone.length === 0 ? [] : [[name, ...missing, ...gone].join(' ')];
    });
    expect(others).toEqual(newer);
  });
});

/** Members that later versions of the platform have. */
const newer = [
  // The API document does not describe it.
  'compose.deployTemplate environmentId serverId id baseUrl',
  // The platform whose answers were recorded ignores it: a new patch is always on.
  'patch.create enabled',
  // Ignored too. A kind whose create takes an id chooses it, and would not find what it created.
  'schedule.create scheduleId',
];
