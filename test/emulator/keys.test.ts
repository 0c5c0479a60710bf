import { describe, expect, test } from 'vitest';
import { createEmulator } from '../../src/emulator/emulator.ts';
import type { Row } from '../../src/emulator/json-rows.ts';
import { seedWorld } from '../../src/emulator/world.ts';
import { callerOf } from './caller.ts';
import { addKey, addOrganization, addPerson, openWorld } from './people.ts';

const metadata = { organizationId: 'org_1' };
const day = 24 * 60 * 60 * 1000;

async function createKey(call: ReturnType<typeof callerOf>, values: Row = {}) {
  const { status, body } = await call('user.createApiKey', { name: 'k', metadata, ...values });
  expect(status).toBe(200);
  return body as unknown as Row & { id: string; key: string };
}

describe('a key', () => {
  test('is shown once, and then stored as a hash that only getBackups shows', async () => {
    const { call } = openWorld();
    const { id, key, metadata: answered } = await createKey(call, { rateLimitEnabled: false });
    expect(key).toMatch(/^[a-z0-9]{64}$/);
    expect(answered).toBeNull();
    const texts = [await call('user.get'), await call('user.all'), await call('user.getBackups')].map((answer) =>
      JSON.stringify(answer.body),
    );
    expect(texts.filter((text) => text.includes(key))).toEqual([]);
    expect(texts.map((text) => text.includes(id))).toEqual([true, false, true]);
    const backups = (await call('user.getBackups')).body as unknown as { apiKeys: Row[] };
    const kept = backups.apiKeys.find((row) => row['id'] === id);
    expect(kept).toMatchObject({ key: expect.any(String) as string, metadata: '{"organizationId":"org_1"}' });
    expect(kept?.['key']).not.toBe(key);
  });

  test('begins with its prefix and shows its first six characters', async () => {
    const { key, start, prefix } = await createKey(openWorld().call, { prefix: 'ci_' });
    expect([key.slice(0, 3), start, prefix]).toEqual(['ci_', key.slice(0, 6), 'ci_']);
  });

  test('acts in the organization of its metadata, for the same user', async () => {
    const { call, as } = openWorld();
    const { body } = await call('organization.create', { name: 'second' });
    const organizationId = String(body['id']);
    const second = as((await createKey(call, { metadata: { organizationId }, rateLimitEnabled: false })).key);
    expect((await second('user.get')).body).toMatchObject({ organizationId, userId: 'user_1', role: 'owner' });
    expect((await second('project.all')).body).toEqual([]);
    await second('project.create', { name: 'p' });
    expect((await second('project.all')).body).toMatchObject([{ name: 'p' }]);
    expect((await call('project.all')).body).toHaveLength(2);
    expect((await second('project.one', { projectId: 'prj_1' })).status).toBe(401);
  });

  test.each([
    ['that nobody made', {}, 'another'],
    ['that is disabled', { enabled: false }, 'key'],
    ['that has expired', { expiresAt: '2025-12-31T23:59:59.999Z' }, 'key'],
    ['without metadata', { metadata: null }, 'key'],
    ['without an organization', { metadata: '{}' }, 'key'],
    ['for an organization that its user is no member of', { metadata: '{"organizationId":"org_2"}' }, 'key'],
  ])('%s is answered with a bare 401', async (_which, values, sent) => {
    const world = seedWorld();
    addOrganization(world, 'org_2');
    addKey(world, 'good key', 'user_1', { metadata: JSON.stringify(metadata) });
    addKey(world, 'key', 'user_1', { metadata: JSON.stringify(metadata), ...values });
    const { as, status } = openWorld(world);
    expect(await as(sent)('user.get')).toEqual({ status: 401, body: { message: 'Unauthorized' } });
    expect(await status('good key')).toBe(200);
  });

  test.each([
    [1, ['coded', 'bare', 'bare']],
    [2, [200, 'bare', 'bare']],
    [3, [200, 'coded', 'bare']],
    [7, [200, 200, 200, 'coded', 'bare']],
  ])(
    'with a limit of %i is refused with a code where the limit runs out between its two checks',
    async (max, answers) => {
      const { call, as } = openWorld();
      const { key } = await createKey(call, { rateLimitEnabled: true, rateLimitMax: max, rateLimitTimeWindow: day });
      const coded = {
        status: 401,
        body: {
          message: 'UNAUTHORIZED',
          code: 'UNAUTHORIZED',
          data: { code: 'UNAUTHORIZED', httpStatus: 401, path: 'user.get' },
        },
      };
      for (const expected of answers) {
        const { status, body } = await as(key)('user.get');
        if (expected === 200) expect(status).toBe(200);
        else if (expected === 'coded') expect({ status, body }).toMatchObject(coded);
        else expect({ status, body }).toEqual({ status: 401, body: { message: 'Unauthorized' } });
      }
    },
  );

  test('expires at its time', async () => {
    const { call, status, pass } = openWorld();
    const { key, expiresAt } = await createKey(call, { expiresIn: 86_400, rateLimitEnabled: false });
    expect(expiresAt).toBe('2026-01-02T00:00:00.000Z');
    pass(day - 1);
    expect(await status(key)).toBe(200);
    pass(1);
    expect(await status(key)).toBe(401);
  });

  test.each([
    [{ expiresIn: 1 }, 500],
    [{ expiresIn: 2 * 365 * 86_400 }, 500],
    [{ prefix: 'a b' }, 500],
    [{ refillAmount: 1 }, 500],
    [{ metadata: { organizationId: 'org_2' } }, 403],
    [{ name: 'n'.repeat(33) }, 400],
  ])('with %o is refused', async (values, status) => {
    const { call, world } = openWorld();
    expect((await call('user.createApiKey', { name: 'k', metadata, ...values })).status).toBe(status);
    expect(Object.keys(world.tables.apiKey)).toEqual(['apikey_1']);
  });

  test('is deleted by its user only, and is of no use afterwards', async () => {
    const world = seedWorld();
    const admin = addPerson(world, 'admin', { role: 'admin' });
    const { call, as, status } = openWorld(world);
    const { id, key } = await createKey(call, { rateLimitEnabled: false });
    expect((await as(admin)('user.deleteApiKey', { apiKeyId: id })).status).toBe(401);
    expect(await status(key)).toBe(200);
    expect(await call('user.deleteApiKey', { apiKeyId: id })).toEqual({ status: 200, body: true });
    expect(await status(key)).toBe(401);
    expect((await call('user.deleteApiKey', { apiKeyId: id })).status).toBe(404);
  });

  test('given at creation has no limits, and can be deleted like any other', async () => {
    const { call, status } = openWorld();
    for (let count = 0; count < 20; count += 1) expect(await status('emulator-key')).toBe(200);
    await call('user.deleteApiKey', { apiKeyId: 'apikey_1' });
    expect(await status('emulator-key')).toBe(401);
  });
});

