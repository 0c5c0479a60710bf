import { type AddressInfo, connect } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stackAddress } from '../../../src/controller/page/addresses.ts';
import { api } from '../../../src/controller/page/api.ts';
import type { Need } from '../../../src/controller/page/sender.ts';
import { pages } from '../../../src/controller/page/pages.ts';
import type { Part } from '../../../src/controller/page/server.ts';
import type { Role } from '../../../src/controller/page/viewer.ts';
import {
  browserAt,
  type ControllerDatabase,
  pageFor,
  startControllerDatabase,
} from '../../support/controller-pages.ts';
import { controllerDocuments, rowsOf } from '../../support/controller-rows.ts';
import { whyNoPostgres } from '../../support/postgres-server.ts';

/** Attacks on every route of the pages and of the API, those that are written later among them. */

const address = 'https://trueup.example.com';
const missing = whyNoPostgres();
const script = '<script>alert(1)</script><img src=x onerror=alert(1)>"\'';
const order: readonly Role[] = ['viewer', 'agent', 'operator', 'approver', 'admin'];
const least: Readonly<Record<Exclude<Need, 'self' | 'public'>, Role>> = {
  see: 'viewer',
  propose: 'agent',
  operate: 'operator',
  approve: 'approver',
  administer: 'admin',
};

interface Route {
  readonly method: string;
  readonly url: string;
  readonly act: Need;
}

