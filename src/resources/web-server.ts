import * as z from 'zod';
import { withoutSlash } from '../api/slash.ts';
import type { Json } from '../formats/json.ts';
import type { CheckedResource, Problem } from '../kind/checks.ts';
import { type Codec, text } from '../kind/codecs.ts';
import { defineKind } from '../kind/kind.ts';
import type { ChangeAtRisk } from '../kind/lifecycle.ts';
import { cron, hostName } from '../kind/value-forms.ts';
import { ofWholeServer } from './families/whole-server.ts';
import { inOrganization } from './families/parent-links.ts';

/** The fields that one operation carries together with the host. */
const withHost = ['https', 'certificateType', 'letsEncryptEmail'];

/** A host name; the platform keeps none as null or ''. */
const hostOrNone: Codec = {
  normal: (value) => (typeof value === 'string' ? value.toLowerCase() : ''),
};

/** The proxy routes one host to the dashboard. */
const movedAway: ChangeAtRisk = ({ before, after, platformUrl }) => {
  if (hostOrNone.normal(before) === '' || hostOrNone.normal(before) === hostOrNone.normal(after)) return undefined;
  const what = 'the dashboard and the API answer there no more';
  const loss = { what: `${what}: ${String(before)}`, unnamed: what };
  const url = platformUrl === undefined ? undefined : new URL(platformUrl);
  if (url?.hostname !== hostOrNone.normal(before)) return loss;
  return { ...loss, what: `${loss.what}, the address in platform:`, remedy: writeAddress(url, after) };
};

/** What to do where the manifest reaches the platform by the host that goes; undefined where the next one is none, or not known. */
function writeAddress(url: URL, after: Json): string | undefined {
  const { success, data } = hostName.safeParse(after);
  if (!success) return undefined;
  const next = new URL(url);
  next.hostname = data;
  return `Point the DNS of the new host to the server, and apply this alone, with --target webServer. Then write platform: { url: ${withoutSlash(next.href)} }, and that into TRUEUP_URL where it is set.`;
}

/** The settings of the platform's own server. Source of the facts: the settings router of the platform. */
export const webServer = defineKind({
  kind: 'webServer',
  section: 'webServer',
  isSingle: true,
  alsoCalled: ['webserver', 'web_server', 'settings', 'dashboard'],
  summary: "The settings of the platform's own server: adopted and updated, never created or deleted.",
  identity: { id: 'id', key: [] },
  rowsFrom: (answer) => (answer === null || answer === undefined ? [] : [answer]),
  parents: inOrganization('settings.getWebServerSettings'),
  fields: {
    host: {
      schema: () => hostName.describe('Host of the dashboard. Its DNS has to lead to the server first.'),
      codec: hostOrNone,
      onNull: { value: '' },
      examples: ['deploy.example.com', 'platform.example.com'],
    },
    https: {
      schema: () => z.boolean().describe('Whether the dashboard is served with TLS, and http redirected to it.'),
      otherwise: false,
      examples: [true, false],
    },
    certificateType: {
      schema: () => z.enum(['letsencrypt', 'none', 'custom']).describe('Certificate of the dashboard.'),
      words: {
        letsencrypt: "From Let's Encrypt.",
        none: 'One that the proxy has for the host, or its own, which browsers refuse.',
        custom: 'The same as `none`.',
      },
      otherwise: 'none',
      examples: ['letsencrypt', 'custom'],
    },
    letsEncryptEmail: {
      schema: () => z.email().describe("Address that Let's Encrypt knows the proxy by, for all domains."),
      codec: text,
      takesSecrets: true,
      onNull: { refuse: 'the proxy would keep the address that it has; write another one' },
      examples: ['ops@example.test', 'admin@example.test'],
    },
    serverIp: {
      schema: () =>
        z.union([z.ipv4(), z.ipv6()]).describe('Public address of the server, for domains that the platform makes up.'),
      codec: text,
      takesSecrets: true,
      onNull: { value: '' },
      examples: ['203.0.113.1', '203.0.113.2'],
    },
    enableDockerCleanup: {
      schema: () =>
        z.boolean().describe('Whether images, containers and build caches that nothing uses are removed each night.'),
      otherwise: true,
      examples: [false, true],
    },
    cronExpression: {
      schema: () =>
        cron.describe(
          'When the access log of the proxy is cut to its last 1,000 lines, as a cron expression; never when null.',
        ),
      written: 'logCleanupCron',
      readAt: 'logCleanupCron',
      otherwise: '0 0 * * *',
      examples: ['0 1 * * *', '0 2 * * 0'],
    },
    buildsConcurrency: {
      schema: () => z.number().int().min(1).max(100).describe('Number of builds at the same time.'),
      otherwise: 1,
      examples: [2, 3],
    },
    remoteServersOnly: {
      schema: () =>
        z
          .boolean()
          .describe('Whether services run on remote servers only, not on this one. Needs an enterprise license.'),
      otherwise: false,
      examples: [true, false],
    },
    enforceSSO: {
      schema: () =>
        z
          .boolean()
          .describe(
            'Whether people sign in through SSO only: set that up first, or everyone is locked out. Needs an enterprise license.',
          ),
      otherwise: false,
      examples: [true, false],
    },
  },
  outputs: {
    host: { from: 'host', describe: 'The host of the dashboard.' },
    serverIp: { from: 'serverIp', describe: 'The public address of the server.' },
  },
  operations: {
    read: 'settings.getWebServerSettings',
    update: [
      'settings.assignDomainServer',
      'settings.updateServerIp',
      'settings.updateDockerCleanup',
      'settings.updateLogCleanup',
      'settings.updateBuildsConcurrency',
      'settings.updateRemoteServersOnly',
      'settings.updateEnforceSSO',
    ],
    cannot: {
      create: 'the platform makes them itself; those of a cloud belong to who runs it',
      delete: 'the settings of the server stay as they are',
    },
  },
  notExported: () => ofWholeServer('webServer'),
  lifecycle: { changeAtRisk: { dashboard: { host: movedAway } } },
  checks: { each: needsHost },
  examples: ['host: deploy.example.com\nserverIp: 203.0.113.9\n'],
});

/** The operation for these fields requires a host. */
function needsHost({ address, values, unknown = [] }: CheckedResource): readonly Problem[] {
  const field = withHost.find((name) => values[name] !== undefined || unknown.includes(name));
  if (field === undefined || values['host'] !== undefined || unknown.includes('host')) return [];
  const message = `${field} belongs to the host of the dashboard, which the block does not name`;
  return [{ code: 'inconsistent', address, field, message, remedy: 'Add host: with the host of the dashboard.' }];
}
