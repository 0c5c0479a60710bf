import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Row } from '../../../src/emulator/json-rows.ts';
import { addRow, seedWorld } from '../../../src/emulator/world.ts';
import { databaseRow } from '../database-samples.ts';
import { recordedIds, replays } from '../extension-samples.ts';
import { addOrganization, addPerson, openWorld } from '../people.ts';

const createdAt = '2026-01-01T00:00:00.000Z';
const { application: applicationId, compose: composeId } = recordedIds;
const mariadbId = 'ECMn29XqnQ6UuF5sqGk2t';

replays('overview', { rows: [['domain', { domainId: 'd', host: 'a.test', applicationId, createdAt }]] });
replays('organization', {});
replays('user', {});
replays('mounts', {
  rows: [
    databaseRow('mariadb', mariadbId),
    ['mount', { mountId: 'm', type: 'volume', volumeName: 'v', mountPath: '/v', serviceType: 'mariadb', mariadbId }],
    ['mount', { mountId: 'n', type: 'volume', volumeName: 'v', mountPath: '/v', applicationId }],
  ],
});

/** Services, domains and runs of backups in two organizations. */
function filled() {
  const world = seedWorld();
  addOrganization(world, 'org_2');
  const environmentId = 'env_prj_1';
  addRow(world, 'application', { applicationId, name: 'web', appName: 'web', environmentId, createdAt, icon: 'i' });
  addRow(world, 'application', { applicationId: 'far', name: 'far', appName: 'far', environmentId: 'env_org_2' });
  addRow(world, 'compose', {
    composeId,
    name: 'shop',
    appName: 'shop',
    environmentId,
    createdAt,
    composeStatus: 'done',
  });
  addRow(world, 'postgres', { postgresId: 'pos', name: 'db', appName: 'db', environmentId, createdAt });
  addRow(world, 'domain', { domainId: 'a', host: 'a.test', applicationId, createdAt });
  addRow(world, 'domain', { domainId: 'b', host: 'b.test', composeId, domainType: 'compose', createdAt });
  addRow(world, 'domain', { domainId: 'c', host: 'c.test', applicationId: 'far', createdAt });
  const backup = { destinationId: 'dst_1', databaseType: 'postgres' };
  addRow(world, 'backup', { backupId: 'bac', appName: 'b', postgresId: 'pos', ...backup });
  addRow(world, 'backup', { backupId: 'web', appName: 'w', ...backup, databaseType: 'web-server' });
  const volume = { name: 'v', applicationId, destinationId: 'dst_1', createdAt };
  addRow(world, 'volumeBackup', { volumeBackupId: 'vol', appName: 'v', ...volume });
  [
    ['backupId', 'bac'],
    ['backupId', 'web'],
    ['volumeBackupId', 'vol'],
    ['applicationId', applicationId],
  ].forEach(([owner = '', id = ''], at) =>
    addRow(world, 'deployment', { deploymentId: `run ${id}`, [owner]: id, createdAt: `2026-01-0${at + 2}` }),
  );
  const reader = addPerson(world, 'reader', { accessedServices: ['pos'] });
  const nobody = addPerson(world, 'nobody');
  return { ...openWorld(world), reader, nobody };
}

describe('the overview', () => {
  test('lists services, domains and runs of backups of the organization, of a member only his own', async () => {
    const { call, as, reader, nobody } = filled();
    const list = async (by: typeof call, operation: string) => (await by(operation)).body as unknown as Row[];
    expect(await list(call, 'overview.services')).toMatchObject([
      { id: applicationId, type: 'application', icon: 'i', projectName: 'project-1', lastDeployAt: '2026-01-05' },
      { id: 'pos', type: 'postgres', icon: null, lastDeployAt: null, status: 'idle' },
      { id: composeId, type: 'compose', status: 'done', environmentName: 'production', lastDeployAt: null },
    ]);
    expect(await list(as(reader), 'overview.services')).toMatchObject([{ id: 'pos' }]);
    expect((await list(call, 'overview.domains')).map(({ host, serviceName }) => [host, serviceName])).toEqual([
      ['a.test', 'web'],
      ['b.test', 'shop'],
    ]);
    expect(await list(as(reader), 'overview.domains')).toEqual([]);
    const [onService, onServer, onVolume] = [
      { serviceName: 'db', serviceOwnerType: 'postgres', projectId: 'prj_1', databaseType: 'postgres' },
      { serviceName: 'Dokploy Server', serviceOwnerType: 'web-server', serviceOwnerId: null, projectId: null },
      { kind: 'volumeBackup', serviceName: 'web', serviceType: 'application', databaseType: null, backupType: null },
    ];
    expect(await list(call, 'overview.backups')).toMatchObject([onVolume, onServer, onService]);
    expect(await list(as(reader), 'overview.backups')).toMatchObject([onServer, onService]);
    expect(await list(as(nobody), 'overview.backups')).toEqual([]);
  });

  test('counts the services by their status', async () => {
    const { call, as, nobody } = filled();
    const found = { applications: 1, compose: 1, databases: 1, services: 3, status: { running: 1, error: 0, idle: 2 } };
    expect((await call('project.homeStats')).body).toEqual({ projects: 2, environments: 2, ...found });
    const nothing = {
      applications: 0,
      compose: 0,
      databases: 0,
      services: 0,
      status: { running: 0, error: 0, idle: 0 },
    };
    expect((await as(nobody)('project.homeStats')).body).toEqual({ projects: 0, environments: 0, ...nothing });
  });
});

describe('user.getPermissions', () => {
  const file = join(import.meta.dirname, '../../fixtures/extension-samples/user.getPermissions.json');
  const [ofOwner, ofMember] = (JSON.parse(readFileSync(file, 'utf8')) as { response: Row }[]).map(
    ({ response }) => response,
  );

  test('answers the recorded rights of an owner and of a member, and what flags and being an admin change', async () => {
    const world = seedWorld();
    const key = (name: string, rights: Row = {}) => addPerson(world, name, rights);
    const [member, admin] = [key('member'), key('admin', { role: 'admin' })];
    const worker = key('worker', { canCreateServices: true, canAccessToSSHKeys: true, canAccessToTraefikFiles: true });
    const { call, as } = openWorld(world);
    const rights = async (by: typeof call) => (await by('user.getPermissions')).body;
    expect(await rights(call)).toEqual(ofOwner);
    expect(await rights(as(member))).toEqual(ofMember);
    expect(await rights(as(admin))).toEqual({ ...ofOwner, organization: { update: true, delete: false } });
    expect(await rights(as(worker))).toEqual({
      ...ofMember,
      service: { create: true, read: true, delete: false },
      sshKeys: { read: true, create: true, delete: true },
      traefikFiles: { read: true, write: false },
    });
  });
});
