import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createEmulator } from '../../../src/emulator/emulator.ts';
import { serve } from '../../../src/emulator/http-server.ts';
import { apiKey } from '../place.ts';
import { project, trueup } from '../process.ts';
import { keyText } from '../../support/state-key.ts';

/** `show FILE`: a saved plan, as it was printed. */

const servers: { close(): Promise<void> }[] = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));

const secret = 'canary-7f3a-secret';
const env = { TRUEUP_API_KEY: apiKey, TRUEUP_SECRET_DB: secret };

const sections = (tag: string, more = '') => `environments:
  production:
    postgres:
      main: { dockerImage: "postgres:17", databaseName: shop, databaseUser: shop, databasePassword: "\${secret:DB}" }
    compose:
      shop:
        source: { type: raw, composeFile: "services: { web: { image: nginx:${tag} } }" }
        env: { HOST: "\${ref:postgres.main.host}", TAG: ${tag}, PASSWORD: "\${secret:DB}" }
        domains: { shop.example.com: { serviceName: web, port: 80 } }${more}
`;

async function fresh(state = '') {
  const server = await serve(createEmulator({ profile: 'standard', apiKey }));
  servers.push(server);
  const text = (body: string) => `trueup: 1\nplatform: { url: "${server.url}" }\nproject: prj_1\n${state}${body}`;
  const folder = project(text(sections('1')));
  return {
    folder,
    rewrite: (body: string) => writeFileSync(join(folder, 'trueup.yaml'), text(body)),
    run: (...args: readonly string[]) => trueup([...args, '-C', folder], { env, cwd: folder }),
    close: () => server.close(),
  };
}

describe('a plan file is shown as plan printed it', () => {
  it.each(['text', 'json', 'markdown'])('as %s, without the platform and without secrets', async (format) => {
    const { run, rewrite, folder, close } = await fresh();
    const plans = async (...flags: readonly string[]) => {
      const printed = await run('plan', ...flags, '--out', 'plan.trueup', '--format', format);
      expect(printed.code).toBe(0);
      const text = readFileSync(join(folder, 'plan.trueup'), 'utf8');
      for (const word of [secret, 'nginx', 'shop.example.com: ', 'postgres:17']) expect(text).not.toContain(word);
      return { printed, shown: await run('show', 'plan.trueup', '--format', format) };
    };
    const first = await plans();
    expect(first.shown).toEqual(first.printed);
    expect((await run('apply', 'plan.trueup')).code).toBe(0);
    const none = await plans();
    expect(none.shown).toEqual(none.printed);
    rewrite(sections('2', '\n        note: x').replace('\n        note: x', ''));
    const second = await plans('--no-deploy');
    expect(second.shown).toEqual(second.printed);
    const last = await plans('--destroy');
    expect(last.shown).toEqual(last.printed);
    if (format === 'text') expect(last.shown.out).toContain('run:\n  trueup destroy plan.trueup\n');
    await close();
    const alone = await trueup(['show', 'plan.trueup', '--format', format, '-C', folder], { env: {}, cwd: folder });
    expect(alone).toEqual(last.printed);
  });

  it('of a stage by its own key, whatever root file the command line names', async () => {
    const { folder, run } = await fresh();
    renameSync(join(folder, 'trueup.yaml'), join(folder, 'prod.yaml'));
    const planned = await run('plan', '-f', 'prod.yaml', '--out', 'plan.trueup');
    expect(planned.out).toContain('run:\n  trueup -f prod.yaml apply plan.trueup\n');
    expect(await run('show', 'plan.trueup')).toEqual(planned);
    expect(existsSync(join(folder, '.trueup', 'key'))).toBe(false);
  });

  it('from a folder without a manifest, with the key in TRUEUP_STATE_KEY', async () => {
    const { folder, run } = await fresh();
    await run('plan', '--out', 'plan.trueup');
    const elsewhere = project({ 'plan.trueup': readFileSync(join(folder, 'plan.trueup'), 'utf8') });
    const without = await trueup(['show', 'plan.trueup'], { env: {}, cwd: elsewhere });
    expect(without).toMatchObject({ code: 7, out: '' });
    expect(without.err).toContain('there is no key for the state');
    const key = readFileSync(join(folder, '.trueup', 'key'), 'utf8').trim();
    const shown = await trueup(['show', 'plan.trueup'], { env: { TRUEUP_STATE_KEY: key }, cwd: elsewhere });
    expect(shown).toMatchObject({ code: 0, err: '' });
    expect(shown.out).toContain('+ production.compose.shop: create');
    const other = await trueup(['show', 'plan.trueup'], { env: { TRUEUP_STATE_KEY: keyText }, cwd: elsewhere });
    expect(other).toMatchObject({ code: 1, out: '' });
    expect(other.err).toContain('was changed after it was made, or was made with another key; it is not shown');
  });

  it('as a comment with the marker of the manifest, also when the run fails', async () => {
    const { run, rewrite, folder } = await fresh();
    const planned = await run('plan', '--out', 'plan.trueup', '--format', 'markdown');
    const [first = ''] = planned.out.split('\n');
    expect(first).toMatch(/^<!-- trueup:plan:[0-9a-f]{16} -->$/);
    expect(planned.out).toContain('\nTo apply this plan and nothing else: `trueup apply plan.trueup');
    expect(await run('show', 'plan.trueup', '--format', 'markdown')).toEqual(planned);
    const saved = readFileSync(join(folder, 'plan.trueup'), 'utf8');
    rewrite('environments: 7\n');
    const failed = await run('plan', '--format', 'markdown');
    expect(failed).toMatchObject({ code: 3, err: '' });
    expect(failed.out).toMatch(/### Trueup plan: failed, 1 error\n\n```text\n {2}error\[[\w-]+\] trueup\.yaml:4:1\n/);
    expect(failed.out.startsWith(`${first}\n`)).toBe(true);
    const named = await run('plan', '--format', 'markdown', '--marker', 'staging');
    expect(named.out.startsWith('<!-- trueup:plan:staging -->\n')).toBe(true);
    const refused = await run('plan', '--format', 'markdown', '--out', 'plan.trueup', '--link-base', 'https://a:b@c');
    expect(refused.code).toBe(1);
    expect(refused.out).toContain('error[usage]');
    expect(readFileSync(join(folder, 'plan.trueup'), 'utf8')).toBe(saved);
  });

  it('never when it was forged', async () => {
    const { folder, run } = await fresh();
    await run('plan', '--out', 'plan.trueup');
    const path = join(folder, 'plan.trueup');
    const file = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
    for (const change of [{ shown: '' }, { destroys: true }, { madeAt: '2020-01-01T00:00:00.000Z' }]) {
      writeFileSync(path, `${JSON.stringify({ ...file, ...change }, null, 1)}\n`);
      const shown = await run('show', 'plan.trueup');
      expect(shown).toMatchObject({ code: 1, out: '' });
      expect(shown.err).toContain('error[plan-file]');
    }
  });

  it('and a file that is none is refused', async () => {
    const { folder, run } = await fresh();
    mkdirSync(join(folder, 'a'));
    for (const name of ['missing', 'a', 'trueup.yaml']) {
      expect(await run('show', name)).toMatchObject({ code: 1, out: '' });
    }
  });
});
