const services = ['application', 'compose', 'libsql', 'mariadb', 'mongo', 'mysql', 'postgres', 'redis'];
const belowServices = ['backup', 'domain', 'mounts', 'volumeBackups'];
const ofApplications = ['patch', 'port', 'redirects', 'security'];
const gitProviders = ['bitbucket', 'github', 'gitlab', 'gitea'];
const ofAdmins = [
  'ai',
  'stripe',
  'certificates',
  'destination',
  'dnsProvider',
  'forwardAuth',
  'notification',
  'registry',
  'server',
  'user',
];

/** Operations of admins in groups that everybody reads. */
const writing = /^(customRole|vaultProvider)\.(create|update|remove|testConnection)$|^organization\.updateMemberRole$/;

/** Operations of a service that need no right beside the service itself. */
const using = new Set(
  (
    'one loadServices readLogs saveEnvironment changeStatus markRunning start stop deploy redeploy reload rebuild ' +
    'cleanQueues killBuild'
  ).split(' '),
);

/**
 * The right that a member of an organization needs for an operation, as a phrase; owners and admins need none. The API
 * document does not name them. Never throws.
 */
export function rightTo(operation: string): string | undefined {
  const [group = '', name = ''] = operation.split('.');
  if (services.includes(group)) return rightToService(name);
  if (belowServices.includes(group)) return 'the service in accessedServices';
  if (ofApplications.includes(group)) return rightBelowApplication(group, name);
  if (group === 'schedule')
    return 'the service in accessedServices; for a schedule of the server the role owner or admin';
  if (group === 'tag') return rightToTag(name);
  if (gitProviders.includes(group)) {
    return /^(create|update)$/.test(name) ? 'canAccessToGitProviders' : 'the git provider in accessedGitProviders';
  }
  if (group === 'deployment') return rightToService('readLogs');
  if (group === 'gitProvider') return name === 'getAll' ? undefined : 'canAccessToGitProviders';
  if (group === 'settings')
    return /^(get|is|health|updateLogCleanup)/.test(name) ? undefined : 'the role owner or admin';
  if (group === 'environment') return rightToEnvironment(name);
  if (group === 'sshKey') return 'canAccessToSSHKeys';
  // Every member reads the containers of a name.
  if (group === 'docker') return name === 'getContainersByAppNameMatch' ? undefined : 'canAccessToDocker';
  return ofAdmins.includes(group) || writing.test(operation) ? 'the role owner or admin' : undefined;
}

/** One right, with the operations that need it. */
export interface NeededRight {
  readonly right: string;
  readonly operations: readonly string[];
}

/** The rights that a member needs for operations, each once, in alphabetical order. Never throws. */
export function rightsTo(operations: Iterable<string>): NeededRight[] {
  const needs = [...new Set(operations)].flatMap((operation) =>
    (rightTo(operation)?.split(/, and |; /) ?? []).map((right) => [right, operation] as const),
  );
  const rights = [...new Set(needs.map(([right]) => right))].toSorted();
  return rights.map((right) => ({
    right,
    operations: needs.flatMap(([one, operation]) => (one === right ? [operation] : [])).toSorted(),
  }));
}

function rightToService(name: string): string {
  if (name === 'create') return 'canCreateServices, and the project in accessedProjects';
  if (/^(delete|remove)$/.test(name)) return 'canDeleteServices, and the service in accessedServices';
  return using.has(name) ? 'the service in accessedServices' : 'canCreateServices, and the service in accessedServices';
}

function rightToTag(name: string): string | undefined {
  if (/^(all|one)$/.test(name)) return undefined;
  return /project|bulk/i.test(name) ? 'the project in accessedProjects' : 'the role owner or admin';
}

/** Removing a user of basic authentication counts as a change of the application. */
function rightBelowApplication(group: string, name: string): string {
  if (name === 'one') return rightToService('one');
  return rightToService(name === 'delete' && group !== 'security' ? 'delete' : 'update');
}

function rightToEnvironment(name: string): string {
  if (name === 'create') return 'canCreateEnvironments, and the project in accessedProjects';
  const access = 'the environment in accessedEnvironments';
  return name === 'remove' ? `canDeleteEnvironments, and ${access}` : access;
}
