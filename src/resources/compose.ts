import { parseDocument } from 'yaml';
import * as z from 'zod';
import { serviceNetworks, stringList } from '../api/values.ts';
import { json, list, text } from '../kind/codecs.ts';
import { isObject } from '../kind/json.ts';
import type { CheckedResource, Problem } from '../kind/checks.ts';
import type { Field } from '../kind/field.ts';
import { defineKind } from '../kind/kind.ts';
import {
  description,
  env,
  generatedAppName,
  namedObject,
  serverId,
  serviceIn,
  serviceName,
} from '../kind/service-fields.ts';

const words = (what: string, examples: Field['examples']): Field => ({
  schema: z.string().min(1).describe(what),
  appliesAt: 'deploy',
  examples,
});
const needed = (field: Field): Field => ({ ...field, needed: true });
const flag = (what: string, appliesAt?: 'deploy'): Field => ({
  schema: z.boolean().describe(what),
  ...(appliesAt === undefined ? {} : { appliesAt }),
  examples: [true, false],
});

/** Several containers described by a compose file. */
export const compose = defineKind({
  kind: 'compose',
  section: 'compose',
  summary: 'Several containers described by a compose file.',
  identity: {
    id: 'composeId',
    key: ['name'],
    keyField: 'name',
  },
  parents: { environment: serviceIn('compose') },
  fields: {
    name: serviceName,
    appName: generatedAppName,
    description,
    sourceType: {
      schema: z
        .enum(['raw', 'git', 'hubgit', 'labgit', 'bucketgit', 'selfgit'])
        .describe('Where the compose file comes from.'),
      needed: true,
      appliesAt: 'deploy',
      examples: ['raw', 'git'],
    },
    composeFile: {
      schema: z.string().min(1).describe('Text of the compose file.'),
      needed: true,
      secrecy: 'private',
      appliesAt: 'deploy',
      examples: ['services:\n  web:\n    image: nginx:1.27\n', 'services:\n  web:\n    image: nginx:1.28\n'],
    },
    customGitUrl: needed(
      words('Address of the repository.', ['https://git.example.com/shop.git', 'https://git.example.com/store.git']),
    ),
    customGitBranch: needed(words('Branch.', ['main', 'next'])),
    customGitSSHKeyId: namedObject('sshKey', 'SSH key to fetch with', ['key_1', 'key_2']),
    repository: needed(words('Repository.', ['shop', 'store'])),
    owner: needed(words('Owner of the repository.', ['example', 'example-two'])),
    branch: needed(words('Branch.', ['main', 'next'])),
    hubgitId: needed(namedObject('hubgit', 'Git provider', ['hub_1', 'hub_2'])),
    labgitRepository: needed(words('Repository.', ['shop', 'store'])),
    labgitOwner: needed(words('Owner of the repository.', ['example', 'example-two'])),
    labgitBranch: needed(words('Branch.', ['main', 'next'])),
    labgitProjectId: {
      schema: z.number().int().describe('Number of the project at the provider.'),
      appliesAt: 'deploy',
      examples: [7, 8],
    },
    labgitPathNamespace: words('Path of the project with its groups.', ['example/shop', 'example/store']),
    labgitId: needed(namedObject('labgit', 'Git provider', ['lab_1', 'lab_2'])),
    bucketgitRepository: needed(words('Repository.', ['shop', 'store'])),
    bucketgitRepositorySlug: words('Slug of the repository.', ['shop', 'store']),
    bucketgitOwner: needed(words('Owner of the repository.', ['example', 'example-two'])),
    bucketgitBranch: needed(words('Branch.', ['main', 'next'])),
    bucketgitId: needed(namedObject('bucketgit', 'Git provider', ['bkt_1', 'bkt_2'])),
    selfgitRepository: needed(words('Repository.', ['shop', 'store'])),
    selfgitOwner: needed(words('Owner of the repository.', ['example', 'example-two'])),
    selfgitBranch: needed(words('Branch.', ['main', 'next'])),
    selfgitId: needed(namedObject('selfgit', 'Git provider', ['sfg_1', 'sfg_2'])),
    composePath: words('Path of the compose file in the repository.', ['./docker-compose.yml', './deploy/compose.yml']),
    composeType: {
      schema: z.enum(['docker-compose', 'stack']).describe('How it is run; another one is another service.'),
      // The platform would change the word and leave the old containers running.
      onChange: 'replace',
      examples: ['docker-compose', 'stack'],
    },
    serverId,
    env,
    autoDeploy: flag('Whether a push deploys it.'),
    command: {
      schema: z.string().describe("Command instead of the platform's own `docker compose up`."),
      codec: text,
      onNull: { value: '' },
      appliesAt: 'deploy',
      examples: ['compose up -d', 'compose up -d --build'],
    },
    createEnvFile: flag('Whether the env is written to a .env file.', 'deploy'),
    enableSubmodules: flag('Whether submodules are fetched.', 'deploy'),
    suffix: {
      schema: z.string().describe('Suffix of names when randomize is on.'),
      codec: text,
      onNull: { value: '' },
      appliesAt: 'deploy',
      examples: ['a1', 'b2'],
    },
    randomize: flag('Whether names get a suffix.', 'deploy'),
    isolatedDeployment: flag('Whether it gets a network of its own.', 'deploy'),
    isolatedDeploymentsVolume: flag('Whether isolation includes volumes.', 'deploy'),
    triggerType: { schema: z.enum(['push', 'tag']).describe('What deploys it by itself.'), examples: ['push', 'tag'] },
    watchPaths: {
      schema: stringList.describe('Paths whose changes deploy it.'),
      codec: list,
      examples: [['src/**'], ['src/**', 'deploy/**']],
    },
    icon: {
      schema: z.string().describe('Icon, as a data address.'),
      codec: text,
      examples: ['data:image/png;base64,aWNvbg==', 'data:image/png;base64,aWNvbjI='],
    },
    serviceNetworks: {
      schema: serviceNetworks.describe('Networks per service.'),
      codec: json,
      appliesAt: 'deploy',
      examples: [
        [{ serviceName: 'web', networkIds: ['net_1'], detachPlatformNetwork: false }],
        [{ serviceName: 'web', networkIds: ['net_2'], detachPlatformNetwork: true }],
      ],
    },
  },
  unions: [
    {
      tag: 'sourceType',
      at: 'source',
      local: 'raw',
      describe: 'Where the compose file comes from.',
      cases: {
        raw: { composeFile: 'composeFile' },
        git: { url: 'customGitUrl', branch: 'customGitBranch', sshKey: 'customGitSSHKeyId' },
        hubgit: { repository: 'repository', owner: 'owner', branch: 'branch', provider: 'hubgitId' },
        labgit: {
          repository: 'labgitRepository',
          owner: 'labgitOwner',
          branch: 'labgitBranch',
          projectId: 'labgitProjectId',
          pathNamespace: 'labgitPathNamespace',
          provider: 'labgitId',
        },
        bucketgit: {
          repository: 'bucketgitRepository',
          repositorySlug: 'bucketgitRepositorySlug',
          owner: 'bucketgitOwner',
          branch: 'bucketgitBranch',
          provider: 'bucketgitId',
        },
        selfgit: {
          repository: 'selfgitRepository',
          owner: 'selfgitOwner',
          branch: 'selfgitBranch',
          provider: 'selfgitId',
        },
      },
    },
  ],
  options: {
    deleteVolumes: {
      schema: z.boolean().describe('Whether deleting it deletes its volumes too.'),
      sentWith: { call: 'compose.delete', otherwise: false },
    },
  },
  outputs: { appName: { from: 'appName', describe: 'Internal name; volumes are called `<appName>_<volume>`.' } },
  operations: {
    create: 'compose.create',
    read: 'compose.one',
    update: 'compose.update',
    delete: 'compose.delete',
    move: { call: 'compose.update', as: 'environmentId' },
  },
  lifecycle: {
    dataAtRisk: ({ options, action }) =>
      action === 'replace' || options.deleteVolumes === true ? 'the volumes of this compose' : undefined,
  },
  commands: {
    start: [
      {
        when: { composeType: 'stack' },
        cannot: 'the platform only writes down that a stack was started, and starts nothing',
        remedy: 'trueup run deploy starts it.',
      },
      { call: 'compose.start' },
    ],
    stop: { call: 'compose.stop' },
    deploy: { call: 'compose.deploy', answers: 'early' },
    redeploy: { call: 'compose.redeploy', answers: 'early' },
    'kill-build': { call: 'compose.killBuild' },
    'clean-queues': { call: 'compose.cleanQueues' },
    'refresh-token': { call: 'compose.refreshToken', renews: 'refreshToken' },
  },
  service: {
    status: 'composeStatus',
    deployments: 'deployments',
  },
  checks: {
    each: servicesExist,
    hints: {
      mounts:
        'mounts do nothing in a compose: write bind mounts and volumes in the compose file, and files under files:',
      composeFile: 'write it as source: { type: raw, composeFile: … }',
      sourceType: 'write it as source: { type: … }',
    },
  },
  examples: ['shop:\n  source: { type: raw, composeFile: "services:\\n  web:\\n    image: nginx:1.27\\n" }\n'],
});

