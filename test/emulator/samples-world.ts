import { createEmulator, type Emulator, type EmulatorOptions } from '../../src/emulator/emulator.ts';
import { textOr, type Row } from '../../src/emulator/json-rows.ts';
import type { TableName } from '../../src/emulator/tables.ts';
import { addRow, seedWorld, type World } from '../../src/emulator/world.ts';
import { addMembership, addOrganization, addPerson, keyFor } from './people.ts';

/** The world in which the recorded requests make sense: rows under the ids that were recorded. */

const createdAt = '2026-01-01T00:00:00.000Z';
const main = { environmentId: 'OuYz87LtLnwRuCCcoqsVk', createdAt };
const staging = { environmentId: 'YBPrKkezpyEiDgkgBMUsl', createdAt };
const destinationId = 'QEryjSfN6Tvlf8k5WGsJ5';
const applicationId = 'S1EqypueNxSzkBb_NlH2e';
const composeFile = 'services:\n  web:\n    image: nginx\n    volumes:\n      - d:/d\nvolumes:\n  d: {}\n';
const schedule = { schedule: '0 0 * * *', database: 'd', prefix: '/p', destinationId, databaseType: 'postgres' };

const projects: [TableName, Row][] = [
  project('-cPyNl1W0ojsyeJpj_8Ib', 'iac-test'),
  project('fSupbKDeepnKYHnvYAtID', 'other'),
];

const environments: [TableName, Row][] = [
  environment('OuYz87LtLnwRuCCcoqsVk', '-cPyNl1W0ojsyeJpj_8Ib', { name: 'production', isDefault: true }),
  environment('m4pTVOP8bhRmP0i6uGegS', '-cPyNl1W0ojsyeJpj_8Ib', { name: 'staging' }),
  environment('tCDGIKIdjpGUG5fNQBNvW', '-cPyNl1W0ojsyeJpj_8Ib', { name: 'target' }),
  environment('MxFB-QjVQ042hr-LMfi4A', '-cPyNl1W0ojsyeJpj_8Ib', { name: 'target' }),
  environment('TD-tM5MWVlVPm2YQnNU7K', '-cPyNl1W0ojsyeJpj_8Ib', { name: 'target' }),
  environment('YBPrKkezpyEiDgkgBMUsl', 'fSupbKDeepnKYHnvYAtID', { name: 'production', description: '' }),
  environment('Me6FY7RGlBWuo-o9TTnma', 'fSupbKDeepnKYHnvYAtID', { name: 'production', isDefault: true }),
];

const services: [TableName, Row][] = [
  ['application', { ...main, applicationId, name: 'a', appName: 'app-a' }],
  // Deployed in `recordedWorld`; the second, which cannot be, stands for the recordings that had no docker.
  application('AY5CFj6w6T86eOTFhW4zu', { sourceType: 'docker', dockerImage: 'nginx' }),
  application('T26qNCi3-pAFMokFpRwYr', { sourceType: 'docker', dockerImage: 'fail:1' }),
  application('3u8pY3UO1r0HI34oZzBUU', {}),
  application('kEefWr4A8SSsvl0aM4H-x', {}),
  compose('4a0p8Pvm58tNPM1MWMwam', { sourceType: 'raw', composeFile }),
  compose('755msDmbz9YIgTkcsFDum', { sourceType: 'raw', composeFile }),
  compose('V3ezhQreGrr6W2sTIQ2FC', { sourceType: 'raw', composeFile }),
  compose('-4H2iEZm5haP5Ukgab4-h', {}),
  compose('pWixy7O4iRoPOPwnZ8iqt', {}),
  compose('jKnxDEQPK7fHe2YtsR9rW', { sourceType: 'raw' }),
  // Deployed in `prepare`; of each kind the second stands for the recordings that had no docker.
  database('mariadb', 'qWduN69jtTtyrqq9waO-v', { ...main, dockerImage: 'mariadb:6' }),
  database('mariadb', 'r_ugfCDyn_YSW7fIN6Udr', { ...main, dockerImage: 'fail:1' }),
  database('mariadb', 'VEt3H9yjeFuSnH5453wu5', { ...main, dockerImage: 'mariadb:6' }),
  database('postgres', '7ZLCYd1xXb5Je6_XOqKUI', { ...main, dockerImage: 'postgres:18' }),
  database('postgres', '22EIEEbpwE9YB37KmGhRh', { ...main, dockerImage: 'fail:1' }),
  database('postgres', 'D594PAlRLWYkPBcZh9o5e', { ...main, dockerImage: 'postgres:18' }),
  database('redis', 'IQXBYx9PkFjdC6ETW2WnO', { ...main, dockerImage: 'redis:8' }),
  database('redis', 'Wjgb2OMIeTJMAMvhp_zWW', { ...main, dockerImage: 'fail:1' }),
  database('redis', 'n3_1MIyqaYQxbWJF6814X', { ...main, dockerImage: 'redis:8' }),
  database('redis', 'XzaRgps9kwiXvai80cMK7', { ...staging, dockerImage: 'redis:8' }),
];

