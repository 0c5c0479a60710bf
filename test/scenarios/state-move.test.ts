import { cpSync, existsSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { localStore } from '../../src/state/backends/local.ts';
import { project, trueup, trueupProcess } from '../cli/process.ts';
import { killedBefore } from '../support/killing.ts';
import { type PostgresServer, startPostgres, whyNoPostgres } from '../support/postgres-server.ts';
import { secretOf, serveS3 } from '../support/s3-server.ts';
import { keyText } from '../support/state-key.ts';
import { effort } from '../support/whole.ts';

/** A root file that is renamed takes its state along, and no other root file takes it. */

const apiKey = 'key-1';
const sections = (level: string) =>
  ['cache', 'queue']
    .map((key) => `${level}  ${key}: { dockerImage: "redis:8", databasePassword: correct-horse-1 }\n`)
    .reduce((all, line) => all + line, `${level}redis:\n`);

/** A platform, and a folder whose manifest of one file was applied. */
async function applied(...about: Parameters<typeof written>) {
  const made = await written(...about);
  expect(await made.run('apply', '--auto-approve', '--adopt')).toMatchObject({ code: 0 });
  return made;
}

/** A platform, and a folder with a manifest of one file. */
async function written(env: Readonly<Record<string, string>> = {}, state = '') {
  const emulator = createEmulator({ profile: 'standard', apiKey });
  const server = await serve(emulator);
  onTestFinished(() => server.close());
  const head = `trueup: 1\nplatform: { url: "${server.url}" }\n`;
  const folder = project({
    'trueup.yaml': `${head}project: prj_1\n${state}environments:\n  production:\n${sections('    ')}`,
  });
  const at = (place: string, ...args: string[]) =>
    trueup([...args, '-C', place], { env: { TRUEUP_API_KEY: apiKey, ...env } });
  const run = (...args: string[]) => at(folder, ...args);
  const plansNothing = async (file: string) =>
    expect(await run('plan', '--detailed-exitcode', '-f', file)).toMatchObject({ code: 0 });
  const rename = (from: string, to: string) => renameSync(join(folder, from), join(folder, to));
  return { emulator, head, folder, at, run, plansNothing, rename, creates: () => createsOf(emulator.log) };
}

const createsOf = (log: readonly { readonly operation: string }[]) =>
  log.map(({ operation }) => operation).filter((operation) => operation.endsWith('.create'));

describe('trueup state move', () => {
  test('moves all that a renamed root file has; the next plan is empty, and the old place is as if never used', async () => {
    const { run, folder, rename, plansNothing, creates } = await applied();
    const made = creates().length;
    for (const file of ['accepted.yaml', 'drift.yaml']) writeFileSync(join(folder, file), 'trueup-accepted: 1\n');
    const key = readFileSync(join(folder, '.trueup/key'), 'utf8');
    rename('trueup.yaml', 'live.yaml');
    const moved = await run('state', 'move', 'trueup.yaml', 'live.yaml');
    expect(moved).toMatchObject({ code: 0, out: '' });
    expect(moved.err).toBe(
      'live.yaml has the state of trueup.yaml now, with 3 objects. The platform was not touched.\n',
    );
    expect(readFileSync(join(folder, '.trueup/live.yaml/key'), 'utf8')).toBe(key);
    expect(readdirSync(folder).toSorted()).toEqual(['.trueup', 'accepted.live.yaml', 'drift.live.yaml', 'live.yaml']);
    expect(readdirSync(join(folder, '.trueup')).toSorted()).toEqual(['.gitignore', 'lease', 'live.yaml']);
    await plansNothing('live.yaml');
    // It is done: once more changes nothing, and the old name begins anew.
    const again = 'trueup.yaml has no state, and live.yaml has one, with 3 objects. The platform was not touched.\n';
    expect(await run('state', 'move', 'trueup.yaml', 'live.yaml')).toMatchObject({ code: 0, err: again });
    // Nor does a name that never had one.
    expect((await run('state', 'move', 'nothing.yaml', 'live.yaml')).err).toMatch(
      /^nothing\.yaml has no state, and live/,
    );
    cpSync(join(folder, 'live.yaml'), join(folder, 'trueup.yaml'));
    expect((await run('plan')).out).toMatch(/adopt/);
    expect(creates()).toHaveLength(made);
  });

  test.each([
    ['before the file is renamed', [], 'there is no file live.yaml in', 'git mv trueup.yaml live.yaml'],
    ['with a copy', ['live.yaml'], 'trueup.yaml is still there', 'git mv trueup.yaml live.yaml'],
  ])('refuses to move a state %s', async (_when, copies, message, remedy) => {
    const { run, folder, plansNothing } = await applied();
    for (const copy of copies) cpSync(join(folder, 'trueup.yaml'), join(folder, copy));
    const refused = await run('state', 'move', 'trueup.yaml', 'live.yaml');
    expect(refused.code).not.toBe(0);
    expect(refused.err).toContain(message);
    expect(refused.err).toContain(remedy);
    await plansNothing('trueup.yaml');
  });

  test('does not move a state over another one, or none at all', async () => {
    const { run, folder, head, rename } = await applied();
    const other = `${head}project: prj_1\nenvironments: { other: {} }\n`;
    writeFileSync(join(folder, 'other.yaml'), other);
    expect(await run('apply', '-f', 'other.yaml', '--auto-approve')).toMatchObject({ code: 0 });
    rename('trueup.yaml', 'former.yaml');
    const over = await run('state', 'move', 'trueup.yaml', 'other.yaml');
    expect([over.code, over.err]).toEqual([7, expect.stringContaining('there is another state in')]);
    const none = await run('state', 'move', 'nothing.yaml', 'former.yaml');
    expect(none.err).toContain('nothing.yaml has no state; nothing was moved');
    expect((await run('plan', '-f', 'other.yaml')).out).toContain('No changes.');
  });

  test('killed before any of its changes of files, it goes on and leaves one state whole', async () => {
    const { run, at, folder, rename, creates } = await applied();
    expect((await run('drift')).code).toBe(0);
    const made = creates().length;
    rename('trueup.yaml', 'live.yaml');
    let moment = 0;
    for (; ; moment += effort({ fast: 5, all: 1 })) {
      const place = mkdtempSync(join(tmpdir(), 'trueup-moved-'));
      cpSync(folder, place, { recursive: true });
      const env = { TRUEUP_API_KEY: apiKey, ...killedBefore(moment, place, /\/\.trueup|\/drift/) };
      const { code } = await trueupProcess(['state', 'move', 'trueup.yaml', 'live.yaml', '-C', place], { env });
      const when = `killed before change ${moment}`;
      // Whichever place is whole, its file plans nothing with it.
      const isThere = existsSync(join(place, '.trueup/live.yaml/state.json'));
      const file = isThere ? 'live.yaml' : 'trueup.yaml';
      if (!isThere) cpSync(join(place, 'live.yaml'), join(place, file));
      expect(await at(place, 'plan', '--detailed-exitcode', '-f', file), when).toMatchObject({ code: 0 });
      if (!isThere) rmSync(join(place, file));
      const again = await at(place, 'state', 'move', 'trueup.yaml', 'live.yaml', '--lock-timeout', '30');
      expect(again, when).toMatchObject({ code: 0 });
      expect(await at(place, 'plan', '--detailed-exitcode', '-f', 'live.yaml'), when).toMatchObject({ code: 0 });
      expect(existsSync(join(place, '.trueup/state.json')) || existsSync(join(place, '.trueup/key')), when).toBe(false);
      rmSync(place, { recursive: true });
      if (code !== null) break;
    }
    expect(moment).toBeGreaterThan(10);
    expect(creates()).toHaveLength(made);
  }, 300_000);
});

test('a state of an earlier version takes the name of its root file at the next apply', async () => {
  const { run, folder, plansNothing } = await applied();
  const store = localStore(join(folder, '.trueup'));
  onTestFinished(() => store.close());
  const nameOf = async () => (await store.read())?.rootFile;
  const state = await store.read();
  if (state === undefined) throw new Error('there is no state');
  const { rootFile, ...earlier } = state;
  await store.write({ ...earlier, serial: state.serial + 1 });
  await plansNothing('trueup.yaml');
  expect([rootFile, await nameOf()]).toEqual(['trueup.yaml', undefined]);
  expect(await run('apply', '--auto-approve')).toMatchObject({ code: 0 });
  expect(await nameOf()).toBe('trueup.yaml');
  await plansNothing('trueup.yaml');
});

describe('a root file that was renamed without its state', () => {
  test('and one of another project is no renamed one', async () => {
    const { run, folder, rename } = await applied();
    const store = localStore(join(folder, '.trueup'));
    const state = await store.read();
    if (state === undefined) throw new Error('there is no state');
    await store.write({ ...state, serial: state.serial + 1, projectName: 'shop' });
    rename('trueup.yaml', 'live.yaml');
    const text = readFileSync(join(folder, 'live.yaml'), 'utf8');
    writeFileSync(join(folder, 'live.yaml'), text.replace('project: prj_1', 'project: prj_2'));
    expect((await run('plan', '-f', 'live.yaml')).err).not.toContain('is not here any more');
    writeFileSync(join(folder, 'live.yaml'), text);
    expect((await run('plan', '-f', 'live.yaml')).err).toContain('trueup.yaml is not here any more');
  });

  test('is refused where a killed first apply left a journal only, and goes on with that', async () => {
    const { run, rename, folder, plansNothing, creates } = await written();
    const env = { TRUEUP_API_KEY: apiKey, ...killedBefore(0, folder, /\/state\.json/) };
    await trueupProcess(['apply', '--auto-approve', '--adopt', '-C', folder], { env });
    const made = creates().length;
    expect([made, readdirSync(join(folder, '.trueup')).filter((name) => name.startsWith('state'))]).toEqual([
      2,
      ['state.journal'],
    ]);
    rename('trueup.yaml', 'live.yaml');
    const yes = ['--auto-approve', '--adopt', '--lock-timeout', '30', '-f', 'live.yaml'];
    const { code, err } = await run('apply', ...yes);
    expect([code, err]).toEqual([7, expect.stringContaining('its state has 2 resources that live.yaml declares')]);
    expect((await run('status', '--all')).err).toContain('there is no root file trueup.yaml for the state');
    const moved = await run('state', 'move', 'trueup.yaml', 'live.yaml', '--lock-timeout', '30');
    expect(moved, moved.err).toMatchObject({ code: 0 });
    expect(await run('apply', ...yes)).toMatchObject({ code: 0 });
    await plansNothing('live.yaml');
    expect(creates()).toHaveLength(made);
  });

  test.each([
    ['plan'],
    ['apply', '--auto-approve', '--adopt'],
    ['drift'],
    ['destroy', '--auto-approve', '--allow-data-loss'],
    ['import', 'production.redis.cache', 'red_1'],
  ])('is refused by %s, which would begin a second state', async (...words) => {
    const { run, rename, folder, emulator, plansNothing } = await applied();
    rename('trueup.yaml', 'live.yaml');
    const before = emulator.log.length;
    const { code, err } = await run(...words, '-f', 'live.yaml');
    expect(code, err).toBe(7);
    expect(err).toContain(
      'trueup.yaml is not here any more, and its state has 3 resources that live.yaml declares, production for one',
    );
    expect(err.replaceAll(/\s+/g, ' ')).toContain(
      'If you renamed the file, run trueup state move trueup.yaml live.yaml. Otherwise put',
    );
    expect(emulator.log.slice(before).filter(({ method }) => method !== 'GET')).toEqual([]);
    expect(existsSync(join(folder, '.trueup/live.yaml/state.json'))).toBe(false);
    expect(await run('state', 'move', 'trueup.yaml', 'live.yaml')).toMatchObject({ code: 0 });
    await plansNothing('live.yaml');
  });

  test('is refused where its environment was renamed too, and begins a state where nothing is in common', async () => {
    const { run, rename, folder, plansNothing } = await applied();
    rename('trueup.yaml', 'live.yaml');
    const text = readFileSync(join(folder, 'live.yaml'), 'utf8');
    const renamed = text.replace('production:', 'live:');
    writeFileSync(join(folder, 'live.yaml'), `${renamed}moved: [{ from: production, to: live }]\n`);
    expect((await run('plan', '-f', 'live.yaml')).err).toContain('trueup state move trueup.yaml live.yaml');
    writeFileSync(join(folder, 'live.yaml'), renamed);
    expect(await run('apply', '--auto-approve', '-f', 'live.yaml')).toMatchObject({ code: 0 });
    await plansNothing('live.yaml');
  });
});

test('status --all lists the states of a folder whose root files are gone', async () => {
  const { run, folder, head, rename } = await applied();
  writeFileSync(join(folder, 'other.yaml'), `${head}project: prj_1\nenvironments: { other: {} }\n`);
  expect(await run('apply', '-f', 'other.yaml', '--auto-approve')).toMatchObject({ code: 0 });
  expect((await run('status', '--all')).err).not.toContain('there is no root file');
  rename('trueup.yaml', 'live.yaml');
  const { code, err } = await run('status', '--all');
  expect(code).toBe(0);
  expect(err.match(/warning: there is no root file .*/g)).toEqual([
    `warning: there is no root file trueup.yaml for the state ${join(folder, '.trueup/state.json')}. ` +
      'If you renamed it, run trueup state move trueup.yaml live.yaml. ' +
      'To delete what it holds, take the file from git again, and run trueup destroy -f trueup.yaml.',
  ]);
});

test('a renamed file of previews goes by the remedy: back, prune, rename, apply', async () => {
  const { run, folder, head, rename, emulator } = await written();
  const family = `${head}project: prj_1\nenvironment: pr\npreview: {}\n${sections('')}`;
  writeFileSync(join(folder, 'preview.yaml'), family);
  const apply = (file: string) => run('apply', '-f', file, '--preview', '7', '--auto-approve');
  expect(await apply('preview.yaml')).toMatchObject({ code: 0 });
  rename('preview.yaml', 'pr.yaml');
  const remedy =
    '-> Rename it back (git mv pr.yaml preview.yaml) and run trueup preview prune -f preview.yaml --open none. Then rename it again, and apply the previews.';
  for (const more of [[], ['--preview', '7']]) {
    const refused = await run('state', 'move', 'preview.yaml', 'pr.yaml', ...more);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('state move moves no previews');
    expect(refused.err).toContain(remedy);
  }
  for (const command of ['plan', 'apply']) {
    const refused = await run(
      command,
      '-f',
      'pr.yaml',
      '--preview',
      '7',
      ...(command === 'plan' ? [] : ['--auto-approve']),
    );
    expect(refused.code).toBe(7);
    expect(refused.err).toContain(
      'preview.yaml is not here any more, and its state has 3 resources that pr.yaml declares',
    );
    expect(refused.err.replaceAll('\n', ' ')).toContain(
      `-> If you renamed the file: ${remedy.slice(3)} Otherwise put the folder .trueup/preview.yaml/7 aside.`,
    );
  }
  expect(await run('plan', '-f', 'pr.yaml', '--preview', '8')).toMatchObject({ code: 0 });
  rename('pr.yaml', 'preview.yaml');
  expect(await run('preview', 'prune', '-f', 'preview.yaml', '--open', 'none', '--auto-approve')).toMatchObject({
    code: 0,
  });
  rename('preview.yaml', 'pr.yaml');
  expect(await apply('pr.yaml')).toMatchObject({ code: 0 });
  expect(await run('plan', '-f', 'pr.yaml', '--preview', '7', '--detailed-exitcode')).toMatchObject({ code: 0 });
  expect(Object.keys(emulator.world.tables.redis)).toHaveLength(2);
});

test('status --all says which command lists the previews that it leaves out', async () => {
  const { run, folder, head } = await applied();
  writeFileSync(join(folder, 'preview.yaml'), `${head}project: prj_1\nenvironment: pr\npreview: {}\n`);
  const { code, err } = await run('status', '--all');
  expect(code).toBe(0);
  expect(err.match(/note: .*/g)).toEqual([
    'note: preview.yaml has previews, which are not shown here: trueup preview list -f preview.yaml',
  ]);
});

test.each(['former', 'present'])(
  'of two states with the same objects, the one of the %s name can be kept',
  async (kept) => {
    const { run, folder, rename, plansNothing, creates } = await applied();
    const made = creates().length;
    // An earlier version began a second state.
    renameSync(join(folder, '.trueup'), join(folder, 'away'));
    rename('trueup.yaml', 'live.yaml');
    expect(await run('apply', '--auto-approve', '--adopt', '-f', 'live.yaml')).toMatchObject({ code: 0 });
    rename('live.yaml', 'prod.yaml');
    expect(await run('state', 'move', 'live.yaml', 'prod.yaml')).toMatchObject({ code: 0 });
    cpSync(join(folder, 'away'), join(folder, '.trueup/live.yaml'), { recursive: true });
    const choice =
      'Compare them: trueup state list -f live.yaml and trueup state list -f prod.yaml. ' +
      'To keep that of prod.yaml, put the folder .trueup/live.yaml aside. ' +
      'To keep that of live.yaml, put the folder .trueup/prod.yaml aside, and run trueup state move live.yaml prod.yaml.';
    const left = (await run('status', '--all')).err;
    expect(left).toContain(`, and the state of prod.yaml has 3 of its 3 objects too. ${choice}\n`);
    expect(left).not.toContain('destroy');
    const refused = await run('state', 'move', 'live.yaml', 'prod.yaml');
    expect(refused.code).toBe(7);
    expect(refused.err.replaceAll(/\s+/g, ' ')).toContain(choice);
    renameSync(join(folder, kept === 'former' ? '.trueup/prod.yaml' : '.trueup/live.yaml'), join(folder, 'aside'));
    if (kept === 'former') expect(await run('state', 'move', 'live.yaml', 'prod.yaml')).toMatchObject({ code: 0 });
    await plansNothing('prod.yaml');
    expect((await run('status', '--all')).err).not.toContain('there is no root file');
    expect(creates()).toHaveLength(made);
  },
);

describe.each(['s3', 'postgres'] as const)('in %s', (backend) => {
  let postgres: PostgresServer | undefined;
  const missing = backend === 'postgres' ? whyNoPostgres() : undefined;
  beforeAll(async () => {
    if (backend === 'postgres' && missing === undefined) postgres = await startPostgres();
  });
  afterAll(() => postgres?.stop());

  async function stateEnv(named: string): Promise<Record<string, string>> {
    const keyed = { TRUEUP_STATE_KEY: keyText };
    if (postgres !== undefined) {
      const url = new URL(postgres.url());
      url.searchParams.set('schema', `moved${named.length}`);
      if (named !== '') url.searchParams.set('name', named);
      return { ...keyed, TRUEUP_STATE_URL: url.href };
    }
    const store = await serveS3(['states']);
    onTestFinished(() => store.close());
    const endpoint = `endpoint=${encodeURIComponent(store.url)}`;
    const bucket = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: secretOf('test') };
    return { ...keyed, ...bucket, TRUEUP_STATE_URL: `s3://states${named === '' ? '' : `/${named}`}?${endpoint}` };
  }

  test.skipIf(missing !== undefined)('the state of a renamed file moves to the place of its name', async () => {
    const { run, rename, plansNothing } = await applied(await stateEnv(''));
    rename('trueup.yaml', 'live.yaml');
    expect(await run('state', 'move', 'trueup.yaml', 'live.yaml')).toMatchObject({ code: 0 });
    await plansNothing('live.yaml');
    rename('live.yaml', 'next.yaml');
    expect(await run('state', 'move', 'live.yaml', 'next.yaml')).toMatchObject({ code: 0 });
    await plansNothing('next.yaml');
    rename('next.yaml', 'live.yaml');
    expect((await run('state', 'list', '-f', 'live.yaml')).out).toBe('');
    expect(await run('state', 'move', 'next.yaml', 'live.yaml')).toMatchObject({ code: 0 });
    await plansNothing('live.yaml');
  });

  test.skipIf(missing !== undefined)('a state with a name of its own is of one root file', async () => {
    const { run, rename, plansNothing, emulator } = await applied(await stateEnv('mine'));
    rename('trueup.yaml', 'live.yaml');
    emulator.log.splice(0);
    for (const words of [
      ['plan'],
      ['apply', '--auto-approve'],
      ['destroy', '--auto-approve'],
      ['drift'],
      ['state', 'list'],
    ]) {
      const refused = await run(...words, '-f', 'live.yaml');
      expect(refused.code, words.join(' ')).toBe(7);
      expect(refused.err).toContain('belongs to trueup.yaml, and this run is of live.yaml');
      expect(refused.err).toContain(
        'run trueup state move trueup.yaml live.yaml. Otherwise give live.yaml a state of its own.',
      );
    }
    expect(emulator.log.filter(({ method }) => method !== 'GET')).toEqual([]);
    expect(await run('state', 'move', 'trueup.yaml', 'live.yaml')).toMatchObject({ code: 0 });
    await plansNothing('live.yaml');
    expect(await run('state', 'move', 'trueup.yaml', 'live.yaml')).toMatchObject({ code: 0 });
    rename('live.yaml', 'trueup.yaml');
    expect((await run('plan')).err).toContain('belongs to live.yaml');
  });
});
