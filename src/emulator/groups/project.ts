import type { Context, Group } from '../context.ts';
import { rowsOf } from '../crud.ts';
import { pick, textOf, type Json, type Row } from '../json-rows.ts';
import { callerOf, grantToCaller, maySee } from '../caller.ts';
import { newProject } from '../new-project.ts';
import { newestFirst } from '../newest-first.ts';
import { projects, searchProjects } from '../search.ts';
import { duplicateProject } from '../duplicate-project.ts';
import { serviceLists, serverView, shownTo } from './environment.ts';
import { homeStats } from './overview.ts';
import { projectTags } from './tag.ts';

const { find, update, remove } = rowsOf('project', 'Project');

/** The `project` group, which the API document does not have. */
export const project: Group = {
  'project.create'(context, input) {
    const made = newProject(context, input);
    grantToCaller(context, 'accessedEnvironments', textOf(made.environment, 'environmentId'));
    return made;
  },

  'project.one'(context, input) {
    const row = find(context, input);
    return {
      ...row,
      environments: environmentsOf(context, row, wholeEnvironment),
      projectTags: projectTags(context.store, row),
    };
  },

  'project.all': (context) =>
    newestFirst(projects(context)).map((row) => ({
      ...row,
      environments: environmentsOf(context, row, environmentInList),
      projectTags: projectTags(context.store, row),
    })),

  'project.allForPermissions': (context) =>
    newestFirst(projects(context)).map((row) => ({
      ...pick(row, ['projectId', 'name']),
      environments: environmentsOf(context, row, environmentForRights),
    })),

  'project.search': searchProjects,

  'project.homeStats': homeStats,
  'project.duplicate': duplicateProject,

  // Every column is written, also those of the organization and of the time.
  'project.update': update,

  // The rows below go with it; containers and files stay.
  'project.remove': remove,
};

type View = (context: Context, environment: Row) => Row;

function environmentsOf(context: Context, project: Row, view: View): Json[] {
  const caller = callerOf(context);
  return context.store
    .children('environment', 'projectId', project['projectId'])
    .filter((row) => maySee(caller, 'accessedEnvironments', row['environmentId']))
    .map((row) => view(context, row));
}

/** All columns, and the services with a few. */
const wholeEnvironment: View = (context, row) => ({
  ...row,
  ...listsOf(context, row, (service, { table, status, more }) => ({
    ...pick(service, ['name', 'description', 'appName', 'createdAt', 'serverId', status, `${table}Id`]),
    ...pick(service, table === 'application' ? more : []),
    server: serverView(context.store, service),
  })),
});

/** Of services the ids, and of applications and compose their names and status. */
const environmentInList: View = (context, row) => ({
  ...pick(row, ['name', 'environmentId', 'isDefault']),
  ...listsOf(context, row, (service, { table, status }) =>
    pick(service, isNamedInLists(table) ? [`${table}Id`, 'name', status] : [`${table}Id`]),
  ),
});

const environmentForRights: View = (context, row) => ({
  ...pick(row, ['environmentId', 'name', 'isDefault']),
  ...listsOf(context, row, (service, { table, status }) =>
    pick(service, [`${table}Id`, 'appName', 'name', 'createdAt', status, 'description', 'serverId']),
  ),
});

function isNamedInLists(table: string): boolean {
  return table === 'application' || table === 'compose';
}

/** The lists of services of an environment, without what a member does not see. */
function listsOf(context: Context, environment: Row, view: Parameters<typeof serviceLists>[2]['view']) {
  return serviceLists(context, environment, { isShown: shownTo(callerOf(context)), view });
}
