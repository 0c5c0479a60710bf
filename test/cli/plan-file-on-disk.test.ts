import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { readPlanFile, writePlanFile } from '../../src/cli/plan-file-on-disk.ts';
import { readVersion } from '../../src/project/version.ts';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { planFileText } from '../../src/plan/plan-file.ts';
import { planFileOf } from '../support/plan-values.ts';
import { applyCommand, destroyCommand, planCommand } from './asked.ts';
import { apiKey, places } from './place.ts';
import type { Finished } from './process.ts';
import { documentOf, documentsOf, finish, program, project, start, trueup } from './process.ts';

const open = places();

const secrets = { DB: 'canary-7f3a' };
const env = { TRUEUP_API_KEY: apiKey, TRUEUP_SECRET_DB: secrets.DB, CANARY: 'canary-9c1b' };
beforeAll(() => void vi.stubEnv('TRUEUP_SECRET_DB', secrets.DB));

/** A database, and a stack that knows its host only when it is there. */
const sections = (value: string, more = '') => `environments:
  production:
    postgres:
      main: { dockerImage: "postgres:17", databaseName: shop, databaseUser: shop, databasePassword: "\${secret:DB}", description: ${value} }
    compose:
      shop:
        source: { type: raw, composeFile: "services: { web: { image: nginx } }" }
        env: { HOST: "\${ref:postgres.main.host}", REGION: ${value}${more} }
`;

