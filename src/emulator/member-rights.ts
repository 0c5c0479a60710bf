import { callerOf } from './caller.ts';
import type { Context } from './context.ts';
import { beyondDocument } from '../api/contract.ts';
import type { Row } from './json-rows.ts';
import { requireLicence } from './licence.ts';
import * as accounts from './rules/accounts.ts';
import { environmentToRemove, environmentToUse, newEnvironment } from './rules/environments.ts';
import { newProject, project } from './rules/projects.ts';
import { provider } from './rules/provider-rules.ts';
import { anyone, ofOrganization, permit, type Rule } from './rules/rule.ts';
import {
  child,
  childOfAny,
  childToBe,
  deploymentsToList,
  newSchedule,
  patchToBe,
  place,
  routesOf,
  scheduleList,
  scheduleToUse,
  server,
  service,
  serviceOfAny,
} from './rules/services.ts';

/** What is asked of the caller before the input is read: to be owner or admin, or to have the flag. */
interface Door {
  readonly resource: string;
  readonly flag?: string;
  /** true: the refusal has a code and no sentence, as that of a rejected key. */
  readonly isSilent?: true;
  /** true: the organization needs an enterprise licence as well. */
  readonly isLicensed?: true;
}

/** A group, some of its operations, the rule for their input, and the door before it. */
type Entry = readonly [group: string, operations: string, rule: Rule, door?: Door];

const sshKeys: Door = { resource: 'sshKeys', flag: 'canAccessToSSHKeys' };
const gitProviders: Door = { resource: 'gitProviders', flag: 'canAccessToGitProviders' };
const member: Door = { resource: 'member' };
const certificates: Door = { resource: 'certificate' };
const destinations: Door = { resource: 'destination' };
const registries: Door = { resource: 'registry' };
const notifications: Door = { resource: 'notification' };
/** All but what machines send, which has a token of its own. */
const notificationOperations = beyondDocument
  .filter((operation) => operation.startsWith('notification.'))
  .map((operation) => operation.replace('notification.', ''))
  .filter((operation) => operation !== 'receiveNotification');
const dockers: Door = { resource: 'docker', flag: 'canAccessToDocker' };
const servers: Door = { resource: 'server' };
const admins: Door = { resource: 'admin', isSilent: true };
const licensed: Door = { ...admins, isLicensed: true };

/**
 * Who may call what. Running and reading a service, and writing its environment variables, takes having it in the list;
 * configuring it takes canCreateServices as well, and removing it canDeleteServices.
 */
