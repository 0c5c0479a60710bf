import { describe, expect, test } from 'vitest';
import { creationOf, announceWrite } from '../../src/apply/journal.ts';
import { keyOf } from '../../src/apply/find-created.ts';
import { fieldOf } from '../../src/kind/wire.ts';
import type { Wanted } from '../../src/manifest/wanted.ts';
import type { Action, Step } from '../../src/plan/action.ts';
import type { StateRecord } from '../../src/state/record.ts';
import {
  actionOf,
  creating as pendingCreate,
  declared,
  kindNamed,
  lacking,
  pairOf,
  plannedPart,
  recordOf,
  referring,
} from '../support/made-up.ts';
import { digestOf, runOf } from '../support/made-up-run.ts';

/** What is written down of a request before it is sent, by which a later run knows what that made. */

const host = { address: 'production.postgres.main', output: 'host' };
const web = actionOf('production.application.web', { kind: kindNamed('application'), id: 'app_1' });

/** A create of something, with what is declared of its fields. */
function creating(kind: string, fields: Readonly<Record<string, Wanted | undefined>>, parent?: Action): Action {
  return actionOf(`the ${kind}`, {
    kind: kindNamed(kind),
    action: 'create',
    id: undefined,
    parent: parent?.address,
    parts: Object.entries(fields).map(([name, wanted]) =>
      plannedPart(name, { field: fieldOf(kindNamed(kind), name), wanted, decision: { do: 'write', cause: 'edit' } }),
    ),
  });
}

/** What is written down of a create, in a run in which nothing came out yet. */
function pendingOf(action: Action, operation: Step['operation'], { parent = web, fenceMs = 60_000 } = {}) {
  const { run } = runOf([parent, action], { more: { fenceMs } });
  return creationOf(run, action, { operation, role: 'create', members: {}, changed: [] });
}

describe('of a create is written down', () => {
  const file = { type: declared('file'), filePath: declared('a.conf'), content: declared('a = 1\n') };

  test('when it is sent, what it is below, its key, and what it says, with digests for what may be secret', () => {
    expect(pendingOf(creating('mount', file, web), 'mounts.create')).toEqual({
      is: 'create',
      at: 1_000,
      key: { filePath: 'a.conf' },
      below: 'app_1',
      says: { type: { value: 'file' }, filePath: { value: 'a.conf' }, content: digestOf('a = 1\n') },
      timeoutMs: 60_000,
      sends: 1,
    });
  });

  test('how long it may take to land', () => {
    expect(pendingOf(creating('mount', file, web), 'mounts.create', { fenceMs: 5 }).timeoutMs).toBe(5);
  });

  test('a digest of an open field that a secret flowed into', () => {
    const { says, key } = pendingOf(
      creating('redis', { name: declared('cache'), description: declared('word', true) }),
      'redis.create',
    );
    expect(says).toEqual({ name: { value: 'cache' }, description: digestOf('word') });
    expect(key).toBeUndefined();
  });

  test('nothing that it does not say: what comes later, is not known yet, is not declared, or is one variable', () => {
    const action = creating('redis', {
      name: declared('cache'),
      env: declared('A=1\n'),
      description: referring(host),
      databasePassword: lacking('WORD'),
      dockerImage: undefined,
    });
    const variable = plannedPart('name', { part: { field: 'name', key: 'A' }, wanted: declared('1') });
    const { says } = pendingOf({ ...action, parts: [...action.parts, variable] }, 'redis.create');
    expect(says).toEqual({ name: { value: 'cache' } });
  });

  test('no place at the top, nor one that is not there yet', () => {
    expect(pendingOf(creating('sshKey', {}), 'sshKey.create')).not.toHaveProperty('below');
    const parent = actionOf(web.address, { kind: web.kind, id: undefined });
    expect(pendingOf(creating('mount', file, parent), 'mounts.create', { parent })).not.toHaveProperty('below');
  });

  test('no key where a secret flowed into it, whatever else is open', () => {
    const secretly = { ...file, filePath: declared('a.conf', true) };
    const pending = pendingOf(creating('mount', secretly, web), 'mounts.create');
    expect(pending).not.toHaveProperty('key');
    expect(pending.says).toMatchObject({ filePath: digestOf('a.conf'), type: { value: 'file' } });
  });

  test('the key where a secret flowed into something else', () => {
    const pending = pendingOf(creating('mount', { ...file, type: declared('file', true) }, web), 'mounts.create');
    expect(pending.key).toEqual({ filePath: 'a.conf' });
  });

  test('no key where it cannot be found by one', () => {
    expect(pendingOf(creating('redis', { name: declared('cache') }), 'redis.create')).not.toHaveProperty('key');
  });

  test('no key where one of its fields may be secret by its nature', () => {
    const action = creating('mount', file, web);
    const parts = action.parts.map((part) =>
      part.part.field === 'filePath' ? { ...part, field: fieldOf(action.kind, 'content') } : part,
    );
    expect(pendingOf({ ...action, parts }, 'mounts.create')).not.toHaveProperty('key');
  });
});

