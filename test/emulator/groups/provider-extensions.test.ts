import type { Emulator } from '../../../src/emulator/emulator.ts';
import type { Row } from '../../../src/emulator/json-rows.ts';
import { otherOrganization, recordedIds, replays } from '../extension-samples.ts';

const createdAt = '2026-01-01T00:00:00.000Z';
const { project, environment: environmentId } = recordedIds;

replays('application', {
  rows: [
    ['environment', { environmentId: '_QOLuWUmANsHTg72-Gkjp', projectId: project, name: 'target', createdAt }],
    [
      'environment',
      { environmentId: '-aLICWC4cZ6UhXanI6Rmj', projectId: `prj_${otherOrganization}`, name: 'theirs', createdAt },
    ],
    ['application', { applicationId: 'GlTe_ssLUYdugAG8JbjVE', name: 'on-server', appName: 'on-server', environmentId }],
    ['registry', { registryId: 'K8b2vut26qdsNZOJIHz0p', registryName: 'rec-registry', organizationId: 'org_1' }],
    ['domain', { domainId: 'd', host: 'rec.example.com', applicationId: recordedIds.application, createdAt }],
  ],
  differences: {
    'application.update/replicas null': 'the platform turns null into 0; the emulator takes no null for a number',
    'application.update/replicas as text':
      'the platform turns a text into a number; the emulator takes no text for one',
  },
});

const deploymentId = 'SL6vMqESojc2Ga3Gn1RPs';
const log = { deploymentId, text: 'Initializing deployment\nPulling nginx:1.27\n✅ Pulling image completed.' };

replays('deployment', {
  rows: [
    ['deployment', { deploymentId, applicationId: recordedIds.application, status: 'done', createdAt }],
    ['log', log],
  ],
  preparations: {
    'deployment.removeDeployment/again': (emulator: Emulator) =>
      emulator.act('deployment.removeDeployment', { deploymentId }),
    'deployment.queueList/just after a deploy': async (emulator: Emulator) => {
      const { application: applicationId } = recordedIds;
      await emulator.act('application.update', { applicationId, sourceType: 'docker', dockerImage: 'stall:1' });
      await emulator.act('application.deploy', { applicationId });
      await new Promise((resolve) => setTimeout(resolve, 2));
    },
  },
});

const gitProviderId = 'd5L-PlMaKELkutsteYBLe';
const provider: Row = {
  gitProviderId,
  name: 'rec-gitea',
  providerType: 'gitea',
  organizationId: 'org_1',
  userId: 'user_1',
  createdAt,
};

replays('gitProvider', {
  rows: [
    ['gitProvider', provider],
    ['gitea', { giteaId: 'gitea 1', gitProviderId, giteaUrl: 'https://gitea.example.com' }],
  ],
  preparations: {
    'gitProvider.remove/again': (emulator: Emulator) => emulator.act('gitProvider.remove', { gitProviderId }),
  },
  differences: {
    'gitProvider.toggleShare/missing': 'the platform turns a missing flag into false; the emulator refuses it',
  },
});

const certificateId = 'Kq7fO_GaxTPLFWwjBSo85';

replays('certificates', {
  rows: [
    [
      'certificate',
      {
        certificateId,
        name: 'c',
        certificateData: 'd',
        privateKey: 'k',
        certificatePath: 'p',
        organizationId: 'org_1',
      },
    ],
  ],
});

replays('compose', {
  rows: [['environment', { environmentId: '_QOLuWUmANsHTg72-Gkjp', projectId: project, name: 'target', createdAt }]],
  differences: {
    'compose.readLogs/container id': 'the recording had no docker; the emulator says what docker says of no container',
    'compose.saveEnvironment/key of a member without flags, with access to the service':
      'the member of the recording has the application in the list, and not the compose',
  },
});

replays('environment', {
  rows: [
    [
      'environment',
      { environmentId: 'POCU7XE55TDqRvh48qjjT', projectId: project, name: 'own', isDefault: true, createdAt },
    ],
  ],
});

const shortened = 'the recording names the number of paths in place of them';

replays('settings', {
  differences: {
    'settings.getOpenApiDocument/members only (the whole is 0.7 MB)': shortened,
    'settings.getOpenApiDocument/key of a member': shortened,
  },
});
