import { textOf, textOr, type Json, type Row, isMap } from './json-rows.ts';

/** The network of the platform's proxy, which no file owns. */
export const platformNetwork = 'dokploy-network';

/**
 * Adds the routes of the domains of a compose to the services that the file itself has: labels and a network. Two services that
 * are one alias get both; what comes with `<<` is not seen, and replaced. All services of an isolated one get its own network.
 */
export function addRoutes(content: Row, row: Row, domains: readonly Row[]): void {
  const isIsolated = row['isolatedDeployment'] === true;
  const isStack = row['composeType'] === 'stack';
  const network = isIsolated ? isolatedNetwork(row) : platformNetwork;
  const services = isMap(content['services']) ? content['services'] : {};
  if (isIsolated) {
    mapIn(content, 'networks')[network] = { name: network, external: true };
    for (const name of Object.keys(services)) join(mapIn(services, name), [network]);
  }
  for (const domain of domains.filter(({ enabled }) => enabled !== false)) {
    const service = mapIn(services, String(domain['serviceName']));
    const holder = isStack ? mapIn(service, 'deploy') : service;
    const labels = [
      `traefik.${isStack ? 'swarm' : 'docker'}.network=${network}`,
      'traefik.enable=true',
      ...labelsOf(textOf(row, 'appName'), domain),
    ];
    holder['labels'] = withLabels(holder['labels'], labels);
    if (!isIsolated) join(service, [network, 'default']);
  }
  // A file need not declare the network of the platform that its services use.
  if (!isIsolated && Object.values(services).some(usesPlatform)) {
    mapIn(content, 'networks')[platformNetwork] = { external: true };
  }
}

/** The network of an isolated compose, as its file names it; the platform makes one with the appName. */
function isolatedNetwork(row: Row): string {
  return textOr(row, 'suffix') === '' ? textOf(row, 'appName') : textOf(row, 'suffix');
}

function usesPlatform(service: Json): boolean {
  const networks = isMap(service) ? service['networks'] : undefined;
  return Array.isArray(networks) ? networks.includes(platformNetwork) : isMap(networks) && platformNetwork in networks;
}

function join(service: Row, names: readonly string[]): void {
  service['networks'] = withNetworks(service['networks'], names);
}

function labelsOf(appName: string, { host, port, path, https, uniqueConfigKey }: Row): string[] {
  const begin = typeof path === 'string' && path !== '/' ? ` && PathPrefix(\`${path}\`)` : '';
  return ['web', ...(https === true ? ['websecure'] : [])].flatMap((entrypoint) => {
    const name = `${appName}-${String(uniqueConfigKey)}-${entrypoint}`;
    return [
      `traefik.http.routers.${name}.rule=Host(\`${String(host)}\`)${begin}`,
      `traefik.http.routers.${name}.entrypoints=${entrypoint}`,
      `traefik.http.services.${name}.loadbalancer.server.port=${String(port)}`,
    ];
  });
}

function withLabels(labels: Json | undefined, more: readonly string[]): Json {
  if (Array.isArray(labels)) return [...more.filter((label) => !labels.includes(label)), ...labels];
  if (!isMap(labels)) return [...more];
  return {
    ...labels,
    ...Object.fromEntries(more.map((label) => label.split(/=(.*)/s).slice(0, 2) as [string, string])),
  };
}

/** The networks of a service, and others. */
export function withNetworks(networks: Json | undefined, names: readonly string[]): Json {
  if (Array.isArray(networks)) return [...networks, ...names.filter((name) => !networks.includes(name))];
  const added = names.filter((name) => !Object.hasOwn(isMap(networks) ? networks : {}, name));
  return isMap(networks) ? { ...networks, ...Object.fromEntries(added.map((name) => [name, {}])) } : added;
}

/** The map in a member, which is made where there is none. */
function mapIn(row: Row, member: string): Row {
  const value = row[member];
  if (isMap(value)) return value;
  const made: Row = {};
  row[member] = made;
  return made;
}
