import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { PlatformError } from '../../src/api/platform-error.ts';
import type { EmulatorOptions } from '../../src/emulator/emulator.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import type { World } from '../../src/emulator/world.ts';
import { addRow, seedWorld } from '../../src/emulator/world.ts';
import { addKey, addPerson } from '../emulator/people.ts';
import { open, planDocument, Stop } from '../../src/index.ts';

/** No remedy begins with a removal from the manifest or the state while the run has no proof of address, key and profile. */

const profile = 'dokploy';
const apiKey = 'right-key';

/** A world with other ids: that of another server, or of another organization. */
function renumbered(from: string, to: string, world: World = seedWorld()): World {
  return JSON.parse(JSON.stringify(world).replaceAll(from, to)) as World;
}

/** A server at an address of its own. */
async function server(options: EmulatorOptions = {}, told?: string) {
  const emulator = createEmulator({ profile, apiKey, ...options });
  const { send } = emulator;
  const served = await serve({
    ...emulator,
    send: async (request, about) => {
      const answer = await send(request, about);
      return told !== undefined && request.path.includes('getDokployVersion') && answer.status === 200
        ? { ...answer, body: JSON.stringify(told) }
        : answer;
    },
  });
  onTestFinished(() => served.close());
  return { emulator, url: served.url };
}

/** A server of an older version. */
const older = (world: World = seedWorld()) => server({ world, documentedOnly: true }, 'v0.20.0');

/** A project folder whose manifest names a server. */
function folderFor() {
  const folder = mkdtempSync(join(tmpdir(), 'trueup-proof-'));
  return {
    folder,
    write: (url: string, blocks: string, { project = 'project-1', words = '' } = {}) => {
      const named = words === '' ? '' : `, profile: ${words}`;
      writeFileSync(
        join(folder, 'trueup.yaml'),
        `trueup: 1\nplatform: { url: "${url}"${named} }\nproject: ${project}\n${blocks}`,
      );
    },
    apply: async (key = apiKey) => {
      const project = await open(folder, { env: { TRUEUP_API_KEY: key } });
      await project.apply({ permissions: { adoption: true, dataLoss: true } });
    },
    /** The remedies of a plan, or of what ended it. */
    remedies: async (key = apiKey): Promise<string[]> => {
      try {
        const project = await open(folder, { env: { TRUEUP_API_KEY: key } });
        const document = planDocument(await project.plan());
        const notes = document.actions.flatMap((action) => action.notes);
        return [...document.diagnostics, ...notes].map(({ remedy = '' }) => remedy);
      } catch (error) {
        if (error instanceof PlatformError) return [error.remedy];
        if (!(error instanceof Stop)) throw error;

        return error.diagnostics.map(({ remedy = '' }) => remedy);
      }
    },
  };
}

const removes = /\b(?:remove|delete|drop|leave (?:it|the line|one) out|state rm|move (?:it|the state) away)\b/i;

/** The remedies whose first clause removes something. */
const hasty = (remedies: readonly string[]) => remedies.filter((text) => removes.test(text.split(/[,:;.] /)[0] ?? ''));

const web =
  'environments:\n  production:\n    compose:\n      web: { source: { type: raw, composeFile: "services: { web: { image: nginx } }" } }\n';
const more = `${web}      api: { source: { type: raw, composeFile: "services: { api: { image: nginx } }" } }\n`;
const ports = `environments:\n  production:\n    application:\n      web: { source: { type: docker, image: nginx }, memoryLimit: 512Mi, ports: { web: { publishedPort: 8080, targetPort: 80 } } }\n`;
/** The same application without what only a newer server has. */
const bare = ports.replace(/, memoryLimit.*/, ' }');
const mysql = `    mysql:\n      main: { dockerImage: "mysql:8", databaseName: a, databaseUser: a, databasePassword: correct-horse-1, databaseRootPassword: correct-horse-2 }\n`;
const lost = `members: { ghost@example.test: { canCreateServices: true } }\n`;

