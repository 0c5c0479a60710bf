import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createEmulator } from '../../../src/emulator/emulator.ts';
import { serve } from '../../../src/emulator/http-server.ts';
import { apiKey } from '../place.ts';
import { documentOf, documentsOf, project, trueup } from '../process.ts';

/** `--target`, `--exclude` and `--replace` on the command line. */

const servers: { close(): Promise<void> }[] = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));

const env = { TRUEUP_API_KEY: apiKey };
const redis = (...keys: readonly string[]) =>
  `environments: { production: { redis: { ${keys.map((key) => `${key}: { dockerImage: "redis:8", databasePassword: correct-horse-1 }`).join(', ')} } } }\n`;
const many = Array.from({ length: 13 }, (_, index) => `k${index + 10}`);

async function fresh(body: string) {
  const server = await serve(createEmulator({ profile: 'standard', apiKey }));
  servers.push(server);
  const text = (written: string) => `trueup: 1\nplatform: { url: "${server.url}" }\nproject: prj_1\n${written}`;
  const folder = project(text(body));
  return {
    folder,
    run: (...args: readonly string[]) => trueup([...args, '-C', folder], { env, cwd: folder }),
    rewrite: (written: string) => writeFileSync(join(folder, 'trueup.yaml'), text(written)),
  };
}

describe('a narrowed plan', () => {
  it('says so at its head and its foot, and what it leaves out', async () => {
    const { run } = await fresh(redis('main', ...many));
    const target = ['--target', 'production.redis.main', '--no-deploy'];
    const planned = await run('plan', ...target, '--detailed-exitcode');
    expect(planned).toMatchObject({ code: 2, err: '' });
    expect(planned.out).toMatch(
      /^platform .*\nproject .*\nstate .*\n\nThis plan is narrowed to production\.redis\.main\.\n\n/,
    );
    const left = many.slice(0, 10).map((key) => `production.redis.${key} (create)`);
    expect(planned.out).toContain(
      `\nThis plan is narrowed to production.redis.main; 13 changes are left out: ${left.join(', ')} and 3 more.\n`,
    );
    expect(planned.out).toContain('\nPlan: 1 to create, 1 to adopt.\n');
    const full = await run('plan', ...target, '--full');
    expect(full.out).toContain('production.redis.k22 (create).\n');
    const document = documentOf(await run('plan', ...target, '--format', 'json'));
    if (document.format !== 'trueup/plan') throw new Error('no plan');
    expect(document.actions.map(({ address }) => address)).toEqual(['production', 'production.redis.main']);
    expect(document.summary).toEqual({ create: 1, adopt: 1 });
    expect(document.narrowed?.targets).toEqual(['production.redis.main']);
    expect(document.narrowed?.leftOut).toHaveLength(13);
    expect(document.narrowed?.leftOut[0]).toEqual({ address: 'production.redis.k10', action: 'create' });
  });

  it('is applied, shown from its file, and then has no changes of its own', async () => {
    const { run, rewrite } = await fresh(redis('a', 'b'));
    const exclude = ['--exclude', 'production.redis.b'];
    const planned = await run('plan', ...exclude, '--out', 'plan.trueup');
    expect(planned.out).toContain('This plan is narrowed to everything without production.redis.b.\n');
    expect(planned.out).toContain('; 2 changes are left out: production.redis.b (create, deploy).\n');
    expect(await run('show', 'plan.trueup')).toEqual(planned);
    for (const option of ['--target', '--exclude', '--replace']) {
      const refused = await run('apply', 'plan.trueup', option, 'production');
      expect(refused).toMatchObject({ code: 1, out: '' });
      expect(refused.err).toContain(`${option} cannot be combined with a plan file`);
    }
    const applied = await run('apply', 'plan.trueup');
    expect(applied.code).toBe(0);
    expect(applied.out).toContain('The plan left out 2 changes: trueup plan shows what is left.\n');
    const again = await run('plan', ...exclude, '--detailed-exitcode');
    expect(again.code).toBe(0);
    expect(again.out).toContain('No changes in what the plan is narrowed to.\n');
    expect(again.out).not.toContain('matches the manifest');
    expect((await run('plan', '--detailed-exitcode')).code).toBe(2);
    const rest = await run('apply', '--target', 'production.redis', '--auto-approve', '--format', 'json');
    expect(documentsOf(rest).at(-1)).toMatchObject({ format: 'trueup/result', ending: 'done' });
    expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
    rewrite(redis('a'));
    const destroyed = await run('destroy', '--target', 'production.redis.a', '--auto-approve', '--allow-data-loss');
    expect(destroyed.code).toBe(0);
    expect((await run('state', 'list')).out).toContain('production.redis.b');
    const deletes = documentOf(await run('plan', '--destroy', '--exclude', 'production.redis', '--format', 'json'));
    expect(deletes).toMatchObject({ hasChanges: false, narrowed: { leftOut: [{}, {}] } });
  });

  it('is refused for an address that names nothing', async () => {
    const { run } = await fresh(redis('main'));
    const refused = await run('plan', '--target', 'production.redis.mian');
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toContain('Did you mean production.redis.main?');
    expect((await run('plan', '--destroy', '--replace', 'production')).err).toContain('cannot be combined');
  });
});

describe('a replacement on purpose', () => {
  it('is shown as one, and needs the permission to lose data', async () => {
    const { run } = await fresh(redis('main'));
    await run('apply', '--auto-approve', '--adopt');
    const replace = ['--replace', 'production.redis.main'];
    const planned = await run('plan', ...replace);
    expect(planned.out).toMatch(
      /-\/\+ production\.redis\.main: replace \(\S+\): delete and create again, because --replace asks for it\n/,
    );
    expect(documentOf(await run('plan', ...replace, '--format', 'json'))).toMatchObject({
      actions: [{}, { action: 'replace', asked: true }, {}],
    });
    const refused = await run('apply', ...replace, '--auto-approve');
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.err).toContain('to replace production.redis.main puts data at risk');
    expect((await run('apply', ...replace, '--auto-approve', '--allow-data-loss')).code).toBe(0);
    expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
  });
});

describe('completion', () => {
  it('knows the addresses behind the options', async () => {
    const { run, rewrite, folder } = await fresh(redis('main'));
    await run('apply', '--auto-approve', '--adopt');
    rewrite(redis('other'));
    const after = async (...words: readonly string[]) =>
      (await trueup(['complete', '--', ...words], { env, cwd: folder })).out;
    for (const option of ['--target', '--exclude']) {
      const found = await after('plan', option, '');
      for (const address of ['production', 'production.redis.main', 'production.redis.other'])
        expect(found).toContain(address);
    }
    expect(await after('apply', '--replace', '')).not.toContain('production.redis.main');
    expect(await after('state', 'mv', 'production.redis.m')).toContain('production.redis.main');
  });
});
