import type { Row } from './json-rows.ts';

/** What a new server has of metrics. */
export const metrics = {
  server: {
    port: 4500,
    type: 'Remote',
    token: '',
    cronJob: '',
    thresholds: { cpu: 0, memory: 0 },
    refreshRate: 60,
    urlCallback: '',
    retentionDays: 2,
  },
  containers: { services: { exclude: [], include: [] }, refreshRate: 60 },
};

/** The same of the platform's own server. */
export const platformMetrics = { ...metrics, server: { ...metrics.server, type: 'Dokploy' } };

/** What the settings of the platform's own server hold at first, beside the defaults of its table. */
export const newSettings: Row = {
  logCleanupCron: '0 0 * * *',
  metricsConfig: platformMetrics,
  whitelabelingConfig: Object.fromEntries(
    (
      'appName appDescription logoUrl faviconUrl customCss loginLogoUrl supportUrl docsUrl errorPageTitle ' +
      'errorPageDescription metaTitle footerText'
    )
      .split(' ')
      .map((name) => [name, null]),
  ),
};
