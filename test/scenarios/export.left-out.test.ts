import { expect, test } from 'vitest';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import { benchWith, exportOf } from '../support/exporting.ts';
import { manifestOfAllKinds } from '../support/kind-manifests.ts';
import { kindBench } from '../support/kind-world.ts';
import type { Bench } from '../support/world.ts';

/** What an export leaves out with a note, so that its files depend on the exported project alone. */

/** The text of all files of an export. */
function textOf({ files }: Awaited<ReturnType<typeof exportOf>>): string {
  return [...files].map(([path, text]) => `# ${path}\n${text}`).join('\n');
}

/** Creates a second project with a service; gives the ids of both. */
async function otherProject({ emulator }: Bench, name: string): Promise<readonly [project: string, service: string]> {
  const { project, environment } = (await emulator.act('project.create', { name })) as {
    project: { projectId: string };
    environment: { environmentId: string };
  };
  const made = await emulator.act('application.create', { name: 'api', environmentId: environment.environmentId });
  return [project.projectId, (made as { applicationId: string }).applicationId];
}

test('the owner, and ids in the lists of a member that have no block', async () => {
  const made = kindBench();
  const main = await made.emulator.act('postgres.create', {
    name: 'main',
    environmentId: 'env_prj_1',
    databaseName: 'd',
    databaseUser: 'u',
    databasePassword: 'secret-1',
    dockerImage: 'postgres:17',
  });
  const { postgresId } = main as { postgresId: string };
  const [projectId, serviceId] = await otherProject(made, 'blog');
  Object.assign(made.emulator.world.tables.member['member_9'] ?? {}, {
    accessedProjects: ['prj_1', projectId],
    accessedServices: [postgresId, serviceId],
    accessedGitProviders: ['git_other'],
  });
  const exported = await exportOf(made);
  const text = textOf(exported);
  expect([projectId, serviceId, 'git_other', 'admin@example.test'].filter((one) => text.includes(one))).toEqual([]);
  expect(text).toContain('accessedServices:\n      - ${ref:production.postgres.main.id}\n');
  expect(text).toContain('accessedProjects:\n      - prj_1\n');
  const notes = exported.notes.map(({ address = '', message }) => `${address} ${message}`);
  expect(notes.filter((note) => note.startsWith('members'))).toEqual([
    'members["admin@example.test"] the owner may do everything, whatever a block says',
    'members["member@example.test"] accessedGitProviders: ids that have no block here are not written, and stay (1)',
    'members["member@example.test"] accessedProjects: ids that have no block here are not written, and stay (1)',
    'members["member@example.test"] accessedServices: ids that have no block here are not written, and stay (1)',
  ]);
  const plan = await benchWith(made, exported).plan(Object.fromEntries(exported.files));
  expect(plan.actions.filter(({ action }) => action !== 'no-op')).toEqual([]);
});

test('M3: a service that is removed after an export takes its entries in lists of members along, by the remedy', async () => {
  const made = kindBench();
  const ids: string[] = [];
  for (const name of ['main', 'spare']) {
    const body = { name, environmentId: 'env_prj_1', databasePassword: 'secret-1', dockerImage: 'redis:8' };
    ids.push(((await made.emulator.act('redis.create', body)) as { redisId: string }).redisId);
  }
  Object.assign(made.emulator.world.tables.member['member_9'] ?? {}, { accessedServices: ids });
  const exported = await exportOf(made);
  const restored = benchWith(made, exported);
  const unprotected = ([file, text]: readonly [string, string]) =>
    [file, text.replaceAll('protect: true', 'protect: false')] as const;
  const files = Object.fromEntries([...exported.files].map(unprotected));
  await restored.apply(files, { adoption: true });
  const name = Object.keys(files).find((file) => file.includes('spare') || files[file]?.includes('spare:')) ?? '';
  const without = { ...files, [name]: (files[name] ?? '').replace(/\n {6}spare:\n(?: {8}.*\n)+/, '\n') };
  const refused = await restored.manifest(without).then(
    () => [],
    (error: unknown) => (error instanceof Stop ? error.diagnostics : []),
  );
  const [line = '', ...others] = (refused[0]?.remedy ?? '').split('\n').slice(1);
  expect([refused.length, others]).toEqual([1, []]);
  const [, file = '', number = ''] =
    /^(\S+):(\d+) members\["member@example\.test"\] accessedServices: /.exec(line) ?? [];
  const lines = (without[file] ?? '').split('\n').filter((_, at) => at !== Number(number) - 1);
  const corrected = { ...without, [file]: lines.join('\n') };
  const plan = await restored.plan(corrected);
  expect(
    plan.actions.filter(({ action }) => action !== 'no-op').map(({ action, address }) => `${action} ${address}`),
  ).toEqual(['delete production.redis.spare', 'update members["member@example.test"]']);
  await restored.apply(corrected, { dataLoss: true, massDeletion: true });
  expect(made.emulator.world.tables.member['member_9']?.accessedServices).toEqual([ids[0]]);
  const after = await restored.plan(corrected);
  expect(after.actions.filter(({ action }) => action !== 'no-op')).toEqual([]);
});

