import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';
import { beforeAll, describe, expect, test } from 'vitest';
import { askSources } from '../../src/manifest/ask-sources.ts';
import { openWorkspace } from '../../src/manifest/workspace.ts';
import { kinds } from '../../src/resources/index.ts';
import { createRedactor } from '../../src/secrets/redactor.ts';
import { headerFor, seal } from '../../src/secrets/sources/sealed.ts';
import { validate } from '../../src/workflow/validate.ts';
import { environment } from '../support/environment.ts';
import { head } from '../support/world.ts';

/** Sources that are encrypted files of other tools, and tools that give all secrets at one start. */

const people: { identity: string; recipient: string }[] = [];
beforeAll(async () => {
  for (let count = 0; count < 3; count++) {
    const identity = await generateX25519Identity();
    people.push({ identity, recipient: await identityToRecipient(identity) });
  }
});

const recipients = (): string[] => people.slice(0, 2).map(({ recipient }) => recipient);

/** Asks the sources of a manifest for `A` and `B`. */
async function ask(
  secrets: string,
  files: Readonly<Record<string, string | Uint8Array>>,
  { env = {}, identity = people[0]?.identity ?? '' }: { env?: Record<string, string>; identity?: string } = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'trueup-encrypted-'));
  for (const [name, content] of Object.entries({ 'trueup.yaml': `${head}secrets: [${secrets}]\n`, ...files })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
    if (name.startsWith('bin/')) chmodSync(join(folder, name), 0o755);
  }
  const workspace = await openWorkspace(folder);
  const nothing = () => undefined;
  const { manifest } = await validate({
    workspace,
    file: 'trueup.yaml',
    kinds,
    env: nothing,
    secret: nothing,
    given: nothing,
    addSecret: nothing,
  });
  const added: string[] = [];
  const redactor = createRedactor();
  const own = environment();
  const { values, diagnostics } = await askSources({
    sources: manifest.settings.secrets,
    names: ['A', 'B'],
    workspace,
    identity: async () => ({ text: identity }),
    allowsCommands: true,
    env: { ...own, ...env, PATH: `${join(folder, 'bin')}${delimiter}${own['PATH'] ?? ''}` },
    addSecret: (value) => {
      added.push(value);
      redactor.add(value);
    },
    redact: redactor.redact,
    variable: (name) => `TRUEUP_SECRET_${name}`,
  });
  const problems = diagnostics.map(({ code, message, remedy }) => `${code}: ${message} -> ${remedy}`);
  return { values: Object.fromEntries(values), problems, added, folder };
}

const failing = (says: RegExp) => ({ values: {}, problems: [expect.stringMatching(says) as string] });

/** A sealed file with lines as they are given, or values that are sealed. */
async function sealedFile(entries: Readonly<Record<string, string>>, to = recipients()): Promise<string> {
  const lines = await Promise.all(
    Object.entries(entries).map(async ([name, value]) => `${name}=${await seal(name, value, to)}`),
  );
  return `${[headerFor(to), ...lines].join('\n')}\n`;
}

