import * as z from 'zod';
import { list } from '../kind/codecs.ts';
import type { CheckedResource, Problem } from '../kind/checks.ts';
import type { Verdict } from '../kind/kind-command.ts';
import type { Row } from '../formats/json.ts';
import { defineKind } from '../kind/kind.ts';
import type { WebAddress } from '../kind/service.ts';
import { portsOfService } from './families/compose-checks.ts';
import { certificateIsUsed, ignoredField } from './families/ignored-fields.ts';
import { serviceSuffix } from './families/compose-model.ts';
import { hostName, port } from '../kind/value-forms.ts';
import { shortDomain } from './families/short-forms.ts';
import { listedBelow } from './families/parent-links.ts';

/** A host name, with a path, that is routed to a service. */
export const domain = defineKind({
  kind: 'domain',
  section: 'domains',
  alsoCalled: ['domain', 'hosts', 'routes', 'ingress'],
  summary: 'A host name, with a path, that is routed to a service.',
  identity: { id: 'domainId', key: ['host', 'path', 'serviceName'], alone: ['host', 'path'], keyField: 'host' },
  short: shortDomain,
  parents: {
    compose: listedBelow('compose', 'domains', { domainType: { value: 'compose', inEveryUpdate: true } }),
    application: {
      ...listedBelow('application', 'domains', { domainType: { value: 'application', inEveryUpdate: true } }),
      lacks: ['serviceName'],
      atOnce: true,
    },
  },
  fields: {
    host: {
      schema: () => hostName.describe('Host name; the key of the block by default.'),
      inPreviews: 'own',
      appliesAt: 'deploy',
      examples: ['shop.example.com', 'store.example.com'],
    },
    path: {
      schema: () =>
        z
          .string()
          // The platform writes it between two backticks, into a rule of the proxy.
          .regex(/^\/[^`]*$/, 'must begin with / and hold no backtick, which ends it in the rule of the proxy')
          .describe('Path that is routed.'),
      onNull: { value: '/' },
      otherwise: '/',
      appliesAt: 'deploy',
      examples: ['/api', '/v2'],
    },
    port: {
      schema: () => port.describe('Port of the container.'),
      onNull: { value: 3000 },
      otherwise: 3000,
      appliesAt: 'deploy',
      examples: [8080, 9090],
    },
    serviceName: {
      schema: () => z.string().min(1).describe('Service, by its name in the compose file.'),
      onNull: { refuse: 'a domain of a compose needs the service it leads to' },
      needed: true,
      appended: serviceSuffix,
      appliesAt: 'deploy',
      examples: ['web', 'api'],
    },
    https: {
      schema: () => z.boolean().describe('Whether it is served over TLS.'),
      otherwise: false,
      appliesAt: 'deploy',
      examples: [true, false],
    },
    certificateType: {
      schema: () => z.enum(['letsencrypt', 'none', 'custom']).describe('Where the certificate comes from.'),
      words: {
        letsencrypt: 'The platform gets one by ACME.',
        none: 'No certificate of its own.',
        custom: 'The resolver of the proxy that customCertResolver names.',
      },
      otherwise: 'none',
      appliesAt: 'deploy',
      examples: ['letsencrypt', 'none'],
    },
    customCertResolver: {
      schema: () => z.string().min(1).describe('Resolver of the proxy for certificateType custom.'),
      appliesAt: 'deploy',
      examples: ['internal', 'internal-2'],
    },
    customEntrypoint: {
      schema: () =>
        z
          .string()
          // It becomes a part of the name of a label, which ends at a =.
          .regex(/^[\w.-]+$/, 'must be the name of an entry point: letters, digits, ".", "_" and "-"')
          .describe('Entry point of the proxy.'),
      appliesAt: 'deploy',
      examples: ['web-internal', 'web-public'],
    },
    internalPath: {
      schema: () => z.string().startsWith('/').describe('Path the container sees.'),
      onNull: { value: '/' },
      otherwise: '/',
      appliesAt: 'deploy',
      examples: ['/app', '/srv'],
    },
    stripPath: {
      schema: () => z.boolean().describe('Whether the path is cut off.'),
      otherwise: false,
      appliesAt: 'deploy',
      examples: [true, false],
    },
    middlewares: {
      schema: () => z.array(z.string()).describe('Middlewares of the proxy, in order.'),
      codec: list,
      appliesAt: 'deploy',
      examples: [['auth@file'], ['auth@file', 'gzip@file']],
    },
    forwardAuthEnabled: {
      schema: () =>
        z
          .boolean()
          .describe(
            'Whether people sign in at the `forwardAuth` of its server first. Turn it on once that is applied and its proxy runs. A domain of a compose has no such guard.',
          ),
      otherwise: false,
      appliesAt: 'deploy',
      examples: [true, false],
    },
    enabled: {
      schema: () => z.boolean().describe('Whether it is routed at all.'),
      otherwise: true,
      appliesAt: 'deploy',
      examples: [false, true],
    },
  },
  operations: { create: 'domain.create', read: 'domain.one', update: 'domain.update', delete: 'domain.delete' },
  lifecycle: { deletedWithParent: true },
  reachedAt,
  commands: {
    test: {
      call: 'domain.validateDomain',
      isTest: true,
      with: { domain: 'host' },
      verdict: validity,
    },
  },
  checks: {
    each: (self) =>
      self.values.certificateType === 'custom' &&
      self.values.customCertResolver === undefined &&
      self.unknown?.includes('customCertResolver') !== true
        ? [
            {
              code: 'inconsistent',
              address: self.address,
              field: 'certificateType',
              message: 'certificateType custom needs a customCertResolver',
              remedy: 'Add customCertResolver, the name of the resolver in the proxy.',
            },
          ]
        : [],
    all: (all, at) => [
      ...sameRoutes(all),
      ...all.flatMap((self) => [
        ...leftToPlatform(self, at(self.parent ?? '')),
        ...unguarded(self, at(self.parent ?? '')),
        ...certificateIsUsed(self),
      ]),
    ],
    hints: { serviceName: 'a domain of an application leads to the application itself; remove the line' },
  },
  examples: ['shop.example.com: { serviceName: web, port: 8080, https: true, certificateType: letsencrypt }\n'],
});

/** The proxy serves it on the usual port of its scheme; which port another entry point has, only the proxy knows. */
function reachedAt(row: Row, port: number | undefined): WebAddress | undefined {
  const { host, path, https, enabled, serviceName, customEntrypoint } = row;
  if (typeof host !== 'string' || enabled === false) return undefined;
  const [scheme, usual] = https === true ? ['https', 'websecure'] : ['http', 'web'];
  const place = `${host}${port === undefined ? '' : `:${port}`}`;
  return {
    url: `${scheme}://${place}${typeof path === 'string' ? path : '/'}`,
    service: typeof serviceName === 'string' ? serviceName : undefined,
    isPortKnown: port !== undefined || (customEntrypoint ?? '') === '' || customEntrypoint === usual,
  };
}

/** The platform answers a test with 200 in any case. */
function validity({ isValid, error, resolvedIp, cdnProvider }: Row): Verdict {
  return isValid === true
    ? { passed: true, findings: { resolvedIp, cdnProvider } }
    : { passed: false, reason: typeof error === 'string' ? error : undefined };
}

/**
 * What a new domain gets where its block leaves it open: port 3000; and below a compose no resolver for its certificate, while
 * below an application the entry point of the proxy has one. Source: utils/docker/domain.ts and setup/traefik-setup.ts of v0.30.2.
 */
function leftToPlatform({ address, values, unknown = [] }: CheckedResource, parent?: CheckedResource): Problem[] {
  const isOpen = (field: string) => values[field] === undefined && !unknown.includes(field);
  const about = { address, when: { isNew: true } } as const;
  const found: Problem[] = [];
  if (parent?.kind === 'compose' && values.https === true && isOpen('certificateType')) {
    const message = 'without certificateType there is no certificate for it: browsers warn of the one of the proxy';
    const remedy = `Write certificateType: letsencrypt. Write none where the proxy has a certificate for ${String(values.host)}.`;
    found.push({ ...about, code: 'no-certificate', field: 'https', message, remedy });
  }
  const ports = parent === undefined ? [] : portsOfService(parent, String(values.serviceName));
  if (isOpen('port') && !ports.includes(3000)) {
    const [only] = ports.length === 1 ? ports : [];
    const message = 'it names no port: the platform routes it to port 3000 of the container';
    const remedy = `Write port: ${only ?? 3000}${only === undefined ? ', or the one on which the program listens' : ''}.`;
    found.push({ ...about, code: 'default-port', message, remedy });
  }
  return found;
}

/** The platform stores the switch, and only the routes of applications have the guard. Source: utils/docker/domain.ts of v0.30.2. */
function unguarded(self: CheckedResource, parent?: CheckedResource): Problem[] {
  if (parent?.kind !== 'compose' || self.values.forwardAuthEnabled !== true) return [];
  const message = 'the platform guards domains of applications only: everyone reaches this one without signing in';
  const remedy = 'Remove it, and name a middleware that signs people in under middlewares:.';
  return [ignoredField(self, 'forwardAuthEnabled', { message, remedy })];
}

/** The platform lets two domains claim one host and path; which one wins is chance. */
function sameRoutes(all: readonly CheckedResource[]): Problem[] {
  const first = new Map<string, string>();
  return all.flatMap((self): Problem[] => {
    if (['host', 'path'].some((name) => self.unknown?.includes(name) === true)) return [];
    const route = `${String(self.values.host).toLowerCase()}${String(self.values.path ?? '/')}`;
    const other = first.get(route);
    if (other === undefined) {
      first.set(route, self.address);
      return [];
    }
    return [
      {
        code: 'overlap',
        address: self.address,
        field: 'host',
        message: `${route} is also routed by ${other}`,
        remedy: 'Give one of them another host or path.',
      },
    ];
  });
}
