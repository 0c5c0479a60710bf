import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Grant } from '../../../../src/controller/page/viewer.ts';
import { api } from '../../../../src/controller/page/api.ts';
import { pages } from '../../../../src/controller/page/pages.ts';
import { type ControllerDatabase, pageFor, startControllerDatabase } from '../../../support/controller-pages.ts';
import { personAt } from '../../../support/controller-person.ts';
import { exampleRows } from '../../../support/controller-rows.ts';
import { whyNoPostgres } from '../../../support/postgres-server.ts';

/** Who has drift proposed, and who lets a commit of a stranger be planned. */

const tokens = [
  { name: 'viewer', token: 'a-token-for-somebody-who-looks-at-sites', role: 'viewer', labels: { tier: 'site' } },
  { name: 'agent', token: 'a-token-for-an-agent-that-proposes-only', role: 'agent', labels: { tier: 'site' } },
  { name: 'approver', token: 'a-token-for-the-approver-of-everything', role: 'approver', labels: {} },
  { name: 'shops', token: 'a-token-for-the-admin-of-the-shops-only', role: 'admin', labels: { tier: 'shop' } },
  { name: 'all', token: 'a-token-for-the-admin-of-everything-111', role: 'admin', labels: {} },
] as const;

const missing = whyNoPostgres();

