import * as z from 'zod';
import type { Endpoint } from './endpoint.ts';
import { ai } from './endpoints/ai.ts';
import { application } from './endpoints/application.ts';
import { backup } from './endpoints/backup.ts';
import { stripe } from './endpoints/stripe.ts';
import { bitbucket } from './endpoints/bitbucket.ts';
import { certificates } from './endpoints/certificates.ts';
import { compose } from './endpoints/compose.ts';
import { domain } from './endpoints/domain.ts';
import { environment } from './endpoints/environment.ts';
import { github } from './endpoints/github.ts';
import { gitlab } from './endpoints/gitlab.ts';
import { mariadb } from './endpoints/mariadb.ts';
import { mounts } from './endpoints/mounts.ts';
import { organization } from './endpoints/organization.ts';
import { postgres } from './endpoints/postgres.ts';
import { redis } from './endpoints/redis.ts';
import { gitea } from './endpoints/gitea.ts';
import { sshKey } from './endpoints/ssh-key.ts';
import { user } from './endpoints/user.ts';
import { volumeBackups } from './endpoints/volume-backups.ts';
import { extension } from './extensions/index.ts';
import { type Names, namesOf } from './names.ts';
import { once, onceFor } from './once.ts';
import { document, type Vocabulary } from './vocabulary.ts';

/** Every documented operation of the platform, by name: 192 in 20 groups. */
export const contract = {
  ...ai,
  ...application,
  ...backup,
  ...stripe,
  ...bitbucket,
  ...certificates,
  ...compose,
  ...domain,
  ...environment,
  ...github,
  ...gitlab,
  ...mariadb,
  ...mounts,
  ...organization,
  ...postgres,
  ...redis,
  ...gitea,
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
  /** Its path below `/api/`, such as `compose.one`; messages to users name the operation so. */
  readonly path: string;
  /** Its method, and its members by their names in Trueup. */
  readonly endpoint: Endpoint;
}

/** The operations that a platform serves, and its words. Trueup speaks the words of Dokploy; a client translates at its edge. */
export interface Contract {
  readonly profile: string;
  /** By the name in Trueup; an operation that is missing does not exist on that platform. */
  readonly operations: ReadonlyMap<string, ServedOperation>;
  /** undefined: the platform speaks the words of Trueup. */
  readonly names?: Names;
  /** The platform answers many reads in one GET of `/api/trpc/`, which no API document has. */
  readonly hasBatches?: boolean;
}

/** The words of each profile that a manifest can name; undefined: those of Trueup. */
const vocabularies = { standard: document, dokploy: undefined } satisfies Record<string, Vocabulary | undefined>;

/** A profile that a manifest can name. */
export type Profile = keyof typeof vocabularies;

/** The profiles that a manifest can name. */
export const profiles = Object.keys(vocabularies) as readonly Profile[]; // its keys are the profiles

/** The contract of a platform of a profile that serves these operations. Never throws. */
export function contractOf(profile: Profile, operations: Iterable<Operation>): Contract {
  const vocabulary = vocabularies[profile];
  const names = vocabulary === undefined ? undefined : namesOf(vocabulary);
  const served = [...operations].map((operation): [string, ServedOperation] => {
    return [operation, { path: names?.operation(operation) ?? operation, endpoint: endpointOf(operation) }];
  });
  const hasBatches = profile === 'dokploy';
  return { profile, operations: new Map(served), hasBatches, ...(names === undefined ? {} : { names }) };
}

const documented = Object.keys(contract) as DocumentedOperation[]; // its keys are the operations
const everything = Object.keys(known) as Operation[];

/** The operations that Trueup knows beyond the API document. */
export const beyondDocument = Object.keys(extension) as (keyof typeof extension)[]; // its keys are the operations

/** The documented part of a contract, with these operations beyond the document. Never throws. */
export function serving(contract: Contract, beyond: readonly Operation[]): Contract {
  const base = [...contract.operations].filter(([name]) => isOperation(name));
  const more = beyond.map((operation): [string, ServedOperation] => {
    return [operation, { path: contract.names?.operation(operation) ?? operation, endpoint: endpointOf(operation) }];
  });
  return { ...contract, operations: new Map([...base, ...more]) };
}

/** The contracts of platforms that serve the documented operations only, by profile. */
export const contracts = contractsOf(documented);

/** The contracts of platforms that serve every operation that Trueup knows, by profile. */
export const extendedContracts = contractsOf(everything);

/** A run needs few of them: each is made when it is used first. */
function contractsOf(operations: readonly Operation[]): Readonly<Record<Profile, Contract>> {
  const standard = once(() => contractOf('standard', operations));
  const forDokploy = once(() => contractOf('dokploy', operations));
  return {
    get standard() {
      return standard();
    },
    get dokploy() {
      return forDokploy();
    },
  };
}

/** Whether a name is an operation of the API document. Never throws. */
export function isOperation(name: string): name is DocumentedOperation {
  return Object.hasOwn(contract, name);
}

/** Whether a name is an operation that Trueup knows, beyond the API document too. Never throws. */
export function isKnown(name: string): name is Operation {
  return Object.hasOwn(known, name);
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
export const requiredOf = onceFor((endpoint: Endpoint): readonly string[] => {
  const shape = Object.entries(endpoint.input.shape);
  return shape.filter(([, member]) => !z.safeParse(member, undefined).success).map(([name]) => name);
});
