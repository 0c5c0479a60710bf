import type { Extension } from '../context.ts';
import { applicationExtensions } from './application-extensions.ts';
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
    ...project,
  },
};
