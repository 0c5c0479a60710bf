import { posix } from 'node:path';
import { mountsIn, serviceMaps } from './compose-text.ts';
import { envFilesIn } from './container-variables.ts';
import { contentOnHost } from './host-files.ts';
import { textOf, textOr, type Json, type Row, isMap, mapOf } from './json-rows.ts';
import type { Store } from './table-store.ts';

/** What stops docker when it is given a compose file. */

/** The files that a deployment finds beside the compose file. */
export interface Beside {
  /** Whether docker finds a path of the file; a repository is never reached, so all of it is there. */
  has(path: string): boolean;
}

/** The files of a compose: a raw one has its own file, the one with its variables, and those of its file mounts. */
export function filesBeside(store: Store, row: Row): Beside {
  const mounts = store.children('mount', 'composeId', row['composeId']).filter(({ type }) => type === 'file');
  const there = mounts.filter((mount) => contentOnHost(store, mount) !== undefined);
  const files = there.map((mount) => posix.join('files', textOr(mount, 'filePath')));
  const isRaw = row['sourceType'] === 'raw';
  const own = [
    'code/docker-compose.yml',
    ...(row['createEnvFile'] !== false && isBesideFile(row) ? ['code/.env'] : []),
  ];
  return {
    has(path) {
      if (posix.isAbsolute(path) || path.startsWith('~')) return true;
      const full = posix.join('code', path);
      if (!isRaw && full.startsWith('code/')) return true;
      return [...own, ...files].some((file) => file === full || file.startsWith(`${full}/`));
    },
  };
}

/** Whether the file with the variables is written where compose looks for it. */
export function isBesideFile(row: Row): boolean {
  return row['sourceType'] !== 'raw' || posix.dirname(posix.normalize(textOr(row, 'composePath', '.'))) === '.';
}

/**
 * Why docker refuses a compose file whose variables are in it; undefined: it does not. Of services that do not start compose reads
 * the form only; a stack starts all.
 */
export function composeProblem(
  { content, started }: { readonly content: Row; readonly started: Row },
  row: Row,
  beside: Beside,
): string | undefined {
  const services = content['services'];
  if (services === undefined || services === null) return 'no service selected';
  if (!isMap(services)) return 'services must be a mapping';
  const isStack = row['composeType'] === 'stack';
  const about = { content, beside, isStack, maps: serviceMaps(content), started: serviceMaps(started) };
  for (const [name, service] of Object.entries(services)) {
    if (!isMap(service)) return `services.${name} must be a mapping`;
    const one = { ...about, name, service };
    const problem =
      specProblem(one) ??
      (isStack ? undefined : valueProblem(one)) ??
      (about.started[name] === undefined
        ? undefined
        : ((isStack ? stackProblem(one) : buildProblem(one)) ?? referenceProblem(one) ?? fileProblem(one)));
    if (problem !== undefined) return problem;
  }
  const isLeft = content['include'] !== undefined || (isStack && Object.keys(services).length === 0);
  if (!isLeft && Object.keys(about.started).length === 0) return 'no service selected';
  return includeProblem(content, beside) ?? sourceProblem(started, row, beside);
}

interface About {
  readonly name: string;
  readonly service: Row;
  readonly content: Row;
  readonly beside: Beside;
  readonly maps: Readonly<Record<string, Row>>;
  /** The services that start. */
  readonly started: Readonly<Record<string, Row>>;
  readonly isStack: boolean;
}

/** A stack builds nothing. */
function stackProblem({ name, service }: About): string | undefined {
  const image = textOr(service, 'image');
  return image === '' ? `invalid image reference for service ${name}: no image specified` : imageProblem(image);
}

function imageProblem(image: string): string | undefined {
  return /^[:@/]|[:@/]$|\s/.test(image) ? `invalid reference format: ${image}` : undefined;
}

