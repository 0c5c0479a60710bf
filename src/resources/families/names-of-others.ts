import { entriesOf, itemsOf, mapOf } from '../../compose/service-parts.ts';
import { someOf } from '../../diagnostics/some-of.ts';
import { type Json, isObject } from '../../formats/json.ts';
import type { CheckedResource } from '../../kind/checks.ts';
import { serviceSuffix } from './compose-model.ts';
import { type Finding, type IsOwn, isOff } from './compose-reach.ts';
import { isOpen } from './swarm-settings.ts';

/**
 * Labels and names by which a preview gets what is meant for others. Sources: of Docker, buildEndpointDNSNames and
 * Sandbox.ResolveName, by which a name in an overlay, such as that of the platform, goes before one in another network; of the
 * platform, utils/docker/domain.ts, and setup/traefik-setup.ts, whose proxy reads the labels of all containers.
 */

type Definition = ReturnType<typeof mapOf>;

/** The network in which the platform has its services, and the proxy. */
export const ofPlatform = 'dokploy-network';

/** Labels that lead nothing anywhere. */
const harmless = /^traefik\.(?:enable|(?:docker|swarm)\.network)$/i;

/** The labels that the proxy, Docker or the platform acts on. Of a list, compose fills in the names too. */
function labelsOfOthers(labels: Json | undefined): readonly string[] {
  const isOpen = (name: string) => Array.isArray(labels) && name.includes('$');
  return [...entriesOf(labels).keys()].filter(
    (name) => isOpen(name) || (/^(?:traefik|com\.docker)\./i.test(name) && !harmless.test(name)),
  );
}

/** The finding for labels under any of some keys. */
function labelled(what: string, all: readonly (Json | undefined)[]): readonly Finding[] {
  const names = all.flatMap(labelsOfOthers);
  if (names.length === 0) return [];
  const labels = `the label${names.length === 1 ? '' : 's'} ${someOf(names, 3)}`;
  const message = `${what} has ${labels}, which the proxy or the platform reads`;
  const them = names.length === 1 ? 'it' : 'them';
  const remedy = `Remove ${them}, and write a domain under domains:; its middlewares: names those of the proxy.`;
  return [{ message, remedy }];
}

/** Labels of a service of a compose file that lead others. */
export function labelledForOthers(service: string, { labels, deploy, build }: Definition): readonly Finding[] {
  return labelled(`the service ${service}`, [labels, mapOf(deploy).labels, mapOf(build).labels]);
}

/** Names that others find services of a compose file by. `services`: with what they extend. */
export function namedForOthers(
  self: CheckedResource,
  { services, networks, children }: Named,
  isOwn: IsOwn,
): readonly Finding[] {
  const suffix = serviceSuffix((field) => self.values[field] ?? null);
  const routed = routedBy(children);
  const joined = [...services].filter(([name, definition]) =>
    isJoined({ names: [name, name + suffix], definition, networks }, self, routed),
  );
  const more = joined.flatMap(([name, definition]) => {
    const others = otherNames(definition, networks).filter((one) => one !== name && one !== name + suffix);
    return others.filter((one) => !isOwn(one)).map((one) => ({ name, one }));
  });
  const plain = joined.map(([name]) => name).filter((name) => !isOwn(name + suffix));
  // One of them has nobody in its own file that looks it up there.
  const isAlone = plain.length === 1 && plain.every((name) => isMember(routed, name) && !isCommon(name + suffix));
  return [
    ...more.map(({ name, one }) => ({
      message: `containers of others would find the service ${name} by ${one}`,
      remedy: 'Remove aliases: and hostname:, or write a variable with ${preview:id} into them.',
    })),
    ...(plain.length === 0 || isAlone ? [] : [foundByName(plain)]),
    ...foundByProxy(self, [...services.keys()]),
  ];
}

/** The proxy joins the network of an isolated compose, and looks a name up there first only where that is an overlay. */
function foundByProxy({ values }: CheckedResource, names: readonly string[]): readonly Finding[] {
  const isOverlay = values.isolatedDeployment === true && values.composeType === 'stack';
  const found = isOverlay ? names.filter((name) => taken.test(name)) : [];
  return found.map((name) => ({
    message: `the proxy would find the service ${name} by its name in place of one of the platform`,
    remedy: 'Give it a name without a dot that does not begin with dokploy, or end with - and six letters or digits.',
  }));
}

interface Named {
  readonly services: ReadonlyMap<string, Definition>;
  /** The definitions of networks. */
  readonly networks: Json | undefined;
  /** The blocks below the compose. */
  readonly children: readonly CheckedResource[];
}

function foundByName(names: readonly string[]): Finding {
  const [services, by] = names.length === 1 ? ['service', 'its name'] : ['services', 'their names'];
  return {
    message: `containers of others would find the ${services} ${someOf(names)} by ${by} in a network that they share, such as ${ofPlatform}`,
    remedy:
      'Write isolatedDeployment: true, for a network of its own; or randomize: true, and a suffix: with a variable that has ${preview:id}. ' +
      `One service with a domain may stay in ${ofPlatform} by a name such as web.`,
  };
}

