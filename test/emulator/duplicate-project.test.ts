import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Json, Row } from '../../src/emulator/json-rows.ts';
import { addRow, seedWorld } from '../../src/emulator/world.ts';
import { compared, type Sample } from '../support/recorded.ts';
import { addOrganization, addPerson, openWorld } from './people.ts';

const sourceEnvironmentId = 'env_prj_1';
const applicationId = '3ga2PDrzPNCysdr9hmZnq';
const composeId = 'bKy_FLZi8QJY2uzMYji7A';
const createdAt = '2026-01-01T00:00:00.000Z';

/** A project with an application, a compose and a database, each with things below it. */
function filled() {
  const world = seedWorld();
  addOrganization(world, 'org_2', 'user_1');
  const place = { environmentId: sourceEnvironmentId, createdAt };
  const application = { applicationId, name: 'web', appName: 'my-web-a1b2c3', applicationStatus: 'done' };
  addRow(world, 'application', { ...application, refreshToken: 'r', env: 'A=1', ...place });
  addRow(world, 'domain', { domainId: 'd', host: 'a.test', applicationId, uniqueConfigKey: 7, createdAt });
  addRow(world, 'port', { portId: 'p', publishedPort: 8080, targetPort: 80, applicationId });
  addRow(world, 'redirect', { redirectId: 'r', regex: 'a', replacement: 'b', applicationId, createdAt });
  addRow(world, 'security', { securityId: 's', username: 'u', password: 'p', applicationId, createdAt });
  addRow(world, 'compose', { composeId, name: 'shop', appName: 'shop', composeFile: 'services: {}', ...place });
  addRow(world, 'mount', { mountId: 'f', type: 'file', filePath: 'a', content: 'x', mountPath: 'a', composeId });
  for (const [kind, id] of [
    ['mariadb', 'mar'],
    ['postgres', 'pos'],
  ] as const) {
    addRow(world, kind, { [`${kind}Id`]: id, name: kind, appName: `${kind}-x`, dockerImage: 'i:1', ...place });
    const volume = { type: 'volume', volumeName: `${kind}-x-data`, mountPath: '/d', serviceType: kind };
    addRow(world, 'mount', { mountId: id, ...volume, [`${kind}Id`]: id });
    addRow(world, 'backup', { backupId: id, appName: `b-${id}`, [`${kind}Id`]: id, destinationId: 'dst_1' });
  }
  const stranger = addPerson(world, 'stranger', { canCreateProjects: true });
  const nobody = addPerson(world, 'nobody', { accessedProjects: ['prj_1'] });
  const opened = openWorld(world);
  const duplicate = (input: Row) => opened.call('project.duplicate', { sourceEnvironmentId, name: 'copy', ...input });
  return { ...opened, duplicate, stranger, nobody };
}

const select = (...ids: readonly [type: string, id: string][]): Json[] => ids.map(([type, id]) => ({ type, id }));

