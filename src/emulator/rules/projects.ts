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

/** A project that a member has in his list. */
export const projectToUse: Rule = (context, input) => check(context, input, 'access');

/** The same, with the words of the update. */
export const projectToUpdate: Rule = (context, input) => check(context, input, 'update');

/** A project to remove: a member needs the flag, and the project in his list. */
export const projectToRemove: Rule = (context, input) => {
  permit(callerOf(context), 'project', { flag: 'canDeleteProjects' });
  check(context, input, 'delete');
};

function check(context: Parameters<Rule>[0], input: Parameters<Rule>[1], doing: 'access' | 'update' | 'delete'): void {
  const row = context.store.find('project', input['projectId']);
  if (row === undefined) return;
  checkOrganization(context, row, 'project', 'UNAUTHORIZED', doing);
  if (!maySee(callerOf(context), 'accessedProjects', row['projectId']))
    throw new ApiError('UNAUTHORIZED', `You don't have access to this project`);
}
