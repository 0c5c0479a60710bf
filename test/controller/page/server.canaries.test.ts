import { execFileSync } from 'node:child_process';
import { createHmac, randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hooks } from '../../../src/controller/hooks/hooks.ts';
import { api } from '../../../src/controller/page/api.ts';
import { metrics } from '../../../src/controller/page/metrics.ts';
import { pages } from '../../../src/controller/page/pages.ts';
import type { Part } from '../../../src/controller/page/server.ts';
import { type Worker, startWorker } from '../../../src/controller/worker.ts';
import { createEmulator } from '../../../src/emulator/emulator.ts';
import { serve } from '../../../src/emulator/http-server.ts';
import { newStateKey } from '../../../src/secrets/state-key.ts';
import {
  browserAt,
  type ControllerDatabase,
  pageFor,
  startControllerDatabase,
} from '../../support/controller-pages.ts';
import { edit } from '../../support/drifting.ts';
import { oidcAt, type OidcProvider, startOidcProvider } from '../../support/oidc-provider.ts';
import { whyNoPostgres } from '../../support/postgres-server.ts';

/**
 * Secrets of a controller and of its stacks are in no row, no answer and no log, though platforms, repositories and people repeat them
 * wherever they can.
 */

const missing = whyNoPostgres();
const address = 'https://trueup.example.com';

const canaries: Record<string, string> = {
  'the key of the platform': 'canary-key-of-a-platform-6d1f',
  'a secret of the env file': 'canary-secret-of-a-stack-90ab',
  'the credentials of git': 'canary-of-git-credentials-77e2',
  'the token of the forge': 'canary-token-of-the-forge-51c8',
  'the secret of webhooks': 'canary-secret-of-webhooks-2b7d',
  'the address of a receiver': 'canary-in-an-address-of-a-receiver-83fe',
  'the token of a program': 'canary-token-of-a-program-for-the-api',
  'the secret of the proxy': 'canary-secret-of-the-proxy-in-front-of-it',
  'the secret of the client': 'the-secret-of-the-client',
  'the access token of the provider': 'an-access-token',
};

/** Waits until something holds. */
const until = async (holds: () => Promise<boolean>): Promise<void> => {
  await expect.poll(holds, { interval: 100, timeout: 60_000 }).toBe(true);
};

/** The ways in which a secret stands in a text. */
function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  return [
    secret,
    encodeURIComponent(secret),
    bytes.toString('hex'),
    bytes.toString('base64').replace(/=+$/, '').slice(0, -1),
  ];
}

const found = (text: string): readonly string[] =>
  Object.entries(canaries).flatMap(([name, secret]) =>
    formsOf(secret).some((form) => text.includes(form)) ? [name] : [],
  );

