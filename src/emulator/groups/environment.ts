import type { Context, Group } from '../context.ts';
import { ApiError, notFound } from '../error-answers.ts';
import { omit, pick, textOf, type Json, type Row } from '../json-rows.ts';
import { callerOf, grantToCaller, isPrivileged, maySee } from '../caller.ts';
import { searchEnvironments } from '../search.ts';
import type { Store } from '../table-store.ts';
import { valuesToSet } from '../crud.ts';

/** The `environment` group. */
export const environment: Group = {
  'environment.create'(context, input) {
    if (input['name'] === 'production')
      throw new ApiError('BAD_REQUEST', 'You cannot create an environment with the name "production"');
    if (context.store.find('project', input['projectId']) === undefined)
      throw new ApiError('BAD_REQUEST', 'Error creating the environment: "projectId" refers to nothing');
    const environmentId = context.newId();
    const row = context.store.insert('environment', { ...input, environmentId, createdAt: context.now() });
    grantToCaller(context, 'accessedEnvironments', environmentId);
    return row;
  },

  'environment.one'(context, input) {
    const { store } = context;
    const row = store.find('environment', input['environmentId']);
    if (row === undefined) throw notFound('Environment');
    return environmentWithServices(context, row);
  },

  // Without env; but the services with their appName, which `one` does not give.
  'environment.byProjectId'(context, input) {
    const { store } = context;
    const caller = callerOf(context);
    return store
      .children('environment', 'projectId', input['projectId'])
      .filter((row) => maySee(caller, 'accessedEnvironments', row['environmentId']))
      .map((row) => ({
        ...pick(row, ['name', 'description', 'environmentId', 'isDefault']),
        ...serviceLists(context, row, { isShown: shownTo(caller), view: inEnvironment(context, ['appName']) }),
        project: store.find('project', row['projectId']) ?? null,
      }));
  },

  'environment.search': searchEnvironments,

  'environment.update'({ store }, input) {
    const row = store.find('environment', input['environmentId']);
    if (row === undefined) throw new ApiError('BAD_REQUEST', 'Error updating the environment: Environment not found');
    if (row['isDefault'] === true && input['name'] !== undefined)
      throw new ApiError('BAD_REQUEST', 'Error updating the environment: You cannot rename the default environment');
    const none = ['BAD_REQUEST', 'Error updating the environment: No values to set'] as const;
    const values = valuesToSet(input, ['environmentId'], none);
    return store.update('environment', row['environmentId'], values);
  },

  'environment.remove'({ store }, input) {
    const row = store.find('environment', input['environmentId']);
    if (row === undefined) throw notFound('Environment');
    if (row['isDefault'] === true) throw new ApiError('BAD_REQUEST', 'You cannot delete the default environment');
    if (services.some(({ table }) => store.children(table, 'environmentId', row['environmentId']).length > 0))
      throw new ApiError('BAD_REQUEST', 'Cannot delete environment with active services');
    return store.remove('environment', row['environmentId']);
  },

  // The settings only, not the services.
  'environment.duplicate'(context, input) {
    const source = context.store.find('environment', input['environmentId']);
    if (source === undefined)
      throw new ApiError('BAD_REQUEST', 'Error duplicating the environment: Environment not found');
    const environmentId = context.newId();
    return context.store.insert('environment', {
      ...pick(source, ['description', 'env', 'projectId']),
      ...omit(input, ['environmentId']),
      name: textOf(input, 'name'),
      environmentId,
      createdAt: context.now(),
    });
  },
};

/** The services of an environment, with the lists that hold them. */
export const services = [
  { list: 'applications', table: 'application', status: 'applicationStatus', more: ['icon'] },
  { list: 'mariadb', table: 'mariadb', status: 'applicationStatus', more: [] },
  { list: 'postgres', table: 'postgres', status: 'applicationStatus', more: [] },
  { list: 'redis', table: 'redis', status: 'applicationStatus', more: [] },
  { list: 'mysql', table: 'mysql', status: 'applicationStatus', more: [] },
  { list: 'mongo', table: 'mongo', status: 'applicationStatus', more: [] },
  { list: 'libsql', table: 'libsql', status: 'applicationStatus', more: [] },
  { list: 'compose', table: 'compose', status: 'composeStatus', more: ['icon'] },
] as const;

/** An environment with its services and its project; a member sees his own services unless something else is said. */
export function environmentWithServices(context: Context, row: Row, isShown = shownTo(callerOf(context))): Row {
  return {
    ...pick(row, ['name', 'description', 'environmentId', 'isDefault', 'projectId', 'env']),
    ...serviceLists(context, row, { isShown, view: inEnvironment(context, []) }),
    project: context.store.find('project', row['projectId']) ?? null,
  };
}

/** The lists of the services of an environment that are shown, each service as a view. */
export function serviceLists(
  { store }: Context,
  environment: Row,
  {
    isShown,
    view,
  }: { readonly isShown: Shown; readonly view: (service: Row, about: (typeof services)[number]) => Row },
): Record<string, Json> {
  const lists = services.map((about): [string, Json] => {
    const all = store.children(about.table, 'environmentId', environment['environmentId']);
    const shown = all.filter((service) => isShown(service[`${about.table}Id`]));
    return [about.list, shown.map((service) => view(service, about))];
  });
  return Object.fromEntries(lists);
}

type Shown = ReturnType<typeof shownTo>;

/** A service as environments show it, with more of its columns. */
function inEnvironment({ store }: Context, columns: readonly string[]) {
  return (service: Row, { table, status, more }: (typeof services)[number]): Row => {
    const shown = [`${table}Id`, 'name', ...columns, 'createdAt', status, 'description', 'serverId', ...more];
    return { ...pick(service, shown), server: serverView(store, service) };
  };
}

/** Whether a member sees a service: a set, because there may be many services and a long list. */
export function shownTo(caller: Row): (id: Json | undefined) => boolean {
  if (isPrivileged(caller)) return () => true;
  const listed = new Set(Array.isArray(caller['accessedServices']) ? caller['accessedServices'] : []);
  return (id) => listed.has(id ?? null);
}

/** The server of a service, in short. */
export function serverView(store: Store, service: Row): Json {
  const server = store.find('server', service['serverId']);
  return server === undefined ? null : pick(server, ['name', 'serverId']);
}