describe('a sealed file', () => {
  const source = () => `{ sealed: s.env, recipients: [${recipients().join(', ')}] }`;

  test('opens for each of its recipients, and for nobody else', async () => {
    const value = 'two\nlines = ä "q" #\t\u0001 ';
    const file = await sealedFile({ A: value, B: '', C: 'unasked-canary' });
    expect(file).not.toContain('unasked');
    for (const { identity } of people.slice(0, 2)) {
      const found = await ask(source(), { 's.env': file }, { identity });
      expect(found).toMatchObject({ values: { A: value }, problems: [] });
      expect(found.added).toContain('unasked-canary');
    }
    expect(await ask(source(), { 's.env': file }, { identity: people[2]?.identity ?? '' })).toMatchObject(
      failing(
        /^sealed-file: secrets: s\.env line 2: A cannot be decrypted with the identity of this run -> Use an identity of a recipient in the first line of the file\./,
      ),
    );
    expect(await ask(source(), { 's.env': file }, { identity: '' })).toMatchObject(
      failing(/^secret-missing: .*the identity holds no identity -> Set TRUEUP_AGE_IDENTITY/),
    );
  });

  test('is read with comments, CRLF and a byte order mark', async () => {
    const file = `\uFEFF${await sealedFile({ A: 'a' })}\n# note\n\n${(await sealedFile({ B: 'b' })).split('\n')[1] ?? ''}`;
    expect(await ask(source(), { 's.env': file.replaceAll('\n', '\r\n') })).toMatchObject({
      values: { A: 'a', B: 'b' },
      problems: [],
    });
  });

  test('does not open a line that stands under another name', async () => {
    const file = (await sealedFile({ A: 'a-canary', B: 'b' })).replace(/^B=.*$/m, '');
    const copied = `${file}B=${/^A=(.*)$/m.exec(file)?.[1] ?? ''}\n`;
    expect(await ask(source(), { 's.env': copied })).toMatchObject(
      failing(/line 4: B was sealed under another name -> Set it with trueup secret set B/),
    );
  });

  test('shows the length of a value in steps of 64 bytes only', async () => {
    const lengths = await Promise.all(
      [0, 1, 40, 61, 62, 100].map(async (length) => (await seal('A', 'x'.repeat(length), recipients())).length),
    );
    const [first = 0, , , , next = 0] = lengths;
    expect(lengths).toEqual([first, first, first, first, next, next]);
    expect(next).toBeGreaterThan(first);
  });

  test('has no value of an unasked name that must open', async () => {
    const other = people[2]?.recipient ?? '';
    const [, foreign = ''] = (await sealedFile({ C: 'c' }, [other])).split('\n');
    const file = `${await sealedFile({ A: 'a', B: 'b' })}${foreign}\n`;
    expect(await ask(source(), { 's.env': file })).toMatchObject({ values: { A: 'a', B: 'b' }, problems: [] });
  });

  test.each([
    ['a value in clear', 'A=hunter2-canary', /line 2: A stands in clear -> Remove the line, run trueup secret set A/],
    ['an empty value', 'A=', /line 2: A stands in clear/],
    ['another line', 'hunter2-canary', /line 2 is neither a comment nor NAME=age:…/],
    ['a name with a blank', ' A=age:YWdl', /line 2 is neither/],
    ['a conflict of git', '<<<<<<< ours', /line 2 is a conflict marker of git -> Keep both lines/],
    ['half a line', 'A=age:YWdlLWVuY3J5cHRpb24ub3Jn@', /line 2: A is damaged -> Restore the file from git/],
    ['no age file', 'A=age:aGVsbG8=', /line 2: A is not an age file/],
  ])('is refused with %s', async (_what, line, says) => {
    const found = await ask(source(), { 's.env': `${headerFor(recipients())}\n${line}\n` });
    expect(found).toMatchObject(failing(says));
    expect(JSON.stringify(found.problems)).not.toContain('canary');
  });

  test('is refused when it is truncated, twice the same name, binary, or huge', async () => {
    const file = await sealedFile({ A: 'a' });
    const line = file.split('\n')[1] ?? '';
    const of = (content: string | Uint8Array) => ask(source(), { 's.env': content });
    expect(await of(`${file}${line}\n`)).toMatchObject(failing(/has A twice, on lines 2 and 3 -> Keep the line/));
    // Base64 of other bytes than were written.
    expect(await of(file.slice(0, -45))).toMatchObject(failing(/line 2: A is damaged/));
    expect(await of(Uint8Array.of(0xff, 0xfe, 0))).toMatchObject(failing(/s\.env is not UTF-8 text/));
    expect(await of(`#${'x'.repeat(1_000_001)}`)).toMatchObject(failing(/has 1000002 bytes; the limit is 1000000/));
    expect(await of('')).toMatchObject({ values: {}, problems: [] });
  });
});

/** Written by dotenvx 2.38.2, with the key `dotenvxKey`. */
const dotenvxKey = '272cb0666ba5a3b08270a78fcd341fd400c101baa2172982c9ca0731c1007b14';
const dotenvxFile = `#/-------------------[DOTENV_PUBLIC_KEY]--------------------/
DOTENV_PUBLIC_KEY_PRODUCTION="03c33c62d3728a6084ed1b139db8b8ecea127dcfada3b0263fd0d88218f6738fae"

# .env.production
A=encrypted:BHFJ7FEWZCbQcQcc4wvbnDA8ISJ5FSBN3Rv7RFPjvVydeHWd+RS7DEV8+tB5hiW8WoT5V9Ka3ZPmwdkXEBpKe76mRJCNOqRGb7rIfYWhxdhtWj8yCj49Ip1yW9svZ1txXuvUYELRmLU54gxeCTIsr5Q=
B="encrypted:BOqSzW4VbA0RmhAiyfVkRR36ee4T2o9MY0BeTkExR8XpLumYPS5aPRWzR02k8z5Q1nt3TSPyvt2QeLJYyEcbV6WEsmjDae5/VwOP46w5HU+2836AimXe3lnjDF3OfXpKtJ2IYg=="
PLAIN=x
`;