describe('the real program', () => {
  const servers: { close(): Promise<void> }[] = [];
  afterAll(() => Promise.all(servers.map((server) => server.close())));

  /** A platform over HTTP, and a folder with a manifest that was never applied to it. */
  async function fresh(options: { latencyMs?: number } = {}) {
    const emulator = createEmulator({ profile: 'standard', apiKey });
    const server = await serve(emulator, options);
    servers.push(server);
    const text = sections('one', ', TOKEN: "${env:CANARY}"');
    const folder = project(`trueup: 1\nplatform: { url: "${server.url}" }\nproject: prj_1\n${text}`);
    return {
      folder,
      file: join(folder, 'plan.trueup'),
      posts: () => emulator.log.filter(({ method }) => method === 'POST').length,
      run: (...args: readonly string[]): Promise<Finished> => trueup([...args, '-C', folder], { env, cwd: folder }),
    };
  }

  it('applies the reviewed plan without asking, and then plans nothing', async () => {
    const { run, folder, file, posts } = await fresh();
    const planned = await run('plan', '--out', 'plan.trueup', '--detailed-exitcode');
    expect(planned).toMatchObject({ code: 2, err: '' });
    const saved = 'Saved to plan.trueup. To apply this plan and nothing else, run:\n  trueup apply plan.trueup\n';
    expect(planned.out.endsWith(`, 0 writes\n${saved}`)).toBe(true);
    expect(posts()).toBe(0);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).toSorted()).toEqual(['.trueup', 'plan.trueup', 'trueup.yaml']);
    expect(readdirSync(join(folder, '.trueup')).toSorted()).toEqual(['.gitignore', 'key']);
    const text = readFileSync(file, 'utf8');
    for (const secret of ['canary', apiKey]) expect(text).not.toContain(secret);
    const applied = await run('apply', 'plan.trueup');
    expect(applied.code).toBe(0);
    expect(applied.out).toContain('Applied: 2 created, 1 adopted, 2 deployed.');
    const before = posts();
    expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
    const again = await run('apply', 'plan.trueup');
    expect(again).toMatchObject({ code: 1, out: '' });
    expect(again.err).toContain('the plan was applied already, wholly or in part');
    expect(posts()).toBe(before);
  });

  it('prints the usual documents with --format json, and a refusal as one', async () => {
    const { run, file } = await fresh();
    const planned = await run('plan', '--out', file, '--format', 'json');
    expect(planned).toMatchObject({ code: 0, err: '' });
    expect(documentOf(planned)).toMatchObject({ format: 'trueup/plan', hasChanges: true });
    const documents = documentsOf(await run('apply', file, '--format', 'json'));
    expect(documents[0]).toMatchObject({ format: 'trueup/plan' });
    expect(documents.at(-1)).toMatchObject({ format: 'trueup/result', ending: 'done' });
    expect(documentOf(await run('apply', file, '--format', 'json'))).toMatchObject({
      format: 'trueup/error',
      exitCode: 1,
      diagnostics: [{ code: 'plan-outdated' }, { code: 'plan-outdated' }],
    });
    expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
  });

  it('refuses a plan after an apply of it was killed', async () => {
    const { run, folder, posts } = await fresh({ latencyMs: 50 });
    await run('plan', '--out', 'plan.trueup');
    const child = start(['apply', 'plan.trueup', '-C', folder], { env, cwd: folder });
    child.stderr.on('data', (text: Buffer) => {
      if (text.toString().includes('production.postgres.main: created')) child.kill('SIGKILL');
    });
    expect((await finish(child)).code).toBe(null);
    const before = posts();
    expect(before).toBeGreaterThan(0);
    // The platform has executed every request: no need to wait for one.
    const again = await run('apply', 'plan.trueup', '--in-flight-timeout', '0', '--lock-timeout', '90');
    expect(again).toMatchObject({ code: 1, out: '' });
    expect(again.err).toContain('the plan was applied already, wholly or in part');
    expect(posts()).toBe(before);
    await run('plan', '--out', 'plan.trueup');
    expect((await run('apply', 'plan.trueup', '--fence', '0')).code).toBe(0);
    expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
  });

  it('keeps the old file when the disk has no room for all of the new one', async () => {
    const { run, folder, file } = await fresh();
    await run('plan', '--out', 'plan.trueup');
    const first = readFileSync(file, 'utf8');
    // A block is 512 or 1024 bytes: less than the file, more than its beginning.
    const limited = `ulimit -f 1; exec "${process.execPath}" "${program()}" plan --out plan.trueup`;
    const child = spawn('sh', ['-c', limited], { cwd: folder, env: { PATH: process.env.PATH ?? '', ...env } });
    child.stdin.end();
    const full = await finish(child);
    expect(full).toMatchObject({ code: 1, out: '' });
    expect(full.err).toContain('the plan file plan.trueup cannot be written (EFBIG)');
    expect(readFileSync(file, 'utf8')).toBe(first);
    expect(readdirSync(folder).toSorted()).toEqual(['.trueup', 'plan.trueup', 'trueup.yaml']);
    expect(readdirSync(join(folder, '.trueup')).toSorted()).toEqual(['.gitignore', 'key']);
  });

  it('reports a file that it cannot use before it reads the manifest', async () => {
    const folder = project('nonsense: 1\n');
    const missing = await trueup(['apply', 'missing', '-C', folder]);
    expect(missing).toMatchObject({ code: 1, out: '' });
    expect(missing.err).toContain('error[plan-file]\nthe plan file missing cannot be read (ENOENT)');
    expect((await trueup(['apply', 'one', 'two', '-C', folder])).err.toLowerCase()).toContain('too many arguments');
  });
});

/** A place where something was applied, with the file of a plan. */
async function planned(first: string, second = first, flags: Parameters<typeof planCommand>[0] = {}) {
  const at = await open(first, { secrets });
  const file = join(at.folder, 'plan.trueup');
  at.rewrite(second);
  const made = await at.run(planCommand({ ...flags, out: file }));
  expect(at.requests().filter((request) => request.startsWith('POST'))).toEqual([]);
  return { ...at, file, made };
}

type Place = Awaited<ReturnType<typeof planned>>;

function apply(at: Place, flags: Parameters<typeof applyCommand>[0] = {}) {
  return at.run(applyCommand(flags, at.file));
}

const writes = ({ requests }: Place) => requests().filter((request) => request.startsWith('POST'));

