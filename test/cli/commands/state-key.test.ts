import { readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEmulator } from '../../../src/emulator/emulator.ts';
import { serve } from '../../../src/emulator/http-server.ts';
import { serveS3, secretOf } from '../../support/s3-server.ts';
import { makeUnsealed } from '../../state/earlier.ts';
import { keyText } from '../../support/state-key.ts';
import { documentOf, project, trueup } from '../process.ts';

/** The key of a state, by the commands about it. */

const api = { TRUEUP_API_KEY: 'right-key' };
const emulator = createEmulator({ profile: 'standard', apiKey: api.TRUEUP_API_KEY });
let platform: Awaited<ReturnType<typeof serve>>;
beforeAll(async () => {
  platform = await serve(emulator);
});
afterAll(() => platform.close());

/** A folder with a manifest, in which commands run. */
function place(service: string, state = '') {
  const text = (description: string) => `trueup: 1
platform: { url: "${platform.url}" }
project: prj_1
${state}environments:
  production:
    redis:
      ${service}: { dockerImage: "redis:8", databasePassword: password-1, deploy: never, description: ${description} }
`;
  const folder = project(text('one'));
  const posts = () => emulator.log.filter(({ method }) => method === 'POST').length;
  return {
    folder,
    file: join(folder, '.trueup/state.json'),
    rewrite: (description: string) => writeFileSync(join(folder, 'trueup.yaml'), text(description)),
    posts,
    run: (words: string, env: Record<string, string> = {}) =>
      trueup([...words.split(' '), '-C', folder], { env: { ...api, ...env } }),
  };
}

const serialIn = (file: string) => (JSON.parse(readFileSync(file, 'utf8')) as { serial: number }).serial;

const apply = 'apply --auto-approve --adopt';

