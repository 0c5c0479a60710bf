import { cascade } from './table.ts';

/** What an organization has beside its people, keys and machines: registries of images, and where it reports to. */
export const organizationTables = {
  registry: {
    key: 'registryId',
    columns: {
      registryId: '',
      registryName: '',
      imagePrefix: null,
      username: '',
      password: '',
      registryUrl: '',
      createdAt: '',
      registryType: 'cloud',
      organizationId: '',
    },
    references: { organizationId: cascade('organization') },
  },
  /** The platform has a table of its own for each channel; here its row stands in `channel`. */
  notification: {
    key: 'notificationId',
    columns: {
      notificationId: '',
      name: '',
      appDeploy: false,
      appBuildError: false,
      databaseBackup: false,
      volumeBackup: false,
      dokployRestart: false,
      dokployBackup: false,
      dockerCleanup: false,
      serverThreshold: false,
      notificationType: '',
      createdAt: '',
      organizationId: '',
      channelId: '',
      channel: {},
    },
    references: { organizationId: cascade('organization') },
  },
};
