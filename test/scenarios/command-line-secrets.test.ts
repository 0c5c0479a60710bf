import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { armor, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { documentOf, project, trueup } from '../cli/process.ts';

const key = { TRUEUP_API_KEY: 'right-key-4711' };
let server: Awaited<ReturnType<typeof serve>>;
const emulator = createEmulator({ profile: 'standard', apiKey: key.TRUEUP_API_KEY });
let identity = '';
let encrypted = '';

beforeAll(async () => {
  server = await serve(emulator);
  identity = await generateX25519Identity();
  const encrypter = new Encrypter();
  encrypter.addRecipient(await identityToRecipient(identity));
  encrypted = armor.encode(
    await encrypter.encrypt('FROM_AGE="canary-age-7f3a\\nline-two-age"\nFROM_FILE=canary-late-1\n'),
  );
});
afterAll(() => server.close());

/** A folder whose manifest takes a secret from each source. Its program notes each of its runs. */
function shop(platform = `{ url: "${server.url}" }`, more = ''): string {
  return project({
    'trueup.yaml': `trueup: 1
platform: ${platform}
project: prj_1
secrets:
  - { file: secrets.env }
  - { age: secrets.env.age }
  - { command: [sh, ask.sh, "{name}"] }
environments:
  production:
    env:
      ENV: \${secret:FROM_ENV}
      FILE: \${secret:FROM_FILE}
      AGE: \${secret:FROM_AGE}
      COMMAND: \${secret:FROM_COMMAND}
${more}outputs: { url: "pg://\${secret:FROM_AGE|urlencode}@x", id: "\${ref:production.id}" }
`,
    'secrets.env': 'FROM_FILE=canary-file-7f3a\nFROM_ENV=canary-late-2\n',
    'secrets.env.age': encrypted,
    'ask.sh': 'echo "$1" >> ran\necho "canary-command-7f3a"\n',
  });
}

const env = () => ({ ...key, TRUEUP_SECRET_FROM_ENV: 'canary-env-7f3a', TRUEUP_AGE_IDENTITY: identity });
const allowed = '--allow-secret-commands';
const ran = (folder: string) => (existsSync(join(folder, 'ran')) ? readFileSync(join(folder, 'ran'), 'utf8') : '');
const quiet = (text: string) => {
  expect(text).not.toMatch(/canary|line-two|AGE-SECRET/);
  return text;
};

/** Everything that a run left beside the manifest. */
function left(folder: string): string {
  const files = readdirSync(join(folder, '.trueup'), { withFileTypes: true }).filter((item) => item.isFile());
  return files.map(({ name }) => readFileSync(join(folder, '.trueup', name), 'utf8')).join('\n');
}

describe('secrets', () => {
  it('come from the environment, an env file, a file of age and a program, and then it plans nothing', async () => {
    const folder = shop();
    const applied = await trueup(['apply', '--auto-approve', '--adopt', allowed, '-C', folder], { env: env() });
    expect(applied).toMatchObject({ code: 0 });
    quiet(applied.out + applied.err + left(folder));
    expect(emulator.world.tables.environment.env_prj_1?.env).toBe(
      'ENV=canary-env-7f3a\nFILE=canary-file-7f3a\nAGE="canary-age-7f3a\nline-two-age"\nCOMMAND=canary-command-7f3a\n',
    );
    expect(ran(folder)).toBe('FROM_COMMAND\n');
    const file = join(folder, 'identity');
    writeFileSync(file, `# created: today\n${identity}\n`);
    const other = { ...key, TRUEUP_SECRET_FROM_ENV: 'canary-env-7f3a', TRUEUP_AGE_IDENTITY_FILE: file };
    const planned = await trueup(['plan', '--detailed-exitcode', '-C', folder, allowed], { env: other });
    expect(planned).toMatchObject({ code: 0, err: '' });
    quiet(planned.out);
    // What the environment has is asked of nobody.
    const all = {
      TRUEUP_SECRET_FROM_AGE: 'canary-age-7f3a\nline-two-age',
      TRUEUP_SECRET_FROM_COMMAND: 'canary-command-7f3a',
    };
    expect(await trueup(['plan', '--detailed-exitcode', '-C', folder], { env: { ...other, ...all } })).toMatchObject({
      code: 0,
    });
  });

  it('are needed by no command that only checks, deletes, or shows other values', async () => {
    const folder = shop('emulator');
    await trueup(['apply', '--auto-approve', '--adopt', allowed, '-C', folder], { env: env() });
    writeFileSync(join(folder, 'ran'), '');
    writeFileSync(join(folder, 'secrets.env'), Buffer.of(0xff));
    for (const command of [
      ['validate'],
      ['output'],
      ['output', 'id'],
      ['status'],
      ['complete', 'trueup', 'output', ''],
    ]) {
      expect(await trueup([...command, '-C', folder]), command.join(' ')).toMatchObject({ code: 0 });
    }
    expect((await trueup(['output', 'id', '-C', folder])).out).toBe('env_prj_1\n');
    const shown = await trueup(['output', 'url', '--show-secrets', '-C', folder]);
    expect(shown).toMatchObject({ code: 1, out: '' });
    expect(shown.err).toContain('secrets.env is not UTF-8 text');
    expect(await trueup(['destroy', '--auto-approve', '-C', folder])).toMatchObject({ code: 0 });
    expect(ran(folder)).toBe('');
  });

  it('are shown by output --show-secrets', async () => {
    const folder = shop('emulator');
    await trueup(['apply', '--auto-approve', '--adopt', allowed, '-C', folder], { env: env() });
    const shown = await trueup(['output', 'url', '--show-secrets', allowed, '-C', folder], { env: env() });
    expect(shown).toMatchObject({ code: 0, out: 'pg://canary-age-7f3a%0Aline-two-age@x\n' });
  });

  it('rebuild a lost state, with the programs that are allowed only', async () => {
    const folder = shop(
      undefined,
      '    redis: { cache: { dockerImage: "redis:8", databasePassword: "${secret:FROM_COMMAND}", deploy: never } }\n',
    );
    const run = (...args: readonly string[]) => trueup([...args, '-C', folder], { env: env() });
    expect(await run('apply', '--auto-approve', '--adopt', allowed)).toMatchObject({ code: 0 });
    expect(await run('plan', '--detailed-exitcode', allowed)).toMatchObject({ code: 0 });
    rmSync(join(folder, '.trueup/state.json'));
    writeFileSync(join(folder, 'ran'), '');
    emulator.log.splice(0);
    const refused = await run('state', 'rebuild', '--yes');
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toContain('sh does not run without --allow-secret-commands');
    expect([ran(folder), emulator.log.length]).toEqual(['', 0]);
    const rebuilt = await run('state', 'rebuild', '--yes', allowed);
    expect(rebuilt).toMatchObject({ code: 0, err: expect.stringContaining('The state has 2 objects.') });
    expect(ran(folder)).toBe('FROM_COMMAND\n');
    expect(emulator.log.filter(({ method }) => method === 'POST')).toEqual([]);
    quiet(rebuilt.out + rebuilt.err + left(folder));
    expect(await run('apply', '--auto-approve', allowed)).toMatchObject({ code: 0 });
    expect(await run('plan', '--detailed-exitcode', allowed)).toMatchObject({ code: 0 });
  });

  it('that no source has are missing: recorded fields stay, and resources that need one are not created', async () => {
    const folder = shop('emulator');
    await trueup(['apply', '--auto-approve', '--adopt', allowed, '-C', folder], { env: env() });
    const text = readFileSync(join(folder, 'trueup.yaml'), 'utf8');
    writeFileSync(
      join(folder, 'trueup.yaml'),
      text.replace(/secrets:\n(?: {2}- .*\n)+/, 'secrets: [{ file: secrets.env }]\n'),
    );
    writeFileSync(join(folder, 'secrets.env'), 'OTHER=1\n');
    expect(await trueup(['plan', '--detailed-exitcode', '-C', folder])).toMatchObject({ code: 0, err: '' });
  });
});

describe('a source that cannot be asked', () => {
  it('stops plan and apply with its position, before any request, in text and in JSON', async () => {
    const folder = shop();
    const before = emulator.log.length;
    const text = await trueup(['plan', '-C', folder], { env: { ...key, TRUEUP_SECRET_FROM_ENV: 'canary-env-7f3a' } });
    expect(text).toEqual({
      code: 1,
      out: '',
      err: `error[secret-missing] trueup.yaml:6:5
secrets: secrets.env.age cannot be decrypted: this run has no identity
  -> Set TRUEUP_AGE_IDENTITY to what age-keygen wrote, or TRUEUP_AGE_IDENTITY_FILE to a file that has it. Or set TRUEUP_SECRET_FROM_AGE, TRUEUP_SECRET_FROM_COMMAND: then the source is not needed.
`,
    });
    const json = await trueup(['apply', '--auto-approve', '--format', 'json', '-C', folder], { env: env() });
    expect({ code: json.code, err: json.err }).toEqual({ code: 1, err: '' });
    expect(documentOf(json)).toMatchObject({
      format: 'trueup/error',
      exitCode: 1,
      diagnostics: [
        {
          code: 'hostile-setting',
          message: 'secrets: sh does not run without --allow-secret-commands',
          position: { file: 'trueup.yaml', line: 7, column: 5 },
        },
      ],
    });
    const unreadable = { ...env(), TRUEUP_AGE_IDENTITY: '', TRUEUP_AGE_IDENTITY_FILE: join(folder, 'nowhere') };
    expect((await trueup(['plan', '-C', folder], { env: unreadable })).err).toContain(
      'secrets.env.age cannot be decrypted: the identity of TRUEUP_AGE_IDENTITY_FILE cannot be read (ENOENT)',
    );
    expect(ran(folder)).toBe('');
    expect(emulator.log.length).toBe(before);
  });

  it('is asked by no manifest that has a mistake in it, or that would send the key in clear', async () => {
    const mistaken = shop(undefined, '    redsi: {}\n');
    expect(await trueup(['plan', allowed, '-C', mistaken], { env: env() })).toMatchObject({ code: 3 });
    const hostile = shop('{ url: "http://platform.example.com" }');
    const refused = await trueup(['plan', allowed, '-C', hostile], { env: env() });
    expect(refused).toMatchObject({ code: 3 });
    expect(refused.err).toContain('hostile-setting');
    expect(ran(mistaken) + ran(hostile)).toBe('');
  });

  it('reports its error without secrets, and does not get the API key', async () => {
    const folder = shop();
    writeFileSync(
      join(folder, 'ask.sh'),
      'echo "canary-half-1234"\nenv >&2\necho "failed with canary-half-1234, canary-file-7f3a, line-two-age" >&2\nexit 1\n',
    );
    const all = { ...env(), CANARY_OF_USER: 'right-key-4711' };
    for (const format of ['text', 'json']) {
      const { code, out, err } = await trueup(['plan', allowed, '--format', format, '-C', folder], { env: all });
      expect(code).toBe(1);
      expect(out + err).toContain('failed with (sensitive), (sensitive), (sensitive)');
      expect(quiet(out + err)).not.toMatch(/right-key|TRUEUP_API_KEY|TRUEUP_SECRET_FROM_ENV=|TRUEUP_AGE_IDENTITY=/);
    }
  });
});
