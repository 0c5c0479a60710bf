import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pages } from '../../../../src/controller/page/pages.ts';
import { proxyHeaders } from '../../../support/controller-person.ts';
import {
  type ControllerDatabase,
  browserAt,
  pageFor,
  startControllerDatabase,
} from '../../../support/controller-pages.ts';
import { whyNoPostgres } from '../../../support/postgres-server.ts';

/** Who ends the session of somebody else. */

const address = 'https://trueup.example.com';
const missing = whyNoPostgres();

describe.skipIf(missing !== undefined)(missing ?? 'sessions', () => {
  let database: ControllerDatabase;
  beforeAll(async () => void (database = await startControllerDatabase()));
  afterAll(() => database.stop());

  test('are seen and ended by who administers everything, with a reason that is noted', async () => {
    const { records, rows } = database;
    const roles = [
      { user: 'ops@example.com', role: 'admin' },
      { user: 'shops@example.com', role: 'admin', labels: { tier: 'shop' } },
      { user: 'lead@example.com', role: 'approver' },
    ] as const;
    const app = pageFor(records, { address, roles, parts: [pages] });
    const as = (name: string) => browserAt(app, address, proxyHeaders(name));
    const [ops, shops, lead] = [as('ops@example.com'), as('shops@example.com'), as('lead@example.com')];
    for (const one of [ops, shops, lead]) expect((await one.get('/me')).statusCode).toBe(200);
    expect((await ops.get('/me')).body).toContain('href="/sessions"');
    expect((await lead.get('/me')).body).not.toContain('href="/sessions"');
    expect([(await shops.get('/sessions')).statusCode, (await lead.get('/sessions')).statusCode]).toEqual([404, 403]);
    const page = (await ops.get('/sessions')).body;
    expect(page).toContain('3 sessions of browsers.');
    for (const cookie of [...ops.cookies.values(), ...lead.cookies.values()]) expect(page).not.toContain(cookie);
    const [row] = await rows<{ digest: string }>('select digest from @session where name = $1', 'lead@example.com');
    const session = row?.digest ?? '';
    expect(page).toContain(`name="session" value="${session}"`);
    const end = async (one: typeof ops, fields: Readonly<Record<string, string>>, from = '/sessions') => {
      const [, token = ''] = /name="_csrf" value="([^"]+)"/.exec((await one.get(from)).body) ?? [];
      return (await one.post('/sessions/end', { ...fields, _csrf: token })).statusCode;
    };
    expect(await end(ops, { session })).toBe(400);
    expect(await end(ops, { session, because: 'lost', _csrf: 'x' }, '/assets/page.css')).toBe(403);
    const names = async () => (await records.sessions(100)).map(({ name }) => name).toSorted();
    expect(await names()).toEqual(['lead@example.com', 'ops@example.com', 'shops@example.com']);
    expect(await end(ops, { session, because: 'the laptop was lost' })).toBe(303);
    expect(await names()).toEqual(['ops@example.com', 'shops@example.com']);
    const [event] = await rows(`select who, subject, about from @event where what = 'ended a session'`);
    expect(event).toEqual({
      who: 'ops@example.com',
      subject: 'page',
      about: { of: 'lead@example.com', because: 'the laptop was lost' },
    });
    expect(await end(ops, { session, because: 'again' })).toBe(409);
    expect(await records.sessionHolds(session)).toBe(false);
    await app.close();
  });
});
