import type { Context, Group } from '../context.ts';
import { ApiError } from '../errors.ts';
import { branchesFor, called, foundText, repositoriesFor } from '../git-hosts.ts';
import { pick, textOf, type Row } from '../json.ts';
import { createProvider, findProvider, listProviders, withRecord, updateProvider } from '../providers.ts';

/** The `selfgit` group. No git host is ever reached. */
export const selfgit: Group = {
  'selfgit.create': (context, input) =>
    pick(createProvider(context, 'selfgit', input), ['selfgitId', 'clientId', 'selfgitUrl']),

  'selfgit.one': (context, input) => withRecord(context.store, find(context, input)),

  // Only with clientId and clientSecret.
  'selfgit.selfgitProviders': (context) => listProviders(context, 'selfgit', ['selfgitId']),

  // The one kind of provider that tells an unknown id in an update, though as a failure of the server.
  'selfgit.update'(context, input) {
    if (updateProvider(context, 'selfgit', input) === undefined)
      throw new ApiError(
        'INTERNAL_SERVER_ERROR',
        `Failed to update Selfgit provider with ID ${textOf(input, 'selfgitId')}`,
      );
    return { success: true };
  },

  'selfgit.getSelfgitUrl': (context, input) => textOf(find(context, input), 'selfgitUrl'),

  'selfgit.getSelfgitRepositories': (context, input) =>
    repositoriesFor('selfgit', find(context, input)).map(({ id, owner, name }) => ({
      id,
      name,
      url: `${owner}/${name}`,
      owner: { username: owner },
    })),

  'selfgit.getSelfgitBranches'(context, input) {
    if (input['selfgitId'] === undefined) throw new ApiError('BAD_REQUEST', 'Selfgit provider ID is required');
    return branchesFor('selfgit', find(context, input), called(input['owner'], input['repositoryName'])).map(
      ({ name, commit }) => ({ id: name, name, commit: { id: commit } }),
    );
  },

  // Without an id there is no provider: 404.
  'selfgit.testConnection': (context, input) => foundText(repositoriesFor('selfgit', find(context, input))),
};

function find(context: Context, input: Row): Row {
  return findProvider(context, 'selfgit', input);
}
