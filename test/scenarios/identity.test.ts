import { describe, expect, test } from 'vitest';
import type { Row } from '../../src/formats/json.ts';
import {
  actionsOf,
  answering,
  applyOver,
  byHand,
  connection,
  everything,
  failed,
  idOf,
  notesOf,
  operationOf,
  plansNothing,
  refusal,
  results,
  rowsIn,
  said,
} from '../support/faults.ts';
import { database, production, stack } from '../support/manifest-texts.ts';
import type { PendingCreate } from '../../src/state/record.ts';
import { killedRun } from '../support/histories.ts';
import { selfMovingClock } from '../support/virtual-clock.ts';
import type { Bench } from '../support/world.ts';
import { bench, head } from '../support/world.ts';

/** Which object of the platform an address is: by id, by a pending create, by its natural key; never a guess. */

const address = 'production.postgres.main';
const one = production(database());
const backup = (key: string, prefix: string) =>
  `backups: { ${key}: { schedule: "0 3 * * *", destinationId: dst_1, prefix: ${prefix} } }`;

describe('an object that a person created', () => {
  test('is taken over with consent only', async () => {
    const made = bench();
    const id = await byHand(made);
    const found = await refusal(made, () => made.apply(one));
    expect(found.map((item) => [item.code, item.address])).toEqual([['consent', address]]);
    await made.apply(one, { adoption: true });
    expect(idOf(made, address)).toBe(id);
    await plansNothing(made, one);
  });

  test.each<[string, () => never | ReturnType<typeof failed>]>([
    [
      'refused with its issues',
      () => failed('Input validation failed', 400, { code: 'BAD_REQUEST', issues: [{ path: ['x'], message: 'bad' }] }),
    ],
    [
      'refused at the door',
      () => {
        throw connection('ECONNREFUSED');
      },
    ],
  ])('a create that was %s leaves no claim on it', async (_title, refuse) => {
    const made = bench();
    await applyOver(
      made,
      one,
      answering(made, (operation) => (operation === 'postgres.create' ? refuse() : undefined)),
    );
    expect(made.store.state?.resources[address]).toBeUndefined();
    const id = await byHand(made);
    const found = await refusal(made, () => made.apply(one));
    expect(found.map((item) => item.code)).toEqual(['consent']);
    // It is not ours to delete either.
    await made.apply(production('    postgres: {}\n'), { dataLoss: true });
    expect(Object.keys(made.emulator.world.tables.postgres)).toEqual([id]);
  });

  test('that replaces ours, which is gone, needs consent again', async () => {
    const made = bench();
    await made.apply(one);
    await made.emulator.act('postgres.remove', { postgresId: idOf(made, address) });
    const id = await byHand(made, { dockerImage: 'postgres:17.1' });
    expect(actionsOf(await made.plan(one))).toEqual([`adopt ${address}`, `deploy ${address} (deploy)`]);
    expect((await refusal(made, () => made.apply(one))).map((item) => item.code)).toEqual(['consent']);
    const result = await made.apply(one, { adoption: true });
    // What was settled with the old one says nothing of this one.
    expect(result.outcomes[1]?.action.changes.map((change) => change.cause)).toEqual(['first managed']);
    expect(idOf(made, address)).toBe(id);
    await plansNothing(made, one);
  });

  test('that two blocks match belongs to neither: nothing is read', async () => {
    const made = bench();
    await byHand(made, { name: 'x' });
    made.requests('GET');
    const text = production(`${database('name: x', 'a')}${database('name: x', 'b').replace(/.*\n/, '')}`);
    const [found] = await refusal(made, () => made.plan(text));
    expect(found?.code).toBe('defined-twice');
    for (const part of ['production.postgres.a', 'production.postgres.b']) expect(found?.message).toContain(part);
    expect(made.requests('GET')).toEqual([]);
  });

  test('that is ours is not matched by another block that takes its name in the same run', async () => {
    const made = bench();
    await made.apply(production(database('name: x', 'a')));
    const text = production(`${database('name: y', 'a')}${database('name: x', 'b').replace(/.*\n/, '')}`);
    expect(actionsOf(await made.plan(text))).toEqual([
      'update production.postgres.a',
      'create production.postgres.b',
      'deploy production.postgres.b (deploy)',
    ]);
    await made.apply(text);
    expect(rowsIn(made, 'postgres')).toHaveLength(2);
    await plansNothing(made, text);
  });

  test('and has a duplicate is not chosen by chance', async () => {
    const made = bench();
    const ids = [await byHand(made), await byHand(made)];
    const [found] = await refusal(made, () => made.plan(one));
    expect(found?.code).toBe('ambiguous');
    for (const id of ids) expect(found?.message).toContain(id);
    const pinned = production(database(`id: ${ids[1] ?? ''}`));
    await made.apply(pinned);
    expect(idOf(made, address)).toBe(ids[1]);
    await plansNothing(made, pinned);
  });
});

