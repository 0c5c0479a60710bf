import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { documentOf, project, trueup } from '../cli/process.ts';

/** What commands say of what they did not check, and of words that are nearly right. */

const head = 'trueup: 1\nplatform: emulator\nproject: prj_1\n';
const database = (password: string) =>
  `${head}environments:\n  production:\n    redis:\n      main: { dockerImage: "redis:8", databasePassword: "${password}", env: { A: "\${secret:A}" } }\n`;

describe('M10: validate without secrets', () => {
  test('names those that are missing, and says that values were not checked', async () => {
    const cwd = project(database('${secret:DB}'));
    expect(await trueup(['validate'], { cwd })).toMatchObject({
      code: 0,
      out: 'trueup.yaml is valid: 2 resources, but 2 secrets are missing: A, DB. Values that hold them were not checked.\n',
    });
    const one = await trueup(['validate'], { cwd, env: { TRUEUP_SECRET_A: 'correct-horse-1' } });
    expect(one.out).toBe(
      'trueup.yaml is valid: 2 resources, but 1 secret is missing: DB. Values that hold it were not checked.\n',
    );
    const json = await trueup(['validate', '--format', 'json'], { cwd });
    expect(JSON.parse(json.out)).toMatchObject({ resources: 2, secretsMissing: ['A', 'DB'] });
    const all = { TRUEUP_SECRET_A: 'correct-horse-1', TRUEUP_SECRET_DB: 'correct-horse-2' };
    expect((await trueup(['validate'], { cwd, env: all })).out).toBe('trueup.yaml is valid: 2 resources.\n');
  });

  test('says of other sources that it asks none', async () => {
    const cwd = project(`${database('${secret:DB}')}secrets: [{ file: secrets.env }]\n`);
    expect((await trueup(['validate'], { cwd })).out).toBe(
      'trueup.yaml is valid: 2 resources, but 2 secrets are not in the environment, and validate asks no other source: A, DB. Values that hold them were not checked.\n',
    );
  });
});

test('validate names the variables that each preview is given, and misses no value of a preview that is named', async () => {
  const cwd = fileURLToPath(new URL('../../examples/stages', import.meta.url));
  const env = { TRUEUP_SECRET_DB_PASSWORD: 'correct-horse-1', TRUEUP_SECRET_CACHE_PASSWORD: 'correct-horse-2' };
  const of = (...words: string[]) => trueup(['validate', ...words], { cwd, env });
  expect((await of('--all')).code).toBe(0);
  expect(await of('-f', 'preview.yaml')).toEqual({
    code: 0,
    out: 'preview.yaml is valid: 13 resources. --var gives each preview the variable tag, and values that hold it were not checked.\n',
    err: '',
  });
  expect(documentOf(await of('-f', 'preview.yaml', '--format', 'json'))).toMatchObject({ variablesMissing: ['tag'] });
  expect((await of('-f', 'preview.yaml', '--var', 'tag=1.2')).out).toBe('preview.yaml is valid: 13 resources.\n');
  const named = await of('-f', 'preview.yaml', '--preview', '12');
  expect([named.code, named.err]).toEqual([3, expect.stringContaining('gives no value to the variable tag')]);
  const asked = await trueup(['eval', '${var:tag}', '-f', 'preview.yaml'], { cwd, env });
  expect([asked.code, asked.err]).toEqual([3, expect.stringContaining('gives no value to the variable tag')]);
});

describe('M12: a word that is nearly right', () => {
  test.each([
    ['platform: { url: "https://x.example", profile: dokploi }', 'Did you mean dokploy?'],
    ['platform: { emulator: true, profile: standart }', 'Did you mean standard?'],
    ['platform: emulater', 'Did you mean emulator?'],
  ])('%s', async (platform, meant) => {
    const cwd = project(`trueup: 1\n${platform}\nproject: prj_1\n`);
    expect((await trueup(['validate'], { cwd })).err).toContain(`-> ${meant}`);
  });

  test.each([
    [['call', 'application.updat'], 'Did you mean application.update?'],
    [['call', 'mysql.creat'], 'Did you mean mysql.create?'],
    [['call', 'tag.al'], 'Did you mean tag.all?'],
    [['emulate', '--profile', 'dokploi'], 'Did you mean dokploy?'],
  ])('%s', async (words, meant) => {
    const ran = await trueup(words, { cwd: project(head) });
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toContain(meant);
  });
});

test('M29: destroy takes the flag for mass deletion, which it does not need', async () => {
  const secrets = { TRUEUP_SECRET_A: 'correct-horse-1', TRUEUP_SECRET_DB: 'correct-horse-2' };
  const cwd = project(database('${secret:DB}'));
  expect((await trueup(['apply', '--auto-approve'], { cwd, env: secrets })).code).toBe(0);
  const flags = ['--auto-approve', '--allow-data-loss', '--allow-mass-delete'];
  expect((await trueup(['destroy', ...flags], { cwd, env: secrets })).code).toBe(0);
  expect((await trueup(['destroy', ...flags], { cwd, env: secrets })).out).toContain(
    'The state holds no object to delete.',
  );
  expect((await trueup(['destroy', '--help'], { cwd })).out.replaceAll(/\s+/g, ' ')).toContain(
    '--allow-mass-delete not needed: destroy deletes any number of objects',
  );
});