describe('project.duplicate', () => {
  const file = join(import.meta.dirname, '../fixtures/extension-samples/project.duplicate.json');
  const samples = JSON.parse(readFileSync(file, 'utf8')) as Sample[];

  test.each(samples.map((sample) => [sample.case, sample] as const))(
    'answers as recorded: %s',
    async (_name, sample) => {
      const { call } = filled();
      const { sourceEnvironmentId: asked, ...given } = sample.request.body as Row;
      const input = { ...given, sourceEnvironmentId: asked === 'nope' ? asked : sourceEnvironmentId };
      const { status, body } = await call('project.duplicate', input);
      const answer = { status, headers: {}, body: JSON.stringify(body) };
      const { answered, recorded } = compared(answer, sample);
      expect(answered).toEqual(recorded);
    },
  );

  test('copies services with what is below them, under new names and ids', async () => {
    const { call, duplicate } = filled();
    const selectedServices = select(['application', applicationId], ['compose', composeId], ['mariadb', 'mar']);
    const { environmentId } = (await duplicate({ description: 'd', selectedServices })).body;
    const { body } = await call('environment.one', { environmentId });
    expect(body).toMatchObject({ name: 'production', project: { name: 'copy', description: 'd', env: '' } });
    const [web, shop, db] = ['applications', 'compose', 'mariadb'].map((list) => (body[list] as Row[])[0] ?? {});
    const copy = (await call('application.one', { applicationId: web?.['applicationId'] })).body;
    expect(copy).toMatchObject({
      name: 'web',
      env: 'A=1',
      applicationStatus: 'done',
      createdAt,
      domains: [{ host: 'a.test', uniqueConfigKey: 7 }],
      ports: [{ publishedPort: 8080 }],
      redirects: [{ regex: 'a' }],
      security: [{ username: 'u' }],
    });
    expect(copy.appName).toMatch(/^my-web-(?!a1b2c3)\w{6}$/);
    expect(copy['refreshToken']).not.toBe('r');
    expect(copy.domains[0]?.['domainId']).not.toBe('d');
    const { body: stack } = await call('compose.one', { composeId: shop?.['composeId'] });
    expect(stack).toMatchObject({ composeFile: 'services: {}', mounts: [{ filePath: 'a', content: 'x' }] });
    expect(stack.appName).toMatch(/^compose-/);
    // Two databases share one volume; a backup gets a name of its own.
    const { body: copied } = await call('mariadb.one', { mariadbId: db?.['mariadbId'] });
    expect(copied.mounts).toMatchObject([{ volumeName: 'mariadb-x-data' }]);
    expect(copied.backups[0]?.appName).not.toBe('b-mar');
    // The original has what it had; and nobody finds the copies by a search.
    expect((await call('application.one', { applicationId })).body).toMatchObject({ domains: [{ domainId: 'd' }] });
    expect((await call('application.search')).body).toEqual({ items: [], total: 0 });
  });

  test('copies nothing that is not selected, and into the same project under another name', async () => {
    const { call, duplicate } = filled();
    const selectedServices = select(['application', applicationId]);
    const none = [await duplicate({}), await duplicate({ selectedServices, includeServices: false })];
    for (const { body } of none)
      expect((await call('environment.one', { environmentId: body['environmentId'] })).body['applications']).toEqual(
        [],
      );
    const beside = await duplicate({ selectedServices, duplicateInSameProject: true });
    const names = ({ body }: typeof beside) => (body['applications'] as Row[]).map(({ name }) => name);
    expect([beside.body['environmentId'], names(beside)]).toEqual([sourceEnvironmentId, ['web']]);
    expect(names(await call('environment.one', { environmentId: sourceEnvironmentId }))).toEqual(['web', 'web (copy)']);
  });

  test('leaves the new project behind when a copy fails, as that of a postgres with a backup does', async () => {
    const { call, duplicate } = filled();
    const { status, body } = await duplicate({ selectedServices: select(['postgres', 'pos']) });
    expect([status, body['message']]).toEqual([
      400,
      expect.stringMatching(/^Error duplicating the project: Failed query/),
    ]);
    expect((await call('project.search', { name: 'copy' })).body['total']).toBe(1);
  });

  test('needs the right to create projects, and in the same project the right to that', async () => {
    const { as, call, stranger, nobody } = filled();
    const input = { sourceEnvironmentId, name: 'n', duplicateInSameProject: true };
    const refusal = async (by: typeof call, more: Row = {}) => {
      const { status, body } = await by('project.duplicate', { ...input, ...more });
      return [status, body['message']];
    };
    const begin = 'Error duplicating the project:';
    expect(await refusal(as(nobody))).toEqual([400, `${begin} unauthorized to access resource "project"`]);
    expect(await refusal(as(stranger))).toEqual([400, `${begin} You don't have access to this project`]);
    expect(await refusal(call, { sourceEnvironmentId: 'env_org_2' })).toEqual([
      400,
      `${begin} You are not authorized to access this project`,
    ]);
    expect(await refusal(call, { sourceEnvironmentId: 'nope' })).toEqual([400, `${begin} Environment not found`]);
  });
});
