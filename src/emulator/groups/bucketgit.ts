import type { Context, Group } from '../context.ts';
import { ApiError, notFound } from '../errors.ts';
import { branchesFor, called, foundText, repositoriesFor } from '../git-hosts.ts';
import { omit, type Row } from '../json.ts';
import { createProvider, findProvider, listProviders, withRecord, renameRecord } from '../providers.ts';

/** The `bucketgit` group. No git host is ever reached. */
export const bucketgit: Group = {
  // Answers nothing; but the client may have chosen the id.
  'bucketgit.create'(context, input) {
    createProvider(context, 'bucketgit', input);
    return undefined;
  },

  'bucketgit.one': (context, input) => withRecord(context.store, find(context, input)),

  'bucketgit.bucketgitProviders': (context) => listProviders(context, 'bucketgit', ['bucketgitId']),

  // The gitProviderId is asked for and not used. Without a column of its own to write it fails, and yet renames.
  'bucketgit.update'(context, input) {
    const row = context.store.find('bucketgit', input['bucketgitId']);
    if (row === undefined) throw notFound('Bucketgit provider');
    const values = omit(input, ['bucketgitId', 'gitProviderId', 'name', 'organizationId']);
    renameRecord(context, input, row['gitProviderId']);
    if (Object.keys(values).length === 0) throw new ApiError('INTERNAL_SERVER_ERROR', 'No values to set');
    return context.store.update('bucketgit', row['bucketgitId'], values);
  },

  'bucketgit.getBucketgitRepositories': (context, input) =>
    repositoriesFor('bucketgit', find(context, input)).map(({ owner, name }) => ({
      name,
      url: `https://bucketgit.example.test/${owner}/${name}`,
      slug: name,
      owner: { username: owner },
    })),

  'bucketgit.getBucketgitBranches'(context, input) {
    if (input['bucketgitId'] === undefined) return [];
    return branchesFor('bucketgit', find(context, input), called(input['owner'], input['repo'])).map(
      ({ name, commit }) => ({
        name,
        commit: { sha: commit },
      }),
    );
  },

  'bucketgit.testConnection': (context, input) => foundText(repositoriesFor('bucketgit', find(context, input))),
};

function find(context: Context, input: Row): Row {
  return findProvider(context, 'bucketgit', input);
}
