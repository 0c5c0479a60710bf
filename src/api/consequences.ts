import type { Operation } from './contract.ts';

type Input = Readonly<Record<string, unknown>>;

/** The loss that an operation causes, as a clause; a function when that depends on its input. */
type Consequence = string | ((input: Input) => string | undefined);

const stops = 'it stops running until it is started again';
const leavesDatabase = 'the database and its record are gone; its volumes stay on the server';
const rebuilds = 'its volumes are deleted, and with them all its data';
const locksOut = 'clients with the old password are locked out';
const moves = 'it leaves its environment, and with it the variables that it shares there';
const deploys = ({ freshVolumes }: Input) =>
  freshVolumes === true ? 'its volumes are deleted, and with them all their data' : undefined;

/**
 * Operations that end something which no later call brings back as it was: an object, data, what runs, an access.
 * Those that only write fields are not in the table, nor are deployments, which are what the platform is for.
 */
const consequences: Readonly<Partial<Record<Operation, Consequence>>> = {
  'ai.delete': 'the AI provider is gone, its key with it',
  'application.delete': 'the application is gone, with its domains, mounts and deployments',
  'application.disconnectGitProvider': 'the application loses its source and is not deployed by pushes any more',
  'application.stop': stops,
  'backup.remove': 'the schedule is gone; files that it made stay',
  'certificates.remove': 'the certificate and its private key are gone; what uses it is served without',
  'compose.cleanQueues': 'deployments that wait for their turn are dropped',
  'compose.delete': ({ deleteVolumes }) =>
    deleteVolumes === true
      ? 'the compose is gone, and its volumes with all their data'
      : 'the compose is gone, with its domains, mounts and backups; its volumes stay on the server',
  'compose.deploy': deploys,
  'compose.killBuild': 'every build of a compose on that server is ended, also those of other services',
  'compose.redeploy': deploys,
  'compose.refreshToken': 'the old address for deployments by webhook works no more',
  'compose.stop': stops,
  'domain.delete': 'the service is not reachable by this name any more',
  'environment.remove': 'the environment and its variables are gone',
  'libsql.move': moves,
  'libsql.rebuild': rebuilds,
  'libsql.remove': leavesDatabase,
  'libsql.stop': stops,
  'mariadb.changePassword': locksOut,
  'mariadb.move': moves,
  'mariadb.rebuild': rebuilds,
  'mariadb.remove': leavesDatabase,
  'mariadb.stop': stops,
  'mongo.changePassword': locksOut,
  'mongo.move': moves,
  'mongo.rebuild': rebuilds,
  'mongo.remove': leavesDatabase,
  'mongo.stop': stops,
  'mounts.remove': 'the service loses the mount, and a file mount its content',
  'mysql.changePassword': locksOut,
  'mysql.move': moves,
  'mysql.rebuild': rebuilds,
  'mysql.remove': leavesDatabase,
  'mysql.stop': stops,
  'organization.delete': 'the organization is gone with everything in it',
  'organization.removeInvitation': 'the invitation cannot be accepted any more',
  'postgres.changePassword': locksOut,
  'postgres.move': moves,
  'postgres.rebuild': rebuilds,
  'postgres.remove': leavesDatabase,
  'postgres.stop': stops,
  'redis.changePassword': locksOut,
  'redis.move': moves,
  'redis.rebuild': rebuilds,
  'redis.remove': leavesDatabase,
  'redis.stop': stops,
  'settings.assignDomainServer': 'the dashboard and the API answer at this host, and no more at the one of before',
  'sshKey.remove': 'the key is gone; what is fetched with it cannot be fetched any more',
  'user.assignPermissions': 'the permissions that the member has are replaced as a whole',
  'user.deleteApiKey': 'every client with this key is locked out, Trueup too if the key is its own',
  'user.remove': 'the user is gone from the whole platform, not from one organization',
  'user.update': 'it writes to the account that the API key belongs to; an id in it becomes the new id of that account',
  'volumeBackups.delete': 'the schedule is gone; files that it made stay',
};

/** Operations beyond the document that end something, by their names. */
const removes = /^(?!compose|application)\w+\.(remove|delete|bulkAssign)|\.clear/;

/** The loss that a call causes, as a clause: reason enough to ask first. undefined when it causes none. Never throws. */
export function consequenceOf(operation: Operation, input: Input): string | undefined {
  const consequence =
    consequences[operation] ?? (removes.test(operation) ? 'what it removes does not come back' : undefined);
  return typeof consequence === 'function' ? consequence(input) : consequence;
}
