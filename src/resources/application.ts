import * as z from 'zod';
import { branch, stringList } from '../api/values.ts';
import { list, text } from '../kind/codecs.ts';
import type { Field } from '../kind/field.ts';
import { defineKind } from '../kind/kind.ts';
import {
  description,
  dockerImage,
  env,
  generatedAppName,
  namedObject,
  serverId,
  serviceIn,
  serviceName,
} from '../kind/service-fields.ts';
import { reloadingApplication } from '../kind/service-verbs.ts';

const words = (what: string, examples: Field['examples']): Field => ({
  schema: z.string().min(1).describe(what),
  appliesAt: 'deploy',
  examples,
});
const needed = (field: Field): Field => ({ ...field, needed: true });
const repository = needed(words('Repository.', ['shop', 'store']));
const owner = needed(words('Owner of the repository.', ['example', 'example-two']));
const gitBranch: Field = { schema: branch.describe('Branch.'), appliesAt: 'deploy', examples: ['main', 'next'] };
const buildPath = words('Folder of the repository that is built.', ['/', '/web']);
const settled = (what: string) =>
  ({ refuse: `the platform has no documented operation for the ${what} of an application; undo the change` }) as const;
const variables = (what: string): Field => ({ ...env, schema: z.string().describe(what) });

const neverDeployed = {
  cannot:
    'it was never deployed, and the platform has no documented operation for the first deployment from a repository',
  remedy: 'Push to its repository, or deploy it once in the platform.',
};

