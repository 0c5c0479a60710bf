import { describe, expect, test } from 'vitest';
import {
  actionsOf,
  answered,
  answering,
  applyOver,
  byHand,
  everything,
  failed,
  idOf,
  losing,
  operationOf,
  plansNothing,
  refusal,
  results,
  rowsIn,
  said,
} from '../support/faults.ts';
import { composeBody, database, production } from '../support/manifest-texts.ts';
import { bench } from '../support/world.ts';

/** A replacement deletes first. It begins only when the new object can be made, and ends only when it was. */

const address = 'production.postgres.main';
const named = (databaseName: string, more = '') => production(database(more, 'main', databaseName));
const backup = (key: string) => `${key}: { schedule: "0 3 * * *", destinationId: dst_1, prefix: ${key}/ }`;

describe('before the old object is deleted, Trueup checks that it can create the new one:', () => {
  test('every member that create needs is declared', async () => {
    const made = bench();
    await byHand(made);
    const text = (name: string) => production(`    postgres:\n      main: { databaseName: ${name} }\n`);
    await made.apply(text('shop'), { adoption: true });
    const found = await refusal(made, () => made.apply(text('store'), everything));
    expect(found).toMatchObject([{ code: 'cannot-create', address, position: { line: 7 } }]);
    expect(found[0]?.message).toContain('databaseUser, databasePassword');
  });

  test.each([
    ['a password', (name: string) => named(name).replace('password-1', '"${secret:S}"')],
    ['a variable', (name: string) => named(name, 'env: { K: "${secret:S}" }')],
  ])('%s with a secret that this run does not have keeps the old one', async (_title, text) => {
    const made = bench();
    made.secrets.S = 'value-of-secret-1';
    await made.apply(text('shop'));
    delete made.secrets.S;
    const found = await refusal(made, () => made.apply(text('store'), everything));
    expect(found).toMatchObject([{ code: 'secret-missing', address }]);
    made.secrets.S = 'value-of-secret-1';
    await made.apply(text('store'), everything);
    await plansNothing(made, text('store'));
  });

  test('a value that comes to be known only in this run fits the operation', async () => {
    const made = bench();
    await made.apply(named('shop'));
    const id = idOf(made, address);
    const text = `${named('store').replace('password-1', '"${ref:postgres.fresh.host}"')}${database('', 'fresh').replace(/.*\n/, '')}`;
    made.requests('POST');
    const result = await applyOver(made, text, async (request) => {
      const answer = await made.emulator.send(request);
      if (operationOf(request) !== 'postgres.create') return answer;
      return { ...answer, body: answer.body.replace(/"appName":"[^"]*"/, `"appName":"no 'password'"`) };
    });
    expect(results(result)).toMatchObject({ [address]: 'failed', 'production.postgres.fresh': 'done' });
    expect(said(result)).toContain('postgres.create was not sent: databasePassword');
    expect(made.requests('POST')).toEqual(['postgres.create', 'postgres.deploy']);
    expect(idOf(made, address)).toBe(id);
    await made.apply(text, everything);
    await plansNothing(made, text);
  });

  test('it is not protected, not even by the state alone', async () => {
    const made = bench();
    await made.apply(named('shop', 'protect: true'));
    for (const more of ['protect: true', 'protect: false', '']) {
      const found = await refusal(made, () => made.apply(named('store', more), everything));
      expect(found).toMatchObject([{ code: 'protected', address }]);
    }
    await made.apply(named('shop', 'protect: false'));
    await made.apply(named('store', 'protect: false'));
    await plansNothing(made, named('store', 'protect: false'));
  });
});

describe('a teardown that does not take the old object away', () => {
  test('although it was answered with 200 makes no second one', async () => {
    const made = bench();
    await made.apply(named('a'));
    const id = idOf(made, address);
    const result = await applyOver(
      made,
      named('b'),
      answering(made, (operation) => (operation === 'postgres.remove' ? answered('{}') : undefined)),
    );
    expect(results(result)[address]).toBe('failed');
    expect(said(result)).toContain('is still there; no new one was created');
    expect(idOf(made, address)).toBe(id);
    expect(rowsIn(made, 'postgres')).toHaveLength(1);
    expect(actionsOf(await made.plan(named('b')))).toEqual([`replace ${address}`, `deploy ${address} (deploy)`]);
    await made.apply(named('b'), everything);
    await plansNothing(made, named('b'));
  });

  test('keeps its record: a reverted edit plans nothing', async () => {
    const made = bench();
    await made.apply(named('a', 'env: { A: "1" }'));
    const before = made.store.state?.resources[address];
    await applyOver(
      made,
      named('b', 'env: { A: "1" }'),
      answering(made, (operation) => (operation === 'postgres.remove' ? failed('busy') : undefined)),
    );
    expect(made.store.state?.resources[address]).toEqual(before);
    await plansNothing(made, named('a', 'env: { A: "1" }'));
  });
});

describe('after the old object is gone', () => {
  const withBackup = (name: string) => named(name, `protect: false, backups: { ${backup('n')} }`);

  test('an interrupted run reports that, and the next one creates the new object', async () => {
    const made = bench();
    await made.apply(named('a'));
    const stop = new AbortController();
    const result = await applyOver(
      made,
      named('b'),
      async (request) => {
        if (operationOf(request) === 'postgres.remove') stop.abort();
        return made.emulator.send(request);
      },
      { signal: stop.signal },
    );
    expect(results(result)[address]).toBe('failed');
    expect(result.outcomes.find(({ action }) => action.address === address)?.mayHaveWritten).toBe(true);
    expect(said(result)).toContain(`the old ${address} is deleted and the new one was not made`);
    expect(made.store.state?.resources[address]).toBeUndefined();
    await made.apply(named('b'));
    await plansNothing(made, named('b'));
  });

  test('the next run repeats a failed create, with its children', async () => {
    const made = bench();
    await made.apply(withBackup('a'));
    const result = await applyOver(
      made,
      withBackup('b'),
      answering(made, (operation) => (operation === 'postgres.create' ? failed('disk full') : undefined)),
    );
    expect(results(result)).toMatchObject({ [address]: 'failed', [`${address}.backups.n`]: 'failed' });
    expect(made.store.state?.resources[address]).toBeUndefined();
    await made.apply(withBackup('b'));
    expect([rowsIn(made, 'postgres').length, rowsIn(made, 'backup').length]).toEqual([1, 1]);
    await plansNothing(made, withBackup('b'));
  });

  test('the next run repeats a failed create, with what went along', async () => {
    const text = (name: string) =>
      named(
        name,
        'protect: false, mounts: { /x: { type: bind, hostPath: /srv/x }, /y: { type: bind, hostPath: /srv/y }, /z: { type: bind, hostPath: /srv/z } }',
      );
    const made = bench();
    await made.apply(text('a'));
    await applyOver(
      made,
      text('b'),
      answering(made, (operation) => (operation === 'postgres.create' ? failed('disk full') : undefined)),
    );
    await made.apply(text('b'));
    expect([rowsIn(made, 'postgres').length, rowsIn(made, 'mount').length]).toEqual([1, 4]);
    await plansNothing(made, text('b'));
  });

  test.each(['postgres.create', 'backup.create', 'mounts.create'])(
    'a lost answer to %s makes no second object',
    async (operation) => {
      const text = (name: string) =>
        named(name, `backups: { ${backup('n')} }, mounts: { /x: { type: bind, hostPath: /srv/x } }`);
      const made = bench();
      await made.apply(text('a'));
      await applyOver(made, text('b'), losing(made, operation));
      await made.apply(text('b'));
      // The data mount of the database is the second one.
      expect([rowsIn(made, 'postgres').length, rowsIn(made, 'backup').length, rowsIn(made, 'mount').length]).toEqual([
        1, 1, 2,
      ]);
      await plansNothing(made, text('b'));
    },
  );
});

describe('the sequence', () => {
  test('of a replacement: children and old object are deleted, new ones are created, users are updated, and all are deployed', async () => {
    const text = (name: string) =>
      production(
        `${database(`backups: { ${backup('n')} }, mounts: { /x: { type: bind, hostPath: /srv/x } }`, 'main', name)}    compose:\n      shop: { ${composeBody}, env: { DB: "\${ref:postgres.main.host}" } }\n`,
      );
    const made = bench();
    await made.apply(text('a'));
    made.requests('POST');
    await made.apply(text('b'), everything);
    const requests = made.requests('POST');
    expect(requests.slice(0, 3)).toEqual(['backup.remove', 'postgres.remove', 'postgres.create']);
    expect(requests.slice(3, 6).toSorted()).toEqual(['backup.create', 'compose.update', 'mounts.create']);
    expect(requests.slice(6)).toEqual(['postgres.deploy', 'compose.deploy']);
    await plansNothing(made, text('b'));
  });

  test('of an object with references by id: the new one is created, users are updated and deployed, the old one is deleted', async () => {
    const text = (key: string) =>
      production(
        `${database(`backups: { ${backup(key)} }`)}    compose:\n      shop: { ${composeBody}, env: { B: "\${ref:postgres.main.backups.${key}.id}" } }\n`,
      );
    const made = bench();
    await made.apply(text('nightly'));
    made.requests('POST');
    await made.apply(text('weekly'), everything);
    expect(made.requests('POST')).toEqual(['backup.create', 'compose.update', 'compose.deploy', 'backup.remove']);
    await plansNothing(made, text('weekly'));
  });

  test('is given up where it would close a cycle', async () => {
    const made = bench();
    const app = (source: string) => `      app: { ${composeBody}, env: { DB: "\${ref:${source}}" } }\n`;
    const pool = `      pool: { ${composeBody}, env: { DB: "\${ref:postgres.main.host}" } }\n`;
    await made.apply(production(`${database()}    compose:\n${pool}${app('compose.pool.appName')}`));
    // pool goes before main is replaced, app has to forget pool before that, and wants the new main for it.
    const after = production(`${database('', 'main', 'store')}    compose:\n${app('postgres.main.host')}`);
    const result = await made.apply(after, everything);
    expect(new Set(Object.values(results(result)))).toEqual(new Set(['done']));
    await plansNothing(made, after);
  });
});

test('a mount of another type is another mount, and the volume that it leaves counts as data', async () => {
  const made = bench();
  const text = (body: string) => named('shop', `mounts: { /x: ${body} }`);
  await made.apply(text('{ type: volume, volumeName: v }'));
  const bind = text('{ type: bind, hostPath: /srv }');
  expect((await refusal(made, () => made.apply(bind))).map((item) => item.code)).toEqual(['data-at-risk']);
  for (const next of [bind, text('{ type: file, filePath: a.conf, content: x }')]) {
    await made.apply(next, everything);
    expect(rowsIn(made, 'mount')).toHaveLength(2);
    await plansNothing(made, next);
  }
});

test('a replacement waits for the values of another replacement, so that it is rehearsed with them', async () => {
  const made = bench();
  const text = (name: string) =>
    `${production(database('', 'other', name))}${database('', 'main', name)
      .replace(/.*\n/, '')
      .replace('password-1', '"${ref:postgres.other.host}"')}`;
  await made.apply(text('shop'));
  const before = idOf(made, address);
  const result = await applyOver(made, text('store'), async (request) => {
    const answer = await made.emulator.send(request);
    // The new name of the other one is no password that the platform takes.
    return operationOf(request) === 'postgres.create'
      ? { ...answer, body: answer.body.replace(/"appName":"[^"]+"/, '"appName":"no password"') }
      : answer;
  });
  expect(results(result)[address]).toBe('failed');
  expect(said(result)).toContain('databasePassword');
  expect(rowsIn(made, 'postgres').map((row) => row.postgresId)).toContain(before);
  await made.apply(text('store'), everything);
  await plansNothing(made, text('store'));
});

test('a mount with a new type is replaced, and nothing is reported as staying', async () => {
  const made = bench();
  const mount = (body: string) => production(database(`mounts: { /extra: { ${body} } }`));
  await made.apply(mount('type: bind, hostPath: /srv/extra'));
  const after = mount('type: file, filePath: extra.conf, content: "a"');
  const planned = await made.plan(after);
  const action = planned.actions.find((item) => item.address.endsWith('mounts["/extra"]'));
  expect(action).toMatchObject({ action: 'replace', notes: [] });
  await made.apply(after, everything);
  await plansNothing(made, after);
});
