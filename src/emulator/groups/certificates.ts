import { callerOf } from '../caller.ts';
import type { Context, Group } from '../context.ts';
import { DatabaseError, notFound } from '../errors.ts';
import { textOr, type Row } from '../json.ts';
import { suffixedAppName } from '../names.ts';
import { rowView } from '../views.ts';

/** The `certificates` group: the document has no update. */
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

  'certificates.one': findCertificate,

  'certificates.all': (context) =>
    context.store
      .children('certificate', 'organizationId', callerOf(context)['organizationId'])
      .map((row) => ({ ...row, server: rowView(context.store, 'server', row['serverId']) })),

  'certificates.remove'(context, input) {
    context.store.remove('certificate', findCertificate(context, input)['certificateId']);
    return true;
  },
};

/** The certificate that an input names. */
export function findCertificate({ store }: Context, input: Row): Row {
  const row = store.find('certificate', input['certificateId']);
  if (row === undefined) throw notFound('Certificate');
  return row;
}