describe('the limit of a key', () => {
  const limited = { rateLimitEnabled: true, rateLimitMax: 10, rateLimitTimeWindow: day };

  test('is on by default: five requests in 24 hours, because each counts twice', async () => {
    const { call, as, status, pass } = openWorld();
    const { key, ...shown } = await createKey(call);
    expect(shown).toMatchObject(limited);
    for (let count = 0; count < 5; count += 1) expect(await status(key)).toBe(200);
    expect(await as(key)('user.get')).toEqual({ status: 401, body: { message: 'Unauthorized' } });
    pass(day);
    expect(await status(key)).toBe(401);
    pass(1);
    expect(await status(key)).toBe(200);
  });

  test('counts its window from the last request that was let through', async () => {
    const { call, status, pass } = openWorld();
    const { key } = await createKey(call);
    for (let count = 0; count < 5; count += 1) {
      expect(await status(key)).toBe(200);
      pass(day / 2);
    }
    expect(await status(key)).toBe(401);
  });

  test('can be set, and switched off', async () => {
    const { call, status } = openWorld();
    const { key: narrow } = await createKey(call, { rateLimitMax: 2, rateLimitTimeWindow: 1000 });
    expect([await status(narrow), await status(narrow)]).toEqual([200, 401]);
    const { key: free } = await createKey(call, { rateLimitEnabled: false });
    for (let count = 0; count < 20; count += 1) expect(await status(free)).toBe(200);
  });

  test('can be a number of uses, which comes back after its interval', async () => {
    const { call, status, pass } = openWorld();
    const uses = { rateLimitEnabled: false, remaining: 2, refillAmount: 4, refillInterval: 1000 };
    const { key } = await createKey(call, uses);
    expect([await status(key), await status(key)]).toEqual([200, 401]);
    pass(1001);
    expect([await status(key), await status(key), await status(key)]).toEqual([200, 200, 401]);
  });

  test('makes a read change a table, and no limit does not', async () => {
    const world = seedWorld();
    addKey(world, 'key', 'user_1', { metadata: JSON.stringify(metadata), ...limited });
    const emulator = createEmulator({ world });
    let commits = 0;
    emulator.onCommit = () => (commits += 1);
    await callerOf(emulator.send)('user.get');
    expect(commits).toBe(0);
    await callerOf(emulator.send, 'key')('user.get');
    expect(commits).toBeGreaterThan(0);
  });
});
