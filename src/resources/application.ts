import { envWorks } from './families/env-checks.ts';
import * as z from 'zod';
import { branch } from '../api/member-types.ts';
import { text } from '../kind/codecs.ts';
import type { Field } from '../kind/field.ts';
import { gitParts, gitSource, hostsCalled, sourceType, hostWords } from './families/git-source-union.ts';
import { buildingOn, registryFor } from './families/named-ids.ts';
import type { KindCommand } from '../kind/kind-command.ts';
import { type Kind, defineKind } from '../kind/kind.ts';
import type { ChangeAtRisk, FieldChange } from '../kind/lifecycle.ts';
import {
  buildWord,
  containerFields,
  deployedFlag,
  deployedText,
  description,
  dockerImage,
  env,
  generatedAppName,
  icon,
  needed,
  serverId,
  serviceIn,
  serviceName,
  serviceOutputs,
  withSecrets,
} from './families/service-fields.ts';
import { applicationRepeats } from './families/fixed-images.ts';
import { tasksOfService } from './families/container-lists.ts';
import { sharedByContainer } from './families/names-of-others.ts';
import { buildLeaves } from './families/source-paths.ts';
import { previewFields } from './families/preview-fields.ts';
import { buildWorks } from './families/ignored-fields.ts';
import { publishedBySwarm, swarmWorks } from './families/swarm-settings.ts';
import { reloadingApplication } from './families/service-commands.ts';
import { databaseRisk } from './families/image-version.ts';
import { dataIsKept, dataMounted, movesData, unmounted, volumesMounted } from './families/mounted-volumes.ts';
import { buildCase, imageBelow, shortSource } from './families/short-forms.ts';

const source = gitSource({
  branch: { schema: () => branch.describe('Branch.'), appliesAt: 'deploy', examples: ['main', 'next'] },
  triggerType: { ...gitParts.triggerType, inEveryUpdate: true },
});
const settled = (what: string) =>
  ({ refuse: `the platform has no documented operation for the ${what} of an application; undo the change` }) as const;
const variables = (what: string): Field => ({ ...env, schema: () => z.string().describe(what) });

const neverDeployed = {
  cannot:
    'it was never deployed, and the platform has no documented operation for the first deployment from a repository',
  remedy: 'Push to its repository, or deploy it once in the platform.',
};

/** Of an image there is no code to build. A deployment pulls it; a rebuild does not, and leaves that to the node of the service. */
const isImage = { sourceType: 'docker' };
const deploy = { call: 'application.deploy', answers: 'early' } as const satisfies KindCommand;
const rebuild = { call: 'application.redeploy', answers: 'early' } as const satisfies KindCommand;
const noRegistries = { registryId: null, buildRegistryId: null };

/** The commands of an image where no operation pulls it. With a registry, the platform tags it first: it has to be there. */
const rebuildingImages = [
  { when: { ...isImage, ...noRegistries, rollbackActive: false }, ...rebuild },
  { when: { ...isImage, ...noRegistries, rollbackRegistryId: null }, ...rebuild },
  {
    when: isImage,
    cannot: 'the platform has no documented operation that pulls the image before it sends it to a registry',
    remedy: 'Deploy it in the platform.',
  },
] as const satisfies readonly KindCommand[];

/** The commands where no operation fetches the code, or pulls the image. */
const rebuildingOnly = {
  deploy: [
    ...rebuildingImages,
    { when: { deployments: [] }, ...neverDeployed },
    {
      cannot: 'the platform has no documented operation that fetches the code of an application',
      remedy:
        'Push to its repository, or deploy it in the platform; trueup run redeploy builds the code that is there.',
    },
  ],
  redeploy: [...rebuildingImages, { when: { deployments: [] }, ...neverDeployed }, rebuild],
} as const satisfies Kind['commands'];

