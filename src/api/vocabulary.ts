/** The words of a platform for what the API document calls otherwise, by the document's word. Both are unique. */
export interface Vocabulary {
  /** Groups of operations: `hubgit` of `hubgit.one`. */
  readonly groups: Readonly<Record<string, string>>;
  /** Operations without their group: `saveHubgitProvider` of `application.saveHubgitProvider`. */
  readonly operations: Readonly<Record<string, string>>;
  /** Members of inputs and answers, wherever rows of the platform stand in them. */
  readonly members: Readonly<Record<string, string>>;
  /** Values, by the member that holds them; no other member holds one. */
  readonly values: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const gitHosts = { hubgit: 'github', labgit: 'gitlab', bucketgit: 'bitbucket', selfgit: 'gitea' };

/** Source: the public implementation, version 0.30.2, compared with the API document member by member. */
export const dokploy: Vocabulary = {
  groups: { ...gitHosts, billing: 'stripe' },
  operations: {
    canGenerateProxyMeDomains: 'canGenerateTraefikMeDomains',
    getBucketgitBranches: 'getBitbucketBranches',
    getBucketgitRepositories: 'getBitbucketRepositories',
    getHubgitBranches: 'getGithubBranches',
    getHubgitRepositories: 'getGithubRepositories',
    getLabgitBranches: 'getGitlabBranches',
    getLabgitRepositories: 'getGitlabRepositories',
    getSelfgitBranches: 'getGiteaBranches',
    getSelfgitRepositories: 'getGiteaRepositories',
    getSelfgitUrl: 'getGiteaUrl',
    bucketgitProviders: 'bitbucketProviders',
    hubgitProviders: 'githubProviders',
    labgitProviders: 'gitlabProviders',
    selfgitProviders: 'giteaProviders',
    saveBucketgitProvider: 'saveBitbucketProvider',
    saveHubgitProvider: 'saveGithubProvider',
    saveLabgitProvider: 'saveGitlabProvider',
    saveSelfgitProvider: 'saveGiteaProvider',
  },
  members: {
    bucketgitBranch: 'bitbucketBranch',
    bucketgitBuildPath: 'bitbucketBuildPath',
    bucketgitEmail: 'bitbucketEmail',
    bucketgitId: 'bitbucketId',
    bucketgitOwner: 'bitbucketOwner',
    bucketgitRepository: 'bitbucketRepository',
    bucketgitRepositorySlug: 'bitbucketRepositorySlug',
    bucketgitUsername: 'bitbucketUsername',
    bucketgitWorkspaceName: 'bitbucketWorkspaceName',
    hubgitAppName: 'githubAppName',
    hubgitId: 'githubId',
    labgitBranch: 'gitlabBranch',
    labgitBuildPath: 'gitlabBuildPath',
    labgitId: 'gitlabId',
    labgitInternalUrl: 'gitlabInternalUrl',
    labgitOwner: 'gitlabOwner',
    labgitPathNamespace: 'gitlabPathNamespace',
    labgitProjectId: 'gitlabProjectId',
    labgitRepository: 'gitlabRepository',
    labgitUrl: 'gitlabUrl',
    selfgitBranch: 'giteaBranch',
    selfgitBuildPath: 'giteaBuildPath',
    selfgitId: 'giteaId',
    selfgitInternalUrl: 'giteaInternalUrl',
    selfgitOwner: 'giteaOwner',
    selfgitRepository: 'giteaRepository',
    selfgitUrl: 'giteaUrl',
    selfgitUsername: 'giteaUsername',
    billingCustomerId: 'stripeCustomerId',
    billingSubscriptionId: 'stripeSubscriptionId',
    buildpacksV1Version: 'herokuVersion',
    canAccessToProxyFiles: 'canAccessToTraefikFiles',
    detachPlatformNetwork: 'detachDokployNetwork',
    railBuilderVersion: 'railpackVersion',
    // Only answers have these: the row of a git host beside a service or a provider, and what a person set up for hubgit.
    ...gitHosts,
    hubgitAppId: 'githubAppId',
    hubgitClientId: 'githubClientId',
    hubgitClientSecret: 'githubClientSecret',
    hubgitInstallationId: 'githubInstallationId',
    hubgitPrivateKey: 'githubPrivateKey',
    hubgitUrl: 'githubUrl',
    hubgitWebhookSecret: 'githubWebhookSecret',
  },
  values: {
    sourceType: gitHosts,
    providerType: gitHosts,
    // The git provider of a service that the caller may not use.
    unauthorizedProvider: gitHosts,
    buildType: {
      buildpacks_v1: 'heroku_buildpacks',
      buildpacks_v2: 'paketo_buildpacks',
      nix_builder: 'nixpacks',
      rail_builder: 'railpack',
    },
    certificateType: { acme_auto: 'letsencrypt' },
    previewCertificateType: { acme_auto: 'letsencrypt' },
  },
};

/** Members whose content is the users' own JSON, in which no word is the platform's. */
export const freeMembers: ReadonlySet<string> = new Set([
  'labelsSwarm',
  'DriverOpts',
  'headers',
  'metadata',
  // Of containers and nodes, as the engine shows them.
  'Labels',
]);

/** The answers that are a value and nothing else, by the member that has the same values. */
export const bareAnswers: ReadonlyMap<string, string> = new Map([['compose.fetchSourceType', 'sourceType']]);