/** Applies the file, and expects to be told why not; nothing is sent. */
async function refused(at: Place, flags: Parameters<typeof applyCommand>[0] = {}): Promise<string> {
  at.requests();
  const { exit, out, err } = await apply(at, flags);
  expect({ exit, out }).toEqual({ exit: 'stopped', out: '' });
  expect(writes(at)).toEqual([]);
  return err;
}

async function plansNothing(at: Place): Promise<void> {
  at.requests();
  expect(await at.run(planCommand({ detailedExitcode: true }))).toMatchObject({ exit: 'done' });
  expect(writes(at)).toEqual([]);
}

describe('apply FILE', () => {
  it('works where nothing is but the manifest, the state and the file', async () => {
    const at = await planned(sections('one'), sections('two'));
    const other = project({});
    cpSync(at.folder, other, { recursive: true });
    rmSync(at.folder, { recursive: true });
    mkdirSync(at.folder);
    for (const name of ['.trueup', 'trueup.yaml', 'plan.trueup']) {
      cpSync(join(other, name), join(at.folder, name), { recursive: true });
    }
    const { exit, out } = await apply(at);
    expect(exit).toBe('done');
    expect(out).toContain('Applied: 2 updated, 1 deployed.');
    await plansNothing(at);
  });

  it('applies a plan without changes any number of times', async () => {
    const at = await planned(sections('one'));
    expect(at.made.out).toContain('No changes.');
    for (const _ of [1, 2]) expect(await apply(at)).toMatchObject({ exit: 'done', err: '' });
    expect(writes(at)).toEqual([]);
    await plansNothing(at);
  });

  it('reports changes that a person already made, and applies the rest', async () => {
    const at = await planned(sections('one'), sections('two'));
    const [postgresId] = Object.keys(at.emulator.world.tables.postgres);
    await at.emulator.act('postgres.update', { postgresId, description: 'two' });
    const { exit, out } = await apply(at);
    expect(exit).toBe('done');
    expect(out).toContain('to update production.postgres.main is not needed any more');
    expect(out).toContain('Applied: 1 updated, 1 deployed.');
    expect(writes(at)).toEqual(['POST compose.update', 'POST compose.deploy']);
    await plansNothing(at);
  });

  it('takes the reviewed adoption for agreed to', async () => {
    const at = await planned(sections('one'));
    rmSync(join(at.folder, '.trueup'), { recursive: true });
    rmSync(at.file);
    await at.run(planCommand({ out: at.file }));
    expect((await apply(at)).out).toContain('Applied: 3 adopted.');
    await plansNothing(at);
  });

  it('deletes data only with --allow-data-loss', async () => {
    const at = await planned(sections('one'), 'environments: { production: {} }\n');
    at.requests();
    const kept = await apply(at);
    expect(kept.exit).toBe('stopped');
    expect(kept.err).toContain('[data-at-risk]');
    expect(writes(at)).toEqual([]);
    expect(await apply(at, { allowDataLoss: true })).toMatchObject({ exit: 'done' });
    await plansNothing(at);
  });

  it('deploys nothing when it was planned without, and takes no --no-deploy itself', async () => {
    const at = await planned(sections('one'), sections('two'), { deploy: false });
    expect(await refused(at, { deploy: false })).toContain('trueup plan --no-deploy');
    expect(await apply(at)).toMatchObject({ exit: 'done' });
    expect(writes(at).toSorted()).toEqual(['POST compose.update', 'POST postgres.update']);
    expect(await at.run(applyCommand({ autoApprove: true }))).toMatchObject({ exit: 'done' });
    await plansNothing(at);
  });

  it('S3: ends everything when that was planned, with destroy only, and takes no secrets for that', async () => {
    const at = await planned(sections('one'), sections('one'), { destroy: true });
    expect(at.made.out).toContain('Plan: 2 to delete (2 services), 1 to remove from state.');
    vi.stubEnv('TRUEUP_SECRET_DB', undefined);
    const kept = await apply(at, { allowDataLoss: true });
    expect([kept.exit, kept.err]).toEqual(['stopped', expect.stringContaining(`Run trueup destroy ${at.file}.`)]);
    const asked = await at.run(destroyCommand({ allowDataLoss: true }, at.file));
    expect([asked.exit, asked.err]).toEqual(['stopped', expect.stringContaining('cannot ask for approval')]);
    expect(Object.keys(at.emulator.world.tables.postgres)).toHaveLength(1);
    const { exit, out } = await at
      .run(destroyCommand({ autoApprove: true, allowDataLoss: true }, at.file))
      .finally(() => vi.stubEnv('TRUEUP_SECRET_DB', secrets.DB));
    expect(exit).toBe('done');
    expect(out).toContain('Applied: 2 deleted, 1 removed from state.');
    expect(Object.keys(at.emulator.world.tables.postgres)).toEqual([]);
  });
});