/** One container, built from a repository or taken from an image. */
export const application = defineKind({
  kind: 'application',
  section: 'application',
  alsoCalled: ['app', 'apps', 'applications', 'service', 'services', 'container', 'containers'],
  summary: 'One container, built from a repository or taken from an image.',
  identity: { id: 'applicationId', key: ['name'], keyField: 'name' },
  short: imageBelow((image) => ({ sourceType: 'docker', dockerImage: image })),
  parents: { environment: serviceIn('applications') },
  fields: {
    name: serviceName,
    appName: generatedAppName,
    description,
    serverId,
    sourceType: sourceType('docker', 'Where the code or the image comes from.'),
    dockerImage: needed(dockerImage(['nginx:1.27', 'nginx:1.28'])),
    username: withSecrets(deployedText('User at the registry.', ['reader', 'deployer'])),
    password: {
      schema: () => z.string().min(1).describe('Password at the registry.'),
      secrecy: 'secret',
      appliesAt: 'deploy',
      examples: ['correct-horse-1', 'battery-staple-2'],
    },
    registryUrl: withSecrets(deployedText('Registry.', ['registry.example.com', 'images.example.com'])),
    ...source.fields,
    buildType: {
      schema: () =>
        z
          .enum(['dockerfile', 'nixpacks', 'railpack', 'heroku_buildpacks', 'paketo_buildpacks', 'static'])
          .describe('How the code becomes an image.'),
      otherwise: 'nixpacks',
      appliesAt: 'deploy',
      examples: ['dockerfile', 'static'],
    },
    dockerfile: {
      ...buildWord('Path of the Dockerfile.', ['Dockerfile', 'deploy/Dockerfile']),
      otherwise: 'Dockerfile',
    },
    dockerContextPath: { ...deployedText('Folder that the build sees.', ['.', 'web']), codec: text },
    dockerBuildStage: { ...buildWord('Stage of the Dockerfile.', ['production', 'release']), codec: text },
    railpackVersion: { ...deployedText('Version of the builder.', ['0.15.4', '0.17.1']), otherwise: '0.15.4' },
    herokuVersion: { ...deployedText('Version of the builder.', ['24', '22']), otherwise: '24' },
    publishDirectory: { ...deployedText('Folder with the built pages.', ['dist', 'public']), codec: text },
    isStaticSpa: deployedFlag('Whether every path leads to index.html.', { otherwise: null }),
    env,
    buildArgs: variables('Build arguments: a map, or the text of an env file.'),
    buildSecrets: {
      ...variables('Secrets that only the build sees: a map, or the text of an env file.'),
      secrecy: 'secret',
    },
    createEnvFile: deployedFlag('Whether the env is written to a .env file.', {
      otherwise: true,
      examples: [false, true],
    }),
    autoDeploy: {
      schema: () => z.boolean().describe('Whether a push deploys it.'),
      otherwise: true,
      examples: [true, false],
    },
    cleanCache: deployedFlag('Whether each build begins without a cache.'),
    ...containerFields,
    registryId: registryFor('registry', 'Registry that nodes of a swarm pull the image from'),
    buildServerId: buildingOn('Server that builds it, or none for the one that it runs on'),
    buildRegistryId: registryFor('buildRegistry', 'Registry that the server which builds it pushes to'),
    rollbackActive: deployedFlag('Whether a deployment keeps its image for a roll-back.'),
    rollbackRegistryId: registryFor('rollbackRegistry', 'Registry that keeps images for roll-backs'),
    ...previewFields,
    title: { schema: () => z.string().describe('Title.'), codec: text, examples: ['Shop', 'Store'] },
    subtitle: { schema: () => z.string().describe('Subtitle.'), codec: text, examples: ['Live', 'Live, second floor'] },
    icon,
  },
  unions: [
    {
      tag: 'sourceType',
      at: 'source',
      alsoCalled: hostsCalled,
      local: 'docker',
      short: shortSource,
      describe: 'Where the code or the image comes from.',
      words: { docker: 'An image of a registry.', ...hostWords },
      cases: {
        docker: { image: 'dockerImage', username: 'username', password: 'password', registryUrl: 'registryUrl' },
        ...source.cases,
      },
      calls: {
        docker: 'application.saveDockerProvider',
        git: 'application.saveGitProvider',
        github: 'application.saveGithubProvider',
        gitlab: 'application.saveGitlabProvider',
        bitbucket: 'application.saveBitbucketProvider',
        gitea: 'application.saveGiteaProvider',
      },
      refused: {
        drop: 'its code is a file that is uploaded, and no documented operation takes one; use an image or a repository',
      },
    },
    {
      tag: 'buildType',
      at: 'build',
      short: buildCase,
      describe: 'How the code becomes an image.',
      words: {
        dockerfile: 'By a Dockerfile.',
        nixpacks: 'By nixpacks, the builder that the platform uses where none is chosen.',
        railpack: 'By railpack, in a version.',
        heroku_buildpacks: 'By buildpacks of the first generation, in a version.',
        paketo_buildpacks: 'By buildpacks of the second generation.',
        static: 'Not built: a folder of pages is served.',
      },
      cases: {
        dockerfile: { dockerfile: 'dockerfile', contextPath: 'dockerContextPath', buildStage: 'dockerBuildStage' },
        nixpacks: { publishDirectory: 'publishDirectory' },
        railpack: { version: 'railpackVersion' },
        heroku_buildpacks: { version: 'herokuVersion' },
        paketo_buildpacks: {},
        static: { publishDirectory: 'publishDirectory', isStaticSpa: 'isStaticSpa' },
      },
    },
  ],
  outputs: serviceOutputs,
  operations: {
    create: 'application.create',
    read: 'application.one',
    // The first two send whole records; application.update carries what they do not take.
    update: ['application.saveBuildType', 'application.saveEnvironment', 'application.update'],
    delete: 'application.delete',
    move: { call: 'application.move', as: 'targetEnvironmentId' },
  },
  without: {
    'application.update': (kind) => ({
      ...kind,
      fields: {
        ...kind.fields,
        name: { ...serviceName, onChange: settled('name') },
        description: { ...description, onChange: settled('description') },
      },
    }),
    'application.deploy': (kind) => ({ ...kind, commands: { ...kind.commands, ...rebuildingOnly } }),
  },
  lifecycle: {
    dataAtRisk: ({ row }) => unmounted(volumesMounted(row)),
    changeAtRisk: {
      version: { dockerImage: changesVersion },
      volume: movesData('the data of this application'),
    },
  },
  commands: {
    start: { call: 'application.start' },
    stop: { call: 'application.stop' },
    reload: { call: 'application.reload', ...reloadingApplication },
    deploy,
    redeploy: [{ when: isImage, ...deploy }, { when: { deployments: [] }, ...deploy }, rebuild],
  },
  service: {
    status: 'applicationStatus',
    deployments: 'deployments',
    logs: 'application.readLogs',
    deploymentLog: 'deployment.readLogs',
    containers: tasksOfService,
  },
  checks: {
    each: (self, children) => [
      ...envWorks(self),
      ...buildWorks(self),
      ...swarmWorks(self, children),
      ...dataIsKept(self, children),
    ],
    publishes: (self) => publishedBySwarm(self) ?? [],
    repeats: applicationRepeats,
    inPreview: (self, isOwn) => [...sharedByContainer(self, isOwn), ...buildLeaves(self)],
    hints: {
      sourceType: 'write it as source: { type: … }',
      dockerImage: 'write it as source: { type: docker, image: … }',
      buildType: 'write it as build: { type: … }',
      ...Object.fromEntries(
        ['branch', 'buildPath', 'triggerType', 'watchPaths', 'enableSubmodules'].map((name) => [
          name,
          `write it as source: { ${name}: … }`,
        ]),
      ),
    },
  },
  examples: [
    'web:\n  source: { type: docker, image: nginx:1.27 }\n  env: { LOG_LEVEL: info }\n',
    'api:\n  source: { type: git, url: https://git.example.com/shop.git, branch: main }\n  build: { type: dockerfile, dockerfile: Dockerfile }\n',
  ],
});

/** The data of a program that runs as an application, with an image of another version. */
function changesVersion({ before, after, row }: FieldChange): ReturnType<ChangeAtRisk> {
  const data = dataMounted(row);
  const reason = data.length === 0 ? undefined : databaseRisk(String(before ?? ''), String(after));
  if (reason === undefined) return undefined;
  const count = data.length === 1 ? '1 mount' : `${data.length} mounts`;
  return {
    what: `the data in ${data.join(', ')}, because ${reason.what}`,
    unnamed: `the data in ${count}, because ${reason.unnamed}`,
  };
}