describe('a create of unknown outcome', () => {
  /** The state as a run leaves it that ends between the create and its answer. */
  const forgetAnswer = (made: Bench, key: { readonly name: string }, says: PendingCreate['says'] = {}) => {
    const { state } = made.store;
    const record = state?.resources[address];
    if (state === undefined || record === undefined) throw new Error('nothing was applied');
    const pending: PendingCreate = { is: 'create', at: made.clock.wall(), timeoutMs: 60_000, key, says, sends: 1 };
    const intended = { ...record, id: null, pairs: {}, pending };
    made.store.state = { ...state, resources: { ...state.resources, [address]: intended } };
  };

  test('is found under its original name, after the manifest changed the name', async () => {
    const made = bench();
    await made.apply(production(database('name: one')));
    const id = idOf(made, address);
    forgetAnswer(made, { name: 'one' }, { name: { value: 'one' } });
    const after = production(database('name: two'));
    await made.apply(after);
    expect(rowsIn(made, 'postgres').map((row) => row.name)).toEqual(['two']);
    expect(idOf(made, address)).toBe(id);
    await plansNothing(made, after);
  });

  test('is no claim on a foreign object with the new name', async () => {
    const made = bench();
    await made.apply(production(database('name: one')));
    const hand = await byHand(made, { name: 'two' });
    forgetAnswer(made, { name: 'gone' }, { name: { value: 'gone' } });
    const planned = await made.plan(production(database('name: two')));
    expect(planned.actions.find((action) => action.address === address)).toMatchObject({
      action: 'adopt',
      id: hand,
      needsConsent: true,
    });
  });

  test('of a removed block: the object is deleted when it matches the request, and left when it does not', async () => {
    const made = bench();
    const without = production('    postgres: {}\n');
    expect(await killedRun(made, one, { at: 1, where: 'after the POST' })).toBe(true);
    const [{ postgresId: id } = {}] = rowsIn(made, 'postgres');
    expect(made.store.state?.resources[address]).toMatchObject({
      id: null,
      pending: { is: 'create', key: { name: 'main' } },
    });
    const planned = await made.plan(without);
    expect(actionsOf(planned)).toContain(`delete ${address}`);
    expect(planned.actions.find((action) => action.address === address)).toMatchObject({
      id,
      dataAtRisk: expect.any(String) as string,
    });
    await made.emulator.act('postgres.update', { postgresId: id, databaseName: 'another' });
    expect(actionsOf(await made.plan(without))).toContain(`forget ${address}`);
    await made.emulator.act('postgres.update', { postgresId: id, databaseName: 'shop' });
    await made.apply(without, everything);
    expect(rowsIn(made, 'postgres')).toEqual([]);
    await plansNothing(made, without);
  });

  test('of a removed block with unknown content is removed from the state, and the plan names where to check', async () => {
    const made = bench();
    await made.apply(one);
    forgetAnswer(made, { name: 'main' });
    const without = production('    postgres: {}\n');
    const planned = await made.plan(without);
    expect(actionsOf(planned)).toEqual([`forget ${address}`]);
    expect(notesOf(planned).map((item) => [item.code, item.address])).toEqual([['unverified', address]]);
    await made.apply(without);
    await plansNothing(made, without);
  });

  const web = 'production.application.web';
  const both = production(`    application:\n      web: { source: { type: docker, image: nginx } }\n${database()}`);

  /** An application under the name of ours, as a person makes one. */
  const webByHand = async (made: Bench): Promise<string> => {
    const row = await made.emulator.act('application.create', { name: 'web', environmentId: 'env_prj_1' });
    const applicationId = String((row as Row).applicationId);
    await made.emulator.act('application.saveEnvironment', {
      applicationId,
      env: 'PRECIOUS=1',
      buildArgs: '',
      buildSecrets: '',
      createEnvFile: false,
    });
    return applicationId;
  };

  const expectLeft = async (made: Bench, id: string) => {
    const gone = await made.plan(one);
    expect(actionsOf(gone).filter((action) => !action.startsWith('forget'))).toEqual([]);
    const [consent] = await refusal(made, () => made.apply(both));
    expect([consent?.code, consent?.address]).toEqual(['consent', web]);
    await made.apply(one);
    expect(Object.keys(made.emulator.world.tables.application)).toEqual([id]);
    expect(rowsIn(made, 'application')[0]?.env).toBe('PRECIOUS=1');
    await plansNothing(made, one);
  };

  test('and without an effect until the in-flight timeout is no claim on an object that a person creates then', async () => {
    const made = bench();
    await made.apply(one);
    const send = answering(made, (operation) => (operation === 'application.create' ? failed('busy') : undefined));
    expect(results(await applyOver(made, both, send))[web]).toBe('failed');
    expect(made.store.state?.resources[web]).toBeUndefined();
    await expectLeft(made, await webByHand(made));
  });

  test('is no claim on an object that a person creates days later', async () => {
    let days = 0;
    const quick = selfMovingClock();
    const made = bench({ clock: { ...quick, wall: () => quick.wall() + days * 86_400_000 } });
    await made.apply(one);
    expect(await killedRun(made, both, { at: 1, where: 'before the POST' })).toBe(true);
    expect(made.store.state?.resources[web]).toMatchObject({ id: null });
    days = 2;
    await expectLeft(made, await webByHand(made));
  });

  test('is no claim on an object with variables that a person creates meanwhile', async () => {
    const made = bench();
    await made.apply(one);
    expect(await killedRun(made, both, { at: 1, where: 'before the POST' })).toBe(true);
    await expectLeft(made, await webByHand(made));
  });

  test('is no claim on a different object that a person creates meanwhile', async () => {
    const made = bench();
    expect(await killedRun(made, one, { at: 1, where: 'before the POST' })).toBe(true);
    const id = await byHand(made, { databaseName: 'theirs' });
    expect((await refusal(made, () => made.apply(one))).map(({ code }) => code)).toContain('consent');
    const without = production('    postgres: {}\n');
    const planned = await made.plan(without);
    expect(actionsOf(planned)).toContain(`forget ${address}`);
    expect(notesOf(planned).map(({ code, message }) => [code, message.includes(id)])).toEqual([['unverified', true]]);
    await made.apply(without, everything);
    expect(Object.keys(made.emulator.world.tables.postgres)).toEqual([id]);
    await plansNothing(made, without);
  });

  test('of a removed block: the object is left when a person uses it', async () => {
    const made = bench();
    await made.apply(one);
    expect(await killedRun(made, both, { at: 1, where: 'after the POST' })).toBe(true);
    expect(actionsOf(await made.plan(one))).toEqual([`delete ${web}`]);
    const [{ applicationId } = {}] = rowsIn(made, 'application');
    const mount = { type: 'volume', volumeName: 'uploads', mountPath: '/data', serviceType: 'application' };
    await made.emulator.act('mounts.create', { ...mount, serviceId: applicationId });
    await made.apply(one, everything);
    expect(rowsIn(made, 'application')).toHaveLength(1);
    await plansNothing(made, one);
  });

  test('is found by a key that holds a reference', async () => {
    const made = bench();
    const text = production(database(backup('nightly', '"${ref:postgres.main.appName}/"')));
    const result = await applyOver(made, text, async (request) => {
      const isSent = rowsIn(made, 'backup').length > 0;
      if (isSent && operationOf(request) === 'postgres.one') return { status: 200, headers: {}, body: '<html>' };
      return made.emulator.send(request);
    });
    expect(results(result)[`${address}.backups.nightly`]).toBe('unverified');
    await made.apply(text);
    expect(rowsIn(made, 'backup')).toHaveLength(1);
    await plansNothing(made, text);
  });
});