describe('what is to be made is known by', () => {
  const key = (action: Action, others: readonly Action[] = [web]) => keyOf(runOf([...others, action]).run, action);

  test('the fields of its kind that tell it from others, and what its place gives to them', () => {
    const main = actionOf('production.postgres.main', { kind: kindNamed('postgres') });
    const fields = { database: declared('shop'), destinationId: declared('dst_1'), prefix: declared('n/') };
    expect(key(creating('backup', fields, main), [main])).toEqual({
      databaseType: 'postgres',
      database: 'shop',
      destinationId: 'dst_1',
      prefix: 'n/',
    });
    expect(key(creating('backup', { ...fields, prefix: undefined }, main), [main])).toMatchObject({ prefix: null });
    expect(key(creating('backup', { ...fields, prefix: referring(host) }, main), [main])).toBeUndefined();
  });

  test('its key at the top of the manifest too', () => {
    expect(key(creating('sshKey', { publicKey: declared('ssh-rsa A') }))).toEqual({ publicKey: 'ssh-rsa A' });
  });

  test('no single key of a map', () => {
    const action = creating('sshKey', { publicKey: declared('ssh-rsa A') });
    const variable = plannedPart('publicKey', { part: { field: 'publicKey', key: 'A' }, wanted: declared('1') });
    expect(key({ ...action, parts: [...action.parts, variable] })).toEqual({ publicKey: 'ssh-rsa A' });
  });

  test('nothing where its kind cannot stand', () => {
    expect(key(creating('redis', { name: declared('cache') }, web))).toBeUndefined();
    expect(key(creating('redis', { name: declared('cache') }))).toBeUndefined();
  });
});

describe('before a change of what is there is sent, the state says', () => {
  const address = 'production.redis.main';
  const update = actionOf(address, { action: 'update', id: 'redis_1', options: { protect: true } });
  const pairs = { name: pairOf('cache') };
  const write = { is: 'write', at: 1_000, timeoutMs: 60_000 };
  const known = recordOf('redis', 'redis_1', { pairs, dependsOn: ['production'] });

  /** What the state has of an address when a change of it is announced. */
  async function noted(action: Action, resources: Readonly<Record<string, StateRecord>> = { [address]: known }) {
    const { run } = runOf([action], { resources });
    await announceWrite(run, action);
    return run.journal.records.get(address);
  }

  test('when that was, and all that it said before', async () => {
    expect(await noted(update)).toStrictEqual({ ...known, pending: write });
  });

  test('what is planned of it, when it was not known', async () => {
    expect(await noted(update, {})).toEqual({
      ...recordOf('redis', 'redis_1', { options: { protect: true } }),
      pending: write,
    });
  });

  test.each([
    ['got no answer and is found', null],
    ['got no answer and gave its id', 'redis_1'],
  ])('what the create said, as settled, of an object whose create %s', async (_title, id) => {
    const pending = pendingCreate({ says: { name: { value: 'cache' } } });
    expect(await noted(update, { [address]: recordOf('redis', id, { pending }) })).toMatchObject({
      id: 'redis_1',
      pairs: { name: { wanted: { value: 'cache' }, answered: { value: 'cache' } } },
      pending: write,
    });
  });

  test('what is planned of it too, of an object that had no id, whose pairs stay', async () => {
    expect(await noted(update, { [address]: recordOf('redis', null, { pairs, dependsOn: ['production'] }) })).toEqual({
      ...recordOf('redis', 'redis_1', { pairs, options: { protect: true } }),
      pending: write,
    });
  });

  test('nothing of what an earlier create said, of what is taken over from somebody else', async () => {
    const record = recordOf('redis', null, { pending: pendingCreate({ says: { name: { value: 'cache' } } }) });
    expect((await noted({ ...update, action: 'adopt' }, { [address]: record }))?.pairs).toEqual({});
  });

  test('nothing of what is not there', async () => {
    expect(await noted({ ...update, id: undefined })).toBeUndefined();
  });

  test('what is known of its deployments', async () => {
    const service = { known: { inputs: 'a' } };
    expect(await noted({ ...update, service })).toEqual({ ...known, deployed: { inputs: 'a' }, pending: write });
  });

  test('which services owe a deployment as soon as it is sent', async () => {
    const service = { known: { inputs: 'a' }, debt: { through: [address] } };
    const { run } = runOf([update, { ...web, service }], { resources: { [address]: known } });
    await announceWrite(run, update);
    expect(run.journal.records.get(web.address)?.deployed).toEqual({ inputs: 'a', stale: {} });
    expect(run.journal.records.get(web.address)?.pending).toBeUndefined();
  });
});
