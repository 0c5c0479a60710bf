import { ownRows } from '../caller.ts';
import type { Context, Group } from '../context.ts';
import { rowsOf, valuesToSet } from '../crud.ts';
import { ApiError, invalid } from '../error-answers.ts';
import { omit, textOr, type Row } from '../json-rows.ts';
import { isOutOfReach } from '../reach.ts';

const { find, add, remove } = rowsOf('registry', 'Registry');

/** The `registry` group. Docker is logged in where the registry is reached. */
export const registry: Group = {
  'registry.create'(context, input) {
    const values = checked(input);
    logIn(context, values);
    return add(context, values);
  },

  'registry.one': (context, input) => omit(find(context, input), ['password']),

  // With the passwords.
  'registry.all': (context) =>
    ownRows(context, 'registry').toSorted((a, b) => (textOr(a, 'createdAt') < textOr(b, 'createdAt') ? -1 : 1)),

  // Writes first and logs in afterwards: what is refused is stored all the same.
  'registry.update'(context, input) {
    const { registryId } = find(context, input);
    const values = valuesToSet(checked(input), ['registryId', 'serverId'], ['BAD_REQUEST', 'No values to set']);
    const row = context.store.update('registry', registryId, values) ?? {};
    logIn(context, { ...row, serverId: input['serverId'] ?? null });
    return true;
  },

  // Applications that use it lose the reference.
  'registry.remove': remove,

  'registry.testRegistry'(context, input) {
    logIn(context, checked(input));
    return true;
  },

  'registry.testRegistryById'(context, input) {
    logIn(context, find(context, input));
    return true;
  },
};

/** The input with its user name trimmed, and with an address that has neither a scheme nor a path. */
function checked(input: Row): Row {
  const url = textOr(input, 'registryUrl');
  if (/[/\s]/.test(url)) throw invalid('registryUrl', 'Invalid registry URL');
  return typeof input['username'] === 'string' ? { ...input, username: input['username'].trim() } : input;
}

function logIn({ store }: Context, { registryUrl = null, serverId = null }: Row): void {
  if (
    typeof serverId === 'string' &&
    serverId !== 'none' &&
    serverId !== '' &&
    store.find('server', serverId) === undefined
  )
    throw new ApiError('BAD_REQUEST', 'Server not found');
  if (isOutOfReach(registryUrl)) throw new ApiError('BAD_REQUEST', 'Error response from daemon: login attempt failed');
}
