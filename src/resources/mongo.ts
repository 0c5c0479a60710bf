import { changeablePassword, defineDatabase, withFixedPasswords } from './families/database-kinds.ts';
import { deployedFlag, dockerImage, firstStartOnly, needed } from './families/service-fields.ts';

/** A MongoDB server that runs as a service of an environment. */
export const mongo = defineDatabase('mongo', {
  alsoCalled: ['mongodb'],
  summary: 'A MongoDB server that runs as a service of an environment.',
  fields: {
    // The default of the platform, mongo:15, does not exist as an image.
    dockerImage: needed(dockerImage(['mongo:7', 'mongo:8'])),
    databaseUser: firstStartOnly('User with all rights.', ['shop', 'owner']),
    databasePassword: changeablePassword('Password of the user.', 'mongo.changePassword'),
    // The platform starts a replica set with a command of its own.
    replicaSets: deployedFlag('Whether it runs as a replica set of one member; command and args then have no effect.'),
  },
  without: { 'mongo.changePassword': withFixedPasswords('databasePassword') },
  hints: { databaseName: 'a MongoDB makes a database when a client first writes to it; remove the line' },
  examples: ['main:\n  dockerImage: mongo:8\n  databaseUser: shop\n  databasePassword: ${secret:SHOP_DB_PASSWORD}\n'],
});
