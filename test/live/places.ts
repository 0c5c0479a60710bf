/** Where objects are found on the platform, by its operations: services below an environment, and lists at the top. */

/** A kind of service. */
interface Service {
  /** The member of an environment's row that lists them. */
  readonly listed: string;
  readonly id: string;
  readonly read: string;
  readonly remove: string;
  /** What the removal takes beside the id. */
  readonly more?: Readonly<Record<string, unknown>>;
}

const database = (kind: string): Service => ({
  listed: kind,
  id: `${kind}Id`,
  read: `${kind}.one`,
  remove: `${kind}.remove`,
});

export const services: readonly Service[] = [
  { listed: 'applications', id: 'applicationId', read: 'application.one', remove: 'application.delete' },
  {
    listed: 'compose',
    id: 'composeId',
    read: 'compose.one',
    remove: 'compose.delete',
    more: { deleteVolumes: true },
  },
  ...['libsql', 'mariadb', 'mongo', 'mysql', 'postgres', 'redis'].map(database),
];

/** A list of the organization. `remove` is left out where the tests never make such an object. */
interface TopList {
  readonly list: string;
  readonly id: string;
  readonly name: string;
  readonly remove?: string;
}

export const topLists: readonly TopList[] = [
  { list: 'sshKey.all', id: 'sshKeyId', name: 'name', remove: 'sshKey.remove' },
  { list: 'certificates.all', id: 'certificateId', name: 'name', remove: 'certificates.remove' },
  { list: 'ai.getAll', id: 'aiId', name: 'name', remove: 'ai.delete' },
  { list: 'destination.all', id: 'destinationId', name: 'name', remove: 'destination.remove' },
  { list: 'notification.all', id: 'notificationId', name: 'name', remove: 'notification.remove' },
  { list: 'tag.all', id: 'tagId', name: 'name', remove: 'tag.remove' },
  { list: 'gitProvider.getAll', id: 'gitProviderId', name: 'name', remove: 'gitProvider.remove' },
  { list: 'registry.all', id: 'registryId', name: 'registryName' },
  { list: 'server.all', id: 'serverId', name: 'name' },
  { list: 'organization.all', id: 'id', name: 'name' },
  { list: 'user.all', id: 'id', name: 'role' },
];

const parts = [
  'backup',
  'bitbucket',
  'deployment',
  'domain',
  'environment',
  'gitea',
  'github',
  'gitlab',
  'mount',
  'patch',
  'port',
  'previewDeployment',
  'project',
  'redirect',
  'rollback',
  'schedule',
  'security',
  'volumeBackup',
];

/** The members that hold the id of an object, in it or where another one refers to it; not those of who asks. */
export const objectIds: ReadonlySet<string> = new Set([
  ...[...services, ...topLists].map(({ id }) => id).filter((id) => id !== 'id'),
  ...parts.map((part) => `${part}Id`),
  'buildRegistryId',
  'buildServerId',
  'customGitSSHKeyId',
  'rollbackRegistryId',
]);
