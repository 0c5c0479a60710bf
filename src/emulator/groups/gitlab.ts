import type { Group } from '../context.ts';
import { branchesFor, repositoriesFor } from '../git-hosts.ts';
import { textOr } from '../json-rows.ts';
import { createProvider, updateProvider, providerOperations, providersOf } from '../git-providers.ts';

const { find } = providersOf('gitlab');

/** The `gitlab` group. Its `applicationId` is the OAuth application at the git host, not an application of ours. */
export const gitlab: Group = {
  // The list has only those with both tokens, which is to say connected.
  ...providerOperations('gitlab', ['gitlabId', 'gitlabUrl']),

  // Answers nothing, and until a person has connected it in a browser no list shows it either.
  'gitlab.create'(context, input) {
    createProvider(context, 'gitlab', input);
    return undefined;
  },

  // An unknown id is a success with an empty body, like a known one.
  'gitlab.update'(context, input) {
    updateProvider(context, 'gitlab', input);
    return undefined;
  },

  'gitlab.getGitlabRepositories'(context, input) {
    const row = find(context, input);
    return repositoriesFor('gitlab', row, textOr(row, 'groupName')).map(({ id, owner, name }) => ({
      id,
      name,
      url: `${owner}/${name}`,
      owner: { username: owner },
    }));
  },

  // By the number of the repository: its owner and name are asked for and not used.
  'gitlab.getGitlabBranches'(context, input) {
    if (input['id'] === undefined || input['gitlabId'] === undefined) return [];
    const branches = branchesFor('gitlab', find(context, input), ({ id }) => id === input['id']);
    return branches.map(({ name, commit }) => ({ name, commit: { id: commit }, protected: false }));
  },
};
