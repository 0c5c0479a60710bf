import { cascade } from './table.ts';

/** What would be on the machines, outside the platform's own database: nothing of it goes when a service's row goes. */
export const machineTables = {
  /** A service that docker knows, by the appName it was deployed under. */
  container: {
    key: 'appName',
    columns: {
      appName: '',
      running: true,
      serverId: null,
      publishedOn: null,
      publishedGRPCOn: null,
      publishedAdminOn: null,
    },
    /** `<server>:<port>` that it publishes. */
    indexed: ['publishedOn', 'publishedGRPCOn', 'publishedAdminOn'],
  },
  /** A data volume, with the settings its database was initialised with: later changes of the row do not reach it. */
  volume: {
    key: 'volumeName',
    columns: {
      volumeName: '',
      dockerImage: '',
      databaseName: null,
      databaseUser: null,
      databasePassword: null,
      databaseRootPassword: null,
      initialisedAt: '',
    },
  },
  /** The compose file as the last fetch or deployment left it on disk. */
  composeFile: {
    key: 'appName',
    columns: { appName: '', text: '' },
  },
  /** The log of a deployment that failed; the platform deletes the file with the row. */
  log: {
    key: 'deploymentId',
    columns: { deploymentId: '', text: '' },
    references: { deploymentId: cascade('deployment') },
  },
  /** An application whose code the last deployment left on disk. */
  code: {
    key: 'appName',
    columns: { appName: '' },
  },
};