describe('trueup state key', () => {
  it('names the key of a local state, makes it where there is none, and prints it when told to', async () => {
    const { run, folder } = place('local');
    const made = await run('state key');
    expect(made).toMatchObject({ code: 0, out: '' });
    expect(made.err).toContain(join(folder, '.trueup/key'));
    const text = readFileSync(join(folder, '.trueup/key'), 'utf8');
    expect(text).toMatch(/^trueup-key-1-[\w-]{48}\n$/);
    expect(statSync(join(folder, '.trueup/key')).mode & 0o777).toBe(0o600);
    expect(await run('state key --print')).toMatchObject({ code: 0, out: text, err: '' });
    expect((await run(apply)).code).toBe(0);
    expect((await run('plan --detailed-exitcode', { TRUEUP_STATE_KEY: text.trim() })).code).toBe(0);
    expect(readFileSync(join(folder, '.trueup/.gitignore'), 'utf8')).toMatch(/^key\*\n$/m);
  });

  it.each(['rotate', 'migrate'])('is made where there is no state to %s', async (word) => {
    const { run, folder } = place('empty');
    const done = await run(`state key --${word}`);
    expect(done.err).toContain(`There is no state yet: nothing was ${word}d.`);
    const key = join(folder, '.trueup/key');
    expect(done.err).toContain(key);
    expect(readFileSync(key, 'utf8')).toMatch(/^trueup-key-1-/);
    expect((await run(apply)).code).toBe(0);
    expect((await run('plan --detailed-exitcode')).code).toBe(0);
  });

  it.each([
    ['-C', 'shops', /there is no folder \S+shops\n/],
    ['-f', 'prodution.yaml', /there is no file prodution\.yaml in/],
    ['-f', `${'a'.repeat(300)}.yaml`, /there is no file a+\.yaml in/],
  ])('is made for no place that does not exist: %s %s', async (option, name, message) => {
    const { folder } = place('mistyped');
    for (const words of ['key', 'key --print', 'list', 'unlock --yes', 'accept-older --yes']) {
      const refused = await trueup(['state', ...words.split(' '), option, name], { cwd: folder });
      expect([words, refused.code, refused.out]).toEqual([words, option === '-C' ? 1 : 3, '']);
      expect(refused.err).toMatch(message);
    }
    expect(readdirSync(folder)).toEqual(['trueup.yaml']);
  });

  it('--rotate replaces it in its file, and not in TRUEUP_STATE_KEY', async () => {
    const { run, folder } = place('rotated');
    expect((await run(apply)).code).toBe(0);
    const old = readFileSync(join(folder, '.trueup/key'), 'utf8').trim();
    const refused = await run('state key --rotate', { TRUEUP_STATE_KEY: old });
    expect([refused.code, refused.err]).toEqual([7, expect.stringContaining('cannot be rotated there')]);
    expect((await run('state key --rotate')).code).toBe(0);
    expect(readFileSync(join(folder, '.trueup/key'), 'utf8').trim()).not.toBe(old);
    expect((await run('plan --detailed-exitcode')).code).toBe(0);
    expect((await run('plan', { TRUEUP_STATE_KEY: old })).err).toContain('error[state-forged]');
  });

  it('--rotate is not left out beside --migrate', async () => {
    const { run, folder } = place('both');
    expect((await run(apply)).code).toBe(0);
    const before = readFileSync(join(folder, '.trueup/key'), 'utf8');
    const refused = await run('state key --rotate --migrate');
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('--rotate cannot be combined')]);
    expect((await run('state key --migrate')).code).toBe(0);
    expect((await run('state key --rotate')).code).toBe(0);
    expect(readFileSync(join(folder, '.trueup/key'), 'utf8')).not.toBe(before);
    expect((await run('plan --detailed-exitcode')).code).toBe(0);
  });

  it('prints a document with --format json, and the key alone with --print', async () => {
    const { run, file, folder } = place('documents');
    const key = join(folder, '.trueup/key');
    const document = { format: 'trueup/state-key', version: 1, state: file, key, rotated: false, migrated: false };
    expect(documentOf(await run('state key --format json'))).toEqual(document);
    expect(documentOf(await run('state key --rotate --format json'))).toEqual(document);
    expect((await run(apply)).code).toBe(0);
    const rotated = await run('state key --rotate --format json');
    expect(documentOf(rotated)).toEqual({ ...document, rotated: true });
    const text = readFileSync(key, 'utf8');
    expect(rotated.out + rotated.err).not.toContain(text.trim());
    expect(documentOf(await run('state key --migrate --format json'))).toEqual({ ...document, migrated: true });
    expect((await run('state key --print --format json')).out).toBe(text);
    expect((await run('plan --detailed-exitcode')).code).toBe(0);
  });

  it('is needed for a state in a bucket: without it nothing is planned', async () => {
    const store = await serveS3(['states']);
    const { run, posts } = place('bucket', `state: { backend: s3, endpoint: "${store.url}", bucket: states }\n`);
    const aws = { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: secretOf('key') };
    const before = posts();
    for (const words of ['plan', apply, 'state list']) {
      const { code, err } = await run(words, aws);
      expect([words, code, err]).toEqual([words, 7, expect.stringContaining('error[state-key]')]);
      expect(err).toContain('trueup state key');
    }
    expect(posts()).toBe(before);
    expect((await run('state key', aws)).code).toBe(0);
    expect((await run(apply, aws)).code).toBe(0);
    expect((await run('plan --detailed-exitcode', aws)).code).toBe(0);
    const other = await run('plan', { ...aws, TRUEUP_STATE_KEY: keyText });
    expect([other.code, other.err]).toEqual([7, expect.stringContaining('error[state-forged]')]);
    await store.close();
  });

  it.each(['lost', 'damaged'])('that is %s leaves a way on, which the error names', async (event) => {
    const { run, file, folder } = place(event);
    const keyOf = join(folder, '.trueup/key');
    expect((await run(apply)).code).toBe(0);
    if (event === 'lost') rmSync(keyOf);
    else writeFileSync(keyOf, readFileSync(keyOf, 'utf8').slice(0, 30));
    const { code, err } = await run('plan');
    expect([code, err]).toEqual([7, expect.stringContaining('error[state-key]')]);
    expect(err.replaceAll(/\s+/g, ' ')).toContain('state.json and the journal beside it');
    expect(err).toContain('trueup state rebuild');
    if (event === 'damaged') rmSync(keyOf);
    renameSync(file, `${file}.lost`);
    expect((await run('state rebuild --yes')).code).toBe(0);
    const again = await run(apply);
    expect([again.code, (await run('plan --detailed-exitcode')).code]).toEqual([0, 0]);
  });

  it.each(['', 'secret-canary', `${keyText}x`, keyText.slice(0, -1)])(
    'of TRUEUP_STATE_KEY is refused when it is %j, which is not shown',
    async (key) => {
      const { run } = place('malformed');
      const { code, err, out } = await run('plan', { TRUEUP_STATE_KEY: key });
      expect([code, err]).toEqual([7, expect.stringContaining('error[state-key]')]);
      if (key !== '') expect(out + err).not.toContain(key.slice(0, 30));
    },
  );

  it('--migrate gives a state without a MAC one, where there is a key already', async () => {
    const { run, file, folder } = place('migrated');
    expect((await run(apply)).code).toBe(0);
    makeUnsealed(file);
    const env = { TRUEUP_STATE_KEY: keyText };
    rmSync(join(folder, '.trueup/key'));
    const refused = await run('plan', env);
    expect([refused.code, refused.err]).toEqual([7, expect.stringContaining('has no MAC, and there is a key for it')]);
    expect(refused.err).toContain('trueup state key --migrate');
    expect((await run('state key --migrate', env)).code).toBe(0);
    expect(readFileSync(file, 'utf8')).toContain('"formatVersion": 4');
    expect((await run('state list', env)).out).toContain('production.redis.migrated');
  });
});

