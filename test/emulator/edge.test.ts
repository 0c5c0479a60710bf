import { describe, expect, test } from 'vitest';
import { createEmulator, type EmulatorOptions } from '../../src/emulator/emulator.ts';
import { createFaults } from '../../src/emulator/faults/faults.ts';
import { faultPlan } from '../../src/emulator/faults/fault-plan.ts';
import type { Row } from '../../src/emulator/json-rows.ts';
import { inputs } from './caller.ts';

const headers = { 'x-api-key': 'emulator-key', 'content-type': 'application/json' };

function open(options: EmulatorOptions = {}) {
  const emulator = createEmulator({ profile: 'standard', published: true, batches: true, ...options });
  const asked = async (method: string, path: string, body?: Row) => {
    const request = {
      method,
      path: `/api/${path}`,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
    };
    const answer = await emulator.send(request);
    return { status: answer.status, body: answer.body === '' ? undefined : (JSON.parse(answer.body) as Row) };
  };
  return {
    emulator,
    get: (path: string) => asked('GET', path),
    post: (path: string, body: Row) => asked('POST', path, body),
  };
}

async function application({ emulator }: ReturnType<typeof open>): Promise<string> {
  const row = (await emulator.act('application.create', { ...inputs.application })) as Row;
  return String(row['applicationId']);
}

