import * as z from 'zod';
import { post } from '../endpoint.ts';

/** Operations of the `backup` group beyond the API document. */
export const backup = {
  'backup.manualBackupLibsql': post(() => ({
    backupId: z.string().min(1),
  })),
};
