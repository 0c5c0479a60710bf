import * as z from 'zod';
import { isRow } from '../formats/json.ts';
import { caseless, text } from '../kind/codecs.ts';
import { defineKind } from '../kind/kind.ts';
import { ofWholeServer } from './families/whole-server.ts';

/** The settings in an answer that has a row for each server, also for those without any; the platform's own has no id. */
function rowsFrom(answer: unknown): unknown {
  if (!Array.isArray(answer) || !answer.every(isRow)) return answer;
  const own = answer.filter(({ serverId, authDomain }) => isNone(serverId) && !isNone(authDomain));
  return own.map((one) => ({ ...one, target: 'platform' }));
}

/** An empty text means the same as null. */
const isNone = (value: unknown) => (value ?? '') === '';

/** The host where people sign in before a protected domain answers. Source of the facts: the forward-auth router. */
export const forwardAuth = defineKind({
  kind: 'forwardAuth',
  section: 'forwardAuth',
  isSingle: true,
  alsoCalled: ['forwardauth', 'forward_auth', 'authdomain'],
  summary:
    "The host where people sign in before a domain with `forwardAuthEnabled` answers, of the platform's own server. It needs an enterprise license; its proxy is deployed in the dashboard.",
  identity: { id: 'target', key: [], idFrom: 'list' },
  rowsFrom,
  parents: {
    root: {
      listed: { call: 'forwardAuth.serverStatus' },
      rows: 'whole',
      set: { serverId: { value: null } },
      idAt: 'organizationId',
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
  notExported: () => ofWholeServer('forwardAuth'),
  outputs: {
    callbackUrl: { from: 'callbackUrl', describe: 'The address that the SSO provider has to send people back to.' },
  },
  operations: {
    create: 'forwardAuth.setAuthDomain',
    read: 'forwardAuth.serverStatus',
    update: 'forwardAuth.setAuthDomain',
    delete: 'forwardAuth.removeAuthDomain',
  },
  examples: ['host: auth.example.com\n'],
});
