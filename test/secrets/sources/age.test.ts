import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { armor, Encrypter, generateHybridIdentity, generateX25519Identity, identityToRecipient } from 'age-encryption';
import { beforeAll, describe, expect, test } from 'vitest';
import { decryptAge, readIdentities } from '../../../src/secrets/sources/age.ts';

/** Files that age has encrypted are read with the identities that age-keygen writes. */

const fixture = (name: string) => readFileSync(new URL(`../fixtures/${name}`, import.meta.url));
const text = 'A=correct-horse\nB="ä\\nö"\n';
let identity = '';
let other = '';
let file: Uint8Array;

beforeAll(async () => {
  [identity, other] = await Promise.all([generateX25519Identity(), generateX25519Identity()]);
  file = await encrypted(identity);
});

async function encrypted(...identities: readonly string[]): Promise<Uint8Array> {
  const encrypter = new Encrypter();
  for (const one of identities) encrypter.addRecipient(await identityToRecipient(one));
  return encrypter.encrypt(text);
}

/** What decrypting gives: the text, or why there is none. */
async function decrypt(bytes: Uint8Array, identities: readonly string[] = [identity]): Promise<string> {
  const result = await decryptAge(bytes, identities);
  if ('bytes' in result) return Buffer.from(result.bytes).toString('utf8');
  expect(result.remedy).toMatch(/\.$/);
  return result.problem;
}

const bytesOf = (content: string) => new TextEncoder().encode(content);

describe('decryptAge decrypts a file', () => {
  test('in binary and in armored form', async () => {
    expect(await decrypt(file)).toBe(text);
    expect(await decrypt(bytesOf(armor.encode(file)))).toBe(text);
    expect(await decrypt(bytesOf(`\r\n${armor.encode(file).replaceAll('\n', '\r\n')}\r\n`))).toBe(text);
  });

  test('with any of several identities, for any of several recipients', async () => {
    expect(await decrypt(await encrypted(other, identity))).toBe(text);
    expect(await decrypt(file, [other, identity])).toBe(text);
  });

  test('for a post-quantum recipient', async () => {
    const hybrid = await generateHybridIdentity();
    expect(await decrypt(await encrypted(hybrid), [hybrid])).toBe(text);
    expect(await decrypt(await encrypted(hybrid))).toContain('with the identity of this run');
  });

  test('that the age program wrote', async () => {
    const read = readIdentities(fixture('identity.txt').toString());
    if ('problem' in read) throw new Error(read.problem);
    for (const name of ['secrets.env.age', 'secrets.env.asc']) {
      expect(await decrypt(fixture(name), read.identities)).toBe(
        '# made with age 1.1.1\nAGE_PLAIN=correct-horse-battery\r\nAGE_QUOTED="two\\nlines # and a \\rreturn"\r\n' +
          "export AGE_ODD='pä$$w0rd\"{}'\nAGE_EMPTY=\n",
      );
    }
  });

  // Not needed: where it is not installed, the files that it made once have to do.
  const [age, keygen] = ['age', 'age-keygen'] as const;
  const hasAge = spawnSync(age, ['--version']).status === 0;
  test.skipIf(!hasAge)('that the age program of this machine writes now, with its identity file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'trueup-age-'));
    const key = join(folder, 'key');
    execFileSync(keygen, ['-o', key], { stdio: 'ignore' });
    const recipient = execFileSync(keygen, ['-y', key], { encoding: 'utf8' }).trim();
    const read = readIdentities(readFileSync(key, 'utf8'));
    if ('problem' in read) throw new Error(read.problem);
    const long = `A=${'x'.repeat(200_000)}\n`;
    for (const content of [text, '', long]) {
      writeFileSync(join(folder, 'plain'), content);
      for (const form of [[], ['-a']]) {
        const made = execFileSync(age, [...form, '-r', recipient, join(folder, 'plain')]);
        expect(await decrypt(made, read.identities)).toBe(content);
      }
    }
  });
});

