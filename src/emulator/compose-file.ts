import { parse, stringify } from 'yaml';
import { ApiError } from './errors.ts';
import type { Json, Row } from './json.ts';

/** Reads and rewrites the text of compose files. */

/** A compose file's content; null for an empty one. */
export function parseComposeFile(text: string): Row | null {
  let content: unknown;
  try {
    content = parse(text, { merge: true });
  } catch (cause) {
    throw new ApiError('INTERNAL_SERVER_ERROR', `The compose file is not YAML: ${(cause as Error).message}`);
  }
  return isMap(content) ? (content as Row) : null;
}

/** The names of the services in a compose file. */
export function serviceNames(content: Row | null): string[] {
  return Object.keys(mapOf(content?.['services']));
}

/** A compose file as the platform writes it back. */
export function formatComposeFile(content: Row | null): string {
  return stringify(content, { lineWidth: 0 });
}

/** Every domain of a compose must name a service that the file has; the conversion fails otherwise. */
export function checkDomains(content: Row | null, domains: readonly Row[]): void {
  for (const { serviceName } of domains) {
    if (typeof serviceName !== 'string' || serviceName === '')
      throw new ApiError('INTERNAL_SERVER_ERROR', 'Service name not found');
    if (content !== null && !serviceNames(content).includes(serviceName))
      throw new ApiError('INTERNAL_SERVER_ERROR', `The service ${serviceName} not found in the compose`);
  }
}

/** The volumes of a compose file that one of its services mounts, by the name docker gives them. */
export function mountsOfService(content: Row | null, appName: string, serviceName: string): Json[] {
  const volumes = mapOf(mapOf(content?.['services'])[serviceName])['volumes'];
  const declared = Object.keys(mapOf(content?.['volumes']));
  return (Array.isArray(volumes) ? volumes : []).flatMap((volume): Json[] => {
    const [source = '', destination = ''] = (typeof volume === 'string' ? volume : '').split(':');
    if (!declared.includes(source)) return [];
    const name = `${appName}_${source}`;
    return [{ Type: 'volume', Name: name, Source: `/var/lib/docker/volumes/${name}/_data`, Destination: destination }];
  });
}

/** The same stack under other names: services, networks and volumes get a suffix. */
export function withSuffix(content: Row | null, suffix: string): Row | null {
  if (content === null) return null;
  const rename = (map: Json | undefined): Row =>
    Object.fromEntries(Object.entries(mapOf(map)).map(([name, value]) => [`${name}-${suffix}`, value]));
  const names = (list: Json | undefined): Json | undefined =>
    Array.isArray(list)
      ? list.map((name) => (typeof name === 'string' ? `${name}-${suffix}` : name))
      : isMap(list)
        ? rename(list)
        : list;

  const services = Object.entries(mapOf(content['services'])).map(([name, value]): [string, Json] => {
    const service: Row = { ...mapOf(value) };
    for (const member of ['depends_on', 'networks']) {
      const renamed = names(service[member]);
      if (renamed !== undefined) service[member] = renamed;
    }
    const volumes = service['volumes'];
    const declared = Object.keys(mapOf(content['volumes']));
    if (Array.isArray(volumes)) {
      service['volumes'] = volumes.map((volume) => {
        const [source = '', ...rest] = (typeof volume === 'string' ? volume : '').split(':');
        return declared.includes(source) ? [`${source}-${suffix}`, ...rest].join(':') : volume;
      });
    }
    return [`${name}-${suffix}`, service];
  });

  const result: Row = { ...content, services: Object.fromEntries(services) };
  for (const member of ['volumes', 'networks']) {
    if (content[member] !== undefined) result[member] = rename(content[member]);
  }
  return result;
}

function mapOf(value: Json | undefined): Row {
  return isMap(value) ? (value as Row) : {};
}

function isMap(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
