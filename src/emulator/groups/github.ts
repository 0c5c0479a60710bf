import type { Group } from '../context.ts';
import { branchesFor, called, repositoriesFor } from '../git-hosts.ts';
import { updateProvider, providerOperations, providersOf } from '../git-providers.ts';

const { find } = providersOf('github');

/** The `github` group: nothing in the API makes such a provider, a person does that in a browser. */
export const github: Group = {
  // The list has only those with app id, private key and installation id.
  ...providerOperations('github', ['githubId', 'githubUrl']),

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
};
