import { readEndpoint } from '../../api/endpoint.ts';
import { callerOf, ownRows } from '../caller.ts';
import type { Context, Group } from '../context.ts';
import { rowsOf } from '../crud.ts';
import { ApiError } from '../error-answers.ts';
import { isComplete, type ProviderKind } from '../git-hosts.ts';
import { pick, textOf, type Json, type Row } from '../json-rows.ts';
import { requireLicence } from '../licence.ts';
import { derive } from '../made-up-names.ts';
import { newestFirst } from '../newest-first.ts';
import { usableRecords, providersOf } from '../git-providers.ts';

const { find } = rowsOf('gitProvider', 'Git Provider');

/**
 * What people do with git providers in the platform's own pages: see all of them, share and delete them. `gitlab.connect` is
 * no operation of the platform: it stands for the moment when a person allows the connection at the git host.
 */
export const providerExtensions: Group = {
  // The unconnected ones too, which the lists of the document leave out; without secrets.
  'gitProvider.getAll'(context) {
    const { userId } = callerOf(context);
    return newestFirst(usableRecords(context)).map((record) => ({
      ...record,
      isOwner: record['userId'] === userId,
      github: kindView(context, record, 'github', ['githubAppName', 'githubAppId', 'githubInstallationId']),
      gitlab: kindView(context, record, 'gitlab', ['applicationId', 'gitlabUrl']),
      bitbucket: kindView(context, record, 'bitbucket', ['bitbucketUsername']),
      gitea: kindView(context, record, 'gitea', ['giteaUrl', 'clientId']),
    }));
  },

  // Only by the user who connected it.
  'gitProvider.toggleShare'(context, input) {
    const record = find(context, input);
    const { userId, organizationId } = callerOf(context);
    if (record['userId'] !== userId || record['organizationId'] !== organizationId)
      throw new ApiError('UNAUTHORIZED', 'Only the owner can share this provider');
    const { sharedWithOrganization = false } = input;
    return context.store.update('gitProvider', record['gitProviderId'], { sharedWithOrganization });
  },

  'gitProvider.allForPermissions'(context) {
    requireLicence(context);
    return newestFirst(ownRows(context, 'gitProvider')).map((row) =>
      pick(row, ['gitProviderId', 'name', 'providerType']),
    );
  },

  // The row of its kind goes with it; services that used it lose the reference.
  'gitProvider.remove'(context, input) {
    const record = find(context, input);
    context.store.remove('gitProvider', record['gitProviderId']);
    return record;
  },

  'gitlab.connect'(context, input) {
    const id = textOf(providersOf('gitlab').find(context, input), 'gitlabId');
    context.store.update('gitlab', id, {
      accessToken: derive(id, 'accessToken', 20),
      refreshToken: derive(id, 'refreshToken', 20),
    });
    return true;
  },
};

/** The operations that only a person in a browser has. */
export const personOperations = { 'gitlab.connect': readEndpoint('POST gitlabId: text') };

function kindView({ store }: Context, record: Row, kind: ProviderKind, columns: readonly string[]): Json {
  const [row] = store.children(kind, 'gitProviderId', record['gitProviderId']);
  return row === undefined ? null : { ...pick(row, [`${kind}Id`, ...columns]), isConfigured: isComplete(kind, row) };
}
