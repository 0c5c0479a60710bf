import { applicationTable } from './application.ts';
import { swarmColumns } from './swarm.ts';
import { cascade, setNull } from './table.ts';

const placed = { environmentId: cascade('environment'), serverId: cascade('server') };

/** The columns that the database kinds share. */
const databaseColumns = {
  description: null,
  dockerImage: '',
  command: null,
  args: null,
  env: null,
  memoryReservation: null,
  memoryLimit: null,
  cpuReservation: null,
  cpuLimit: null,
  externalPort: null,
  applicationStatus: 'idle',
  ...swarmColumns,
  createdAt: '',
  environmentId: '',
  serverId: null,
  networkIds: [],
  detachDokployNetwork: false,
};

/** The columns of the two databases with a password of the root. */
const sqlColumns = {
  name: '',
  appName: '',
  databaseName: '',
  databaseUser: '',
  databasePassword: '',
  databaseRootPassword: '',
  ...databaseColumns,
};

/** Those of them that libsql has. */
const { args: _args, ulimitsSwarm: _ulimitsSwarm, ...libsqlColumns } = databaseColumns;

const integers = ['externalPort', 'replicas'];
const indexed = ['appName'];

/** What is deployed: applications, compose stacks, databases. */
export const serviceTables = {
  application: applicationTable,
  compose: {
    key: 'composeId',
    columns: {
      composeId: '',
      name: '',
      appName: '',
      description: null,
      env: null,
      composeFile: '',
      refreshToken: null,
      sourceType: 'github',
      composeType: 'docker-compose',
      repository: null,
      owner: null,
      branch: null,
      autoDeploy: true,
      gitlabProjectId: null,
      gitlabRepository: null,
      gitlabOwner: null,
      gitlabBranch: null,
      gitlabPathNamespace: null,
      bitbucketRepository: null,
      bitbucketRepositorySlug: null,
      bitbucketOwner: null,
      bitbucketBranch: null,
      giteaRepository: null,
      giteaOwner: null,
      giteaBranch: null,
      customGitUrl: null,
      customGitBranch: null,
      customGitSSHKeyId: null,
      command: '',
      createEnvFile: true,
      enableSubmodules: false,
      composePath: './docker-compose.yml',
      suffix: '',
      randomize: false,
      isolatedDeployment: false,
      isolatedDeploymentsVolume: false,
      triggerType: 'push',
      composeStatus: 'idle',
      icon: null,
      environmentId: '',
      createdAt: '',
      watchPaths: null,
      githubId: null,
      gitlabId: null,
      bitbucketId: null,
      giteaId: null,
      serverId: null,
      serviceNetworks: [],
    },
    references: {
      ...placed,
      customGitSSHKeyId: setNull('sshKey'),
      githubId: setNull('github'),
      gitlabId: setNull('gitlab'),
      bitbucketId: setNull('bitbucket'),
      giteaId: setNull('gitea'),
    },
    integers: ['gitlabProjectId'],
  },
  mariadb: {
    key: 'mariadbId',
    columns: {
      mariadbId: '',
      ...sqlColumns,
    },
    references: placed,
    integers,
    indexed,
  },
  mysql: {
    key: 'mysqlId',
    columns: {
      mysqlId: '',
      ...sqlColumns,
    },
    references: placed,
    integers,
    indexed,
  },
  mongo: {
    key: 'mongoId',
    columns: {
      mongoId: '',
      name: '',
      appName: '',
      databaseUser: '',
      databasePassword: '',
      replicaSets: false,
      ...databaseColumns,
    },
    references: placed,
    integers,
    indexed,
  },
  libsql: {
    key: 'libsqlId',
    columns: {
      libsqlId: '',
      name: '',
      appName: '',
      databaseUser: '',
      databasePassword: '',
      sqldNode: 'primary',
      sqldPrimaryUrl: null,
      enableNamespaces: false,
      externalGRPCPort: null,
      externalAdminPort: null,
      ...libsqlColumns,
    },
    references: placed,
    integers: [...integers, 'externalGRPCPort', 'externalAdminPort'],
    indexed,
  },
  postgres: {
    key: 'postgresId',
    columns: {
      postgresId: '',
      name: '',
      appName: '',
      databaseName: '',
      databaseUser: '',
      databasePassword: '',
      ...databaseColumns,
    },
    references: placed,
    integers,
    indexed,
  },
  redis: {
    key: 'redisId',
    columns: { redisId: '', name: '', appName: '', databasePassword: '', ...databaseColumns },
    references: placed,
    integers,
    indexed,
  },
};
