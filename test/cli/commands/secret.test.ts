import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { Decrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';
import { beforeAll, describe, expect, test } from 'vitest';
import { documentOf, project, trueup } from '../process.ts';

/** The commands of `secret`: values go into a sealed file, and into no output. */

const people: { identity: string; recipient: string }[] = [];
beforeAll(async () => {
  for (let count = 0; count < 3; count++) {
    const identity = await generateX25519Identity();
    people.push({ identity, recipient: await identityToRecipient(identity) });
  }
});

const canary = 'correct-horse-battery-canary';
const sealedFile = 'secrets/staging.env';

/** A root file with two users of secrets, sealed for some people. */
function manifest(count: number, more = ''): string {
  const recipients = people.slice(0, count).map(({ recipient }) => recipient);
  return `trueup: 1
platform: emulator
project: shop
secrets: [{ sealed: ${sealedFile}, recipients: [${recipients.join(', ')}] }]
${more}environments:
  production:
    redis:
      cache: { dockerImage: "redis:8", databasePassword: "\${secret:CACHE_PASSWORD}" }
    application:
      web: { source: { type: docker, image: nginx }, env: { A: "\${secret:API_KEY}", B: "\${secret:CACHE_PASSWORD}" } }
`;
}

/** A folder in which commands run. */
function place(text: string) {
  const folder = project({ 'staging.yaml': text });
  return {
    folder,
    read: () => readFileSync(join(folder, sealedFile), 'utf8'),
    write: (content: string) => {
      mkdirSync(join(folder, 'secrets'), { recursive: true });
      writeFileSync(join(folder, sealedFile), content);
    },
    /** Runs a command; no output has the canary. */
    run: async (words: string, { input = '', env = {} }: { input?: string; env?: Record<string, string> } = {}) => {
      const found = await trueup([...words.split(' '), '-C', folder, '-f', 'staging.yaml'], { input, env });
      expect(`${found.out}${found.err}`).not.toContain('canary');
      return found;
    },
  };
}

/** The value of a name, opened by hand. */
async function opened(text: string, name: string, who = 0): Promise<string> {
  const decrypter = new Decrypter();
  decrypter.addIdentity(people[who]?.identity ?? '');
  const sealed = new RegExp(`^${name}=age:(\\S+)$`, 'm').exec(text)?.[1] ?? '';
  const bytes = await decrypter.decrypt(Buffer.from(sealed, 'base64'));
  expect(bytes.length % 64).toBe(0);
  return Buffer.from(bytes).toString('utf8').replace(/\0+$/, '');
}

describe('trueup secret set', () => {
  test('seals a value for all recipients, bound to its name, without an identity', async () => {
    const { run, read } = place(manifest(2));
    const found = await run('secret set CACHE_PASSWORD', { input: `${canary}\n` });
    expect(found).toEqual({
      code: 0,
      out: `set CACHE_PASSWORD in ${sealedFile}; used by production.redis.cache, production.application.web\n`,
      err: '',
    });
    const recipients = people.slice(0, 2).map(({ recipient }) => recipient);
    expect(read().split('\n')[0]).toBe(`# sealed for ${recipients.toSorted().join(' ')}`);
    for (const who of [0, 1]) expect(await opened(read(), 'CACHE_PASSWORD', who)).toBe(`CACHE_PASSWORD=${canary}`);
    await expect(opened(read(), 'CACHE_PASSWORD', 2)).rejects.toThrow('no identity matched');
  });

  test('changes only the line of its name, and adds lines in the order of names', async () => {
    const { run, read, write } = place(manifest(1));
    await run('secret set D', { input: `${canary}\r\n` });
    write(`${read().replaceAll('\n', '\r\n')}# ours:\r\n# the key\r\n`);
    const before = read();
    await run('secret set Z', { input: 'two\nlines\n\n' });
    expect(read().startsWith(before)).toBe(true);
    expect(await opened(read(), 'Z')).toBe('Z=two\nlines\n');
    const withZ = read().replace('Z=age', '# of Z\r\nZ=age');
    write(withZ);
    await run('secret set M', { input: 'm' });
    const lines = read().split('\r\n');
    expect(lines.map((line) => line.slice(0, 6))).toEqual(
      expect.arrayContaining(['# ours', 'M=age:', '# of Z', 'Z=age:']),
    );
    expect(lines.filter((line) => !line.startsWith('M=')).join('\r\n')).toBe(withZ);
    await run('secret set D', { input: 'new' });
    expect(read().replace(/^D=.*/m, '')).toBe(lines.join('\r\n').replace(/^D=.*/m, ''));
    expect(await opened(read(), 'D')).toBe('D=new');
    expect(read().replaceAll('\r\n', '')).not.toContain('\n');
  });

  test('takes no value from the command line, and none that cannot be one', async () => {
    const { run, folder } = place(manifest(1));
    const name = await run(`secret set DB=${canary}`);
    expect(name.code).not.toBe(0);
    expect(name.err).toContain('the name of a secret must have letters, digits and "_" only');
    const extra = await trueup(['secret', 'set', 'DB', 'hunter2', '-C', folder]);
    expect(extra.code).not.toBe(0);
    expect((await run('secret set A')).err).toContain('the value is empty');
    expect((await run('secret set A', { input: `${canary}\0` })).err).toContain('contains the character NUL');
    expect((await run('secret set A', { input: canary.repeat(10_000) })).err).toContain('more than 100000 bytes');
    expect(existsSync(join(folder, sealedFile))).toBe(false);
  });

  test('takes the lines of a file, and says why a path has no value', async () => {
    const { run, read, folder } = place(manifest(1));
    const from = (path: string) => run(`secret set TLS_KEY --from-file ${join(folder, path)}`);
    const key = `-----BEGIN\n${canary}\n-----END`;
    writeFileSync(join(folder, 'server.key'), `${key}\n`);
    const { code, out } = await from('server.key');
    expect([code, out]).toEqual([0, expect.stringContaining(`set TLS_KEY in ${sealedFile}`)]);
    expect(await opened(read(), 'TLS_KEY')).toBe(`TLS_KEY=${key}`);
    const before = read();
    for (const [path, content, says] of [
      ['secrets', undefined, 'is not a file, or has more than 100000 bytes'],
      ['large', canary.repeat(10_000), 'is not a file, or has more than 100000 bytes'],
      ['none', undefined, 'does not exist'],
      ['empty', '\n', 'is empty'],
      ['nul', `${canary}\0`, 'contains the character NUL'],
    ] as const) {
      if (content !== undefined) writeFileSync(join(folder, path), content);
      const refused = await from(path);
      expect([refused.code, refused.err]).toEqual([1, expect.stringContaining(says)]);
    }
    expect(read()).toBe(before);
  });

  test('writes the file that a link inside the folder leads to, as a plan reads it', async () => {
    const own = (count: number) => manifest(count).replace('project: shop', 'project: { name: shop }');
    const { run, folder, read } = place(own(1));
    mkdirSync(join(folder, 'secrets/shared'), { recursive: true });
    writeFileSync(join(folder, 'secrets/shared/all.env'), '');
    symlinkSync('shared/all.env', join(folder, sealedFile));
    for (const [words, verb] of [
      ['secret set CACHE_PASSWORD', 'set CACHE_PASSWORD'],
      ['secret set API_KEY', 'set API_KEY'],
      ['secret set CACHE_PASSWORD', 'set CACHE_PASSWORD'],
    ] as const) {
      const { code, out, err } = await run(words, { input: `${canary}\n` });
      expect([code, err, out]).toEqual([0, '', expect.stringContaining(`${verb} in ${sealedFile};`)]);
    }
    expect(lstatSync(join(folder, sealedFile)).isSymbolicLink()).toBe(true);
    expect(await opened(read(), 'CACHE_PASSWORD')).toBe(`CACHE_PASSWORD=${canary}`);
    writeFileSync(join(folder, 'staging.yaml'), own(2));
    const env = { TRUEUP_AGE_IDENTITY: people[0]?.identity ?? '' };
    expect(await run('secret recipients', { env })).toMatchObject({ code: 0, err: '' });
    expect(await opened(read(), 'CACHE_PASSWORD', 1)).toBe(`CACHE_PASSWORD=${canary}`);
    const found = await run('secret list --format json');
    expect(documentOf(found)).toMatchObject({ secrets: [{ file: sealedFile, sealedForAll: true }, {}] });
    expect(await run('apply --auto-approve', { env })).toMatchObject({ code: 0 });
    expect((await run('plan', { env })).out).toContain('No changes.');
  });

  test('follows no link out of the folder, to read or to write', async () => {
    const { run, folder } = place(manifest(1));
    const outside = join(project({ 'other.env': '' }), 'other.env');
    mkdirSync(join(folder, 'secrets'));
    symlinkSync(outside, join(folder, sealedFile));
    for (const words of ['secret list', 'secret set CACHE_PASSWORD', 'plan']) {
      const { code, err } = await run(words, { input: 'a' });
      expect([words, code, err]).toEqual([words, 1, expect.stringContaining(`${sealedFile} leads by a link out of`)]);
    }
    expect(readFileSync(outside, 'utf8')).toBe('');
  });

  test('says of a link to nothing that it is one, and puts no file in its place', async () => {
    const { run, folder } = place(manifest(1));
    mkdirSync(join(folder, 'secrets'));
    symlinkSync('shared/all.env', join(folder, sealedFile));
    for (const words of ['secret list', 'secret set CACHE_PASSWORD', 'plan']) {
      const { code, err } = await run(words, { input: 'a' });
      expect([words, code, err]).toEqual([
        words,
        1,
        expect.stringContaining(`${sealedFile} is a link to a file that is not there`),
      ]);
    }
    expect(lstatSync(join(folder, sealedFile)).isSymbolicLink()).toBe(true);
  });

  test('names what to write without a sealed file', async () => {
    const { run } = place(manifest(1).replace(/^secrets:.*$/m, 'secrets: [{ sops: s.yaml }]'));
    const { code, err } = await run('secret set A', { input: canary });
    expect(code).not.toBe(0);
    expect(err).toContain('staging.yaml names no sealed file under secrets:');
    expect(err).toContain('sops edit s.yaml');
  });

  test.each([
    ['a value in clear', 'A=hunter2-canary\n', 'line 1: A stands in clear'],
    ['a conflict', '<<<<<<< ours\n', 'line 1 is a conflict marker of git'],
    ['binary content', '\0\u0001\n', 'line 1 is neither a comment nor'],
    ['a name twice', 'A=age:YQ==\nA=age:Yg==\n', 'has A twice, on lines 1 and 2'],
  ])('stops at %s, and writes nothing', async (_what, text, says) => {
    const { run, read, write } = place(manifest(1));
    write(text);
    const { code, err } = await run('secret set B', { input: canary });
    expect([code, read()]).toEqual([expect.any(Number), text]);
    expect(err).toContain(says);
    expect(code).not.toBe(0);
  });
});

describe('trueup secret set, where the file is', () => {
  test.each(['../outside.env', '/tmp/absolute.env', '.trueup/key', '.git/config'])(
    'writes nothing to %s: the manifest may come from a pull request',
    async (path) => {
      const { run, folder } = place(manifest(1).replace(sealedFile, path));
      const { code, err } = await run('secret set A', { input: canary });
      expect([code, err]).toEqual([expect.any(Number), expect.stringContaining('error[')]);
      expect(code).not.toBe(0);
      expect(existsSync(resolve(folder, path))).toBe(false);
    },
  );

  test.each(['# notes\n', `# sealed for age1${'q'.repeat(58)}\n`])(
    'begins a file without values with its recipients: %j',
    async (text) => {
      const { run, read, write } = place(manifest(1));
      write(text);
      for (const name of ['A', 'B']) expect((await run(`secret set ${name}`, { input: name })).code).toBe(0);
      expect(read().split('\n')[0]).toBe(`# sealed for ${people[0]?.recipient}`);
    },
  );

  test('writes no file that no run reads', async () => {
    const { run, read } = place(manifest(1));
    const input = 'x'.repeat(100_000);
    for (let at = 1; at < 8; at++) expect((await run(`secret set A${at}`, { input })).code).toBe(0);
    const before = read();
    const { code, err } = await run('secret set A8', { input });
    expect([code, err]).toEqual([expect.any(Number), expect.stringContaining('would have more than 1000000 bytes')]);
    expect(code).not.toBe(0);
    expect(read()).toBe(before);
  });

  test('names the file of each value, where there are two', async () => {
    const more = `, { sealed: two.env, recipients: [${people[0]?.recipient}] }]`;
    const text = manifest(1, 'generated: { A: uuid, B: uuid }\n').replace('] }]', `] }${more}`);
    const { run, read, folder } = place(text);
    await run('secret set A', { input: canary });
    writeFileSync(join(folder, 'two.env'), read().replace(/^A=/m, 'B='));
    const { out } = await run('secret rotate A B');
    expect(out).toContain(`rotated A in ${sealedFile};`);
    expect(out).toContain('rotated B in two.env;');
  });
});

describe('trueup secret recipients', () => {
  test('seals all values anew where the manifest has other recipients; set stops until then', async () => {
    const { run, read, folder } = place(manifest(2));
    await run('secret set A', { input: canary });
    await run('secret set B', { input: 'b' });
    expect((await run('secret recipients')).out).toBe('All values are sealed for the recipients of the manifest.\n');
    const left = people.slice(1).map(({ recipient }) => recipient);
    const other = manifest(3).replace(`${people[0]?.recipient}, `, '');
    writeFileSync(join(folder, 'staging.yaml'), other);
    const before = read();
    const stopped = await run('secret set C', { input: 'c' });
    expect(stopped.err).toContain(`${sealedFile} is sealed for other recipients than the manifest names`);
    expect(stopped.err).toContain('trueup secret recipients -f staging.yaml with');
    const blind = await run('secret recipients');
    expect(blind.err).toContain('the values cannot be opened: this run has no identity');
    const foreign = await run('secret recipients', { env: { TRUEUP_AGE_IDENTITY: people[2]?.identity ?? '' } });
    expect(foreign.err).toContain('A cannot be decrypted with the identity of this run; nothing was written');
    expect(foreign.err).toContain('Use an identity of a recipient in the first line of the file.');
    expect(read()).toBe(before);
    const { code, out } = await run('secret recipients', { env: { TRUEUP_AGE_IDENTITY: people[1]?.identity ?? '' } });
    expect([code, out]).toEqual([0, expect.stringContaining(`${people[0]?.recipient} can open the old values`)]);
    expect(read().split('\n')[0]).toBe(`# sealed for ${left.toSorted().join(' ')}`);
    expect(await opened(read(), 'A', 2)).toBe(`A=${canary}`);
    await expect(opened(read(), 'A', 0)).rejects.toThrow('no identity matched');
    expect((await run('secret set C', { input: 'c' })).code).toBe(0);
  });

  test('takes a file from no other stage, which set would ask for', async () => {
    const { run, read, folder } = place(manifest(1));
    await run('secret set A', { input: canary });
    const before = read();
    const only = (who: number) => manifest(1).replace(people[0]?.recipient ?? '', people[who]?.recipient ?? '');
    const own = (text: string) =>
      text.replace('environments:\n  production:', 'environment: live').replaceAll('\n    ', '\n');
    writeFileSync(join(folder, 'live.yaml'), own(only(1)));
    const env = { TRUEUP_AGE_IDENTITY: people[0]?.identity ?? '' };
    for (const words of ['secret set B', 'secret recipients']) {
      const { code, err } = await trueup([...words.split(' '), '-C', folder, '-f', 'live.yaml'], { input: 'b', env });
      expect([code, err]).toEqual([1, expect.stringContaining(`staging.yaml reads ${sealedFile} too, for recipients`)]);
    }
    expect((await run('secret set B', { input: 'b' })).err).toContain(`live.yaml reads ${sealedFile} too`);
    expect(read()).toBe(before);
    // With one list, the remedy, both can.
    for (const [file, text] of Object.entries({ 'live.yaml': own(manifest(2)), 'staging.yaml': manifest(2) }))
      writeFileSync(join(folder, file), text);
    expect((await run('secret recipients', { env })).code).toBe(0);
    expect((await run('secret set B', { input: 'b' })).code).toBe(0);
    expect(await opened(read(), 'A', 1)).toBe(`A=${canary}`);
    expect(await opened(read(), 'A', 0)).toBe(`A=${canary}`);
    // More recipients than another stage has take nothing from it.
    writeFileSync(join(folder, 'live.yaml'), own(manifest(1)));
    expect((await run('secret set C', { input: 'c' })).code).toBe(0);
  });

  test('finds a value that a merge brought with fewer recipients', async () => {
    const one = place(manifest(1));
    await one.run('secret set A', { input: canary });
    const two = place(manifest(2));
    await two.run('secret set B', { input: 'b' });
    two.write(`${two.read()}${one.read().split('\n')[1] ?? ''}\n`);
    const listed = (await two.run('secret list')).out;
    expect(listed).toContain('(not sealed for all recipients)');
    expect(listed).toContain(
      `Run trueup -C ${two.folder} -f staging.yaml secret recipients with an identity that opens the values`,
    );
    await two.run('secret recipients', { env: { TRUEUP_AGE_IDENTITY: people[0]?.identity ?? '' } });
    expect(await opened(two.read(), 'A', 1)).toBe(`A=${canary}`);
  });
});

test.each(['set CACHE_PASSWORD', 'generate', 'rotate CACHE_PASSWORD'])(
  'secret %s says which variable stands before the value that it wrote',
  async (words) => {
    const { run } = place(manifest(1, 'generated: { CACHE_PASSWORD: { length: 20 } }\n'));
    const env = { TRUEUP__STAGING__SECRET_CACHE_PASSWORD: 'canary' };
    const found = await run(`secret ${words}`, { input: 'a value', env });
    expect(found).toMatchObject({ code: 0 });
    expect(found.out).toContain(
      'Unset TRUEUP__STAGING__SECRET_CACHE_PASSWORD before you apply: it stands before the new value.',
    );
    const json = documentOf(
      await run(`secret ${words.replace('generate', 'rotate CACHE_PASSWORD')} --format json`, {
        input: 'a value',
        env,
      }),
    );
    expect(json).toMatchObject({ secrets: [{ variable: 'TRUEUP__STAGING__SECRET_CACHE_PASSWORD' }] });
    expect((await run(`secret ${words}`, { input: 'a value' })).out).not.toContain('Unset');
  },
);

describe('trueup secret generate and rotate', () => {
  const generated =
    'generated: { CACHE_PASSWORD: { length: 40, alphabet: ab }, API_KEY: {}, ID: uuid, SIGNING: ed25519 }\n';

  test('generate makes what is missing, and rotate makes one value anew', async () => {
    const { run, read, folder } = place(manifest(1, generated));
    await run('secret set API_KEY', { input: canary });
    expect((await run('secret list')).out).toContain(
      `Run trueup -C ${folder} -f staging.yaml secret generate: it makes CACHE_PASSWORD, ID, SIGNING_PRIVATE, SIGNING_PUBLIC.\n`,
    );
    const { code, out } = await run('secret generate');
    expect([code, out.split('\n').length]).toEqual([0, 5]);
    expect(await opened(read(), 'API_KEY')).toBe(`API_KEY=${canary}`);
    expect(await opened(read(), 'CACHE_PASSWORD')).toMatch(/^CACHE_PASSWORD=(?=.*a)(?=.*b)[ab]{40}$/);
    expect(await opened(read(), 'ID')).toMatch(/^ID=[0-9a-f-]{36}$/);
    expect(await opened(read(), 'SIGNING_PRIVATE')).toContain('BEGIN PRIVATE KEY');
    expect(await opened(read(), 'SIGNING_PUBLIC')).toContain('BEGIN PUBLIC KEY');
    const before = read();
    expect((await run('secret generate')).out).toBe('All generated secrets are there.\n');
    expect(read()).toBe(before);
    const rotated = await run('secret rotate API_KEY');
    expect(rotated.out).toContain('rotated API_KEY in secrets/staging.env; used by production.application.web');
    expect(await opened(read(), 'API_KEY')).toMatch(/^API_KEY=[A-Za-z0-9]{32}$/);
    expect(read().replace(/^API_KEY=.*$/m, '')).toBe(before.replace(/^API_KEY=.*$/m, ''));
    expect((await run('secret rotate API_KEZ')).err).toContain('Did you mean API_KEY?');
    const half = (await run('secret rotate SIGNING_PUBLIC')).err;
    expect(half).toContain('SIGNING_PUBLIC is not under generated:');
    expect(half).toContain(`Run trueup -C ${folder} -f staging.yaml secret rotate SIGNING: it makes a new pair.`);
    await run('secret set OWN', { input: canary });
    const own = (await run('secret rotate OWN')).err;
    expect(own).toContain('OWN is not under generated:');
    expect(own).toContain(`Run trueup -C ${folder} -f staging.yaml secret set OWN to write a new value.`);
    expect((await run(`secret rotate ${canary}`)).err).toContain('a name is not under generated:');
    writeFileSync(join(folder, sealedFile), read().replace(/^SIGNING_PUBLIC=.*\n/m, ''));
    expect((await run('secret generate')).err).toContain('has only one of SIGNING_PRIVATE and SIGNING_PUBLIC');
  });

  test('a rotation in a file of previews names an apply of each, and no preview that only the check has', async () => {
    const text = manifest(1, 'generated: { CACHE_PASSWORD: {} }\nenvironment: pr\npreview: {}\n');
    const blocks = text.split('  production:\n')[1]?.replaceAll(/^ {4}/gm, '') ?? '';
    const { run, folder } = place(text.replace(/^environments:[^]*/m, blocks));
    expect((await run('secret generate')).code).toBe(0);
    const { out } = await run('secret rotate CACHE_PASSWORD');
    expect(out).toContain('used by pr-ID.redis.cache, pr-ID.application.web');
    expect(out).toContain(`Run trueup -C ${folder} -f staging.yaml apply --preview ID: `);
    const one = await run('secret rotate CACHE_PASSWORD --preview 12');
    expect(one.out).toContain('used by pr-12.redis.cache');
    expect(one.out).toContain(`Run trueup -C ${folder} -f staging.yaml --preview 12 apply: `);
  });

  test('the apply after a rotation changes the cache first, and the plan names its clients', async () => {
    const { run, read, folder } = place(manifest(1, generated).replace('project: shop', 'project: { name: shop }'));
    const env = { TRUEUP_AGE_IDENTITY: people[0]?.identity ?? '' };
    await run('secret generate');
    expect((await run('apply --auto-approve', { env })).code).toBe(0);
    const before = await opened(read(), 'CACHE_PASSWORD');
    const rotated = await run('secret rotate CACHE_PASSWORD');
    expect(rotated.out).toContain(`Run trueup -C ${folder} -f staging.yaml apply: `);
    const { out } = await run('plan', { env });
    expect(out).toContain(
      'Gives a new value of CACHE_PASSWORD first to 1 service: production.redis.cache.\n' +
        'Until they restart, connections with the old value may fail, from 1 service: production.application.web.\n',
    );
    const applied = await run('apply --auto-approve', { env });
    expect([applied.code, applied.out]).toEqual([
      0,
      expect.stringContaining(
        'production.application.web, production.redis.cache run with the new value of CACHE_PASSWORD.',
      ),
    ]);
    expect((await run('plan --detailed-exitcode', { env })).code).toBe(0);
    const values = [before, await opened(read(), 'CACHE_PASSWORD')].map((one) => one.replace('CACHE_PASSWORD=', ''));
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /state.*json$/.test(name),
    );
    const state = files.map((name) => readFileSync(join(folder, name), 'utf8')).join();
    expect(state).toContain('production.redis.cache');
    for (const value of values) expect(state).not.toContain(value);
  });

  test('an included file may declare them', async () => {
    const { run, read, folder } = place(manifest(1, 'include: [shared.yaml]\n'));
    writeFileSync(join(folder, 'shared.yaml'), 'generated: { API_KEY: { length: 12 } }\n');
    expect((await run('secret generate')).code).toBe(0);
    expect(await opened(read(), 'API_KEY')).toMatch(/^API_KEY=[A-Za-z0-9]{12}$/);
  });
});

