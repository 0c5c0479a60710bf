import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exitCodes } from '../../src/render/exit-codes.ts';
import { documentOf, project, start, trueup } from '../cli/process.ts';
import { localStore } from '../../src/state/backends/local.ts';
import { readOf } from '../../src/state/conformance/states.ts';

const head = 'trueup: 1\nplatform: emulator\nproject: prj_1\n';
const database = `${head}environments:
  production:
    postgres:
      main: { dockerImage: "postgres:17", databaseName: shop, databaseUser: shop, databasePassword: "\${secret:DB}" }
`;
const env = { TRUEUP_SECRET_DB: 'canary-7f3a' };

function hello(): string {
  const folder = project({});
  cpSync(new URL('../../examples/hello', import.meta.url), folder, { recursive: true });
  return folder;
}

describe('a manifest from the first plan to the end', () => {
  it('validates, plans, applies, plans nothing, and is destroyed', async () => {
    const folder = hello();
    const at = ['-C', folder];
    expect(await trueup(['validate', ...at])).toEqual({
      code: 0,
      out: 'trueup.yaml is valid: 3 resources.\n',
      err: '',
    });
    const planned = await trueup(['plan', '--detailed-exitcode', ...at]);
    expect(planned).toMatchObject({ code: 2, err: '' });
    expect(planned.out).toContain('+ production.compose.hello: create\n');
    expect(planned.out).toMatch(/Plan: 2 to create, 1 to adopt, 1 to deploy\.\nplanned with \d+ reads, 0 writes\n$/);
    const applied = await trueup(['apply', '--auto-approve', ...at]);
    expect(applied.code).toBe(0);
    expect(applied.out).toContain('Applied: 2 created, 1 adopted, 1 deployed.\n');
    expect(applied.err).toMatch(/^production\.compose\.hello: creating…\n/);
    expect(applied.err).toMatch(/production\.compose\.hello: created in \d+\.\ds\n/);
    const again = await trueup(['plan', '--detailed-exitcode', ...at]);
    expect(again.code).toBe(0);
    expect(again.out).toMatch(
      /^state .*\n\nNo changes\. The platform matches the manifest\.\nplanned with \d+ reads, 0 writes\n$/m,
    );
    const quiet = await trueup(['apply', ...at]);
    expect(quiet.code).toBe(0);
    expect(quiet.out).toContain('No changes.');
    const gone = await trueup(['destroy', '--auto-approve', ...at]);
    expect(gone).toMatchObject({ code: 0 });
    expect(gone.out).toContain('Applied: 2 deleted, 1 removed from state.\n');
    expect(existsSync(join(folder, '.trueup/lock'))).toBe(false);
  });

  it('shows no secret anywhere, in text and in JSON', async () => {
    const folder = project(database);
    const runs = [];
    for (const args of [
      ['plan'],
      ['plan', '--format', 'json'],
      ['apply', '--auto-approve'],
      ['state', 'show', 'production.postgres.main'],
    ]) {
      runs.push(await trueup([...args, '-C', folder], { env }));
    }
    expect(runs.map((run) => run.code)).toEqual([0, 0, 0, 0]);
    for (const { out, err } of runs) expect(out + err).not.toContain(env.TRUEUP_SECRET_DB);
    expect(runs[0]?.out).toContain('+ databasePassword: (sensitive)');
    expect(runs[3]?.out).toContain('databasePassword: (digest)');
    expect(readFileSync(join(folder, '.trueup/state.json'), 'utf8')).not.toContain(env.TRUEUP_SECRET_DB);
  });

  it('deletes data only with --allow-data-loss', async () => {
    const folder = project(database);
    await trueup(['apply', '--auto-approve', '-C', folder], { env });
    const refused = await trueup(['destroy', '--auto-approve', '-C', folder]);
    expect(refused.code).toBe(1);
    expect(refused.out).toContain('! data at risk: the data of this database (apply needs --allow-data-loss)');
    expect(refused.err).toContain('error[data-at-risk]');
    expect(refused.out).toContain(', 0 writes');
    expect(await trueup(['destroy', '--auto-approve', '--allow-data-loss', '-C', folder])).toMatchObject({ code: 0 });
  });

  it('imports an object with an id that begins with a hyphen, after --', async () => {
    const folder = project(database);
    await trueup(['apply', '--auto-approve', '-C', folder], { env });
    const store = localStore(join(folder, '.trueup'));
    const state = await readOf(store);
    const { 'production.postgres.main': record, ...resources } = state.resources;
    const id = record?.id ?? '';
    await store.write({ ...state, serial: state.serial + 1, resources });
    const missing = await trueup(['import', '-C', folder, '--', 'production.postgres.main', '-nope'], { env });
    expect(missing.code).toBe(1);
    expect(missing.err).toContain('-nope');
    // An address may be quoted in other ways than Trueup writes it.
    const tied = await trueup(['import', '-C', folder, '--', 'production.postgres["main"]', id], { env });
    expect(tied).toMatchObject({ code: 0 });
    expect(tied.out).toContain('No changes.');
    const listed = await trueup(['state', 'list', '-C', folder]);
    expect(listed.out).toBe(`production env_prj_1\nproduction.postgres.main ${id}\n`);
  });

  it('needs --adopt for objects that exist already', async () => {
    const folder = project(database);
    await trueup(['apply', '--auto-approve', '-C', folder], { env });
    for (const name of ['state.json', 'lease']) rmSync(join(folder, '.trueup', name), { recursive: true });
    const refused = await trueup(['apply', '--auto-approve', '-C', folder], { env });
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('error[consent] trueup.yaml:7:7 production.postgres.main');
    expect((await trueup(['apply', '--auto-approve', '--adopt', '-C', folder], { env })).code).toBe(0);
  });
});