const table: readonly Entry[] = [
  ['application', 'create', place],
  ['application', 'one saveEnvironment start stop redeploy reload markRunning killBuild', service('applicationId')],
  [
    'application',
    'move saveBuildType saveGithubProvider saveGitlabProvider saveBitbucketProvider saveGiteaProvider ' +
      'saveDockerProvider saveGitProvider disconnectGitProvider',
    service('applicationId', 'canCreateServices'),
  ],
  ['application', 'delete', service('applicationId', 'canDeleteServices')],

  ['compose', 'create deployTemplate', place],
  ['compose', 'one loadServices start stop deploy redeploy cleanQueues killBuild', service('composeId')],
  [
    'compose',
    'update loadMountsByService fetchSourceType randomizeCompose isolatedDeployment getConvertedCompose ' +
      'getDefaultCommand refreshToken',
    service('composeId', 'canCreateServices'),
  ],
  ['compose', 'delete', service('composeId', 'canDeleteServices')],

  ...(['mariadb', 'postgres', 'redis'] as const).flatMap((kind): Entry[] => [
    [kind, 'create', place],
    [kind, 'one saveEnvironment start stop deploy reload rebuild changeStatus', service(`${kind}Id`)],
    [kind, 'update move saveExternalPort', service(`${kind}Id`, 'canCreateServices')],
    [kind, 'remove', service(`${kind}Id`, 'canDeleteServices')],
  ]),
  ...(['mariadb', 'postgres', 'redis'] as const).flatMap((kind): Entry[] => [
    [kind, 'changePassword', service(`${kind}Id`, 'canCreateServices')],
    [kind, 'readLogs', service(`${kind}Id`)],
  ]),
  // Reading and removing apart, the platform does not ask whether the service is of the caller's organization.
  ...(['mysql', 'mongo', 'libsql'] as const).flatMap((kind): Entry[] => [
    [kind, 'create', place],
    [kind, 'one readLogs', service(`${kind}Id`)],
    [kind, 'saveEnvironment start stop deploy reload rebuild changeStatus', serviceOfAny(`${kind}Id`)],
    [kind, 'update move', serviceOfAny(`${kind}Id`, 'canCreateServices')],
    [kind, 'remove', service(`${kind}Id`, 'canDeleteServices')],
  ]),
  ['mysql', 'saveExternalPort changePassword', serviceOfAny('mysqlId', 'canCreateServices')],
  ['mongo', 'saveExternalPort changePassword', serviceOfAny('mongoId', 'canCreateServices')],
  ['libsql', 'saveExternalPorts', serviceOfAny('libsqlId', 'canCreateServices')],
  // They show only what the caller has in his list.
  ...(['mariadb', 'mongo', 'mysql', 'postgres', 'redis'] as const).map((kind): Entry => [kind, 'search', anyone]),

  ['domain', 'create', childToBe],
  ['domain', 'one update delete', child('domain')],
  ['domain', 'byApplicationId', service('applicationId')],
  ['domain', 'byComposeId', service('composeId')],
  ['domain', 'generateDomain canGenerateTraefikMeDomains', server],
  ['domain', 'validateDomain', anyone],

  ['mounts', 'create', service('serviceId')],
  ['mounts', 'one update remove', child('mount')],
  ['mounts', 'allNamedByApplicationId', service('applicationId')],

  ['backup', 'create', childToBe],
  [
    'backup',
    'one update remove manualBackupPostgres manualBackupMySql manualBackupMariadb manualBackupCompose ' +
      'manualBackupMongo manualBackupLibsql manualBackupWebServer',
    child('backup'),
  ],
  ['backup', 'listBackupFiles', ofOrganization('destination')],

  ['volumeBackups', 'list', service('id')],
  ['volumeBackups', 'create', childToBe],
  ['volumeBackups', 'one update delete runManually', child('volumeBackup')],

  ['environment', 'create', newEnvironment],
  ['environment', 'one update duplicate', environmentToUse],
  ['environment', 'byProjectId', ofOrganization('project', 'FORBIDDEN')],
  ['environment', 'remove', environmentToRemove],

  ['sshKey', 'create all generate', anyone, sshKeys],
  ['sshKey', 'one update remove', ofOrganization('sshKey'), sshKeys],
  ['certificates', 'create all', anyone, certificates],
  ['certificates', 'one remove update', ofOrganization('certificate'), certificates],

  // An update is not checked for the organization, nor is an AI provider, nor the address of a gitea.
  ['github', 'one testConnection getGithubRepositories getGithubBranches', provider('github')],
  ['gitlab', 'one testConnection getGitlabRepositories getGitlabBranches', provider('gitlab')],
  ['bitbucket', 'one testConnection getBitbucketRepositories getBitbucketBranches', provider('bitbucket')],
  ['gitea', 'one testConnection getGiteaRepositories getGiteaBranches', provider('gitea')],
  ['github', 'update', anyone, gitProviders],
  ['gitlab', 'create update', anyone, gitProviders],
  ['bitbucket', 'create update', anyone, gitProviders],
  ['gitea', 'create update', anyone, gitProviders],
  ['github', 'githubProviders', anyone],
  ['gitlab', 'gitlabProviders', anyone],
  ['bitbucket', 'bitbucketProviders', anyone],
  ['gitea', 'giteaProviders getGiteaUrl', anyone],
  ['ai', 'one get getAll create update delete getModels suggest', anyone, admins],
  ['ai', 'deploy', place, admins],
  ['stripe', 'getProducts createCheckoutSession createCustomerPortalSession', anyone, admins],
  ['stripe', 'canCreateMoreServers', anyone, servers],

  ['customRole', 'all membersByRole getStatements', anyone],
  ['customRole', 'create update remove', anyone, licensed],
  ['organization', 'create', accounts.newOrganization],
  ['organization', 'all', anyone],
  ['organization', 'one setDefault', accounts.ownOrganization],
  ['organization', 'update delete', accounts.organizationToChange],
  ['organization', 'allInvitations', anyone, member],
  ['organization', 'updateMemberRole', anyone, member],
  ['organization', 'removeInvitation', accounts.invitation, member],

  ['user', 'get getInvitations getServerMetrics getMetricsToken getContainerMetrics getUserByToken', anyone],
  ['user', 'haveRootAccess generateToken update', anyone],
  ['user', 'all assignPermissions', anyone, member],
  ['user', 'sendInvitation', accounts.invitation, member],
  ['user', 'getBackups', anyone, admins],
  ['user', 'one', accounts.userToSee],
  ['user', 'remove', accounts.userToRemove],
  ['user', 'checkUserOrganizations', accounts.userToCount],
  ['user', 'createApiKey', accounts.newKey],
  ['user', 'deleteApiKey', accounts.ownKey],

  // Operations that the document does not have.
  ['gitProvider', 'getAll toggleShare', anyone],
  ['gitProvider', 'allForPermissions', anyone, member],
  ['gitProvider', 'remove', ofOrganization('gitProvider'), gitProviders],
  ['gitlab', 'connect', provider('gitlab'), gitProviders],
  // The platform does not compare the organization in any of these.
  ['application', 'deploy', serviceOfAny('applicationId')],
  ['application', 'readLogs', service('applicationId')],
  ['application', 'clearDeployments', serviceOfAny('applicationId')],
  ['application', 'refreshToken', serviceOfAny('applicationId', 'canCreateServices')],
  ['application', 'readTraefikConfig', routesOf],
  ['compose', 'readLogs', service('composeId')],
  ['compose', 'saveEnvironment clearDeployments', serviceOfAny('composeId')],
  ['compose', 'disconnectGitProvider move', serviceOfAny('composeId', 'canCreateServices')],
  ['deployment', 'all', serviceOfAny('applicationId')],
  ['deployment', 'allByCompose', serviceOfAny('composeId')],
  ['deployment', 'allByType', deploymentsToList],
  ['deployment', 'readLogs killProcess removeDeployment', childOfAny('deployment')],
  // They show what the caller has in his list; the queue shows everything.
  ['application', 'search', anyone],
  ['compose', 'search', anyone],
  ['deployment', 'allByServer allCentralized queueList', anyone],
  ['environment', 'search', anyone],
  ['overview', 'services backups domains', anyone],
  // Every failure of a copy, a missing right too, has the same beginning: the operation checks the rights.
  ['project', 'homeStats duplicate', anyone],
  ['mounts', 'listByServiceId', serviceOfAny('serviceId')],
  ['notification', 'receiveNotification', anyone],
  ['organization', 'active', anyone],
  ['server', 'publicIp getServerTime getServerMetrics', anyone],
  ['server', 'allForPermissions', anyone, member],
  ['server', 'getDefaultCommand', anyone, servers],
  ['settings', 'getReleaseTag getIp isCloud health getWebServerSettings getLogCleanupStatus updateLogCleanup', anyone],
  ['settings', 'assignDomainServer updateServerIp updateDockerCleanup updateBuildsConcurrency', anyone, admins],
  ['forwardAuth', 'getAuthDomain setAuthDomain removeAuthDomain serverStatus', anyone, admins],
  ['settings', 'updateRemoteServersOnly updateEnforceSSO', anyone, admins],
  ['user', 'session getPermissions', anyone],
  ['application', 'update', serviceOfAny('applicationId', 'canCreateServices')],
  ['port', 'create', serviceOfAny('applicationId', 'canCreateServices')],
  ['port', 'one', childOfAny('port')],
  ['port', 'update', childOfAny('port', 'canCreateServices')],
  ['port', 'delete', childOfAny('port', 'canDeleteServices')],
  ['patch', 'create', patchToBe],
  ['patch', 'byEntityId', serviceOfAny('id')],
  ['patch', 'one', childOfAny('patch')],
  ['patch', 'update', childOfAny('patch', 'canCreateServices')],
  ['patch', 'delete', childOfAny('patch', 'canDeleteServices')],
  ['redirects', 'create', serviceOfAny('applicationId', 'canCreateServices')],
  ['redirects', 'one', childOfAny('redirect')],
  ['redirects', 'update', childOfAny('redirect', 'canCreateServices')],
  ['redirects', 'delete', childOfAny('redirect', 'canDeleteServices')],
  ['security', 'create', serviceOfAny('applicationId', 'canCreateServices')],
  ['security', 'one', childOfAny('security')],
  ['security', 'update delete', childOfAny('security', 'canCreateServices')],
  ['schedule', 'create', newSchedule],
  ['schedule', 'list', scheduleList],
  ['schedule', 'one update delete runManually', scheduleToUse],
  ['tag', 'all one', anyone],
  ['tag', 'create update remove', anyone, { resource: 'tag' }],
  ['tag', 'assignToProject removeFromProject bulkAssign', project('access')],
  ['project', 'create', newProject],
  ['project', 'one', project('access')],
  ['project', 'update', project('update')],
  ['project', 'remove', project('delete')],
  // Shows only what the caller has in his list.
  ['project', 'all search allForPermissions', anyone],
  ['network', 'create all one remove recreate', anyone],
  ['vaultProvider', 'all one', anyone],
  ['vaultProvider', 'create update remove testConnection', anyone, { resource: 'vaultProvider' }],
  ['dnsProvider', 'all one create update remove testConnection', anyone, { resource: 'dnsProvider' }],
  ['destination', 'create all testConnection', anyone, destinations],
  ['destination', 'one update remove', ofOrganization('destination'), destinations],
  // The organization is checked by each operation, and by six updates not at all.
  ['notification', notificationOperations.join(' '), anyone, notifications],
  ['registry', 'create all testRegistry', anyone, registries],
  ['registry', 'one update remove testRegistryById', ofOrganization('registry'), registries],
  // The organization of the server is checked by each operation.
  ['docker', 'getContainers getConfig getServiceContainersByAppName getStackContainersByAppName', anyone, dockers],
  ['docker', 'getContainersByAppNameMatch', anyone],
  ['server', 'create all count withSSHKey buildServers', anyone, servers],
  ['server', 'one update updateBuildsConcurrency remove setup validate security', ofOrganization('server'), servers],
];

const rights = new Map<string, { rule: Rule; door: Door | undefined }>(
  table.flatMap(([group, operations, rule, door]) =>
    operations.split(' ').map((operation) => [`${group}.${operation}`, { rule, door }]),
  ),
);

/** The operations with their rights; all others are for owners and admins. */
export const governedOperations: readonly string[] = [...rights.keys()];

/** What the platform asks of the caller before it reads the input. */
export function checkDoor(context: Context, operation: string): void {
  const right = rights.get(operation);
  const door = right === undefined ? { resource: operation } : right.door;
  if (door !== undefined) permit(callerOf(context), door.resource, door);
  if (door?.isLicensed === true) requireLicence(context);
}

/** What the platform asks of the caller about the input, as a part of the operation. */
export function checkRight(context: Context, operation: string, input: Row): void {
  rights.get(operation)?.rule(context, input);
}
