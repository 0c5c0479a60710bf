import { execFileSync } from 'node:child_process';
import { createHmac, randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hooks } from '../../src/controller/hooks/hooks.ts';
import { createServer } from '../../src/controller/page/server.ts';
import type { LetterDocument } from '../../src/controller/tell/letter-document.ts';
import { type Worker, startWorker } from '../../src/controller/worker.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { newStateKey } from '../../src/secrets/state-key.ts';
import { type PostgresServer, startPostgres, whyNoPostgres } from '../support/postgres-server.ts';
import { receivers } from '../support/receiver.ts';

/** A worker that hears of pushes by webhooks and tells a chat, over a repository and a platform of their own. */

const missing = whyNoPostgres();
const receiver = receivers();
const manifest = (image: string) =>
  `trueup: 1\nproject: prj_1\nenvironments:\n  production:\n    redis:\n      main: { dockerImage: "${image}", databasePassword: a }\n`;

describe.skipIf(missing !== undefined)(missing ?? 'a worker', () => {
  let server: PostgresServer;
  let pool: pg.Pool;
  let worker: Worker | undefined;
  const folder = mkdtempSync(join(tmpdir(), 'trueup-told-'));
  beforeAll(async () => {
    server = await startPostgres();
    pool = new pg.Pool({ connectionString: server.url(), max: 8 });
    pool.on('error', () => undefined);
  });
  afterAll(async () => {
    await worker?.stop(0);
    await pool.end();
    server.stop();
  });

  test('tells of a failure and of its end, and applies a push that a webhook announces, long before the next poll', async () => {
    const repository = join(folder, 'repository');
    mkdirSync(repository);
    const git = (...words: readonly string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...words], {
        cwd: repository,
        encoding: 'utf8',
      });
    git('init', '-q', '-b', 'main');
    const push = (image: string): string => {
      writeFileSync(join(repository, 'trueup.yaml'), manifest(image));
      git('add', '-A');
      git('commit', '-q', '-m', image);
      return git('rev-parse', 'HEAD').trim();
    };
    const emulator = createEmulator({ apiKey: 'a-key' });
    const platform = await serve(emulator);
    const { url, received } = await receiver();
    const file = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const urlFile = file('url', url);
    const hookSecretFile = file('secret', 'secret-of-a-hook');
    worker = await startWorker({
      url: server.url(),
      pool,
      schema: 'c',
      states: { schema: 's', key: newStateKey().text() },
      folder: join(folder, 'checkouts'),
      concurrency: 2,
      tickMs: 200,
      address: 'https://trueup.example.com',
      notify: [{ urlFile, as: 'json', on: ['failure'], labels: {} }],
      onError: () => undefined,
    });
    const { records, queue } = worker;
    const keyFile = file('key', 'a-wrong-key');
    await records.addPlatform(
      { id: 'main', url: platform.url, profile: null, keyFile, envFile: null, connections: 4 },
      'alex',
    );
    const first = push('redis:7');
    await records.addSource(
      {
        id: 'shop',
        url: repository,
        ref: 'refs/heads/main',
        platforms: [{ platform: 'main', paths: '*' }],
        policy: 'automatic',
        pollSeconds: 3_600,
        lookSeconds: 3_600,
        forge: 'github',
        hookSecretFile,
      },
      'alex',
    );
    const applied = async () => (await records.stack('shop:trueup.yaml'))?.applied;
    const words = async () => {
      await pool.query('update c.message set due_at = now() where letter is null');
      return received.flatMap(({ body }) => (JSON.parse(body) as LetterDocument).messages.map((one) => one.words));
    };
    const limit = { timeout: 60_000, interval: 200 };

    await expect.poll(words, limit).toHaveLength(1);
    expect((await words())[0]).toMatch(new RegExp(`^failed at commit ${first.slice(0, 12)}: `));
    file('key', 'a-key');
    await expect.poll(applied, limit).toBe(first);
    await expect.poll(words, limit).toHaveLength(2);
    expect((await words())[1]).toBe('runs without a failure again');

    const second = push('redis:7.4');
    const proxy = {
      from: ['10.0.0.0/8'],
      user: 'x-user',
      groups: 'x-groups',
      secretHeader: 'x-secret',
      secret: 'x'.repeat(40),
    };
    const onError = (): void => undefined;
    const app = createServer({
      address: 'https://trueup.example.com',
      records,
      signIn: { proxy },
      roles: [],
      tokens: [],
      parts: [hooks({ queue, onError })],
      onError,
    });
    // Commits and people in it are made up: the poll asks git.
    const payload = JSON.stringify({
      ref: 'refs/heads/main',
      after: 'e'.repeat(40),
      commits: [{ id: 'e'.repeat(40) }],
    });
    const signature = createHmac('sha256', 'secret-of-a-hook').update(payload).digest('hex');
    const headers = {
      'content-type': 'application/json',
      'x-github-event': 'push',
      'x-github-delivery': randomUUID(),
      'x-hub-signature-256': `sha256=${signature}`,
    };
    const { statusCode } = await app.inject({ method: 'POST', url: '/hooks/shop', headers, payload });
    expect(statusCode).toBe(202);
    await expect.poll(applied, limit).toBe(second);
    // And then it plans nothing.
    const posts = () => emulator.log.filter(({ method }) => method === 'POST').length;
    const before = posts();
    await pool.query('update c.stack set look_at = now()');
    const looks = async () =>
      (await records.runs('shop:trueup.yaml')).filter(({ ending }) => ending === 'in step').length;
    await expect.poll(looks, limit).toBe(1);
    expect(posts()).toBe(before);
    expect(await words()).toHaveLength(2);
    await app.close();
    await platform.close();
  });
});