describe('a file of dotenvx', () => {
  const of = (text: string, key: string | undefined) =>
    ask(
      '{ dotenvx: .env.production }',
      { '.env.production': text },
      {
        env: key === undefined ? {} : { DOTENV_PRIVATE_KEY_PRODUCTION: key },
      },
    );

  test('is decrypted with the key of the environment', async () => {
    const right = { values: { A: 'World of secrets', B: 'a\nb' }, problems: [] };
    expect(await of(dotenvxFile, dotenvxKey)).toMatchObject(right);
    expect(await of(dotenvxFile, `${'1'.repeat(64)}, ${dotenvxKey}`)).toMatchObject(right);
    expect((await of(dotenvxFile, dotenvxKey)).added).toEqual([dotenvxKey, 'World of secrets', 'a\nb']);
  });

  test('is refused without its key, in clear, and damaged', async () => {
    expect(await of(dotenvxFile, undefined)).toMatchObject(
      failing(
        /\.env\.production cannot be decrypted: DOTENV_PRIVATE_KEY_PRODUCTION is not set -> Set DOTENV_PRIVATE_KEY_PRODUCTION: \.env\.keys has it/,
      ),
    );
    expect(await of(dotenvxFile, 'vault://x')).toMatchObject(failing(/is no key of 64 hexadecimal digits/));
    expect(await of(dotenvxFile, '1'.repeat(64))).toMatchObject(failing(/A is damaged, or encrypted for another key/));
    expect(await of(dotenvxFile.replace('BHFJ7', 'BHFJ8'), dotenvxKey)).toMatchObject(failing(/A is damaged/));
    expect(await of(dotenvxFile.replace(/encrypted:BHFJ7.*/, 'encrypted:BHFJ'), dotenvxKey)).toMatchObject(
      failing(/A is damaged/),
    );
    expect(await of(dotenvxFile.replace(/encrypted:BHFJ7.*/, 'hunter2'), dotenvxKey)).toMatchObject(
      failing(/has A in clear -> Encrypt it with dotenvx set A/),
    );
    expect(await of('A=1\n', dotenvxKey)).toMatchObject(failing(/is no file of dotenvx: it has no DOTENV_PUBLIC_KEY/));
  });
});

/** A program in `bin` that counts its starts in `started`, and prints a text. */
const printing = (text: string, more = '') =>
  `#!/bin/sh\necho "$*" >> "$(dirname "$0")/../started"\n${more}cat <<'END'\n${text}\nEND\n`;

const started = (folder: string): string[] =>
  execFileSync('cat', [join(folder, 'started')], { encoding: 'utf8' })
    .trimEnd()
    .split('\n');

describe('a file of sops', () => {
  const inYaml = 'A: ENC[AES256_GCM,data:x]\nsops:\n  version: 3.9.0\n';
  test.each([
    [
      's.yaml',
      inYaml,
      '--decrypt --input-type yaml --output-type json s.yaml',
      '{"A": "a=1", "B": 7, "n": {"C": "c"}}',
    ],
    [
      's.json',
      '{"A": "ENC[AES256_GCM,data:x]", "sops": {}}',
      '--decrypt --input-type json --output-type json s.json',
      '{"A": "a=1", "B": 7}',
    ],
    [
      '.env.s',
      'A=ENC[AES256_GCM,data:x]\nsops_version=3.9.0\n',
      '--decrypt --input-type dotenv --output-type dotenv .env.s',
      'A="a=1"\nB=7',
    ],
  ])('is decrypted by one start of sops: %s', async (name, content, words, prints) => {
    const found = await ask(`{ sops: ${name} }`, { [name]: content, 'bin/sops': printing(prints) });
    expect(found).toMatchObject({ values: { A: 'a=1', B: '7' }, problems: [] });
    expect(started(found.folder)).toEqual([words]);
  });

  test('is refused in clear, and when sops fails', async () => {
    expect(await ask('{ sops: s.yaml }', { 's.yaml': 'A: hunter2\n' })).toMatchObject(
      failing(/s\.yaml is no file that sops has encrypted -> Encrypt it with sops encrypt -i s\.yaml/),
    );
    const sops = printing('', 'echo "Failed to get the data key" >&2; exit 128\n');
    expect(await ask('{ sops: s.yaml }', { 's.yaml': inYaml, 'bin/sops': sops })).toMatchObject(
      failing(/sops exited with code 128 when asked for secrets/),
    );
    expect(await ask('{ sops: s.yaml }', { 's.yaml': inYaml, 'bin/sops': printing('[1]') })).toMatchObject(
      failing(/sops did not print a JSON object with secrets/),
    );
  });
});

