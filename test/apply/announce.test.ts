import { partAddress } from '../../src/kind/address.ts';
import { describe, expect, test } from 'vitest';
import { creationOf, announceWrite, saveDeploys } from '../../src/apply/announce.ts';
import type { Run } from '../../src/apply/apply-run.ts';
import { keyOf } from '../../src/apply/find-created.ts';
import { fieldOf } from '../../src/kind/row-values.ts';
import type { Wanted } from '../../src/manifest/wanted.ts';
import type { Action, Step } from '../../src/plan/action.ts';
import type { StateRecord } from '../../src/state/record.ts';
import { memoryStore } from '../../src/state/backends/memory.ts';
import { writeEntry } from '../../src/state/formats.ts';
import type { StateStore } from '../../src/state/state.ts';
import {
  actionOf,
  creating as pendingCreate,
  declared,
  kindNamed,
  lacking,
  pairOf,
  attributeChange,
  recordOf,
  referring,
  serviceOf,
} from '../support/plan-values.ts';
import { digestOf, jobFor, runOf } from '../support/run-values.ts';

/** Records written before a request: from them a later run knows what the request may have done. */

const host = { address: 'production.postgres.main', output: 'host' };
const web = actionOf('production.application.web', { kind: kindNamed('application'), id: 'app_1' });

/** A create of something, with what is declared of its fields. */
function creating(kind: string, fields: Readonly<Record<string, Wanted | undefined>>, parent?: Action): Action {
  return actionOf(`the ${kind}`, {
    kind: kindNamed(kind),
    action: 'create',
    id: undefined,
    parent: parent?.address,
    attributes: Object.entries(fields).map(([name, wanted]) =>
      attributeChange(name, {
        field: fieldOf(kindNamed(kind), name),
        wanted,
        decision: { do: 'write', cause: 'edit' },
      }),
    ),
  });
}

/** The pending create of an action, in a run without answers yet. */
function pendingOf(action: Action, operation: Step['operation'], { parent = web, inFlightTimeoutMs = 60_000 } = {}) {
  const { run } = runOf([parent, action], { more: { inFlightTimeoutMs } });
  return creationOf(run, jobFor(run, action), { operation, role: 'create', members: {}, changed: [] });
}