function buildProblem({ name, service, beside }: About): string | undefined {
  const { build, image } = service;
  if (build === undefined || build === null) {
    if (service['extends'] !== undefined || service['provider'] !== undefined) return undefined;
    return textOr(service, 'image') === ''
      ? `service "${name}" has neither an image nor a build context specified: invalid compose project`
      : imageProblem(String(image));
  }
  const context = isMap(build) ? textOr(build, 'context', '.') : String(build);
  if (/^(https?:|git@|ssh:|git:|github\.com\/|docker-image:)/.test(context)) return undefined;
  if (isMap(build) && build['dockerfile_inline'] !== undefined && beside.has(context)) return undefined;
  if (!beside.has(context)) return `unable to prepare context: path "${context}" not found`;
  const file = posix.join(context, isMap(build) ? textOr(build, 'dockerfile', 'Dockerfile') : 'Dockerfile');
  return beside.has(file)
    ? undefined
    : `failed to read dockerfile: open ${posix.basename(file)}: no such file or directory`;
}

/** Ports and volumes with a part that is empty. */
function specProblem({ name, service, isStack }: About): string | undefined {
  const shorts = (key: string) =>
    (Array.isArray(service[key]) ? service[key] : []).filter((item) => typeof item === 'string');
  const port = shorts('ports').find((text) => /(?:^|:)(?:\/\w*)?$/.test(text));
  if (port !== undefined)
    return isStack ? `services.${name}.ports.0 Does not match format 'ports'` : `no port specified: ${port}<empty>`;
  const volume = shorts('volumes').find((text) => /^$|^:|::|:$/.test(text));
  if (volume === undefined) return undefined;
  return volume === '' ? 'invalid empty volume spec' : `invalid spec: ${volume}: empty section between colons`;
}

/** What texts of a service must be, with what compose says of others; of the many forms those that tests deploy. */
const forms: readonly (readonly [RegExp, RegExp, string])[] = [
  [/^(?:init|privileged|read_only|stdin_open|tty)$/, /^(?:true|false|y|yes|on|n|no|off)$/i, 'invalid boolean: '],
  [/^(?:mem_limit|mem_reservation|memswap_limit|shm_size)$/, /^-?\d[^h-z]*[bkmgt]{0,2}$/i, 'invalid size: '],
  [/^(?:interval|start_period|stop_grace_period|timeout)$/, /^(?:0|(?:[\d.]+[a-z]+)+)$/, 'time: invalid duration '],
];

/** Values of another type than compose reads there. */
function valueProblem({ name, service }: About): string | undefined {
  const { healthcheck } = service;
  const all = [...Object.entries(service), ...(isMap(healthcheck) ? Object.entries(healthcheck) : [])];
  const wrong = all.flatMap(([key, value]) =>
    forms.flatMap(([keys, form, problem]) =>
      keys.test(key) && !form.test(String(value)) ? [`services.${name}.${key}: ${problem}${String(value)}`] : [],
    ),
  );
  return wrong[0];
}

/** The sections whose names services use, with the word for one of them. */
const sections = { networks: 'network', volumes: 'volume', configs: 'config', secrets: 'secret' } as const;

function referenceProblem({ name, service, content, maps, started, isStack }: About): string | undefined {
  if (!isStack && service['network_mode'] !== undefined && service['networks'] !== undefined)
    return `service "${name}" declares mutually exclusive \`network_mode\` and \`networks\`: invalid compose project`;
  const missing = (section: keyof typeof sections, used: string) =>
    Object.hasOwn(mapOf(content[section]), used) || (section === 'networks' && used === 'default')
      ? []
      : [`service "${name}" refers to undefined ${sections[section]} ${used}: invalid compose project`];
  const member = networkMembers(service).find(([, key]) => !membersOfNetworks.has(key));
  if (member !== undefined)
    return `services.${name}.networks.${member[0]} additional properties '${member[1]}' not allowed`;
  // A stack starts all at once.
  const dependencies = isStack ? [] : servicesNamed(service);
  return [
    ...dependencies
      .filter(({ other, isOptional }) => maps[other] === undefined || (!isOptional && started[other] === undefined))
      .map(({ other }) => `service "${name}" depends on undefined service "${other}": invalid compose project`),
    ...namesIn(service['networks']).flatMap((used) => missing('networks', used)),
    ...['configs', 'secrets'].flatMap((section) =>
      sourcesIn(service[section]).flatMap((used) => missing(section as 'configs', used)),
    ),
    ...mountsIn(service)
      .filter(({ type, source }) => type === 'volume' && source !== '')
      .flatMap(({ source }) => missing('volumes', source)),
  ][0];
}

