import { describe, expect, test } from 'vitest';
import { createClient } from '../../src/api/client.ts';
import type { Operation } from '../../src/api/contract.ts';
import { PlatformError } from '../../src/api/platform-error.ts';
import { rightTo } from '../../src/api/needed-rights.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import type { Row } from '../../src/emulator/json-rows.ts';
import { addRow, seedWorld } from '../../src/emulator/world.ts';
import { addKey, addPerson } from '../emulator/people.ts';

/** What a member needs for an operation, held against the rights of the emulator. */

const environmentId = 'env_prj_1';
const lists = { accessedServices: ['com'], accessedProjects: ['prj_1'], accessedEnvironments: [environmentId] };
const name = 'x';

/** An operation, and what a member is given for it. */
const cases: [Operation, Row, given: Row][] = [
  ['compose.one', { composeId: 'com' }, { accessedServices: ['com'] }],
  ['compose.cleanQueues', { composeId: 'com' }, { accessedServices: ['com'] }],
  ['compose.update', { composeId: 'com', name }, { accessedServices: ['com'], canCreateServices: true }],
  [
    'compose.delete',
    { composeId: 'com', deleteVolumes: false },
    { accessedServices: ['com'], canDeleteServices: true },
  ],
  ['compose.create', { name, environmentId }, { accessedProjects: ['prj_1'], canCreateServices: true }],
  ['domain.one', { domainId: 'dom' }, { accessedServices: ['com'] }],
  ['environment.one', { environmentId }, { accessedEnvironments: [environmentId] }],
  ['environment.create', { name, projectId: 'prj_1' }, { accessedProjects: ['prj_1'], canCreateEnvironments: true }],
  ['sshKey.all', {}, { canAccessToSSHKeys: true }],
  ['gitea.create', { giteaUrl: 'https://s.test', name }, { canAccessToGitProviders: true }],
  ['certificates.all', {}, { role: 'admin' }],
  ['ai.getAll', {}, { role: 'admin' }],
  ['user.all', {}, { role: 'admin' }],
];

function clientOf(rights: Row) {
  const world = seedWorld();
  const createdAt = '2026-01-01T00:00:00.000Z';
  addRow(world, 'compose', { composeId: 'com', appName: 'com', environmentId, createdAt, sourceType: 'raw' });
  addRow(world, 'domain', { domainId: 'dom', host: 'a.test', composeId: 'com', createdAt });
  addPerson(world, 'somebody', rights);
  const apiKey = addKey(world, 'key-of-somebody', 'somebody', {
    metadata: JSON.stringify({ organizationId: 'org_1' }),
  });
  const { send } = createEmulator({ world });
  return createClient({ send, url: 'https://platform.example', apiKey, redact: (text) => text });
}

describe('a missing right', () => {
  test.each(cases)('to %s %o is named in the error: %o', async (operation, input, given) => {
    const error: unknown = await clientOf({})
      .invoke(operation, input)
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(PlatformError);
    const { remedy } = error as PlatformError;
    const right = rightTo(operation) ?? '';
    expect(remedy).toBe(`Use the API key of a user who has the right to do this. A member needs ${right}.`);
    const words = Object.entries(given).map(([key, value]) => (key === 'role' ? String(value) : key));
    for (const word of words) expect(right).toContain(word);
    expect(right.match(/can[A-Z]\w+|accessed\w+|admin/g)?.toSorted()).toEqual(words.toSorted());
    await expect(clientOf(given).invoke(operation, input)).resolves.not.toThrow();
    // Each of what is named is needed.
    for (const key of Object.keys(given)) {
      const rest = Object.fromEntries(Object.entries({ ...lists, ...given }).filter(([other]) => other !== key));
      await expect(clientOf(rest).invoke(operation, input)).rejects.toMatchObject({
        remedy: expect.stringContaining('A member needs') as string,
      });
    }
  });

  test('to assign tags, and to read, is another one than to change', () => {
    const admins = ['customRole.create', 'dnsProvider.all', 'organization.updateMemberRole', 'vaultProvider.update'];
    expect(new Set(admins.map(rightTo))).toEqual(new Set(['the role owner or admin']));
    expect(rightTo('customRole.all')).toBeUndefined();
    expect(rightTo('tag.update')).toBe('the role owner or admin');
    expect(rightTo('tag.bulkAssign')).toBe('the project in accessedProjects');
  });

  test('is not guessed where it is not known', () => {
    expect(rightTo('organization.update')).toBeUndefined();
    expect(rightTo('nothing')).toBeUndefined();
  });
});