describe.skipIf(missing !== undefined)(missing ?? 'an act at a forge', () => {
  let database: ControllerDatabase;
  let app: FastifyInstance;
  beforeAll(async () => {
    database = await startControllerDatabase();
    await exampleRows(database.pool, 'trueup_controller');
    app = pageFor(database.records, { parts: [pages, api], tokens });
  });
  afterAll(() => database.stop());

  const post = async (who: (typeof tokens)[number]['name'], url: string, payload: object = {}) => {
    const authorization = `Bearer ${tokens.find(({ name }) => name === who)?.token ?? ''}`;
    return (await app.inject({ method: 'POST', url: `/api/v1${url}`, headers: { authorization }, payload })).statusCode;
  };
  const paris = '/stacks/sites:paris~1trueup.yaml';

  test('proposes drift once, for who may, where the source has a forge', async () => {
    expect(await post('agent', `${paris}/propose`)).toBe(422);
    await database.rows(`update @source set forge = 'forgejo', forge_token_file = '/run/credentials/forge'`);
    const { records } = database;
    expect([await post('viewer', `${paris}/propose`), await post('shops', `${paris}/propose`)]).toEqual([403, 404]);
    expect(await records.proposal('sites:paris/trueup.yaml')).toBeUndefined();
    expect([await post('agent', `${paris}/propose`), await post('all', `${paris}/propose`)]).toEqual([200, 200]);
    expect(await records.proposal('sites:paris/trueup.yaml')).toMatchObject({ who: 'token:agent', number: null });
    const events = await database.rows(`select who from @event where what = 'proposed the drift'`);
    expect(events).toEqual([{ who: 'token:agent' }]);
  });

  test('proposes no drift where workers that reach no forge reach the platform', async () => {
    const { records } = database;
    const lyon = '/stacks/sites:lyon~1trueup.yaml';
    await database.rows(`insert into @site (id, labels) values (7, '{"site": "lyon"}')`);
    await database.rows(`update @platform set site = 7 where id = 'south'`);
    expect(await post('agent', `${lyon}/propose`)).toBe(422);
    expect(await records.proposal('sites:lyon/trueup.yaml')).toBeUndefined();
    await database.rows(`update @platform set site = 0 where id = 'south'`);
    expect(await post('agent', `${lyon}/propose`)).toBe(200);
  });

  test('lets a commit of a stranger be planned for who administers all of the source, and that commit alone', async () => {
    const { records } = database;
    const head = 'c'.repeat(40);
    const pull = { number: 7, head, branch: 'x', base: 'main', isFork: true };
    await records.sawPulls('sites', [pull, { ...pull, number: 8, isFork: false }]);
    const allow = '/sites/pulls/7/allow';
    const body = { commit: head, because: 'I have read it' };
    for (const [who, status] of [
      ['viewer', 403],
      ['approver', 403],
      ['shops', 404],
    ] as const)
      expect([who, await post(who, `/sources${allow}`, body)]).toEqual([who, status]);
    expect(await post('all', `/sources${allow}`, { commit: head })).toBe(400);
    expect(await post('all', `/sources${allow}`, { ...body, commit: 'd'.repeat(40) })).toBe(409);
    expect(await post('all', '/sources/sites/pulls/8/allow', body)).toBe(409);
    expect(await post('all', '/sources/none/pulls/7/allow', body)).toBe(404);
    expect(await records.pull('sites', 7)).toMatchObject({ isAllowed: false });
    expect([await post('all', `/sources${allow}`, body), await post('all', `/sources${allow}`, body)]).toEqual([
      204, 409,
    ]);
    expect(await records.pull('sites', 7)).toMatchObject({ isAllowed: true });
    const back = '/sources/sites/pulls/7/take-back';
    const why = { commit: head, because: 'It was a mistake' };
    expect([await post('approver', back, why), await post('shops', back, why)]).toEqual([403, 404]);
    expect(await post('all', back, { ...why, commit: 'd'.repeat(40) })).toBe(409);
    expect([
      await post('all', back, { commit: head }),
      await post('all', back, why),
      await post('all', back, why),
    ]).toEqual([400, 204, 409]);
    expect(await records.pull('sites', 7)).toMatchObject({ isAllowed: false });
    expect(await post('all', `/sources${allow}`, body)).toBe(204);
    await records.sawPulls('sites', [{ ...pull, head: 'e'.repeat(40) }]);
    expect(await records.pull('sites', 7)).toMatchObject({ isAllowed: false });
  });

  test('lists pull requests, and lets a commit of a stranger be planned by a form, for who may', async () => {
    const { records, rows } = database;
    const head = 'c'.repeat(40);
    const of = { head, branch: 'x', base: 'main', isFork: true, author: 'mallory' };
    await rows('delete from @pull');
    await records.sawPulls('sites', [
      { ...of, number: 7 },
      { ...of, number: 8, isFork: false, author: undefined },
    ]);
    const planned = { source: 'sites', number: 7, head, branch: 'x', base: 'main', isFork: true, isAllowed: false };
    const paths = ['paris/trueup.yaml', 'lyon/trueup.yaml'];
    const plans = paths.map((path) => ({ path, document: null, problem: path.startsWith('p') ? null : 'a <b>' }));
    await records.keepPullPlans(planned, plans, { isOver: true });
    const unread = { ...planned, number: 8, isFork: false };
    const away = { path: '.', document: null, problem: 'cannot read the source' };
    await records.keepPullPlans(unread, [away], { isOver: false });
    const page = '/sources/sites/pulls';
    const person = (name: string, ...grants: readonly Omit<Grant, 'user'>[]) =>
      personAt(records, {
        address: 'https://trueup.example.com',
        name,
        roles: grants.map((grant) => ({ ...grant, user: name })),
      });
    const admin = person('ops@example.com', { role: 'admin' });
    expect((await admin.get('/sources')).body).toContain('href="/sources/sites/pulls">2 pull requests</a>');
    const { body } = await admin.get(page);
    for (const words of ['mallory', 'from another repository into main', 'from x into main', 'is valid; not planned'])
      expect(body).toContain(words);
    for (const words of ['A worker plans it again.', 'cannot read the source']) expect(body).toContain(words);
    expect(body).toContain('a &#60;b&#62;');
    expect(body.match(/Allow this commit/g)).toHaveLength(1);
    // What is read is the commit that the form names, whatever the forge has as its last one.
    expect(body).toContain(`This allows commit <code>${head}</code>. Read its changes at the forge first`);
    for (const [forge, path] of [
      ['forgejo', 'compare'],
      ['github', 'compare'],
      ['gitlab', '-/compare'],
    ]) {
      await rows(
        `update @source set forge = $1, url = 'https://git.example.com/shop/infra.git' where id = 'sites'`,
        forge,
      );
      const address = `https://git.example.com/shop/infra/${path}/main...${head}`;
      expect((await admin.get(page)).body).toContain(`Read <a href="${address}">its changes</a>`);
    }
    // Who sees one stack of the source sees its plans alone; who administers some alone gets no form.
    const some = person('site@example.com', { role: 'admin', labels: { tier: 'site', ring: 'canary' } });
    const seen = (await some.get(page)).body;
    expect([seen.includes('lyon/'), seen.includes('paris/'), seen.includes('Allow this commit')]).toEqual([
      true,
      false,
      false,
    ]);
    expect(seen).toContain('cannot read the source');
    expect(seen).toContain('Who administers all stacks of this source lets a commit of a stranger be planned.');
    const allow = `${page}/7/allow`;
    const form = { commit: head, because: 'I have read it' };
    expect((await some.post(page, allow, form)).statusCode).toBe(403);
    const nobody = person('shop@example.com', { role: 'admin', labels: { tier: 'shop' } });
    // Without the page there is no token for its form.
    expect([(await nobody.get(page)).statusCode, (await nobody.post(page, allow, form)).statusCode]).toEqual([
      404, 403,
    ]);
    expect((await admin.post(page, allow, { commit: head })).statusCode).toBe(400);
    const late = await admin.post(page, allow, { ...form, commit: 'd'.repeat(40) });
    expect([late.statusCode, late.body]).toEqual([409, expect.stringContaining('You wrote: I have read it')]);
    expect(await records.pull('sites', 7)).toMatchObject({ isAllowed: false });
    const done = await admin.post(page, allow, form);
    expect([done.statusCode, done.headers.location]).toEqual([303, page]);
    expect(await records.pull('sites', 7)).toMatchObject({ isAllowed: true });
    const after = (await admin.get(page)).body;
    expect(after).toContain('<span class="badge info">allowed</span>');
    expect(after).not.toContain('Allow this commit');
    const [event] = await rows<{ about: object }>(
      `select about from @event where what = 'allowed a plan' and who = $1`,
      'ops@example.com',
    );
    expect(event?.about).toEqual({ pull: 7, commit: head, because: 'I have read it' });
    expect(after).toContain(`Take back what commit ${head.slice(0, 12)} was allowed`);
    expect((await some.get(page)).body).not.toContain('Take back');
    const back = `${page}/7/take-back`;
    const reason = { commit: head, because: 'It was a mistake' };
    expect((await some.post(page, back, reason)).statusCode).toBe(403);
    expect((await admin.post(page, back, reason)).headers.location).toBe(page);
    expect((await admin.post(page, back, reason)).statusCode).toBe(409);
    expect(await records.pull('sites', 7)).toMatchObject({ isAllowed: false });
    const [taken] = await rows<{ about: object }>(`select about from @event where what = 'took back a plan'`);
    expect(taken?.about).toEqual({ pull: 7, commit: head, because: 'It was a mistake' });
  });

  test('shows the button where drift can be proposed, then what became of it, and why a forge was not told', async () => {
    const { records } = database;
    const get = async (url: string): Promise<string> => {
      const authorization = `Bearer ${tokens[4].token}`;
      return (await app.inject({ method: 'GET', url, headers: { authorization, accept: 'text/html' } })).body;
    };
    await database.rows(`update @source set forge = 'forgejo', forge_token_file = '/run/credentials/forge'`);
    await database.rows('delete from @proposal');
    const button = 'Propose as a pull request';
    const way = '<dd>propose it as a pull request, or change the manifest and push it</dd>';
    for (const words of [button, way]) expect(await get(`${paris}/drift`)).toContain(words);
    const id = 'sites:paris/trueup.yaml';
    await records.propose(id, 'alex');
    expect(await get(`${paris}/drift`)).not.toContain(button);
    await records.proposalShown(id, { number: 12, shown: 'x' });
    expect(await get(`${paris}/drift`)).toContain('Pull request 12 adopts this drift');
    await records.proposalBrought(id, 'x', 'its value is <b>a secret</b>');
    expect(await get(`${paris}/drift`)).toMatch(/its value is &#60;b&#62;a secret/);
    await records.forgeAnswered('sites', 'the forge answered 401 to POST /x', 600);
    expect(await get('/sources')).toContain('the forge answered 401 to POST /x');
  });
});
