import { callersOrganization, ownRows } from '../caller.ts';
import type { Group } from '../context.ts';
import { rowsOf, valuesToSet } from '../crud.ts';
import { DatabaseError } from '../error-answers.ts';
import { textOr } from '../json-rows.ts';
import { suffixedAppName } from '../made-up-names.ts';
import { rowView } from '../views.ts';

const { find } = rowsOf('certificate', 'Certificate');

/** The `certificates` group; its update is beyond the document. */
export const certificates: Group = {
  // The client may choose the id; the organization is always the key's.
  'certificates.create'(context, input) {
    const { store, newId } = context;
    const certificateId = textOr(input, 'certificateId') || newId();
    const certificatePath = input['certificatePath'] ?? suffixedAppName('certificate', certificateId);
    if (store.children('certificate', 'certificatePath', certificatePath).length > 0)
      throw new DatabaseError('insert into "certificate"', '"certificatePath" is taken');
    const organizationId = callersOrganization(context);
    return store.insert('certificate', { ...input, certificateId, certificatePath, organizationId });
  },

  'certificates.one': find,

  'certificates.update'(context, input) {
    const { certificateId = null } = find(context, input);
    return context.store.update('certificate', certificateId, valuesToSet(input, ['certificateId']));
  },

  'certificates.all': (context) =>
    ownRows(context, 'certificate').map((row) => ({
      ...row,
      server: rowView(context.store, 'server', row['serverId']),
    })),

  'certificates.remove'(context, input) {
    context.store.remove('certificate', find(context, input)['certificateId']);
    return true;
  },
};
