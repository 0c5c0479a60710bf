import type { Context, Extension } from '../context.ts';
import { notFound } from '../errors.ts';
import type { Row } from '../json.ts';
import { callerOf, grantToCaller, maySee } from '../caller.ts';
import { destinationView } from '../views.ts';
import { applicationExtensions } from './application-extensions.ts';
import { findCertificate } from './certificates.ts';
import { providerExtensions } from './provider-extensions.ts';

/**
 * Operations beyond the document. Of projects, destinations and servers it knows the ids only; of applications it leaves
 * out two operations.
 */
export const extensions: Extension = {
  endpoints: {
    ...providerExtensions.endpoints,
  },

  handlers: {
    ...applicationExtensions,
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