describe('a pending create holds', () => {
  const file = { type: declared('file'), filePath: declared('a.conf'), content: declared('a = 1\n') };

  test('its time, its parent, its key and its fields, with digests of what looks secret', () => {
    const { says } = pendingOf(
      creating('mount', { ...file, content: declared('password = x1\n') }, web),
      'mounts.create',
    );
    expect(says.content).toEqual({ ...digestOf('password = x1\n'), secretLines: [] });
    expect(pendingOf(creating('mount', file, web), 'mounts.create')).toEqual({
      is: 'create',
      at: 1_000,
      key: { filePath: 'a.conf' },
      below: 'app_1',
      says: { type: { value: 'file' }, filePath: { value: 'a.conf' }, content: { value: 'a = 1\n' } },
      timeoutMs: 60_000,
      sends: 1,
    });
  });

  test('its in-flight timeout', () => {
    expect(pendingOf(creating('mount', file, web), 'mounts.create', { inFlightTimeoutMs: 5 }).timeoutMs).toBe(5);
  });

  test('a digest of a public field that contains a secret', () => {
    const { says, key } = pendingOf(
      creating('redis', { name: declared('cache'), description: declared('word', true) }),
      'redis.create',
    );
    expect(says).toEqual({
      name: { value: 'cache' },
      description: { ...digestOf('word'), template: { digest: expect.any(String) as string, secrets: {} } },
    });
    expect(key).toBeUndefined();
  });

  test('only the fields that the create sends: none that is unknown, undeclared or set by a later update, and no single variable', () => {
    const action = creating('redis', {
      name: declared('cache'),
      env: declared('A=1\n'),
      description: referring(host),
      databasePassword: lacking('WORD'),
      dockerImage: undefined,
    });
    const variable = attributeChange('name', { attribute: { field: 'name', key: 'A' }, wanted: declared('1') });
    const { says } = pendingOf({ ...action, attributes: [...action.attributes, variable] }, 'redis.create');
    expect(says).toEqual({ name: { value: 'cache' } });
  });

  test('no parent at the top of the manifest, and none while the parent has no id', () => {
    expect(pendingOf(creating('sshKey', {}), 'sshKey.create')).not.toHaveProperty('below');
    const parent = actionOf(web.address, { kind: web.kind, id: undefined });
    expect(pendingOf(creating('mount', file, parent), 'mounts.create', { parent })).not.toHaveProperty('below');
  });

  test('no key that contains a secret, although its other fields are public', () => {
    const secretly = { ...file, filePath: declared('a.conf', true) };
    const pending = pendingOf(creating('mount', secretly, web), 'mounts.create');
    expect(pending).not.toHaveProperty('key');
    expect(pending.says).toMatchObject({ filePath: digestOf('a.conf'), type: { value: 'file' } });
  });

  test('the key where another field contains a secret', () => {
    const pending = pendingOf(creating('mount', { ...file, type: declared('file', true) }, web), 'mounts.create');
    expect(pending.key).toEqual({ filePath: 'a.conf' });
  });

  test('no key where the kind is not allowed below that parent', () => {
    expect(pendingOf(creating('redis', { name: declared('cache') }), 'redis.create')).not.toHaveProperty('key');
  });

  test('no key where one of its fields may be secret', () => {
    const action = creating('mount', file, web);
    const attributes = action.attributes.map((attribute) =>
      attribute.attribute.field === 'filePath' ? { ...attribute, field: fieldOf(action.kind, 'content') } : attribute,
    );
    expect(pendingOf({ ...action, attributes }, 'mounts.create')).not.toHaveProperty('key');
  });
});

