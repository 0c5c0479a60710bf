import { createEmulator, type Emulator } from '../../src/emulator/emulator.ts';
import type { Row } from '../../src/emulator/json.ts';
import type { TableName } from '../../src/emulator/tables.ts';
import { addRow, seedWorld } from '../../src/emulator/world.ts';

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
  ['backup', { ...schedule, backupId: 'P7dOpl8AvWjNzqYoVYDvL', postgresId: 'D594PAlRLWYkPBcZh9o5e' }],
  ['backup', { ...schedule, backupId: 'backup_2', composeId: 'V3ezhQreGrr6W2sTIQ2FC' }],
  ['backup', { ...schedule, backupId: 'backup_3', mariadbId: 'VEt3H9yjeFuSnH5453wu5' }],
];

/** An emulator over that world, its deployed services deployed. */
export async function recordedWorld(): Promise<Emulator> {
  const world = seedWorld();
  addRow(world, 'destination', { ...world.tables.destination['dst_1'], destinationId, provider: 'AWS' });
  for (const [table, row] of [...projects, ...environments, ...services, ...children]) addRow(world, table, row);
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
  return emulator;
}

/** Deploys a compose and waits until the queue is done with it. */
export async function deployCompose(emulator: Emulator, composeId: string): Promise<void> {
  await emulator.act('compose.deploy', { composeId });
  for (let turns = 0; turns < 500; turns += 1) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    const { composeStatus, deployments } = (await emulator.act('compose.one', { composeId })) as {
      composeStatus: string;
      deployments: { status: string }[];
    };
    if (['done', 'error'].includes(composeStatus) && deployments.every(({ status }) => status !== 'running')) return;
  }
  throw new Error(`the deployment of ${composeId} does not end`);
}

function project(projectId: string, name: string): [TableName, Row] {
  return ['project', { projectId, name, organizationId: 'org_1', createdAt }];
}

function environment(environmentId: string, projectId: string, values: Row): [TableName, Row] {
  return ['environment', { environmentId, projectId, createdAt, ...values }];
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
