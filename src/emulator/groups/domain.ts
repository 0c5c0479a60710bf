import type { Context, Group } from '../context.ts';
import { rowsOf } from '../crud.ts';
import { invalid } from '../error-answers.ts';
import { omit, pick, textOf, textOr, type Json, type Row } from '../json-rows.ts';
import { derive } from '../made-up-names.ts';
import { reachServer } from '../reach.ts';
import type { Store } from '../table-store.ts';

const { find, remove } = rowsOf('domain', 'Domain');
const { find: findServer } = rowsOf('server', 'Server');

/** The `domain` group. No name is ever looked up. */
export const domain: Group = {
  'domain.create'(context, input) {
    checkHost(input);
    reachRoutes(context.store, input);
    return insertDomain(context, input);
  },

  'domain.one'({ store }, input) {
    const row = find({ store }, input);
    return { ...row, application: ownerView(store, 'application', row['applicationId']) };
  },

  'domain.byApplicationId': ({ store }, input) =>
    store.children('domain', 'applicationId', input['applicationId']).map((row) => ({
      ...row,
      application: ownerView(store, 'application', row['applicationId']),
    })),

  'domain.byComposeId': ({ store }, input) =>
    store.children('domain', 'composeId', input['composeId']).map((row) => ({
      ...row,
      compose: ownerView(store, 'compose', row['composeId']),
    })),

  'domain.update'({ store }, input) {
    const row = find({ store }, input);
    checkHost(input);
    const updated = store.update('domain', row['domainId'], omit(input, ['domainId']));
    // Unlike a create, it stores the row first.
    reachRoutes(store, row);
    return updated;
  },

  'domain.delete': remove,

  'domain.generateDomain'({ store, newId }, input) {
    const address = textOr(store.find('server', input['serverId']), 'ipAddress', '127.0.0.1');
    return `${textOf(input, 'appName')}-${derive(newId(), 'host', 6)}-${address.replaceAll('.', '-')}.sslip.io`;
  },

  'domain.canGenerateTraefikMeDomains': ({ store }, input) => textOf(findServer({ store }, input), 'ipAddress'),

  'domain.validateDomain': (_context, input) => ({
    isValid: false,
    error: `queryA ENOTFOUND ${textOf(input, 'domain')}`,
  }),
};

/** Writes the routes of an application, on the server that it runs on. Those of a compose wait for its deployment. */
function reachRoutes(store: Store, { applicationId }: Row): void {
  reachServer(store, store.find('application', applicationId)?.['serverId']);
}

/** Adds a domain and counts it. */
export function insertDomain({ store, newId, now }: Context, values: Row): Row {
  const counters = store.world.counters;
  const row = store.insert('domain', {
    ...values,
    domainId: newId(),
    uniqueConfigKey: counters.uniqueConfigKey + 1,
    createdAt: now(),
  });
  counters.uniqueConfigKey += 1;
  return row;
}

function checkHost(input: Row): void {
  if (/\s/.test(textOf(input, 'host'))) throw invalid('host', 'Invalid host name');
}

function ownerView(store: Store, table: 'application' | 'compose', id: Json | undefined): Json {
  const owner = store.find(table, id);
  return owner === undefined ? null : pick(owner, [`${table}Id`, 'appName', 'name']);
}
