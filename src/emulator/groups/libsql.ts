import type { Group } from '../context.ts';
import { databaseGroup } from '../databases.ts';
import { invalid } from '../errors.ts';

const shared = databaseGroup({
  table: 'libsql',
  title: 'Libsql',
  passwords: ['databasePassword'],
  dataPath: () => '/var/lib/sqld',
  updateFailure: 'Error updating Libsql',
  logLines: ['listening for HTTP requests on 0.0.0.0:8080'],
});

/** The `libsql` group, beyond the document. */
export const libsql: Group = {
  ...shared,

  // Answers no id: the new one shows only in the environment. An update does not check what this checks.
  async 'libsql.create'(context, input) {
    const isReplica = input['sqldNode'] === 'replica';
    if (isReplica !== (input['sqldPrimaryUrl'] !== null))
      throw invalid(
        'sqldPrimaryUrl',
        isReplica
          ? "sqldPrimaryUrl is required when sqldNode is 'replica'."
          : "sqldPrimaryUrl should not be provided when sqldNode is not 'replica'.",
      );
    await shared['libsql.create']?.(context, input);
    return true;
  },
};