describe('a natural key', () => {
  test('with a reference is compared once the reference is known: a lost state makes no second object', async () => {
    const made = bench();
    const text = production(database(backup('nightly', '"${ref:postgres.main.appName}/"')));
    await made.apply(text);
    made.store.state = undefined;
    expect(actionsOf(await made.plan(text))).toContain(`adopt ${address}.backups.nightly`);
    await made.apply(text, everything);
    expect(rowsIn(made, 'backup')).toHaveLength(1);
    await plansNothing(made, text);
  });

  test('treats a missing field as its default: a domain without a path is that of /', async () => {
    const made = bench();
    await made.apply(production(stack()));
    const composeId = idOf(made, 'production.compose.shop');
    const hand = { host: 'a.example.com', path: null, serviceName: 'web', composeId, domainType: 'compose' };
    const row = (await made.emulator.act('domain.create', hand)) as Row;
    const text = production(stack('domains: { a.example.com: { serviceName: web } }'));
    await made.apply(text, { adoption: true });
    expect(rowsIn(made, 'domain').map(({ domainId }) => domainId)).toEqual([row.domainId]);
    await plansNothing(made, text);
  });
});

test('a new object is saved with its id before the next request, so a duplicate of a person is not confused with it', async () => {
  const made = bench();
  const text = production(database(backup('nightly', 'a/')));
  const stop = new AbortController();
  let saved: unknown;
  await applyOver(
    made,
    text,
    answering(made, (operation) => {
      if (operation !== 'backup.create') return undefined;
      saved = structuredClone(made.store.state?.resources[address]?.id);
      stop.abort();
      return failed('disk full');
    }),
    { signal: stop.signal },
  );
  expect(Object.keys(made.emulator.world.tables.postgres)).toEqual([saved]);
  await byHand(made);
  await made.apply(text);
  expect(idOf(made, address)).toBe(saved);
  await plansNothing(made, text);
});

test('an object that disappears between the plan and its apply is reported as gone, and nothing is sent', async () => {
  const made = bench();
  await made.apply(production(stack('description: a')));
  const composeId = idOf(made, 'production.compose.shop');
  made.requests('POST');
  const result = await applyOver(made, production(stack('description: b')), async (request) => {
    const answer = await made.emulator.send(request);
    // Its row was read for the plan: now somebody deletes it.
    if (operationOf(request) === 'compose.one' && rowsIn(made, 'compose').length > 0)
      await made.emulator.act('compose.delete', { composeId, deleteVolumes: false });
    return answer;
  });
  expect(said(result)).toContain('is not on the platform any more');
  expect(made.requests('POST')).toEqual([]);
  await made.apply(production(stack('description: b')));
  await plansNothing(made, production(stack('description: b')));
});

test('objects of another project are not touched with the state of this one', async () => {
  const made = bench();
  await made.apply(one);
  const found = await refusal(made, () => made.plan(one.replace(head, head.replace('prj_1', 'prj_2'))));
  expect(found.map((item) => item.code)).toEqual(['state-unusable']);
});
