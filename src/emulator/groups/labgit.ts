import type { Context, Group } from '../context.ts';
import { branchesFor, foundText, repositoriesFor } from '../git-hosts.ts';
import { textOr, type Row } from '../json.ts';
import { createProvider, findProvider, listProviders, withRecord, updateProvider } from '../providers.ts';

/** The `labgit` group. Its `applicationId` is the OAuth application at the git host, not an application of ours. */
export const labgit: Group = {
  // Answers nothing, and until a person has connected it in a browser no list shows it either.
  'labgit.create'(context, input) {
    createProvider(context, 'labgit', input);
    return undefined;
  },

  'labgit.one': (context, input) => withRecord(context.store, find(context, input)),

  // Only with both tokens, which is to say connected.
  'labgit.labgitProviders': (context) => listProviders(context, 'labgit', ['labgitId', 'labgitUrl']),

  // An unknown id is a success with an empty body, like a known one.
  'labgit.update'(context, input) {
    updateProvider(context, 'labgit', input);
    return undefined;
  },

  'labgit.getLabgitRepositories'(context, input) {
    const row = find(context, input);
    return repositoriesFor('labgit', row, textOr(row, 'groupName')).map(({ id, owner, name }) => ({
      id,
      name,
      url: `${owner}/${name}`,
      owner: { username: owner },
    }));
  },

  // By the number of the repository: its owner and name are asked for and not used.
  'labgit.getLabgitBranches'(context, input) {
    if (input['id'] === undefined || input['labgitId'] === undefined) return [];
    const branches = branchesFor('labgit', find(context, input), ({ id }) => id === input['id']);
    return branches.map(({ name, commit }) => ({ name, commit: { id: commit }, protected: false }));
  },

  'labgit.testConnection': (context, input) =>
    foundText(repositoriesFor('labgit', find(context, input), textOr(input, 'groupName'))),
};

function find(context: Context, input: Row): Row {
  return findProvider(context, 'labgit', input);
}
