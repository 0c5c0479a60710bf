import type { Group } from '../context.ts';
import { ApiError } from '../error-answers.ts';
import { branchesFor, called, repositoriesFor } from '../git-hosts.ts';
import { pick, textOf } from '../json-rows.ts';
import { createProvider, updateProvider, providerOperations, providersOf } from '../git-providers.ts';

const { find } = providersOf('gitea');

/** The `gitea` group. No git host is ever reached. */
export const gitea: Group = {
  // The list has only those with clientId and clientSecret; without an id there is no provider to test: 404.
  ...providerOperations('gitea', ['giteaId']),

  'gitea.create': (context, input) =>
    pick(createProvider(context, 'gitea', input), ['giteaId', 'clientId', 'giteaUrl']),

  // The one kind of provider that tells an unknown id in an update, though as a failure of the server.
  'gitea.update'(context, input) {
    if (updateProvider(context, 'gitea', input) === undefined)
      throw new ApiError(
        'INTERNAL_SERVER_ERROR',
        `Failed to update Gitea provider with ID ${textOf(input, 'giteaId')}`,
      );
    return { success: true };
  },

  'gitea.getGiteaUrl': (context, input) => textOf(find(context, input), 'giteaUrl'),

  'gitea.getGiteaRepositories': (context, input) =>
    repositoriesFor('gitea', find(context, input)).map(({ id, owner, name }) => ({
      id,
      name,
      url: `${owner}/${name}`,
      owner: { username: owner },
    })),

  'gitea.getGiteaBranches'(context, input) {
    if (input['giteaId'] === undefined) throw new ApiError('BAD_REQUEST', 'Gitea provider ID is required');
    return branchesFor('gitea', find(context, input), called(input['owner'], input['repositoryName'])).map(
      ({ name, commit }) => ({ id: name, name, commit: { id: commit } }),
    );
  },
};
