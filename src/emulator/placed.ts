import { callerOf } from './caller.ts';
import type { Context } from './context.ts';
import type { ServiceTable } from './service-tables.ts';
import { shownTo } from './groups/environment.ts';
import { pick, type Row } from './json-rows.ts';

/** The services of a table in the whole organization, also outside a member's projects, with the names of their place. */
export function placed(context: Context, table: ServiceTable): { readonly service: Row; readonly place: Row }[] {
  const { store } = context;
  const caller = callerOf(context);
  const isShown = shownTo(caller);
  return store.children('project', 'organizationId', caller['organizationId']).flatMap((project) =>
    store.children('environment', 'projectId', project['projectId']).flatMap((environment) => {
      const place = {
        ...pick(project, ['projectId']),
        projectName: project['name'] ?? null,
        ...pick(environment, ['environmentId']),
        environmentName: environment['name'] ?? null,
      };
      return store
        .children(table, 'environmentId', environment['environmentId'])
        .filter((service) => isShown(service[`${table}Id`]))
        .map((service) => ({ service, place }));
    }),
  );
}
