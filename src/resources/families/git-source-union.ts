import * as z from 'zod';
import { stringList } from '../../api/member-types.ts';
import { pathPatterns } from '../../kind/codecs.ts';
import type { Field, Union } from '../../kind/field.ts';
import { buildWord, deployedFlag, deployedText, namedObject, needed, withSecrets } from './service-fields.ts';

/** The union of git sources, written once for every kind of service that a git host can provide. */

/** Per host: what users call each part of the source, and the field of the API that holds it. */
const hosts = {
  git: { url: 'customGitUrl', branch: 'customGitBranch', buildPath: 'customGitBuildPath', sshKey: 'customGitSSHKeyId' },
  github: {
    repository: 'repository',
    owner: 'owner',
    branch: 'branch',
    buildPath: 'buildPath',
    provider: 'githubId',
    triggerType: 'triggerType',
  },
  gitlab: {
    repository: 'gitlabRepository',
    owner: 'gitlabOwner',
    branch: 'gitlabBranch',
    buildPath: 'gitlabBuildPath',
    projectId: 'gitlabProjectId',
    pathNamespace: 'gitlabPathNamespace',
    provider: 'gitlabId',
  },
  bitbucket: {
    repository: 'bitbucketRepository',
    repositorySlug: 'bitbucketRepositorySlug',
    owner: 'bitbucketOwner',
    branch: 'bitbucketBranch',
    buildPath: 'bitbucketBuildPath',
    provider: 'bitbucketId',
  },
  gitea: {
    repository: 'giteaRepository',
    owner: 'giteaOwner',
    branch: 'giteaBranch',
    buildPath: 'giteaBuildPath',
    provider: 'giteaId',
  },
};

/** What each host means as the source of a service. */
export const hostWords = {
  git: 'A repository at any address, fetched with an SSH key or without one.',
  github: 'A repository of a connected github provider.',
  gitlab: 'A repository of a connected gitlab provider.',
  bitbucket: 'A repository of a connected bitbucket provider.',
  gitea: 'A repository of a connected gitea provider.',
};

/** The names of the hosts, as cases of a union. */
const gitHosts = ['git', 'github', 'gitlab', 'bitbucket', 'gitea'] as const;

/** What other platforms call the hosts and an image. */
export const hostsCalled: NonNullable<Union['alsoCalled']> = {
  forgejo: 'gitea',
  gogs: 'gitea',
  repository: 'git',
  repo: 'git',
  image: 'docker',
  registry: 'docker',
  inline: 'raw',
  file: 'raw',
};

const provider = (host: string, id: string): Field => needed(namedObject(host, 'Git provider', [`${id}_1`, `${id}_2`]));

/** The field that names the host; `own` is the case of the kind that needs none. */
export const sourceType = (own: string, what: string): Field => ({
  schema: () => z.enum([own, ...gitHosts]).describe(what),
  needed: true,
  appliesAt: 'deploy',
  examples: [own, 'git'],
});

/** The field behind each part. */
export const gitParts = {
  url: withSecrets(
    needed(
      deployedText('Address of the repository.', [
        'https://git.example.com/shop.git',
        'https://git.example.com/store.git',
      ]),
    ),
  ),
  repository: needed(deployedText('Repository.', ['shop', 'store'])),
  repositorySlug: deployedText('Slug of the repository.', ['shop', 'store']),
  owner: needed(deployedText('Owner of the repository.', ['example', 'example-two'])),
  branch: needed(deployedText('Branch.', ['main', 'next'])),
  buildPath: { ...buildWord('Folder of the repository that is built.', ['/', '/web']), otherwise: '/' },
  sshKey: namedObject('sshKey', 'SSH key to fetch with', ['key_1', 'key_2']),
  projectId: {
    schema: () => z.int32().describe('Number of the project at the provider.'),
    appliesAt: 'deploy',
    examples: [7, 8],
  },
  pathNamespace: deployedText('Path of the project with its groups.', ['example/shop', 'example/store']),
  triggerType: {
    schema: () => z.enum(['push', 'tag']).describe('What deploys it by itself.'),
    words: { push: 'A push to the branch.', tag: 'A new tag.' },
    otherwise: 'push',
    examples: ['push', 'tag'],
  },
  watchPaths: {
    schema: () => stringList.describe('Paths whose changes deploy it.'),
    codec: pathPatterns,
    examples: [['src/**'], ['src/**', 'deploy/**']],
  },
  enableSubmodules: deployedFlag('Whether submodules are fetched.'),
} satisfies Record<string, Field>;

/** The platform leaves the folder of a repository without a provider open. */
const unlike: Readonly<Record<string, Partial<Field>>> = { customGitBuildPath: { otherwise: null } };

const providers: Readonly<Record<string, Field>> = {
  github: provider('github', 'hub'),
  gitlab: provider('gitlab', 'lab'),
  bitbucket: provider('bitbucket', 'bkt'),
  gitea: provider('gitea', 'sfg'),
};

type Part = keyof typeof gitParts | 'provider';

const everyPart: readonly Part[] = [
  'url',
  'provider',
  'owner',
  'repository',
  'repositorySlug',
  'branch',
  'buildPath',
  'projectId',
  'pathNamespace',
  'sshKey',
  'triggerType',
  'watchPaths',
  'enableSubmodules',
];

/**
 * The git cases of a kind's union, and their fields. `instead` replaces the field of a part where the kind differs;
 * `parts` are those that the kind has, in the order of the docs.
 */
export function gitSource(
  instead: Partial<Record<Part, Field>> = {},
  parts: readonly Part[] = everyPart,
): { readonly cases: Union['cases']; readonly fields: Readonly<Record<string, Field>> } {
  const cases: Record<string, Record<string, string>> = {};
  const fields: Record<string, Field> = {};
  const add = (part: Part, name: string, field: Field | undefined) => {
    const one = instead[part] ?? field;
    if (parts.includes(part) && one !== undefined) fields[name] = one;
  };
  for (const host of gitHosts) {
    const names: Partial<Record<Part, string>> = hosts[host];
    for (const [part, name] of Object.entries(names) as [Part, string][])
      add(part, name, part === 'provider' ? providers[host] : { ...gitParts[part], ...unlike[name] });
    const all = { ...names, watchPaths: 'watchPaths', enableSubmodules: 'enableSubmodules' };
    cases[host] = Object.fromEntries(
      parts.flatMap((part) => {
        const name = all[part];
        return name === undefined ? [] : [[part, name]];
      }),
    );
  }
  for (const part of ['enableSubmodules', 'watchPaths'] as const) add(part, part, gitParts[part]);
  return { cases, fields };
}
