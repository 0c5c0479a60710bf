import { once } from 'node:events';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { followStack } from '../../src/controller/follow-stack.ts';
import { pages } from '../../src/controller/page/pages.ts';
import { type Running, runStack } from '../../src/controller/run-stack.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { newStateKey } from '../../src/secrets/state-key.ts';
import { proxyHeaders } from '../support/controller-person.ts';
import { type ControllerDatabase, browserAt, pageFor, startControllerDatabase } from '../support/controller-pages.ts';
import { whyNoPostgres } from '../support/postgres-server.ts';

/** A run that goes on, as its page and the events of the page show it. The platform holds back answers until the test lets them go. */

const missing = whyNoPostgres();
const address = 'https://trueup.example.com';
const id = 'shop:infra/trueup.yaml';
const application = (name: string) =>
  `      ${name}: { source: { type: docker, image: "web:1" }, env: { A: "\${secret:DB}" } }\n`;
const manifest = `trueup: 1\nproject: prj_1\nenvironments:\n  production:\n    application:\n${application('first')}${application('second')}`;

describe.skipIf(missing !== undefined)(missing ?? 'a run', () => {
  let database: ControllerDatabase;
  beforeAll(async () => void (database = await startControllerDatabase()));
  afterAll(() => database.stop());

  test('shows what is done, what runs and what is to come, and leaves nothing of that when it ended', async () => {
    const { records, pool, rows } = database;
    const emulator = createEmulator({ apiKey: 'a-key', deployDelayMs: 2_000 });
    let held = { path: '', body: '', until: Promise.resolve() };
    /** Holds back the answers to some requests until the function is called. */
    const hold = (path: string, body = ''): (() => void) => {
      let letGo = (): void => undefined;
      held = { path, body, until: new Promise((resolve) => (letGo = resolve)) };
      return () => letGo();
    };
    const send: typeof emulator.send = async (request) => {
      if (request.path.includes(held.path) && (request.body ?? '').includes(held.body)) await held.until;
      return emulator.send(request);
    };
    const platform = await serve(emulator, { faults: { send, deliver: send } });
    const folder = mkdtempSync(join(tmpdir(), 'trueup-progress-'));
    const file = (name: string, content: string): string => {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    };
    const files = { keyFile: file('key', 'a-key\n'), envFile: file('env', 'TRUEUP_SECRET_DB=canary-of-a-stack\n') };
    await records.addPlatform({ id: 'main', url: platform.url, profile: null, connections: 4, ...files }, 'alex');
    const platforms = [{ platform: 'main', paths: 'infra/*' }];
    const source = { ref: 'refs/heads/main', policy: 'automatic', pollSeconds: 60, lookSeconds: 3_600 } as const;
    await records.addSource({ id: 'shop', url: 'https://git.example/shop.git', platforms, ...source }, 'alex');
    await records.sawCommit({ id: 'shop' }, 'c1', ['infra/trueup.yaml']);
    const absent = () => Promise.reject(new Error('not here'));
    const errors: unknown[] = [];
    const running: Running = {
      records,
      checkouts: {
        fetch: absent,
        rootFiles: absent,
        previewFiles: absent,
        authors: absent,
        fingerprint: absent,
        at: (_source, _commit, work) => {
          const place = mkdtempSync(join(folder, 'commit-'));
          mkdirSync(join(place, 'infra'));
          writeFileSync(join(place, 'infra/trueup.yaml'), manifest);
          return work(place, () => 'the same');
        },
      },
      pool,
      states: { schema: 'trueup', key: newStateKey().text() },
      worker: 'a worker',
      only: {},
      site: 0,
      platforms: new Map(),
      onError: (error) => void errors.push(error),
    };
    const app = pageFor(records, { address, roles: [{ user: 'ann', role: 'viewer' }], parts: [pages] });
    const browser = browserAt(app, address, proxyHeaders('ann'));
    /** Of the run that goes on: its page, once that says something, and its events, the first of which was sent. */
    const seen = async (words: string) => {
      let [url, page] = ['', ''];
      const body = async () => {
        const [run] = await rows<{ id: string }>('select id from @run where ended_at is null');
        url = `/runs/${run?.id ?? 0}`;
        page = (await browser.get(url)).body;
        return page;
      };
      await expect.poll(body, { timeout: 20_000, interval: 50 }).toContain(words);
      const headers = { host: new URL(address).host, ...proxyHeaders('ann') };
      const stream = (await app.inject({ url: `${url}/events`, headers, payloadAsStream: true })).stream();
      const [first] = (await once(stream, 'data')) as [Buffer];
      return { url, page, events: text(stream).then((others) => first.toString() + others) };
    };
    const rest = () => rows('select from @progress');
    const signal = new AbortController().signal;

    const createSecond = hold('application.create', 'second');
    const applying = runStack(running, id, signal);
    const apply = await seen('2 of 4 actions done, 1 running.');
    for (const shown of [/created in \d\.\d s/, /queued on the platform/, /creating for \d+s…/, /to come/])
      expect(apply.page).toMatch(shown);
    expect(apply.page).toContain('<progress max="4" value="2"');
    expect(await rest()).toHaveLength(1);
    createSecond();
    expect(await applying).toEqual({ is: 'again', as: 'follow', afterSeconds: 0 });
    const [first = '', ...others] = (await apply.events).split('\n\n').filter((one) => one !== '');
    expect(first).toMatch(/^event: whole\ndata: .*2 of 4 actions done, 1 running\..*creating for/s);
    expect(others.at(-1)).toBe('event: end\ndata: {}');
    // Who has all of it gets rows.
    for (const event of others.slice(0, -1)) expect(event).toMatch(/^(?::|event: change\ndata: {"words":)/);
    expect((await browser.get(apply.url)).body).not.toContain('Progress</h2>');
    expect(await rest()).toEqual([]);

    const following = followStack(running, id, signal);
    const follow = await seen('deployment that began before');
    expect(follow.page).toMatch(/\d running\..*deploying for \d+s, waits for the deployment/s);
    expect(await following).toEqual({ is: 'over' });
    expect(await follow.events).toMatch(/deploying for \d+s/);
    expect([await rest(), errors, app.failed]).toEqual([[], [], []]);

    await records.sawCommit({ id: 'shop' }, 'c2', ['infra/trueup.yaml']);
    await runStack(running, id, signal);
    expect((await records.runs(id)).map(({ kind, ending }) => `${kind} ${ending}`)).toEqual([
      'plan done',
      'apply deploying',
      'follow done',
      'drift in step',
    ]);
    await app.close();
    await platform.close();
  });

  test('that was lost, or that ended before its worker noted the last, keeps no progress', async () => {
    const { records, rows } = database;
    const begun = async () => {
      const run = await records.beginRun({ id }, { kind: 'follow', cause: 'apply', commit: 'c2', worker: 'another' });
      await records.noteProgress(run, [{ address: 'a', action: 'create', event: 'started', seconds: 60 }]);
      const [one] = await records.progress(run);
      expect(one?.seconds).toBeGreaterThan(60);
      return run;
    };
    const ended = await begun();
    await records.endRun(ended, { ending: 'done' });
    await records.noteProgress(ended, []);
    const lost = await begun();
    await rows(`update @run set beat_at = now() - interval '1 minute' where id = $1`, lost);
    await records.endLost();
    const removed = await begun();
    await rows('delete from @run where id = $1', removed);
    expect(await rows('select from @progress')).toEqual([]);
  });
});