it('a local state of an earlier version gets its MAC and its key at the next apply, which says so once', async () => {
  const folder = project(
    `trueup: 1\nplatform: { url: "${platform.url}" }\nproject: prj_1\nenvironments: { earlier: { description: one } }\n`,
  );
  const run = (...words: string[]) => trueup([...words, '-C', folder], { env: api });
  const file = join(folder, '.trueup/state.json');
  expect((await run('apply', '--auto-approve')).code).toBe(0);
  makeUnsealed(file);
  // A lock of an earlier version knows no version that has a MAC.
  for (const name of ['key', 'lease']) rmSync(join(folder, '.trueup', name), { recursive: true });
  const told = `the next apply gives it one, made with ${join(folder, '.trueup/key')}`;
  expect((await run('plan')).out).toContain(told);
  const applied = await run('apply', '--auto-approve');
  expect([applied.code, applied.out]).toEqual([0, expect.stringContaining(told)]);
  expect(readFileSync(file, 'utf8')).toContain('"formatVersion": 4');
  const again = await run('plan', '--detailed-exitcode');
  expect([again.code, again.out]).toEqual([0, expect.not.stringContaining('MAC')]);
});

it('trueup state accept-older goes on from an older state, which no run does by itself', async () => {
  const { run, file, rewrite, posts } = place('older');
  expect((await run(apply)).code).toBe(0);
  const older = readFileSync(file, 'utf8');
  rewrite('two');
  expect((await run(apply)).code).toBe(0);
  const newest = await run('state accept-older --yes --format json');
  expect(newest.err).toBe('The state is the newest one: nothing was changed.\n');
  const document = { format: 'trueup/accept-older', version: 1 };
  expect(documentOf(newest)).toEqual({ ...document, serial: serialIn(file), accepted: false });
  writeFileSync(file, older);
  const before = posts();
  for (const words of ['plan', apply]) {
    const { code, err } = await run(words);
    expect([words, code, err]).toEqual([words, 7, expect.stringContaining('error[state-older]')]);
    expect(err).toContain('trueup state accept-older');
  }
  expect(posts()).toBe(before);
  expect((await run('state accept-older')).code).toBe(1);
  for (const words of ['plan', apply]) expect((await run(words)).err).toContain('error[state-older]');
  const accepted = await run('state accept-older --yes --format json');
  expect(accepted.code).toBe(0);
  expect(documentOf(accepted)).toEqual({ ...document, serial: serialIn(file), accepted: true });
  expect((await run('plan --detailed-exitcode')).code).toBe(0);
});

it('S1: a state that is gone stops a run, and trueup state rebuild makes it anew', async () => {
  const { run, file, posts } = place('gone');
  expect((await run(apply)).code).toBe(0);
  rmSync(file);
  const before = posts();
  for (const words of ['plan', apply, 'state list', 'state accept-older --yes', 'destroy --auto-approve']) {
    const { code, err } = await run(words);
    expect([words, code, err]).toEqual([words, 7, expect.stringContaining('error[state-older]')]);
    expect(err).toContain('trueup state rebuild');
  }
  expect(posts()).toBe(before);
  expect((await run('state rebuild --yes')).code).toBe(0);
  expect((await run('state list')).out).toContain('production.redis.gone');
  expect((await run(apply)).code).toBe(0);
  expect((await run('plan --detailed-exitcode')).code).toBe(0);
});
