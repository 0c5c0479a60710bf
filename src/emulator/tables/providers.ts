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
  hubgit: {
    key: 'hubgitId',
    columns: {
      hubgitId: '',
      hubgitAppName: null,
      hubgitAppId: null,
      hubgitClientId: null,
      hubgitClientSecret: null,
      hubgitInstallationId: null,
      hubgitPrivateKey: null,
      hubgitWebhookSecret: null,
      hubgitUrl: null,
      gitProviderId: '',
    },
    references: gitProviderId,
  },
  labgit: {
    key: 'labgitId',
    columns: {
      labgitId: '',
      labgitUrl: '',
      labgitInternalUrl: null,
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
  bucketgit: {
    key: 'bucketgitId',
    columns: {
      bucketgitId: '',
      bucketgitUsername: null,
      bucketgitEmail: null,
      appPassword: null,
      apiToken: null,
      bucketgitWorkspaceName: null,
      gitProviderId: '',
    },
    references: gitProviderId,
  },
  selfgit: {
    key: 'selfgitId',
    columns: {
      selfgitId: '',
      selfgitUrl: '',
      selfgitInternalUrl: null,
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
