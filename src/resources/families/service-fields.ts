import * as z from 'zod';
import {
  appName,
  endpointSpecSwarm,
  healthCheckSwarm,
  labelsSwarm,
  modeSwarm,
  networkSwarm,
  placementSwarm,
  restartPolicySwarm,
  stringList,
  ulimitsSwarm,
  updateConfigSwarm,
} from '../../api/member-types.ts';
import { envEntries, idSet, list, suffixed, text } from '../../kind/codecs.ts';
import type { Field } from '../../kind/field.ts';
import type { ParentLink } from '../../kind/parent.ts';
import { madeUpName, port, wordOfBuild } from '../../kind/value-forms.ts';
import { amountIn, units } from '../../formats/units.ts';
import { onServer } from './named-ids.ts';
import { publishedPort, restartPolicy } from './short-forms.ts';
import { listedBelow } from './parent-links.ts';

/** Fields that several kinds of services have, declared once. */

/** The name of an object, which its block has as its key. */
export function nameField(...examples: Field['examples']): Field {
  return { schema: () => z.string().min(1).describe('Name; the key of the block by default.'), examples };
}

export const serviceName: Field = {
  schema: () => z.string().min(1).describe('Display name; the key of the block by default.'),
  examples: ['shop', 'store'],
};

export const description: Field = {
  schema: () => z.string().describe('A sentence for people.'),
  codec: text,
  takesSecrets: true,
  examples: ['Live traffic.', 'Live traffic, second floor.'],
};

export const generatedAppName: Field = {
  schema: () => appName.describe('Prefix of the internal name; the platform adds a hyphen and six characters.'),
  codec: suffixed,
  madeUp: madeUpName,
  onChange: { refuse: 'the platform never changes an internal name; remove appName, or create a new service' },
  examples: ['shop', 'store'],
};

export const env: Field = {
  schema: () => z.string().describe('Environment variables: a map, or the text of an env file.'),
  map: envEntries,
  codec: text,
  secrecy: 'private',
  appliesAt: 'deploy',
  examples: ['A=1\n', 'A=2\nB=3\n'],
};

export const serverId: Field = onServer('Server to run on, or none for the one of the platform');

/** Measured: the platform keeps null, `[]` and `{}` apart; `networkSwarm: []` means no default network. */
const swarm = (schema: () => z.ZodType, what: string, examples: Field['examples']): Field => ({
  schema: () => schema().describe(`${what} Names as Docker has them.`),
  appliesAt: 'deploy',
  examples,
});

/** Settings of swarm with durations among their members. */
const timed = (schema: () => z.ZodObject, durations: readonly string[], ...[what, examples]: SwarmWords): Field => ({
  ...swarm(
    () => schema().extend(Object.fromEntries(durations.map((name) => [name, amountIn('nanoseconds').optional()]))),
    `${what} Durations as in 30s, or in nanoseconds.`,
    examples,
  ),
  unit: Object.fromEntries(durations.map((name) => [name, 'nanoseconds'])),
});
type SwarmWords = readonly [what: string, examples: Field['examples']];

/** Memory or CPU, as the digits of a number. */
const amount = (unit: 'bytes' | 'nanocpus', what: string, examples: Field['examples']): Field => ({
  schema: () => amountIn(unit).describe(`${what} Without a unit: ${units[unit].plural}.`),
  unit,
  appliesAt: 'deploy',
  examples,
});

/** Text, not empty, that takes effect with the next deployment. */
export const deployedText = (what: string, examples: Field['examples']): Field => ({
  schema: () => z.string().min(1).describe(what),
  appliesAt: 'deploy',
  examples,
});

/** The same, where the platform writes it into the command of a build. */
export const buildWord = (what: string, examples: Field['examples']): Field => ({
  ...deployedText(what, examples),
  schema: () => wordOfBuild.describe(what),
});

/** True or false, which takes effect with the next deployment. */
export const deployedFlag = (
  what: string,
  { otherwise = false, examples = [true, false] }: Partial<Pick<Field, 'otherwise' | 'examples'>> = {},
): Field => ({
  schema: () => z.boolean().describe(what),
  otherwise,
  appliesAt: 'deploy',
  examples,
});

/** Marks a field in which secrets may stand. */
export const withSecrets = (field: Field): Field => ({ ...field, takesSecrets: true });

/** Marks a field that a new object is useless without. */
export const needed = (field: Field): Field => ({ ...field, needed: true });

/** Icon of a service. */
export const icon: Field = {
  schema: () => z.string().describe('Icon, as a data address.'),
  codec: text,
  examples: ['data:image/png;base64,aWNvbg==', 'data:image/png;base64,aWNvbjI='],
};

const commandFields = {
  command: {
    schema: () =>
      z
        .string()
        .describe(
          'Command of the container, in place of the entry point of its image; the platform splits it at spaces.',
        ),
    codec: text,
    takesSecrets: true,
    appliesAt: 'deploy',
    examples: ['run', 'run --fast'],
  },
  args: {
    schema: () => stringList.describe('Arguments of the command.'),
    codec: list,
    takesSecrets: true,
    appliesAt: 'deploy',
    examples: [
      ['-c', 'max_connections=200'],
      ['-c', 'max_connections=300'],
    ],
  },
} satisfies Record<string, Field>;

