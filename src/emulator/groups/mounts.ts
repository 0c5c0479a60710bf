import type { Context, Group } from '../context.ts';
import { rowsOf } from '../crud.ts';
import { callersOrganization } from '../caller.ts';
import { isServiceTable, serviceTitles, serviceTables } from '../service-tables.ts';
import { ApiError, notFound } from '../error-answers.ts';
import { createFile, deleteFile, updateFile } from '../host-files.ts';
import { omit, textOf, type Row } from '../json-rows.ts';
import { organizationOf } from '../rules/rule.ts';
import type { Store } from '../table-store.ts';
import { mountOwnerView } from '../views.ts';

const { find, remove } = rowsOf('mount', 'Mount');

/** The `mounts` group. */
export const mounts: Group = {
  'mounts.create': insertMount,

  'mounts.one': ({ store }, input) => view(store, find({ store }, input)),

  'mounts.listByServiceId'(context, input) {
    const { store } = context;
    const { serviceType, serviceId } = input;
    const row = isServiceTable(serviceType) ? store.find(serviceType, serviceId) : {};
    if (row === undefined && isServiceTable(serviceType)) throw notFound(serviceTitles[serviceType]);
    if (organizationOf(store, row ?? {}) !== callersOrganization(context))
      throw new ApiError('UNAUTHORIZED', 'You are not authorized to access this service or it does not exist');
    return store.children('mount', `${textOf(input, 'serviceType')}Id`, serviceId);
  },

  // Answers with the values from before: it reads outside its own transaction. That the file cannot be written shows nowhere.
  'mounts.update'({ store }, input) {
    const before = view(store, find({ store }, input));
    const row = store.update('mount', input['mountId'], omit(input, ['mountId']));
    if (row?.['type'] === 'file') updateFile(store, before, row);
    return before;
  },

  'mounts.remove'(context, input) {
    const row = find(context, input);
    if (row['type'] === 'file') deleteFile(context.store, row);
    return remove(context, input);
  },

  // Docker's view of the running container; an empty body for an application without one.
  'mounts.allNamedByApplicationId'({ store }, input) {
    const row = store.find('application', input['applicationId']);
    if (row === undefined) throw notFound('Application');
    if (store.find('container', row['appName'])?.['running'] !== true) return undefined;
    return store.children('mount', 'applicationId', row['applicationId']).map((mount) => ({
      Type: mount['type'] ?? null,
      Name: mount['volumeName'] ?? null,
      Source: mount['hostPath'] ?? mount['volumeName'] ?? null,
      Destination: mount['mountPath'] ?? null,
    }));
  },
};

/** Adds a mount to the service that `serviceType` and `serviceId` name. */
export function insertMount({ store, newId }: Context, input: Row): Row {
  // Each owner column is set only when the type that was sent names it: without serviceType the row is an orphan.
  const serviceType = input['serviceType'];
  const owner = typeof serviceType === 'string' ? { [`${serviceType}Id`]: input['serviceId'] ?? null } : {};
  const row = store.insert('mount', { ...omit(input, ['serviceId']), ...owner, mountId: newId() });
  // The row is written before the file, so it stays when there is no place for the file.
  const obstacle = row['type'] === 'file' ? createFile(store, row) : undefined;
  if (obstacle !== undefined) throw new ApiError('BAD_REQUEST', `Error Error creating the mount ${obstacle}`);
  return row;
}

function view(store: Store, row: Row): Row {
  const owners = serviceTables.map((table) => [table, mountOwnerView(store, table, row[`${table}Id`])]);
  return { ...row, ...Object.fromEntries(owners) };
}
