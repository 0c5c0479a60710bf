import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createEmulator } from '../../../src/emulator/emulator.ts';
import { serve } from '../../../src/emulator/http-server.ts';
import { localStore } from '../../../src/state/backends/local.ts';
import { apiKey } from '../place.ts';
import { documentOf, project, trueup } from '../process.ts';

/** `state mv` and `state rm`. */

const servers: { close(): Promise<void> }[] = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));

const env = { TRUEUP_API_KEY: apiKey, TRUEUP_SECRET_DB: 'correct-horse-1' };
const password = 'databasePassword: "${secret:DB}"';
const environment = (redis: string) => `environments: { production: { redis: { ${redis} } } }\n`;
const redis = (key: string, more = '') => `${key}: { name: cache, dockerImage: "redis:8", ${password}${more} }`;

async function applied(body: string) {
  const emulator = createEmulator({ profile: 'standard', apiKey });
  const server = await serve(emulator);
  servers.push(server);
  const text = (written: string) => `trueup: 1\nplatform: { url: "${server.url}" }\nproject: prj_1\n${written}`;
  const folder = project(text(body));
  const run = (...args: readonly string[]) => trueup([...args, '-C', folder], { env });
  expect(await run('apply', '--auto-approve', '--adopt')).toMatchObject({ code: 0 });
  emulator.log.splice(0);
  return {
    run,
    folder,
    emulator,
    rewrite: (written: string) => writeFileSync(join(folder, 'trueup.yaml'), text(written)),
    break: () => writeFileSync(join(folder, 'trueup.yaml'), text('environments: { production: { nonsense: 1 } }\n')),
    state: () => readFileSync(join(folder, '.trueup', 'state.json'), 'utf8'),
  };
}

describe('state mv', () => {
  it('gives a resource another address; with the block renamed, the next plan is empty', async () => {
    const at = await applied(environment(redis('old')));
    const before = at.state();
    const dry = await at.run('state', 'mv', 'production.redis.old', 'production.redis.new', '--dry-run');
    expect(dry).toMatchObject({ code: 0, err: '' });
    expect(dry.out).toMatch(
      /^would move production\.redis\.old to production\.redis\.new \S+\nNothing was written\.\n$/,
    );
    expect(at.state()).toBe(before);
    at.break(); // it does not need the blocks of the manifest
    const moved = await at.run('state', 'mv', 'production.redis.old', 'production.redis["new"]', '--format', 'json');
    expect(moved).toMatchObject({ code: 0, err: '' });
    expect(documentOf(moved)).toMatchObject({
      format: 'trueup/state-edit',
      dryRun: false,
      moved: [{ from: 'production.redis.old', to: 'production.redis.new', kind: 'redis' }],
      removed: [],
    });
    expect(at.emulator.log).toEqual([]);
    at.rewrite(environment(redis('new')));
    // The digest of the password still fits.
    expect((await at.run('plan', '--detailed-exitcode')).out).toContain('No changes.');
    expect((await at.run('apply', '--auto-approve')).code).toBe(0);
    expect((await at.run('plan', '--detailed-exitcode')).code).toBe(0);
  });

  it('is refused where something is there, or where there is no state', async () => {
    const at = await applied(environment(`${redis('a')}, ${redis('b').replace('name: cache', 'name: other')}`));
    const before = at.state();
    const moved = await at.run('state', 'mv', 'production.redis.a', 'production.redis.b');
    expect(moved).toMatchObject({ code: 1, out: '' });
    expect(moved.err).toContain('the state has a resource production.redis.b already');
    expect(at.state()).toBe(before);
    const folder = project('trueup: 1\nplatform: emulator\nproject: prj_1\n');
    const none = await trueup(['state', 'mv', 'a', 'b', '-C', folder], { env });
    expect(none).toMatchObject({ code: 1, out: '' });
    expect(none.err).toContain('there is no state');
  });
});

describe('state rm', () => {
  it('asks, and leaves the object on the platform', async () => {
    const at = await applied(environment(redis('main', ', protect: true')));
    const before = at.state();
    const unasked = await at.run('state', 'rm', 'production.redis.main');
    expect(unasked).toMatchObject({ code: 1, out: '' });
    expect(unasked.err).toContain('add --yes: remove 1 object from the state');
    expect((await at.run('state', 'rm', 'production', '--dry-run')).out).toContain(
      'would remove production.redis.main',
    );
    expect(at.state()).toBe(before);
    const removed = await at.run('state', 'rm', 'production.redis.main', '--yes');
    expect(removed).toMatchObject({ code: 0, err: '' });
    expect(removed.out).toMatch(
      /^removed production\.redis\.main \S+, its protection too\nThe platform was not touched\./,
    );
    expect((await at.run('state', 'list')).out).not.toContain('redis');
    expect(at.emulator.log).toEqual([]);
    at.rewrite('environments: { production: {} }\n');
    expect((await at.run('plan', '--detailed-exitcode')).code).toBe(0);
    expect(Object.keys(at.emulator.world.tables.redis)).toHaveLength(1);
  });

  it('says in JSON what it removed, and what was protected', async () => {
    const at = await applied(environment(redis('main', ', protect: true')));
    const removed = documentOf(await at.run('state', 'rm', 'production.redis.main', '--yes', '--format', 'json'));
    expect(removed).toMatchObject({ removed: [{ address: 'production.redis.main', kind: 'redis', protected: true }] });
    expect((await at.run('plan')).out).toContain('exists on the platform');
    expect((await at.run('apply', '--auto-approve', '--adopt')).code).toBe(0);
    expect((await at.run('plan', '--detailed-exitcode')).code).toBe(0);
  });

  it('waits for the lock, and writes nothing while another run holds it', async () => {
    const at = await applied(environment(redis('main')));
    const before = at.state();
    const store = localStore(join(at.folder, '.trueup'));
    await store.lock({ purpose: 'apply' });
    expect((await at.run('state', 'rm', 'production.redis.main', '--yes')).code).toBe(5);
    expect((await at.run('state', 'mv', 'production.redis.main', 'production.redis.new')).code).toBe(5);
    expect(at.state()).toBe(before);
    await store.close();
  });

  it('names what is near to a wrong address', async () => {
    const at = await applied(environment(redis('main')));
    const wrong = await at.run('state', 'rm', 'production.redis.mian', '--yes');
    expect(wrong.err).toContain('Did you mean production.redis.main?');
  });
});