/** The services that domains lead to; undefined: not all are known. */
function routedBy(children: readonly CheckedResource[]): ReadonlySet<Json | undefined> | undefined {
  const domains = children.filter(({ kind, values }) => kind === 'domain' && values.enabled !== false);
  if (domains.some(({ unknown }) => unknown?.includes('serviceName') === true)) return undefined;
  return new Set(domains.map(({ values }) => values.serviceName));
}

function isMember(all: ReadonlySet<Json | undefined> | undefined, name: string): boolean {
  return all?.has(name) === true;
}

/** Whether a service is in a network with others. */
function isJoined(
  { names, definition, networks }: Pick<Named, 'networks'> & { names: readonly string[]; definition: Definition },
  { values, unknown = [] }: CheckedResource,
  routed: ReturnType<typeof routedBy>,
): boolean {
  const isStack = values.composeType === 'stack';
  const isIsolated = values.isolatedDeployment === true;
  const byPlatform = itemsOf(values.serviceNetworks).some((item) => {
    const { serviceName, networkIds } = mapOf(item);
    return names.includes(String(serviceName)) && itemsOf(networkIds).length > 0;
  });
  if (byPlatform || unknown.includes('serviceNetworks')) return true;
  if (!isIsolated && (routed === undefined || routed.has(names[0]))) return true;
  if (!isStack && !isOff(definition.network_mode)) return false;
  const written = networksOf(definition);
  return (written.length === 0 ? ['default'] : written).some((key) => isWithOthers(key, networks));
}

function networksOf({ networks }: Definition): readonly string[] {
  return isObject(networks) ? Object.keys(networks) : itemsOf(networks).map(String);
}

/** Whether others are in a network of a service. One with a name of others is refused by itself. */
function isWithOthers(key: string, networks: Json | undefined): boolean {
  const { external, name } = mapOf(mapOf(networks)[key]);
  const called = isOff(external) ? undefined : (name ?? mapOf(external).name ?? key);
  return key === ofPlatform || key.includes('$') || called === ofPlatform;
}

/** The names that a service has beside its own: its host name everywhere, and aliases in the networks with others. */
function otherNames({ networks, hostname }: Definition, all: Json | undefined): readonly string[] {
  const aliases = Object.entries(mapOf(networks)).flatMap(([key, value]) =>
    isWithOthers(key, all) ? itemsOf(mapOf(value).aliases) : [],
  );
  return [...new Set([...aliases, ...(isOff(hostname) ? [] : [hostname ?? ''])].map(String))];
}

/**
 * Names of the platform, in the form of those that it makes up (six characters by chance, which are hardly a word of those here),
 * and of hosts elsewhere. A text that is not known has a $.
 */
const taken =
  /[.$]|^dokploy|-(?!(?:assets|client|editor|engine|portal|public|router|search|server|socket|static|studio|viewer|worker)$)[a-z0-9]{6}$/i;
/** Names that programs look up for what keeps their data. */
const lookedUp = new Set(
  `broker cache clickhouse database db elasticsearch kafka mariadb memcached minio mongo mongodb mysql nats opensearch pg
  postgres postgresql queue rabbitmq redis s3 valkey`.split(/\s+/),
);

function isCommon(name: string): boolean {
  return taken.test(name) || lookedUp.has(name.toLowerCase());
}

/** Labels, names and ports by which an application or a database gets what is meant for others. */
export function sharedByContainer({ values }: CheckedResource, isOwn: IsOwn) {
  const { labelsSwarm, networkSwarm, endpointSpecSwarm } = values;
  const known: IsOwn = (text) => !text.includes('$') && isOwn(text);
  const remove = (what: string) => `Remove ${what}, or write a variable with \${preview:id} into it.`;
  const networks = itemsOf(networkSwarm).map(mapOf);
  const aliases = networks.flatMap(({ Aliases }) => (isOpen(Aliases) ? [Aliases] : itemsOf(Aliases).map(String)));
  const targets = networks.map(({ Target }) => String(Target ?? ofPlatform));
  const { Ports } = mapOf(endpointSpecSwarm);
  const ports = itemsOf(Ports).map((port) => mapOf(port).PublishedPort ?? 0);
  const at = (field: string, findings: readonly Finding[]) => findings.map((finding) => ({ field, ...finding }));
  return [
    ...at('labelsSwarm', labelled('labelsSwarm', [labelsSwarm])),
    ...at('networkSwarm', [
      ...aliases
        .filter((alias) => !known(alias))
        .map((alias) => ({
          message: `networkSwarm has the alias ${alias}, by which containers of others would find it`,
          remedy: remove('the alias'),
        })),
      ...targets
        .filter((target) => target !== ofPlatform && !known(target))
        .map((target) => ({ message: `networkSwarm names ${target}, a network of others`, remedy: remove('it') })),
    ]),
    ...(ports.every((port) => port === 0) && !isOpen(Ports) && !isOpen(endpointSpecSwarm)
      ? []
      : at('endpointSpecSwarm', [
          {
            message: 'endpointSpecSwarm publishes a port that each preview would take',
            remedy: 'Reach it by a domain under domains:, which needs no published port.',
          },
        ])),
  ];
}