describe('the natural key of a new object holds', () => {
  const key = (action: Action, others: readonly Action[] = [web]) => {
    const { run } = runOf([...others, action]);
    return keyOf(run, jobFor(run, action));
  };

  test('the key fields of its kind, with the constants of its parent link', () => {
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

  test('the key fields of its kind, at the top of the manifest', () => {
    expect(key(creating('sshKey', { publicKey: declared('ssh-rsa A') }))).toEqual({ publicKey: 'ssh-rsa A' });
  });

  test('no single variable', () => {
    const action = creating('sshKey', { publicKey: declared('ssh-rsa A') });
    const variable = attributeChange('publicKey', {
      attribute: { field: 'publicKey', key: 'A' },
      wanted: declared('1'),
    });
    expect(key({ ...action, attributes: [...action.attributes, variable] })).toEqual({ publicKey: 'ssh-rsa A' });
  });

  test('nothing where the kind is not allowed below that parent', () => {
    expect(key(creating('redis', { name: declared('cache') }, web))).toBeUndefined();
    expect(key(creating('redis', { name: declared('cache') }))).toBeUndefined();
  });
});

describe('the deployments of a service are recorded', () => {
  const service = actionOf(web.address, { kind: web.kind, id: 'app_1', options: { protect: true } });
  const known = recordOf('application', 'app_1', { options: { protect: true } });

  /** What is appended to the state when the deployments are recorded twice. */
  async function appended(resources: Readonly<Record<string, StateRecord>>) {
    const entries: unknown[] = [];
    const store: StateStore = {
      ...memoryStore(),
      append: (_base, ...entry) => Promise.resolve(void entries.push(writeEntry(entry))),
    };
    const { run } = runOf([service], { resources, more: { store } });
    const job = jobFor(run, service);
    await saveDeploys(run, job, { inputs: 'a' });
    await saveDeploys(run, job, { inputs: 'b' });
    return entries;
  }

  const deployment = partAddress(web.address, 'deployment');

  test('alone, where the state has the record of the service', async () => {
    expect(await appended({ [web.address]: known })).toEqual([
      [deployment, { inputs: 'a' }],
      [deployment, { inputs: 'b' }],
    ]);
  });

  test('with the record of a service that is about to be adopted, once', async () => {
    expect(await appended({})).toEqual([
      [web.address, known],
      [deployment, { inputs: 'a' }],
      [deployment, { inputs: 'b' }],
    ]);
  });
});

describe('before a write to an existing object, the state records', () => {
  const address = 'production.redis.main';
  const update = actionOf(address, { action: 'update', id: 'redis_1', options: { protect: true } });
  const pairs = { name: pairOf('cache') };
  const write = { is: 'write', at: 1_000, timeoutMs: 60_000 };
  const known = recordOf('redis', 'redis_1', { pairs, dependsOn: ['production'] });

  /** What the journal of a run holds. */
  const written = (run: Run) => new Map<string, unknown>(run.journal.wave().map(writeEntry));

  /** The record of an address after its pending write was recorded. */
  async function noted(action: Action, resources: Readonly<Record<string, StateRecord>> = { [address]: known }) {
    const { run } = runOf([action], { resources });
    await announceWrite(run, jobFor(run, action));
    return written(run).get(address) as StateRecord | null | undefined;
  }

  test('the pending write, beside the record as it was', async () => {
    expect(await noted(update)).toStrictEqual({ ...known, pending: write });
  });

  test('the planned record, where there was none', async () => {
    expect(await noted(update, {})).toEqual({
      ...recordOf('redis', 'redis_1', { options: { protect: true } }),
      pending: write,
    });
  });

  test.each([
    ['got no answer and the plan found its object', null],
    ['got no answer and Trueup chose its id', 'redis_1'],
  ])('the fields of the create as settled pairs, when the create %s', async (_title, id) => {
    const pending = pendingCreate({ says: { name: { value: 'cache' } } });
    expect(await noted(update, { [address]: recordOf('redis', id, { pending }) })).toMatchObject({
      id: 'redis_1',
      pairs: { name: { wanted: { value: 'cache' }, answered: { value: 'cache' } } },
      pending: write,
    });
  });

  test('the planned record with the old pairs, where the object had no id', async () => {
    expect(await noted(update, { [address]: recordOf('redis', null, { pairs, dependsOn: ['production'] }) })).toEqual({
      ...recordOf('redis', 'redis_1', { pairs, options: { protect: true } }),
      pending: write,
    });
  });

  test('no fields of an earlier create, where the object is adopted', async () => {
    const record = recordOf('redis', null, { pending: pendingCreate({ says: { name: { value: 'cache' } } }) });
    expect((await noted(actionOf(address, { ...update, action: 'adopt' }), { [address]: record }))?.pairs).toEqual({});
  });

  test('nothing without an id', async () => {
    expect(await noted({ ...update, id: undefined })).toBeUndefined();
  });

  test('its deployments', async () => {
    const service = serviceOf({ known: { inputs: 'a' } });
    const { run } = runOf([{ ...update, service }], { resources: { [address]: known } });
    await announceWrite(run, jobFor(run, update));
    expect(written(run)).toEqual(
      new Map<string, unknown>([
        [address, { ...known, pending: write }],
        [partAddress(address, 'deployment'), { inputs: 'a' }],
      ]),
    );
  });

  test('the services that are stale as soon as the write is sent', async () => {
    const service = serviceOf({ known: { inputs: 'a' }, staleness: { through: [address] } });
    const { run } = runOf([update, { ...web, service }], { resources: { [address]: known } });
    await announceWrite(run, jobFor(run, update));
    const wave = written(run);
    expect(wave.get(partAddress(web.address, 'deployment'))).toEqual({ inputs: 'a', stale: {} });
    expect(wave.get(web.address)).not.toHaveProperty('pending');
  });
});
