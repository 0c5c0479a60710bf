import { callerOf, maySee } from '../caller.ts';
import { ApiError } from '../error-answers.ts';
import { checkOrganization, permit, type Rule } from './rule.ts';

/** A new project: a member needs the flag. Every failure, a missing right too, is a bad request. */
export const newProject: Rule = (context) => {
  try {
    permit(callerOf(context), 'project', { flag: 'canCreateProjects' });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new ApiError('BAD_REQUEST', `Error creating the project: ${error.message}`);
  }
};

/** A project that a member has in his list; to remove it he needs the flag as well. */
export function project(doing: 'access' | 'update' | 'delete'): Rule {
  return (context, input) => {
    if (doing === 'delete') permit(callerOf(context), 'project', { flag: 'canDeleteProjects' });
    const row = context.store.find('project', input['projectId']);
    if (row === undefined) return;
    checkOrganization(context, row, 'project', 'UNAUTHORIZED', doing);
    if (!maySee(callerOf(context), 'accessedProjects', row['projectId']))
      throw new ApiError('UNAUTHORIZED', `You don't have access to this project`);
  };
}