describe.skipIf(missing !== undefined)(missing ?? 'a secret', () => {
  let database: ControllerDatabase;
  let provider: OidcProvider;
  beforeAll(async () => {
    database = await startControllerDatabase();
    provider = await startOidcProvider({ sub: 'ann', groups: ['sre'] });
    canaries['the password of the database'] = new URL(database.url).password;
  });
  afterAll(async () => {
    provider.stop();
    await database.stop();
  });

  /** Each row of each table, of the controller, its queue and its states. */
  const everyRow = async (): Promise<ReadonlyMap<string, string>> => {
    const tables = await database.rows<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname not in ('pg_catalog', 'information_schema')`,
    );
    const texts = tables.map(async ({ name }) => {
      const rows = await database.rows<{ text: string }>(`select to_jsonb(t)::text as text from ${name} as t`);
      return [name, rows.map(({ text }) => text).join('\n')] as const;
    });
    return new Map(await Promise.all(texts));
  };

  test('is in no row, no answer and no log', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'trueup-canaries-'));
    const file = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text, { mode: 0o600 });
      return join(folder, name);
    };
    const key = canaries['the key of the platform'] ?? '';
    const secret = canaries['a secret of the env file'] ?? '';
    const stateKey = newStateKey().text();
    canaries['the key of the states'] = stateKey;
    const log: string[] = [];
    const onError = (error: unknown): void =>
      void log.push(String(error), error instanceof Error ? (error.stack ?? '') : '');

    // A platform that works, one that repeats what it is sent, and a server of git that does so.
    const emulator = createEmulator({ apiKey: key });
    const platform = await serve(emulator);
    const echo = createServer(({ headers, url = '' }, response) => {
      const isGit = url.includes('/git-upload-pack') || url.includes('/info/refs');
      if (isGit && headers.authorization === undefined)
        return response.writeHead(401, { 'www-authenticate': 'Basic realm="a"' }).end();
      const [, encoded = ''] = headers.authorization?.split(' ') ?? [];
      const said = JSON.stringify({ url, headers, is: Buffer.from(encoded, 'base64').toString() });
      return response
        .writeHead(isGit ? 403 : 500, { 'content-type': isGit ? 'text/plain' : 'application/json' })
        .end(isGit ? said : JSON.stringify({ message: said, code: 'BAD_REQUEST' }));
    });
    await new Promise<void>((resolve) => void echo.listen(0, '127.0.0.1', resolve));
    const echoUrl = `http://127.0.0.1:${(echo.address() as AddressInfo).port}`;

    const repository = join(folder, 'repository');
    const git = (...words: readonly string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...words], { cwd: repository });
    for (const name of ['shop', 'echo']) {
      mkdirSync(join(repository, name), { recursive: true });
      const block = `main: { dockerImage: "redis:7", databasePassword: "\${secret:DB}", description: "x", env: { A: "\${secret:DB}" } }`;
      writeFileSync(
        join(repository, name, 'trueup.yaml'),
        `trueup: 1\nproject: prj_1\nenvironments:\n  production:\n    redis:\n      ${block}\n`,
      );
    }
    git('init', '-q', '-b', 'main');
    git('add', '-A');
    git('commit', '-q', '-m', 'a');

    const { records } = database;
    const files = { keyFile: file('key', `${key}\n`), envFile: file('env', `TRUEUP_SECRET_DB=${secret}\n`) };
    const about = { profile: null, connections: 2, ...files };
    await records.addPlatform({ id: 'shop', url: platform.url, ...about }, 'ann');
    await records.addPlatform({ id: 'echo', url: echoUrl, ...about }, 'ann');
    const source = { ref: 'refs/heads/main', policy: 'automatic', pollSeconds: 3_600, lookSeconds: 3_600 } as const;
    const platforms = ['shop', 'echo'].map((name) => ({ platform: name, paths: `${name}/*` }));
    await records.addSource({ id: 'all', url: repository, platforms, ...source }, 'ann');

    await records.addSource(
      {
        ...source,
        id: 'far',
        url: `${echoUrl}/shop/far.git`,
        platforms,
        forge: 'forgejo',
        forgeTokenFile: file('forge', `${canaries['the token of the forge']}\n`),
        hookSecretFile: file('hook', `${canaries['the secret of webhooks']}\n`),
        credentialsFile: file(
          'credentials',
          `http://ann:${canaries['the credentials of git']}@${new URL(echoUrl).host}\n`,
        ),
      },
      'ann',
    );
    const urlFile = file(
      'receiver',
      `${echoUrl.replace('127.0.0.1', 'localhost')}/${canaries['the address of a receiver']}`,
    );
    const worker = await startWorker({
      address,
      notify: [{ urlFile, as: 'json', on: ['failure', 'drift', 'approval'], labels: {} }],
      url: database.url,
      pool: database.pool,
      schema: 'trueup_controller',
      states: { schema: 'trueup', key: stateKey },
      folder: join(folder, 'mirrors'),
      concurrency: 2,
      tickMs: 100,
      onError,
    });
    const stack = (id: string) => records.stack(`all:${id}/trueup.yaml`);
    await until(async () => (await stack('shop'))?.applied !== null && (await stack('shop')) !== undefined);
    const [row] = Object.values(emulator.world.tables.redis);
    expect([row?.databasePassword, row?.env]).toEqual([secret, `A=${secret}\n`]);
    await until(async () => (await records.runs('all:echo/trueup.yaml')).some(({ ending }) => ending !== null));
    // Somebody writes the secret where all can read it.
    await edit({ emulator, apiKey: key }, 'redis.update', { redisId: row?.redisId, description: `it is ${secret}` });
    const before = (await records.runs('all:shop/trueup.yaml')).length;
    await database.rows('update @stack set look_at = now()');
    await until(async () =>
      (await records.runs('all:shop/trueup.yaml')).slice(before).some(({ ending }) => ending !== null),
    );
    await worker.queue.send('forge', 'pulls far');
    const problemOf = async (what: string) =>
      (await database.rows<{ problem: string | null }>(what)).map(({ problem }) => problem ?? '').join('');
    const problems = {
      git: `select problem from @source where id = 'far'`,
      forge: `select forge_problem as problem from @source where id = 'far'`,
      platform: `select problem from @stack where path like 'echo/%'`,
      receiver: 'select problem from @message where problem is not null limit 1',
    };
    for (const text of Object.values(problems)) await until(async () => (await problemOf(text)) !== '');
    const answers = await drive(worker.queue, onError);
    await worker.stop(5_000);

    expect(answers).toContain('signed out');
    // What repeated secrets was kept, without them.
    expect(await problemOf(problems.git)).toContain('ann:(sensitive)');
    expect(await problemOf(problems.platform)).toContain('(API key)');
    expect(await problemOf(problems.forge)).toContain('500');
    expect(await problemOf(problems.receiver)).toContain('did not confirm');
    for (const [table, text] of await everyRow()) expect([table, found(text)]).toEqual([table, []]);
    expect(found(answers)).toEqual([]);
    expect(found(log.join('\n'))).toEqual([]);
    await platform.close();
    echo.close();
  });

  /** Reads every page that a link of another one leads to. */
  const crawl = async (read: (url: string) => Promise<string>): Promise<void> => {
    const seen = new Set<string>();
    const open = ['/'];
    for (let url = open.pop(); url !== undefined; url = open.pop()) {
      if (seen.has(url)) continue;
      seen.add(url);
      for (const [, link = ''] of (await read(url)).matchAll(/href="(\/[^"#]*)/g))
        open.push(link.replaceAll('&#38;', '&').replaceAll('&amp;', '&'));
    }
    expect(seen.size).toBeGreaterThan(15);
  };

  /** Uses the page in every way; gives all that it answers, and the ids of sessions as further secrets. */
  const drive = async (queue: Worker['queue'], onError: (error: unknown) => void): Promise<string> => {
    const { records } = database;
    const fails: Part = (app) => {
      app.get('/fails', { config: { act: 'see' } }, async () => database.rows('select * from nowhere'));
    };
    const token = canaries['the token of a program'] ?? '';
    const tokens = [{ name: 'ci', token, role: 'admin' as const }];
    const common = {
      roles: [{ group: 'sre', role: 'admin' as const }],
      tokens,
      parts: [pages, api, hooks({ queue, onError }), metrics({ queue, tokens, onError }), fails],
      onError,
    };
    const proof = canaries['the secret of the proxy'] ?? '';
    const proxy = { from: ['127.0.0.1'], user: 'x-user', groups: 'x-groups', secretHeader: 'x-proof', secret: proof };
    const texts: string[] = [];
    const take = (answer: { readonly body: string; readonly headers: object }): string => {
      const { 'set-cookie': _own, ...headers } = answer.headers as Record<string, unknown>;
      texts.push(JSON.stringify(headers), answer.body);
      return answer.body;
    };
    const page = pageFor(records, { ...common, signIn: oidcAt(provider) });
    const browser = browserAt(page, address);
    for (const lies of [{ claims: { nonce: 'x' } }, {}]) {
      const asked = await browser.get('/sign-in?to=/');
      take(asked);
      const back = provider.authorize(asked.headers.location ?? '', lies);
      take(await browser.get(`${back.pathname}${back.search}`));
    }
    const behind = browserAt(pageFor(records, { ...common, signIn: { proxy } }), address, {
      'x-user': 'bob',
      'x-groups': 'sre',
    });
    for (const sent of [{ 'x-proof': proof }, { 'x-proof': `${proof}x` }] as Record<string, string>[])
      for (const url of ['/', '/fails', '/nowhere', '/sign-in']) take(await behind.get(url, sent));
    const bearer: Record<string, string>[] = [
      { authorization: `Bearer ${token}` },
      { authorization: `Basic ${token}` },
    ];
    for (const headers of bearer)
      for (const url of ['/', '/fails', '/nowhere', '/api/v1/stacks', '/api/v1/events', '/metrics', '/readyz'])
        take(await page.inject({ url, headers }));
    await crawl(async (url) => take(await browser.get(url)));
    const hook = canaries['the secret of webhooks'] ?? '';
    for (const signature of [hook, createHmac('sha256', hook).update('{}').digest('hex')]) {
      const headers = {
        'x-forgejo-event': 'push',
        'x-forgejo-signature': signature,
        'x-forgejo-delivery': randomUUID(),
      };
      const about = { method: 'POST', url: '/hooks/far', payload: '{}' } as const;
      take(await page.inject({ ...about, headers: { ...headers, 'content-type': 'application/json' } }));
    }
    for (const url of ['/fails', '/nowhere', '/signed-out']) take(await browser.get(url));
    for (const [at, { cookies }] of [browser, behind].entries())
      canaries[`the id of session ${at}`] = cookies.get('__Host-trueup') ?? '';
    const [, _csrf = ''] = /name="_csrf" value="([^"]+)"/.exec(take(await browser.get('/me'))) ?? [];
    take(await browser.post('/sign-out', {}));
    take(await browser.post('/sign-out', { _csrf }));
    take(await behind.get('/', { 'x-proof': proof }));
    return texts.join('\n');
  };

  test('that is in a row would be found', async () => {
    for (const secret of Object.values(canaries)) {
      expect(secret.length).toBeGreaterThan(10);
      for (const form of formsOf(secret)) {
        const { records } = database;
        await records.note({ who: 'ann', what: 'wrote', subject: 'page', about: { form } });
      }
    }
    const [text = ''] = [...(await everyRow())].flatMap(([table, rows]) => (table.endsWith('.event') ? [rows] : []));
    expect(found(text).toSorted()).toEqual(Object.keys(canaries).toSorted());
  });
});
