import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect, test } from 'vitest';
import { finish, start, trueup } from '../cli/process.ts';
import { startPostgres, whyNoPostgres } from '../support/postgres-server.ts';

/** The demonstration as somebody who tries the controller sees it. */

const missing = whyNoPostgres();
// The user of PostgreSQL has to enter it.
const place = mkdtempSync(join(tmpdir(), 'trueup-of-demo-'));
chmodSync(place, 0o755);

test.skipIf(missing !== undefined)(
  'the demonstration has something to approve, applies it, and leaves nothing',
  async () => {
    const child = start(['controller', 'demo', '--no-open', '--format', 'json'], { env: { TMPDIR: place } });
    const ended = finish(child);
    let said = '';
    child.stderr.on('data', (text: string) => (said += text));
    await Promise.race([
      once(child.stdout, 'data'),
      ended.then(({ err }) => Promise.reject(new Error(`it ended: ${err}`))),
    ]);
    const link = /Open (http:\S+)/.exec(said)?.[1] ?? '';
    const { origin, searchParams } = new URL(link);
    const body = new URLSearchParams({ code: searchParams.get('code') ?? '' });
    const signedIn = await fetch(`${origin}/sign-in/link`, { method: 'POST', body, redirect: 'manual' });
    const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const page = async (path: string) => (await fetch(`${origin}${path}`, { headers: { cookie } })).text();
    const home = await page('/');
    expect(home).toContain('9 plans wait for approval, 1 stack drifted.');
    // A commit, and the repair of what was changed by hand.
    for (const site of ['berlin', 'vienna']) {
      const stack = await page(`/stacks/sites:${site}.yaml`);
      const [plan = ''] = /\/plans\/[0-9a-f]{64}/.exec(stack) ?? [];
      const [, token = ''] = /name="_csrf" value="([^"]+)"/.exec(await page(plan)) ?? [];
      const verdict = new URLSearchParams({ _csrf: token, verdict: 'approve', because: '' });
      const headers = { cookie, origin };
      const answer = await fetch(`${origin}${plan}/verdict`, {
        method: 'POST',
        body: verdict,
        headers,
        redirect: 'manual',
      });
      expect([site, answer.status]).toEqual([site, 303]);
      await expect.poll(() => page(`/stacks/sites:${site}.yaml`)).toContain('The platform is as the commit wants it.');
    }
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 0 });
    expect(readdirSync(place)).toEqual([]);
  },
);

test.skipIf(missing !== undefined)(
  'it takes a server that is there, by a file too, and drops its database',
  async () => {
    const server = await startPostgres();
    const pool = new pg.Pool({ connectionString: server.url(), max: 1 });
    try {
      const file = join(mkdtempSync(join(tmpdir(), 'trueup-demo-url-')), 'url');
      writeFileSync(file, server.url());
      const child = start(['controller', 'demo', '--no-open', '--format', 'json'], {
        env: { TRUEUP_CONTROLLER_URL_FILE: file, TMPDIR: place },
      });
      const ended = finish(child);
      await Promise.race([
        once(child.stdout, 'data'),
        ended.then(({ err }) => Promise.reject(new Error(`it ended: ${err}`))),
      ]);
      const made = async () =>
        (await pool.query(`select from pg_database where datname like 'trueup\\_demo\\_%'`)).rowCount;
      expect(await made()).toBe(1);
      child.kill('SIGINT');
      expect(await ended).toMatchObject({ code: 0 });
      expect([await made(), readdirSync(place)]).toEqual([0, []]);
    } finally {
      await pool.end();
      server.stop();
    }
  },
);

test('a database that does not answer is said before anything starts', async () => {
  const env = { TRUEUP_CONTROLLER_URL: 'postgres://nobody:nothing@127.0.0.1:9/none' };
  const ran = await trueup(['controller', 'demo', '--no-open'], { env });
  expect([ran.code, ran.out]).toEqual([7, '']);
  expect(ran.err).toContain('cannot be reached');
});