describe.skipIf(missing !== undefined)(missing ?? 'each page', () => {
  let database: ControllerDatabase;
  const routes: Route[] = [];
  let app: ReturnType<typeof pageFor>;
  const ids = { stack: '', plan: '', run: '', wave: '', source: '' };
  const others = { ...ids };
  const tokenOf = (name: string) => `a-token-of-${name}-for-the-attacks-on-pages`;
  const part: Part = async (own, context) => {
    own.addHook('onRoute', ({ method, url, config }) => {
      for (const one of [method].flat()) routes.push({ method: one, url, act: config?.act ?? 'public' });
    });
    pages(own, context);
    api(own, context);
    await Promise.resolve();
  };

  beforeAll(async () => {
    database = await startControllerDatabase();
    const { plan, result } = await controllerDocuments();
    const write = rowsOf(database.pool, 'trueup_controller');
    for (const [tenant, known] of [
      ['acme', ids],
      ['other', others],
    ] as const) {
      const labels = { customer: tenant, note: script };
      await write.platform(tenant, labels);
      await write.source(tenant, { labels, problem: `${tenant} ${script}` });
      known.stack = `${tenant}:shop/trueup.yaml`;
      await write.stack({ id: known.stack, platform: tenant, labels, problem: `${tenant} ${script}`, pausedFor: 3 });
      known.plan = await write.plan(known.stack, plan);
      await write.verdict(known.plan, `${tenant} ${script}`, true, `${tenant} ${script}`);
      known.source = tenant;
      known.wave = await write.wave(`${tenant} ${script}`, tenant, [[known.stack]]);
      await write.send(
        `insert into @pull (source, number, head, branch, base, is_fork) values ($1, 7, 'a', $2, 'main', true)`,
        [tenant, `${tenant} ${script}`],
      );
      known.run = await write.run(known.stack, { kind: 'apply', cause: script, ending: 'done', document: result });
      for (const subject of [known.stack, 'page']) {
        const about = { because: `${tenant} ${script}` };
        await database.records.note({ who: `${tenant} ${script}`, what: script, subject, about });
      }
    }
    app = pageFor(database.records, {
      tokens: [
        ...order.map((role) => ({ name: role, token: tokenOf(role), role, labels: { customer: 'acme' } })),
        { name: 'other', token: tokenOf('other'), role: 'admin', labels: { customer: 'other' } },
        { name: 'everything', token: tokenOf('everything'), role: 'admin' },
      ],
      roles: [{ user: 'ann', role: 'admin' }],
      parts: [part],
    });
    await app.ready();
  });
  afterAll(async () => {
    await app.close();
    await database.stop();
  });

  /** An address of a route, about what one tenant has. */
  const addressOf = (url: string, about = ids): string =>
    url
      .replace(/\/stacks\/:id/, stackAddress(about.stack))
      .replace(/\/runs\/:id/, `/runs/${about.run}`)
      .replace(/\/waves\/:id/, `/waves/${about.wave}`)
      .replace(/\/sources\/:id/, `/sources/${about.source}`)
      .replace(':number', '7')
      .replace(':digest', about.plan);
  const body = { because: 'x', verdict: 'approve', dataLoss: 'yes', for: '2' };
  const send = (name: string, { method, url }: Route, about = ids) => {
    const headers = { authorization: `Bearer ${tokenOf(name)}`, accept: 'text/html' };
    const payload = method === 'POST' ? { payload: body } : {};
    return app.inject({ method: method as 'GET', url: addressOf(url, about), headers, ...payload });
  };
  const known = ({ url }: Route) => !/\/[:*]/.test(addressOf(url));
  const readings = () => routes.filter(({ method }) => method === 'GET').filter(known);
  const changes = () => routes.filter(({ method }) => method !== 'GET' && method !== 'HEAD').filter(known);
  const ofOne = ({ url }: Route) => /:(?:id|digest)/.test(url);
  const everything = async (): Promise<string> => {
    const tables = ['platform', 'source', 'stack', 'plan', 'verdict', 'run', 'wave', 'pull', 'proposal', 'event'];
    const texts = tables.map(async (name) => {
      const rows = await database.rows<{ text: string }>(
        `select to_jsonb(t)::text as text from @${name} as t order by 1`,
      );
      return rows.map(({ text }) => text).join('\n');
    });
    return (await Promise.all(texts)).join('\n');
  };

  test('is a route with a known address', () => {
    expect(readings().length).toBeGreaterThan(12);
    expect(changes().length).toBeGreaterThan(6);
    expect(routes.filter((route) => !known(route))).toEqual([]);
  });

  test('changes nothing by a GET or a HEAD', async () => {
    const before = await everything();
    for (const route of readings().flatMap((one) => [one, { ...one, method: 'HEAD' }])) {
      expect([route.url, (await send('everything', route)).statusCode]).toEqual([route.url, 200]);
    }
    expect(await everything()).toBe(before);
    for (const route of changes()) expect((await send('everything', { ...route, method: 'GET' })).statusCode).toBe(404);
    expect(await everything()).toBe(before);
  });

  test('needs a sign-in, or is a file of the page itself', async () => {
    for (const { method, url, act } of [...readings(), ...changes()]) {
      const answer = await app.inject({ method: method as 'GET', url: addressOf(url) });
      if (act === 'public') expect(url).toMatch(/^\/assets\//);
      else expect([url, answer.statusCode]).toEqual([url, 401]);
    }
  });

  test('shows nothing of another tenant, and is then as if it were nowhere', async () => {
    for (const route of readings()) {
      const answer = await send('other', route);
      if (ofOne(route)) expect([route.url, answer.statusCode]).toEqual([route.url, 404]);
      expect([route.url, `${JSON.stringify(answer.headers)}${answer.body}`]).toEqual([
        route.url,
        expect.not.stringMatching(/acme/),
      ]);
      const nowhere = await app.inject({
        url: addressOf(route.url, {
          stack: 'no:where',
          plan: 'f'.repeat(64),
          run: '999999',
          wave: '999999',
          source: 'no',
        }),
        headers: { authorization: `Bearer ${tokenOf('other')}`, accept: 'text/html' },
      });
      if (ofOne(route)) expect(nowhere.body).toBe(answer.body);
    }
  });

  test('changes nothing of another tenant', async () => {
    const before = await everything();
    for (const route of changes()) {
      expect([route.url, (await send('other', route)).statusCode]).toEqual([route.url, 404]);
    }
    expect(await everything()).toBe(before);
  });

  test('changes nothing for a role below the one that it needs', async () => {
    const before = await everything();
    for (const route of changes()) {
      if (route.act === 'self' || route.act === 'public') continue;
      for (const role of order.slice(0, order.indexOf(least[route.act]))) {
        expect([route.url, role, (await send(role, route)).statusCode]).toEqual([route.url, role, 403]);
      }
    }
    const noted = await database.rows(`select about from @event where what = 'was refused'`);
    expect(noted.length).toBeGreaterThan(6);
    const kept = (text: string) => text.split('\n').filter((line) => !line.includes('was refused'));
    expect(kept(await everything())).toEqual(kept(before));
  });

  test('changes nothing without the token of a page, or from another site', async () => {
    const browser = browserAt(app, address, { 'x-user': 'ann', 'x-proof': 'proof' });
    const page = (await browser.get(stackAddress(ids.stack))).body;
    const [, token = ''] = /name="_csrf" value="([^"]+)"/.exec(page) ?? [];
    expect(token).not.toBe('');
    const kept = async () => (await everything()).split('\n').filter((line) => !line.includes('was refused'));
    const before = await kept();
    const strange = [
      [{}, {}],
      [{ _csrf: `${token}x` }, {}],
      [{ _csrf: token }, { origin: 'https://evil.example' }],
      [{ _csrf: token }, { 'sec-fetch-site': 'cross-site' }],
    ] as const;
    for (const route of changes())
      for (const [field, headers] of strange) {
        const answer = await browser.post(addressOf(route.url), { ...body, ...field }, headers);
        expect([route.url, answer.statusCode]).toEqual([route.url, 403]);
      }
    expect(await kept()).toEqual(before);
  });

  test('has script of others as text', async () => {
    for (const route of readings()) {
      const query = `?text=${encodeURIComponent(script)}&because=${encodeURIComponent(script)}&who=${encodeURIComponent(script)}`;
      for (const url of [addressOf(route.url), `${addressOf(route.url)}${query}`]) {
        const { body: text, headers } = await app.inject({
          url,
          headers: { authorization: `Bearer ${tokenOf('everything')}` },
        });
        if (!String(headers['content-type']).startsWith('text/html')) continue;
        expect([url, text]).toEqual([url, expect.not.stringMatching(/<script>alert|<img src=x/)]);
        const tags = text.match(/<[a-z][^>]*>/gi) ?? [];
        const names = tags.map((tag) => tag.replaceAll(/="[^"]*"/g, ''));
        expect(names.filter((tag) => /\s(?:on\w+|style)\b|=/i.test(tag))).toEqual([]);
        expect(tags.filter((tag) => /="(?:javascript|data):/i.test(tag))).toEqual([]);
        expect(tags.filter((tag) => tag.startsWith('<script') && !tag.startsWith('<script src="/assets/'))).toEqual([]);
      }
    }
  });

  test('of files is a file of the page, and no other one', async () => {
    await app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = app.server.address() as AddressInfo;
    const paths = [
      '/assets/../package.json',
      '/assets/../../../../etc/passwd',
      '/assets/%2e%2e/%2e%2e/etc/passwd',
      '/assets/..%2f..%2fetc%2fpasswd',
      '/assets/....//....//etc/passwd',
      '/assets/..\\..\\etc\\passwd',
      '/assets/%00/etc/passwd',
      '/assets/page.css/../../../etc/passwd',
      '/assets//etc/passwd',
      '/assets/%c0%ae%c0%ae/etc/passwd',
      '/assets/',
    ];
    for (const path of paths) {
      const socket = connect(port, '127.0.0.1');
      let answer = '';
      socket.on('data', (chunk: Buffer) => void (answer += chunk.toString('latin1')));
      socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
      await once(socket, 'close');
      expect([path, answer.slice(0, 12)]).toEqual([path, expect.stringMatching(/^HTTP\/1\.1 40[04]$/)]);
      expect(answer).not.toContain('root:');
    }
  });

  test('is kept by no cache, unless it is a file of the page', async () => {
    for (const route of readings()) {
      const { headers } = await send('everything', route);
      const kept = route.act === 'public' ? /public/ : /no-store/;
      expect([route.url, headers['cache-control']]).toEqual([route.url, expect.stringMatching(kept)]);
      expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    }
  });

  test('answers strange ids with 404 or 400, and no failure', async () => {
    const strange = ["' or 1=1 --", '%00', '..%2f..', '__proto__', '-1', '9'.repeat(40), '1e9', 'x'.repeat(900)];
    for (const { url } of readings().filter(ofOne))
      for (const id of strange) {
        const path = url.replace(/:(?:id|digest)/, id.includes('%') ? id : encodeURIComponent(id));
        const answer = await app.inject({ url: path, headers: { authorization: `Bearer ${tokenOf('everything')}` } });
        expect([path, answer.statusCode]).toEqual([path, id === '%00' ? 400 : 404]);
      }
    expect(app.failed).toEqual([]);
  });

  test('takes no text that the database cannot hold', async () => {
    const before = await everything();
    const headers = { authorization: `Bearer ${tokenOf('everything')}` };
    for (const because of ['a\0b', 'a\ud800b', '\udc00'])
      for (const { url } of changes()) {
        const payload = { ...body, because };
        const answer = await app.inject({ method: 'POST', url: addressOf(url), headers, payload });
        expect([url, answer.statusCode]).toEqual([url, 400]);
      }
    for (const query of ['?text=%00', '?because=a%00', '?%00=a'])
      expect((await app.inject({ url: `/${query}`, headers })).statusCode).toBe(400);
    expect([app.failed, await everything()]).toEqual([[], before]);
  });
});
