import { describe, expect, test } from 'vitest';
import { createEmulator, type EmulatorOptions } from '../../src/emulator/emulator.ts';
import { createFaults } from '../../src/emulator/faults/faults.ts';
import { faultPlan } from '../../src/emulator/faults/plan.ts';
import type { Row } from '../../src/emulator/json.ts';
import { inputs } from './caller.ts';

const headers = { 'x-api-key': 'emulator-key', 'content-type': 'application/json' };

function open(options: EmulatorOptions = {}) {
  const emulator = createEmulator({ profile: 'dokploy', ...options });
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

describe('an emulator in the profile of Dokploy', () => {
  test('takes and gives its words, and its world and its log keep those of the API document', async () => {
    const platform = open();
    const { emulator, get, post } = platform;
    const applicationId = await application(platform);
    const source = { owner: 'o', githubId: 'hub_1', enableSubmodules: false, triggerType: 'push' };
    const branch = { repository: 'r', branch: 'main', buildPath: '/' };
    expect(await post('application.saveGithubProvider', { applicationId, ...source, ...branch })).toEqual({
      status: 200,
      body: true,
    });
    const { body } = await get(`application.one?applicationId=${applicationId}`);
    expect(body).toMatchObject({ sourceType: 'github', githubId: 'hub_1', github: { githubId: 'hub_1' } });
    expect(JSON.stringify(body)).not.toMatch(/"(?:hubgit|labgit|selfgit|bucketgit|nix_builder|acme_auto)/);
    expect(emulator.world.tables.application[applicationId]).toMatchObject({ sourceType: 'hubgit', hubgitId: 'hub_1' });
    expect(emulator.log.map(({ operation }) => operation)).toEqual([
      'application.saveHubgitProvider',
      'application.one',
    ]);
    expect(emulator.log[0]?.input).toMatchObject({ hubgitId: 'hub_1' });
  });

  test('finds members in a query, and operations in any case of letters', async () => {
    const { get } = open();
    expect(await get('GITHUB.One?githubId=hub_1')).toMatchObject({ status: 200, body: { githubId: 'hub_1' } });
    expect(await get('gitea.one/?giteaId=x')).toMatchObject({ status: 308 });
  });

  test('does not know the words of the API document', async () => {
    const platform = open();
    const applicationId = await application(platform);
    expect((await platform.get('hubgit.one?hubgitId=hub_1')).body).toMatchObject({ message: 'Not found' });
    expect((await platform.get('github.one?hubgitId=hub_1')).status).toBe(400);
    const input = {
      applicationId,
      buildType: 'nix_builder',
      dockerfile: '',
      dockerContextPath: '',
      dockerBuildStage: '',
    };
    const refused = await platform.post('application.saveBuildType', input);
    expect(refused.status).toBe(400);
    await platform.post('compose.update', { composeId: 'cmp_1', labgitBranch: 'x' });
    expect(JSON.stringify(platform.emulator.world.tables.compose)).not.toContain('"labgitBranch":"x"');
  });

  test('answers errors in its words: the texts, the issues and the operation', async () => {
    const { get, post } = open();
    expect((await get('bitbucket.one?bitbucketId=x')).body).toMatchObject({
      message: 'Bitbucket Provider not found',
      data: { path: 'bitbucket.one' },
    });
    const { body } = await post('application.saveGitlabProvider', { applicationId: 'a' });
    const shown = JSON.stringify(body);
    expect(shown).toContain('"path":["gitlabBranch"]');
    expect(shown).toContain('"gitlabBranch":[');
    expect(shown).not.toMatch(/labgit/);
    const domain = await post('domain.create', { host: 'a.example', certificateType: 'acme_auto' });
    expect(domain.body).toMatchObject({
      issues: [{ message: 'Invalid option: expected one of "letsencrypt"|"none"|"custom"' }],
    });
  });

  test('refuses unknown members by the words that they have in it', async () => {
    const { post } = open({ strict: true });
    const { body } = await post('compose.update', { composeId: 'cmp_1', labgitBranch: 'x' });
    expect(JSON.stringify(body)).toContain('labgitBranch');
  });

  test('answers reads that go together', async () => {
    const { emulator, get } = open();
    const input = encodeURIComponent(JSON.stringify({ 1: { json: { githubId: 'hub_1' } }, 2: { json: {} } }));
    const answer = await get(`trpc/user.get,github.one,bitbucket.one,hubgit.one,GitHub.one?batch=1&input=${input}`);
    expect(answer.status).toBe(207);
    expect(answer.body).toMatchObject([
      { result: { data: { json: { canAccessToTraefikFiles: false } } } },
      { result: { data: { json: { githubId: 'hub_1', gitProvider: { providerType: 'github' } } } } },
      { error: { json: { data: { httpStatus: 400, path: 'bitbucket.one' } } } },
      { error: { json: { data: { httpStatus: 404 } } } },
      { error: { json: { data: { httpStatus: 404 } } } },
    ]);
    const wrong = JSON.stringify(answer.body?.['2']);
    expect(wrong).toContain('bitbucketId');
    expect(wrong).not.toContain('bucketgit');
    expect(emulator.log.map(({ operation }) => operation)).toEqual(['trpc']);
  });

  test('has faults under the words of the API document, and reports them in its own', async () => {
    const { emulator } = open();
    const lines: string[] = [];
    const plan = faultPlan.parse({ faults: [{ on: 'hubgit.*', before: { answer: 503 } }] });
    const faults = createFaults(emulator, plan, (line) => lines.push(line));
    const answer = await faults.send({
      method: 'GET',
      path: '/api/github.one?githubId=hub_1',
      headers,
      body: undefined,
    });
    expect(answer.status).toBe(503);
    expect(lines).toEqual(['github.one: before: answer 503']);
    const all = await faults.send({ method: 'GET', path: '/api/user.get', headers, body: undefined });
    expect(all.body).toContain('canAccessToTraefikFiles');
  });
});

describe('the published description', () => {
  test('is in the words of the profile, and has the operations that the platform serves', async () => {
    const { get, post } = open();
    const { body } = await get('settings.getOpenApiDocument');
    const paths = body?.['paths'] as Row;
    expect(body).toMatchObject({ openapi: '3.1.0', info: { title: 'Dokploy API', version: 'v0.30.2' } });
    expect(paths).toHaveProperty(['/github.one']);
    expect(paths).toHaveProperty(
      ['/application.saveGiteaProvider', 'post', 'operationId'],
      'application-saveGiteaProvider',
    );
    expect(paths).toHaveProperty(['/application.update']);
    expect(paths).toHaveProperty(['/settings.getDokployVersion']);
    expect(paths).not.toHaveProperty(['/gitlab.connect']);
    expect(JSON.stringify(body)).not.toMatch(/hubgit|labgit|selfgit|bucketgit|nix_builder|acme_auto|ProxyFiles/);
    expect(JSON.stringify(paths['/application.saveBuildType'])).toContain('heroku_buildpacks');
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
    expect((await open({ profile: 'standard' }).get('settings.getDokployVersion')).status).toBe(404);
    expect((await open({ profile: 'standard' }).get('settings.getOpenApiDocument')).status).toBe(404);
    const { get } = open({ profile: 'standard', published: true });
    expect((await get('settings.getOpenApiDocument')).body).toHaveProperty(['paths', '/hubgit.one']);
  });
});
