import * as z from 'zod';
import { get, post } from '../../api/endpoint.ts';
import type { Context, Extension } from '../context.ts';
import { notFound } from '../errors.ts';
import { grantToCaller, callerOf } from '../caller.ts';
import { destinationView } from '../views.ts';

/** Projects, destinations and servers: the document knows only their ids, so these operations are extensions. */
export const extensions: Extension = {
  endpoints: {
    'project.create': post({
      name: z.string().min(1),
      description: z.string().nullable().optional(),
      env: z.string().optional(),
    }),
    'project.one': get({ projectId: z.string().min(1) }),
    'project.all': get({}),
    'destination.all': get({}),
    'server.all': get({}),
  },

  handlers: {
    'project.create'(context, input) {
      const projectId = context.newId();
      const createdAt = context.now();
      const organizationId = callerOf(context)['organizationId'] ?? null;
      const project = context.store.insert('project', { ...input, projectId, organizationId, createdAt });
      const environment = context.store.insert('environment', {
        environmentId: context.newId(),
        name: 'production',
        description: 'Production environment',
        projectId,
        createdAt,
        isDefault: true,
      });
      grantToCaller(context, 'accessedProjects', projectId);
      return { project, environment };
    },

    'project.one'({ store }, input) {
      const project = store.find('project', input['projectId']);
      if (project === undefined) throw notFound('Project');
      return { ...project, environments: store.children('environment', 'projectId', project['projectId']) };
    },

    'project.all': (context) =>
      mine(context, 'project').map((project) => ({
        ...project,
        environments: context.store.children('environment', 'projectId', project['projectId']),
      })),

    'destination.all': (context) =>
      mine(context, 'destination').map(({ destinationId }) => destinationView(context.store, destinationId)),

    'server.all': (context) => mine(context, 'server'),
  },
};

function mine(context: Context, table: 'project' | 'destination' | 'server') {
  return context.store.children(table, 'organizationId', callerOf(context)['organizationId']);
}