describe('an emulator in the words of the API document', () => {
  test('takes and gives its words, and its world and its log keep those of Dokploy', async () => {
    const platform = open();
    const { emulator, get, post } = platform;
    const applicationId = await application(platform);
    const source = { owner: 'o', hubgitId: 'hub_1', enableSubmodules: false, triggerType: 'push' };
    const branch = { repository: 'r', branch: 'main', buildPath: '/' };
    expect(await post('application.saveHubgitProvider', { applicationId, ...source, ...branch })).toEqual({
      status: 200,
      body: true,
    });
    const { body } = await get(`application.one?applicationId=${applicationId}`);
    expect(body).toMatchObject({ sourceType: 'hubgit', hubgitId: 'hub_1', hubgit: { hubgitId: 'hub_1' } });
    expect(JSON.stringify(body)).not.toMatch(/"(?:github|gitlab|gitea|bitbucket|nixpacks|letsencrypt)/);
    expect(emulator.world.tables.application[applicationId]).toMatchObject({ sourceType: 'github', githubId: 'hub_1' });
    expect(emulator.log.map(({ operation }) => operation)).toEqual([
      'application.saveGithubProvider',
      'application.one',
    ]);
    expect(emulator.log[0]?.input).toMatchObject({ githubId: 'hub_1' });
  });

  test('finds members in a query, and operations in any case of letters', async () => {
    const { get } = open();
    expect(await get('GITHUB.One?hubgitId=hub_1')).toMatchObject({ status: 200, body: { hubgitId: 'hub_1' } });
    expect(await get('selfgit.one/?selfgitId=x')).toMatchObject({ status: 308 });
  });

  test('does not know the words of the API document', async () => {
    const platform = open();
    const applicationId = await application(platform);
    expect((await platform.get('github.one?githubId=hub_1')).body).toMatchObject({ message: 'Not found' });
    expect((await platform.get('hubgit.one?githubId=hub_1')).status).toBe(400);
    const input = {
      applicationId,
      buildType: 'nixpacks',
      dockerfile: '',
      dockerContextPath: '',
      dockerBuildStage: '',
    };
    const refused = await platform.post('application.saveBuildType', input);
    expect(refused.status).toBe(400);
    await platform.post('compose.update', { composeId: 'cmp_1', gitlabBranch: 'x' });
    expect(JSON.stringify(platform.emulator.world.tables.compose)).not.toContain('"gitlabBranch":"x"');
  });

  test('answers errors in its words: the texts, the issues and the operation', async () => {
    const { get, post } = open();
    expect((await get('bucketgit.one?bucketgitId=x')).body).toMatchObject({
      message: 'Bucketgit Provider not found',
      data: { path: 'bucketgit.one' },
    });
    const { body } = await post('application.saveLabgitProvider', { applicationId: 'a' });
    const shown = JSON.stringify(body);
    expect(shown).toContain('"path":["labgitBranch"]');
    expect(shown).toContain('"labgitBranch":[');
    expect(shown).not.toMatch(/gitlab/);
    const domain = await post('domain.create', { host: 'a.example', certificateType: 'letsencrypt' });
    expect(domain.body).toMatchObject({
      issues: [{ message: 'Invalid option: expected one of "acme_auto"|"none"|"custom"' }],
    });
  });

  test('refuses unknown members by the words that they have in it', async () => {
    const { post } = open({ strict: true });
    const { body } = await post('compose.update', { composeId: 'cmp_1', gitlabBranch: 'x' });
    expect(JSON.stringify(body)).toContain('gitlabBranch');
  });

  test('answers reads that go together', async () => {
    const { emulator, get } = open();
    const input = encodeURIComponent(JSON.stringify({ 1: { json: { hubgitId: 'hub_1' } }, 2: { json: {} } }));
    const answer = await get(`trpc/user.get,hubgit.one,bucketgit.one,github.one,GitHub.one?batch=1&input=${input}`);
    expect(answer.status).toBe(207);
    expect(answer.body).toMatchObject([
      { result: { data: { json: { canAccessToProxyFiles: false } } } },
      { result: { data: { json: { hubgitId: 'hub_1', gitProvider: { providerType: 'hubgit' } } } } },
      { error: { json: { data: { httpStatus: 400, path: 'bucketgit.one' } } } },
      { error: { json: { data: { httpStatus: 404 } } } },
      { error: { json: { data: { httpStatus: 404 } } } },
    ]);
    const wrong = JSON.stringify(answer.body?.['2']);
    expect(wrong).toContain('bucketgitId');
    expect(wrong).not.toContain('bitbucket');
    expect(emulator.log.map(({ operation }) => operation)).toEqual(['trpc']);
  });

  test('has faults under the words of Dokploy, and reports them in its own', async () => {
    const { emulator } = open();
    const lines: string[] = [];
    const plan = faultPlan.parse({ faults: [{ on: 'github.*', before: { answer: 503 } }] });
    const faults = createFaults(emulator, plan, (line) => lines.push(line));
    const answer = await faults.send({
      method: 'GET',
      path: '/api/hubgit.one?hubgitId=hub_1',
      headers,
      body: undefined,
    });
    expect(answer.status).toBe(503);
    expect(lines).toEqual(['hubgit.one: before: answer 503']);
    const all = await faults.send({ method: 'GET', path: '/api/user.get', headers, body: undefined });
    expect(all.body).toContain('canAccessToProxyFiles');
  });
});

describe('the published description', () => {
  test('is in the words of the profile, and has the operations that the platform serves', async () => {
    const { get, post } = open();
    const { body } = await get('settings.getOpenApiDocument');
    const paths = body?.['paths'] as Row;
    expect(body).toMatchObject({ openapi: '3.1.0', info: { title: 'Dokploy API', version: 'v0.30.2' } });
    expect(paths).toHaveProperty(['/hubgit.one']);
    expect(paths).toHaveProperty(
      ['/application.saveSelfgitProvider', 'post', 'operationId'],
      'application-saveSelfgitProvider',
    );
    expect(paths).toHaveProperty(['/application.update']);
    expect(paths).toHaveProperty(['/settings.getDokployVersion']);
    expect(paths).not.toHaveProperty(['/labgit.connect']);
    expect(JSON.stringify(body)).not.toMatch(/github|gitlab|gitea|bitbucket|nixpacks|letsencrypt|TraefikFiles/);
    expect(JSON.stringify(paths['/application.saveBuildType'])).toContain('buildpacks_v1');
    expect((await get('settings.getDokployVersion')).body).toBe('v0.30.2');
    expect((await post('settings.getOpenApiDocument', {})).status).toBe(404);
  });

  test('leaves out what the platform lacks', async () => {
    for (const options of [{ documentedOnly: true }, { lacks: ['application.update'] }]) {
      const { get } = open(options);
      const { body } = await get('settings.getOpenApiDocument');
      expect(body).not.toHaveProperty(['paths', '/application.update']);
      expect(body).toHaveProperty(['paths', '/application.one']);
      expect((await get('settings.getDokployVersion')).status).toBe(200);
    }
  });

  test('is served to those who have a key, and by a platform of the API document only when asked', async () => {
    const { emulator } = open();
    const request = { method: 'GET', path: '/api/settings.getOpenApiDocument', headers: {}, body: undefined };
    expect((await emulator.send(request)).status).toBe(401);
    for (const operation of ['settings.getDokployVersion', 'settings.getOpenApiDocument']) {
      const silent = createEmulator({ profile: 'standard' });
      const asked = { ...request, path: `/api/${operation}`, headers };
      expect((await silent.send(asked)).status).toBe(404);
      expect((await createEmulator({ profile: 'dokploy' }).send(asked)).status).toBe(200);
    }
  });
});