test('trueup secret list shows names, uses and gaps, and never a value', async () => {
  const { run, folder } = place(manifest(1));
  await run('secret set API_KEY', { input: canary });
  await run('secret set OLD', { input: canary });
  expect((await run('secret list')).out).toBe(`${sealedFile}: 2 secrets
  API_KEY        used by production.application.web
  OLD            nothing uses it
in no sealed file
  CACHE_PASSWORD used by production.redis.cache, production.application.web
Run trueup -C ${folder} -f staging.yaml secret set CACHE_PASSWORD, where no other source has a value.
`);
  const found = await run('secret list --format json');
  expect(documentOf(found)).toMatchObject({
    secrets: [
      { name: 'API_KEY', file: sealedFile, sealedForAll: true },
      { name: 'CACHE_PASSWORD', file: null, sealedForAll: false },
      { name: 'OLD', uses: [] },
    ],
  });
});

test('trueup secret list marks the values that are not sealed for all recipients, and no others', async () => {
  const folder = project({ 'staging.yaml': manifest(1) });
  const run = (...words: string[]) =>
    trueup(['secret', ...words, '-C', folder, '-f', 'staging.yaml'], { input: 'text' });
  const file = join(folder, sealedFile);
  await run('set', 'LATE');
  const late = readFileSync(file, 'utf8')
    .split('\n')
    .find((line) => line.startsWith('LATE='));
  writeFileSync(file, '');
  writeFileSync(join(folder, 'staging.yaml'), manifest(2));
  await run('set', 'GOOD');
  // As git merges the branch that has the former recipients.
  writeFileSync(file, `${readFileSync(file, 'utf8')}${late ?? ''}\n`);
  const marked = (await run('list')).out.split('\n').filter((line) => line.includes('not sealed for all recipients'));
  expect(marked.map((line) => line.trim().split(/\s/)[0])).toEqual(['LATE']);
});

