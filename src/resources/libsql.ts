import { envWorks } from './families/env-checks.ts';
import * as z from 'zod';
import { databasePassword } from '../api/member-types.ts';
import type { CheckedResource, Problem } from '../kind/checks.ts';
import { defineKind } from '../kind/kind.ts';
import { port } from '../kind/value-forms.ts';
import { emptyCopies } from './families/backups.ts';
import { commandWorks } from './families/database-commands.ts';
import { defineDatabase, externalPorts } from './families/database-kinds.ts';
import { ignoredField, isSet } from './families/ignored-fields.ts';
import { swarmWorks } from './families/swarm-settings.ts';
import { deployedFlag, deployedText, generatedAppName, shellCommand } from './families/service-fields.ts';

const database = defineDatabase('libsql', {
  alsoCalled: ['sqlite', 'sqld', 'turso'],
  summary: 'A libSQL server that runs as a service of an environment.',
  fields: {
    // The platform makes none up for this kind.
    appName: { ...generatedAppName, atCreate: 'libsql', madeUp: /^libsql-[a-z0-9]{6}$/ },
    // An update that leaves it out, or enableNamespaces, writes the platform's default.
    dockerImage: {
      ...deployedText('Image and tag. Dokploy v0.30.2 pulls it, and starts libsql-server:v0.24.32 all the same.', [
        'ghcr.io/tursodatabase/libsql-server:v0.24.32',
        'ghcr.io/tursodatabase/libsql-server:v0.24.33',
      ]),
      inEveryUpdate: true,
    },
    databaseUser: deployedText('User that clients log in as.', ['shop', 'owner']),
    databasePassword: {
      schema: () =>
        databasePassword.min(1, 'may not be empty: the platform would make one up').describe('Password of the user.'),
      secrecy: 'secret',
      appliesAt: 'deploy',
      examples: ['correct-horse-1', 'battery-staple-2'],
    },
    sqldNode: {
      schema: () => z.enum(['primary', 'replica']).describe('Role of the server.'),
      words: { primary: 'Takes reads and writes.', replica: 'Follows a primary.' },
      atCreate: 'primary',
      appliesAt: 'deploy',
      examples: ['primary', 'replica'],
    },
    sqldPrimaryUrl: {
      ...deployedText('Address of the primary: its host and gRPC port.', [
        'http://libsql-main:5001',
        'http://libsql-other:5001',
      ]),
      needed: true,
      onNull: { refuse: 'a replica needs its primary' },
    },
    enableNamespaces: { ...deployedFlag('Whether it serves several databases, by namespace.'), inEveryUpdate: true },
  },
  hints: {
    args: 'a libSQL takes no args; write them in command',
    databaseName: 'a libSQL has one database; several are namespaces: enableNamespaces: true',
  },
  examples: [
    'main:\n  dockerImage: ghcr.io/tursodatabase/libsql-server:v0.24.32\n  sqldNode: primary\n  databaseUser: shop\n  databasePassword: ${secret:SHOP_DB_PASSWORD}\n',
    'copy:\n  dockerImage: ghcr.io/tursodatabase/libsql-server:v0.24.32\n  sqldNode: replica\n  sqldPrimaryUrl: http://libsql-main:5001\n  databaseUser: shop\n  databasePassword: ${secret:SHOP_DB_PASSWORD}\n',
  ],
});

const { args: _args, ulimitsSwarm: _ulimitsSwarm, ...fields } = database.fields;

/** A libSQL server that runs as a service of an environment. */
export const libsql = defineKind({
  ...database,
  identity: { ...database.identity, idFrom: 'list' },
  fields: {
    ...fields,
    command: shellCommand(
      'Command that a shell runs in the container, in place of sqld with the addresses of the platform.',
    ),
    externalGRPCPort: {
      schema: () => port.describe('Port under which replicas can reach it from outside.'),
      inPreviews: 'own',
      appliesAt: 'deploy',
      examples: [15_001, 15_002],
    },
    externalAdminPort: {
      schema: () => port.describe('Port under which its administration can be reached from outside.'),
      inPreviews: 'own',
      appliesAt: 'deploy',
      examples: [15_003, 15_004],
    },
  },
  unions: [
    {
      tag: 'sqldNode',
      describe: 'Role of the server.',
      cases: { primary: { externalGRPCPort: 'externalGRPCPort' }, replica: { sqldPrimaryUrl: 'sqldPrimaryUrl' } },
    },
  ],
  checks: {
    ...database.checks,
    each: (self, children) => [
      ...envWorks(self),
      ...commandWorks(self),
      ...swarmWorks(self).filter(({ field }) => field !== 'externalPort'),
      ...unused(self),
      ...replicaSays(self),
      ...emptyCopies(self, children),
    ],
    publishes: externalPorts('externalPort', 'externalGRPCPort', 'externalAdminPort'),
  },
});

/** Settings that the platform stores and does not read. Source: buildLibsql of v0.30.2. */
function unused(self: CheckedResource): readonly Problem[] {
  const fields = ['endpointSpecSwarm', 'stopGracePeriodSwarm'].filter((field) => isSet(self, field));
  const message = 'the platform stores it, and starts a libSQL without it';
  return fields.map((field) => ignoredField(self, field, { message, remedy: 'Remove it.' }));
}

/** A block without sqldNode makes a primary, and the platform refuses one with the address of a primary. */
function replicaSays({ address, values, unknown = [] }: CheckedResource): readonly Problem[] {
  const isSaid = values.sqldNode !== undefined || unknown.includes('sqldNode');
  if (values.sqldPrimaryUrl === undefined || isSaid) return [];
  return [
    {
      code: 'inconsistent',
      address,
      field: 'sqldPrimaryUrl',
      message: 'sqldPrimaryUrl goes with sqldNode: replica only',
      remedy: 'Add sqldNode: replica, or remove sqldPrimaryUrl.',
    },
  ];
}
