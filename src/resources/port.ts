import * as z from 'zod';
import type { CheckedResource, PublishedPort } from '../kind/checks.ts';
import { defineKind } from '../kind/kind.ts';
import { port as portNumber } from '../kind/value-forms.ts';
import { shortPort } from './families/short-forms.ts';
import { publishedBySwarm } from './families/swarm-settings.ts';
import { listedBelow } from './families/parent-links.ts';

/** A port of an application that is published on its server, beside the proxy. */
export const port = defineKind({
  kind: 'port',
  section: 'ports',
  alsoCalled: ['port', 'expose', 'publish', 'published'],
  summary: 'A port of an application that is published on its server, beside the proxy.',
  identity: { id: 'portId', key: ['publishedPort', 'protocol'], label: ['publishedPort', 'protocol'] },
  short: shortPort,
  parents: { application: listedBelow('application', 'ports') },
  fields: {
    publishedPort: {
      schema: () => portNumber.describe('Port of the server.'),
      inPreviews: 'own',
      appliesAt: 'deploy',
      examples: [8080, 9090],
    },
    targetPort: {
      schema: () => portNumber.describe('Port of the container.'),
      appliesAt: 'deploy',
      examples: [80, 3000],
    },
    protocol: {
      schema: () => z.enum(['tcp', 'udp']).describe('What is spoken on it.'),
      words: { tcp: 'TCP.', udp: 'UDP.' },
      onNull: { value: 'tcp' },
      otherwise: 'tcp',
      inEveryUpdate: true,
      appliesAt: 'deploy',
      examples: ['udp', 'tcp'],
    },
    publishMode: {
      schema: () => z.enum(['ingress', 'host']).describe('Where it is published.'),
      words: {
        ingress: 'On every server of the swarm, which distributes the connections.',
        host: 'On the server that the container runs on: the container sees the addresses of its clients.',
      },
      onNull: { value: 'ingress' },
      otherwise: 'ingress',
      inEveryUpdate: true,
      appliesAt: 'deploy',
      examples: ['host', 'ingress'],
    },
  },
  operations: {
    create: 'port.create',
    read: 'port.one',
    failsWith: 'Port not found',
    update: 'port.update',
    delete: 'port.delete',
  },
  lifecycle: { deletedWithParent: true },
  checks: { publishes: published },
  examples: ['metrics: { publishedPort: 9100, targetPort: 9100 }\n'],
});

function published(self: CheckedResource, at: (address: string) => CheckedResource | undefined): PublishedPort[] {
  const { publishedPort: port, protocol = 'tcp', publishMode = 'ingress' } = self.values;
  const service = at(self.parent ?? '');
  if (port === undefined || service === undefined || service.unknown?.includes('serverId') === true) return [];
  if (publishedBySwarm(service) !== undefined) return [];
  const { serverId: server = null } = service.values;
  const isPerMachine = publishMode === 'host';
  return [{ field: 'publishedPort', port, protocol, server, service: service.address, isPerMachine }];
}
