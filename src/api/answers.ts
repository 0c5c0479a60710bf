import type { Operation } from './contract.ts';

/** The kinds of body of a 200. */
export type AnswerBody =
  | 'object'
  | 'array'
  | 'string'
  | 'boolean'
  | 'number'
  | 'null'
  | 'nothing'
  | 'object or nothing'
  | 'array or nothing'
  | 'false or nothing';

/** The operations with another body than an object. */
const bodies: Readonly<Record<Exclude<AnswerBody, 'object'>, readonly Operation[]>> = {
  array: [
    'ai.create',
    'ai.delete',
    'ai.getAll',
    'ai.getModels',
    'ai.suggest',
    'ai.update',
    'backup.listBackupFiles',
    'bucketgit.bucketgitProviders',
    'bucketgit.getBucketgitBranches',
    'bucketgit.getBucketgitRepositories',
    'certificates.all',
    'compose.loadServices',
    'domain.byApplicationId',
    'domain.byComposeId',
    'environment.byProjectId',
    'hubgit.getHubgitBranches',
    'hubgit.getHubgitRepositories',
    'hubgit.hubgitProviders',
    'labgit.getLabgitBranches',
    'labgit.getLabgitRepositories',
    'labgit.labgitProviders',
    'organization.all',
    'organization.allInvitations',
    'organization.delete',
    'organization.removeInvitation',
    'selfgit.getSelfgitBranches',
    'selfgit.getSelfgitRepositories',
    'selfgit.selfgitProviders',
    'sshKey.all',
    'user.all',
    'user.getContainerMetrics',
    'user.getInvitations',
    'volumeBackups.list',
  ],
  string: [
    'bucketgit.testConnection',
    'compose.fetchSourceType',
    'compose.getConvertedCompose',
    'compose.getDefaultCommand',
    'compose.isolatedDeployment',
    'compose.randomizeCompose',
    'domain.canGenerateProxyMeDomains',
    'domain.generateDomain',
    'hubgit.testConnection',
    'labgit.testConnection',
    'libsql.readLogs',
    'mariadb.readLogs',
    'mongo.readLogs',
    'mysql.readLogs',
    'postgres.readLogs',
    'redis.readLogs',
    'selfgit.getSelfgitUrl',
    'selfgit.testConnection',
    'user.generateToken',
    'user.sendInvitation',
  ],
  boolean: [
    'application.disconnectGitProvider',
    'application.reload',
    'application.saveBucketgitProvider',
    'application.saveBuildType',
    'application.saveDockerProvider',
    'application.saveEnvironment',
    'application.saveGitProvider',
    'application.saveHubgitProvider',
    'application.saveLabgitProvider',
    'application.saveSelfgitProvider',
    'backup.manualBackupCompose',
    'backup.manualBackupLibsql',
    'backup.manualBackupMariadb',
    'backup.manualBackupMongo',
    'backup.manualBackupMySql',
    'backup.manualBackupPostgres',
    'backup.manualBackupWebServer',
    'billing.canCreateMoreServers',
    'certificates.remove',
    'compose.refreshToken',
    'compose.start',
    'compose.stop',
    'libsql.create',
    'libsql.rebuild',
    'libsql.reload',
    'libsql.saveEnvironment',
    'libsql.update',
    'mariadb.changePassword',
    'mariadb.rebuild',
    'mariadb.reload',
    'mariadb.saveEnvironment',
    'mariadb.update',
    'mongo.changePassword',
    'mongo.rebuild',
    'mongo.reload',
    'mongo.saveEnvironment',
    'mongo.update',
    'mysql.changePassword',
    'mysql.rebuild',
    'mysql.reload',
    'mysql.saveEnvironment',
    'mysql.update',
    'postgres.changePassword',
    'postgres.rebuild',
    'postgres.reload',
    'postgres.saveEnvironment',
    'postgres.update',
    'redis.changePassword',
    'redis.rebuild',
    'redis.reload',
    'redis.saveEnvironment',
    'redis.update',
    'user.deleteApiKey',
    'user.haveRootAccess',
  ],
  number: ['user.checkUserOrganizations'],
  null: ['ai.deploy'],
  nothing: [
    'application.markRunning',
    'application.redeploy',
    'backup.create',
    'backup.update',
    'bucketgit.create',
    'compose.killBuild',
    'hubgit.update',
    'labgit.create',
    'labgit.update',
    'sshKey.create',
    'user.assignPermissions',
    'user.remove',
    'volumeBackups.delete',
  ],
  'object or nothing': ['compose.update'],
  'array or nothing': ['compose.loadMountsByService', 'mounts.allNamedByApplicationId'],
  'false or nothing': ['volumeBackups.runManually'],
};

const byOperation = new Map<Operation, AnswerBody>(
  // The keys of the table are the kinds of body.
  (Object.keys(bodies) as (keyof typeof bodies)[]).flatMap((body) =>
    bodies[body].map((operation) => [operation, body] as const),
  ),
);

/** The kind of body of an operation's 200; the API document says object of all of them. Never throws. */
export function answerBodyOf(operation: Operation): AnswerBody {
  return byOperation.get(operation) ?? 'object';
}
