import { callerOf } from '../caller.ts';
import type { Context, Group } from '../context.ts';
import { ApiError, notFound } from '../errors.ts';
import { omit, type Row } from '../json.ts';
import { newestFirst } from '../newest-first.ts';
import { makeSshKeyPair } from '../ssh-key-pair.ts';

/** The `sshKey` group. */
export const sshKey: Group = {
  // Answers nothing: the new id shows only in the list. The organization is always the key's.
  'sshKey.create'(context, input) {
    const { organizationId = null } = callerOf(context);
    const sshKeyId = context.newId();
    context.store.insert('sshKey', { ...input, sshKeyId, createdAt: context.now(), organizationId });
    return undefined;
  },

  'sshKey.one': (context, input) => find(context, input),

  'sshKey.all': (context) =>
    newestFirst(context.store.children('sshKey', 'organizationId', callerOf(context)['organizationId'])),

  'sshKey.update'(context, input) {
    const row = find(context, input);
    const values = omit(input, ['sshKeyId']);
    if (Object.keys(values).length === 0) throw new ApiError('BAD_REQUEST', 'Error updating this SSH key');
    return context.store.update('sshKey', row['sshKeyId'], values);
  },

  // Applications, compose stacks and servers that used it lose the reference and say nothing.
  'sshKey.remove'(context, input) {
    const row = find(context, input);
    context.store.remove('sshKey', row['sshKeyId']);
    return row;
  },

  // Stores nothing.
  'sshKey.generate': (_context, input) => makeSshKeyPair(input['type'] === 'ed25519' ? 'ed25519' : 'rsa'),
};

function find({ store }: Context, input: Row): Row {
  const row = store.find('sshKey', input['sshKeyId']);
  if (row === undefined) throw notFound('SSH Key');
  return row;
}
