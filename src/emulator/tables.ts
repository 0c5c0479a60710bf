import type { Row } from './json-rows.ts';
import { readTable, type Table } from './table.ts';

/** Columns that several tables share. */
const shared = {
  swarm: `
    healthCheckSwarm?, restartPolicySwarm?, placementSwarm?, updateConfigSwarm?, rollbackConfigSwarm?, modeSwarm?,
    labelsSwarm?, networkSwarm?, stopGracePeriodSwarm?, endpointSpecSwarm?, ulimitsSwarm?, int replicas = 1`,
  database: `
    description?, dockerImage, command?, args?, env?, memoryReservation?, memoryLimit?, cpuReservation?, cpuLimit?,
    int externalPort?, applicationStatus = idle, ...swarm, createdAt, environmentId -> environment,
    serverId? -> server, networkIds = [], detachDokployNetwork = false`,
};

/** Every table of the world, a line each: `table.ts` explains the form. */
const lines = {
  // Who uses the platform: organizations, users, their membership and their keys.
  organization: 'id, name, slug?, logo?, createdAt, metadata?, ownerId -> user, defaultRole?',
  user: `
    id, firstName, lastName, isRegistered = false, expirationDate, createdAt2, createdAt, twoFactorEnabled = false,
    indexed email, emailVerified = false, image?, banned = false, banReason?, banExpires?, updatedAt, role = user,
    enablePaidFeatures = false, allowImpersonation = false, enableEnterpriseFeatures = false, licenseKey?,
    isValidEnterpriseLicense = false, stripeCustomerId?, stripeSubscriptionId?, serversQuantity = 0,
    sendInvoiceNotifications = false, isEnterpriseCloud = false, trustedOrigins?, bookmarkedTemplates = []`,
  member: `
    id, organizationId -> organization, userId -> user, role = member, createdAt, teamId?, isDefault = false,
    canCreateProjects = false, canAccessToSSHKeys = false, canCreateServices = false, canDeleteProjects = false,
    canDeleteServices = false, canAccessToDocker = false, canAccessToAPI = false, canAccessToGitProviders = false,
    canAccessToTraefikFiles = false, canDeleteEnvironments = false, canCreateEnvironments = false,
    accessedProjects = [], accessedEnvironments = [], accessedServices = [], accessedGitProviders = [],
    accessedServers = []`,
  // The key itself is kept as a hash; the one that an emulator is created with has none.
  apiKey: `
    id, configId = default, name, start?, referenceId -> user, prefix?, indexed key?, refillInterval?, refillAmount?,
    lastRefillAt?, enabled = true, rateLimitEnabled = true, rateLimitTimeWindow = 86400000, rateLimitMax = 10,
    requestCount = 0, remaining?, lastRequest?, expiresAt?, createdAt, updatedAt, permissions?, metadata?`,
  organizationRole: 'id, organizationId -> organization, role, permission, createdAt, updatedAt?',
  invitation: `
    id, organizationId -> organization, indexed email, role = member, status = pending, expiresAt, inviterId -> user,
    teamId?, createdAt`,
  // Where services live and what they use.
  project: 'projectId, name, description?, createdAt, organizationId -> organization, env',
  environment: 'environmentId, name, description?, createdAt, env, projectId -> project, isDefault = false',
  sshKey: 'sshKeyId, privateKey, publicKey, name, description?, createdAt, lastUsedAt?, organizationId -> organization',
  certificate: `
    certificateId, name, certificateData, privateKey, indexed certificatePath, autoRenew?,
    organizationId -> organization, serverId? -> server`,
  server: `
    serverId, name, description?, ipAddress, port = 22, username = root, appName, enableDockerCleanup = false,
    buildsConcurrency = 1, createdAt, organizationId -> organization, serverStatus = active, serverType = deploy,
    command, sshKeyId? ~> sshKey, metricsConfig?`,
  // One row: the settings of the platform's own server.
  webServerSettings: `
    id, serverIp?, certificateType = none, https = false, host?, letsEncryptEmail?, sshPrivateKey?,
    enableDockerCleanup = true, logCleanupCron?, metricsConfig?, whitelabelingConfig?, remoteServersOnly = false,
    int buildsConcurrency = 1, enforceSSO = false, cleanupCacheApplications = false, cleanupCacheOnPreviews = false,
    cleanupCacheOnCompose = false, createdAt, updatedAt`,
  // Of the platform's own server where it names none.
  forwardAuthSettings: `
    forwardAuthSettingsId, authDomain, baseDomain, https = true, certificateType = letsencrypt, customCertResolver?,
    providerId?, serverId? -> server, createdAt`,
  network: `
    networkId, name, driver = bridge, internal = false, attachable = false, enableIPv4 = true, enableIPv6 = false,
    int mtu?, ipam = {}, createdAt, organizationId -> organization, serverId? -> server`,
  destination: `
    destinationId, name, provider?, accessKey, secretAccessKey, bucket, region, endpoint, additionalFlags = [],
    organizationId -> organization, createdAt`,
  // A credential stands in `config` as it is; answers have stars in its place.
  vaultProvider: `
    vaultProviderId, name, providerType, config = {}, assignments = [], organizationId -> organization, createdAt`,
  dnsProvider: 'dnsProviderId, name, providerType, config = {}, organizationId -> organization, createdAt',
  registry: `
    registryId, registryName, imagePrefix?, username, password, registryUrl, createdAt, registryType = cloud,
    organizationId -> organization`,
  // The platform has a table of its own for each channel; here its row stands in `channel`.
  notification: `
    notificationId, name, appDeploy = false, appBuildError = false, databaseBackup = false, volumeBackup = false,
    dokployRestart = false, dokployBackup = false, dockerCleanup = false, serverThreshold = false, notificationType,
    createdAt, organizationId -> organization, channelId, channel = {}`,
  // The providers of git: one common record, and one of its kind beside it.
  gitProvider: `
    gitProviderId, name, providerType, createdAt, organizationId -> organization, userId -> user,
    sharedWithOrganization = false`,
  github: `
    githubId, githubAppName?, githubAppId?, githubClientId?, githubClientSecret?, githubInstallationId?,
    githubPrivateKey?, githubWebhookSecret?, githubUrl?, gitProviderId -> gitProvider`,
  gitlab: `
    gitlabId, gitlabUrl, gitlabInternalUrl?, applicationId?, redirectUri?, secret?, accessToken?, refreshToken?,
    groupName?, expiresAt?, gitProviderId -> gitProvider`,
  bitbucket: `
    bitbucketId, bitbucketUsername?, bitbucketEmail?, appPassword?, apiToken?, bitbucketWorkspaceName?,
    gitProviderId -> gitProvider`,
  gitea: `
    giteaId, giteaUrl, giteaInternalUrl?, redirectUri?, clientId?, clientSecret?, gitProviderId -> gitProvider,
    accessToken?, refreshToken?, expiresAt?, scopes = repo,repo:status,read:user,read:org, lastAuthenticatedAt?`,
  ai: 'aiId, name, apiUrl, apiKey, model, isEnabled = true, organizationId -> organization, createdAt',
  // What is deployed.
  application: `
    applicationId, name, indexed appName, description?, env?, previewEnv?, watchPaths?, previewBuildArgs?,
    previewBuildSecrets?, previewLabels?, previewWildcard?, previewPort = 3000, previewHttps = false, previewPath = /,
    previewCertificateType = none, previewCustomCertResolver?, previewLimit = 3, isPreviewDeploymentsActive = false,
    previewRequireCollaboratorPermissions = true, rollbackActive = false, buildArgs?, buildSecrets?,
    memoryReservation?, memoryLimit?, cpuReservation?, cpuLimit?, title?, enabled?, subtitle?, command?, args?, icon?,
    refreshToken?, sourceType = github, cleanCache = false, repository?, owner?, branch?, buildPath = /,
    triggerType = push, autoDeploy = true, int gitlabProjectId?, gitlabRepository?, gitlabOwner?, gitlabBranch?,
    gitlabBuildPath = /, gitlabPathNamespace?, giteaRepository?, giteaOwner?, giteaBranch?, giteaBuildPath = /,
    bitbucketRepository?, bitbucketRepositorySlug?, bitbucketOwner?, bitbucketBranch?, bitbucketBuildPath = /,
    username?, password?, dockerImage?, registryUrl?, customGitUrl?, customGitBranch?, customGitBuildPath?,
    customGitSSHKeyId? ~> sshKey, enableSubmodules = false, dockerfile = Dockerfile, dockerContextPath?,
    dockerBuildStage?, dropBuildPath?, ...swarm, applicationStatus = idle, buildType = nixpacks,
    railpackVersion = 0.15.4, herokuVersion = "24", publishDirectory?, isStaticSpa?, createEnvFile = true, createdAt,
    registryId? ~> registry, rollbackRegistryId? ~> registry, environmentId -> environment, githubId? ~> github,
    gitlabId? ~> gitlab, giteaId? ~> gitea, bitbucketId? ~> bitbucket, serverId? -> server, buildServerId? ~> server,
    buildRegistryId? ~> registry, networkIds = [], detachDokployNetwork = false`,
  compose: `
    composeId, name, appName, description?, env?, composeFile, refreshToken?, sourceType = github,
    composeType = docker-compose, repository?, owner?, branch?, autoDeploy = true, int gitlabProjectId?,
    gitlabRepository?, gitlabOwner?, gitlabBranch?, gitlabPathNamespace?, bitbucketRepository?,
    bitbucketRepositorySlug?, bitbucketOwner?, bitbucketBranch?, giteaRepository?, giteaOwner?, giteaBranch?,
    customGitUrl?, customGitBranch?, customGitSSHKeyId? ~> sshKey, command, createEnvFile = true,
    enableSubmodules = false, composePath = ./docker-compose.yml, suffix, randomize = false,
    isolatedDeployment = false, isolatedDeploymentsVolume = false, triggerType = push, composeStatus = idle, icon?,
    environmentId -> environment, createdAt, watchPaths?, githubId? ~> github, gitlabId? ~> gitlab,
    bitbucketId? ~> bitbucket, giteaId? ~> gitea, serverId? -> server, serviceNetworks = []`,
  mariadb: `
    mariadbId, name, indexed appName, databaseName, databaseUser, databasePassword, databaseRootPassword, ...database`,
  mysql: `
    mysqlId, name, indexed appName, databaseName, databaseUser, databasePassword, databaseRootPassword, ...database`,
  mongo: 'mongoId, name, indexed appName, databaseUser, databasePassword, replicaSets = false, ...database',
  libsql: `
    libsqlId, name, indexed appName, databaseUser, databasePassword, sqldNode = primary, sqldPrimaryUrl?,
    enableNamespaces = false, int externalGRPCPort?, int externalAdminPort?, description?, dockerImage, command?, env?,
    memoryReservation?, memoryLimit?, cpuReservation?, cpuLimit?, int externalPort?, applicationStatus = idle,
    healthCheckSwarm?, restartPolicySwarm?, placementSwarm?, updateConfigSwarm?, rollbackConfigSwarm?, modeSwarm?,
    labelsSwarm?, networkSwarm?, stopGracePeriodSwarm?, endpointSpecSwarm?, int replicas = 1, createdAt,
    environmentId -> environment, serverId? -> server, networkIds = [], detachDokployNetwork = false`,
  postgres: 'postgresId, name, indexed appName, databaseName, databaseUser, databasePassword, ...database',
  redis: 'redisId, name, indexed appName, databasePassword, ...database',
  // What belongs to a service. A previewDeploymentId refers to nothing here and is kept as it comes.
  domain: `
    domainId, host, https = false, int port = 3000, customEntrypoint?, path = /, serviceName?,
    domainType = application, uniqueConfigKey = 0, createdAt, composeId? -> compose, customCertResolver?,
    applicationId? -> application, previewDeploymentId?, certificateType = none, internalPath = /, stripPath = false,
    middlewares = [], forwardAuthEnabled = false, enabled = true`,
  mount: `
    mountId, type, hostPath?, volumeName?, filePath?, content?, serviceType = application, mountPath,
    applicationId? -> application, composeId? -> compose, libsqlId? -> libsql, mariadbId? -> mariadb,
    mongoId? -> mongo, mysqlId? -> mysql, postgresId? -> postgres, redisId? -> redis`,
  backup: `
    backupId, appName, schedule, enabled?, database, prefix, serviceName?, destinationId -> destination,
    int keepLatestCount?, includeEncryptionKey = true, backupType = database, databaseType, composeId? -> compose,
    postgresId? -> postgres, mariadbId? -> mariadb, mysqlId? -> mysql, mongoId? -> mongo, libsqlId? -> libsql,
    userId? !> user, metadata?`,
  volumeBackup: `
    volumeBackupId, name, volumeName, prefix, serviceType = application, appName, serviceName?, turnOff = false,
    cronExpression, int keepLatestCount?, enabled?, applicationId? -> application, postgresId? -> postgres,
    mariadbId? -> mariadb, mongoId? -> mongo, mysqlId? -> mysql, redisId? -> redis, libsqlId? -> libsql,
    composeId? -> compose, createdAt, destinationId -> destination`,
  deployment: `
    deploymentId, title, description, status = running, logPath, pid?, applicationId? -> application,
    composeId? -> compose, serverId? -> server, isPreviewDeployment = false, previewDeploymentId?, createdAt,
    startedAt?, finishedAt?, errorMessage?, scheduleId? -> schedule, backupId? -> backup, rollbackId?,
    volumeBackupId? -> volumeBackup, buildServerId?`,
  // What the platform has beyond the API document below a service: published ports, users of the basic authentication, …
  port: `
    portId, int publishedPort = 0, publishMode = host, int targetPort = 0, protocol = tcp, applicationId -> application`,
  patch: `
    patchId, type = update, filePath, enabled = true, content, createdAt, updatedAt?, applicationId? -> application,
    composeId? -> compose`,
  redirect: `
    redirectId, regex, replacement, permanent = false, uniqueConfigKey = 0, createdAt, applicationId -> application`,
  security: 'securityId, username, password, createdAt, applicationId -> application',
  schedule: `
    scheduleId, name, description?, cronExpression, appName, serviceName?, shellType = bash,
    scheduleType = application, command, script?, applicationId? -> application, composeId? -> compose,
    serverId? -> server, organizationId? -> organization, enabled = true, timezone?, createdAt`,
  tag: 'tagId, name, color?, createdAt, organizationId -> organization',
  projectTag: 'id, projectId -> project, tagId -> tag',
  // What would be on the machines, outside the database: nothing of it goes when the row of a service goes. A container is a
  // service that docker knows, by the appName it was deployed under; `<server>:<port>` are what it publishes.
  container: `
    appName, running = true, serverId?, isCompose = false, networks = [], orders = [], tasks = 0,
    indexed publishedOn?, indexed publishedGRPCOn?, indexed publishedAdminOn?`,
  // A slot of a docker service from a deployment to the next; what of it runs follows from the time and from its image.
  task: 'taskId, appName -> container, name, slot = 1, createdAt = 0, endedAt?, order = {}',
  // With the settings its database was initialised with: later changes of the row do not reach it.
  volume: `
    volumeName, dockerImage, databaseName?, databaseUser?, databasePassword?, databaseRootPassword?, initialisedAt`,
  // The compose file as the last fetch brought it, and as the last deployment wrote it for docker.
  composeFile: 'appName, text, written?',
  // A folder that containers of a compose write to: how often a deployment has removed what was in it.
  folder: 'path, indexed appName, createdAt, emptied = 0',
  // The log of a deployment that failed; the platform deletes the file with the row.
  log: 'deploymentId -> deployment, text',
  // An application whose code the last deployment left on disk.
  code: 'appName',
  // What the file of a mount has on its server, where that is not the content of the mount; null: there is no file.
  hostFile: 'mountId -> mount, content?',
  // An image that a server has: the id of the server, a blank and the image.
  pulled: 'place',
};

/** The name of a table of the world. */
export type TableName = keyof typeof lines;

/** The names of all tables. */
export const tableNames = Object.keys(lines) as TableName[]; // its keys are the tables

/** Every table of the world: its columns with their defaults, and what they refer to. */
export const tables = Object.fromEntries(
  Object.entries(lines).map(([name, line]) => [name, readTable(line, shared)]),
) as Readonly<Record<TableName, Table>>; // a table for each line

/** A complete row: what is given, and for every other column what the platform puts there. */
export function newRow(table: TableName, values: Row): Row {
  const row = structuredClone(tables[table].columns);
  for (const column of Object.keys(row)) {
    const value = values[column];
    if (value !== undefined) row[column] = value;
  }
  return row;
}
