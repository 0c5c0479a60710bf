/** The words of a platform for what Trueup calls otherwise, by Trueup's word. Both are unique. */
export interface Vocabulary {
  /** Groups of operations: `github` of `github.one`. */
  readonly groups: Readonly<Record<string, string>>;
  /** Operations without their group: `saveGithubProvider` of `application.saveGithubProvider`. */
  readonly operations: Readonly<Record<string, string>>;
  /** Members of inputs and answers, wherever rows of the platform stand in them. */
  readonly members: Readonly<Record<string, string>>;
  /** Values, by the member that holds them; no other member holds one. */
  readonly values: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const gitHosts = { github: 'hubgit', gitlab: 'labgit', bitbucket: 'bucketgit', gitea: 'selfgit' };

/**
 * The words of the API document. Trueup has those of Dokploy inside, and in all that it prints; these two places translate:
 * the wire (`names.ts`), and what users write (`kind/aliases.ts`). Source: the public implementation, version 0.30.2,
 * compared with the API document member by member.
 */
export const document: Vocabulary = {
  groups: { ...gitHosts, stripe: 'billing' },
  operations: {
    canGenerateTraefikMeDomains: 'canGenerateProxyMeDomains',
    getBitbucketBranches: 'getBucketgitBranches',
    getBitbucketRepositories: 'getBucketgitRepositories',
    getGithubBranches: 'getHubgitBranches',
    getGithubRepositories: 'getHubgitRepositories',
    getGitlabBranches: 'getLabgitBranches',
    getGitlabRepositories: 'getLabgitRepositories',
    getGiteaBranches: 'getSelfgitBranches',
    getGiteaRepositories: 'getSelfgitRepositories',
    getGiteaUrl: 'getSelfgitUrl',
    bitbucketProviders: 'bucketgitProviders',
    githubProviders: 'hubgitProviders',
    gitlabProviders: 'labgitProviders',
    giteaProviders: 'selfgitProviders',
    saveBitbucketProvider: 'saveBucketgitProvider',
    saveGithubProvider: 'saveHubgitProvider',
    saveGitlabProvider: 'saveLabgitProvider',
    saveGiteaProvider: 'saveSelfgitProvider',
  },
  members: {
    bitbucketBranch: 'bucketgitBranch',
    bitbucketBuildPath: 'bucketgitBuildPath',
    bitbucketEmail: 'bucketgitEmail',
    bitbucketId: 'bucketgitId',
    bitbucketOwner: 'bucketgitOwner',
    bitbucketRepository: 'bucketgitRepository',
    bitbucketRepositorySlug: 'bucketgitRepositorySlug',
    bitbucketUsername: 'bucketgitUsername',
    bitbucketWorkspaceName: 'bucketgitWorkspaceName',
    githubAppName: 'hubgitAppName',
    githubId: 'hubgitId',
    gitlabBranch: 'labgitBranch',
    gitlabBuildPath: 'labgitBuildPath',
    gitlabId: 'labgitId',
    gitlabInternalUrl: 'labgitInternalUrl',
    gitlabOwner: 'labgitOwner',
    gitlabPathNamespace: 'labgitPathNamespace',
    gitlabProjectId: 'labgitProjectId',
    gitlabRepository: 'labgitRepository',
    gitlabUrl: 'labgitUrl',
    giteaBranch: 'selfgitBranch',
    giteaBuildPath: 'selfgitBuildPath',
    giteaId: 'selfgitId',
    giteaInternalUrl: 'selfgitInternalUrl',
    giteaOwner: 'selfgitOwner',
    giteaRepository: 'selfgitRepository',
    giteaUrl: 'selfgitUrl',
    giteaUsername: 'selfgitUsername',
    stripeCustomerId: 'billingCustomerId',
    stripeSubscriptionId: 'billingSubscriptionId',
    herokuVersion: 'buildpacksV1Version',
    canAccessToTraefikFiles: 'canAccessToProxyFiles',
    detachDokployNetwork: 'detachPlatformNetwork',
    railpackVersion: 'railBuilderVersion',
    // Only answers have these: the row of a git host beside a service or a provider, and what a person set up for github.
    ...gitHosts,
    githubAppId: 'hubgitAppId',
    githubClientId: 'hubgitClientId',
    githubClientSecret: 'hubgitClientSecret',
    githubInstallationId: 'hubgitInstallationId',
    githubPrivateKey: 'hubgitPrivateKey',
    githubUrl: 'hubgitUrl',
    githubWebhookSecret: 'hubgitWebhookSecret',
  },
  values: {
    sourceType: gitHosts,
    providerType: gitHosts,
    // The git provider of a service that the caller may not use.
    unauthorizedProvider: gitHosts,
    buildType: {
      heroku_buildpacks: 'buildpacks_v1',
      paketo_buildpacks: 'buildpacks_v2',
      nixpacks: 'nix_builder',
      railpack: 'rail_builder',
    },
    certificateType: { letsencrypt: 'acme_auto' },
    previewCertificateType: { letsencrypt: 'acme_auto' },
  },
};

/** Members whose content is the users' own JSON, in which no word is the platform's. */
export const freeMembers: ReadonlySet<string> = new Set([
  'labelsSwarm',
  'DriverOpts',
  'headers',
  'metadata',
  'permissions',
  // Of containers and nodes, as the engine shows them.
  'Labels',
]);

/** The answers that are a value and nothing else, by the member that has the same values. */
export const bareAnswers: ReadonlyMap<string, string> = new Map([['compose.fetchSourceType', 'sourceType']]);
