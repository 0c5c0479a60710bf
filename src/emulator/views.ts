import type { DatabaseTable, ServiceTable } from './service-tables.ts';
import { omit, pick, type Json, type Row } from './json-rows.ts';
import type { Store } from './table-store.ts';
import type { TableName } from './tables.ts';

/** An environment with its project, as it is nested in the answers about services. */
export function environmentView(store: Store, environmentId: Json | undefined): Json {
  const environment = store.find('environment', environmentId);
  if (environment === undefined) return null;
  return { ...environment, project: store.find('project', environment['projectId']) ?? null };
}

/** A destination without its keys. */
export function destinationView(store: Store, destinationId: Json | undefined): Json {
  const destination = store.find('destination', destinationId);
  return destination === undefined ? null : omit(destination, ['accessKey', 'secretAccessKey']);
}

/** The backups of a service, each with its destination and its runs. */
function backupViews(store: Store, column: string, id: Json | undefined): Json[] {
  return store.children('backup', column, id).map((backup) => ({
    ...backup,
    destination: destinationView(store, backup['destinationId']),
    deployments: store.children('deployment', 'backupId', backup['backupId']),
  }));
}

/** The row with an id, or null: how the platform nests what may be missing. */
export function rowView(store: Store, table: TableName, id: Json | undefined): Json {
  return store.find(table, id) ?? null;
}

/** A service with all that belongs to it. */
export function serviceView(store: Store, table: ServiceTable, row: Row): Row {
  if (table === 'application') return applicationView(store, row);
  return table === 'compose' ? composeView(store, row) : databaseView(store, table, row);
}

/** What `one` of a database answers; redis has no backups. */
function databaseView(store: Store, table: DatabaseTable, row: Row): Row {
  const key = `${table}Id`;
  const view = {
    ...row,
    environment: environmentView(store, row['environmentId']),
    mounts: store.children('mount', key, row[key]),
    server: rowView(store, 'server', row['serverId']),
  };
  return table === 'redis' ? view : { ...view, backups: backupViews(store, key, row[key]) };
}

/** An application with all that belongs to it; what is always empty here no operation makes. */
function applicationView(store: Store, row: Row): Row {
  const id = row['applicationId'];
  return {
    ...row,
    environment: environmentView(store, row['environmentId']),
    domains: store.children('domain', 'applicationId', id),
    deployments: store.children('deployment', 'applicationId', id),
    mounts: store.children('mount', 'applicationId', id),
    redirects: store.children('redirect', 'applicationId', id),
    security: store.children('security', 'applicationId', id),
    ports: store.children('port', 'applicationId', id),
    gitlab: providerView(store, 'gitlab', row['gitlabId']),
    github: providerView(store, 'github', row['githubId']),
    bitbucket: providerView(store, 'bitbucket', row['bitbucketId']),
    gitea: providerView(store, 'gitea', row['giteaId']),
    server: rowView(store, 'server', row['serverId']),
    previewDeployments: [],
    registry: null,
    buildRegistry: null,
    rollbackRegistry: null,
  };
}

const providerSecrets = {
  github: ['githubClientSecret', 'githubPrivateKey', 'githubWebhookSecret'],
  gitlab: ['secret', 'accessToken', 'refreshToken'],
  bitbucket: ['appPassword', 'apiToken'],
  gitea: ['clientSecret', 'accessToken', 'refreshToken'],
};

/** A git provider without its secrets: so an application shows it, unlike a compose. */
function providerView(store: Store, table: keyof typeof providerSecrets, id: Json | undefined): Json {
  const provider = store.find(table, id);
  return provider === undefined ? null : omit(provider, providerSecrets[table]);
}

/** A compose with all that belongs to it, secrets of the linked git providers included. */
function composeView(store: Store, row: Row): Row {
  const id = row['composeId'];
  return {
    ...row,
    environment: environmentView(store, row['environmentId']),
    deployments: store.children('deployment', 'composeId', id),
    mounts: store.children('mount', 'composeId', id),
    domains: store.children('domain', 'composeId', id),
    github: rowView(store, 'github', row['githubId']),
    gitlab: rowView(store, 'gitlab', row['gitlabId']),
    bitbucket: rowView(store, 'bitbucket', row['bitbucketId']),
    gitea: rowView(store, 'gitea', row['giteaId']),
    server: rowView(store, 'server', row['serverId']),
    backups: backupViews(store, 'composeId', id),
  };
}

/** What the owner of a mount looks like in the answers about the mount. */
export function mountOwnerView(store: Store, table: TableName, id: Json | undefined): Json {
  const owner = store.find(table, id);
  if (owner === undefined) return null;
  const environment = store.find('environment', owner['environmentId']);
  const project = store.find('project', environment?.['projectId']);
  return {
    ...pick(owner, ['serverId', 'appName']),
    environment: { project: { organizationId: project?.['organizationId'] ?? null } },
  };
}
