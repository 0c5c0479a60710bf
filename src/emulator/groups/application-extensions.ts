import * as z from 'zod';
import { post } from '../../api/endpoint.ts';
import { application } from '../../api/endpoints/application.ts';
import { databaseServiceUpdate, stringList } from '../../api/values.ts';
import type { Extension } from '../context.ts';
import { ApiError } from '../errors.ts';
import { omit, textOr } from '../json.ts';
import { find, queued } from './application.ts';

const { externalPort: _externalPort, ...sharedWithDatabases } = databaseServiceUpdate;
const { serverId: _serverId, ...creatable } = application['application.create'].input.shape;

const texts = [
  ['title', 'subtitle', 'icon', 'refreshToken', 'dropBuildPath'],
  ['registryId', 'rollbackRegistryId', 'buildRegistryId', 'buildServerId'],
  ['previewEnv', 'previewBuildArgs', 'previewBuildSecrets', 'previewWildcard', 'previewPath'],
  ['previewCustomCertResolver'],
].flat();
const flags = [
  ['enabled', 'cleanCache', 'autoDeploy', 'rollbackActive', 'previewHttps'],
  ['isPreviewDeploymentsActive', 'previewRequireCollaboratorPermissions'],
].flat();

/** Every column of an application but serverId. */
const columns = z.object({
  ...sharedWithDatabases,
  ...creatable,
  ...application['application.saveEnvironment'].input.shape,
  ...application['application.saveBuildType'].input.shape,
  ...application['application.saveHubgitProvider'].input.shape,
  ...application['application.saveLabgitProvider'].input.shape,
  ...application['application.saveBucketgitProvider'].input.shape,
  ...application['application.saveSelfgitProvider'].input.shape,
  ...application['application.saveDockerProvider'].input.shape,
  ...application['application.saveGitProvider'].input.shape,
  // Where a source is saved this has a default, which must not be written here.
  triggerType: z.enum(['push', 'tag']),
  previewLabels: stringList.nullable(),
  previewCertificateType: z.enum(['acme_auto', 'none', 'custom']),
  ...each(texts, z.string().nullable()),
  ...each(flags, z.boolean().nullable()),
  ...each(['previewPort', 'previewLimit'], z.number().nullable()),
});

/** What the real platform can do with an application beyond the document: change all of it, deploy it, give that up. */
export const applicationExtensions: Extension = {
  endpoints: {
    'application.update': post({ ...columns.partial().shape, applicationId: z.string() }),
    'application.deploy': post({
      applicationId: z.string().min(1),
      title: z.string().optional(),
      description: z.string().optional(),
    }),
    'application.killBuild': post({ applicationId: z.string().min(1) }),
  },

  handlers: {
    // Partial; the appName is accepted and ignored.
    'application.update'({ store }, input) {
      const values = omit(input, ['applicationId', 'appName']);
      if (Object.keys(values).length === 0) throw new ApiError('INTERNAL_SERVER_ERROR', 'No values to set');
      if (store.update('application', input['applicationId'], values) === undefined)
        throw new ApiError('BAD_REQUEST', 'Error updating application');
      return true;
    },

    'application.deploy': queued('Manual deployment', false),

    // Of every application on the server, whosever it is. The platform ends builds only, and no pulls.
    'application.killBuild'(context, input) {
      context.queue.kill('application', textOr(find(context, input), 'serverId'));
      return undefined;
    },
  },
};

function each(names: readonly string[], schema: z.ZodType): Record<string, z.ZodType> {
  return Object.fromEntries(names.map((name) => [name, schema]));
}
