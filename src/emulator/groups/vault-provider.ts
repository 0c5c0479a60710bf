import type { Context, Group } from '../context.ts';
import { ApiError } from '../error-answers.ts';
import { type Json, namesIn, type Row, rowsIn } from '../json-rows.ts';
import { maskedProviders } from '../masked-providers.ts';

/** The `vaultProvider` group. Nothing is read from a vault. */
export const vaultProvider: Group = maskedProviders({
  table: 'vaultProvider',
  thing: 'vault provider',
  credentials: {
    hashicorp: 'token',
    infisical: 'clientSecret',
    aws: 'secretAccessKey',
    doppler: 'serviceToken',
    azure: 'clientSecret',
    scaleway: 'secretKey',
  },
  also: ['assignments'],
  check: checkAssignments,
});

function checkAssignments({ store }: Context, { assignments }: Row, organizationId: Json): void {
  for (const { projectId, environmentIds } of rowsIn(assignments)) {
    if (store.find('project', projectId)?.['organizationId'] !== organizationId)
      throw new ApiError('BAD_REQUEST', 'Assignment references a project outside this organization');
    const own = store.children('environment', 'projectId', projectId).map((row) => row['environmentId']);
    if (namesIn(environmentIds).some((id) => !own.includes(id)))
      throw new ApiError('BAD_REQUEST', 'Assignment references an environment outside the selected project');
  }
}
