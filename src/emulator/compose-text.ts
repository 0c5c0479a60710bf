import { parse, stringify } from 'yaml';
import { addRoutes, platformNetwork } from './compose-routes.ts';
import { failed } from './error-answers.ts';
import { textOr, type Json, type Row, isMap, mapOf } from './json-rows.ts';

/** Reads and rewrites the text of compose files. */

/**
 * A compose file's content as the platform reads it; null for an empty one. `<<` is a key like others. A number with more digits
 * than a float has changes.
 */
export function parseComposeFile(text: string): Row | null {
  let content: unknown;
  try {
    content = parse(text, { maxAliasCount: 10_000, logLevel: 'error' }); // measured: the limit of the reference server
  } catch (cause) {
    throw failed(`The compose file is not YAML: ${(cause as Error).message}`);
  }
  return isMap(content) ? content : null;
}

/** The names of the services in a compose file. */
export function serviceNames(content: Row | null): string[] {
  return Object.keys(mapOf(content?.['services']));
}

/** The services of a compose file that are maps, by name. */
export function serviceMaps(content: Row | null): Readonly<Record<string, Row>> {
  const services = Object.entries(mapOf(content?.['services']));
  return Object.fromEntries(services.map(([name, service]) => [name, mapOf(service)]));
}

/** A compose file as the platform writes it back. */
export function formatComposeFile(content: Row | null): string {
  return stringify(content, { lineWidth: 0 });
}

/**
 * The compose file of a row as a deployment writes it: with a suffix, and checked. Domains that are switched off count
 * for nothing.
 */
export function convertedFile(content: Row | null, row: Row, domains: readonly Row[]): Row | null {
  const suffix = suffixOf(row);
  const converted = suffix === '' ? content : withSuffix(content, suffix);
  for (const { host, serviceName, enabled } of domains) {
    if (enabled === false) continue;
    const domain = `Domain "${String(host)}"`;
    if (typeof serviceName !== 'string' || serviceName === '') throw failed(`${domain} is missing a service name`);
    if (converted !== null && !serviceNames(converted).includes(serviceName)) {
      const message = `${domain} is attached to service "${serviceName}" which does not exist in the compose`;
      throw failed(message);
    }
  }
  if (converted !== null) addRoutes(converted, row, domains);
  return converted;
}

/** The suffix that a deployment gives to names; '' for none: isolation wins, and randomize alone does nothing. */
function suffixOf(row: Row): string {
  const { randomize, isolatedDeployment } = row;
  return randomize === true && isolatedDeployment !== true ? textOr(row, 'suffix') : '';
}

/** The volumes of a compose file that one of its services mounts, by the name docker gives them. */
export function mountsOfService(content: Row | null, appName: string, serviceName: string): Json[] {
  const declared = Object.keys(mapOf(content?.['volumes']));
  return mountsIn(mapOf(mapOf(content?.['services'])[serviceName])).flatMap(({ source, target }): Json[] => {
    if (!declared.includes(source)) return [];
    const name = `${appName}_${source}`;
    return [{ Type: 'volume', Name: name, Source: `/var/lib/docker/volumes/${name}/_data`, Destination: target }];
  });
}

/** A mount of a service. */
interface ServiceMount {
  readonly type: string;
  readonly source: string;
  readonly target: string;
  readonly isReadOnly: boolean;
}

/** The mounts of a service, in their short and in their long form. */
export function mountsIn(service: Row): ServiceMount[] {
  const { volumes } = service;
  return (Array.isArray(volumes) ? volumes : []).map((volume) => {
    if (isMap(volume)) {
      const { read_only: isReadOnly } = volume;
      const [type = '', source = '', target = ''] = ['type', 'source', 'target'].map((member) =>
        textOr(volume, member),
      );
      return { type, source, target, isReadOnly: isReadOnly === true };
    }
    const [first = '', second, options = ''] = String(volume).split(':');
    const source = second === undefined ? '' : first;
    const type = /^[./~]/.test(source) ? 'bind' : 'volume';
    return { type, source, target: second ?? first, isReadOnly: options.split(',').includes('ro') };
  });
}

/** The same stack under other names: everything that the file names itself gets a suffix. */
export function withSuffix(content: Row | null, suffix: string): Row | null {
  if (content === null) return null;
  const renamed = (name: string) => `${name}-${suffix}`;
  const rename = (map: Json | undefined): Row =>
    Object.fromEntries(Object.entries(mapOf(map)).map(([name, value]) => [renamed(name), value]));
  const own = (network: string) => (network === platformNetwork ? network : renamed(network));
  /** Names in a list, or as the keys of a map. */
  const names = (list: Json, named = renamed): Json => {
    if (Array.isArray(list)) return list.map((name) => (typeof name === 'string' ? named(name) : renamedSource(name)));
    if (isMap(list)) return Object.fromEntries(Object.entries(list).map(([name, value]) => [named(name), value]));
    return list;
  };
  /** A config or a secret in its long form. */
  const renamedSource = (item: Json): Json => {
    const { source } = mapOf(item);
    return typeof source === 'string' ? { ...mapOf(item), source: renamed(source) } : item;
  };
  /** The networks of a service; of what it says of each, only `aliases` keeps its key. */
  const joined = (networks: Json): Json => {
    if (Array.isArray(networks)) return names(networks, own);
    const inner = (value: Json): Json =>
      isMap(value)
        ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key === 'aliases' ? key : renamed(key), item]))
        : value;
    return Object.fromEntries(Object.entries(mapOf(networks)).map(([name, value]) => [own(name), inner(value)]));
  };
  const declared = Object.keys(mapOf(content['volumes']));
  const volume = (item: Json): Json => {
    if (typeof item !== 'string') return declared.includes(String(mapOf(item)['source'])) ? renamedSource(item) : item;
    const [source = '', ...rest] = item.split(':');
    return declared.includes(source) ? [renamed(source), ...rest].join(':') : item;
  };
  const renamers: Readonly<Record<string, (value: Json) => Json>> = {
    depends_on: (value) => names(value),
    links: (value) => names(value),
    volumes_from: (value) => names(value),
    configs: (value) => names(value),
    secrets: (value) => names(value),
    networks: joined,
    volumes: (value) => (Array.isArray(value) ? value.map(volume) : value),
    container_name: (value) => (typeof value === 'string' ? renamed(value) : value),
    extends: (value) => {
      const { service } = mapOf(value);
      if (typeof value === 'string') return renamed(value);
      return typeof service === 'string' ? { ...mapOf(value), service: renamed(service) } : value;
    },
  };
  const services = Object.entries(mapOf(content['services'])).map(([name, value]): [string, Json] => {
    const members = Object.entries(mapOf(value)).map(([member, told]): [string, Json] => [
      member,
      Object.hasOwn(renamers, member) ? (renamers[member]?.(told) ?? told) : told,
    ]);
    return [renamed(name), Object.fromEntries(members)];
  });

  const result: Row = { ...content, services: Object.fromEntries(services) };
  for (const member of ['volumes', 'configs', 'secrets'])
    if (content[member] !== undefined) result[member] = rename(content[member]);
  if (content['networks'] !== undefined) result['networks'] = names(content['networks'], own);
  return result;
}