describe('a secret that is not where the run looks for it', () => {
  const stage = (more = '') => `trueup: 1
platform: emulator
project: prj_1
environment: staging
secrets: [{ sealed: ${sealedFile}, recipients: [${people[0]?.recipient}] }]
${more}redis: { cache: { dockerImage: "redis:8", databasePassword: "\${secret:CACHE_PASSWORD}" } }
`;
  const identity = () => ({ TRUEUP_AGE_IDENTITY: people[0]?.identity ?? '' });
  const plain = { TRUEUP_SECRET_CACHE_PASSWORD: 'of-production-canary' };

  test('a plain variable stands before the sealed file, and the run says so', async () => {
    const { run } = place(stage());
    await run('secret set CACHE_PASSWORD', { input: canary });
    const said = (how: string) => `warning[overridden-secret] staging.yaml:5:11
TRUEUP_SECRET_CACHE_PASSWORD of the environment stands before ${sealedFile}, which has it too
  -> Unset it${how} to use what ${sealedFile} has. If this stage means it, set TRUEUP__STAGING__SECRET_CACHE_PASSWORD instead.`;
    // Without an identity too: names stand in clear.
    for (const [words, env, how] of [
      ['plan', plain, ' and set TRUEUP_AGE_IDENTITY'],
      ['apply --auto-approve', plain, ' and set TRUEUP_AGE_IDENTITY'],
      ['plan', { ...plain, ...identity() }, ''],
    ] as const) {
      const { code, out, err } = await run(words, { env });
      expect([code, `${out}${err}`.split('overridden-secret').length], `${out}${err}`).toEqual([0, 2]);
      expect(`${out}${err}`).toContain(said(how));
    }
    expect((await run('plan', { env: plain })).out).toContain('No changes');
    const [of, meant] = [identity(), { TRUEUP__STAGING__SECRET_CACHE_PASSWORD: 'of-production-canary' }];
    for (const env of [of, { ...meant, ...of }]) {
      const found = await run('plan', { env });
      expect(found.code, found.err).toBe(0);
      expect(`${found.out}${found.err}`).not.toContain('overridden-secret');
    }
    const list = async (env: Record<string, string>) => (await run('secret list', { env })).out;
    const line = `${sealedFile}: 1 secret\n  CACHE_PASSWORD used by staging.redis.cache`;
    expect(await list(of)).toBe(`${line}\n`);
    expect(await list(plain)).toBe(`${line} (environment: TRUEUP_SECRET_CACHE_PASSWORD, over ${sealedFile})\n`);
    expect(await list(meant)).toBe(
      `${line} (environment: TRUEUP__STAGING__SECRET_CACHE_PASSWORD, over ${sealedFile})\n`,
    );
  });

  test('one that no file has leads to the command that seals it, or to a name that is near', async () => {
    const remedyOf = async (text: string, words = 'plan', sealed = 'OTHER') => {
      const { run } = place(text);
      await run(`secret set ${sealed}`, { input: canary });
      const { out, err } = await run(words, { env: identity() });
      return /^ *-> (.*)$/m.exec(`${out}${err}`)?.[1] ?? `${out}${err}`;
    };
    const set = 'trueup secret set CACHE_PASSWORD -f staging.yaml.';
    expect(await remedyOf(stage())).toBe(`Run ${set}`);
    expect(await remedyOf(stage(), 'plan', 'CACHE_PASWORD')).toBe(
      `Did you mean CACHE_PASWORD? ${sealedFile} has it. Else run ${set}`,
    );
    expect(await remedyOf(stage('generated: { CACHE_PASSWORD: {} }\n'))).toBe(
      'Run trueup secret generate -f staging.yaml.',
    );
    const outputs = 'outputs: { o: "${secret:OUT}" }\n';
    expect(await remedyOf(stage(outputs), 'eval ${secret:OUT} --show-secrets')).toBe(
      'Run trueup secret set OUT -f staging.yaml.',
    );
  });

  test('one that a variable has which the run does not read names the variable to set', async () => {
    const unsealed = stage().replace(/^secrets:.*\n/m, '');
    const folder = project({ 'staging.yaml': unsealed, 'live.yaml': unsealed.replace(': staging', ': live') });
    const ran = async (words: string, env: Record<string, string>) =>
      trueup([...words.split(' '), '-C', folder], { env });
    const all =
      'Set TRUEUP__STAGING__SECRET_CACHE_PASSWORD: a run of several root files does not read TRUEUP_SECRET_CACHE_PASSWORD.';
    expect((await ran('validate --all', plain)).out).toContain(`Values that hold it were not checked. ${all}`);
    const { out, err } = await ran('plan --all', plain);
    expect(`${out}${err}`).toContain(`-> ${all}`);
    const other = { TRUEUP__LIVE__SECRET_CACHE_PASSWORD: 'x' };
    expect((await ran('validate -f staging.yaml', other)).out).toContain(
      'Set TRUEUP__STAGING__SECRET_CACHE_PASSWORD: TRUEUP__LIVE__SECRET_CACHE_PASSWORD is of another stage.',
    );
    expect((await ran('validate -f staging.yaml', {})).out).toBe(
      'staging.yaml is valid: 2 resources, but 1 secret is missing: CACHE_PASSWORD. Values that hold it were not checked.\n',
    );
    expect((await ran('validate --all', {})).out).toContain(
      'Set TRUEUP__STAGING__SECRET_CACHE_PASSWORD, or name a source under secrets: that has it.',
    );
  });
});