const children: [TableName, Row][] = [
  mount('5GCZC_hvl79vKH-anLvHh', { type: 'file', filePath: 'conf/app.ini', content: 'k=v\n', applicationId }),
  mount('Hc2wTbTRXY8QzcWDSB_98', {
    type: 'volume',
    volumeName: 'vol1',
    applicationId,
    composeId: 'V3ezhQreGrr6W2sTIQ2FC',
  }),
  mount('mount_3', { type: 'volume', volumeName: 'v', mariadbId: 'VEt3H9yjeFuSnH5453wu5' }),
  mount('mount_4', { type: 'volume', volumeName: 'v', postgresId: 'D594PAlRLWYkPBcZh9o5e' }),
  mount('mount_5', { type: 'volume', volumeName: 'v', redisId: 'n3_1MIyqaYQxbWJF6814X' }),
  ['domain', { domainId: 'RsTkMqyQB6n-Ao1C6h7Oe', host: 'a.example.test', createdAt, applicationId }],
  [
    'domain',
    { domainId: 'HJH2ojfl-rVcIkXbPKXVs', host: 'c.example.test', createdAt, composeId: 'V3ezhQreGrr6W2sTIQ2FC' },
  ],
  [
    'volumeBackup',
    {
      volumeBackupId: '8IzxlpWlZy6efokJ5iaXu',
      name: 'vb',
      volumeName: 'vol1',
      appName: 'volumeBackup-vb',
      cronExpression: '0 0 * * *',
      createdAt,
      destinationId,
      applicationId,
    },
  ],
  ['backup', { ...schedule, backupId: 'P7dOpl8AvWjNzqYoVYDvL', postgresId: 'D594PAlRLWYkPBcZh9o5e' }],
  ['backup', { ...schedule, backupId: 'backup_2', composeId: 'V3ezhQreGrr6W2sTIQ2FC' }],
  ['backup', { ...schedule, backupId: 'backup_3', mariadbId: 'VEt3H9yjeFuSnH5453wu5' }],
];

const organizationObjects: [TableName, Row][] = [
  provider('iUM_AhDj4ez0MwPMqlD4L', 'gitea'),
  ['gitea', { giteaId: 'IK0LplGBEKyg4do0IViUI', giteaUrl: 'https://s.test', gitProviderId: 'iUM_AhDj4ez0MwPMqlD4L' }],
  provider('uBc9d4sGlBcsfhi5PIeA2', 'gitlab'),
  [
    'gitlab',
    { gitlabId: 'M1pS-QqTMRWrTs--64iQ5', gitlabUrl: 'https://l.test', gitProviderId: 'uBc9d4sGlBcsfhi5PIeA2' },
  ],
  provider('WYghYsTgD-ehyhh-j45we', 'bitbucket'),
  ['bitbucket', { bitbucketId: 'PbLuMAc4w2x_i40wGCTJy', gitProviderId: 'WYghYsTgD-ehyhh-j45we' }],
  certificate('U3mxzf4fDl8yf6MoG5UBK', 'certificate-1'),
  certificate('myid', 'mypath'),
  ['ai', { aiId: 'yay0hEUukLiE9ny2zNPcO', name: 'ai1', organizationId: 'org_1', createdAt }],
];

const accounts: [TableName, Row][] = [
  ['apiKey', { id: '8MR1nBa7kyZQRvhuJMkprBXkUgLWs1cY', name: 'k', key: 'hash', createdAt, referenceId: 'user_1' }],
  [
    'invitation',
    {
      id: 'rksceHlPGWus-ipbFhiJB',
      organizationId: 'org_1',
      email: 'new@example.test',
      expiresAt: '2100-01-01T00:00:00.000Z',
      inviterId: 'user_1',
      createdAt,
    },
  ],
];

const [member, otherOrganization] = ['br-bjEEOwVvq5oRpJ5xxW', 'SHFZzs7QjUaTKX0iOyYPA'];

/** The key that a recorded case was sent with, by the end of its name; the others came from the owner. */
export function keyOfCase(name: string): string {
  if (name.endsWith('/member')) return keyFor(member, 'org_1');
  // It was the same user's, for another of his organizations.
  return name.endsWith('/other-org') ? keyFor('user_1', otherOrganization) : 'emulator-key';
}

/** An emulator over a copy of that world, its deployed services deployed. */
export async function recordedWorld(options: EmulatorOptions = {}): Promise<Emulator> {
  deployed ??= deployedWorld();
  return createEmulator({ ...options, world: structuredClone(await deployed) });
}

