import type { Row } from './json-rows.ts';
import type { TableName } from './tables.ts';

const pair = [1, 2] as const;

/** The rows of the default world. Its names are the same whatever words requests are in: a manifest fits each profile. */
export function seedRows(createdAt: string): [TableName, Row][] {
  const organizationId = 'org_1';
  const userId = 'user_1';
  const providers = [
    ['github', 'hub'],
    ['gitlab', 'lab'],
    ['bitbucket', 'bkt'],
    ['gitea', 'sfg'],
  ] as const;

  return [
    ['organization', { id: organizationId, name: 'Organization', slug: 'organization', createdAt, ownerId: userId }],
    [
      'user',
      {
        id: userId,
        firstName: 'Admin',
        lastName: 'User',
        email: 'admin@example.test',
        createdAt,
        createdAt2: createdAt,
        updatedAt: createdAt,
        expirationDate: createdAt,
      },
    ],
    ['member', { id: 'member_1', organizationId, userId, role: 'owner', createdAt, isDefault: true }],
    [
      'apiKey',
      {
        id: 'apikey_1',
        name: 'emulator',
        createdAt,
        updatedAt: createdAt,
        referenceId: userId,
        rateLimitEnabled: false,
        metadata: JSON.stringify({ organizationId }),
      },
    ],
    ...pair.flatMap((n) => projectRows(`prj_${n}`, `project-${n}`, organizationId, createdAt)),
    ...pair.map((n): [TableName, Row] => [
      'sshKey',
      {
        sshKeyId: `key_${n}`,
        name: `key-${n}`,
        publicKey: `ssh-ed25519 AAAA${n} emulator`,
        privateKey: `private key ${n}`,
        createdAt,
        organizationId,
      },
    ]),
    ...pair.map((n): [TableName, Row] => [
      'server',
      {
        serverId: `srv_${n}`,
        name: `server-${n}`,
        appName: `server-${n}`,
        ipAddress: `192.0.2.${n}`,
        createdAt,
        organizationId,
      },
    ]),
    ...pair.map((n): [TableName, Row] => [
      'destination',
      {
        destinationId: `dst_${n}`,
        name: `destination-${n}`,
        provider: 'AWS',
        accessKey: `access-key-${n}`,
        secretAccessKey: `secret-access-key-${n}`,
        bucket: `bucket-${n}`,
        region: 'us-east-1',
        endpoint: 'https://s3.example.test',
        createdAt,
        organizationId,
      },
    ]),
    ...pair.map((n): [TableName, Row] => [
      'registry',
      {
        registryId: `reg_${n}`,
        registryName: `registry-${n}`,
        registryUrl: `registry-${n}.test`,
        username: 'emulator',
        password: `registry-password-${n}`,
        createdAt,
        organizationId,
      },
    ]),
    ...providers.flatMap(([kind, short]) =>
      pair.flatMap((n): [TableName, Row][] => {
        const gitProviderId = `git_${short}_${n}`;
        const name = `${kind}-${n}`;
        return [
          ['gitProvider', { gitProviderId, name, providerType: kind, createdAt, organizationId, userId }],
          [
            kind,
            {
              [`${kind}Id`]: `${short}_${n}`,
              gitProviderId,
              ...connected[kind],
              [`${kind}Url`]: `https://${name}.example.test`,
            },
          ],
        ];
      }),
    ),
  ];
}

/** The rows of a project: it comes with its default environment. */
function projectRows(projectId: string, name: string, organizationId: string, createdAt: string): [TableName, Row][] {
  return [
    ['project', { projectId, name, organizationId, createdAt }],
    [
      'environment',
      {
        environmentId: `env_${projectId}`,
        name: 'production',
        description: 'Production environment',
        projectId,
        createdAt,
        isDefault: true,
      },
    ],
  ];
}

/** What each kind of provider holds once a person has connected it in the browser. */
const connected: Record<'github' | 'gitlab' | 'bitbucket' | 'gitea', Row> = {
  github: {
    githubAppName: 'https://github.example.test/apps/emulator',
    githubAppId: 1,
    githubInstallationId: '1',
    githubClientId: 'client',
    githubClientSecret: 'github-client-secret',
    githubPrivateKey: 'github-private-key',
    githubWebhookSecret: 'github-webhook-secret',
  },
  gitlab: {
    applicationId: 'oauth',
    secret: 'gitlab-secret',
    accessToken: 'gitlab-token',
    refreshToken: 'gitlab-refresh',
  },
  bitbucket: { bitbucketUsername: 'emulator', bitbucketEmail: 'emulator@example.test', apiToken: 'bitbucket-token' },
  gitea: { clientId: 'client', clientSecret: 'gitea-secret', accessToken: 'gitea-token' },
};