test('outputs and notifications use secrets too', async () => {
  const more = 'outputs: { o: "${secret:OUT}" }\ndrift: { notify: [{ url: "${secret:HOOK}", as: slack }] }\n';
  const { run } = place(manifest(1, more));
  for (const name of ['OUT', 'HOOK']) await run(`secret set ${name}`, { input: canary });
  const { out } = await run('secret list');
  expect(out).toMatch(/HOOK +used by drift\.notify\n/);
  expect(out).toMatch(/OUT +used by outputs\.o\n/);
});

test('validate names what no sealed file has, once and with its remedy, and stops at a broken file', async () => {
  const { run, write } = place(manifest(1));
  const valid = async (words = 'validate') => (await run(words)).out.replace('staging.yaml is valid: ', '');
  const asked = 'were not checked. Run trueup secret set';
  expect(await valid()).toBe(
    `3 resources, but 2 secrets are in no sealed file: API_KEY, CACHE_PASSWORD. Values that hold them ${asked} NAME -f staging.yaml for each.\n`,
  );
  await run('secret set API_KEY', { input: canary });
  expect(await valid()).toBe(
    `3 resources, but 1 secret is in no sealed file: CACHE_PASSWORD. Values that hold it were not checked, nor were values of 1 sealed secret. Run trueup secret set CACHE_PASSWORD -f staging.yaml.\n`,
  );
  const found = await run('validate --format json');
  expect(documentOf(found)).toMatchObject({
    secretsMissing: ['API_KEY', 'CACHE_PASSWORD'],
    secretsUnsealed: ['CACHE_PASSWORD'],
  });
  await run('secret set CACHE_PASSWORD', { input: canary });
  expect(await valid()).toBe('3 resources; values of 2 sealed secrets were not checked.\n');
  write('API_KEY=hunter2-canary\n');
  expect((await run('validate')).err).toContain('line 1: API_KEY stands in clear');
});

