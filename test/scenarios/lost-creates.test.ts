import { describe, expect, test } from 'vitest';
import type { Send, WireAnswer } from '../../src/api/wire.ts';
import type { Row } from '../../src/formats/json.ts';
import type { Bench } from '../support/world.ts';
import { bench } from '../support/world.ts';
import {
  answering,
  applyOver,
  byHand,
  connection,
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
import { composeBody, database, production } from '../support/manifest-texts.ts';

/** What a run does about a create whose answer it does not get, and about other writes. */

const main = 'production.postgres.main';
const text = production(database());

/** A platform over which the first request of an operation goes wrong. */
function once(
  made: Bench,
  operation: string,
  wrong: (send: Send, ...args: Parameters<Send>) => Promise<WireAnswer>,
): Send {
  let isOver = false;
  return async (request) => {
    if (operationOf(request) !== operation || isOver) return made.emulator.send(request);
    isOver = true;
    return wrong(made.emulator.send, request);
  };
}

/** How often the platform carried an operation out. */
const carriedOut = (made: Bench, operation: string) =>
  made.emulator.log.filter((item) => item.operation === operation && item.status === 200).length;

describe('a create', () => {
  test.each([
    ['is cut off after it', 'done', () => Promise.reject(connection('ECONNRESET'))],
    ['is an error of the server', 'unverified', () => Promise.resolve(failed('Internal server error'))],
    ['is a refusal', 'unverified', () => Promise.resolve(failed('It has that name', 400, { code: 'BAD_REQUEST' }))],
    ['is a page of a proxy', 'done', () => Promise.resolve({ status: 200, headers: {}, body: '<html>' })],
  ])('that is executed, with an answer that %s, is found and not sent again', async (_, is, answer) => {
    const made = bench();
    const send = once(made, 'postgres.create', async (real, request) => {
      await real(request);
      return answer();
    });
    const result = await applyOver(made, text, send);
    expect(results(result)[main]).toBe(is);
    // What the platform stored with an error is written again.
    if (is === 'unverified') expect(results(await made.apply(text))[main]).toBe('done');
    expect(carriedOut(made, 'postgres.create')).toBe(1);
    expect(rowsIn(made, 'postgres')).toHaveLength(1);
    await plansNothing(made, text);
  });

  test('that gets lost is sent once more after its in-flight timeout, and the result reports that', async () => {
    const made = bench();
    const send = once(made, 'postgres.create', () => Promise.reject(connection('ECONNRESET')));
    const before = made.clock.monotonic();
    const result = await applyOver(made, text, send);
    expect(results(result)[main]).toBe('done');
    expect(said(result)).toContain('had no visible effect within 60 s; sent it again');
    expect(made.clock.monotonic() - before).toBeGreaterThanOrEqual(60_000);
    expect(rowsIn(made, 'postgres')).toHaveLength(1);
    await plansNothing(made, text);
  });

  test('that gets lost again and again is sent four times, with one note', async () => {
    const made = bench();
    let sends = 0;
    const result = await applyOver(made, text, async (request) => {
      if (operationOf(request) !== 'postgres.create') return made.emulator.send(request);
      sends++;
      throw connection('ECONNRESET');
    });
    expect(results(result)[main]).toBe('failed');
    expect(sends).toBe(4);
    expect(said(result).split('sent it again').length - 1).toBe(1);
    await made.apply(text);
    expect(rowsIn(made, 'postgres')).toHaveLength(1);
    await plansNothing(made, text);
  });

  test('that gets lost is not mistaken for an older object with the same key', async () => {
    const made = bench();
    const backups = (prefixes: Readonly<Record<string, string>>) =>
      production(
        database(
          `backups: { ${Object.entries(prefixes)
            .map(([key, prefix]) => `${key}: { schedule: "0 3 * * *", destinationId: dst_1, prefix: ${prefix}/ }`)
            .join(', ')} }`,
        ),
      );
    await made.apply(backups({ one: 'nightly' }));
    // The new one takes over the key of the older one, which gets another in the same run.
    const both = backups({ two: 'nightly', one: 'weekly' });
    const result = await applyOver(
      made,
      both,
      once(made, 'backup.create', () => Promise.reject(connection('ECONNRESET'))),
    );
    expect(results(result)[`${main}.backups.two`]).toBe('done');
    expect(rowsIn(made, 'backup')).toHaveLength(2);
    expect(idOf(made, `${main}.backups.one`)).not.toBe(idOf(made, `${main}.backups.two`));
    await plansNothing(made, both);
  });

  test.each(['lost', 'answered without an id'])(
    'that is %s, after which every read fails, stays pending: the next run finds its object',
    async (how) => {
      const made = bench();
      let isOver = false;
      const send: Send = async (request) => {
        if (isOver) throw connection('ECONNRESET');
        if (operationOf(request) !== 'postgres.create') return made.emulator.send(request);
        isOver = true;
        const answer = await made.emulator.send(request);
        if (how === 'lost') throw connection('ECONNRESET');
        return { ...answer, body: 'true' };
      };
      expect(results(await applyOver(made, text, send))[main]).toBe('failed');
      expect(made.store.state?.resources[main]).toMatchObject({ id: null, pending: { is: 'create' } });
      const { outcomes } = await made.apply(text);
      expect(results({ outcomes })[main]).toBe('done');
      expect(carriedOut(made, 'postgres.create')).toBe(1);
      expect(rowsIn(made, 'postgres')).toHaveLength(1);
      await plansNothing(made, text);
    },
  );

  test('that takes effect late, within the in-flight timeout, is found and not sent again', async () => {
    const made = bench();
    let landing: (() => Promise<unknown>) | undefined;
    let looks = 0;
    const send: Send = async (request) => {
      if (operationOf(request) === 'postgres.create') {
        landing = () => made.emulator.send(request);
        throw connection('ETIMEDOUT');
      }
      if (landing !== undefined && operationOf(request) === 'environment.one' && ++looks === 4) await landing();
      return made.emulator.send(request);
    };
    const result = await applyOver(made, text, send);
    expect(results(result)[main]).toBe('done');
    expect(carriedOut(made, 'postgres.create')).toBe(1);
    await plansNothing(made, text);
  });

  test('that lands after it was sent once more makes a duplicate, which every plan reports and nothing deletes', async () => {
    const made = bench();
    let landing: (() => Promise<unknown>) | undefined;
    const send = once(made, 'postgres.create', async (real, request) => {
      landing = () => real(request);
      throw connection('ETIMEDOUT');
    });
    expect(results(await applyOver(made, text, send))[main]).toBe('done');
    await plansNothing(made, text);
    await landing?.();
    const [own, duplicate] = rowsIn(made, 'postgres').map((row) => String(row.postgresId));
    const told = notesOf(await made.plan(text)).filter(({ code }) => code === 'duplicate');
    expect(told).toMatchObject([{ severity: 'warning', address: main }]);
    expect(told[0]?.message).toContain(`${main} (${own}) may have a duplicate: ${duplicate}`);
    await plansNothing(made, text);
    await made.emulator.act('postgres.remove', { postgresId: duplicate });
    expect(notesOf(await made.plan(text))).toEqual([]);
  });

  test('has a duplicate, which plans report under the key it was sent with, and after its block goes, until it is gone', async () => {
    const made = bench();
    let landing: (() => Promise<unknown>) | undefined;
    const send = once(made, 'postgres.create', async (real, request) => {
      landing = () => real(request);
      throw connection('ETIMEDOUT');
    });
    await applyOver(made, text, send);
    await landing?.();
    const own = idOf(made, main);
    const duplicate = rowsIn(made, 'postgres').find(({ postgresId }) => postgresId !== own)?.postgresId;
    const duplicatesIn = async (manifest: string) =>
      notesOf(await made.plan(manifest)).flatMap(({ code, message }) => (code === 'duplicate' ? [message] : []));
    const told = [expect.stringContaining(`${main} (${own}) may have a duplicate: ${String(duplicate)}`)];
    const renamed = production(database('name: another'));
    expect(await duplicatesIn(renamed)).toEqual(told);
    await made.apply(renamed);
    expect(await duplicatesIn(renamed)).toEqual(told);
    await plansNothing(made, renamed);
    const none = production('    postgres: {}\n');
    expect(await duplicatesIn(none)).toEqual(told);
    await made.emulator.act('postgres.remove', { postgresId: duplicate });
    expect(await duplicatesIn(renamed)).toEqual([]);
    expect(await duplicatesIn(none)).toEqual([]);
    await made.apply(none, { dataLoss: true });
    await plansNothing(made, none);
  });

  test('that is refused, and not executed, is not sent again', async () => {
    const made = bench();
    const send = answering(made, (operation) =>
      operation === 'postgres.create' ? failed('It may not', 400, { code: 'BAD_REQUEST' }) : undefined,
    );
    const before = made.clock.monotonic();
    const result = await applyOver(made, text, send);
    expect(results(result)[main]).toBe('failed');
    expect(made.clock.monotonic() - before).toBeLessThan(30_000);
    await made.apply(text);
    expect(rowsIn(made, 'postgres')).toHaveLength(1);
    await plansNothing(made, text);
  });

  test('that gets lost while a person creates the same object takes neither, and lists both', async () => {
    const made = bench();
    const send = once(made, 'postgres.create', async (real, request) => {
      await real(request);
      await byHand(made);
      throw connection('ECONNRESET');
    });
    const result = await applyOver(made, text, send);
    expect(results(result)[main]).toBe('failed');
    for (const { postgresId } of rowsIn(made, 'postgres')) expect(said(result)).toContain(String(postgresId));
    expect(rowsIn(made, 'postgres')).toHaveLength(2);
  });

  test('that gets lost does not take a different object that a person creates with its name, and names that object', async () => {
    const made = bench();
    let id = '';
    const send = once(made, 'postgres.create', async () => {
      id = await byHand(made, { databaseName: 'theirs', databasePassword: 'their-password' });
      throw connection('ETIMEDOUT');
    });
    const result = await applyOver(made, text, send);
    expect(results(result)[main]).toBe('failed');
    expect(said(result)).toContain(
      `${id} has its key and is something else (databaseName, databasePassword): it is not taken`,
    );
    expect(said(result)).not.toContain('their-password');
    expect(rowsIn(made, 'postgres')).toMatchObject([{ databaseName: 'theirs' }]);
    const found = await refusal(made, () => made.apply(text));
    expect(found.map(({ code }) => code)).toContain('consent');
    const none = production('    postgres: {}\n');
    await made.apply(none, { dataLoss: true });
    expect(rowsIn(made, 'postgres')).toHaveLength(1);
    await plansNothing(made, none);
  });

  test('that never arrives does not take an object of its key to which a person gave variables', async () => {
    const made = bench();
    const cache = production('    redis:\n      cache: { databasePassword: password-1, env: { A: "1" } }\n');
    let id = '';
    const send = once(made, 'redis.create', async () => {
      const said = { name: 'cache', databasePassword: 'password-1', environmentId: 'env_prj_1' };
      id = String(((await made.emulator.act('redis.create', said)) as Row).redisId);
      await made.emulator.act('redis.update', { redisId: id, env: 'BY_HAND=1\n' });
      throw connection('ECONNRESET');
    });
    const result = await applyOver(made, cache, send, { permissions: { dataLoss: false, adoption: false } });
    expect(results(result)['production.redis.cache']).toBe('failed');
    expect(said(result)).toContain(`${id} has its key and is something else (env): it is not taken`);
    expect(rowsIn(made, 'redis')).toMatchObject([{ redisId: id, env: 'BY_HAND=1\n' }]);
    // The next run gives the same answer: it takes the object over only with consent.
    const found = await refusal(made, () => made.apply(cache));
    expect(found.map(({ code }) => code)).toContain('consent');
    expect(rowsIn(made, 'redis')).toMatchObject([{ redisId: id, env: 'BY_HAND=1\n' }]);
  });

  test('that gets lost while a person creates a different object with its name is still found when it takes effect', async () => {
    const made = bench();
    const send = once(made, 'postgres.create', async (real, request) => {
      await byHand(made, { databaseName: 'theirs' });
      void made.clock.sleep(20_000).then(async () => real(request));
      throw connection('ETIMEDOUT');
    });
    expect(results(await applyOver(made, text, send))[main]).toBe('done');
    expect(rowsIn(made, 'postgres').find(({ postgresId }) => postgresId === idOf(made, main))).toMatchObject({
      databaseName: 'shop',
    });
    expect(rowsIn(made, 'postgres')).toHaveLength(2);
    await plansNothing(made, text);
  });

  test('that gets lost beside an older object of its name takes the new one', async () => {
    const made = bench();
    const named = (names: Readonly<Record<string, string>>) => {
      const rest = 'dockerImage: "postgres:17", databaseName: shop, databaseUser: u, databasePassword: password-1';
      const blocks = Object.entries(names).map(([key, name]) => `      ${key}: { name: ${name}, ${rest} }\n`);
      return production(`    postgres:\n${blocks.join('')}`);
    };
    await made.apply(named({ older: 'same' }));
    // The new one takes over the name of the older one, which gets another in the same run.
    const both = named({ newer: 'same', older: 'former' });
    const send = once(made, 'postgres.create', async (real, request) => {
      await real(request);
      throw connection('ECONNRESET');
    });
    const result = await applyOver(made, both, send);
    expect(results(result)).toMatchObject({ 'production.postgres.newer': 'done' });
    expect(rowsIn(made, 'postgres')).toHaveLength(2);
    await plansNothing(made, both);
  });

  test('never has a twin of one name in the manifest, for which it could be taken: that is refused', async () => {
    const made = bench();
    const both = production(
      `    compose:\n      a: { name: same, ${composeBody} }\n      b: { name: same, ${composeBody} }\n`,
    );
    await expect(made.apply(both)).rejects.toThrow(/have the same name/);
    expect(made.requests('POST')).toEqual([]);
  });
});

describe.each(['done', 'lost'])('a write that is %s and not answered', (fate) => {
  const after = production(database('description: Live.'));

  test('is sent once more when it is an update', async () => {
    const made = bench();
    await made.apply(text);
    const send = once(made, 'postgres.update', async (real, request) => {
      if (fate === 'done') await real(request);
      throw connection('ECONNRESET');
    });
    expect(results(await applyOver(made, after, send))[main]).toBe('done');
    expect((rowsIn(made, 'postgres')[0] as Row).description).toBe('Live.');
    await plansNothing(made, after);
  });

  test('is sent once more when it is a deletion', async () => {
    const made = bench();
    await made.apply(text);
    const send = once(made, 'postgres.remove', async (real, request) => {
      if (fate === 'done') await real(request);
      throw connection('ECONNRESET');
    });
    const without = production('    postgres: {}\n');
    expect(results(await applyOver(made, without, send))[main]).toBe('done');
    expect(rowsIn(made, 'postgres')).toEqual([]);
    await plansNothing(made, without);
  });
});
