import type { Extension } from '../context.ts';
import { ApiError } from '../errors.ts';
import { omit } from '../json.ts';
import { applicationExtensions } from './application-extensions.ts';
import { findCertificate } from './certificates.ts';
import { destination } from './destination.ts';
import { logs } from './logs.ts';
import { notification } from './notification.ts';
import { project } from './project.ts';
import { providerExtensions } from './provider-extensions.ts';
import { registry } from './registry.ts';
import { server } from './server.ts';

/** Operations beyond the document. */
export const extensions: Extension = {
  endpoints: {
    ...providerExtensions.endpoints,
  },

  handlers: {
    ...applicationExtensions,
    ...destination,
    ...logs,
    ...notification,
    ...providerExtensions.handlers,
    ...registry,
    ...server,
    'certificates.update'(context, input) {
      const { certificateId = null } = findCertificate(context, input);
      const values = omit(input, ['certificateId']);
      if (Object.keys(values).length === 0) throw new ApiError('INTERNAL_SERVER_ERROR', 'No values to set');
      return context.store.update('certificate', certificateId, values);
    },
    ...project,
  },
};
