import { defineKind } from '../kind/kind.ts';
import { changeablePassword, defineDatabase, withFixedPasswords } from './families/database-kinds.ts';
import { deployedFlag, dockerImage, firstStartOnly, needed, shellCommand } from './families/service-fields.ts';

const database = defineDatabase('mongo', {
  alsoCalled: ['mongodb'],
  summary: 'A MongoDB server that runs as a service of an environment.',
  fields: {
    // The default of the platform, mongo:15, does not exist as an image.
    dockerImage: needed(dockerImage(['mongo:7', 'mongo:8'])),
    databaseUser: firstStartOnly('User with all rights.', ['shop', 'owner']),
    databasePassword: changeablePassword('Password of the user.', 'mongo.changePassword', { isOfBackups: true }),
    // The platform starts a replica set with a command of its own, which has no --auth and no --keyFile.
    replicaSets: deployedFlag(
      'Whether it runs as a replica set of one member. It then asks no client for a password, and args have no effect.',
    ),
  },
  without: { 'mongo.changePassword': withFixedPasswords('databasePassword') },
  hints: { databaseName: 'a MongoDB makes a database when a client first writes to it; remove the line' },
  examples: ['main:\n  dockerImage: mongo:8\n  databaseUser: shop\n  databasePassword: ${secret:SHOP_DB_PASSWORD}\n'],
});

/** A MongoDB server that runs as a service of an environment. */
export const mongo = defineKind({
  ...database,
  fields: {
    ...database.fields,
    command: shellCommand(
      'Command of the container, in place of the entry point of its image; the platform splits it at spaces. Of a replica set: what a shell runs once the set is there; the container ends with it.',
    ),
  },
});
