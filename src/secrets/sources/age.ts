import { usage } from '../../diagnostics/usage.ts';

/** The content of a file, or the problem with it and the remedy. */
type Decrypted = { readonly bytes: Uint8Array } | { readonly problem: string; readonly remedy: string };

/** Decrypts an age file, in binary or in armored form, with the first identity that fits. */
export async function decryptAge(file: Uint8Array, identities: readonly string[]): Promise<Decrypted> {
  // A run without age does not wait for it to load.
  const { Decrypter, armor } = await import('age-encryption');
  const damaged = { problem: 'is damaged or incomplete', remedy: 'Encrypt it again, or restore it from its history.' };
  let binary = file;
  const text = Buffer.from(file).toString('latin1').trim();
  if (text.startsWith('-----BEGIN AGE ENCRYPTED FILE-----')) {
    try {
      binary = armor.decode(text);
    } catch {
      return damaged;
    }
  }
  const recipients = recipientsOf(binary);
  if (recipients === undefined) {
    return { problem: 'is not an age file', remedy: `Encrypt it: ${howTo}.` };
  }
  if (recipients.includes('scrypt')) {
    return {
      problem: 'is encrypted with a passphrase, which is not supported: a pipeline cannot ask for it',
      remedy: `Encrypt it for a recipient: ${howTo}.`,
    };
  }
  const decrypter = new Decrypter();
  try {
    for (const identity of identities) decrypter.addIdentity(identity);
  } catch {
    // The reason quotes the identity.
    return {
      problem: 'cannot be decrypted: an identity is mistyped or cut off',
      remedy: 'Use it as age-keygen wrote it.',
    };
  }
  try {
    return { bytes: await decrypter.decrypt(binary) };
  } catch (error) {
    const isOfAnother = error instanceof Error && error.message.startsWith('no identity matched');
    if (!isOfAnother) return damaged;
    const others = recipients.filter((type) => type !== 'X25519' && type !== 'mlkem768x25519');
    const isForOthers = recipients.length > 0 && others.length === recipients.length;
    return {
      problem: isForOthers
        ? `is encrypted for ${[...new Set(others)].join(', ')}, and only identities of age-keygen can be used`
        : 'cannot be decrypted with the identity of this run',
      remedy: isForOthers ? `Encrypt it for a recipient: ${howTo}.` : 'Use the identity of one of its recipients.',
    };
  }
}

const howTo = 'age -r age1… -o secrets.env.age secrets.env';

/**
 * Encrypts a text for recipients, in armored form.
 *
 * @throws {Stop} `usage`, when a recipient is none of age.
 */
export async function encryptArmored(text: string, recipients: readonly string[]): Promise<string> {
  const { armor } = await import('age-encryption');
  return armor.encode(await encryptAge(text, recipients, '--age-recipient'));
}

/**
 * Encrypts for recipients. `option`: the name of what the user wrote them in.
 *
 * @throws {Stop} `usage`, when a recipient is none of age.
 */
export async function encryptAge(
  content: string | Uint8Array,
  recipients: readonly string[],
  option: string,
): Promise<Uint8Array> {
  const { Encrypter } = await import('age-encryption');
  const encrypter = new Encrypter();
  for (const recipient of recipients) {
    try {
      encrypter.addRecipient(recipient);
    } catch {
      throw usage(`${option} must be a recipient of age, such as age1…`, 'age-keygen prints it as the public key.');
    }
  }
  return encrypter.encrypt(content);
}

/** Reads identities as age-keygen writes them: one a line, between comments. */
export function readIdentities(
  text: string,
): { readonly identities: readonly string[] } | { readonly problem: string } {
  const lines = text.split(/\r\n|\r|\n/).map((line) => line.trim());
  const identities = lines.filter((line) => line !== '' && !line.startsWith('#'));
  if (/^-----BEGIN AGE|^age-encryption\.org/m.test(text)) return { problem: 'is itself encrypted' };
  if (/^-----BEGIN [A-Z ]*PRIVATE KEY-----/m.test(text))
    return { problem: 'is an SSH or TLS key, not an age identity' };
  if (identities.length === 0) return { problem: 'holds no identity' };
  return identities.every((line) => /^AGE-SECRET-KEY-(?:PQ-)?1/.test(line))
    ? { identities }
    : { problem: 'holds other lines than identities of age-keygen, which begin with AGE-SECRET-KEY-1' };
}

/** The kinds of recipients in the header of a file; undefined when it is not an age file. */
function recipientsOf(file: Uint8Array): readonly string[] | undefined {
  const head = Buffer.from(file.subarray(0, 65_536)).toString('latin1');
  if (!head.startsWith('age-encryption.org/v1\n')) return undefined;
  const [before = ''] = head.split('\n---', 1);
  const types = [...before.matchAll(/^-> ([!-~]+)/gm)].map((match) => match[1] ?? '');
  // Some programs add a recipient without a meaning, so that readers stay tolerant.
  return types.filter((type) => !type.endsWith('-grease'));
}
