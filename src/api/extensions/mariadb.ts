import * as z from 'zod';
import { get, post } from '../endpoint.ts';
import { databasePassword, logPart, serviceSearch } from '../values.ts';

/** Operations of the `mariadb` group beyond the API document. */
export const mariadb = {
  'mariadb.changePassword': post(() => ({
    mariadbId: z.string().min(1),
    password: databasePassword.min(1),
    type: z.enum(['user', 'root']).default('user'),
  })),
  'mariadb.search': get(() => ({
    ...serviceSearch(),
  })),
  'mariadb.readLogs': get(() => ({
    mariadbId: z.string().min(1),
    ...logPart(),
  })),
};
