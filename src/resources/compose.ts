import * as z from 'zod';
import { serviceNetworks } from '../api/member-types.ts';
import { json, text } from '../kind/codecs.ts';
import { composeWorks, filesUnread, portsPublished, servicesWithImages } from './families/compose-checks.ts';
import { gitParts, gitSource, hostsCalled, sourceType, hostWords } from './families/git-source-union.ts';
import { type Json, type Row, member, same } from '../formats/json.ts';
import { defineKind } from '../kind/kind.ts';
import type { ChangeAtRisk, FieldChange, Loss } from '../kind/lifecycle.ts';
import {
  deployedFlag,
  deployedText,
  description,
  env,
  generatedAppName,
  icon,
  serverId,
  serviceIn,
  serviceName,
} from './families/service-fields.ts';
import { composeRepeats } from './families/fixed-images.ts';
import { composeYamlOf, serviceSuffix } from './families/compose-model.ts';
import { sharedInCompose } from './families/compose-previews.ts';
import { containersOfCompose } from './families/container-lists.ts';
import {
  dataLeft,
  joined,
  keepersOf,
  ownFolders,
  removedByDeployment,
  versionsLeft,
  volumesLeft,
  volumesOf,
} from './families/compose-data.ts';
import { removedByCommand } from './families/removing-commands.ts';
import { shortComposeFile } from './families/short-forms.ts';
import { unmounted } from './families/mounted-volumes.ts';

const source = gitSource({}, [
  'url',
  'repository',
  'repositorySlug',
  'owner',
  'branch',
  'sshKey',
  'projectId',
  'pathNamespace',
  'provider',
]);

/** Several containers described by a compose file. */
export const compose = defineKind({
  kind: 'compose',
  section: 'compose',
  alsoCalled: ['stack', 'stacks', 'docker-compose', 'docker_compose', 'dockercompose'],
  summary: 'Several containers described by a compose file.',
  identity: { id: 'composeId', key: ['name'], keyField: 'name' },
  parents: { environment: serviceIn('compose') },
  fields: {
    name: serviceName,
    appName: generatedAppName,
    description,
    sourceType: sourceType('raw', 'Where the compose file comes from.'),
    composeFile: {
      schema: () => z.string().min(1).describe('Text of the compose file.'),
      needed: true,
      secrecy: 'private',
      savedAs: 'docker-compose.yml',
      appliesAt: 'deploy',
      examples: ['services:\n  web:\n    image: nginx:1.27\n', 'services:\n  web:\n    image: nginx:1.28\n'],
    },
    ...source.fields,
    composePath: {
      ...deployedText('Path of the compose file in the repository.', ['./docker-compose.yml', './deploy/compose.yml']),
      otherwise: './docker-compose.yml',
    },
    composeType: {
      schema: () => z.enum(['docker-compose', 'stack']).describe('How it is run; another one is another service.'),
      words: { 'docker-compose': 'By docker compose.', stack: 'As a stack of the swarm.' },
      // The platform would change the word and leave the old containers running.
      onChange: 'replace',
      otherwise: 'docker-compose',
      examples: ['docker-compose', 'stack'],
    },
    serverId,
    env,
    autoDeploy: {
      schema: () => z.boolean().describe('Whether a push deploys it.'),
      otherwise: true,
      examples: [true, false],
    },
    command: {
      schema: () => z.string().describe("Command instead of the platform's own `docker compose up`."),
      codec: text,
      onNull: { value: '' },
      appliesAt: 'deploy',
      examples: ['compose up -d', 'compose up -d --build'],
    },
    createEnvFile: deployedFlag('Whether the env is written to a .env file.', { otherwise: true }),
    enableSubmodules: gitParts.enableSubmodules,
    suffix: {
      schema: () =>
        z
          .string()
          .describe(
            'With randomize: a deployment appends it, after a hyphen, to the names of services, volumes and networks. ' +
              'Domains and backups name the service as the compose file does, serviceNetworks with the suffix.',
          ),
      codec: text,
      onNull: { value: '' },
      appliesAt: 'deploy',
      examples: ['a1', 'b2'],
    },
    randomize: deployedFlag('Whether names get the suffix; not with isolatedDeployment.'),
    isolatedDeployment: deployedFlag('Whether it gets a network of its own.'),
    isolatedDeploymentsVolume: deployedFlag('Whether isolation includes volumes.'),
    triggerType: gitParts.triggerType,
    watchPaths: gitParts.watchPaths,
    icon,
    serviceNetworks: {
      schema: () =>
        serviceNetworks().describe(
          'Networks per service, by their ids, as in `${ref:networks.back.id}`; with randomize, a service by its name with the suffix.',
        ),
      codec: json,
      appliesAt: 'deploy',
      examples: [
        [{ serviceName: 'web', networkIds: [], detachDokployNetwork: true }],
        [{ serviceName: 'web', networkIds: ['net_1'], detachDokployNetwork: false }],
      ],
    },
  },
  unions: [
    {
      tag: 'sourceType',
      at: 'source',
      alsoCalled: hostsCalled,
      local: 'raw',
      short: shortComposeFile,
      also: ['triggerType', 'watchPaths', 'enableSubmodules'],
      describe: 'Where the compose file comes from.',
      words: { raw: 'The text of the compose file itself.', ...hostWords },
      cases: {
        raw: { composeFile: 'composeFile' },
        ...source.cases,
      },
    },
  ],
  outputs: { appName: { from: 'appName', describe: 'Internal name; volumes are called `<appName>_<volume>`.' } },
  operations: {
    create: 'compose.create',
    read: 'compose.one',
    update: 'compose.update',
    delete: 'compose.delete',
    deleteOptions: {
      deleteVolumes: { schema: z.boolean().describe('Whether deleting it deletes its volumes too.'), otherwise: false },
    },
    move: { call: 'compose.update', as: 'environmentId' },
  },
  lifecycle: {
    holds: (row) => (row.sourceType === 'raw' ? { services: servicesWithImages(row.composeFile) } : {}),
    dataAtRisk: ({ row, parent, options, action }) =>
      action === 'replace' || options.deleteVolumes === true
        ? { of: 'data', what: 'the volumes of this compose' }
        : leftWith(row, parent),
    deploymentRemoves: (row, environment) => {
      const risk = joined([removedByDeployment(keepersOf(row, environment)), removedByCommand(row, environment)]);
      return risk && { of: 'data', ...risk };
    },
    changeAtRisk: {
      volume: {
        composeFile: leavesData,
        sourceType: leavesData,
        env: leavesData,
        command: removesVolumes,
        createEnvFile: leavesData,
        composePath: leavesData,
        mounts: leavesData,
        randomize: renamesVolumes,
        suffix: renamesVolumes,
        isolatedDeployment: renamesVolumes,
        isolatedDeploymentsVolume: renamesVolumes,
      },
      version: {
        composeFile: changesVersions,
        env: changesVersions,
        createEnvFile: changesVersions,
        composePath: changesVersions,
      },
    },
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
    deploymentLog: 'deployment.readLogs',
    explains: 'compose.getConvertedCompose',
    containers: containersOfCompose,
    containerLog: 'compose.readLogs',
  },
  checks: {
    yaml: { field: 'composeFile', read: composeYamlOf },
    each: composeWorks,
    all: filesUnread,
    repeats: composeRepeats,
    publishes: portsPublished,
    inPreview: sharedInCompose,
    hints: {
      mounts:
        'mounts do nothing in a compose: write bind mounts and volumes in the compose file, and files under files:',
      volumes: 'write volumes in the compose file, and files under files:',
      ports: 'write published ports in the compose file; a domain under domains: needs none',
      labels: 'write labels in the compose file, at its services',
      networks:
        'write networks in the compose file; serviceNetworks: takes those of the platform, by their ids, as in ${ref:networks.back.id}',
      image: 'write the images in the compose file, under source:; a block under application: takes one image',
      services: 'write them in the compose file: source: { type: raw, composeFile: "${file:compose.yml}" }',
      composeFile: 'write it as source: { type: raw, composeFile: … }',
      sourceType: 'write it as source: { type: … }',
    },
  },
  examples: ['shop:\n  source: { type: raw, composeFile: "services:\\n  web:\\n    image: nginx:1.27\\n" }\n'],
});

