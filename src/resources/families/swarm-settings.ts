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
  // As they are written: of what is not known yet, the rest counts.
  const spec = self.written('endpointSpecSwarm');
  const { Replicas } = mapOf(mapOf(self.written('modeSwarm')).Replicated);
  const hasOwnNumber = Replicas !== undefined && mayBe(Replicas, self.written('replicas'));
  const isLost = (port: Json | undefined) => port !== undefined && !publishes(spec, port);
  const own: readonly (readonly [string, string, boolean, string])[] = [
    ['replicas', 'modeSwarm', !hasOwnNumber, 'modeSwarm: { Replicated: { Replicas: … } }'],
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

function publishes(spec: Json | undefined, port: Json): boolean {
  const { Ports } = mapOf(spec);
  return isOpen(spec) || isOpen(Ports) || itemsOf(Ports).some((one) => mayBe(mapOf(one).PublishedPort, port));
}

/** Whether two numbers are the same, or may be: of one, an expression is written whose value is not known. */
function mayBe(a: Json | undefined, b: Json | undefined): boolean {
  return a === b || isOpen(a) || isOpen(b);
}

/** Whether an expression whose value is not known stands in the place of a number, a list or a map. */
export function isOpen(value: Json | undefined): value is string {
  return typeof value === 'string';
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