const limitFields = {
  memoryReservation: amount('bytes', 'Memory kept free for it.', ['268435456', '134217728']),
  memoryLimit: amount('bytes', 'Most memory it may take.', ['536870912', '1073741824']),
  cpuReservation: amount('nanocpus', 'CPU kept free for it.', ['500000000', '250000000']),
  cpuLimit: amount('nanocpus', 'Most CPU it may take.', ['1000000000', '2000000000']),
} satisfies Record<string, Field>;

const swarmFields = {
  healthCheckSwarm: withSecrets(
    timed(healthCheckSwarm, ['Interval', 'Timeout', 'StartPeriod'], 'Health check.', [
      { Test: ['CMD', 'true'], Retries: 3 },
      { Test: ['CMD', 'true'], Retries: 5 },
    ]),
  ),
  restartPolicySwarm: {
    ...timed(restartPolicySwarm, ['Delay', 'Window'], 'Restart policy.', [
      { Condition: 'any' },
      { Condition: 'on-failure', MaxAttempts: 3 },
    ]),
    short: restartPolicy,
  },
  placementSwarm: swarm(placementSwarm, 'Placement.', [
    { Constraints: ['node.role==manager'] },
    { Constraints: ['node.role==worker'] },
  ]),
  updateConfigSwarm: timed(updateConfigSwarm, ['Delay', 'Monitor'], 'How updates roll out.', [
    { Parallelism: 1, Order: 'start-first' },
    { Parallelism: 2, Order: 'stop-first' },
  ]),
  rollbackConfigSwarm: timed(updateConfigSwarm, ['Delay', 'Monitor'], 'How a roll-back goes.', [
    { Parallelism: 1, Order: 'start-first' },
    { Parallelism: 2, Order: 'stop-first' },
  ]),
  modeSwarm: swarm(modeSwarm, 'Service mode.', [{ Replicated: { Replicas: 2 } }, { Global: {} }]),
  labelsSwarm: withSecrets(
    swarm(labelsSwarm, 'Labels of the service.', [{ team: 'shop' }, { team: 'shop', tier: 'db' }]),
  ),
  networkSwarm: swarm(networkSwarm, 'Networks.', [[{ Target: 'back' }], [{ Target: 'back', Aliases: ['db'] }]]),
  stopGracePeriodSwarm: {
    schema: () => amountIn('nanoseconds').describe('Time to stop in: a duration as in 30s, or nanoseconds.'),
    unit: 'nanoseconds',
    appliesAt: 'deploy',
    examples: [10_000_000_000, 20_000_000_000],
  },
  endpointSpecSwarm: swarm(endpointSpecSwarm, 'Published ports.', [{ Mode: 'vip' }, { Mode: 'dnsrr' }]),
  ulimitsSwarm: swarm(ulimitsSwarm, 'Limits of the process.', [
    [{ Name: 'nofile', Soft: 1024, Hard: 2048 }],
    [{ Name: 'nofile', Soft: 2048, Hard: 4096 }],
  ]),
  replicas: {
    schema: () => z.int32().min(0).describe('Number of containers.'),
    otherwise: 1,
    appliesAt: 'deploy',
    examples: [2, 3],
  },
  networkIds: {
    schema: () =>
      stringList.describe(
        'Networks it joins, by their ids, as in `${ref:networks.back.id}`; only those that are `overlay`.',
      ),
    codec: idSet,
    appliesAt: 'deploy',
    examples: [['net_1'], ['net_1', 'net_2']],
  },
  detachDokployNetwork: deployedFlag("Whether it leaves the platform's own network."),
} satisfies Record<string, Field>;

/** How the containers of a service run: applications and databases have these alike. */
export const containerFields = { ...commandFields, ...limitFields, ...swarmFields } satisfies Record<string, Field>;

/** Fields of every database service, beyond its own credentials. */
export const databaseServiceFields = {
  ...commandFields,
  env,
  ...limitFields,
  externalPort: {
    schema: () => port.describe('Port under which it can be reached from outside.'),
    inPreviews: 'own',
    appliesAt: 'deploy',
    short: publishedPort,
    examples: [15_432, 15_433],
  },
  ...swarmFields,
} satisfies Record<string, Field>;

/**
 * The command of a database that the platform gives to a shell, as far as it has one: an empty one is not as good as null there.
 * Source: buildMongo and buildLibsql of v0.30.2.
 */
export function shellCommand(what: string): Field {
  const { codec: _codec, ...command } = commandFields.command;
  return { ...command, schema: () => z.string().describe(what) };
}

/** How services hang on an environment: a member of its row lists them, with a few members each. */
export const serviceIn = (at: string): ParentLink => ({ ...listedBelow('environment', at), rows: 'summary' });

/** Outputs of a service: the name under which others reach it. */
export const serviceOutputs = {
  host: { from: 'appName', describe: 'Internal host name.' },
  appName: { from: 'appName', describe: 'Internal name.' },
};

/** The image of a service. */
export const dockerImage = (examples: Field['examples']): Field => deployedText('Image and tag.', examples);

/** The id of an object of another kind; users write its name. */
export const namedObject = (kind: string, what: string, examples: Field['examples']): Field => ({
  schema: () => z.string().min(1).describe(`${what}, by its key in this manifest or its name on the platform.`),
  refersTo: kind,
  appliesAt: 'deploy',
  examples,
});

/** A database credential that only the first start of the database reads. */
export const firstStartOnly = (what: string, examples: Field['examples']): Field => ({
  schema: () => z.string().min(1).describe(`${what} The running database keeps the one it was first started with.`),
  onChange: 'replace',
  rowOnly: true,
  takesSecrets: true,
  examples,
});
