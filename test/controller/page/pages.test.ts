import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Grant } from '../../../src/controller/page/viewer.ts';
import { newSignInCode } from '../../../src/controller/page/sign-in/link.ts';
import { pages } from '../../../src/controller/page/pages.ts';
import { type Records, recordsIn } from '../../../src/controller/records/all.ts';
import { migrate } from '../../../src/controller/schema.ts';
import { type Person, personAt, proxyHeaders } from '../../support/controller-person.ts';
import { browserAt, pageFor } from '../../support/controller-pages.ts';
import { type ExampleRows, controllerDocuments, exampleRows, rowsOf } from '../../support/controller-rows.ts';
import { type PostgresServer, startPostgres, whyNoPostgres } from '../../support/postgres-server.ts';

/** The pages over a PostgreSQL of their own, as people with several roles get them. */

const schema = 'trueup_controller';
const address = 'https://trueup.example.com';
const checkout = '/stacks/shops:checkout~1trueup.yaml';
const missing = whyNoPostgres();

describe.skipIf(missing !== undefined)(missing ?? 'pages', () => {
  let server: PostgresServer;
  let pool: pg.Pool;
  let records: Records;
  let example: ExampleRows;
  let statements = 0;
  beforeAll(async () => {
    server = await startPostgres();
    pool = new pg.Pool({ connectionString: server.url(), max: 3 });
    pool.on('error', () => undefined);
    await migrate(pool, schema);
    example = await exampleRows(pool, schema);
    const counting = new Proxy(pool, {
      get: (target, name) => {
        if (name === 'query') statements += 1;
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
    records = recordsIn(counting, schema);
  });
  afterAll(async () => {
    await pool.end();
    server.stop();
  });

  /** Somebody with some roles. */
  const as = (name: string, ...grants: readonly Omit<Grant, 'user'>[]): Person => {
    const roles = grants.map((grant) => ({ ...grant, user: name }));
    return personAt(records, { address, name, roles });
  };
  const admin = () => as('ops@example.com', { role: 'admin' });
  const sites = () => as('site@example.com', { role: 'viewer', labels: { tier: 'site' } });
  const statesIn = (body: string) =>
    Object.fromEntries(
      [...body.matchAll(/<li><a class="[\w-]+" href="[^"]*"[^>]*><b>(\d+)<\/b> ([^<]+)</g)].map(([, count, words]) => [
        words,
        Number(count),
      ]),
    );

  test('the first page counts stacks by state, and says which need somebody', async () => {
    const { statusCode: status, body } = await admin().get('/');
    expect(status).toBe(200);
    expect(statesIn(body)).toEqual({
      all: 16,
      failed: 1,
      'waits for approval': 1,
      drifted: 1,
      running: 1,
      approved: 1,
      refused: 1,
      'waits for its wave': 1,
      'planned only': 1,
      'to be planned': 1,
      paused: 1,
      'in step': 6,
      gone: 1,
    });
    expect(body).toContain('1 stack failed, 1 plan waits for approval, 1 stack drifted.');
    expect(body).toContain('The source internal was last read 47 min ago');
  });

  test('no page about a stack names a command or an option: who reads it has neither', async () => {
    const { waiting, repair, done, looked } = example;
    const drift = '/stacks/sites:paris~1trueup.yaml/drift';
    for (const url of [checkout, drift, `/plans/${waiting}`, `/plans/${repair}`, `/runs/${done}`, `/runs/${looked}`]) {
      const { body } = await admin().get(url);
      const words = body.replaceAll(/<pre.*?<\/pre>/gs, '').replaceAll(/<[^>]*>/g, ' ');
      expect([url, words]).not.toEqual([url, expect.stringMatching(/\s--[a-z]|\btrueup [a-z]+ /) as string]);
    }
    const { body } = await admin().get(drift);
    // Its source has no forge that could take a pull request.
    expect(body).toContain('<dd>change the manifest and push it</dd>');
  });

  test('who may see some stacks sees these, and nothing of others on any page', async () => {
    const app = sites();
    const { body } = await app.get('/');
    expect(statesIn(body)).toEqual({ all: 6, drifted: 1, 'in step': 5 });
    const others = [
      checkout,
      `${checkout}/drift`,
      `${checkout}/history`,
      `/plans/${example.waiting}`,
      `/runs/${example.done}`,
      `/runs/${example.going}/events`,
    ];
    const nowhere = ['/stacks/none', `/plans/${'0'.repeat(64)}`, '/plans/x', '/runs/999', '/runs/1e3', "/runs/'"];
    for (const url of [...others, ...nowhere]) expect([url, (await app.get(url)).statusCode]).toEqual([url, 404]);
    for (const url of ['/', '/platforms', '/sources', '/audit', '/audit.csv', '/me']) {
      const page = await app.get(url);
      expect([url, page.statusCode]).toEqual([url, 200]);
      expect(page.body).not.toMatch(/checkout|shops|north|internal|lead@/);
    }
    expect((await app.get(`/runs/${example.looked}`)).statusCode).toBe(200);
  });

  test.each<[string, (all: ExampleRows) => string, RegExp]>([
    ['a stack that waits', () => checkout, /A plan for its commit waits for approval\./],
    [
      'a stack that failed',
      () => '/stacks/shops:search~1trueup.yaml',
      /the container exited with code 1<\/p><p class="problem">Its log on the platform/,
    ],
    [
      'a stack that is paused',
      () => '/stacks/shops:billing-and-invoices-of-all-regions~1trueup.yaml',
      /Paused by <b>ops@example.com<\/b> until/,
    ],
    [
      'a stack with its id in the form of URLs',
      () => `/stacks/${encodeURIComponent('shops:checkout/trueup.yaml')}`,
      /waits for approval/,
    ],
    ['what drifted', () => '/stacks/sites:paris~1trueup.yaml/drift', /Review the repair/],
    ['a stack nobody looked at', () => '/stacks/internal:trueup.yaml/drift', /Not looked at yet/],
    ['a history', () => `${checkout}/history`, /approved by <b>lead@example.com<\/b>: as announced/],
    ['a plan', ({ waiting }) => `/plans/${waiting}`, /I agree that this deletes data/],
    ['a repair', ({ repair }) => `/plans/${repair}`, /Repair of/],
    ['a plan that was superseded', ({ superseded }) => `/plans/${superseded}`, /See the plan that took its place/],
    ['a plan that was refused', ({ refused }) => `/plans/${refused}`, /migrate the database first/],
    [
      'a run that goes on',
      ({ going }) => `/runs/${going}`,
      /<noscript><meta http-equiv="refresh" content="5"><\/noscript>/,
    ],
    ['a run that is over', ({ done }) => `/runs/${done}`, /class="result done"/],
    ['a look at drift', ({ looked }) => `/runs/${looked}`, /Findings/],
    ['waves', () => '/waves', /2 waves go on, 1 stopped\./],
    ['a wave that goes on', ({ wave }) => `/waves/${wave}`, /Step 3 <span class="quiet">open/],
    [
      'a wave that stopped',
      ({ stopped }) => `/waves/${stopped}`,
      /A failure stopped it at <a href="\/stacks\/shops:search/,
    ],
    ['platforms', () => '/platforms', /\/run\/credentials\/north\.key/],
    ['sources', () => '/sources', /Could not resolve host/],
    ['the audit', () => '/audit', /checked with the shop on staging/],
    ['the audit of one thing', () => '/audit?what=paused&who=OPS&since=2020-01-01', /moving the database/],
    ['the audit from a day that is none', () => '/audit?since=2026-02-31', /moving the database/],
    ['nothing that matches', () => '/audit?subject=nowhere', /No entry matches/],
    ['what one may do', () => '/me', /<b>admin<\/b> of 17 stacks/],
    ['stacks with a label', () => '/?label=ring%3Dcanary', /4 stacks/],
  ])('shows %s', async (_what, url, words) => {
    const { statusCode: status, body } = await admin().get(url(example));
    expect(status).toBe(200);
    expect(body).toMatch(words);
  });

  test('who signed in by a link or a provider can sign out, and watches no run any more then', async () => {
    const local = 'http://localhost:8080';
    const link = { code: newSignInCode(), name: 'me' };
    let looks = 0;
    const progressSince: Records['progressSince'] = (...of) => records.progressSince(...of).finally(() => (looks += 1));
    const app = pageFor({ ...records, progressSince }, { address: local, signIn: { link }, parts: [pages] });
    const browser = browserAt(app, local);
    await browser.post('/sign-in/link', { code: link.code });
    const { body } = await browser.get('/me');
    expect(body).toContain('by the link in the terminal');
    const token = /action="\/sign-out"><input type="hidden" name="_csrf" value="([^"]+)"/.exec(body)?.[1] ?? '';
    let isOver = false;
    const watched = browser.get(`/runs/${example.going}/events`).finally(() => (isOver = true));
    // Who signs out before the first look watches nothing.
    await expect.poll(() => looks, { timeout: 20_000 }).toBeGreaterThan(0);
    expect(isOver).toBe(false);
    expect((await browser.post('/sign-out', { _csrf: token })).statusCode).toBe(303);
    const events = (await watched).body;
    expect(events).toMatch(/^event: whole\n/);
    expect(events).toMatch(/event: end\ndata: \{\}\n\n$/);
    expect(app.failed).toEqual([]);
  });

  test('messages that a receiver never took are shown to who administers everything', async () => {
    const name = 'slack /run/credentials/slack';
    await records.setReceivers([{ name, kinds: ['run'], labels: {} }]);
    const text = `insert into ${schema}.message (receiver, kind, subject, about, problem, dead_at)`;
    await pool.query(`${text} values ($1, 'run', 'shops', '{}', 'it answers 404', now())`, [name]);
    const { body } = await admin().get('/sources');
    expect(body).toContain(name);
    expect(body).toMatch(/it answers 404[^]*<span class="badge bad">1<\/span>/);
    expect((await sites().get('/sources')).body).not.toMatch(/slack|404/);
    await records.setReceivers([]);
  });

  test('every page takes at most four statements', async () => {
    const app = admin();
    const urls = [
      '/',
      checkout,
      `${checkout}/history`,
      `/plans/${example.waiting}`,
      `/runs/${example.done}`,
      '/platforms',
      '/sources',
      '/audit',
      '/me',
    ];
    await app.get('/me');
    for (const url of urls) {
      statements = 0;
      await app.get(url);
      expect(statements).toBeLessThanOrEqual(4);
    }
  });

  test('the files of a page are kept by its version, and a page loads no others', async () => {
    const app = admin();
    const { body, headers } = await app.get('/');
    expect(headers['cache-control']).toBe('no-store');
    const files = [...body.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, url]) => url ?? '');
    expect(files).toHaveLength(3);
    for (const url of files) {
      const file = await app.get(url);
      expect([file.statusCode, file.headers['cache-control']]).toEqual([200, 'public, max-age=31536000, immutable']);
    }
    expect(body).not.toMatch(/<style|style="|<script>/);
  });

  describe('who operates', () => {
    const operator = () => as('night@example.com', { role: 'operator', labels: { tier: 'shop' } });
    const stack = '/stacks/shops:accounts~1trueup.yaml';
    const id = 'shops:accounts/trueup.yaml';

    test('pauses a stack until a moment with a reason, and resumes it', async () => {
      const app = operator();
      // By the clock of the database: that of the page may be hours behind.
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 5 * 3_600_000 });
      const paused = await app.post(stack, `${stack}/pause`, { because: 'a fair', for: '4' });
      vi.useRealTimers();
      expect([paused.statusCode, paused.headers.location]).toEqual([303, stack]);
      const { pausedUntil, pausedBy } = (await records.shownStack(id)) ?? {};
      expect(pausedBy).toBe('night@example.com');
      expect((pausedUntil?.getTime() ?? 0) - Date.now()).toBeGreaterThan(3.9 * 3_600_000);
      expect((await app.get(stack)).body).toContain('a fair');
      expect((await app.post(stack, `${stack}/resume`, { because: 'it is over' })).statusCode).toBe(303);
      expect((await records.shownStack(id))?.pausedUntil).toBeNull();
      const events = await records.stackEvents(id, 2);
      expect(events.map(({ who, what }) => [who, what])).toEqual([
        ['night@example.com', 'resumed'],
        ['night@example.com', 'paused'],
      ]);
    });

    test.each([
      ['no reason', { for: '4' }, 'Write a reason'],
      ['no end', { because: 'x', for: 'until' }, 'Write until when'],
      ['an end in the past', { because: 'x', until: '2020-01-01T00:00' }, 'A pause ends after now'],
      ['an end after a year', { because: 'x', for: '9000' }, 'A pause ends after now'],
      ['an end that is no number', { because: 'x', for: 'x' }, 'Write until when'],
    ])('does not pause with %s', async (_what, fields, words) => {
      const { statusCode: status, body } = await operator().post(stack, `${stack}/pause`, fields);
      expect([status, body.includes(words)]).toEqual([400, true]);
      expect((await records.shownStack(id))?.pausedUntil).toBeNull();
    });

    test('has a stack looked at now', async () => {
      expect((await operator().post(stack, `${stack}/run`, {})).headers.location).toBe(stack);
      const { nextLookAt } = (await records.shownStack(id)) ?? {};
      expect(nextLookAt?.getTime()).toBeLessThanOrEqual(Date.now());
    });

    test('does nothing to stacks with other labels, and gives no verdict', async () => {
      const app = as('night@example.com', { role: 'viewer' }, { role: 'operator', labels: { tier: 'shop' } });
      const site = '/stacks/sites:paris~1trueup.yaml';
      expect((await app.get(site)).body).not.toContain('Run now');
      expect((await app.post(stack, `${site}/run`, {})).statusCode).toBe(403);
      expect((await app.post(stack, `${site}/pause`, { because: 'x', for: '4' })).statusCode).toBe(403);
      expect((await app.post(stack, `/plans/${example.waiting}/verdict`, { verdict: 'approve' })).statusCode).toBe(403);
      expect((await app.get(`/plans/${example.waiting}`)).body).toContain('needs the role approver');
    });
  });

  test('a wave is stopped and resumed with a reason, by who may operate all of it', async () => {
    const page = `/waves/${example.wave}`;
    const part = as('part@example.com', { role: 'viewer' }, { role: 'operator', labels: { ring: 'canary' } });
    expect((await part.get(page)).body).not.toContain('Stop the wave');
    const token = '/stacks/sites:lyon~1trueup.yaml';
    expect((await part.post(token, `${page}/stop`, { because: 'x' })).statusCode).toBe(403);
    expect((await sites().get(`/waves/${example.stopped}`)).statusCode).toBe(404);
    const app = admin();
    expect((await app.post(page, `${page}/stop`, { because: 'the disk fills up' })).headers.location).toBe(page);
    expect((await app.get(page)).body).toContain('the disk fills up');
    const late = await app.post(page, `${page}/stop`, { because: 'again' });
    expect([late.statusCode, late.body.includes('It came too late')]).toEqual([409, true]);
    expect((await app.post(page, `${page}/resume`, { because: 'there is room' })).statusCode).toBe(303);
    expect((await records.wave(example.wave))?.stopped).toBeNull();
  });

  test('a wave that stopped at a stack which a viewer may not see says neither its name nor why', async () => {
    const rows = rowsOf(pool, schema);
    await rows.source('mixed');
    const [seen, hidden] = ['mixed:acme/trueup.yaml', 'mixed:rival/trueup.yaml'];
    await rows.stack({ id: seen, labels: { customer: 'acme' } });
    await rows.stack({ id: hidden, labels: { customer: 'rival' } });
    const acme = as('kim@acme.example', { role: 'viewer', labels: { customer: 'acme' } });
    const pageOf = async (stoppedAt: string) =>
      (await acme.get(`/waves/${await rows.wave(stoppedAt, 'mixed', [[seen], [hidden]], { stoppedAt })}`)).body;
    const body = await pageOf(hidden);
    expect(body).toContain('A failure of a stack that your role does not show stopped it ');
    expect(body).not.toMatch(/its apply ended as partly|stacks.mixed:rival/);
    const own = await pageOf(seen);
    expect(own).toContain(
      'A failure stopped it at <a href="/stacks/mixed:acme~1trueup.yaml">mixed:acme/trueup.yaml</a>',
    );
    expect(own).toContain('its apply ended as partly');
  });

  test('a platform counts the stacks alone that a viewer may see: those that failed and run too', async () => {
    const rows = rowsOf(pool, schema);
    await rows.platform('shared');
    await rows.source('two');
    const stack = (name: string, about: { readonly problem?: string; readonly lookedAgo: number }) =>
      rows.stack({ id: `two:${name}/trueup.yaml`, platform: 'shared', labels: { customer: name }, ...about });
    await stack('beta', { lookedAgo: 50 });
    await stack('gamma', { problem: 'x', lookedAgo: 3 });
    await rows.run('two:gamma/trueup.yaml', { kind: 'apply', ago: 1 });
    const rowFor = async (...customers: readonly string[]) => {
      const grants = customers.map((customer) => ({ role: 'viewer', labels: { customer } }) as const);
      const { body } = await as('kim@two.example', ...grants).get('/platforms');
      const [, stacks, looked] = /data-head="Stacks">(.*?)<\/td>[^]*data-head="Looked at">(.*?)<\/td>/.exec(body) ?? [];
      return [stacks, looked].map((one) => one?.replaceAll(/<[^>]*>/g, ''));
    };
    expect(await rowFor('beta')).toEqual(['1', '50 min ago']);
    expect(await rowFor('beta', 'gamma')).toEqual(['2 1 failed 1 running', '3 min ago']);
  });

  test('a run is stopped with a reason, once, and its stack is paused', async () => {
    const rows = rowsOf(pool, schema);
    await rows.stack({ id: 'shops:long/trueup.yaml', labels: { tier: 'shop' }, isBehind: true });
    const page = `/runs/${await rows.run('shops:long/trueup.yaml', { kind: 'apply', ago: 0 })}`;
    const looking = as('part@example.com', { role: 'viewer' }, { role: 'operator', labels: { tier: 'site' } });
    expect((await looking.get(page)).body).not.toContain('Stop this run');
    expect((await looking.post('/stacks/sites:lyon~1trueup.yaml', `${page}/stop`, { because: 'x' })).statusCode).toBe(
      403,
    );
    const app = admin();
    expect((await app.post(page, `${page}/stop`, { because: 'the wrong commit' })).headers.location).toBe(page);
    expect((await app.get(page)).body).toContain('Stopped by <b>ops@example.com</b>: the wrong commit.');
    expect((await app.post(checkout, `${page}/stop`, { because: 'again' })).statusCode).toBe(409);
    expect((await app.get('/stacks/shops:long~1trueup.yaml')).body).toContain('until an operator resumes it');
    await records.endRun(page.replace('/runs/', ''), { ending: 'stopped' });
    const pause = 'The stack is paused until an operator resumes it.';
    expect((await app.get(page)).body).toContain(pause);
    await records.pause(
      { id: 'shops:long/trueup.yaml' },
      { until: undefined, who: 'ops@example.com', because: 'the right commit came' },
    );
    const { body } = await app.get(page);
    expect(body).toContain('Stopped by <b>ops@example.com</b>: the wrong commit.');
    expect(body).not.toMatch(/paused|done again/);
  });

  test.each(['in step', 'drifted'])(
    'a look that ended as %s like the one before it leads to what that found',
    async (ending) => {
      const { drift } = await controllerDocuments();
      const id = `shops:${ending.replace(' ', '-')}/trueup.yaml`;
      await rowsOf(pool, schema).stack({ id, labels: { tier: 'shop' } });
      const look = async () => {
        const run = await records.beginRun({ id }, { kind: 'drift', cause: 'look', commit: 'c1', worker: 'w' });
        await records.endRun(run, { ending, document: drift as never });
        return { run, body: (await admin().get(`/runs/${run}`)).body };
      };
      const first = await look();
      expect(first.body).toContain('Findings');
      await look();
      const { body } = await look();
      expect(body).toContain('It found the same as the look before it.');
      expect(body).toContain(`<a href="/runs/${first.run}">See run ${first.run}</a>`);
    },
  );

  test('a run that failed says why it did, and not why another one of its stack did', async () => {
    const id = 'shops:twice/trueup.yaml';
    await rowsOf(pool, schema).stack({ id, labels: { tier: 'shop' } });
    const fail = async (failure: string) => {
      const run = await records.beginRun({ id }, { kind: 'plan', cause: 'commit', commit: 'c1', worker: 'w' });
      await records.endRun(run, { ending: 'failed', failure });
      await records.stackFailed(id, { problem: failure, commit: 'c1', ending: 'failed' });
      return run;
    };
    const first = await fail('the platform is away');
    const second = await fail('the key is not accepted');
    const bodyOf = async (run: string) => (await admin().get(`/runs/${run}`)).body;
    expect(await bodyOf(first)).toContain('the platform is away');
    expect(await bodyOf(first)).not.toContain('the key is not accepted');
    expect(await bodyOf(second)).toContain('the key is not accepted');
  });

  test('who wrote the commit does not approve its plan where four eyes have to see it, and may refuse', async () => {
    const rows = rowsOf(pool, schema);
    await rows.stack({ id: 'shops:own/trueup.yaml', labels: { tier: 'shop' }, isBehind: true });
    const page = `/plans/${await rows.plan('shops:own/trueup.yaml', (await records.shownPlan(example.waiting))?.document ?? {})}`;
    const person = (name: string) =>
      personAt(records, { address, name, roles: [{ user: name, role: 'approver' }], fourEyes: true });
    const author = person('dev@example.com');
    const { body } = await author.get(page);
    expect(body).toContain('You wrote this commit');
    expect(body).not.toContain('value="approve"');
    const complete = { verdict: 'approve', because: 'mine', dataLoss: 'yes' };
    expect((await author.post(page, `${page}/verdict`, complete)).statusCode).toBe(422);
    expect((await person('lead@example.com').post(page, `${page}/verdict`, complete)).statusCode).toBe(303);
    expect((await author.post(page, `${page}/verdict`, { verdict: 'refuse', because: 'a mistake' })).statusCode).toBe(
      303,
    );
  });

  describe('who approves', () => {
    const approver = (name = 'lead@example.com') => as(name, { role: 'approver', labels: { tier: 'shop' } });
    /** A plan of a stack of its own. */
    const plan = async (name: string) => {
      const rows = rowsOf(pool, schema);
      const id = `shops:${name}/trueup.yaml`;
      await rows.stack({ id, labels: { tier: 'shop' }, isBehind: true });
      const document = (await records.shownPlan(example.waiting))?.document ?? {};
      const digest = await rows.plan(id, document);
      return { rows, id, digest, page: `/plans/${digest}`, form: `/plans/${digest}/verdict` };
    };
    const complete = { verdict: 'approve', because: 'as announced', dataLoss: 'yes' };

    test('approves a plan, with consent to what it deletes', async () => {
      const { digest, page, form } = await plan('one');
      const answer = await approver().post(page, form, complete);
      expect([answer.statusCode, answer.headers.location]).toEqual([303, page]);
      expect((await records.shownPlan(digest))?.verdicts).toMatchObject([
        { who: 'lead@example.com', role: 'approver', approves: true, because: 'as announced' },
      ]);
      expect((await approver().get(page)).body).toContain('The next free worker applies it');
    });

    test.each([
      ['no consent', { verdict: 'approve', because: 'as announced' }, 'This plan deletes data'],
      ['consent without a reason', { verdict: 'approve', dataLoss: 'yes' }, 'Write why this data may be deleted'],
      ['a refusal without a reason', { verdict: 'refuse' }, 'Write why you refuse it'],
    ])('is asked again after %s, and keeps what was written', async (what, fields, words) => {
      const { digest, page, form } = await plan(what.replaceAll(' ', '-'));
      const { statusCode: status, body } = await approver().post(page, form, fields);
      expect(status).toBe(422);
      expect(body).toContain(words);
      if ('because' in fields) expect(body).toContain(`>${fields.because}</textarea>`);
      expect((await records.shownPlan(digest))?.verdicts).toEqual([]);
    });

    test('refuses with a reason', async () => {
      const { page, form } = await plan('two');
      expect((await approver().post(page, form, { verdict: 'refuse', because: 'not on a Friday' })).statusCode).toBe(
        303,
      );
      expect((await approver().get(page)).body).toContain('not on a Friday');
    });

    test('hears that a new commit came in between', async () => {
      const { rows, digest, page, form } = await plan('three');
      await rows.send('update @plan set superseded_at = now() where digest = $1', [digest]);
      const { statusCode: status, body } = await approver().post(checkout, form, complete);
      expect(status).toBe(409);
      expect(body).toContain('Your approval came too late');
      expect(body).toContain('The stack wants commit');
      expect(body).toContain('as announced');
      expect(body).toContain(`href="${page}"`);
    });

    test('hears who refused in between', async () => {
      const { page, form } = await plan('four');
      const app = approver();
      await app.post(page, form, { verdict: 'refuse', because: 'the disk is full' });
      const { statusCode: status, body } = await approver('second@example.com').post(checkout, form, complete);
      expect(status).toBe(303); // a verdict on a refused plan is noted, and changes nothing
      expect(body).toBe('');
      expect((await approver().get(page)).body).toContain('the disk is full');
    });

    test('gives one approval, and may refuse afterwards', async () => {
      const { page, form } = await plan('five');
      const app = approver();
      await app.post(page, form, complete);
      const again = await app.post(page, form, complete);
      expect([again.statusCode, again.body.includes('You had given your verdict before')]).toEqual([409, true]);
      expect((await app.post(page, form, { verdict: 'refuse', because: 'wait' })).statusCode).toBe(303);
      expect((await app.get(page)).body).not.toContain('<textarea');
    });
  });

  describe('a form that is refused', () => {
    const form = 'because=the+disk+is+full&verdict=refuse&_csrf=old';
    const sent = async (headers: Readonly<Record<string, string>>) => {
      const roles = [{ user: 'ops@example.com', role: 'admin' }] as const;
      const app = pageFor(records, { address, roles, parts: [pages] });
      const type = 'application/x-www-form-urlencoded';
      return app.inject({
        method: 'POST',
        url: `/plans/${example.waiting}/verdict`,
        headers: { accept: 'text/html', 'content-type': type, ...headers },
        payload: form,
      });
    };
    test('after the session has ended keeps what was written, for a sign-in that leads back', async () => {
      const answer = await sent({ origin: address });
      expect(answer.statusCode).toBe(401);
      expect(answer.body).toContain('the disk is full');
      expect(answer.body).toContain(`href="/plans/${example.waiting}?because=the+disk+is+full"`);
      const back = await admin().get(`/plans/${example.waiting}?because=the+disk+is+full`);
      expect(back.body).toContain('>the disk is full</textarea>');
    });
    test('with the token of an earlier session keeps it too', async () => {
      const answer = await sent({ origin: address, ...proxyHeaders('ops@example.com') });
      expect([answer.statusCode, answer.body.includes('the disk is full')]).toEqual([403, true]);
    });
    test.each([{ origin: 'https://elsewhere.example' }, { origin: address, 'sec-fetch-site': 'cross-site' }, {}])(
      'shows nothing that another site sent: %j',
      async (headers) => {
        const answer = await sent({ ...headers });
        expect([answer.statusCode, answer.body.includes('the disk')]).toEqual([303, false]);
        expect(answer.headers.location).toMatch(/^\/sign-in\?to=/);
      },
    );
  });

  test('the CSV has what the audit has', async () => {
    const { body, headers } = await admin().get('/audit.csv?what=paused');
    expect(headers['content-type']).toBe('text/csv; charset=utf-8');
    const lines = body.trim().split('\r\n');
    expect(lines[0]).toBe('id,at,who,what,subject,because,about');
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.slice(1).every((line) => line.includes(',paused,'))).toBe(true);
  });
});
