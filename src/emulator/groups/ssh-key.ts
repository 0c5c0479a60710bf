import { ownRows } from '../caller.ts';
import type { Group } from '../context.ts';
import { rowsOf, valuesToSet } from '../crud.ts';
import { invalid } from '../error-answers.ts';
import { textOf, type Row } from '../json-rows.ts';
import { newestFirst } from '../newest-first.ts';
import { makeSshKeyPair } from '../ssh-key-pair.ts';

const { find, add, remove } = rowsOf('sshKey', 'SSH Key');

/** The `sshKey` group. */
export const sshKey: Group = {
  // Answers nothing: the new id shows only in the list. The organization is always the key's.
  'sshKey.create'(context, input) {
    checkPair(input);
    add(context, input);
    return undefined;
  },

  'sshKey.one': find,

  'sshKey.all': (context) => newestFirst(ownRows(context, 'sshKey')),

  'sshKey.update'(context, input) {
    const row = find(context, input);
    const values = valuesToSet(input, ['sshKeyId'], ['BAD_REQUEST', 'Error updating this SSH key']);
    return context.store.update('sshKey', row['sshKeyId'], values);
  },

  // Applications, compose stacks and servers that used it lose the reference and say nothing.
  'sshKey.remove': remove,

  // Stores nothing.
  'sshKey.generate': (_context, input) => makeSshKeyPair(input['type'] === 'ed25519' ? 'ed25519' : 'rsa'),
};

/** The platform looks at the form of both halves, and not whether they belong together: a key with Windows' line ends has none. */
function checkPair(input: Row): void {
  if (!/^ssh-(rsa|ed25519)\s+[A-Za-z0-9+/=]+\s*.*\s*$/.test(textOf(input, 'publicKey')))
    throw invalid('publicKey', 'Invalid public key format');
  const pem = /^-----BEGIN (RSA|OPENSSH) PRIVATE KEY-----\n[A-Za-z0-9+/=\n]+-----END \1 PRIVATE KEY-----\s*$/;
  if (!pem.test(textOf(input, 'privateKey'))) throw invalid('privateKey', 'Invalid private key format');
}