// Made once, because deployments take their time.
let deployed: Promise<World> | undefined;

async function deployedWorld(): Promise<World> {
  const world = seedWorld();
  addRow(world, 'destination', { ...world.tables.destination['dst_1'], destinationId, provider: 'AWS' });
  addRow(world, 'sshKey', { ...world.tables.sshKey['key_1'], sshKeyId: 'wWkIvVLzETcv8S6XDV7lX' });
  addRow(world, 'bitbucket', { ...world.tables.bitbucket['bkt_1'], bitbucketId: 'gdvsq-1IM6ORDNvB9r0VC' });
  addRow(world, 'gitea', { ...world.tables.gitea['sfg_1'], giteaId: 'H8ZrrTWZ_h_4ntMzBXCUb' });
  addOrganization(world, 'Bvd9u0UwH5P0qBh4HiWru');
  addOrganization(world, otherOrganization);
  addPerson(world, member);
  addPerson(world, 'uLGh4wR8SufE73wmlvS1DgfxTp4zxak0', { role: 'admin' });
  addMembership(world, 'user_1', 'Bvd9u0UwH5P0qBh4HiWru', { role: 'owner' });
  addMembership(world, 'user_1', otherOrganization, { role: 'owner' });
  for (const [table, row] of [
    ...accounts,
    ...projects,
    ...environments,
    ...services,
    ...children,
    ...organizationObjects,
  ])
    addRow(world, table, row);
  const emulator = createEmulator({ world });
  await emulator.act('postgres.create', {
    name: 'found',
    environmentId: main.environmentId,
    databaseName: 'd',
    databaseUser: 'u',
    databasePassword: 'p',
  });
  await emulator.act('mariadb.deploy', { mariadbId: 'qWduN69jtTtyrqq9waO-v' });
  await emulator.act('postgres.deploy', { postgresId: '7ZLCYd1xXb5Je6_XOqKUI' });
  await emulator.act('redis.deploy', { redisId: 'IQXBYx9PkFjdC6ETW2WnO' });
  await deployCompose(emulator, '755msDmbz9YIgTkcsFDum');
  await deployApplication(emulator, 'AY5CFj6w6T86eOTFhW4zu');
  await deployApplication(emulator, 'T26qNCi3-pAFMokFpRwYr');
  return world;
}

/** Deploys a compose and waits until the queue is done with it. */
export async function deployCompose(emulator: Emulator, composeId: string): Promise<void> {
  await emulator.act('compose.deploy', { composeId });
  await queueDone(emulator, 'compose.one', { composeId });
}

/** Runs an application with its image and waits until the queue is done with it. */
async function deployApplication(emulator: Emulator, applicationId: string): Promise<void> {
  await emulator.act('application.deploy', { applicationId });
  await queueDone(emulator, 'application.one', { applicationId });
}

async function queueDone(emulator: Emulator, one: string, input: Record<string, string>): Promise<void> {
  for (let turns = 0; turns < 500; turns += 1) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    const { deployments, ...row } = (await emulator.act(one, input)) as Row & { deployments: { status: string }[] };
    const status = textOr(row, 'composeStatus', textOr(row, 'applicationStatus'));
    if (['done', 'error'].includes(status) && deployments.every((run) => run.status !== 'running')) return;
  }
  throw new Error(`the deployment of ${JSON.stringify(input)} does not end`);
}

function project(projectId: string, name: string): [TableName, Row] {
  return ['project', { projectId, name, organizationId: 'org_1', createdAt }];
}

function environment(environmentId: string, projectId: string, values: Row): [TableName, Row] {
  return ['environment', { environmentId, projectId, createdAt, ...values }];
}

function application(applicationId: string, values: Row): [TableName, Row] {
  return ['application', { ...main, applicationId, name: 'n', appName: `app-${applicationId}`, ...values }];
}

function compose(composeId: string, values: Row): [TableName, Row] {
  return ['compose', { ...main, composeId, name: 'c', appName: `compose-${composeId}`, refreshToken: 't', ...values }];
}

function database(table: 'mariadb' | 'postgres' | 'redis', id: string, values: Row): [TableName, Row] {
  return [table, { [`${table}Id`]: id, name: 'd', appName: `${table}-${id}`, databasePassword: 'p', ...values }];
}

function mount(mountId: string, values: Row): [TableName, Row] {
  return ['mount', { mountId, mountPath: '/m', ...values }];
}

function provider(gitProviderId: string, providerType: string): [TableName, Row] {
  const owner = { organizationId: 'org_1', userId: 'user_1' };
  return ['gitProvider', { gitProviderId, providerType, name: 'p', createdAt, ...owner }];
}

function certificate(certificateId: string, certificatePath: string): [TableName, Row] {
  return ['certificate', { certificateId, certificatePath, name: 'c', organizationId: 'org_1' }];
}
