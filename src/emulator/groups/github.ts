import type { Context, Group } from '../context.ts';
import { branchesFor, called, foundText, repositoriesFor } from '../git-hosts.ts';
import type { Row } from '../json-rows.ts';
import { findProvider, listProviders, withRecord, updateProvider } from '../git-providers.ts';

/** The `github` group: nothing in the API makes such a provider, a person does that in a browser. */
export const github: Group = {
  'github.one': (context, input) => withRecord(context.store, find(context, input)),

  // Only with app id, private key and installation id.
  'github.githubProviders': (context) => listProviders(context, 'github', ['githubId', 'githubUrl']),

  // An unknown id is a success with an empty body, like a known one.
  'github.update'(context, input) {
    updateProvider(context, 'github', input);
    return undefined;
  },

  'github.getGithubRepositories': (context, input) =>
    repositoriesFor('github', find(context, input)).map(({ id, owner, name, branches }) => ({
      id,
      name,
      full_name: `${owner}/${name}`,
      private: true,
      default_branch: branches[0]?.name ?? null,
      owner: { login: owner },
    })),

  'github.getGithubBranches'(context, input) {
    if (input['githubId'] === undefined) return [];
    return branchesFor('github', find(context, input), called(input['owner'], input['repo'])).map(
      ({ name, commit }) => ({
        name,
        commit: { sha: commit },
        protected: false,
      }),
    );
  },

  'github.testConnection': (context, input) => foundText(repositoriesFor('github', find(context, input))),
};

function find(context: Context, input: Row): Row {
  return findProvider(context, 'github', input);
}
