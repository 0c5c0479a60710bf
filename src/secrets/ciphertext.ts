/** Tools whose ciphertext stands in files that look like files of values. */
type Cipher = 'sops' | 'dotenvx' | 'ansible-vault' | 'age' | 'sealed' | 'git-crypt' | 'gpg';

/** Ciphertext in a text. */
interface Ciphertext {
  readonly of: Cipher;
  /** The line where it begins; counts from 1. */
  readonly line: number;
}

/** How each begins in a text, or in bytes that are read as latin1. Where an env file or YAML holds it, quotes may stand before. */
const forms: readonly (readonly [Cipher, RegExp])[] = [
  ['git-crypt', /^\0GITCRYPT\0/],
  ['age', /^age-encryption\.org\/v1\n|^\s*-----BEGIN AGE ENCRYPTED FILE-----/],
  ['ansible-vault', /^[ \t]*\$ANSIBLE_VAULT;\d/m],
  ['gpg', /^[ \t]*-----BEGIN PGP MESSAGE-----/m],
  ['sops', /(?<![\w-])ENC\[AES256_GCM,data:/],
  // The shortest message of dotenvx has 97 bytes.
  ['dotenvx', /(?:^|[=:][ \t]*|['"`])encrypted:[A-Za-z0-9+/]{126,}/m],
  ['sealed', /(?:^|[=:][ \t]*|['"`])age:YWdlLWVuY3J5cHRpb24ub3JnL3Yx/m],
];

/** Almost no text has one of these words: it takes one search. */
const hint = /ENC\[AES|encrypted:|ANSIBLE_VAULT;|BEGIN (?:AGE|PGP)|age-encryption|age:YWdl|GITCRYPT/;

/** The first ciphertext of a known tool in a text; undefined: there is none. Takes linear time. */
export function ciphertextIn(text: string): Ciphertext | undefined {
  if (!hint.test(text)) return undefined;
  for (const [of, form] of forms) {
    const match = form.exec(text);
    if (match === null) continue;
    const at = match.index + match[0].search(/\S/);
    return { of, line: text.slice(0, at).split('\n').length };
  }
  return undefined;
}

/** The same of bytes, of which not all are text. */
export function ciphertextInBytes(bytes: Uint8Array): Ciphertext | undefined {
  return ciphertextIn(Buffer.from(bytes).toString('latin1'));
}

/** The source that reads a file with the ciphertext of a tool, as an imperative. */
export function sourceOf(of: Cipher, file: string): string {
  switch (of) {
    case 'sops':
    case 'dotenvx':
    case 'age':
      return `Write { ${of}: ${file} } under secrets:.`;
    case 'sealed':
      return `Write { sealed: ${file}, recipients: [age1…] } under secrets:.`;
    case 'ansible-vault':
      return `Write { command: [ansible-vault, view, ${file}], prints: env } under secrets:.`;
    case 'gpg':
      return `Write { command: [gpg, --decrypt, ${file}], prints: env } under secrets:.`;
    case 'git-crypt':
      return 'Run git-crypt unlock.';
    default:
      return of satisfies never;
  }
}
