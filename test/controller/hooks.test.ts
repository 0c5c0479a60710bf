import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { hooks } from '../../src/controller/hooks/hooks.ts';
import { createServer } from '../../src/controller/page/server.ts';
import { type Queue, createQueue } from '../../src/controller/queue.ts';
import { type Records, recordsIn } from '../../src/controller/records/all.ts';
import { migrate } from '../../src/controller/schema.ts';
import { type PostgresServer, startPostgres, whyNoPostgres } from '../support/postgres-server.ts';

/** Webhooks over HTTP, with a PostgreSQL and a queue of their own. */

const missing = whyNoPostgres();
const main = 'refs/heads/main';
const page = 'https://trueup.example.com/sources';

describe.skipIf(missing !== undefined)(missing ?? 'a webhook', () => {
  let server: PostgresServer;
  let pool: pg.Pool;
  let records: Records;
  let queue: Queue;
  let app: FastifyInstance;
  let origin = '';
  const folder = mkdtempSync(join(tmpdir(), 'trueup-hooks-'));
  const errors: unknown[] = [];
  const secrets = { github: 'secret-of-github', gitlab: 'token-of-gitlab', forgejo: 'secret-of-forgejo' };

  beforeAll(async () => {
    server = await startPostgres();
    pool = new pg.Pool({ connectionString: server.url(), max: 8 });
    pool.on('error', () => undefined);
    await migrate(pool, 'c');
    records = recordsIn(pool, 'c');
    queue = await createQueue({ url: server.url(), schema: 'c_queue', onError: (error) => void errors.push(error) });
    await queue.start();
    await records.addPlatform(
      { id: 'p', url: 'https://a.example', profile: null, keyFile: '/k', envFile: null, connections: 4 },
      'alex',
    );
    for (const [forge, secret] of Object.entries(secrets)) {
      writeFileSync(join(folder, forge), `${secret}\n`);
      await enrol(forge, { forge: forge as 'github', hookSecretFile: join(folder, forge) });
    }
  });
  afterAll(async () => {
    await app.close();
    await queue.stop(0);
    await pool.end();
    server.stop();
  });
  beforeEach(async () => {
    await pool.query('delete from c.delivery; delete from c_queue.job');
    errors.length = 0;
    if (origin !== '') await app.close();
    // A new server has counted no requests yet.
    const proxy = {
      from: ['10.0.0.0/8'],
      user: 'x-user',
      groups: 'x-groups',
      secretHeader: 'x-secret',
      secret: 'x'.repeat(40),
    };
    app = createServer({
      address: 'https://trueup.example.com',
      records,
      signIn: { proxy },
      roles: [],
      tokens: [],
      parts: [hooks({ queue, onError: (error) => void errors.push(error) })],
      onError: (error) => void errors.push(error),
    });
    origin = await app.listen({ port: 0, host: '127.0.0.1' });
  });

  const enrol = (
    id: string,
    about: { readonly forge?: 'github' | 'none'; readonly hookSecretFile?: string | null } = {},
  ) =>
    records.addSource(
      {
        id,
        url: '/r',
        ref: main,
        platforms: [{ platform: 'p', paths: '*' }],
        policy: 'approval',
        pollSeconds: 60,
        lookSeconds: 60,
        ...about,
      },
      'alex',
    );
  const hex = (body: string, secret = secrets.github) => createHmac('sha256', secret).update(body).digest('hex');
  const push = (ref = main) => JSON.stringify({ ref, after: 'f'.repeat(40), repository: { id: 1 } });
  type Headers = Readonly<Record<string, string>>;
  const post = async (source: string, body: string, headers: Headers = {}) => {
    const answer = await fetch(`${origin}/hooks/${source}`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    });
    return { status: answer.status, text: await answer.text() };
  };
  const github = (body: string, about: Headers = {}) => ({
    'x-github-event': 'push',
    'x-github-delivery': randomUUID(),
    'x-hub-signature-256': `sha256=${hex(body)}`,
    ...about,
  });
  const jobs = async () =>
    (
      await pool.query<{ key: string }>(`select singleton_key as key from c_queue.job where name = 'look' order by 1`)
    ).rows.map(({ key }) => key);
  const deliveries = async () =>
    (await pool.query<{ source: string; event: string }>('select source, event from c.delivery')).rows;

  const refused = {
    status: 401,
    text: '{"error":{"status":401,"message":"The webhook is not signed with the secret of such a source."}}',
  };

  test.each([
    ['github', () => github(push())],
    [
      'gitlab',
      () => ({ 'x-gitlab-token': secrets.gitlab, 'x-gitlab-event': 'Push Hook', 'idempotency-key': randomUUID() }),
    ],
    [
      'forgejo',
      () => ({
        'x-forgejo-event': 'push',
        'x-forgejo-delivery': randomUUID(),
        'x-forgejo-signature': hex(push(), secrets.forgejo),
      }),
    ],
    [
      'forgejo',
      () => ({
        'x-gitea-event': 'push',
        'x-gitea-delivery': randomUUID(),
        'x-gitea-signature': hex(push(), secrets.forgejo),
      }),
    ],
  ])('of %s has its source polled, once for each delivery', async (source, headersOf) => {
    const body = source === 'gitlab' ? JSON.stringify({ object_kind: 'push', ref: main }) : push();
    const headers = headersOf();
    const first = await post(source, body, headers);
    expect(first).toEqual({ status: 202, text: JSON.stringify({ isDue: true, page }) });
    expect(await jobs()).toEqual([source]);
    await pool.query('delete from c_queue.job');
    const again = await post(source, body, headers);
    expect(again.status).toBe(202);
    expect(JSON.parse(again.text)).toMatchObject({ isDue: false, page });
    expect(await jobs()).toEqual([]);
    expect(await deliveries()).toEqual([{ source, event: 'push' }]);
  });

  test.each([
    ['a push to another branch', 'push', push('refs/heads/other'), false],
    ['a tag of the same name', 'push', push('refs/tags/main'), false],
    ['a ping', 'ping', '{"zen":"x"}', false],
    ['an issue', 'issues', '{}', false],
    ['the deletion of the branch', 'delete', '{"ref":"main","ref_type":"branch"}', true],
    ['a pull request to the branch', 'pull_request', '{"pull_request":{"base":{"ref":"main"}}}', true],
    ['a pull request to another branch', 'pull_request', '{"pull_request":{"base":{"ref":"other"}}}', false],
  ])('about %s is accepted', async (_what, event, body, isDue) => {
    const { status, text } = await post('github', body, github(body, { 'x-github-event': event }));
    expect([status, (JSON.parse(text) as { isDue: boolean }).isDue]).toEqual([202, isDue]);
    expect(await jobs()).toEqual(isDue ? ['github'] : []);
    expect(await deliveries()).toHaveLength(isDue ? 1 : 0);
  });

  test('is compared with a secret whose file a variable of the page leads to', async () => {
    vi.stubEnv('CREDENTIALS_DIRECTORY', folder);
    await enrol('named', { forge: 'github', hookSecretFile: '${CREDENTIALS_DIRECTORY}/github' }); // oxlint-disable-line no-template-curly-in-string
    expect((await post('named', push(), github(push()))).status).toBe(202);
    vi.unstubAllEnvs();
    expect(await post('named', push(), github(push()))).toEqual(refused);
    expect(String(errors[0])).toContain('names CREDENTIALS_DIRECTORY, which the environment does not have');
  });

  test('in a form, as GitHub can send it, counts the same', async () => {
    const body = `payload=${encodeURIComponent(push())}`;
    const { status } = await post(
      'github',
      body,
      github(body, { 'content-type': 'application/x-www-form-urlencoded' }),
    );
    expect([status, await jobs()]).toEqual([202, ['github']]);
  });

  test('of a hundred pushes while a stack runs makes one more run', async () => {
    let open = (): void => undefined;
    const opened = new Promise<void>((done) => (open = done));
    const began: string[] = [];
    const worker = await createQueue({ url: server.url(), schema: 'c_queue', onError: () => undefined });
    await worker.start();
    await worker.work('look', { concurrency: 1 }, (id) => worker.send('stack', id, { group: 'p' }));
    await worker.work('stack', { concurrency: 4 }, async (id) => {
      began.push(id);
      if (began.length === 1) await opened;
    });
    const send = () => post('github', push(), github(push()));
    const job = (state: string) => async () =>
      (await pool.query(`select from c_queue.job where name = 'stack' and state = $1`, [state])).rowCount;
    await send();
    await expect.poll(() => began).toEqual(['github']);
    const answers = await Promise.all(Array.from({ length: 100 }, send));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    expect(await deliveries()).toHaveLength(101);
    await expect.poll(job('created')).toBe(1);
    await expect
      .poll(
        async () => (await pool.query(`select from c_queue.job where name = 'look' and state < 'completed'`)).rowCount,
      )
      .toBe(0);
    open();
    await expect.poll(job('completed')).toBe(2);
    expect(began).toEqual(['github', 'github']);
    await worker.stop(0);
  });

  test('whose job cannot be made is not noted, so that the forge can send it again', async () => {
    const headers = github(push());
    await pool.query(`create function c_queue.refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$;
      create trigger refuse before insert on c_queue.job for each row execute function c_queue.refuse()`);
    expect((await post('github', push(), headers)).status).toBe(500);
    await pool.query('drop function c_queue.refuse cascade');
    expect(await deliveries()).toEqual([]);
    expect((await post('github', push(), headers)).status).toBe(202);
    expect(await jobs()).toEqual(['github']);
  });

  test('is forgotten after a week', async () => {
    await post('github', push(), github(push()));
    await pool.query(`update c.delivery set at = now() - interval '8 days'`);
    await post('github', push(), github(push()));
    expect(await deliveries()).toHaveLength(1);
  });

  describe('is refused, and does nothing:', () => {
    test.each<readonly [string, string, string, () => Headers]>([
      ['for a source that does not exist', 'nowhere', push(), () => github(push())],
      ['without a signature', 'github', push(), () => ({ 'x-github-event': 'push' })],
      [
        'forged with another secret',
        'github',
        push(),
        () => github(push(), { 'x-hub-signature-256': `sha256=${hex(push(), 'guess')}` }),
      ],
      [
        'forged with the secret of another source',
        'github',
        push(),
        () => github(push(), { 'x-hub-signature-256': `sha256=${hex(push(), secrets.forgejo)}` }),
      ],
      [
        'forged with SHA-1',
        'github',
        push(),
        () => ({
          'x-github-event': 'push',
          'x-hub-signature': `sha1=${createHmac('sha1', secrets.github).update(push()).digest('hex')}`,
        }),
      ],
      ['replayed with another body', 'github', push('refs/heads/evil'), () => github(push())],
      ['replayed with a body that was cut', 'github', push().slice(0, -1), () => github(push())],
      [
        'replayed in a form',
        'github',
        `payload=${encodeURIComponent(push())}`,
        () => github(push(), { 'content-type': 'application/x-www-form-urlencoded' }),
      ],
      [
        'with the signature of a form for its field',
        'github',
        `payload=${encodeURIComponent(push())}&payload=x`,
        () => github(`payload=${encodeURIComponent(push())}`, { 'content-type': 'application/x-www-form-urlencoded' }),
      ],
      ['replayed to a source of another forge', 'forgejo', push(), () => github(push())],
      [
        'with the token of GitLab at its beginning only',
        'gitlab',
        push(),
        () => ({ 'x-gitlab-token': secrets.gitlab.slice(0, -1) }),
      ],
      ['for a name that climbs out', '..%2f..%2fetc%2fpasswd', push(), () => github(push())],
    ])('%s', async (_attack, source, body, headers) => {
      expect(await post(source, body, headers())).toEqual(refused);
      expect([await jobs(), await deliveries()]).toEqual([[], []]);
    });

    test('for a name with a NUL', async () => {
      expect((await post('%00', push(), github(push()))).status).toBe(400);
      expect([await jobs(), await deliveries()]).toEqual([[], []]);
    });

    test('where the source has no forge, no secret, an empty one, or one that cannot be read', async () => {
      const empty = join(folder, 'empty');
      writeFileSync(empty, '\n');
      await enrol('none', { forge: 'none', hookSecretFile: join(folder, 'github') });
      await enrol('open', { forge: 'github' });
      await enrol('empty', { forge: 'github', hookSecretFile: empty });
      await enrol('lost', { forge: 'github', hookSecretFile: join(folder, 'lost') });
      for (const source of ['none', 'open', 'empty', 'lost']) {
        expect(await post(source, push(), github(push()))).toEqual(refused);
        expect(
          await post(source, push(), github(push(), { 'x-hub-signature-256': `sha256=${hex(push(), '')}` })),
        ).toEqual(refused);
      }
      expect(errors.map(String).join(' ')).toMatch(/empty is empty.*lost: ENOENT/);
      expect(await jobs()).toEqual([]);
    });

    test('in a time that does not say whether there is such a source', async () => {
      const body = push();
      const time = async (source: string) => {
        const began = performance.now();
        await post(source, body, { 'x-hub-signature-256': 'sha256=0' });
        return performance.now() - began;
      };
      await time('warm');
      for (const source of ['github', 'gitlab', 'nowhere']) expect(await time(source)).toBeGreaterThanOrEqual(199);
    });

    test('signed, but with a content type or a body that no forge sends', async () => {
      const texts: readonly (readonly [string, string, number])[] = [
        ['text/plain', push(), 415],
        ['multipart/form-data; boundary=x', push(), 415],
        ['application/json', 'no JSON', 400],
        ['application/json', '[]', 400],
        ['application/x-www-form-urlencoded', push(), 400],
      ];
      for (const [type, body, status] of texts)
        expect([type, (await post('github', body, github(body, { 'content-type': type }))).status]).toEqual([
          type,
          status,
        ]);
      expect(await jobs()).toEqual([]);
    });

    test('with 26 MB, whatever it says of its length, and one of 24 MB is taken', async () => {
      const filled = (bytes: number) => JSON.stringify({ ref: main, filler: 'x'.repeat(bytes) });
      const large = filled(26 * 1024 * 1024);
      const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write(
        `POST /hooks/github HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n${large.length.toString(16)}\r\n`,
      );
      socket.write(large);
      const [answer] = (await once(socket, 'data')) as [Buffer];
      expect(answer.toString()).toMatch(/^HTTP\/1.1 413 /);
      socket.destroy();
      const whole = filled(24 * 1024 * 1024);
      expect((await post('github', whole, github(whole))).status).toBe(202);
    });

    test('while others hold 100 MB that never end, and is taken when they are gone', async () => {
      const { port } = app.server.address() as AddressInfo;
      const part = Buffer.alloc(22 * 1024 * 1024, 'x');
      const head = `POST /hooks/github HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${part.length + 1}\r\n\r\n`;
      const sockets = Array.from({ length: 5 }, () => connect(port, '127.0.0.1'));
      const answers = sockets.map(async (socket) => {
        socket.on('error', () => undefined);
        socket.write(head);
        socket.write(part);
        const [answer] = (await once(socket, 'data')) as [Buffer];
        return answer.toString().slice(0, 12);
      });
      expect(await Promise.race(answers)).toBe('HTTP/1.1 503');
      for (const socket of sockets) socket.destroy();
      const body = JSON.stringify({ ref: main, filler: 'x'.repeat(20 * 1024 * 1024) });
      await expect.poll(async () => (await post('github', body, github(body))).status).toBe(202);
    });

    test('that ends before its length', async () => {
      const body = push();
      const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
      const lines = Object.entries(github(body)).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.end(
        `POST /hooks/github HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length + 1}\r\n${lines.join('')}\r\n${body}`,
      );
      socket.resume();
      await once(socket, 'close');
      expect([await jobs(), await deliveries()]).toEqual([[], []]);
    });

    test('after 300 in a minute for one source, while others are taken', async () => {
      const statuses: number[] = [];
      for (let at = 0; at < 302; at += 50)
        statuses.push(
          ...(await Promise.all(Array.from({ length: Math.min(50, 302 - at) }, () => post('nowhere', '{}')))).map(
            ({ status }) => status,
          ),
        );
      expect(statuses.filter((status) => status === 429)).toHaveLength(2);
      expect((await post('github', push(), github(push()))).status).toBe(202);
    });

    test('with GET', async () => {
      expect((await fetch(`${origin}/hooks/github`)).status).toBe(404);
    });
  });

  test('shows its secret in no answer, row or error', async () => {
    const lost = join(folder, 'github');
    await post('github', push(), github(push()));
    await post('github', 'no JSON', github('no JSON'));
    const { rows } = await pool.query<{ all: string }>(
      `select (select json_agg(delivery)::text from c.delivery) || (select json_agg(source)::text from c.source)
        || (select coalesce(json_agg(job)::text, '') from c_queue.job job) || (select json_agg(event)::text from c.event) as all`,
    );
    expect(rows[0]?.all).toContain('"github"');
    for (const secret of Object.values(secrets))
      expect(`${rows[0]?.all ?? ''} ${errors.map(String).join(' ')}`).not.toContain(secret);
    rmSync(lost);
    expect(await post('github', push(), github(push()))).toEqual(refused);
    writeFileSync(lost, secrets.github);
  });
});
