import { itemsOf, mapOf } from '../../compose/service-parts.ts';
import type { CheckedResource, Problem, PublishedPort } from '../../kind/checks.ts';
import type { Json } from '../../formats/json.ts';
import { ignoredField, isSet } from './ignored-fields.ts';

/**
 * The settings of Swarm that the platform takes in place of other fields, also where they are empty: it asks only whether there
 * is one. Source: generateConfigContainer, mechanizeDockerContainer and resolveServiceNetworks of v0.30.2.
 */

/** Fields and ports that have no effect beside a setting of Swarm. `children`: the blocks below the service. */
export function swarmWorks(self: CheckedResource, children: readonly CheckedResource[] = []): readonly Problem[] {
  const { values } = self;
  const spec = mapOf(values.endpointSpecSwarm);
  const replicated = mapOf(mapOf(values.modeSwarm).Replicated);
  const isLost = (port: Json | undefined) => port !== undefined && !publishes(spec, port);
  const own: readonly (readonly [string, string, boolean, string])[] = [
    ['replicas', 'modeSwarm', replicated.Replicas !== values.replicas, 'modeSwarm: { Replicated: { Replicas: … } }'],
    ['networkIds', 'networkSwarm', itemsOf(self.written('networkIds')).length > 0, 'networkSwarm: [{ Target: … }]'],
    [
      'detachDokployNetwork',
      'networkSwarm',
      values.detachDokployNetwork === true,
      'networkSwarm without dokploy-network',
    ],
    ['externalPort', 'endpointSpecSwarm', isLost(values.externalPort), inEndpoint],
  ];
  const found = own
    .filter(([field, swarm, isLeft]) => isSet(self, field) && isSet(self, swarm) && isLeft)
    .map(([field, swarm, , instead]) => replaced(self, field, swarm, instead));
  if (!isSet(self, 'endpointSpecSwarm')) return found;
  const ports = children.filter(({ kind, values: { publishedPort } }) => kind === 'port' && isLost(publishedPort));
  const swarm = `endpointSpecSwarm of ${self.address}`;
  return [...found, ...ports.map((port) => replaced(port, 'publishedPort', swarm, inEndpoint))];
}

const inEndpoint = 'endpointSpecSwarm: { Ports: [{ … }] }';

function replaced(self: CheckedResource, field: string, swarm: string, instead: string): Problem {
  const message = `the platform takes ${swarm} in place of it: it has no effect`;
  return ignoredField(self, field, { message, remedy: `Write it in ${instead}, or leave one of the two out.` });
}

function publishes(spec: ReturnType<typeof mapOf>, port: Json): boolean {
  return itemsOf(spec.Ports).some((one) => mapOf(one).PublishedPort === port);
}

/** The ports of its server that endpointSpecSwarm publishes; undefined: the block has none, and its other fields do. */
export function publishedBySwarm(self: CheckedResource): readonly PublishedPort[] | undefined {
  if (!isSet(self, 'endpointSpecSwarm')) return undefined;
  const { address: service, values, unknown } = self;
  if (unknown?.includes('serverId') === true) return [];
  const { serverId: server = null } = values;
  return itemsOf(mapOf(values.endpointSpecSwarm).Ports)
    .map(mapOf)
    .flatMap(({ PublishedPort: port = 0, Protocol: protocol = 'tcp', PublishMode: mode = 'host' }) =>
      port === 0
        ? []
        : [{ field: 'endpointSpecSwarm', port, protocol, server, service, isPerMachine: mode === 'host' }],
    );
}