describe('output', () => {
  it('is one JSON document with --format json, for commands without progress', async () => {
    const folder = hello();
    const at = ['-C', folder, '--format', 'json'];
    expect(documentOf(await trueup(['validate', ...at]))).toMatchObject({ format: 'trueup/validation', resources: 3 });
    expect(documentOf(await trueup(['plan', ...at]))).toMatchObject({
      format: 'trueup/plan',
      hasChanges: true,
      summary: { create: 2, adopt: 1 },
      requests: { writes: 0 },
    });
    expect((await trueup(['apply', '--auto-approve', '-C', folder])).code).toBe(0);
    expect(documentOf(await trueup(['state', 'list', ...at]))).toMatchObject({ format: 'trueup/state-list' });
    expect(documentOf(await trueup(['state', 'show', 'production["compose"].hello', ...at]))).toMatchObject({
      fields: { composeFile: { wanted: { value: expect.stringContaining('image: nginx:1.27') as string } } },
    });
    const schema = JSON.parse((await trueup(['schema'])).out) as { $schema: string };
    expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema');
  });

  it('has the exit codes that the docs list', () => {
    const docs = readFileSync(new URL('../../docs/commands.md', import.meta.url), 'utf8');
    const rows = Object.values(exitCodes).map(({ code, about }) => `| ${code} | ${about} |`);
    expect(docs.replaceAll(/ +/g, ' ')).toContain(rows.join('\n'));
  });

  it('has no colour in a pipe', async () => {
    const { out } = await trueup(['plan', '-C', hello()], { env: { FORCE_COLOR: '1' } });
    expect(out).not.toContain('\u001B[');
  });

  it.each([[['plan', '-C', hello()]], [['--help']]])('ends quietly when its reader goes away: %j', async (args) => {
    const child = start(args);
    child.stdout.destroy();
    let err = '';
    child.stderr.on('data', (text: Buffer) => (err += text.toString()));
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect({ code, err }).toEqual({ code: 0, err: '' });
  });

  it('prints the version and the help on stdout', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    expect(await trueup(['--version'])).toEqual({ code: 0, out: `${version}\n`, err: '' });
    const help = await trueup(['--help']);
    expect(help).toMatchObject({ code: 0, err: '' });
    expect(help.out).toContain('Exit codes:');
    const importing = await trueup(['import', '--help']);
    expect(importing.out).toContain('trueup import -- production.redis.cache -x8Kd_1');
  });
});
