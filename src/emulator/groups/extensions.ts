import type { Context, Extension } from '../context.ts';
import { callerOf } from '../caller.ts';
import { ApiError } from '../errors.ts';
import { omit } from '../json.ts';
import { destinationView } from '../views.ts';
import { applicationExtensions } from './application-extensions.ts';
import { findCertificate } from './certificates.ts';
import { project } from './project.ts';
import { providerExtensions } from './provider-extensions.ts';

/** Operations beyond the document. Of destinations and servers it knows the ids only; of applications it leaves out two operations. */
export const extensions: Extension = {
  endpoints: {
    ...providerExtensions.endpoints,
  },

  handlers: {
    ...applicationExtensions,
    ...providerExtensions.handlers,
    'certificates.update'(context, input) {
      const { certificateId = null } = findCertificate(context, input);
      const values = omit(input, ['certificateId']);
      if (Object.keys(values).length === 0) throw new ApiError('INTERNAL_SERVER_ERROR', 'No values to set');
      return context.store.update('certificate', certificateId, values);
    },
    ...project,
    'destination.all': (context) =>
      mine(context, 'destination').map(({ destinationId }) => destinationView(context.store, destinationId)),

    'server.all': (context) => mine(context, 'server'),
  },
};

function mine(context: Context, table: 'destination' | 'server') {
  return context.store.children(table, 'organizationId', callerOf(context)['organizationId']);
}