test('the values of the project itself, by name, and no note where it has none', async () => {
  const made = kindBench();
  const about = async () =>
    (await exportOf(made)).notes
      .filter(({ message }) => message.includes('names the project'))
      .map((note) => ({
        message: note.message,
        remedy: note.remedy,
      }));
  const row = made.emulator.world.tables.project['prj_1'] ?? {};
  Object.assign(row, { name: 'shop', description: '', env: '' });
  expect(await about()).toEqual([]);
  Object.assign(row, { description: 'The shop.', env: 'REGION=canary' });
  await made.emulator.act('tag.bulkAssign', { projectId: 'prj_1', tagIds: ['tag_1'] });
  expect(await about()).toEqual([
    {
      message: 'the export names the project and leaves out its description, env, tags',
      remedy: 'Declare them in a block of the project with name: "shop", and apply with --adopt.',
    },
  ]);
});

test('sections that apply never creates say so in a comment', async () => {
  const text = textOf(await exportOf(kindBench()));
  expect(text).toContain(
    '# Never created: people join by an invitation that is sent in the platform itself.\nmembers:\n  member@example.test:\n',
  );
});

test('two exports have the same bytes, of all kinds, also after other projects of the owner changed', async () => {
  const made = kindBench();
  await otherProject(made, 'blog');
  for (let turn = 0; turn < 2; turn++) {
    await made.apply(manifestOfAllKinds(), { adoption: true, dataLoss: true });
    for (const gitlabId of Object.keys(made.emulator.world.tables.gitlab))
      await made.emulator.act('gitlab.connect', { gitlabId });
  }
  const { files, secrets, blocks } = await exportOf(made);
  expect(blocks.size).toBeGreaterThan(40);
  const same = await exportOf(made);
  expect([...same.files]).toEqual([...files]);
  expect(same.secrets).toEqual(secrets);
  await otherProject(made, 'wiki');
  expect([...(await exportOf(made)).files]).toEqual([...files]);
});

test('what looks like a secret in a field that takes none is left out with a note, and the manifest plans nothing', async () => {
  const made = kindBench();
  const main = await made.emulator.act('postgres.create', {
    name: 'main',
    environmentId: 'env_prj_1',
    databaseName: 'd',
    databaseUser: 'u',
    databasePassword: 'secret-1',
    dockerImage: 'postgres:17',
  });
  const { postgresId } = main as { postgresId: string };
  await made.emulator.act('postgres.update', { postgresId, dockerImage: 'https://bot:hunter2-hunter2@example.com/a' });
  const exported = await exportOf(made);
  expect(textOf(exported)).not.toMatch(/hunter2|dockerImage/);
  expect(exported.notes.map(({ message }) => message)).toContain(
    'dockerImage: it is a secret, or looks like one, and the field takes no ${secret:…}; write it by hand',
  );
  const plan = await benchWith(made, exported).plan(Object.fromEntries(exported.files));
  expect(plan.actions.filter(({ action }) => action !== 'no-op')).toEqual([]);
});

test('no password of a Redis that a shell would change, where its own command keeps it from the shell', async () => {
  const made = kindBench();
  const password = 'pass$word $1';
  const body = { environmentId: 'env_prj_1', databasePassword: password, dockerImage: 'redis:8' };
  const own = (await made.emulator.act('redis.create', { ...body, name: 'own' })) as { redisId: string };
  await made.emulator.act('redis.update', { redisId: own.redisId, args: ['--requirepass', password] });
  await made.emulator.act('redis.create', { ...body, name: 'plain' });
  const exported = await exportOf(made);
  expect(exported.notes.filter(({ message }) => message.includes('databasePassword'))).toEqual([
    expect.objectContaining({
      address: 'production.redis.plain',
      message: expect.stringContaining('its value is not valid in a block') as string,
    }),
  ]);
  const plan = await benchWith(made, exported).plan(Object.fromEntries(exported.files));
  expect(plan.actions.filter(({ action }) => action !== 'no-op')).toEqual([]);
});

test('one entry that no manifest can have leaves out its whole field, and the note says so', async () => {
  const made = kindBench();
  const { composeId } = (await made.emulator.act('compose.create', {
    name: 'shop',
    environmentId: 'env_prj_1',
    sourceType: 'raw',
    composeFile: 'services: { web: { image: nginx } }',
  })) as { composeId: string };
  await made.emulator.act('compose.update', { composeId, env: 'A=1\nB=${{environment.NONE}}\nC=3\n' });
  const exported = await exportOf(made);
  expect(textOf(exported)).not.toMatch(/\b(A|C): [13]/);
  expect(exported.notes.filter(({ address }) => address === 'production.compose.shop')).toMatchObject([
    { message: 'all of env: env.B: mentions ${{environment.NONE}}, and production declares no variable NONE' },
  ]);
  const plan = await benchWith(made, exported).plan(Object.fromEntries(exported.files));
  expect(plan.actions.filter(({ action }) => action !== 'no-op')).toEqual([]);
});