describe('a tool that gives all secrets at one start', () => {
  const vault2 = '{"data": {"data": {"A": "a", "B": 2}, "metadata": {"version": 1}}}';
  test.each([
    [
      'infisical: p1/prod/web',
      'infisical',
      'export --format=json --silent --projectId=p1 --env=prod --path=/web',
      '[{"key": "A", "value": "a"}, {"key": "B", "value": "2"}]',
    ],
    [
      'doppler: shop/prd',
      'doppler',
      'secrets download --no-file --format json --project shop --config prd',
      '{"A": "a", "B": "2", "DOPPLER_CONFIG": "prd"}',
    ],
    ['vault: secret/shop/web', 'vault', 'kv get -format=json secret/shop/web', vault2],
    ['vault: kv/shop', 'vault', 'kv get -format=json kv/shop', '{"data": {"A": "a", "B": "2"}}'],
    ['openbao: secret/shop', 'bao', 'kv get -format=json secret/shop', vault2],
    [
      'onepassword: Shop/web app',
      'op',
      'item get web app --vault Shop --format json --reveal',
      '{"fields": [{"label": "A", "value": "a"}, {"label": "B", "value": "2"}, {"label": "notesPlain"}]}',
    ],
    ['command: [all, x], prints: json', 'all', 'x', '{"A": "a", "B": "2"}'],
    ['command: [all, x], prints: env', 'all', 'x', 'A=a\nexport B="2"'],
  ])('%s', async (source, program, words, prints) => {
    const found = await ask(`{ ${source} }`, { [`bin/${program}`]: printing(prints) });
    expect(found).toMatchObject({ values: { A: 'a', B: '2' }, problems: [] });
    expect(started(found.folder)).toEqual([words]);
    expect(found.added).toEqual(expect.arrayContaining(['a', '2']));
    expect(found.added).not.toContain('prd');
  });

  test('gets the variables of the tool, and no others', async () => {
    const env = { DOPPLER_TOKEN: 'dp.1', MORE: 'm', OTHER: 'o' };
    const prints = '#!/bin/sh\nprintf \'{"A": "%s", "B": "%s"}\' "$DOPPLER_TOKEN$OTHER" "$MORE"\n';
    const found = await ask('{ doppler: shop/prd, env: [MORE] }', { 'bin/doppler': prints }, { env });
    expect(found.values).toEqual({ A: 'dp.1', B: 'm' });
  });
});

describe('a file with ciphertext of a tool is never taken for values', () => {
  test.each([
    [
      'sops in env form',
      's.env',
      'A=ENC[AES256_GCM,data:x,type:str]\nsops_version=3\n',
      1,
      'sops',
      /Write \{ sops: s\.env \} under secrets:/,
    ],
    ['sops in YAML', 's.yaml', 'x: 1\nA: ENC[AES256_GCM,data:x]\nsops: {}\n', 2, 'sops', /Write \{ sops: s\.yaml \}/],
    ['dotenvx', '.env.production', dotenvxFile, 5, 'dotenvx', /Write \{ dotenvx: \.env\.production \}/],
    [
      'ansible-vault',
      's.env',
      '$ANSIBLE_VAULT;1.1;AES256\n3132\n',
      1,
      'ansible-vault',
      /Write \{ command: \[ansible-vault, view, s\.env\], prints: env \}/,
    ],
    [
      'ansible-vault in YAML',
      's.yml',
      'A: !vault |\n  $ANSIBLE_VAULT;1.1;AES256\n  3132\n',
      2,
      'ansible-vault',
      /ansible-vault, view/,
    ],
    ['git-crypt', 's.env', '\0GITCRYPT\0\u0001\u0002', 1, 'git-crypt', /Run git-crypt unlock/],
    ['gpg', 's.env', '-----BEGIN PGP MESSAGE-----\n\nhQ\n', 1, 'gpg', /gpg, --decrypt, s\.env/],
  ])('%s', async (_what, name, content, line, tool, remedy) => {
    const found = await ask(`{ file: ${name} }`, { [name]: content });
    expect(found).toMatchObject(
      failing(
        new RegExp(
          `^ciphertext: secrets: ${name.replaceAll('.', String.raw`\.`)}:${line} holds ciphertext of ${tool}, and file: takes values in clear -> .*${remedy.source}`,
        ),
      ),
    );
  });

  test('age and sealed', async () => {
    const encrypter = new Encrypter();
    encrypter.addRecipient(people[0]?.recipient ?? '');
    const binary = await encrypter.encrypt('A=1');
    expect(await ask('{ file: s.env }', { 's.env': binary })).toMatchObject(
      failing(/s\.env:1 holds ciphertext of age.* -> Write \{ age: s\.env \}/),
    );
    expect(await ask('{ file: s.env }', { 's.env': await sealedFile({ A: 'a' }) })).toMatchObject(
      failing(/s\.env:2 holds ciphertext of sealed.* -> Write \{ sealed: s\.env, recipients: \[age1…\] \}/),
    );
  });

  test.skipIf(spawnSync('git', ['--version']).status !== 0)('nor is its source hidden by git', async () => {
    const found = await ask('{ file: s.env }, { sealed: s.env, recipients: [age1x] }', { 's.env': dotenvxFile });
    expect(found.problems[0]).toContain('{ dotenvx: s.env }');
  });
});