/** One container, built from a repository or taken from an image. */
export const application = defineKind({
  kind: 'application',
  section: 'application',
  summary: 'One container, built from a repository or taken from an image.',
  identity: {
    id: 'applicationId',
    key: ['name'],
    keyField: 'name',
  },
  parents: { environment: serviceIn('applications') },
  fields: {
    name: { ...serviceName, onChange: settled('name') },
    appName: generatedAppName,
    description: { ...description, onChange: settled('description') },
    serverId,
    sourceType: {
      schema: z
        .enum(['docker', 'git', 'hubgit', 'labgit', 'bucketgit', 'selfgit'])
        .describe('Where the code or the image comes from.'),
      needed: true,
      appliesAt: 'deploy',
      examples: ['docker', 'git'],
    },
    dockerImage: needed(dockerImage(['nginx:1.27', 'nginx:1.28'])),
    username: words('User at the registry.', ['reader', 'deployer']),
    password: {
      schema: z.string().min(1).describe('Password at the registry.'),
      secrecy: 'secret',
      appliesAt: 'deploy',
      examples: ['correct-horse-1', 'battery-staple-2'],
    },
    registryUrl: words('Registry.', ['registry.example.com', 'images.example.com']),
    customGitUrl: needed(
      words('Address of the repository.', ['https://git.example.com/shop.git', 'https://git.example.com/store.git']),
    ),
    customGitBranch: gitBranch,
    customGitBuildPath: buildPath,
    customGitSSHKeyId: namedObject('sshKey', 'SSH key to fetch with', ['key_1', 'key_2']),
    repository,
    owner,
    branch: gitBranch,
    buildPath,
    hubgitId: needed(namedObject('hubgit', 'Git provider', ['hub_1', 'hub_2'])),
    triggerType: {
      schema: z.enum(['push', 'tag']).describe('What deploys it by itself.'),
      inEveryUpdate: true,
      examples: ['push', 'tag'],
    },
    labgitRepository: repository,
    labgitOwner: owner,
    labgitBranch: gitBranch,
    labgitBuildPath: buildPath,
    labgitProjectId: {
      schema: z.number().int().describe('Number of the project at the provider.'),
      appliesAt: 'deploy',
      examples: [7, 8],
    },
    labgitPathNamespace: words('Path of the project with its groups.', ['example/shop', 'example/store']),
    labgitId: needed(namedObject('labgit', 'Git provider', ['lab_1', 'lab_2'])),
    bucketgitRepository: repository,
    bucketgitRepositorySlug: words('Slug of the repository.', ['shop', 'store']),
    bucketgitOwner: owner,
    bucketgitBranch: gitBranch,
    bucketgitBuildPath: buildPath,
    bucketgitId: needed(namedObject('bucketgit', 'Git provider', ['bkt_1', 'bkt_2'])),
    selfgitRepository: repository,
    selfgitOwner: owner,
    selfgitBranch: gitBranch,
    selfgitBuildPath: buildPath,
    selfgitId: needed(namedObject('selfgit', 'Git provider', ['sfg_1', 'sfg_2'])),
    enableSubmodules: {
      schema: z.boolean().describe('Whether submodules are fetched.'),
      appliesAt: 'deploy',
      examples: [true, false],
    },
    watchPaths: {
      schema: stringList.describe('Paths whose changes deploy it.'),
      codec: list,
      examples: [['src/**'], ['src/**', 'deploy/**']],
    },
    buildType: {
      schema: z
        .enum(['dockerfile', 'nix_builder', 'rail_builder', 'buildpacks_v1', 'buildpacks_v2', 'static'])
        .describe('How the code becomes an image.'),
      appliesAt: 'deploy',
      examples: ['dockerfile', 'static'],
    },
    dockerfile: words('Path of the Dockerfile.', ['Dockerfile', 'deploy/Dockerfile']),
    dockerContextPath: { ...words('Folder that the build sees.', ['.', 'web']), codec: text },
    dockerBuildStage: { ...words('Stage of the Dockerfile.', ['production', 'release']), codec: text },
    railBuilderVersion: words('Version of the builder.', ['0.15.4', '0.17.1']),
    buildpacksV1Version: words('Version of the builder.', ['24', '22']),
    publishDirectory: { ...words('Folder with the built pages.', ['dist', 'public']), codec: text },
    isStaticSpa: {
      schema: z.boolean().describe('Whether every path leads to index.html.'),
      appliesAt: 'deploy',
      examples: [true, false],
    },
    env,
    buildArgs: variables('Build arguments: a map, or the text of an env file.'),
    buildSecrets: variables('Secrets that only the build sees: a map, or the text of an env file.'),
    createEnvFile: {
      schema: z.boolean().describe('Whether the env is written to a .env file.'),
      appliesAt: 'deploy',
      examples: [false, true],
    },
  },
  unions: [
    {
      tag: 'sourceType',
      at: 'source',
      local: 'docker',
      describe: 'Where the code or the image comes from.',
      cases: {
        docker: { image: 'dockerImage', username: 'username', password: 'password', registryUrl: 'registryUrl' },
        git: {
          url: 'customGitUrl',
          branch: 'customGitBranch',
          buildPath: 'customGitBuildPath',
          sshKey: 'customGitSSHKeyId',
          watchPaths: 'watchPaths',
          enableSubmodules: 'enableSubmodules',
        },
        hubgit: {
          provider: 'hubgitId',
          owner: 'owner',
          repository: 'repository',
          branch: 'branch',
          buildPath: 'buildPath',
          triggerType: 'triggerType',
          watchPaths: 'watchPaths',
          enableSubmodules: 'enableSubmodules',
        },
        labgit: {
          provider: 'labgitId',
          owner: 'labgitOwner',
          repository: 'labgitRepository',
          branch: 'labgitBranch',
          buildPath: 'labgitBuildPath',
          projectId: 'labgitProjectId',
          pathNamespace: 'labgitPathNamespace',
          watchPaths: 'watchPaths',
          enableSubmodules: 'enableSubmodules',
        },
        bucketgit: {
          provider: 'bucketgitId',
          owner: 'bucketgitOwner',
          repository: 'bucketgitRepository',
          repositorySlug: 'bucketgitRepositorySlug',
          branch: 'bucketgitBranch',
          buildPath: 'bucketgitBuildPath',
          watchPaths: 'watchPaths',
          enableSubmodules: 'enableSubmodules',
        },
        selfgit: {
          provider: 'selfgitId',
          owner: 'selfgitOwner',
          repository: 'selfgitRepository',
          branch: 'selfgitBranch',
          buildPath: 'selfgitBuildPath',
          watchPaths: 'watchPaths',
          enableSubmodules: 'enableSubmodules',
        },
      },
      calls: {
        docker: 'application.saveDockerProvider',
        git: 'application.saveGitProvider',
        hubgit: 'application.saveHubgitProvider',
        labgit: 'application.saveLabgitProvider',
        bucketgit: 'application.saveBucketgitProvider',
        selfgit: 'application.saveSelfgitProvider',
      },
      refused: {
        drop: 'its code is a file that is uploaded, and no documented operation takes one; use an image or a repository',
      },
    },
    {
      tag: 'buildType',
      at: 'build',
      describe: 'How the code becomes an image.',
      cases: {
        dockerfile: { dockerfile: 'dockerfile', contextPath: 'dockerContextPath', buildStage: 'dockerBuildStage' },
        nix_builder: { publishDirectory: 'publishDirectory' },
        rail_builder: { version: 'railBuilderVersion' },
        buildpacks_v1: { version: 'buildpacksV1Version' },
        buildpacks_v2: {},
        static: { publishDirectory: 'publishDirectory', isStaticSpa: 'isStaticSpa' },
      },
    },
  ],
  outputs: {
    host: { from: 'appName', describe: 'Internal host name.' },
    appName: { from: 'appName', describe: 'Internal name.' },
  },
  operations: {
    create: 'application.create',
    read: 'application.one',
    update: ['application.saveBuildType', 'application.saveEnvironment'],
    delete: 'application.delete',
  },
  commands: {
    start: { call: 'application.start' },
    stop: { call: 'application.stop' },
    reload: { call: 'application.reload', ...reloadingApplication },
    // No documented operation fetches the code.
    deploy: [
      { when: { sourceType: 'docker' }, call: 'application.redeploy', answers: 'early' },
      { when: { deployments: [] }, ...neverDeployed },
      {
        cannot: 'the platform has no documented operation that fetches the code of an application',
        remedy:
          'Push to its repository, or deploy it in the platform; trueup run redeploy builds the code that is there.',
      },
    ],
    redeploy: [
      { when: { sourceType: 'docker' }, call: 'application.redeploy', answers: 'early' },
      { when: { deployments: [] }, ...neverDeployed },
      { call: 'application.redeploy', answers: 'early' },
    ],
  },
  service: {
    status: 'applicationStatus',
    deployments: 'deployments',
  },
  checks: {
    hints: {
      sourceType: 'write it as source: { type: … }',
      dockerImage: 'write it as source: { type: docker, image: … }',
      buildType: 'write it as build: { type: … }',
    },
  },
  examples: [
    'web:\n  source: { type: docker, image: nginx:1.27 }\n  env: { LOG_LEVEL: info }\n',
    'api:\n  source: { type: git, url: https://git.example.com/shop.git, branch: main }\n  build: { type: dockerfile, dockerfile: Dockerfile }\n',
  ],
});
