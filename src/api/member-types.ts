import * as z from 'zod';

/**
 * Rules for values that several operations share; the larger ones are built where they are used. Source: the API document,
 * "Shared value sets and rules".
 */

export const status = z.enum(['idle', 'running', 'done', 'error']);

const serviceType = z.enum(['application', 'postgres', 'mysql', 'mariadb', 'mongo', 'redis', 'compose', 'libsql']);

export const appName = z
  .string()
  .min(1)
  .max(63)
  .regex(/^[a-zA-Z0-9._-]+$/, 'may hold only letters, digits, dot, underscore and hyphen');

export const branch = z
  .string()
  .min(1)
  .regex(/^[a-zA-Z0-9._\-/#]+$/, 'may hold only letters, digits and . _ - / #');

/** The empty string matches too: the platform then makes a password up. */
export const databasePassword = z
  .string()
  .regex(
    /^[a-zA-Z0-9@#%^&*()_+\-=[\]{}|;:,.<>?~`]*$/,
    'may not hold $ ! \' " \\ / or a space (the platform cannot pass them to the database)',
  );

export const volumeName = z
  .string()
  .min(1)
  .regex(
    /^[a-zA-Z0-9][a-zA-Z0-9._-]*$/,
    'starts with a letter or digit, then letters, digits, dot, underscore or hyphen',
  );

export const email = z.email();

export const uri = z.url();

/** Any JSON value, null included, but not left out. */
const anything = z.unknown().refine((value) => value !== undefined, 'is required (null is allowed)');

/**
 * Shapes behind "type not given" in the API document, as the platform validates them: strict, so that a
 * misspelt member is refused. Durations are in nanoseconds.
 */

export const stringList = z.array(z.string());

export const healthCheckSwarm = () =>
  z.strictObject({
    Test: z.array(z.string()).optional(),
    Interval: z.number().optional(),
    Timeout: z.number().optional(),
    StartPeriod: z.number().optional(),
    Retries: z.number().optional(),
  });

export const restartPolicySwarm = () =>
  z.strictObject({
    Condition: z.string().optional(),
    Delay: z.number().optional(),
    MaxAttempts: z.number().optional(),
    Window: z.number().optional(),
  });

export const placementSwarm = () =>
  z.strictObject({
    Constraints: z.array(z.string()).optional(),
    Preferences: z.array(z.strictObject({ Spread: z.strictObject({ SpreadDescriptor: z.string() }) })).optional(),
    MaxReplicas: z.number().optional(),
    Platforms: z.array(z.strictObject({ Architecture: z.string(), OS: z.string() })).optional(),
  });

export const updateConfigSwarm = () =>
  z.strictObject({
    Parallelism: z.number(),
    Order: z.string(),
    Delay: z.number().optional(),
    Monitor: z.number().optional(),
    MaxFailureRatio: z.number().optional(),
    FailureAction: z.string().optional(),
  });

export const modeSwarm = () =>
  z.strictObject({
    Replicated: z.strictObject({ Replicas: z.number().optional() }).optional(),
    Global: z.strictObject({}).optional(),
    ReplicatedJob: z
      .strictObject({ MaxConcurrent: z.number().optional(), TotalCompletions: z.number().optional() })
      .optional(),
    GlobalJob: z.strictObject({}).optional(),
  });

export const labelsSwarm = () => z.record(z.string(), z.string());

export const networkSwarm = () =>
  z.array(
    z.strictObject({
      Target: z.string().optional(),
      Aliases: z.array(z.string()).optional(),
      DriverOpts: z.record(z.string(), z.string()).optional(),
    }),
  );

export const endpointSpecSwarm = () =>
  z.strictObject({
    Mode: z.string().optional(),
    Ports: z
      .array(
        z.strictObject({
          Protocol: z.string().optional(),
          TargetPort: z.number().optional(),
          PublishedPort: z.number().optional(),
          PublishMode: z.string().optional(),
        }),
      )
      .optional(),
  });

export const ulimitsSwarm = () =>
  z.array(z.strictObject({ Name: z.string().min(1), Soft: z.number().int().min(-1), Hard: z.number().int().min(-1) }));

export const serviceNetworks = () =>
  z.array(
    z.strictObject({ serviceName: z.string(), networkIds: z.array(z.string()), detachDokployNetwork: z.boolean() }),
  );

const ipam = () =>
  z.object({
    driver: z.string().optional(),
    config: z
      .array(
        z.object({
          subnet: z.string().optional(),
          gateway: z.string().optional(),
          ipRange: z.string().optional(),
        }),
      )
      .optional(),
  });

const text = () => z.string().min(1);
const trimmed = () => z.string().trim().min(1);

/** By provider: where a vault is, and what opens it. */
const vaultConfig = () =>
  z.discriminatedUnion('providerType', [
    z.object({
      providerType: z.literal('hashicorp'),
      url: z.url(),
      token: text(),
      namespace: z.string().optional(),
      mount: text().default('secret'),
    }),
    z.object({
      providerType: z.literal('infisical'),
      siteUrl: z.url().default('https://app.infisical.com'),
      clientId: text(),
      clientSecret: text(),
      projectId: text(),
      environmentSlug: text(),
      secretPath: z.string().default('/'),
    }),
    z.object({
      providerType: z.literal('aws'),
      region: text(),
      accessKeyId: text(),
      secretAccessKey: text(),
      endpoint: z.url().optional(),
    }),
    z.object({
      providerType: z.literal('doppler'),
      serviceToken: text(),
      project: z.string().optional(),
      config: z.string().optional(),
    }),
    z.object({
      providerType: z.literal('azure'),
      vaultUri: z.url(),
      tenantId: text(),
      clientId: text(),
      clientSecret: text(),
    }),
    z.object({
      providerType: z.literal('scaleway'),
      region: text().default('fr-par'),
      projectId: text(),
      secretKey: text(),
      apiUrl: z.url().default('https://api.scaleway.com'),
    }),
  ]);

/** By provider: what opens its zones. */
const dnsConfig = () =>
  z.discriminatedUnion('providerType', [
    z.object({ providerType: z.literal('cloudflare'), apiToken: trimmed() }),
    z.object({ providerType: z.literal('route53'), accessKeyId: trimmed(), secretAccessKey: trimmed() }),
  ]);

/** The types of members, by the names that the lines of operations have for them. */
export const memberTypes = {
  string: () => z.string(),
  text: () => z.string().min(1),
  number: () => z.number(),
  boolean: () => z.boolean(),
  strings: () => stringList,
  texts: () => z.array(z.string().min(1)),
  addresses: () => stringList.min(1),
  labels: labelsSwarm,
  anything: () => anything,
  count: () => z.number().min(1),
  email: () => email,
  authDomain: () =>
    z
      .string()
      .refine((host) => /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,}$/.test(host.trim().toLowerCase()), {
        message: 'Invalid auth domain',
      }),
  emailOrNone: () => z.union([email, z.literal('')]),
  url: () => uri,
  appName: () => appName,
  branch: () => branch,
  containerName: () =>
    z
      .string()
      .min(1)
      .regex(/^[a-zA-Z0-9.\-_]+$/),
  icon: () => z.string().max(2097152),
  volumeName: () => volumeName,
  status: () => status,
  serviceType: () => serviceType,
  databasePassword: () => databasePassword,
  newPassword: () => databasePassword.min(1),
  databaseAccount: () => z.enum(['user', 'root']),
  sqldNode: () => z.enum(['primary', 'replica']),
  sourceType: () => z.enum(['github', 'docker', 'git', 'gitlab', 'bitbucket', 'gitea', 'drop']),
  triggerType: () => z.enum(['push', 'tag']),
  buildType: () => z.enum(['dockerfile', 'heroku_buildpacks', 'paketo_buildpacks', 'nixpacks', 'static', 'railpack']),
  composeSource: () => z.enum(['git', 'github', 'gitlab', 'bitbucket', 'gitea', 'raw']),
  composeType: () => z.enum(['docker-compose', 'stack']),
  listing: () => z.enum(['fetch', 'cache']),
  certificateType: () => z.enum(['letsencrypt', 'none', 'custom']),
  mountType: () => z.enum(['bind', 'volume', 'file']),
  publishMode: () => z.enum(['ingress', 'host']),
  protocol: () => z.enum(['tcp', 'udp']),
  backupType: () => z.enum(['database', 'compose']),
  databaseType: () => z.enum(['postgres', 'mariadb', 'mysql', 'mongo', 'web-server', 'libsql']),
  scheduleType: () => z.enum(['application', 'compose', 'server', 'dokploy-server']),
  shellType: () => z.enum(['bash', 'sh']),
  containersOf: () => z.enum(['stack', 'docker-compose']),
  deploymentType: () =>
    z.enum(['application', 'compose', 'server', 'schedule', 'previewDeployment', 'backup', 'volumeBackup']),
  serverType: () => z.enum(['deploy', 'build']),
  buildsConcurrency: () => z.number().int().min(1).max(100),
  registryType: () => z.literal('cloud'),
  keyType: () => z.enum(['rsa', 'ed25519']),
  keyName: () => z.string().min(1).max(32),
  keyMetadata: () => z.looseObject({ organizationId: z.string() }),
  tier: () => z.enum(['legacy', 'hobby', 'startup']),
  additionalFlags: () => z.array(z.string().regex(/^--[a-zA-Z0-9-]+(=[a-zA-Z0-9._:/@-]+)?$/)),
  selectedServices: () => z.array(z.object({ id: z.string(), type: serviceType })),
  pushoverPriority: () => z.number().min(-2).max(2),
  retry: () => z.number().min(30),
  expire: () => z.number().min(1).max(10800),
  reporter: () => z.enum(['Dokploy', 'Remote']),
  load: () => z.enum(['Memory', 'CPU']),
  // The page of a list, and the part of a log that is asked for.
  page: () => z.number().min(1).max(100),
  position: () => z.number().min(0),
  tail: () => z.number().int().min(1).max(10000),
  since: () => z.string().regex(/^(all|\d+[smhd])$/, 'is `all` or a number with s, m, h or d'),
  search: () =>
    z
      .string()
      .max(500)
      .regex(/^[a-zA-Z0-9 ._-]{0,500}$/, 'may hold only letters, digits, space, dot, underscore and hyphen'),
  healthCheckSwarm,
  restartPolicySwarm,
  placementSwarm,
  updateConfigSwarm,
  modeSwarm,
  networkSwarm,
  endpointSpecSwarm,
  ulimitsSwarm,
  serviceNetworks,
  networkDriver: () => z.enum(['bridge', 'overlay']),
  patchType: () => z.enum(['create', 'update', 'delete']),
  patchedService: () => z.enum(['application', 'compose']),
  mtu: () => z.number().int().min(68).max(65535),
  ipam,
  providerName: () =>
    z
      .string()
      .min(1)
      .max(64)
      .regex(/^[a-zA-Z0-9_-]+$/, 'Name can only contain letters, numbers, dashes and underscores'),
  vaultConfig,
  dnsConfig,
  roleName: () =>
    text()
      .max(50)
      .refine(
        (name) => !['owner', 'admin', 'member'].includes(name),
        'Cannot use reserved role names (owner, admin, member)',
      ),
  permissions: () => z.record(z.string(), z.array(z.string())),
  vaultAssignments: () => z.array(z.object({ projectId: text(), environmentIds: z.array(text()).default([]) })),
};

/** The name of a type of members. */
export type MemberType = keyof typeof memberTypes;

/** Members that several operations share. */
export const sharedMembers = {
  swarm: `
    healthCheckSwarm?: healthCheckSwarm|null, restartPolicySwarm?: restartPolicySwarm|null,
    placementSwarm?: placementSwarm|null, updateConfigSwarm?: updateConfigSwarm|null,
    rollbackConfigSwarm?: updateConfigSwarm|null, modeSwarm?: modeSwarm|null, labelsSwarm?: labels|null,
    networkSwarm?: networkSwarm|null, stopGracePeriodSwarm?: number|null, endpointSpecSwarm?: endpointSpecSwarm|null`,
  database: `
    appName?, description?: string|null, dockerImage?: string, command?: string|null, args?: strings|null,
    env?: string|null, memoryReservation?: string|null, memoryLimit?: string|null, cpuReservation?: string|null,
    cpuLimit?: string|null, externalPort?: number|null, applicationStatus?: status, ...swarm,
    ulimitsSwarm?: ulimitsSwarm|null, networkIds?: strings|null, replicas?: number, createdAt?: string,
    environmentId?: string, detachDokployNetwork?: boolean`,
  logs: 'tail = 100, since = all, search?',
  search: `
    q?: string, name?: string, appName?: string, description?: string, projectId?: string, environmentId?: string,
    limit: page = 20, offset: position = 0`,
  providerBuild: 'enableSubmodules?: boolean, watchPaths?: strings|null',
  destination: `
    name: text, provider: string|null, accessKey: string, bucket: string, region: string, endpoint: string,
    secretAccessKey: string, additionalFlags: additionalFlags|null = [], serverId?: string`,
  schedule: `
    name: string, description?: string|null, cronExpression: string, serviceName?: string|null, shellType?,
    scheduleType?, command: string, script?: string|null, applicationId?: string|null, composeId?: string|null,
    serverId?: string|null, organizationId?: string|null, enabled?: boolean, timezone?: string|null,
    createdAt?: string`,
  volumeBackup: `
    name: string, volumeName, prefix: string, serviceType?, appName?: string, serviceName?: string|null,
    turnOff?: boolean, cronExpression: string, keepLatestCount?: number|null, enabled?: boolean|null,
    applicationId?: string|null, postgresId?: string|null, mariadbId?: string|null, mongoId?: string|null,
    mysqlId?: string|null, redisId?: string|null, libsqlId?: string|null, composeId?: string|null, createdAt?: string,
    destinationId: string`,
  report: `
    appBuildError: boolean, databaseBackup: boolean, dokployBackup: boolean, volumeBackup: boolean,
    dokployRestart: boolean, name: string, appDeploy: boolean, dockerCleanup: boolean`,
  fullReport: '...report, serverThreshold: boolean',
  slack: 'webhookUrl: text, channel: string',
  telegram: 'botToken: text, chatId: text, messageThreadId: string',
  email: 'smtpServer: text, smtpPort: count, username: text, password: text, fromAddress: text, toAddresses: addresses',
  resend: 'apiKey: text, fromAddress: text, toAddresses: addresses',
  ntfy: 'serverUrl: text, topic: text, accessToken: string, priority: count',
  mattermost: 'webhookUrl: url, channel?: string, username?: string',
  custom: 'endpoint: text, headers?: labels',
  pushover: 'userKey: text, apiToken: text, priority: pushoverPriority, retry?: retry|null, expire?: expire|null',
  lark: 'webhookUrl: text',
  discord: '...lark, decoration: boolean',
  gotify: 'serverUrl: text, appToken: text, priority: count, decoration: boolean',
} as const;
