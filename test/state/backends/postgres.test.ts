import pg from 'pg';
import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../../src/state/backends/postgres-client.ts';
import { postgresStorage, postgresStore } from '../../../src/state/backends/postgres.ts';
import { systemClock } from '../../../src/state/clock.ts';
import { storeOver } from '../../../src/state/store.ts';
import type { PostgresServer, Proxy } from '../../support/postgres-server.ts';
import { proxyTo, startPostgres, whyNoPostgres } from '../../support/postgres-server.ts';
import { createActivity } from '../activity.ts';
import { commonForms, journalOf, sealedAt, sealedForms, stateOf } from '../corpus.ts';
import { readOf, recordOf, stateWith, stopOf } from '../../../src/state/conformance/states.ts';
import { conforms } from '../conformance.ts';
import type { Ground } from '../../../src/state/conformance/bench.ts';
import type { VirtualProcess } from '../../../src/state/conformance/virtual-processes.ts';
import { processTime } from '../../../src/state/conformance/virtual-processes.ts';
import { migratingKeys, testKeys } from '../../support/state-key.ts';
import { effort } from '../../support/whole.ts';

const missing = whyNoPostgres();

describe.skipIf(missing !== undefined)(missing ?? 'with a PostgreSQL of its own', () => {
  let server: PostgresServer;
  let admin: pg.Client;
  beforeAll(async () => {
    server = await startPostgres();
    admin = await connectTo(server);
  });
  afterAll(async () => {
    await admin.end();
    server.stop();
  });

  /** States in the database, each process with connections of its own, or with a pool. */
  const groundOver = async (how: 'a connection' | 'a pool'): Promise<Ground> => {
    await admin.query('drop schema if exists trueup cascade');
    const proxies: Proxy[] = [];
    const pools: pg.Pool[] = [];
    const opened = new Map<VirtualProcess, Promise<Proxy>>();
    let isDown = false;
    const activity = createActivity();
    const time = processTime({
      // The database has its own clock: what is in it grows older instead.
      whilePassing: async (ms) => {
        await admin
          .query(`update trueup.lease set renewed_at = renewed_at - make_interval(secs => $1)`, [ms / 1_000])
          .catch(() => undefined);
      },
      isIdle: activity.isIdle,
    });
    const openProxy = async () => {
      const proxy = await proxyTo(server.port);
      proxy.fault = () => (isDown ? 'cut' : undefined);
      proxies.push(proxy);
      return proxy;
    };
    const poolAt = (connectionString: string): pg.Pool => {
      const pool = new pg.Pool({ connectionString, max: 2 });
      pool.on('error', () => undefined);
      pools.push(pool);
      return pool;
    };
    const proxyOf = (process: VirtualProcess) => {
      const proxy = opened.get(process) ?? openProxy();
      opened.set(process, proxy);
      return proxy;
    };
    return {
      time,
      open: async (process, name = 'one') => {
        const { port } = await proxyOf(process);
        const url = server.url(port);
        const place = { schema: 'trueup', name };
        const where = how === 'a pool' ? { pool: poolAt(url), ...place } : { url, ...place };
        const storage = postgresStorage(where, activity.clockOf(process));
        return storeOver(activity.watched(process, storage), { ...process, keys: testKeys });
      },
      dieAt: async (process, left, where) => {
        const proxy = await proxyOf(process);
        await new Promise<void>((die) => {
          const at = proxy.messages + left;
          proxy.fault = (message) => {
            if (message < at) return undefined;
            setImmediate(() => setImmediate(die));
            return message === at ? where : 'before';
          };
        });
        activity.ended(process);
      },
      breakDown: () => {
        isDown = true;
      },
      mend: () => {
        isDown = false;
      },
      written: () => proxies.reduce((sum, { sent }) => sum + sent, 0),
      close: async () => {
        await Promise.all(proxies.map((proxy) => proxy.close()));
        for (const pool of pools) void pool.end().catch(() => undefined); // a dead process has a connection for ever
      },
    };
  };
  conforms('in PostgreSQL', { isShared: true }, () => groundOver('a connection'));
  conforms('in PostgreSQL, over a pool', { isShared: true }, () => groundOver('a pool'));

  describe('a database', () => {
    const proxies: Proxy[] = [];
    afterEach(() => Promise.all(proxies.splice(0).map((proxy) => proxy.close())));
    const clock = { ...systemClock, sleep: () => new Promise<void>((done) => void setTimeout(done, 100)) };
    const begin = async (name = 'shop', keys = testKeys) => {
      await admin.query('drop schema if exists trueup cascade');
      const proxy = await proxyTo(server.port);
      proxies.push(proxy);
      const store = postgresStore({ url: server.url(proxy.port), schema: 'trueup', name }, { clock, keys });
      return { proxy, store };
    };
    const rowsOf = async (text: string) => (await admin.query(text)).rows as Record<string, unknown>[];

    /** What a killed run left behind. */
    const rowsIn = (form: string): { body: string; journal: [string, string | null][] } => {
      if (sealedForms.includes(form)) return sealedAt(form, 'postgres') as ReturnType<typeof rowsIn>;
      const { base, waves } = journalOf(form);
      const journal = (waves.flat() as [string, unknown][]).map(([address, record]): [string, string | null] => [
        address,
        record === null ? null : JSON.stringify(record),
      ]);
      return { body: JSON.stringify(base), journal };
    };

    describe.each(commonForms)('with a state of the form %s', (form) => {
      /** Inserts the rows that a killed run left behind. */
      const beginWith = async () => {
        const { store } = await begin('shop', migratingKeys);
        const lease = await store.lock({ purpose: 'apply' });
        await lease.release();
        const { body, journal } = rowsIn(form);
        await admin.query(`insert into trueup.state values ('shop', 3, $1, now())`, [body]);
        for (const [at, [address, text]] of journal.entries()) {
          await admin.query(`insert into trueup.journal values ('shop', 1, $1, $2, $3)`, [at + 1, address, text]);
        }
        return store;
      };

      test('gives it with its journal', async () => {
        const store = await beginWith();
        expect(await store.read()).toStrictEqual(stateOf(form));
        await store.close();
      });

      test('continues it, and writes the newest format', async () => {
        const store = await beginWith();
        await store.lock({ purpose: 'apply' });
        const state = stateOf(form);
        await store.append(await readOf(store), 'production.redis.open', null);
        const { 'production.redis.open': _, ...resources } = state.resources;
        expect(await store.read()).toEqual({ ...state, resources });
        await store.write({ ...state, serial: 4 });
        expect(await store.read()).toEqual({ ...state, serial: 4 });
        const rows = await rowsOf("select body::json->>'formatVersion' as format from trueup.state");
        expect(rows).toEqual([{ format: '4' }]);
        expect(await rowsOf('select address from trueup.journal')).toEqual([]);
        await store.close();
      });
    });

    test.each(['state', 'journal'])('without its table %s is written again by the next run', async (table) => {
      const { proxy, store } = await begin();
      await store.lock({ purpose: 'apply' });
      await store.write(stateWith({ a: recordOf('1') }));
      await store.close();
      await admin.query(`drop table trueup.${table}`);
      const url = server.url(proxy.port);
      const next = postgresStore({ url, schema: 'trueup', name: 'shop' }, { clock, keys: testKeys });
      const before = table === 'state' ? undefined : stateWith({ a: recordOf('1') });
      expect(await next.read({ acceptsNone: true })).toEqual(before);
      await next.lock({ purpose: 'state rebuild' });
      const state = stateWith({ b: recordOf('2') }, 2);
      await next.append(stateWith({}, 1), 'b', recordOf('2'));
      await next.write(state);
      expect(await next.read()).toEqual(state);
      await next.close();
    });

    test('with a state of a newer Trueup is not read', async () => {
      const { store } = await begin();
      await store.lock({ purpose: 'apply' });
      const body = JSON.stringify({ ...stateWith({}), formatVersion: 5 });
      await admin.query(`insert into trueup.state values ('shop', 1, $1, now())`, [body]);
      const { message, failure } = await stopOf(store.read());
      expect(failure).toBe('state');
      expect(message).toContain('trueup.state of shop has format 5, which a newer Trueup wrote');
      await store.close();
    });

    test('has a row for the lease, one for the state, and one for each record since', async () => {
      const { store } = await begin();
      await store.lock({ purpose: 'apply' });
      const base = stateWith({ a: recordOf('1', { pairs: {} }) }, 4);
      await store.write(base);
      await Promise.all([store.append(base, 'b', recordOf('2')), store.append(base, 'a', null)]);
      await store.append(base, 'c', recordOf('3'));
      expect(
        await rowsOf(
          "select counter::int, number::int, address, record like '% null' as gone from trueup.journal order by 2",
        ),
      ).toEqual([
        { counter: 1, number: 1, address: 'b', gone: false },
        { counter: 1, number: 2, address: 'a', gone: true },
        { counter: 1, number: 3, address: 'c', gone: false },
      ]);
      expect(await rowsOf("select name, serial::int, body::json->>'lineage' as lineage from trueup.state")).toEqual([
        { name: 'shop', serial: 4, lineage: 'line' },
      ]);
      expect(
        await rowsOf(
          "select name, counter::int, is_held, entry::json->'holder'->>'purpose' as purpose from trueup.lease",
        ),
      ).toEqual([{ name: 'shop', counter: 1, is_held: true, purpose: 'apply' }]);
      await store.close();
      expect(await rowsOf('select is_held from trueup.lease')).toEqual([{ is_held: false }]);
    });

    test('that breaks the connection now and then is connected to again, and nothing is written twice or lost', async () => {
      const { proxy, store } = await begin();
      const lease = await store.lock({ purpose: 'apply' });
      const base = stateWith({ a: recordOf('1') });
      await store.write(base);
      for (const name of ['b', 'c', 'd', 'e', 'f']) {
        const at = proxy.messages + 1;
        proxy.fault = (message) => (message === at ? 'lost' : undefined);
        await store.append(base, name, recordOf(name));
      }
      expect(await rowsOf('select count(*)::int as count from trueup.journal')).toEqual([{ count: 5 }]);
      expect(Object.keys((await store.read())?.resources ?? {})).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
      expect(lease.check).not.toThrow();
      await store.close();
    });

    describe('that gets a statement late, after its repetition', () => {
      /** A state of version 1 under the lock, and what makes the next statement late. */
      const beginLate = async () => {
        const { proxy, store } = await begin();
        await store.lock({ purpose: 'apply' });
        const base = stateWith({ a: recordOf('1') });
        await store.write(base);
        const delayNext = () => {
          const at = proxy.messages + 1;
          proxy.fault = (message) => (message === at ? 'late' : undefined);
        };
        const namesIn = async () => Object.keys((await store.read())?.resources ?? {});
        return { proxy, store, base, delayNext, namesIn };
      };

      test('keeps the records that a journal got after its beginning', async () => {
        const { proxy, store, base, delayNext, namesIn } = await beginLate();
        delayNext();
        await store.append(base, 'b', recordOf('2'));
        expect(await proxy.deliver()).toBe(1);
        await store.append(base, 'c', recordOf('3'));
        expect(await namesIn()).toEqual(['a', 'b', 'c']);
        await store.close();
      });

      test('adds no record to the journal that a newer state ended', async () => {
        const { proxy, store, base, delayNext, namesIn } = await beginLate();
        await store.append(base, 'b', recordOf('2'));
        delayNext();
        await store.append(base, 'c', recordOf('3'));
        const next = stateWith({ b: recordOf('2'), c: recordOf('3') }, 2);
        await store.write(next);
        expect(await proxy.deliver()).toBe(1);
        expect(await namesIn()).toEqual(['b', 'c']);
        await store.append(next, 'd', recordOf('4'));
        expect(await namesIn()).toEqual(['b', 'c', 'd']);
        await store.close();
      });

      test('does not put an older state in the place of a newer one', async () => {
        const { proxy, store, delayNext, namesIn } = await beginLate();
        delayNext();
        await store.write(stateWith({ b: recordOf('2') }, 2));
        const next = stateWith({ c: recordOf('3') }, 3);
        await store.write(next);
        await store.append(next, 'd', recordOf('4'));
        expect(await proxy.deliver()).toBe(1);
        expect(await namesIn()).toEqual(['c', 'd']);
        await store.close();
      });

      test('does not remove a state that was written after the removal', async () => {
        const { proxy, store, delayNext, namesIn } = await beginLate();
        delayNext();
        await store.remove();
        await store.write(stateWith({ b: recordOf('2') }, 2));
        expect(await proxy.deliver()).toBe(1);
        expect(await namesIn()).toEqual(['b']);
        await store.close();
      });

      test('brings back no state that was removed', async () => {
        const { proxy, store, delayNext } = await beginLate();
        delayNext();
        await store.write(stateWith({ b: recordOf('2') }, 2));
        await store.remove();
        expect(await proxy.deliver()).toBe(1);
        expect(await store.read({ acceptsNone: true })).toBeUndefined();
        await store.close();
      });
    });

    test.each([
      ['breaks the connection after any one statement', 'lost', 'never'],
      ['gets any one statement after the run', 'late', 'at the end'],
      ['gets any one statement right after its repetition', 'late', 'at once'],
    ] as const)('that %s changes nothing of how a run goes', async (_title, fault, delivery) => {
      for (let at = 1; ; at += effort({ fast: 3, all: 1 })) {
        const { proxy, store } = await begin();
        proxy.fault = (message) => (message === at ? fault : undefined);
        const step = async <T>(work: Promise<T>): Promise<T> => {
          const result = await work;
          if (delivery === 'at once') await proxy.deliver();
          return result;
        };
        const lease = await step(store.lock({ purpose: 'apply' }));
        expect([at, lease.counter]).toEqual([at, 1]);
        const base = stateWith({ a: recordOf('1') });
        await step(store.write(base));
        await step(store.append(base, 'b', recordOf('2')));
        await step(store.append(base, 'c', recordOf('3')));
        expect([at, Object.keys((await step(readOf(store))).resources)]).toEqual([at, ['a', 'b', 'c']]);
        const next = { ...base, serial: 2 };
        await step(store.write(next));
        await step(store.append(next, 'd', recordOf('4')));
        const isOver = proxy.messages < at;
        await proxy.deliver();
        expect([at, Object.keys((await readOf(store)).resources)]).toEqual([at, ['a', 'd']]);
        expect(lease.check).not.toThrow();
        await store.close();
        if (isOver) break;
      }
    });

    describe.each(['a connection', 'a pool'] as const)('over %s', (how) => {
      const pools: pg.Pool[] = [];
      afterEach(() => {
        for (const pool of pools.splice(0)) void pool.end().catch(() => undefined); // one that hangs has a connection for ever
      });
      const beginSlow = async (answerMs: number, bytes = 4 * 1024 ** 2) => {
        const proxy = await proxyTo(server.port);
        proxies.push(proxy);
        const url = server.url(proxy.port);
        const pool = new pg.Pool({ connectionString: url });
        pools.push(pool);
        pool.on('error', () => undefined);
        const place = how === 'a pool' ? { pool } : { url };
        const database = openDatabase({ ...place, schema: 'trueup', name: 'shop' }, clock, {
          answerMs,
          bytes,
        });
        await database.query('select 1', []);
        return { proxy, database };
      };

      /** What passes in time on a busy machine too. The text takes longer than one answer may, by the proxy alone. */
      const slowMs = 3_000;
      const slowBytes = 256 * 1024;

      test('that takes a large text slowly gets it, and answers a small statement meanwhile', async () => {
        const { proxy, database } = await beginSlow(slowMs, slowBytes);
        proxy.bytesPerMs = 7_500;
        const ended: string[] = [];
        const began = performance.now();
        await Promise.all([
          database
            .query('select length($1) as length', ['a'.repeat(30_000_000)])
            .then((rows) => ended.push(JSON.stringify(rows))),
          database.query('select 1', []).then(() => ended.push('small')),
        ]);
        expect(performance.now() - began).toBeGreaterThan(slowMs);
        expect(ended).toEqual(['small', '[{"length":30000000}]']);
        await database.close();
      });

      test('that gives a large text slowly is read', async () => {
        const { proxy, database } = await beginSlow(slowMs, slowBytes);
        proxy.bytesPerMs = 2_000;
        const began = performance.now();
        // One row: that its bytes come shows before it is whole. A server is silent until it has made it: more than 1.5 s for 30 MB.
        const [row] = await database.query(`select repeat('a', 8000000) as text`, []);
        expect(String(row?.text).length).toBe(8_000_000);
        expect(performance.now() - began).toBeGreaterThan(slowMs);
        await database.close();
      });

      test('that hangs is asked again over another connection', async () => {
        const { proxy, database } = await beginSlow(200);
        const at = proxy.messages + 1;
        proxy.fault = (message) => (message === at ? 'after' : undefined);
        expect(await database.query('select 1 as one', [])).toEqual([{ one: 1 }]);
        expect(proxy.messages).toBeGreaterThan(at);
        await database.close();
      });

      test('that never ends a statement is given up, although it gives something now and then', async () => {
        const { database } = await beginSlow(300);
        const sleeping = `do $$ begin for i in 1..50 loop raise notice 'still there'; perform pg_sleep(0.1); end loop; end $$`;
        const stop = await stopOf(database.query(sleeping, []));
        expect(stop.message).toContain('cannot be reached (it gave less than 4096 KiB within 0.3 s)');
        await database.close();
      });
    });

    test('limits on a connection of a pool how long a statement waits for a lock, as on one of its own', async () => {
      await admin.query('drop schema if exists trueup cascade');
      const pool = new pg.Pool({ connectionString: server.url(), max: 1, options: '-c synchronous_commit=off' });
      const store = postgresStore({ pool, schema: 'trueup', name: 'shop' }, { clock, keys: testKeys });
      await store.read();
      const settings = `select current_setting('lock_timeout') as lock, current_setting('synchronous_commit') as durable`;
      expect((await pool.query(settings)).rows).toEqual([{ lock: '10s', durable: 'on' }]);
      await store.close();
      await pool.end();
    });

    test('that is away for long is waited for by a writer as long as its lock lasts, and by a reader for four attempts', async () => {
      await admin.query('drop schema if exists trueup cascade');
      const proxy = await proxyTo(server.port);
      proxies.push(proxy);
      const pauses: number[] = [];
      const impatient = {
        ...clock,
        sleep: (ms: number) => {
          pauses.push(ms);
          if (pauses.length === 12) proxy.fault = () => undefined;
          return Promise.resolve();
        },
      };
      const where = { url: server.url(proxy.port), schema: 'trueup', name: 'shop' };
      const store = storeOver(postgresStorage(where, impatient), { keys: testKeys });
      await store.lock({ purpose: 'apply' });
      await store.write(stateWith({}));
      proxy.fault = () => 'cut';
      await store.append(stateWith({}), 'a', recordOf('a'));
      expect(pauses).toHaveLength(12);
      expect(new Set(pauses.slice(2))).toEqual(new Set([3_000]));
      await store.close();
      const reader = storeOver(postgresStorage(where, impatient), { keys: testKeys });
      expect((await reader.read())?.resources).toMatchObject({ a: {} });
      proxy.fault = () => 'cut';
      pauses.length = 0;
      await expect(reader.read()).rejects.toThrow('cannot be reached');
      expect(pauses).toEqual([200, 1_000, 3_000]);
      await reader.close();
    });

    test('that never takes a write, and keeps the lock, ends the run after ten minutes', async () => {
      const proxy = await proxyTo(server.port);
      proxies.push(proxy);
      proxy.fault = () => 'cut';
      let now = 0;
      const sleep = (ms: number) => {
        now += ms;
        return now > 3_600_000 ? Promise.reject(new Error('it waits for ever')) : Promise.resolve();
      };
      const where = { url: server.url(proxy.port), schema: 'trueup', name: 'shop' };
      const database = openDatabase(where, { ...clock, sleep, monotonic: () => now });
      const stop = await stopOf(database.query('select 1', [], () => undefined));
      expect(stop.message).toContain('cannot be reached');
      expect(now).toBeGreaterThanOrEqual(600_000);
      await database.close();
    });

    test.each([
      [
        'LATIN1',
        '22P05: character with byte sequence 0xe2 0x82 0xac in encoding "UTF8" has no equivalent in encoding "LATIN1"',
      ],
      ['SQL_ASCII', undefined],
    ])('with the encoding %s keeps every text, or names the remedy', async (encoding, words) => {
      const name = `in_${encoding.toLowerCase()}`;
      await admin.query(
        `create database ${name} encoding '${encoding}' lc_collate 'C' lc_ctype 'C' template template0`,
      );
      const url = server.url().replace(/postgres$/, name);
      const store = postgresStore({ url, schema: 'trueup', name: 'shop' }, { clock, keys: testKeys });
      const state = stateWith({ a: recordOf('5 € 😀') });
      await store.lock({ purpose: 'apply' });
      if (words === undefined) {
        await store.write(state);
        expect(await store.read()).toEqual(state);
      } else {
        const { message, diagnostics } = await stopOf(store.write(state));
        expect(message).toContain(words);
        expect(diagnostics[0]?.remedy).toContain("create database NAME encoding 'UTF8' template template0;");
      }
      await store.close();
      await admin.query(`drop database ${name} with (force)`);
    });

    test('with a clock that was set back keeps a lock no longer than it lasts', async () => {
      const { store } = await begin();
      await store.lock({ purpose: 'apply' });
      await admin.query(`update trueup.lease set renewed_at = renewed_at + interval '5 hours'`);
      const other = postgresStore({ url: server.url(), schema: 'trueup', name: 'shop' }, { clock, keys: testKeys });
      const { holder } = await stopOf(other.lock({ purpose: 'apply' }));
      expect(holder?.expiresInMs).toBeLessThanOrEqual(60_000);
      // Its holder renews it, or it is over.
      await admin.query(`update trueup.lease set renewed_at = renewed_at - interval '61 seconds'`);
      const lease = await other.lock({ purpose: 'apply' });
      await lease.release();
      await other.close();
    });

    test.each([
      ['has the right to read only', 'select', 'off'],
      ['begins no transaction that writes', 'select, insert, update, delete', 'on'],
    ])('with a clock that was set back shows its lock to a role that %s', async (_, rights, readOnly) => {
      const { store } = await begin();
      await store.lock({ purpose: 'apply' });
      await store.write(stateWith({ a: recordOf('1') }));
      await admin.query('drop role if exists looker');
      await admin.query(`create role looker login password 'l'; alter role looker set default_transaction_read_only = ${readOnly};
        grant usage on schema trueup to looker; grant ${rights} on all tables in schema trueup to looker;
        update trueup.lease set renewed_at = renewed_at + interval '5 hours'`);
      const url = new URL(server.url());
      [url.username, url.password] = ['looker', 'l'];
      const looker = postgresStore({ url: url.href, schema: 'trueup', name: 'shop' }, { clock, keys: testKeys });
      expect(await looker.holder()).toMatchObject({ purpose: 'apply', isOver: false, endsInMs: 60_000 });
      expect((await looker.read())?.resources).toEqual({ a: recordOf('1') });
      await looker.close();
      await admin.query('drop owned by looker cascade');
    });

    test('that crashes and restarts is used again, and has every record that it acknowledged', async () => {
      const { store } = await begin();
      await store.lock({ purpose: 'apply' });
      const base = stateWith({ a: recordOf('1') });
      await store.write(base);
      await store.append(base, 'b', recordOf('2'));
      await admin.end();
      server.crash();
      server.start();
      admin = await connectTo(server);
      await store.append(base, 'c', recordOf('3'));
      expect(Object.keys((await store.read())?.resources ?? {})).toEqual(['a', 'b', 'c']);
      await store.close();
    });

    test('that is not there is reported with its address, without user and password', async () => {
      const { proxy, store } = await begin();
      await proxy.close();
      const stop = await stopOf(store.read);
      expect(stop.message).toContain(
        `the state postgres://127.0.0.1:${proxy.port}/postgres, trueup.state of shop cannot be reached (ECONNREFUSED`,
      );
      expect(stop.failure).toBe('state');
    });

    test.each([
      [
        'the password is wrong',
        (url: string) => url.replace('p%40ss', 'canary-pass'),
        /28P01: password authentication failed/,
      ],
      [
        'there is no such database',
        (url: string) => url.replace('/postgres', '/nothing'),
        /3D000: database "nothing" does not exist/,
      ],
    ])('is not used when %s, and no error has the password', async (_title, change, words) => {
      const store = postgresStore(
        { url: change(server.url()), schema: 'trueup', name: 'shop' },
        { clock, keys: testKeys },
      );
      for (const call of [store.read, () => store.lock({ purpose: 'apply' }), store.holder]) {
        const stop = await stopOf(call);
        expect(stop.message).toMatch(words);
        expect(inspect(stop, { depth: 9 })).not.toMatch(/canary-pass|4711|p@ss/);
      }
    });

    test.each([
      'not an address with secret canary',
      'https://user:canary@host/db',
      'host=x password=canary',
      'postgres://user:canary@db%/x',
      'postgres://user:canary@%E0%A4/db',
    ])('is named by an address, and not by %s, which is not shown', async (url) => {
      const stop = await stopOf(() => postgresStore({ url, schema: 'trueup', name: 'shop' }, { keys: testKeys }));
      expect(stop.message).toContain('TRUEUP_STATE_URL');
      expect(inspect(stop, { depth: 9 })).not.toContain('canary');
    });

    test('can be used without the right to create tables, once they exist, and read with the right to read only', async () => {
      const { store } = await begin();
      await admin.query('drop role if exists writer');
      await admin.query('drop role if exists reader');
      await admin.query(`create role writer login password 'w'; create role reader login password 'r'`);
      const asRole = (name: string) => {
        const url = new URL(server.url());
        [url.username, url.password] = [name, name[0] ?? ''];
        return postgresStore({ url: url.href, schema: 'trueup', name: 'shop' }, { clock, keys: testKeys });
      };
      const early = asRole('writer');
      expect(await early.read()).toBeUndefined();
      const { message, diagnostics } = await stopOf(early.lock({ purpose: 'apply' }));
      expect(message).toContain('42501: permission denied');
      const [{ remedy } = {}] = diagnostics;
      const [granting = ''] = /grant create on database DATABASE to USER;/.exec(remedy ?? '') ?? [];
      const { rows } = await admin.query<{ name: string }>('select current_database() as name');
      await admin.query(granting.replace('DATABASE', rows[0]?.name ?? '').replace('USER', 'writer'));
      await early.lock({ purpose: 'apply' });
      await early.close();
      await admin.query(`drop owned by writer cascade`);
      await store.lock({ purpose: 'apply' });
      await store.close();
      await admin.query(`grant usage on schema trueup to reader, writer; grant select on all tables in schema trueup to reader;
        grant select, insert, update, delete on all tables in schema trueup to writer`);
      const writer = asRole('writer');
      await writer.lock({ purpose: 'apply' });
      await writer.write(stateWith({ a: recordOf('1') }));
      await writer.close();
      const reader = asRole('reader');
      expect((await reader.read())?.resources).toEqual({ a: recordOf('1') });
      const refused = await stopOf(reader.lock({ purpose: 'apply' }));
      expect(refused.message).toContain('42501: permission denied');
      const grants = /run: (grant usage .+?; grant .+?;)/.exec(refused.diagnostics[0]?.remedy ?? '')?.[1] ?? '';
      await admin.query(grants.replaceAll('USER', 'reader'));
      await reader.lock({ purpose: 'apply' });
      await reader.close();
      await admin.query('drop table trueup.journal');
      const again = asRole('writer');
      const missing = await stopOf(again.lock({ purpose: 'apply' }));
      const create = /run: (grant usage, create .+?;)/.exec(missing.diagnostics[0]?.remedy ?? '')?.[1] ?? '';
      await admin.query(create.replaceAll('USER', 'writer'));
      await again.lock({ purpose: 'apply' });
      expect((await again.read())?.resources).toEqual({ a: recordOf('1') });
      await again.close();
    });

    test.each([
      ['without a MAC', `'null'`],
      ['after the MAC of another record', `'${'A'.repeat(43)} null'`],
      ['that is no text', 'null'],
    ])('in which somebody put a removal %s stops the run', async (_title, record) => {
      const { store } = await begin();
      await store.lock({ purpose: 'apply' });
      await store.append(stateWith({}), 'a', recordOf('1'));
      expect(Object.keys((await readOf(store)).resources)).toEqual(['a']);
      await store.append(stateWith({}), 'b', recordOf('2'));
      await admin.query(`update trueup.journal set record = ${record} where number = 2`);
      const { message, diagnostics } = await stopOf(store.read);
      expect(message).toContain('has a record of b that does not follow the one before it');
      expect(diagnostics[0]?.code).toBe('state-forged');
      await store.close();
    });

    test('in which a record is none of Trueup is an error', async () => {
      const { store } = await begin();
      await store.lock({ purpose: 'apply' });
      await store.append(stateWith({}), 'a', recordOf('1'));
      await admin.query(`update trueup.journal set record = '{"kind": 5}'`);
      expect((await stopOf(store.read)).message).toContain('has a record of a that does not follow the one before it');
      await admin.query(`update trueup.state set body = body || 'x'`);
      expect((await stopOf(store.read)).message).toContain('is not valid JSON');
      await store.close();
    });
  });
});

async function connectTo(server: PostgresServer): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: server.url() });
  await client.connect();
  return client;
}
