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

/** The name of an operation: `<group>.<operation>`. */
export type Operation = keyof typeof contract;

/** What an operation takes: every member with its type; a wrong name or value does not compile. */
export type Input<Op extends Operation> = z.input<(typeof contract)[Op]['input']>;

/** Whether a name is an operation of the contract. */
export function isOperation(name: string): name is Operation {
  return Object.hasOwn(contract, name);
}

/** The endpoint of an operation, without its exact type: for code that treats all operations alike. */
export function endpointOf(operation: Operation): Endpoint {
  return contract[operation];
}

/** The members that an operation cannot be sent without. */
export function requiredMembers(operation: Operation): readonly string[] {
  let names = required.get(operation);
  if (names === undefined) {
    const shape = Object.entries(endpointOf(operation).input.shape);
    names = shape.filter(([, member]) => !z.safeParse(member, undefined).success).map(([name]) => name);
    required.set(operation, names);
  }
  return names;
}

const required = new Map<Operation, readonly string[]>(); // derived from the contract, which never changes
