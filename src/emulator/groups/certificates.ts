import { callerOf } from '../caller.ts';
import type { Group } from '../context.ts';
import { rowsOf } from '../crud.ts';
import { ApiError, DatabaseError } from '../error-answers.ts';
import { omit, textOr } from '../json-rows.ts';
import { suffixedAppName } from '../made-up-names.ts';
import { rowView } from '../views.ts';

const { find, ofOrganization } = rowsOf('certificate', 'Certificate');

/** The `certificates` group; its update is beyond the document. */
export const certificates: Group = {
  // The client may choose the id; the organization is always the key's.
  'certificates.create'(context, input) {
    const { store, newId } = context;
    const certificateId = textOr(input, 'certificateId') || newId();
    const certificatePath = input['certificatePath'] ?? suffixedAppName('certificate', undefined, certificateId);
    if (store.children('certificate', 'certificatePath', certificatePath).length > 0)
      throw new DatabaseError('insert into "certificate"', '"certificatePath" is taken');
    const { organizationId = null } = callerOf(context);
    return store.insert('certificate', { ...input, certificateId, certificatePath, organizationId });
  },

  'certificates.one': find,

  'certificates.update'(context, input) {
    const { certificateId = null } = find(context, input);
    const values = omit(input, ['certificateId']);
    if (Object.keys(values).length === 0) throw new ApiError('INTERNAL_SERVER_ERROR', 'No values to set');
    return context.store.update('certificate', certificateId, values);
  },

  'certificates.all': (context) =>
    ofOrganization(context).map((row) => ({ ...row, server: rowView(context.store, 'server', row['serverId']) })),

  'certificates.remove'(context, input) {
    context.store.remove('certificate', find(context, input)['certificateId']);
    return true;
  },
};
