import * as z from 'zod';
import { get, post } from '../../api/endpoint.ts';
import type { Context, Extension } from '../context.ts';
import { notFound } from '../errors.ts';
import type { Row } from '../json.ts';
import { callerOf, grantToCaller, maySee } from '../caller.ts';
import { destinationView } from '../views.ts';
import { applicationExtensions } from './application-extensions.ts';
import { findCertificate } from './certificates.ts';
import { providerExtensions } from './provider-extensions.ts';

/**
 * Operations that only the real platform has. Of projects, destinations and servers the document knows the ids only;
 * of applications it leaves out two operations.
 */
export const extensions: Extension = {
  endpoints: {
    ...applicationExtensions.endpoints,
    ...providerExtensions.endpoints,
    'certificates.update': post({
      certificateId: z.string().min(1),
      name: z.string().min(1).optional(),
      certificateData: z.string().min(1).optional(),
      privateKey: z.string().min(1).optional(),
    }),
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
    ...applicationExtensions.handlers,
    ...providerExtensions.handlers,
    'certificates.update': (context, input) =>
      context.store.update('certificate', findCertificate(context, input)['certificateId'], input),
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

    'project.one'(context, input) {
      const project = context.store.find('project', input['projectId']);
      if (project === undefined) throw notFound('Project');
      return projectView(context, project);
    },

    'project.all': (context) =>
      mine(context, 'project')
        .filter((project) => maySee(callerOf(context), 'accessedProjects', project['projectId']))
        .map((project) => projectView(context, project)),

    'destination.all': (context) =>
      mine(context, 'destination').map(({ destinationId }) => destinationView(context.store, destinationId)),

    'server.all': (context) => mine(context, 'server'),
  },
};

function mine(context: Context, table: 'project' | 'destination' | 'server') {
  return context.store.children(table, 'organizationId', callerOf(context)['organizationId']);
}

function projectView(context: Context, project: Row): Row {
  const environments = context.store
    .children('environment', 'projectId', project['projectId'])
    .filter((environment) => maySee(callerOf(context), 'accessedEnvironments', environment['environmentId']));
  return { ...project, environments };
}
