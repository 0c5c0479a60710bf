import * as z from 'zod';

/**
 * Rules for values that several operations share; the larger ones are built where they are used. Source: the API document,
 * "Shared value sets and rules".
 */

export const status = z.enum(['idle', 'running', 'done', 'error']);

export const serviceType = z.enum([
  'application',
  'postgres',
  'mysql',
  'mariadb',
  'mongo',
  'redis',
  'compose',
  'libsql',
]);

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

/** A period of a log: the word `all`, or a number of seconds, minutes, hours or days such as `15m`. */
const logsSince = () => z.string().regex(/^(all|\d+[smhd])$/, 'is `all` or a number with s, m, h or d');

const logsSearch = () =>
  z
    .string()
    .max(500)
    .regex(/^[a-zA-Z0-9 ._-]{0,500}$/, 'may hold only letters, digits, space, dot, underscore and hyphen');

/** The part of a log that is asked for. */
export const logPart = () => ({
  tail: z.number().int().min(1).max(10000).default(100),
  since: logsSince().default('all'),
  search: logsSearch().optional(),
});

/** What services are searched by, and the page of the result. */
export const serviceSearch = () => ({
  q: z.string().optional(),
  name: z.string().optional(),
  appName: z.string().optional(),
  description: z.string().optional(),
  projectId: z.string().optional(),
  environmentId: z.string().optional(),
  limit: z.number().min(1).max(100).default(20),
  offset: z.number().min(0).default(0),
});

/** Any JSON value, null included, but not left out. */
export const anything = z.unknown().refine((value) => value !== undefined, 'is required (null is allowed)');

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

const stopGracePeriodSwarm = () => z.number();

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

/** The swarm settings that the update operations of all services but a compose share. */
export const swarmUpdate = () => ({
  healthCheckSwarm: healthCheckSwarm().nullable().optional(),
  restartPolicySwarm: restartPolicySwarm().nullable().optional(),
  placementSwarm: placementSwarm().nullable().optional(),
  updateConfigSwarm: updateConfigSwarm().nullable().optional(),
  rollbackConfigSwarm: updateConfigSwarm().nullable().optional(),
  modeSwarm: modeSwarm().nullable().optional(),
  labelsSwarm: labelsSwarm().nullable().optional(),
  networkSwarm: networkSwarm().nullable().optional(),
  stopGracePeriodSwarm: stopGracePeriodSwarm().nullable().optional(),
  endpointSpecSwarm: endpointSpecSwarm().nullable().optional(),
});

/** The members that the update operations of most database kinds share. */
export const databaseServiceUpdate = () => ({
  appName: appName.optional(),
  description: z.string().nullable().optional(),
  dockerImage: z.string().optional(),
  command: z.string().nullable().optional(),
  args: stringList.nullable().optional(),
  env: z.string().nullable().optional(),
  memoryReservation: z.string().nullable().optional(),
  memoryLimit: z.string().nullable().optional(),
  cpuReservation: z.string().nullable().optional(),
  cpuLimit: z.string().nullable().optional(),
  externalPort: z.number().nullable().optional(),
  applicationStatus: status.optional(),
  ...swarmUpdate(),
  ulimitsSwarm: ulimitsSwarm().nullable().optional(),
  networkIds: stringList.nullable().optional(),
  replicas: z.number().optional(),
  createdAt: z.string().optional(),
  environmentId: z.string().optional(),
  detachDokployNetwork: z.boolean().optional(),
});