/**
 * The volumes that another compose file, or one with other variables, mounts no more, or not where it did; all, when the
 * file comes from a repository. And what a service no longer finds.
 */
function leavesData({ row, next, parent }: FieldChange): ReturnType<ChangeAtRisk> {
  const [before, after] = [keepersOf(row, parent.row), keepersOf(next, parent.next)];
  return joined([unmounted(volumesLeft(before, after)), dataLeft(before, after)]);
}

/** The same, and the volumes that a command removes which did not before. */
function removesVolumes(change: FieldChange): ReturnType<ChangeAtRisk> {
  const { row, next, parent } = change;
  const [was, is] = [removedByCommand(row, parent.row), removedByCommand(next, parent.next)];
  return joined([leavesData(change), was === undefined ? is : undefined]);
}

/** The volumes of a compose whose deployment gives them other names from now on; those of a repository do not show. */
function renamesVolumes({ row, next }: FieldChange): ReturnType<ChangeAtRisk> {
  const isNone = row.sourceType === 'raw' && volumesOf(keepersOf(row)).length === 0;
  const isSame = same(volumeNames(row), volumeNames(next));
  return isNone || isSame ? undefined : { what: 'the volumes of this compose, which get other names' };
}

/** What a deployment makes the names of volumes from, beside the compose file. */
function volumeNames(row: Row): Json {
  const { isolatedDeployment, isolatedDeploymentsVolume } = row;
  return [
    serviceSuffix((field) => member(row, field) ?? null),
    isolatedDeployment === true && isolatedDeploymentsVolume === true,
  ];
}

/** The data of the services of a compose file that get an image of another version. */
function changesVersions({ row, next, parent }: FieldChange): ReturnType<ChangeAtRisk> {
  return versionsLeft(keepersOf(row, parent.row), keepersOf(next, parent.next));
}

/** The volumes that nothing mounts after the deletion of a compose, and the folders that the platform deletes with it. */
function leftWith(row: Row, environment: Row): Loss | undefined {
  const keepers = keepersOf(row, environment);
  const volumes = unmounted(volumesOf(keepers).map(({ text }) => text));
  const folders = ownFolders(keepers);
  if (folders.length === 0) return volumes;
  const which = folders.length === 1 ? `the folder ${folders.join('')}` : `the folders ${folders.join(', ')}`;
  const deleted = ', which the platform deletes with it';
  const [what, unnamed] = [volumes?.what, volumes?.unnamed].map((text) => (text === undefined ? '' : `; ${text}`));
  return {
    of: 'data',
    what: `${which}${deleted}${what ?? ''}`,
    unnamed: `${folders.length === 1 ? '1 folder' : `${folders.length} folders`}${deleted}${unnamed ?? ''}`,
  };
}