describe('decryptAge refuses a file', () => {
  test('with an identity that is no recipient', async () => {
    expect(await decrypt(file, [other])).toBe('cannot be decrypted with the identity of this run');
  });

  test('with a mistyped identity, without showing it', async () => {
    const mistyped = identity.replace(/.$/, (last) => (last === 'Q' ? 'P' : 'Q'));
    const problem = await decrypt(file, [mistyped]);
    expect(problem).toContain('an identity is mistyped');
    expect(problem).not.toContain(mistyped.slice(20, 30));
    expect(await decrypt(file, [identity.slice(0, 40)])).toContain('an identity is mistyped');
  });

  test('with any byte changed', async () => {
    const headEnd = Buffer.from(file).indexOf('\n---');
    for (let at = 22; at < file.length; at += at < headEnd ? 7 : 1) {
      const broken = Uint8Array.from(file);
      broken[at] = (broken[at] ?? 0) ^ 1;
      expect(await decrypt(broken), `byte ${at}`).toMatch(/^(is damaged|cannot be decrypted|is encrypted for)/);
    }
  });

  test('that is cut off, or has more bytes at its end', async () => {
    for (let length = 22; length < file.length; length += 5) {
      expect(await decrypt(file.slice(0, length)), `${length} bytes`).toMatch(/^is damaged|^cannot be decrypted/);
    }
    expect(await decrypt(Buffer.concat([file, Buffer.from('x')]))).toBe('is damaged or incomplete');
    const lines = armor.encode(file).split('\n');
    expect(await decrypt(bytesOf(lines.toSpliced(2, 1).join('\n')))).toBe('is damaged or incomplete');
    expect(await decrypt(bytesOf(lines.slice(0, 3).join('\n')))).toBe('is damaged or incomplete');
  });

  test('encrypted with a passphrase', async () => {
    const encrypter = new Encrypter();
    encrypter.setScryptWorkFactor(2);
    encrypter.setPassphrase('correct horse');
    const withPassphrase = await encrypter.encrypt(text);
    for (const bytes of [withPassphrase, bytesOf(armor.encode(withPassphrase))]) {
      expect(await decrypt(bytes)).toContain('is encrypted with a passphrase, which is not supported');
    }
  });

  test('encrypted for SSH keys only', async () => {
    const head = 'age-encryption.org/v1\n-> ssh-ed25519 abcd YWJj\nYWJj\n-> x-grease a\n\n--- YWJj\n';
    expect(await decrypt(bytesOf(head))).toBe(
      'is encrypted for ssh-ed25519, and only identities of age-keygen can be used',
    );
  });

  test.each([
    ['an env file in clear', text],
    ['an empty file', ''],
    ['a file of a later version', 'age-encryption.org/v2\n-> X25519 a\n'],
  ])('that is %s', async (_what, content) => {
    expect(await decrypt(bytesOf(content))).toBe('is not an age file');
  });
});

describe('readIdentities', () => {
  test('skips comments and empty lines, with any line ends', () => {
    expect(readIdentities(`# created: today\r\n# public key: age1x\r\n${identity}\r\n\n  ${other}  `)).toEqual({
      identities: [identity, other],
    });
    expect(readIdentities(identity)).toEqual({ identities: [identity] });
  });

  test.each([
    ['nothing', '# public key: age1x\n', 'holds no identity'],
    ['a recipient', 'age1abc', 'holds other lines than identities'],
    ['a plugin', 'AGE-PLUGIN-YUBIKEY-1ABC', 'holds other lines than identities'],
    ['a file that is encrypted', '-----BEGIN AGE ENCRYPTED FILE-----\nYWJj\n', 'is itself encrypted'],
    ['a file that is encrypted, in binary', 'age-encryption.org/v1\n-> scrypt a\n', 'is itself encrypted'],
    ['a key of SSH', '-----BEGIN OPENSSH PRIVATE KEY-----\nYWJj\n', 'is an SSH or TLS key'],
  ])('refuses %s', (_what, content, problem) => {
    expect(readIdentities(content)).toEqual({ problem: expect.stringContaining(problem) as string });
  });
});