/** What leads to a service of the compose file must lead to one that is there: the deployment would fail. */
function servicesExist(self: CheckedResource, children: readonly CheckedResource[]): Problem[] {
  const { composeFile, sourceType } = self.values;
  if (sourceType !== 'raw' || typeof composeFile !== 'string') return [];
  const document = parseDocument(composeFile, { merge: true, logLevel: 'silent', uniqueKeys: false });
  const content = contentOf(document);
  if (content === undefined) {
    return [
      {
        code: 'inconsistent',
        address: self.address,
        field: 'composeFile',
        message: `its compose file is not valid YAML: ${document.errors[0]?.message.split('\n')[0] ?? 'its aliases expand to too much'}`,
      },
    ];
  }
  const services = isObject(content.is) && isObject(content.is.services) ? Object.keys(content.is.services) : [];
  return children.flatMap((child): Problem[] => {
    const name = child.values.serviceName;
    if (typeof name !== 'string' || services.includes(name)) return [];
    return [
      {
        code: 'inconsistent',
        address: child.address,
        field: 'serviceName',
        message: `the compose file of ${self.key} has no service ${name}`,
        remedy: services.length === 0 ? 'It has no services at all.' : `Its services are ${services.join(', ')}.`,
      },
    ];
  });
}

/** The content of a document; undefined when it cannot be read. */
function contentOf(document: ReturnType<typeof parseDocument>): { readonly is: unknown } | undefined {
  if (document.errors.length > 0) return undefined;
  try {
    return { is: document.toJS() };
  } catch {
    return undefined; // aliases that expand to more than the parser allows
  }
}
