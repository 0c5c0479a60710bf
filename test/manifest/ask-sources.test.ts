import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { armor, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';
import { beforeAll, describe, expect, test } from 'vitest';
import type { AskingInput } from '../../src/manifest/ask-sources.ts';
import { askSources } from '../../src/manifest/ask-sources.ts';
import { missingSecrets } from '../../src/manifest/needed-secrets.ts';
import type { FileText } from '../../src/manifest/workspace.ts';
import { openWorkspace } from '../../src/manifest/workspace.ts';
import { validate } from '../../src/workflow/validate.ts';
import { kinds } from '../../src/resources/index.ts';
import { createRedactor } from '../../src/secrets/redactor.ts';
import { environment } from '../support/environment.ts';
import { told, oneError } from '../support/problems.ts';
import { head } from '../support/world.ts';

/** Secrets come from the sources that a manifest declares, in their order. */

let identity = '';
let recipient = '';
beforeAll(async () => {
  identity = await generateX25519Identity();
  recipient = await identityToRecipient(identity);
});

async function encrypted(text: string | Uint8Array): Promise<Uint8Array> {
  const encrypter = new Encrypter();
  encrypter.addRecipient(recipient);
  return encrypter.encrypt(text);
}

type Files = Readonly<Record<string, string | Uint8Array>>;

/** Writes files into a new folder, the manifest among them. */
function place(secrets: string, files: Files): string {
  const folder = mkdtempSync(join(tmpdir(), 'trueup-secrets-'));
  const all = { 'trueup.yaml': `${head}secrets:\n${secrets.replaceAll(/^(?=.)/gm, '  ')}\n`, ...files };
  for (const [name, content] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

/** Asks the sources of a manifest. `added`: the secrets, in the order they were added. */
async function ask(
  secrets: string,
  files: Files,
  about: Partial<AskingInput> & { folder?: string; file?: string } = {},
): Promise<{ values: Record<string, string>; problems: string[]; added: string[] }> {
  const { folder = place(secrets, files), file = 'trueup.yaml', ...more } = about;
  const workspace = await openWorkspace(folder);
  const { manifest } = await validate({
    workspace,
    file,
    kinds,
    env: () => undefined,
    secret: () => undefined,
    given: () => undefined,
    addSecret: () => undefined,
  });
  const redactor = createRedactor();
  const added: string[] = [];
  const { values, diagnostics } = await askSources({
    sources: manifest.settings.secrets,
    names: ['A', 'B'],
    workspace,
    identity: async () => ({ text: identity }),
    allowsCommands: true,
    env: environment(),
    addSecret: (value) => {
      added.push(value);
      redactor.add(value);
    },
    redact: redactor.redact,
    variable: (name) => `TRUEUP_SECRET_${name}`,
    ...more,
  });
  return {
    values: Object.fromEntries(values),
    problems: diagnostics.map(({ code, severity, message, remedy, position, details }) => {
      expect([severity, remedy === undefined || remedy === '']).toEqual(['error', false]);
      const where = `${position?.file}:${position?.line}:${position?.column}`;
      return [`${where} ${code}: ${message}`, ...(details ?? []), `-> ${remedy}`].join('\n');
    }),
    added,
  };
}

/** The only thing that is said. */
const problem = (text: RegExp) => ({ values: {}, problems: [expect.stringMatching(text) as string] });

const node = JSON.stringify(process.execPath);
/** A program that prints the value for each name, or fails. */
const printing = (values: Readonly<Record<string, string>>) =>
  `- command: [${node}, "-e", ${JSON.stringify(
    `const value = (${JSON.stringify(values)})[process.argv[1]];
     if (value === undefined) { console.error('no entry ' + process.argv[1]); process.exit(1); }
     process.stdout.write(value);`,
  )}, "{name}"]`;

describe('an env file', () => {
  test('gives its variables, read as the platform reads an env file', async () => {
    const text = '# a comment\r\nexport A="two\\nlines"\r\nB=\r\nC=unasked\n';
    const { values, added } = await ask('- { file: secrets.env }', { 'secrets.env': text });
    expect(values).toEqual({ A: 'two\nlines' });
    // What is in the file and was not asked for is a secret, too.
    expect(added).toEqual(['two\nlines', '', 'unasked']);
  });

  test('keeps valid UTF-8 byte for byte', async () => {
    const value = `ä$x 'q' \`b\` #é {j: 1} 🚀 \u00a0\u0001`;
    expect((await ask('- { file: s }', { s: `A="${value}"\n` })).values).toEqual({ A: value });
    expect((await ask('- { file: s }', { s: `\uFEFFA=x\n` })).values).toEqual({ A: 'x' });
    expect((await ask('- { file: s }', { s: 'toString=a\n__proto__=b\nconstructor=c\n' })).values).toEqual({});
  });

  test('is named relative to the file that names it', async () => {
    const folder = place('- { file: s.env }', { 's.env': 'A=above', 'sub/s.env': 'A=beside' });
    writeFileSync(join(folder, 'sub/own.yaml'), readFileSync(join(folder, 'trueup.yaml')));
    expect((await ask('', {}, { folder, file: 'sub/own.yaml' })).values).toEqual({ A: 'beside' });
    writeFileSync(join(folder, 'sub/own.yaml'), `${head}secrets: [{ file: ../s.env }]\n`);
    expect((await ask('', {}, { folder, file: 'sub/own.yaml' })).values).toEqual({ A: 'above' });
  });

  test('must be a readable file of the workspace', async () => {
    const outside = join(mkdtempSync(join(tmpdir(), 'trueup-outside-')), 's.env');
    writeFileSync(outside, 'A=correct-horse\n');
    const linked = (source: string) => {
      const folder = place(source, { 'real.env': 'A=inside\n' });
      symlinkSync(outside, join(folder, 'out.env'));
      symlinkSync('real.env', join(folder, 'in.env'));
      mkdirSync(join(folder, 'dir.env'));
      return folder;
    };
    const of = (source: string) => ask('', {}, { folder: linked(source) });
    expect(await of('- file: in.env')).toMatchObject({ values: { A: 'inside' }, problems: [] });
    expect(await of('- file: out.env')).toMatchObject(
      problem(
        /^trueup\.yaml:5:5 file-unreadable: secrets: out\.env leads by a link out of the workspace.*\n-> .*Or set TRUEUP_SECRET_A, TRUEUP_SECRET_B: then the source is not needed\.$/,
      ),
    );
    expect(await of(`- file: ${outside}`)).toMatchObject(problem(/is an absolute path/));
    expect(await of('- file: ../s.env')).toMatchObject(problem(/is outside the workspace/));
    expect(await of('- file: nowhere.env')).toMatchObject(problem(/there is no file nowhere\.env/));
    expect(await of('- file: dir.env')).toMatchObject(problem(/dir\.env is not a file/));
  });

  test('must be text of at most 1,000,000 bytes', async () => {
    const of = (content: string | Uint8Array) => ask('- file: s', { s: content });
    expect(await of(`A=${'x'.repeat(1_000_000)}`)).toMatchObject(problem(/has 1000002 bytes; the limit is 1000000/));
    expect(await of(Buffer.from('A=\xff\n', 'latin1'))).toMatchObject(problem(/s is not UTF-8 text/));
    expect(await of('A=a\0b\n')).toMatchObject(problem(/s contains the character NUL/));
  });

  test.skipIf(spawnSync('git', ['--version']).status !== 0)('is refused when it is in git', async () => {
    const folder = place('- { file: sub/s.env }', { 'sub/s.env': 'A=correct-horse' });
    execFileSync('git', ['init'], { cwd: folder, stdio: 'ignore' });
    expect(await ask('', {}, { folder })).toMatchObject({ values: { A: 'correct-horse' } });
    execFileSync('git', ['add', '.'], { cwd: folder, stdio: 'ignore' });
    expect(await ask('', {}, { folder })).toMatchObject({
      ...problem(
        /^trueup\.yaml:5:5 secret-missing: secrets: sub\/s\.env is tracked by git.*\n-> git rm --cached sub\/s\.env/,
      ),
      added: [],
    });
    execFileSync('git', ['update-index', '--split-index'], { cwd: folder, stdio: 'ignore' });
    expect(await ask('', {}, { folder })).toMatchObject({
      ...problem(
        /cannot read the index of git, which says whether it tracks sub\/s\.env\n-> .*git update-index --no-split-index/,
      ),
      added: [],
    });
  });
});

test('an empty value is none in any source: a copy of secrets.env.example blanks no password', async () => {
  const files = { 'secrets.env': 'A=\nB=""\n', 'later.env': 'A=a\n' };
  expect(await ask('- { file: secrets.env }\n- { file: later.env }', files)).toMatchObject({
    values: { A: 'a' },
    problems: [],
  });
  expect(await ask(printing({ A: '', B: 'b' }), {})).toMatchObject({ values: { B: 'b' }, problems: [] });
});

describe('an env file encrypted with age', () => {
  test('is decrypted with the identity of the run, in binary and in armored form', async () => {
    const binary = await encrypted('A="x\\r\\ny"\r\nB=\n');
    for (const content of [binary, armor.encode(binary)]) {
      const { values, added } = await ask('- { age: s.age }', { 's.age': content });
      expect(values).toEqual({ A: 'x\r\ny' });
      expect(added).toEqual([identity, 'x\r\ny', '']);
    }
  });

  test('may be in git', async () => {
    const folder = place('- { age: s.age }', { 's.age': await encrypted('A=1') });
    if (spawnSync('git', ['init'], { cwd: folder }).status === 0) execFileSync('git', ['add', '.'], { cwd: folder });
    expect((await ask('', {}, { folder })).values).toEqual({ A: '1' });
  });

  test.each(['age', 'file'])('has no name of a memory of drift, whose change no pipeline plans: %s', async (kind) => {
    const asked = ask(`- { ${kind}: drift.s.yaml }`, { 'drift.s.yaml': await encrypted('A=1') });
    expect((await asked).problems).toEqual([
      expect.stringContaining('drift.s.yaml has the name of a memory of trueup drift'),
    ]);
  });

  test('that cannot be decrypted is one error, with its position and a remedy', async () => {
    const of = (content: string | Uint8Array, given: FileText = { text: identity }) =>
      ask('- { age: s.age }', { 's.age': content }, { identity: async () => given });
    const good = await encrypted('A=1');
    const other = await generateX25519Identity();
    expect(await of(good, { problem: 'this run has no identity' })).toMatchObject(
      problem(
        /^trueup\.yaml:5:5 secret-missing: secrets: s\.age cannot be decrypted: this run has no identity\n-> Set TRUEUP_AGE_IDENTITY to .* TRUEUP_AGE_IDENTITY_FILE .* Or set TRUEUP_SECRET_A, TRUEUP_SECRET_B: then the source is not needed\.$/,
      ),
    );
    expect(await of(good, { text: '# nothing' })).toMatchObject(
      problem(/s\.age cannot .*: the identity holds no identity/),
    );
    expect(await of(good, { text: other })).toMatchObject(problem(/s\.age cannot be decrypted with the identity/));
    expect(await of(good.slice(0, -1))).toMatchObject(problem(/s\.age is damaged or incomplete/));
    expect(await of('A=1')).toMatchObject(problem(/s\.age is not an age file\n-> .*age -r age1/));
    expect(await of(await encrypted(Uint8Array.of(0xff)))).toMatchObject(problem(/s\.age is not UTF-8 text/));
    expect(await ask('- { age: ../s.age }', {})).toMatchObject(problem(/is outside the workspace/));
    expect(await ask('- { age: s.age }', {})).toMatchObject(problem(/there is no file s\.age/));
  });

  test('needs the identity only when it is read', async () => {
    let asked = 0;
    const given = async () => {
      asked++;
      return { problem: 'this run has no identity' };
    };
    expect((await ask('- { file: s }\n- { age: s.age }', { s: 'A=1\nB=2' }, { identity: given })).problems).toEqual([]);
    expect(asked).toBe(0);
  });
});

describe('a secret command', () => {
  test('runs once for each name that no earlier source has', async () => {
    const { values, added } = await ask(`- { file: s }\n${printing({ B: 'two\r\n', A: 'wrong' })}`, {
      s: 'A=one',
    });
    expect(values).toEqual({ A: 'one', B: 'two' });
    expect(added).toEqual(['one', 'two\r\n', 'two']);
  });

  test('runs in the folder of the manifest', async () => {
    const folder = place('- { command: [sh, -c, "cat \\"$0\\".txt", "{name}"] }', { 'A.txt': 'a\n', 'B.txt': 'b\n' });
    mkdirSync(join(folder, 'sub'));
    writeFileSync(join(folder, 'sub/own.yaml'), readFileSync(join(folder, 'trueup.yaml')));
    writeFileSync(join(folder, 'sub/A.txt'), 'deeper');
    expect((await ask('', {}, { folder })).values).toEqual({ A: 'a', B: 'b' });
    expect((await ask('', {}, { folder, file: 'sub/own.yaml', names: ['A'] })).values).toEqual({ A: 'deeper' });
  });

  test('runs only when the command line allows it', async () => {
    const folder = place('- { command: [sh, -c, "touch ran-$0", "{name}"] }', {});
    const { problems } = await ask('', {}, { folder, allowsCommands: false });
    expect(problems).toEqual([
      'trueup.yaml:5:5 hostile-setting: secrets: sh does not run without --allow-secret-commands\n-> Add the option if you trust everybody who can change the manifest, or set TRUEUP_SECRET_A, TRUEUP_SECRET_B.',
    ]);
    expect(() => readFileSync(join(folder, 'ran-A'))).toThrow('ENOENT');
  });

  test('that fails stops the run and shows its stderr without secrets', async () => {
    const lines = [
      'entry of one-of-the-file:',
      'k1',
      'k2',
      'k3',
      '\u001B[31mhalf-a-secret, password=hunter2',
      '',
      '',
    ].join('\n');
    const script = `console.log('half-a-secret'); process.stderr.write(${JSON.stringify(lines)}); process.exit(2)`;
    const found = await ask(
      `- { file: s }\n- command: [${node}, -e, ${JSON.stringify(script)}, "{name}"]\n- { file: t }`,
      { s: 'C=one-of-the-file\nD="k1\\nk2\\nk3"', t: 'A=1\nB=2' },
    );
    expect(found).toMatchObject({
      values: {},
      problems: [
        `trueup.yaml:6:5 secret-missing: secrets: ${process.execPath} exited with code 2 when asked for A
entry of (sensitive):
(sensitive)
(sensitive), password=***
-> Run it by hand to see why. It must print the value and exit with code 0. Or set TRUEUP_SECRET_A, TRUEUP_SECRET_B: then the source is not needed.`,
      ],
    });
  });

  test('is limited in time', async () => {
    const found = await ask('- { command: [sleep, "30", "{name}"] }', {}, { commandLimitMs: 200 });
    expect(found).toMatchObject(problem(/did not exit within 0\.2 s|exited with code 1/));
    const waits = `- { command: [${node}, -e, "setInterval(() => {}, 1000)", "{name}"] }`;
    expect(await ask(waits, {}, { commandLimitMs: 500 })).toMatchObject(problem(/did not exit within 0\.5 s/));
  });
});

describe('askSources', () => {
  test('asks sources in sequence and takes the first value of a name', async () => {
    const files = { one: 'A=1', two: 'A=2\nB=2', three: await encrypted('A=3\nB=3') };
    expect((await ask('- file: one\n- file: two\n- age: three', files)).values).toEqual({ A: '1', B: '2' });
    expect((await ask('- age: three\n- file: two', files)).values).toEqual({ A: '3', B: '3' });
  });

  test('asks no source once every name has a value, so that a broken one is no error', async () => {
    const rest = '- file: nowhere\n- age: nowhere\n- command: [trueup-no-such-program, "{name}"]';
    expect(await ask(`- file: one\n${rest}`, { one: 'A=1\nB=2' })).toMatchObject({ problems: [] });
    expect(await ask(rest, {}, { names: [] })).toMatchObject({ values: {}, problems: [], added: [] });
  });

  test('stops at a source that cannot be read, also when a later one has the name', async () => {
    expect(await ask('- file: nowhere\n- file: two', { two: 'A=1\nB=2' })).toMatchObject(problem(/no file nowhere/));
  });

  test('leaves out a name that no source has', async () => {
    expect(await ask('- file: one', { one: 'B=1' })).toMatchObject({ values: { B: '1' }, problems: [] });
  });
});

describe('missingSecrets', () => {
  const manifest = async (text: string, has: Record<string, string> = {}) => {
    const folder = place('- file: s', { 'trueup.yaml': `${head}${text}` });
    const secret = (name: string) => has[name];
    const about = { workspace: await openWorkspace(folder), file: 'trueup.yaml', kinds, secret };
    const nothing = () => undefined;
    return (await validate({ ...about, env: nothing, given: nothing, addSecret: nothing })).manifest;
  };
  const everywhere = `environments:
  production:
    description: "\${secret:IN_FIELD}"
    env: { A: "x-\${secret:IN_MAP}-\${secret:IN_FIELD}" }
    redis:
      main: { databasePassword: "\${secret:HAS}\${secret:IN_PASSWORD}", env: "A=\${secret:IN_TEXT}" }
    compose:
      shop: { source: { type: raw, composeFile: "services: { web: { image: 'a:\${secret:IN_FILE}' } }" } }
outputs: { url: "http://\${secret:IN_OUTPUT}" }
`;

  test('lists the names in fields, maps, texts and outputs once each, without those that have a value', async () => {
    expect(missingSecrets(await manifest(everywhere, { HAS: 'x' }))).toEqual([
      'IN_FIELD',
      'IN_MAP',
      'IN_PASSWORD',
      'IN_TEXT',
      'IN_FILE',
      'IN_OUTPUT',
    ]);
  });

  test('ignores escaped expressions', async () => {
    expect(
      missingSecrets(await manifest('environments: { production: { description: "$${secret:X} ${{secret:Y}}" } }\n')),
    ).toEqual([]);
  });
});

describe('secrets: in a manifest', () => {
  const of = (secrets: string) => told(`${head}secrets: ${secrets}\n`);
  test.each([
    ['is a list', '§{ file: a }', /secrets must be a list, got a map Write this instead:\nsecrets: \[\{ file: a \}\]$/],
    ['of maps', '[§a]', /secrets\.0 must be a map, got text/],
    [
      'with one key each',
      '[§{ file: a, age: b }]',
      /secrets\.0 must have exactly one of file, age, sealed, dotenvx, sops, command, infisical, .* or onepassword/,
    ],
    ['not without any', '[§{}]', /secrets\.0 must have exactly one of/],
    ['and no other', '[{ §files: a }]', /secrets\.0 has no key files/],
    ['never the identity', '[{ age: a, §identity: AGE-SECRET-KEY-1 }]', /has no key identity .*TRUEUP_AGE_IDENTITY/],
    ['names a file', '[{ file: §"" }]', /secrets\.0\.file is empty/],
    ['names a program', '[{ command: §[] }]', /secrets\.0\.command must name a program/],
    ['has {name} in a command', '[{ command: §[pass, show] }]', /command must contain \{name\}/],
    [
      'has {name} only where it prints one',
      '[{ command: §[pass, "{name}"], prints: env }]',
      /command cannot contain \{name\} beside prints/,
    ],
    [
      'has words in a command',
      '[{ command: [pass, §5, "{name}"] }]',
      /secrets\.0\.command\.1 must be text, got a number/,
    ],
    ['takes no expressions', '[{ file: §"${env:HOME}/s" }]', /secrets must not hold \$\{env:…\}/],
  ])('%s', async (_what, secrets, says) => {
    expect(await of(secrets)).toMatchObject({
      problems: [expect.stringMatching(/^(wrong-type|bad-expression) at the mark$/) as string],
      said: expect.stringMatching(says) as string,
      hasRemedy: true,
    });
  });

  test.each(['${preview:-x}', '${preview:0:1}', '${env:-x}', '${secret:+x}'])(
    'may have what a shell reads in a command: %s',
    async (text) => {
      const said = await told(`${head}secrets: [{ command: [sh, -c, "echo ${text} {name}"] }]\n`);
      expect(said.problems).toEqual([]);
    },
  );

  test.each(['preview', 'env'])('says what to do about a variable %s of a shell', async (name) => {
    const said = await told(`${head}secrets: [{ command: [sh, -c, §"echo \${${name}:x} {name}"] }]\n`);
    const remedy = `Write the value itself. If a shell reads it, give its variable another name than ${name}.`;
    expect(said).toEqual({
      problems: ['bad-expression at the mark'],
      said: `secrets must not hold \${${name}:…}: settings take no expressions ${remedy}`,
      hasRemedy: true,
    });
  });

  test('is refused in an included file', async () => {
    const files = { 'trueup.yaml': `${head}include: [a.yaml]\n`, 'a.yaml': '§secrets: [{ file: a }]\n' };
    expect(await told(files)).toEqual(oneError('unknown-key', /an included file has no key secrets/));
  });
});
