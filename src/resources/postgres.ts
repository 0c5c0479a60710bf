import { changeablePassword, defineDatabase } from './families/database-kinds.ts';
import { dockerImage, firstStartOnly } from './families/service-fields.ts';

/** A PostgreSQL server that runs as a service of an environment. */
export const postgres = defineDatabase('postgres', {
  alsoCalled: ['postgresql', 'pg', 'databases', 'database'],
  summary: 'A PostgreSQL server that runs as a service of an environment.',
  fields: {
    dockerImage: dockerImage(['postgres:17', 'postgres:17-alpine']),
    databaseName: firstStartOnly('Name of the database.', ['shop', 'store']),
    databaseUser: firstStartOnly('User that owns the database.', ['shop', 'owner']),
    databasePassword: changeablePassword('Password of the user.', 'postgres.changePassword'),
  },
  examples: [
    'main:\n  dockerImage: postgres:17\n  databaseName: shop\n  databaseUser: shop\n  databasePassword: ${secret:SHOP_DB_PASSWORD}\n',
  ],
});