/** What compose and stacks take of a network of a service, together. */
const membersOfNetworks = new Set(
  'aliases driver_opts gw_priority interface_name ipv4_address ipv6_address link_local_ips mac_address priority'.split(
    ' ',
  ),
);

function networkMembers({ networks }: Row): [string, string][] {
  return Object.entries(mapOf(networks)).flatMap(([name, value]) =>
    Object.keys(mapOf(value)).map((key): [string, string] => [name, key]),
  );
}

/** The services that one cannot be without: compose makes a dependency of each of them. */
export function servicesNamed(service: Row): { readonly other: string; readonly isOptional: boolean }[] {
  const listed = ['links', 'volumes_from'].flatMap((key) =>
    namesIn(service[key]).map((text) => text.split(':')[0] ?? ''),
  );
  const shared = ['network_mode', 'ipc', 'pid'].flatMap(
    (key) => /^service:(.*)$/.exec(textOr(service, key))?.[1] ?? [],
  );
  return [
    ...namesIn(service['depends_on']).map((other) => ({
      other,
      isOptional: mapOf(mapOf(service['depends_on'])[other])['required'] === false,
    })),
    ...[...listed.filter((other) => other !== 'container'), ...shared].map((other) => ({ other, isOptional: false })),
  ];
}

function fileProblem({ service, beside }: About): string | undefined {
  const lost = envFilesIn(service['env_file']).find(({ path, isRequired }) => isRequired && !beside.has(path));
  if (lost !== undefined) return `env file ${lost.path} not found: no such file or directory`;
  const base = textOr(mapOf(service['extends']), 'file');
  return base === '' || beside.has(base) ? undefined : `open ${base}: no such file or directory`;
}

function includeProblem(content: Row, beside: Beside): string | undefined {
  const included = content['include'];
  const paths = (Array.isArray(included) ? included : []).flatMap((item) => {
    const path = isMap(item) ? item['path'] : item;
    return (Array.isArray(path) ? path : [path ?? []].flat()).map(String);
  });
  const lost = paths.find((path) => !/^(https?|git|oci):/.test(path) && !beside.has(path));
  return lost === undefined ? undefined : `open ${lost}: no such file or directory`;
}

/** Files behind configs and secrets: compose mounts those of services that start, a stack reads all. */
function sourceProblem(content: Row, row: Row, beside: Beside): string | undefined {
  const isStack = row['composeType'] === 'stack';
  const services = Object.values(serviceMaps(content));
  const isUsed = (section: string, name: string) =>
    isStack || services.some((service) => sourcesIn(service[section]).includes(name));
  const lost = ['configs', 'secrets']
    .flatMap((section) => Object.entries(mapOf(content[section])).filter(([name]) => isUsed(section, name)))
    .map(([, source]) => textOr(mapOf(source), 'file'))
    .find((file) => file !== '' && !beside.has(file));
  if (lost === undefined) return undefined;
  if (isStack) return `open ${lost}: no such file or directory`;
  return noSource(row, lost);
}

/** Why Swarm does not start a service: it mounts a file or folder that is not there. */
export function lostMount(service: Row, row: Row, beside: Beside): string | undefined {
  const lost = mountsIn(service).find(({ type, source }) => type === 'bind' && !beside.has(source));
  return lost === undefined ? undefined : noSource(row, lost.source);
}

function noSource(row: Row, path: string): string {
  const folder = posix.join('/etc/dokploy/compose', textOf(row, 'appName'), 'code', path);
  return `invalid mount config for type "bind": bind source path does not exist: ${folder}`;
}

/** Names in a list, or the keys of a map. */
function namesIn(value: Json | undefined): string[] {
  if (Array.isArray(value)) return value.map(String);
  return Object.keys(mapOf(value));
}

function sourcesIn(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.map((item) => (isMap(item) ? textOr(item, 'source') : String(item))) : [];
}
