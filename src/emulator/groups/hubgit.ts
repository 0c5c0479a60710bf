import type { Context, Group } from '../context.ts';
import { branchesFor, called, foundText, repositoriesFor } from '../git-hosts.ts';
import type { Row } from '../json.ts';
import { findProvider, listProviders, withRecord, updateProvider } from '../providers.ts';

/** The `hubgit` group: nothing in the API makes such a provider, a person does that in a browser. */
export const hubgit: Group = {
  'hubgit.one': (context, input) => withRecord(context.store, find(context, input)),

  // Only with app id, private key and installation id.
  'hubgit.hubgitProviders': (context) => listProviders(context, 'hubgit', ['hubgitId', 'hubgitUrl']),

  // An unknown id is a success with an empty body, like a known one.
  'hubgit.update'(context, input) {
    updateProvider(context, 'hubgit', input);
    return undefined;
  },

  'hubgit.getHubgitRepositories': (context, input) =>
    repositoriesFor('hubgit', find(context, input)).map(({ id, owner, name, branches }) => ({
      id,
      name,
      full_name: `${owner}/${name}`,
      private: true,
      default_branch: branches[0]?.name ?? null,
      owner: { login: owner },
    })),

  'hubgit.getHubgitBranches'(context, input) {
    if (input['hubgitId'] === undefined) return [];
    return branchesFor('hubgit', find(context, input), called(input['owner'], input['repo'])).map(
      ({ name, commit }) => ({
        name,
        commit: { sha: commit },
        protected: false,
      }),
    );
  },

  'hubgit.testConnection': (context, input) => foundText(repositoriesFor('hubgit', find(context, input))),
};

function find(context: Context, input: Row): Row {
  return findProvider(context, 'hubgit', input);
}
