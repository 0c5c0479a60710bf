import type { Context, Group } from '../context.ts';
import { rowsOf } from '../crud.ts';
import { ApiError, DatabaseError } from '../error-answers.ts';
import { omit, textOf, type Row } from '../json-rows.ts';

const { find, add, remove } = rowsOf('patch', 'Patch');

/** The `patch` group: changes of the code of a service. A service has each path once. */
export const patch: Group = {
  // Every patch begins enabled, whatever is sent.
  'patch.create'(context, input) {
    if (ownersOf(input).length === 0)
      throw new ApiError('BAD_REQUEST', 'Either applicationId or composeId must be provided');
    checkPath(context, 'insert into "patch"', input);
    return add(context, { ...input, enabled: true, updatedAt: context.now() });
  },

  'patch.one': find,

  // By their paths.
  'patch.byEntityId'({ store }, input) {
    const rows = store.children('patch', `${textOf(input, 'type')}Id`, input['id']);
    return rows.toSorted((a, b) => (textOf(a, 'filePath') < textOf(b, 'filePath') ? -1 : 1));
  },

  // A text that ends without a line break gets one.
  'patch.update'(context, input) {
    const row = find(context, input);
    const values = omit(input, ['patchId']);
    checkPath(context, 'update "patch" set', { ...row, ...values });
    const { content } = values;
    const ended = typeof content === 'string' && content !== '' ? { content: content.replace(/(?<!\n)$/, '\n') } : {};
    return context.store.update('patch', row['patchId'], { ...values, ...ended, updatedAt: context.now() });
  },

  'patch.delete': remove,
};

const owners = ['applicationId', 'composeId'] as const;

function ownersOf(row: Row): string[] {
  return owners.filter((column) => typeof row[column] === 'string');
}

function checkPath({ store }: Context, query: string, row: Row): void {
  const others = ownersOf(row).flatMap((column) => store.children('patch', column, row[column]));
  if (others.some((one) => one['filePath'] === row['filePath'] && one['patchId'] !== row['patchId']))
    throw new DatabaseError(query, '"filePath" is taken');
}
