import { cascade } from './table.ts';

/** What the platform has beyond the API document below a service, and the tags of an organization. */
export const leafTables = {
  /** Published ports of an application. */
  port: {
    key: 'portId',
    columns: {
      portId: '',
      publishedPort: 0,
      publishMode: 'host',
      targetPort: 0,
      protocol: 'tcp',
      applicationId: '',
    },
    references: { applicationId: cascade('application') },
    integers: ['publishedPort', 'targetPort'],
  },
  redirect: {
    key: 'redirectId',
    columns: {
      redirectId: '',
      regex: '',
      replacement: '',
      permanent: false,
      uniqueConfigKey: 0,
      createdAt: '',
      applicationId: '',
    },
    references: { applicationId: cascade('application') },
  },
  /** Users of the basic authentication of an application. */
  security: {
    key: 'securityId',
    columns: { securityId: '', username: '', password: '', createdAt: '', applicationId: '' },
    references: { applicationId: cascade('application') },
  },
  schedule: {
    key: 'scheduleId',
    columns: {
      scheduleId: '',
      name: '',
      description: null,
      cronExpression: '',
      appName: '',
      serviceName: null,
      shellType: 'bash',
      scheduleType: 'application',
      command: '',
      script: null,
      applicationId: null,
      composeId: null,
      serverId: null,
      organizationId: null,
      enabled: true,
      timezone: null,
      createdAt: '',
    },
    references: {
      applicationId: cascade('application'),
      composeId: cascade('compose'),
      serverId: cascade('server'),
      organizationId: cascade('organization'),
    },
  },
  tag: {
    key: 'tagId',
    columns: { tagId: '', name: '', color: null, createdAt: '', organizationId: '' },
    references: { organizationId: cascade('organization') },
  },
  projectTag: {
    key: 'id',
    columns: { id: '', projectId: '', tagId: '' },
    references: { projectId: cascade('project'), tagId: cascade('tag') },
  },
};
