import { callerOf, maySee } from '../caller.ts';
import { ApiError } from '../error-answers.ts';
import { checkOrganization, permit, type Rule } from './rule.ts';

/** A new environment: a member needs the flag and the project in his list. */
export const newEnvironment: Rule = (context, input) => {
  const caller = callerOf(context);
  permit(caller, 'environment', { flag: 'canCreateEnvironments' });
  if (!maySee(caller, 'accessedProjects', input['projectId'])) throw noProject();
  checkOrganization(context, context.store.find('project', input['projectId']), 'project', 'FORBIDDEN');
};

/** An environment of the organization that a member has in his list. */
export const environmentToUse: Rule = (context, input) => {
  const row = context.store.find('environment', input['environmentId']);
  checkOrganization(context, row, 'environment', 'FORBIDDEN');
  if (row !== undefined && !maySee(callerOf(context), 'accessedEnvironments', row['environmentId']))
    throw new ApiError('FORBIDDEN', 'You are not allowed to access this environment');
};

/** An environment to remove: a member needs the flag, and both the project and the environment in his lists. */
export const environmentToRemove: Rule = (context, input) => {
  const row = context.store.find('environment', input['environmentId']);
  if (row === undefined) return;
  checkOrganization(context, row, 'environment', 'FORBIDDEN');
  const caller = callerOf(context);
  permit(caller, 'environment', { flag: 'canDeleteEnvironments' });
  if (!maySee(caller, 'accessedProjects', row['projectId'])) throw noProject();
  if (!maySee(caller, 'accessedEnvironments', row['environmentId']))
    throw new ApiError('UNAUTHORIZED', `You don't have access to this environment`);
};

function noProject(): ApiError {
  return new ApiError('UNAUTHORIZED', `You don't have access to this project`);
}