describe('apply FILE is refused, and sends nothing', () => {
  it('when the manifest is another one, with its path', async () => {
    const at = await planned(sections('one'), sections('two'));
    at.rewrite(sections('three'));
    const told = await refused(at);
    expect(told).toContain(
      'production.postgres.main description of production.postgres.main was changed after the plan was made',
    );
    expect(told).toContain('env.REGION of production.compose.shop was changed after the plan was made');
    expect(told).toContain('-> Plan again, and review that. This one is from 20');
    at.rewrite(sections('two'));
    expect(await apply(at)).toMatchObject({ exit: 'done' });
    await plansNothing(at);
  });

  it('when a secret is another one, which is not shown', async () => {
    const at = await planned(sections('one'), sections('two'));
    vi.stubEnv('TRUEUP_SECRET_DB', 'canary-other');
    const told = await refused(at).finally(() => vi.stubEnv('TRUEUP_SECRET_DB', secrets.DB));
    expect(told).toContain(
      'databasePassword of production.postgres.main changed: a secret or a variable of the environment',
    );
    expect(told).not.toContain('canary');
    expect(await apply(at)).toMatchObject({ exit: 'done' });
    await plansNothing(at);
  });

  it('when the platform is another one, without its value', async () => {
    const at = await planned(sections('one'), sections('two'));
    const [postgresId] = Object.keys(at.emulator.world.tables.postgres);
    await at.emulator.act('postgres.update', { postgresId, description: 'somebody-wrote-this' });
    const told = await refused(at);
    expect(told).toContain('description of production.postgres.main was changed on the platform');
    expect(told).not.toContain('somebody-wrote-this');
    await at.run(planCommand({ out: at.file }));
    expect(await apply(at)).toMatchObject({ exit: 'done' });
    await plansNothing(at);
  });

  it('when it is for another platform or project, before anything is read', async () => {
    const [at, other] = await Promise.all([planned(sections('one')), planned(sections('one'))]);
    cpSync(at.file, other.file);
    other.requests();
    expect(await refused(other)).toContain(
      `the plan is for the platform ${at.url}, and the manifest names ${other.url}`,
    );
    expect(other.requests()).toEqual([]);
    const text = readFileSync(join(at.folder, 'trueup.yaml'), 'utf8');
    writeFileSync(join(at.folder, 'trueup.yaml'), text.replace('prj_1', 'prj_2'));
    expect(await refused(at)).toContain('the plan is for project prj_1, and the manifest names prj_2');
  });

  it('when somebody changed the file', async () => {
    const at = await planned(sections('one'), sections('two'));
    const text = readFileSync(at.file, 'utf8');
    writeFileSync(at.file, text.replace('"deploys": true', '"deploys": false'));
    expect(await refused(at)).toContain(
      'was changed after it was made, or was made with another key; nothing was sent',
    );
    writeFileSync(at.file, text);
    expect(await apply(at)).toMatchObject({ exit: 'done' });
    await plansNothing(at);
  });

  it('names the version of Trueup that wrote it, when that is another one', async () => {
    const at = await planned(sections('one'), sections('two'));
    const text = readFileSync(at.file, 'utf8');
    writeFileSync(at.file, text.replace(/"madeBy": "[^"]+"/, '"madeBy": "0.0.9"'));
    expect(await refused(at)).toMatch(/It was made by Trueup 0\.0\.9, and this is \d/);
  });
});

it('plan --out does not save a plan that cannot be applied', async () => {
  const at = await planned(sections('one'));
  rmSync(at.file);
  at.rewrite(sections('one').replace('dockerImage: "postgres:17"', 'id: another, dockerImage: "postgres:17"'));
  const { exit, err } = await at.run(planCommand({ out: at.file }));
  expect(['stopped', 'failed']).toContain(exit);
  expect(err).not.toBe('');
  expect(existsSync(at.file)).toBe(false);
  at.rewrite(sections('one').replace('description: one', 'protect: true'));
  await at.run(applyCommand({ autoApprove: true }));
  at.rewrite('environments: { production: {} }\n');
  const kept = await at.run(planCommand({ out: at.file }));
  expect(kept).toMatchObject({ exit: 'failed', err: `The plan was not saved to ${at.file}.\n` });
  expect(existsSync(at.file)).toBe(false);
});

describe('a plan file on the disk', () => {
  const file = planFileOf();

  /** What stops a work, without the folder in it. */
  async function problem(work: Promise<unknown>, folder: string): Promise<string> {
    const error = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (!(error instanceof Stop)) throw new Error('nothing was refused', { cause: error });
    expect(error.failure).toBe('refused');
    expect(error.diagnostics.map(({ code, remedy }) => [code, typeof remedy])).toEqual([['plan-file', 'string']]);
    return error.message.replaceAll(`${folder}/`, '');
  }

  function hostile(): string {
    const folder = project({ notes: 'mine', 'trueup.yaml': 'trueup: 1\n' });
    mkdirSync(join(folder, 'folder'));
    symlinkSync('notes', join(folder, 'link'));
    symlinkSync('nowhere', join(folder, 'dangling'));
    execFileSync('sh', ['-c', 'mkfifo "$0"', join(folder, 'pipe')]);
    return folder;
  }

  const at = (folder: string, path: string) => (isAbsolute(path) || path === '' ? path : join(folder, path));

  it('is readable by its owner only, and replaces an older file or an empty one', async () => {
    const folder = project({ empty: '' });
    for (const name of ['new', 'empty']) {
      const path = join(folder, name);
      await writePlanFile(folder, path, file);
      chmodSync(path, 0o644);
      await writePlanFile(folder, path, { ...file, projectId: 'prj_2' });
      expect(statSync(path).mode & 0o777).toBe(0o600);
      expect(await readPlanFile(folder, path)).toEqual({
        name: `the plan in ${path}`,
        version: readVersion(),
        file: { ...file, projectId: 'prj_2' },
      });
    }
    expect(readdirSync(folder)).toEqual(['empty', 'new']);
  });

  it.each([
    ['trueup.yaml', 'the plan file trueup.yaml exists and is not a plan file; it was not overwritten'],
    ['notes', 'the plan file notes exists and is not a plan file; it was not overwritten'],
    ['folder', 'the plan file folder is a folder; it was not overwritten'],
    ['link', 'the plan file link is a symbolic link; it was not overwritten'],
    ['dangling', 'the plan file dangling is a symbolic link; it was not overwritten'],
    ['pipe', 'the plan file pipe is a device or a pipe; it was not overwritten'],
    ['', 'the plan file  is a folder; it was not overwritten'],
    ['/dev/full', 'the plan file /dev/full is a device or a pipe; it was not overwritten'],
    ['nowhere/plan', 'the plan file nowhere/plan cannot be written (ENOENT)'],
    ['notes/plan', 'the plan file notes/plan cannot be written (ENOTDIR: a part of its path is no folder)'],
    ['x'.repeat(300), `the plan file ${'x'.repeat(300)} cannot be written (ENAMETOOLONG)`],
    ['no\0name', 'the plan file no\0name cannot be written (ERR_INVALID_ARG_VALUE)'],
  ])('is not written to %j', async (path, words) => {
    const folder = hostile();
    const before = readdirSync(folder);
    expect(await problem(writePlanFile(folder, at(folder, path), file), folder)).toBe(words);
    expect(readdirSync(folder)).toEqual(before);
    expect(readFileSync(join(folder, 'notes'), 'utf8')).toBe('mine');
    expect(lstatSync(join(folder, 'link')).isSymbolicLink()).toBe(true);
  });

  it.skipIf(process.getuid?.() === 0)('is not written where one may not', async () => {
    const folder = project({});
    mkdirSync(join(folder, 'closed'), { mode: 0o500 });
    expect(await problem(writePlanFile(folder, join(folder, 'closed/plan'), file), folder)).toBe(
      'the plan file closed/plan cannot be written (EACCES: this user may not)',
    );
    await writePlanFile(folder, join(folder, 'plan'), file);
    chmodSync(join(folder, 'plan'), 0);
    expect(await problem(readPlanFile(folder, join(folder, 'plan')), folder)).toBe(
      'the plan file plan cannot be read (EACCES: this user may not)',
    );
  });

  it('is not written when it would be too large to be read', async () => {
    const folder = project({});
    const large = { ...file, moved: 'x'.repeat(64 * 1024 * 1024) };
    expect(await problem(writePlanFile(folder, join(folder, 'plan'), large), folder)).toBe(
      'the plan file plan would have more than 67108864 bytes',
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ['half', 'is damaged: it ends too early, or was changed'],
    ['newer', `has format 7, which a newer Trueup (${file.madeBy}) wrote`],
    ['older', `has format 1, which an older Trueup (${file.madeBy}) wrote`],
    ['odd', 'is damaged at deploys'],
    ['large', 'has 67108865 bytes, and no plan has more than 67108864'],
    ['binary', 'is no plan file'],
    ['folder', 'is a folder and no file'],
    ['pipe', 'is a device or a pipe and no file'],
    ['/dev/zero', 'is a device or a pipe and no file'],
    ['notes', 'is no plan file'],
    ['missing', 'cannot be read (ENOENT)'],
    ['dangling', 'cannot be read (ENOENT)'],
    ['notes/plan', 'cannot be read (ENOTDIR: a part of its path is no folder)'],
    ['no\0name', 'cannot be read (ERR_INVALID_ARG_VALUE)'],
  ])('is not read from %j', async (path, words) => {
    const folder = hostile();
    const text = planFileText(file);
    writeFileSync(join(folder, 'half'), text.slice(0, text.length / 2));
    writeFileSync(join(folder, 'newer'), text.replace('"version": 6', '"version": 7'));
    writeFileSync(join(folder, 'older'), text.replace('"version": 6', '"version": 1'));
    writeFileSync(join(folder, 'odd'), text.replace('"deploys": true', '"deploys": 1'));
    writeFileSync(join(folder, 'large'), '');
    truncateSync(join(folder, 'large'), 64 * 1024 * 1024 + 1);
    writeFileSync(join(folder, 'binary'), Buffer.from([0xff, 0xfe, 0x00, 0x7b]));
    expect(await problem(readPlanFile(folder, at(folder, path)), folder)).toBe(`the plan file ${path} ${words}`);
  });

  it('is read through a symbolic link', async () => {
    const folder = project({});
    await writePlanFile(folder, join(folder, 'plan'), file);
    symlinkSync('plan', join(folder, 'other'));
    expect((await readPlanFile(folder, join(folder, 'other'))).file).toEqual(file);
  });
});
