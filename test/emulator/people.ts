import { createEmulator } from '../../src/emulator/emulator.ts';
import type { Row } from '../../src/emulator/json-rows.ts';
import { hashOfKey } from '../../src/emulator/keys.ts';
import { addRow, seedWorld, type World } from '../../src/emulator/world.ts';
import { callerOf } from './caller.ts';

/** People and organizations for a world that no emulator uses yet. */

const createdAt = '2026-01-01T00:00:00.000Z';

/** Adds a user who is a member of `org_1`, with the given rights, and gives his key. */
export function addPerson(world: World, userId: string, rights: Row = {}): string {
  addRow(world, 'user', { id: userId, firstName: userId, email: `${userId}@example.test`, createdAt });
  return addMembership(world, userId, 'org_1', rights);
}

/** Makes a user a member of one more organization, and gives his key for it. */
export function addMembership(world: World, userId: string, organizationId: string, rights: Row = {}): string {
  const id = `${userId}@${organizationId}`;
  addRow(world, 'member', { id, organizationId, userId, createdAt, ...rights });
  return addKey(world, keyFor(userId, organizationId), userId, { metadata: JSON.stringify({ organizationId }) });
}

/** The key that a user got for an organization. */
export function keyFor(userId: string, organizationId: string): string {
  return `key of ${userId} for ${organizationId}`;
}

/** Adds an organization with a project `prj_<id>` and its environment `env_<id>`. */
export function addOrganization(world: World, id: string, ownerId = 'user_1'): void {
  const projectId = `prj_${id}`;
  addRow(world, 'organization', { id, name: id, slug: id, createdAt, ownerId });
  addRow(world, 'project', { projectId, name: id, organizationId: id, createdAt });
  addRow(world, 'environment', {
    environmentId: `env_${id}`,
    name: 'production',
    projectId,
    isDefault: true,
    createdAt,
  });
}

/** Adds a key of a user, without limits unless some are given, and gives it. */
export function addKey(world: World, key: string, referenceId: string, values: Row): string {
  const row = { id: `id of ${key}`, name: 'k', key: hashOfKey(key), referenceId, createdAt, rateLimitEnabled: false };
  addRow(world, 'apiKey', { ...row, ...values });
  return key;
}

/** An emulator whose clock stands still until it is moved. */
export function openWorld(world: World = seedWorld()) {
  let time = Date.UTC(2026, 0, 1);
  const { send } = createEmulator({ world, now: () => new Date(time) });
  return {
    world,
    call: callerOf(send),
    as: (key: string) => callerOf(send, key),
    pass: (milliseconds: number) => (time += milliseconds),
    status: async (key: string) => (await callerOf(send, key)('user.haveRootAccess')).status,
  };
}
