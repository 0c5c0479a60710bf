import type { Group } from '../context.ts';
import { notFound } from '../error-answers.ts';
import { branchesFor, called, repositoriesFor } from '../git-hosts.ts';
import { createProvider, renameRecord, providerOperations, providersOf } from '../git-providers.ts';
import { valuesToSet } from '../crud.ts';

const { find } = providersOf('bitbucket');

/** The `bitbucket` group. No git host is ever reached. */
export const bitbucket: Group = {
  ...providerOperations('bitbucket', ['bitbucketId']),

  // Answers nothing; but the client may have chosen the id.
  'bitbucket.create'(context, input) {
    createProvider(context, 'bitbucket', input);
    return undefined;
  },

  // The gitProviderId is asked for and not used. Without a column of its own to write it fails, and yet renames.
  'bitbucket.update'(context, input) {
    const row = context.store.find('bitbucket', input['bitbucketId']);
    if (row === undefined) throw notFound('Bitbucket provider');
    renameRecord(context, input, row['gitProviderId']);
    const values = valuesToSet(input, ['bitbucketId', 'gitProviderId', 'name', 'organizationId']);
    return context.store.update('bitbucket', row['bitbucketId'], values);
  },

  'bitbucket.getBitbucketRepositories': (context, input) =>
    repositoriesFor('bitbucket', find(context, input)).map(({ owner, name }) => ({
      name,
      url: `https://bitbucket.example.test/${owner}/${name}`,
      slug: name,
      owner: { username: owner },
    })),

  'bitbucket.getBitbucketBranches'(context, input) {
    if (input['bitbucketId'] === undefined) return [];
    return branchesFor('bitbucket', find(context, input), called(input['owner'], input['repo'])).map(
      ({ name, commit }) => ({
        name,
        commit: { sha: commit },
      }),
    );
  },
};
