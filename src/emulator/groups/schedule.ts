import { callersOrganization } from '../caller.ts';
import { runningServices } from '../compose-source.ts';
import type { Group } from '../context.ts';
import { rowsOf } from '../crud.ts';
import { recordRun } from '../deployment.ts';
import { notFound } from '../error-answers.ts';
import { omit, pick, textOf, textOr, type Json, type Row } from '../json-rows.ts';
import { suffixedAppName } from '../made-up-names.ts';
import { newestFirst } from '../newest-first.ts';
import { reachServer } from '../reach.ts';
import type { Store } from '../table-store.ts';
import { environmentView, rowView } from '../views.ts';

const { find } = rowsOf('schedule', 'Schedule');

/** The `schedule` group. Neither the cron expression nor the time zone is looked at, and type and owner may disagree. */
export const schedule: Group = {
  'schedule.create'(context, input) {
    const { store, newId, now } = context;
    checkServer(store, input);
    const scheduleId = newId();
    const isOfOrganization = input['scheduleType'] === 'dokploy-server';
    const row = store.insert('schedule', {
      createdAt: now(),
      appName: suffixedAppName('schedule', scheduleId),
      ...input,
      scheduleId,
      organizationId: isOfOrganization ? callersOrganization(context) : null,
    });
    writeScript(store, row);
    return row;
  },

  // Oldest first. Of the machine itself the id is required and ignored.
  'schedule.list'(context, input) {
    const { store } = context;
    const type = textOf(input, 'scheduleType');
    if (type === 'server') checkServer(store, { scheduleType: type, serverId: input['id'] ?? null });
    const rows =
      type === 'dokploy-server'
        ? store.children('schedule', 'organizationId', callersOrganization(context))
        : store.children('schedule', `${type}Id`, input['id']);
    return newestFirst(rows)
      .toReversed()
      .filter((row) => row['scheduleType'] === type)
      .map((row) => ({
        ...row,
        ...Object.fromEntries(owners.map((table) => [table, shortView(store, table, row[`${table}Id`])])),
        deployments: newestFirst(store.children('deployment', 'scheduleId', row['scheduleId'])),
      }));
  },

  'schedule.one'({ store }, input) {
    const row = find({ store }, input);
    const { applicationId, composeId, serverId } = row;
    const application = store.find('application', applicationId);
    const compose = store.find('compose', composeId);
    const inside = (owner: Row) => ({ environment: environmentView(store, owner['environmentId']) });
    return {
      ...row,
      application:
        application === undefined
          ? null
          : { ...pick(application, ['applicationId', 'appName', 'serverId']), ...inside(application) },
      // All of it, variables included.
      compose: compose === undefined ? null : { ...compose, ...inside(compose) },
      server: rowView(store, 'server', serverId),
    };
  },

  'schedule.update'({ store }, input) {
    const { scheduleId } = find({ store }, input);
    const row = store.update('schedule', scheduleId, omit(input, ['scheduleId'])) ?? {};
    writeScript(store, row);
    return row;
  },

  // Removes the script first: without the server the row stays.
  'schedule.delete'({ store }, input) {
    const row = find({ store }, input);
    const owner = store.find('application', row['applicationId']) ?? store.find('compose', row['composeId']);
    reachServer(store, row['serverId'] ?? owner?.['serverId']);
    store.remove('schedule', row['scheduleId']);
    return true;
  },

  // Done within the request; a command that fails is a 200 too.
  'schedule.runManually'(context, input) {
    const { store } = context;
    const row = find({ store }, input);
    const status = canRun(store, row) ? 'done' : 'error';
    const run = recordRun(context, row, { owner: 'scheduleId', title: 'Schedule', status });
    return { status, ...pick(run, ['deploymentId', 'logPath']) };
  },
};

const owners = ['application', 'compose', 'server'] as const;

/** Writes the script of a schedule to its server, after the row: the row stays when the server cannot be reached. */
function writeScript(store: Store, row: Row): void {
  if (row['scheduleType'] === 'server') reachServer(store, row['serverId']);
}

function shortView(store: Store, table: (typeof owners)[number], id: Json | undefined): Json {
  const owner = store.find(table, id);
  if (owner === undefined) return null;
  return pick(owner, [`${table}Id`, 'appName', 'name', ...(table === 'server' ? [] : ['serverId'])]);
}

/** A command runs in a container, which has to be there. */
function canRun(store: Store, row: Row): boolean {
  const { applicationId, composeId, scheduleType } = row;
  if (scheduleType === 'server' || scheduleType === 'dokploy-server') return true;
  const compose = store.find('compose', composeId);
  if (compose !== undefined) return runningServices(store, compose).includes(textOr(row, 'serviceName'));
  const application = store.find('application', applicationId);
  return application !== undefined && store.find('container', application['appName'])?.['running'] === true;
}

function checkServer(store: Store, { scheduleType, serverId = null }: Row): void {
  if (scheduleType === 'server' && serverId !== null && store.find('server', serverId) === undefined)
    throw notFound('Server');
}