describe('without proof, what to check comes first', () => {
  const elsewhere = () => renumbered('org_1', 'org_9', renumbered('prj_', 'prj_9'));
  const others = [
    { is: 'a fresh server', world: () => renumbered('project-', 'other-', elsewhere()) },
    { is: 'a server with a project of the same name', world: elsewhere },
  ];

  test.each(others)('at the address of $is, with the state of the first one', async ({ world }) => {
    const [first, second] = [await server(), await server({ world: world() })];
    const made = folderFor();
    made.write(first.url, more + mysql);
    await made.apply();
    made.write(second.url, more + mysql + lost);
    const found = await made.remedies();
    expect(found).not.toEqual([]);
    expect(hasty(found)).toEqual([]);
    expect(found.join('\n')).toContain(second.url);
    expect(found.join('\n')).toContain('TRUEUP_API_KEY');
  });

  test('at the address of an older server of another organization, with the state of the first one', async () => {
    const [first, second] = [await server(), await older(renumbered('org_1', 'org_9'))];
    const made = folderFor();
    made.write(first.url, ports + mysql);
    await made.apply();
    made.write(second.url, ports + mysql);
    const found = await made.remedies();
    expect(hasty(found)).toEqual([]);
    expect(found).toEqual([expect.stringContaining(second.url)]);
  });

  test('at an older server, before anything was applied', async () => {
    const { url } = await older();
    const made = folderFor();
    made.write(url, ports + mysql, { project: 'prj_1' });
    const found = await made.remedies();
    expect(found).not.toEqual([]);
    expect(hasty(found)).toEqual([]);
    for (const remedy of found) expect(remedy).toContain(url);
  });

  test('at a server that served more when it was applied', async () => {
    const world = seedWorld();
    const first = await server({ world });
    const made = folderFor();
    made.write(first.url, ports, { project: 'prj_1' });
    await made.apply();
    const second = await older(world);
    for (const blocks of [ports, bare]) {
      made.write(second.url, blocks, { project: 'prj_1' });
      const found = (await made.remedies()).filter((remedy) => removes.test(remedy));
      expect(found).not.toEqual([]);
      for (const remedy of found) expect(remedy).toContain('it is v0.20.0, and serves less than v0.30.2.');
      expect(hasty(found)).toEqual([]);
    }
  });

  test('with the key of another organization', async () => {
    const world = seedWorld();
    addRow(world, 'organization', { id: 'org_2', name: 'Other', slug: 'other', ownerId: 'user_1' });
    addRow(world, 'member', { id: 'member_2', organizationId: 'org_2', userId: 'user_1', role: 'owner' });
    const { emulator, url } = await server({ world });
    const made = folderFor();
    made.write(url, more);
    await made.apply();
    const { key } = (await emulator.act('user.createApiKey', {
      name: 'other',
      metadata: { organizationId: 'org_2' },
      rateLimitEnabled: false,
    })) as { key: string };
    made.write(url, more + lost);
    const found = await made.remedies(key);
    expect(found).not.toEqual([]);
    expect(hasty(found)).toEqual([]);
    expect(found.join('\n')).toContain('TRUEUP_API_KEY');
  });

  test('with the key of a member, for what may be gone or hidden', async () => {
    const world = seedWorld();
    const key = 'member-key';
    addPerson(world, 'colleague', {
      accessedProjects: ['prj_1'],
      accessedEnvironments: ['env_prj_1'],
      accessedServices: [],
    });
    addKey(world, key, 'colleague', { metadata: JSON.stringify({ organizationId: 'org_1' }) });
    const { emulator, url } = await server({ world });
    const made = folderFor();
    made.write(url, more);
    await made.apply();
    const services = Object.values(emulator.world.tables.compose);
    const colleague = Object.values(world.tables.member).find(({ userId }) => userId === 'colleague');
    Object.assign(colleague ?? {}, { accessedServices: services.map(({ composeId }) => composeId) });
    made.write(url, more.replace('api: {', 'new: { id: elsewhere,'));
    expect(await made.remedies(key)).toEqual([expect.stringContaining('Use the key of an owner or admin')]);
    made.write(url, more);
    const gone = services.find(({ name }) => name === 'api');
    await emulator.act('compose.delete', { composeId: gone?.['composeId'], deleteVolumes: false });
    expect(await made.remedies(key)).toEqual(['If it is gone on purpose, remove its block.']); // the platform checks the right first
    Object.assign(colleague ?? {}, { accessedServices: [services[0]?.['composeId']] });
    expect(await made.remedies(key)).toEqual([expect.stringContaining('Use the key of an owner or admin')]);
  });

  test('for the one object of a state, which is gone', async () => {
    const { emulator, url } = await server();
    const made = folderFor();
    made.write(url, web);
    await made.apply();
    const [composeId] = Object.keys(emulator.world.tables.compose);
    await emulator.act('compose.delete', { composeId, deleteVolumes: false });
    const found = (await made.remedies()).filter((remedy) => removes.test(remedy));
    expect(found).toHaveLength(1);
    expect(hasty(found)).toEqual([]);
    expect(found[0]).toContain(url);
    expect(found[0]).toContain('TRUEUP_API_KEY');
  });

  test.each([
    ['an id: that the platform does not have', web.replace('{ source', '{ id: elsewhere, source')],
    ['a member that the organization does not have', web + lost],
  ])('for %s, before anything was applied', async (_what, blocks) => {
    const { url } = await server();
    const made = folderFor();
    made.write(url, blocks);
    const found = (await made.remedies()).filter((remedy) => removes.test(remedy));
    expect(found).toHaveLength(1);
    expect(found[0]?.split(': ')[0]).toContain(url);
    expect(hasty(found)).toEqual([]);
  });

  test.each([
    ['standard', 'dokploy'],
    ['dokploy', 'standard'],
  ] as const)('with profile: %s at a server of %s', async (words, there) => {
    const { url } = await server({ profile: there, world: seedWorld() });
    const made = folderFor();
    made.write(url, web, { words });
    const found = await made.remedies();
    expect(found).toEqual([expect.stringContaining(url)]);
    expect(hasty(found)).toEqual([]);
  });
});

describe('with proof', () => {
  test('the remedy for one object that is gone beside others asks for no check', async () => {
    const { emulator, url } = await server();
    const made = folderFor();
    made.write(url, more);
    await made.apply();
    const gone = Object.values(emulator.world.tables.compose).find(({ name }) => name === 'api');
    await emulator.act('compose.delete', { composeId: gone?.['composeId'], deleteVolumes: false });
    expect(await made.remedies()).toContain('If it is gone on purpose, remove its block.');
  });

  test('a server that never served a field is to be upgraded first', async () => {
    const { url } = await older();
    const made = folderFor();
    made.write(url, web, { project: 'prj_1' });
    await made.apply();
    made.write(url, web + mysql, { project: 'prj_1' });
    const found = await made.remedies();
    expect(found).toEqual(['Use a platform that serves the operation, or remove the block.']);
  });
});
