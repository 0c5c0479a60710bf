import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { PlanDocument } from '../../src/index.ts';
import { stackAddress, waveAddress } from '../../src/controller/page/addresses.ts';
import { type Records, recordsIn } from '../../src/controller/records/all.ts';
import type { Alarm } from '../../src/controller/records/alarms.ts';
import { migrate } from '../../src/controller/schema.ts';
import type { Settings } from '../../src/controller/settings.ts';
import type { LetterDocument } from '../../src/controller/tell/letter-document.ts';
import { receiverRecords, tell } from '../../src/controller/tell/tell.ts';
import { type PostgresServer, startPostgres, whyNoPostgres } from '../support/postgres-server.ts';
import { receivers } from '../support/receiver.ts';
import { effort } from '../support/whole.ts';

/** Messages about alarms, with a PostgreSQL and receivers of their own. */

const missing = whyNoPostgres();
const receiver = receivers();
const signal = new AbortController().signal;
const address = 'https://trueup.example.com';

describe.skipIf(missing !== undefined)(missing ?? 'a message', () => {
  let server: PostgresServer;
  let pool: pg.Pool;
  let records: Records;
  const folder = mkdtempSync(join(tmpdir(), 'trueup-tell-'));

  beforeAll(async () => {
    server = await startPostgres();
    pool = new pg.Pool({ connectionString: server.url(), max: 5 });
    pool.on('error', () => undefined);
    await migrate(pool, 'c');
    records = recordsIn(pool, 'c');
    await records.setPageAddress(address, { by: 'page' });
  });
  afterAll(async () => {
    await pool.end();
    server.stop();
  });
  beforeEach(async () => {
    await pool.query('truncate c.alarm, c.receiver, c.message, c.platform, c.source cascade');
  });

  type Given = Partial<Settings['notify'][number]>;
  /** Starts a receiver, and names it in the settings. */
  const listening = async (about: Given = {}, ...answers: Parameters<typeof receiver>) => {
    const { url, received } = await receiver(...answers);
    const urlFile = join(folder, `url-${Math.random().toString(36).slice(2)}`);
    writeFileSync(urlFile, `${url}\n`);
    return { entry: { urlFile, as: 'json' as const, on: ['failure' as const], labels: {}, ...about }, received };
  };
  /** Enrols a source with a stack, on a platform of its own. */
  const source = async (
    id: string,
    about: { readonly platform?: string; readonly labels?: Record<string, string>; readonly pollSeconds?: number } = {},
  ) => {
    const { platform: url = 'https://a.example', labels = {}, pollSeconds = 60 } = about;
    const platform = { id: `p-${id}`, url, profile: null, keyFile: '/k', envFile: null, connections: 4, labels };
    await records.addPlatform(platform, 'alex');
    const platforms = [{ platform: platform.id, paths: '*' }];
    const rest = { policy: 'approval' as const, pollSeconds, lookSeconds: 60 };
    await records.addSource({ id, url: '/r', ref: 'refs/heads/main', platforms, ...rest }, 'alex');
    await records.sawCommit({ id }, 'a'.repeat(40), ['a.yaml']);
  };
  const enrol = (...entries: Settings['notify']) => records.setReceivers(receiverRecords(entries));
  /** What a worker does when everything that was made is due. */
  const send = async (...entries: Settings['notify']) => {
    await pool.query('update c.message set due_at = now() where letter is null');
    for (const { name } of await records.dueReceivers()) await tell({ records, receivers: entries }, name, signal);
  };
  const failure = (subject: string, digest = 'c1'): Alarm => ({
    kind: 'run',
    subject,
    digest,
    about: { commit: digest, ending: 'refused' },
  });
  const told = (received: readonly { readonly body: string }[]) =>
    received.map(({ body }) =>
      (JSON.parse(body) as { messages: { subject: string; isOver: boolean }[] }).messages.map(
        ({ subject, isOver }) => `${subject} ${isOver ? 'over' : 'raised'}`,
      ),
    );

  test('is sent once for an alarm that stays, again for another one, and once for its end', async () => {
    const { entry, received } = await listening();
    await enrol(entry);
    for (let sweep = 0; sweep < 5; sweep++) {
      await records.raise(failure('a'));
      await send(entry);
    }
    expect(told(received)).toEqual([['a raised']]);
    await records.raise(failure('a', 'c2'));
    await send(entry);
    expect(await records.alarms()).toMatchObject([{ kind: 'run', subject: 'a', digest: 'c2' }]);
    await records.clear('run', 'a');
    await records.clear('run', 'a');
    await send(entry);
    expect(told(received)).toEqual([['a raised'], ['a raised'], ['a over']]);
    expect(await records.alarms()).toEqual([]);
    await send(entry);
    expect(received).toHaveLength(3);
  });

  test('is not sent for what was over before it left, and one letter has what came together', async () => {
    const { entry, received } = await listening();
    await enrol(entry);
    for (const name of ['a', 'b', 'c', 'd']) await records.raise(failure(name));
    await records.clear('run', 'b');
    await send(entry);
    expect(told(received)).toEqual([['a raised', 'c raised', 'd raised']]);
    // Nothing was said of b, so nothing is said of its end.
    await send(entry);
    expect(received).toHaveLength(1);
    // An alarm that changed before it left is told as it is now.
    await records.raise(failure('e', 'c1'));
    await records.raise(failure('e', 'c2'));
    await send(entry);
    expect(told(received)[1]).toEqual(['e raised']);
    expect(received[1]?.body).toContain('commit c2');
  });

  test('of a platform without a worker has the command that starts one, is sent once, and once for its end', async () => {
    const { entry, received } = await listening();
    const acme = await listening({ labels: { customer: 'acme' } });
    const other = await listening({ labels: { customer: 'other' } });
    const entries = [entry, acme.entry, other.entry];
    await enrol(...entries);
    await source('shop', { labels: { customer: 'acme' } });
    const platform = await records.platform('p-shop');
    if (platform === undefined) throw new Error('no platform');
    await records.raiseUnserved();
    expect(await records.alarms()).toEqual([]);
    await records.addPlatform({ ...platform, only: { site: 'paris' } }, 'alex');
    for (let tick = 0; tick < 3; tick++) {
      await records.raiseUnserved();
      await send(...entries);
    }
    expect(received.map(({ body }) => JSON.parse(body) as LetterDocument)).toMatchObject([
      {
        messages: [
          {
            kind: 'worker',
            subject: 'p-shop',
            words: 'no worker that reaches it is alive: start trueup controller work --only site=paris',
            page: `${address}/platforms`,
          },
        ],
      },
    ]);
    const worker = '00000000-0000-4000-8000-000000000001';
    await records.workerLives(worker, await records.site({ site: 'paris' }));
    await records.raiseUnserved();
    await send(...entries);
    expect(told(received)).toEqual([['p-shop raised'], ['p-shop over']]);
    expect([told(acme.received), other.received]).toEqual([told(received), []]);
    await records.workerEnds(worker);
    await records.raiseUnserved();
    // A platform that is bound to no labels any more needs no such worker.
    await records.addPlatform({ ...platform, only: {} }, 'alex');
    await records.raiseUnserved();
    expect(await records.alarms()).toEqual([]);
  });

  test('waits for its time: a failure a minute, in which it may be over', async () => {
    const { entry, received } = await listening();
    await enrol(entry);
    await records.raise(failure('a'));
    expect(await records.dueReceivers()).toEqual([]);
    const { rows } = await pool.query<{ wait: number }>(
      'select extract(epoch from due_at - made_at)::int as wait from c.message',
    );
    expect(rows).toEqual([{ wait: 60 }]);
    expect(received).toEqual([]);
  });

  test('goes to who asked for its kind and for the labels of its stack, and to nobody else', async () => {
    await source('shop', { labels: { customer: 'acme' } });
    await source('own');
    const all = await listening({ on: ['failure', 'drift'] });
    const acme = await listening({ labels: { customer: 'acme' } });
    const drift = await listening({ on: ['drift'] });
    const entries = [all.entry, acme.entry, drift.entry];
    await enrol(...entries);
    await records.raise(failure('shop:a.yaml'));
    await records.raise(failure('own:a.yaml'));
    await records.raise({
      kind: 'wave',
      subject: 'wave:7',
      of: 'shop:a.yaml',
      digest: 'x',
      about: { stack: 's', because: 'b' },
    });
    await send(...entries);
    expect(told(all.received)).toEqual([['shop:a.yaml raised', 'own:a.yaml raised', 'wave:7 raised']]);
    expect(told(acme.received)).toEqual([['shop:a.yaml raised', 'wave:7 raised']]);
    expect(drift.received).toEqual([]);
    expect(acme.received[0]?.body).toContain('stopped: s: b');
    expect(acme.received[0]?.body).toContain(`${address}/waves/7"`);
  });

  test('that is not confirmed is sent again with the same id and text, before later ones, with growing pauses', async () => {
    const { entry, received } = await listening({}, 503, 'cut', 404);
    await enrol(entry);
    await records.raise(failure('a'));
    await send(entry);
    await records.raise(failure('b'));
    const pauses: number[] = [];
    for (let attempt = 0; attempt < 3; attempt++) {
      const { rows } = await pool.query<{ pause: number; attempts: number }>(
        'select round(extract(epoch from due_at - now()))::int as pause from c.message where letter is not null',
      );
      pauses.push(rows[0]?.pause ?? 0);
      // Not due yet: nothing is sent, nor anything behind it.
      await send(entry);
      expect(received).toHaveLength(attempt + 1);
      await pool.query('update c.message set due_at = now() where letter is not null');
      await send(entry);
    }
    expect(pauses).toEqual([10, 30, 90]);
    expect(told(received)).toEqual([['a raised'], ['a raised'], ['a raised'], ['a raised'], ['b raised']]);
    const ids = received.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids.slice(0, 4)).size).toBe(1);
    expect(ids[4]).not.toBe(ids[0]);
    expect(new Set(received.slice(0, 4).map(({ body }) => body)).size).toBe(1);
    expect(await records.receivers()).toMatchObject([{ waiting: 0, dead: 0, problem: null }]);
  });

  test('is dead after twelve attempts: it is counted, and the next one is sent', async () => {
    const { entry, received } = await listening({}, ...Array.from({ length: 12 }, () => 500));
    await enrol(entry);
    await records.raise(failure('a'));
    for (let attempt = 0; attempt < 15; attempt++) {
      await send(entry);
      await pool.query('update c.message set due_at = now()');
    }
    expect(received).toHaveLength(12);
    const [state] = await records.receivers();
    expect(state).toMatchObject({ waiting: 0, dead: 1, problem: expect.stringContaining('it answered 500') as string });
    await records.raise(failure('b'));
    await send(entry);
    expect(told(received)[12]).toEqual(['b raised']);
    // Who never got the message of a gets none of its end.
    for (const subject of ['a', 'b']) await records.clear('run', subject);
    await send(entry);
    expect(told(received)[13]).toEqual(['b over']);
  });

  test('is the last one about a subject where the alarm is up, and that of its end where it is not, in whatever order', async () => {
    type Step = 'first' | 'second' | 'clear' | 'send' | 'fail';
    const step = fc.constantFrom<Step>('first', 'second', 'clear', 'send', 'fail');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.constantFrom('a', 'b'), step), { maxLength: 14 }), async (steps) => {
        await pool.query('truncate c.alarm, c.receiver, c.message');
        const name = 'json /f';
        await records.setReceivers([{ name, kinds: ['run'], labels: {} }]);
        const last = new Map<string, boolean>();
        /** Takes what is due, as a worker that confirms it or does not. */
        const deliver = async (isConfirmed: boolean) => {
          await pool.query('update c.message set due_at = now()');
          const letter = await records.takeLetter(name);
          if (letter === undefined) return false;
          if (isConfirmed) for (const { subject, isOver } of letter.messages) last.set(subject, isOver);
          await (isConfirmed ? records.letterSent(letter.id) : records.letterFailed(letter.id, 'x'));
          return true;
        };
        for (const [subject, does] of steps) {
          if (does === 'clear') await records.clear('run', subject);
          else if (does === 'send' || does === 'fail') await deliver(does === 'send');
          else await records.raise(failure(subject, does));
        }
        while (await deliver(true));
        const up = (await records.alarms()).map(({ subject }) => subject);
        for (const subject of ['a', 'b'])
          expect([subject, last.get(subject) ?? true]).toEqual([subject, !up.includes(subject)]);
      }),
      {
        seed: 4711,
        numRuns: effort({ fast: 60, full: 100, all: 400 }),
        examples: [[(['first', 'send', 'clear', 'first', 'clear'] as const).map((does) => ['a', does] as ['a', Step])]],
      },
    );
  });

  test('of a worker that dies after its confirmation is sent again with the same id', async () => {
    const { entry, received } = await listening();
    await enrol(entry);
    await records.raise(failure('a'));
    await pool.query('update c.message set due_at = now()');
    const dies = { ...records, letterSent: () => Promise.reject(new Error('the database is away')) };
    const [due] = await records.dueReceivers();
    await expect(tell({ records: dies, receivers: [entry] }, due?.name ?? '', signal)).rejects.toThrow('away');
    await send(entry);
    expect(received.map(({ headers }) => headers['webhook-id'])).toEqual(
      Array.from({ length: 2 }, () => received[0]?.headers['webhook-id']),
    );
    await send(entry);
    expect(received).toHaveLength(2);
  });

  test('of a transaction that is taken back is none', async () => {
    const { entry, received } = await listening();
    await enrol(entry);
    await pool.query(`create function c.refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$;
      create trigger refuse before insert on c.message for each row execute function c.refuse()`);
    await expect(records.raise(failure('a'))).rejects.toThrow('no');
    await pool.query('drop function c.refuse cascade');
    expect(await records.alarms()).toEqual([]);
    await records.raise(failure('a'));
    await send(entry);
    expect(told(received)).toEqual([['a raised']]);
  });

  test('raised by ten workers at once is one', async () => {
    const { entry, received } = await listening();
    await enrol(entry);
    await Promise.all(Array.from({ length: 10 }, () => records.raise(failure('a'))));
    await send(entry);
    expect(told(received)).toEqual([['a raised']]);
  });

  test.each([
    ['cannot be read', undefined, 'cannot read the file'],
    ['has no address', 'canary-of-a-password', 'has no address of a receiver'],
    ['has an address of plain http', 'http://hooks.example/canary-of-a-password', 'has no address of a receiver'],
    ['has a user', 'https://canary:canary-of-a-password@hooks.example', 'has no address of a receiver'],
  ])('whose file %s fails, and shows nothing of it', async (_what, text, problem) => {
    const urlFile = join(folder, `bad-${_what.replaceAll(' ', '-')}`);
    if (text !== undefined) writeFileSync(urlFile, text);
    const entry = { urlFile, as: 'slack' as const, on: ['failure' as const], labels: {} };
    await enrol(entry);
    await records.raise(failure('a'));
    await send(entry);
    const [state] = await records.receivers();
    expect(state?.problem).toContain(problem);
    const { rows } = await pool.query<{ all: string }>('select json_agg(message)::text as all from c.message');
    expect(rows[0]?.all).not.toContain('canary');
  });

  test('is never sent to a platform', async () => {
    const { entry, received } = await listening();
    const url = new URL(readFileSync(entry.urlFile, 'utf8'));
    await source('shop', { platform: url.origin });
    await enrol(entry);
    await records.raise(failure('shop:a.yaml'));
    await send(entry);
    expect(received).toEqual([]);
    expect((await records.receivers())[0]?.problem).toContain('an address of a platform');
  });

  test.each(['slack', 'discord', 'teams'] as const)('in the form %s links to the page', async (as) => {
    const { entry, received } = await listening({ as });
    await enrol(entry);
    await records.raise(failure('shop:<!channel> `x`'));
    await send(entry);
    expect(received[0]?.body).toContain('https://trueup.example.com/stacks/shop:%3C!channel%3E%20%60x%60');
    expect(received[0]?.body).not.toContain(as === 'slack' ? '<!channel>' : '\\u0000');
    expect(received[0]?.body).toContain('a run failed');
  });

  test.each(['sites:paris/trueup.yaml', 'sites:a~1b/trueup.yaml'])(
    'about %s has the link that pages have',
    async (id) => {
      const { entry, received } = await listening();
      await enrol(entry);
      await records.raise(failure(id));
      await records.raise({ ...failure('wave:7'), kind: 'wave', of: id });
      await send(entry);
      const [letter] = received.map(({ body }) => JSON.parse(body) as LetterDocument);
      expect(letter?.messages.map(({ page }) => page)).toEqual([
        `${address}${stackAddress(id)}`,
        `${address}${waveAddress('7')}`,
      ]);
    },
  );

  test('to a receiver that left the settings goes away, and one of many is as short as a chat takes', async () => {
    const one = await listening({ as: 'discord' });
    const other = await listening();
    await enrol(one.entry, other.entry);
    for (let at = 0; at < 60; at++) await records.raise(failure(`s${at}`));
    await enrol(one.entry);
    await send(one.entry, other.entry);
    expect(other.received).toEqual([]);
    expect(one.received.map(({ body }) => /(\d+) more\./.exec(body)?.[1])).toEqual(['40', undefined]);
    expect(one.received[0]?.body).toContain('Trueup: 50 messages');
  });

  test('tells of what a stack goes through: a failure, its end, a plan, drift, and of none by a commit that is old', async () => {
    const { entry, received } = await listening({ on: ['failure', 'drift', 'approval'] });
    await enrol(entry);
    await source('shop');
    const id = 'shop:a.yaml';
    const commit = 'a'.repeat(40);
    const read = (await records.stack(id)) ?? expect.fail('there is no stack');
    const document = {
      actions: [{ action: 'update' }, { action: 'no-op' }],
      dataAtRisk: ['x'],
    } as unknown as PlanDocument;
    const words = () => (JSON.parse(received.at(-1)?.body ?? '{}') as LetterDocument).messages.map((one) => one.words);
    for (let attempt = 0; attempt < 3; attempt++)
      await records.stackFailed(id, { problem: 'canary', commit, ending: 'refused' });
    await send(entry);
    expect(words()).toEqual(['failed at commit aaaaaaaaaaaa: refused']);
    // A run of another commit that ends late says nothing.
    await records.inStep({ ...read, applied: 'c'.repeat(40) }, 'b'.repeat(40), 'd');
    await send(entry);
    expect(received).toHaveLength(1);
    for (let attempt = 0; attempt < 3; attempt++)
      await records.keepPlan(read, { commit, cause: 'commit', document, file: `plan ${attempt}` });
    await send(entry);
    expect(words()).toEqual([
      'runs without a failure again',
      'a plan with 1 change at commit aaaaaaaaaaaa waits for approval, with data of 1 object at risk',
    ]);
    const plan = await records.waitingPlan(id);
    await records.judge(plan?.digest ?? '', { who: 'alex', role: 'approver', approves: true, because: 'right' });
    expect(await records.alarms()).toEqual([]);
    await records.inStep(read, commit, 'd');
    for (let sweep = 0; sweep < 3; sweep++)
      await records.keepPlan(read, { commit, cause: 'drift', document, file: `drift ${sweep}` });
    await send(entry);
    expect(words()).toEqual(['drifted: a repair with 1 change waits for approval, with data of 1 object at risk']);
    await records.inStep(read, commit, 'd');
    await records.inStep(read, commit, 'd');
    await send(entry);
    expect(words()).toEqual(['has no drift any more']);
    expect(received).toHaveLength(4);
    expect(received.map(({ body }) => body).join('')).not.toContain('canary');
    // A stack that leaves its source leaves no alarm behind.
    await records.stackFailed(id, { problem: 'x', commit, ending: 'refused' });
    await records.sawCommit({ id: 'shop' }, 'c'.repeat(40), []);
    expect(await records.alarms()).toEqual([]);
  });

  test.each([
    ['approval', false, ['approval']],
    ['automatic', true, ['approval']],
    ['automatic', false, []], // it waits for its wave only
    ['never', true, []],
  ] as const)(
    'of a plan: with the policy %s, where somebody has to approve it: %s, it tells of %j',
    async (policy, isNeeded, kinds) => {
      await source('shop');
      const id = 'shop:a.yaml';
      await pool.query('update c.stack set policy = $1', [policy]);
      const about = {
        commit: 'a'.repeat(40),
        document: { actions: [] } as unknown as PlanDocument,
        file: `plan ${policy} ${isNeeded}`,
      };
      const stack = (await records.stack(id)) ?? expect.fail('there is no stack');
      await records.keepPlan(stack, { ...about, cause: 'commit', isNeeded });
      expect((await records.alarms()).map(({ kind }) => kind)).toEqual(kinds);
    },
  );

  test('tells of a source that was not read for three polls and two minutes, and of the next poll', async () => {
    const { entry, received } = await listening();
    await enrol(entry);
    await source('often');
    await source('rare', { pollSeconds: 3_600 });
    const age = (seconds: number) =>
      pool.query(`update c.source set added_at = now() - make_interval(secs => $1), polled_at = null`, [seconds]);
    await age(299);
    await records.raiseStoppedPolls();
    expect(await records.alarms()).toEqual([]);
    await age(301);
    await records.raiseStoppedPolls();
    await records.raiseStoppedPolls();
    expect((await records.alarms()).map(({ subject }) => subject)).toEqual(['often']);
    await send(entry);
    await records.sawNothing({ id: 'often' });
    await records.raiseStoppedPolls();
    await send(entry);
    expect(told(received)).toEqual([['often raised'], ['often over']]);
    expect(received[0]?.body).toContain('was never polled');
  });
});
