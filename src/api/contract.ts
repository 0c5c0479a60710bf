import * as z from 'zod';
import type { Endpoint } from './endpoint.ts';
import { ai } from './endpoints/ai.ts';
import { application } from './endpoints/application.ts';
import { backup } from './endpoints/backup.ts';
import { billing } from './endpoints/billing.ts';
import { bucketgit } from './endpoints/bucketgit.ts';
import { certificates } from './endpoints/certificates.ts';
import { compose } from './endpoints/compose.ts';
import { domain } from './endpoints/domain.ts';
import { environment } from './endpoints/environment.ts';
import { hubgit } from './endpoints/hubgit.ts';
import { labgit } from './endpoints/labgit.ts';
import { mariadb } from './endpoints/mariadb.ts';
import { mounts } from './endpoints/mounts.ts';
import { organization } from './endpoints/organization.ts';
import { postgres } from './endpoints/postgres.ts';
import { redis } from './endpoints/redis.ts';
import { selfgit } from './endpoints/selfgit.ts';
import { sshKey } from './endpoints/ssh-key.ts';
import { user } from './endpoints/user.ts';
import { volumeBackups } from './endpoints/volume-backups.ts';
import { extension } from './extensions/index.ts';

/** Every documented operation of the platform, by name: 192 in 20 groups. */
export const contract = {
  ...ai,
  ...application,
  ...backup,
  ...billing,
  ...bucketgit,
  ...certificates,
  ...compose,
  ...domain,
  ...environment,
  ...hubgit,
  ...labgit,
  ...mariadb,
  ...mounts,
  ...organization,
  ...postgres,
  ...redis,
  ...selfgit,
  ...sshKey,
  ...user,
  ...volumeBackups,
} satisfies Record<string, Endpoint>;

/** The name of an operation of the API document: `<group>.<operation>`. */
export type DocumentedOperation = keyof typeof contract;

/** The name of an operation; those beyond the document a platform may lack. */
export type Operation = DocumentedOperation | keyof typeof extension;

/** Every operation that Trueup knows. */
const known = { ...contract, ...extension };

/** An operation that reads: a GET. */
export type ReadOperation = {
  [Op in Operation]: (typeof known)[Op]['method'] extends 'GET' ? Op : never;
}[Operation];

/** The input of an operation: every member with its type; a wrong name or value does not compile. */
export type Input<Op extends Operation> = z.input<(typeof known)[Op]['input']>;

/** One operation as a platform serves it. */
export interface ServedOperation {
  /** Its path below `/api/`, such as `compose.one`. */
  readonly path: string;
  /** Its method, and its members by their names in Trueup. */
  readonly endpoint: Endpoint;
  /** The names on the wire of the members that are called otherwise there, in inputs and wherever they stand in answers. */
  readonly memberNames?: Readonly<Record<string, string>>;
}

/** A vocabulary of the API, as data. Trueup speaks of operations and members by one name; a client translates at its edge. */
export interface Contract {
  readonly profile: string;
  /** By the name in Trueup; an operation that is missing does not exist on that platform. */
  readonly operations: ReadonlyMap<string, ServedOperation>;
}

/** The documented vocabulary: every operation and member has the same name in Trueup and on the wire. */
export const standardContract: Contract = {
  profile: 'standard',
  operations: new Map(Object.entries(contract).map(([path, endpoint]) => [path, { path, endpoint }])),
};

/** The same with every operation beyond the document that Trueup knows. */
export const extendedContract: Contract = {
  profile: 'standard',
  operations: new Map(Object.entries(known).map(([path, endpoint]) => [path, { path, endpoint }])),
};

/** The contracts that a platform can have, by the profile that a manifest names. */
export const contracts = { standard: standardContract } satisfies Record<string, Contract>;

/** A profile that a manifest can name. */
export type Profile = keyof typeof contracts;

/** Whether a name is an operation of the API document. Never throws. */
export function isOperation(name: string): name is DocumentedOperation {
  return Object.hasOwn(contract, name);
}

/** The endpoint of an operation, for code that treats all operations alike. Never throws. */
export function endpointOf(operation: Operation): Endpoint {
  return known[operation];
}

/** The members that an operation cannot be sent without. Never throws. */
export function requiredMembers(operation: Operation): readonly string[] {
  return requiredOf(endpointOf(operation));
}

/** The members that cannot be left out. Never throws. */
export function requiredOf(endpoint: Endpoint): readonly string[] {
  let names = required.get(endpoint);
  if (names === undefined) {
    const shape = Object.entries(endpoint.input.shape);
    names = shape.filter(([, member]) => !z.safeParse(member, undefined).success).map(([name]) => name);
    required.set(endpoint, names);
  }
  return names;
}

const required = new WeakMap<Endpoint, readonly string[]>(); // derived from endpoints, which never change
