import type { Context, Extension } from '../context.ts';
import { callerOf } from '../caller.ts';
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
    'certificates.update': (context, input) =>
      context.store.update('certificate', findCertificate(context, input)['certificateId'], input),
    ...project,
    'destination.all': (context) =>
      mine(context, 'destination').map(({ destinationId }) => destinationView(context.store, destinationId)),

    'server.all': (context) => mine(context, 'server'),
  },
};

function mine(context: Context, table: 'destination' | 'server') {
  return context.store.children(table, 'organizationId', callerOf(context)['organizationId']);
}
