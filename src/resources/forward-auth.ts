import * as z from 'zod';
import { isRow } from '../formats/json.ts';
import { caseless, text } from '../kind/codecs.ts';
import type { CheckedResource, Problem } from '../kind/checks.ts';
import { type Kind, defineKind } from '../kind/kind.ts';
import { ofWholeServer } from './families/whole-server.ts';

/** The settings in an answer that has a row for each server, also for those without any; the platform's own has no id. */
const rowsFrom: Kind['rowsFrom'] = (answer, list) => {
  if (!Array.isArray(answer) || !answer.every(isRow)) return answer;
  const isMeant = (serverId: unknown) => list === undefined || serverId === list.parentId;
  return answer.flatMap(({ serverId: of, ...row }) => {
    const serverId = isNone(of) ? undefined : of;
    if (isNone(row['authDomain']) || !isMeant(serverId)) return [];
    // The id of the server alone is that of the server.
    const target = serverId === undefined ? 'platform' : `forwardAuth of ${String(serverId)}`;
    return [{ ...row, serverId: serverId ?? null, target }];
  });
};

/** An empty text means the same as null. */
const isNone = (value: unknown) => (value ?? '') === '';

/** The host where people sign in before a protected domain answers. Source of the facts: the forward-auth router. */
export const forwardAuth = defineKind({
  kind: 'forwardAuth',
  section: 'forwardAuth',
  isSingle: true,
  alsoCalled: ['forwardauth', 'forward_auth', 'authdomain'],
  summary:
    "The host where people sign in before a domain with `forwardAuthEnabled` answers, of the platform's own server, or of the server above it. It needs an enterprise license; its proxy is deployed in the dashboard.",
  identity: { id: 'target', key: [], idFrom: 'list' },
  rowsFrom,
  parents: {
    root: {
      listed: { call: 'forwardAuth.serverStatus' },
      rows: 'whole',
      set: { serverId: { value: null } },
      idAt: 'organizationId',
    },
    server: {
      listed: { call: 'forwardAuth.serverStatus' },
      rows: { without: [] },
      set: { serverId: { parent: 'id' } },
      idAt: 'serverId',
    },
  },
  fields: {
    authDomain: {
      written: 'host',
      schema: () =>
        z
          .string()
          .regex(
            /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,}$/i,
            'must be a host name that ends in letters, such as auth.example.com',
          )
          .describe(
            'Host of the sign-in. Sessions hold for the domain above it: `.example.com` for `auth.example.com`.',
          ),
      codec: caseless,
      needed: true,
      examples: ['auth.example.com', 'login.example.com'],
    },
    https: {
      schema: () => z.boolean().describe('Whether it is served with TLS.'),
      otherwise: true,
      inEveryUpdate: true,
      examples: [false, true],
    },
    certificateType: {
      schema: () => z.enum(['letsencrypt', 'none', 'custom']).describe('Where its certificate comes from.'),
      words: {
        letsencrypt: "From Let's Encrypt.",
        none: 'One that the proxy has for the host, or its own, which browsers refuse.',
        custom: 'From the resolver in `customCertResolver`.',
      },
      otherwise: 'letsencrypt',
      inEveryUpdate: true,
      examples: ['none', 'letsencrypt'],
    },
    customCertResolver: {
      schema: () =>
        z.string().min(1).describe('Name of a certificate resolver of the proxy, for `certificateType: custom`.'),
      codec: text,
      inEveryUpdate: true,
      onNull: { value: '' },
      examples: ['internal', 'company'],
    },
  },
  notExported: ({ serverId }) => (isNone(serverId) ? ofWholeServer('forwardAuth') : undefined),
  outputs: {
    callbackUrl: { from: 'callbackUrl', describe: 'The address that the SSO provider has to send people back to.' },
  },
  operations: {
    create: 'forwardAuth.setAuthDomain',
    read: 'forwardAuth.serverStatus',
    update: 'forwardAuth.setAuthDomain',
    delete: 'forwardAuth.removeAuthDomain',
  },
  checks: { all: onBuildServers },
  examples: ['host: auth.example.com\n'],
});

/** The platform lists the settings of servers that run services only. */
function onBuildServers(
  all: readonly CheckedResource[],
  at: (address: string) => CheckedResource | undefined,
): readonly Problem[] {
  return all.flatMap(({ address, parent = '' }) => {
    if (at(parent)?.values['serverType'] !== 'build') return [];
    const message = `${parent} builds images, and runs no service that people could sign in for`;
    return [{ code: 'inconsistent' as const, address, message, remedy: 'Remove the block.' }];
  });
}
