import { grantToCaller, callersOrganization } from './caller.ts';
import type { Context } from './context.ts';
import type { Row } from './json-rows.ts';

/** Adds a project with its first environment to the organization and the list of the caller. */
export function newProject(context: Context, values: Row): { readonly project: Row; readonly environment: Row } {
  const projectId = context.newId();
  const createdAt = context.now();
  const organizationId = callersOrganization(context);
  const project = context.store.insert('project', { ...values, projectId, organizationId, createdAt });
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
}
