import { callerOf, maySee } from '../caller.ts';
import type { Context, Group, Reply } from '../context.ts';
import type { ServiceTable } from '../service-tables.ts';
import { pick, textOr, type Json, type Row } from '../json-rows.ts';
import { newestFirst } from '../newest-first.ts';
import { placed } from '../placed.ts';
import { projects } from '../search.ts';
import type { TableName } from '../tables.ts';
import { services, shownTo } from './environment.ts';

/** The `overview` group: what stands in all projects of the organization, in flat lists; a member's own services. */
export const overview: Group = {
  'overview.services': (context) =>
    ordered.flatMap(({ table, status, more }) =>
      placed(context, table).map(({ service, place }) => ({
        id: service[`${table}Id`] ?? null,
        ...pick(service, ['name', 'appName']),
        status: service[status] ?? null,
        ...pick(service, ['createdAt', 'serverId']),
        serverName: context.store.find('server', service['serverId'])?.['name'] ?? null,
        ...place,
        icon: more.length === 0 ? null : (service['icon'] ?? null),
        type: table,
        // Only these two have deployments.
        lastDeployAt: more.length === 0 ? null : lastDeployment(context, `${table}Id`, service[`${table}Id`]),
      })),
    ),

  // The runs, not the settings. What belongs to no service is for every member that has one.
  'overview.backups'(context) {
    const { store } = context;
    const caller = callerOf(context);
    if (maySeeNothing(caller)) return [];
    const isShown = shownTo(caller);
    const destinations = store.children('destination', 'organizationId', caller['organizationId']);
    const runs = (['backup', 'volumeBackup'] as const).flatMap((kind) =>
      destinations
        .flatMap(({ destinationId }) => store.children(kind, 'destinationId', destinationId))
        .map((backup) => ({ backup, owner: ownerOf(context, backup) }))
        .filter(({ owner }) => owner === undefined || isShown(owner.id))
        .flatMap(({ backup, owner }) =>
          store.children('deployment', `${kind}Id`, backup[`${kind}Id`]).map((run) => ({
            ...pick(run, ['deploymentId', 'status', 'createdAt']),
            ...runView(context, kind, { backup, owner }),
          })),
        ),
    );
    return newestFirst(runs).slice(0, 500);
  },

  'overview.domains': (context) =>
    (['application', 'compose'] as const).flatMap((table) =>
      placed(context, table).flatMap(({ service, place }) =>
        context.store.children('domain', `${table}Id`, service[`${table}Id`]).map((domain) => ({
          ...pick(domain, domainColumns),
          serviceOwnerId: service[`${table}Id`] ?? null,
          serviceOwnerType: table,
          serviceName: service['name'] ?? null,
          ...place,
        })),
      ),
    ),
};

/** How many things there are in the projects, environments and services that the caller sees. */
export function homeStats(context: Context): Reply {
  const caller = callerOf(context);
  const isShown = shownTo(caller);
  const shown = projects(context);
  const environments = shown
    .flatMap(({ projectId }) => context.store.children('environment', 'projectId', projectId))
    .filter(({ environmentId }) => maySee(caller, 'accessedEnvironments', environmentId));
  const found = services.flatMap(({ table, status }) =>
    environments
      .flatMap(({ environmentId }) => context.store.children(table, 'environmentId', environmentId))
      .filter((service) => isShown(service[`${table}Id`]))
      .map((service) => ({ table, status: service[status] })),
  );
  const count = (isMeant: (one: (typeof found)[number]) => boolean): number => found.filter(isMeant).length;
  const [applications, compose] = [
    count(({ table }) => table === 'application'),
    count(({ table }) => table === 'compose'),
  ];
  const [running, error] = [count(({ status }) => status === 'done'), count(({ status }) => status === 'error')];
  return {
    projects: shown.length,
    environments: environments.length,
    applications,
    compose,
    databases: found.length - applications - compose,
    services: found.length,
    status: { running, error, idle: found.length - running - error },
  };
}

const order = ['application', 'postgres', 'mysql', 'mariadb', 'mongo', 'redis', 'compose', 'libsql'] as const;

const domainColumns = [
  'domainId',
  'host',
  'path',
  'port',
  'customEntrypoint',
  'https',
  'certificateType',
  'createdAt',
  'enabled',
  'domainType',
];

const ordered = order.flatMap((name) => services.filter(({ table }) => table === name));

function maySeeNothing(caller: Row): boolean {
  const { role, accessedServices } = caller;
  return role === 'member' && Array.isArray(accessedServices) && accessedServices.length === 0;
}

function lastDeployment({ store }: Context, column: string, id: Json | undefined): Json {
  const times = store.children('deployment', column, id).map((run) => textOr(run, 'createdAt'));
  return times.toSorted().at(-1) ?? null;
}

interface Owner {
  readonly id: Json;
  readonly table: ServiceTable;
  readonly row: Row;
}

function ownerOf({ store }: Context, backup: Row): Owner | undefined {
  for (const table of order) {
    const row = store.find(table, backup[`${table}Id`]);
    if (row !== undefined) return { id: row[`${table}Id`] ?? null, table, row };
  }
  return undefined;
}

function runView(
  { store }: Context,
  kind: Extract<TableName, 'backup' | 'volumeBackup'>,
  { backup, owner }: { readonly backup: Row; readonly owner: Owner | undefined },
): Row {
  const isBackup = kind === 'backup';
  const environment = store.find('environment', owner?.row['environmentId']);
  const withoutOwner = isBackup ? 'Dokploy Server' : textOr(backup, 'serviceName', 'Unknown');
  return {
    kind,
    destinationId: backup['destinationId'] ?? '',
    destinationName: store.find('destination', backup['destinationId'])?.['name'] ?? 'Unknown',
    databaseType: isBackup ? (backup['databaseType'] ?? null) : null,
    serviceType: isBackup ? null : (backup['serviceType'] ?? null),
    backupType: isBackup ? (backup['backupType'] ?? null) : null,
    serviceName: owner?.row['name'] ?? withoutOwner,
    serviceOwnerId: owner?.id ?? null,
    serviceOwnerType: owner?.table ?? (isBackup ? 'web-server' : (backup['serviceType'] ?? null)),
    serverId: owner?.row['serverId'] ?? null,
    projectId: environment?.['projectId'] ?? null,
    environmentId: environment?.['environmentId'] ?? null,
  };
}
