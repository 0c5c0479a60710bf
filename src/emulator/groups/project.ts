import type { Context, Group } from '../context.ts';
import { rowsOf } from '../crud.ts';
import { pick, textOr, type Json, type Row } from '../json-rows.ts';
import { callerOf, grantToCaller, maySee } from '../caller.ts';
import { newestFirst } from '../newest-first.ts';
import { services, serverView, shownTo } from './environment.ts';
import { projectTags } from './tag.ts';

const { find, update, remove } = rowsOf('project', 'Project');

/** The `project` group, which the API document does not have, without `duplicate` and `homeStats`. */
export const project: Group = {
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
    grantToCaller(context, 'accessedEnvironments', String(environment['environmentId']));
    return { project, environment };
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
    mine(context).map((row) => ({
      ...row,
      environments: environmentsOf(context, row, environmentInList),
      projectTags: projectTags(context.store, row),
    })),

  'project.allForPermissions': (context) =>
    mine(context).map((row) => ({
      ...pick(row, ['projectId', 'name']),
      environments: environmentsOf(context, row, environmentForRights),
    })),

  'project.search'(context, input) {
    const holds = (row: Row, column: string, part: Json | undefined) =>
      typeof part !== 'string' || textOr(row, column).toLowerCase().includes(part.toLowerCase());
    const found = mine(context).filter(
      (row) =>
        (holds(row, 'name', input['q']) || holds(row, 'description', input['q'])) &&
        holds(row, 'name', input['name']) &&
        holds(row, 'description', input['description']),
    );
    const offset = Number(input['offset']);
    return { items: found.slice(offset, offset + Number(input['limit'])), total: found.length };
  },

  // Every column is written, also those of the organization and of the time.
  'project.update': update,

  // The rows below go with it; containers and files stay.
  'project.remove': remove,
};

/** The projects of the organization that the caller sees, newest first. */
function mine(context: Context): Row[] {
  const caller = callerOf(context);
  const all = context.store.children('project', 'organizationId', caller['organizationId']);
  return newestFirst(all.filter((row) => maySee(caller, 'accessedProjects', row['projectId'])));
}

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
function listsOf(
  context: Context,
  environment: Row,
  view: (service: Row, about: (typeof services)[number]) => Row,
): Record<string, Json> {
  const isShown = shownTo(callerOf(context));
  const lists: Record<string, Json> = { applications: [], mariadb: [], mongo: [], mysql: [], postgres: [], redis: [] };
  Object.assign(lists, { compose: [], libsql: [] });
  for (const about of services) {
    const { list, table } = about;
    lists[list] = context.store
      .children(table, 'environmentId', environment['environmentId'])
      .filter((service) => isShown(service[`${table}Id`]))
      .map((service) => view(service, about));
  }
  return lists;
}