test.skipIf(spawnSync('git', ['--version']).status !== 0)('git merges what two branches add', async () => {
  const { run, read, folder } = place(manifest(1));
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@a', ...words], { cwd: folder, stdio: 'pipe' });
  for (const name of ['B', 'F', 'K']) await run(`secret set ${name}`, { input: name });
  git('init', '-b', 'main');
  git('add', '.');
  git('commit', '-m', 'one');
  git('checkout', '-b', 'other');
  await run('secret set A', { input: canary });
  git('commit', '-am', 'two');
  git('checkout', 'main');
  await run('secret set H', { input: 'h' });
  git('commit', '-am', 'three');
  git('merge', 'other');
  expect(read().match(/^\w+(?==)/gm)).toEqual(['A', 'B', 'F', 'H', 'K']);
  expect(await opened(read(), 'A')).toBe(`A=${canary}`);
});

test('an apply with a secret of each source, and then plans nothing', async () => {
  const { run, folder, write } = place(manifest(1));
  await run('secret set CACHE_PASSWORD', { input: `${canary}-1` });
  const sources = `secrets: [{ sealed: ${sealedFile}, recipients: [${people[0]?.recipient}] }, { dotenvx: .env.x }, { sops: s.yaml }, { doppler: shop/prd }]`;
  const text = manifest(1)
    .replace(/^secrets:.*$/m, sources)
    .replace('project: shop', 'project: { name: shop }')
    .replace('A: "${secret:API_KEY}"', 'A: "${secret:DOTENVX}", C: "${secret:SOPS}", D: "${secret:DOPPLER}"');
  writeFileSync(join(folder, 'staging.yaml'), text);
  writeFileSync(
    join(folder, '.env.x'),
    'DOTENV_PUBLIC_KEY="03c33c62d3728a6084ed1b139db8b8ecea127dcfada3b0263fd0d88218f6738fae"\nDOTENVX=encrypted:BHFJ7FEWZCbQcQcc4wvbnDA8ISJ5FSBN3Rv7RFPjvVydeHWd+RS7DEV8+tB5hiW8WoT5V9Ka3ZPmwdkXEBpKe76mRJCNOqRGb7rIfYWhxdhtWj8yCj49Ip1yW9svZ1txXuvUYELRmLU54gxeCTIsr5Q=\n',
  );
  writeFileSync(join(folder, 's.yaml'), 'SOPS: ENC[AES256_GCM,data:x]\nsops: {}\n');
  const programs = { sops: `{"SOPS": "${canary}-3"}`, doppler: `{"DOPPLER": "${canary}-4"}` };
  mkdirSync(join(folder, 'bin'));
  for (const [name, prints] of Object.entries(programs)) {
    writeFileSync(join(folder, 'bin', name), `#!/bin/sh\necho '${prints}'\n`);
    chmodSync(join(folder, 'bin', name), 0o755);
  }
  const env = {
    TRUEUP_AGE_IDENTITY: people[0]?.identity ?? '',
    DOTENV_PRIVATE_KEY: '272cb0666ba5a3b08270a78fcd341fd400c101baa2172982c9ca0731c1007b14',
    PATH: `${join(folder, 'bin')}${delimiter}${process.env['PATH'] ?? ''}`,
  };
  const run1 = (words: string) => run(`${words} --allow-secret-commands`, { env });
  const applied = await run1('apply --auto-approve');
  expect([applied.code, applied.err]).toEqual([0, expect.any(String)]);
  expect(`${applied.out}${applied.err}`).not.toContain('World of secrets');
  expect((await run1('plan --detailed-exitcode')).code).toBe(0);
  const file = readFileSync(join(folder, sealedFile), 'utf8');
  write(file.replace(/^CACHE_PASSWORD=age:.{30}/m, 'CACHE_PASSWORD=age:'));
  const broken = await run1('plan');
  expect(broken.err).toContain('CACHE_PASSWORD');
  expect(broken.code).not.toBe(0);
});
