import { cascade } from './table.ts';

const gitProviderId = { gitProviderId: cascade('gitProvider') };

/** The git hosting providers: one common record, and one of its kind beside it. And the AI providers. */
export const providerTables = {
  gitProvider: {
    key: 'gitProviderId',
    columns: {
      gitProviderId: '',
      name: '',
      providerType: '',
      createdAt: '',
      organizationId: '',
      userId: '',
      sharedWithOrganization: false,
    },
    references: { organizationId: cascade('organization'), userId: cascade('user') },
  },
  github: {
    key: 'githubId',
    columns: {
      githubId: '',
      githubAppName: null,
      githubAppId: null,
      githubClientId: null,
      githubClientSecret: null,
      githubInstallationId: null,
      githubPrivateKey: null,
      githubWebhookSecret: null,
      githubUrl: null,
      gitProviderId: '',
    },
    references: gitProviderId,
  },
  gitlab: {
    key: 'gitlabId',
    columns: {
      gitlabId: '',
      gitlabUrl: '',
      gitlabInternalUrl: null,
      applicationId: null,
      redirectUri: null,
      secret: null,
      accessToken: null,
      refreshToken: null,
      groupName: null,
      expiresAt: null,
      gitProviderId: '',
    },
    references: gitProviderId,
  },
  bitbucket: {
    key: 'bitbucketId',
    columns: {
      bitbucketId: '',
      bitbucketUsername: null,
      bitbucketEmail: null,
      appPassword: null,
      apiToken: null,
      bitbucketWorkspaceName: null,
      gitProviderId: '',
    },
    references: gitProviderId,
  },
  gitea: {
    key: 'giteaId',
    columns: {
      giteaId: '',
      giteaUrl: '',
      giteaInternalUrl: null,
      redirectUri: null,
      clientId: null,
      clientSecret: null,
      gitProviderId: '',
      accessToken: null,
      refreshToken: null,
      expiresAt: null,
      scopes: 'repo,repo:status,read:user,read:org',
      lastAuthenticatedAt: null,
    },
    references: gitProviderId,
  },
  ai: {
    key: 'aiId',
    columns: {
      aiId: '',
      name: '',
      apiUrl: '',
      apiKey: '',
      model: '',
      isEnabled: true,
      organizationId: '',
      createdAt: '',
    },
    references: { organizationId: cascade('organization') },
  },
};
