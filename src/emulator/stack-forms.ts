import { type Json, type Row, isMap, mapOf } from './json-rows.ts';

/** What a stack refuses of a compose file, in docker's words. Measured with `docker stack config` of docker 28. */

/** Members of services that a stack does not know. */
const unknown = new Set(
  `annotations attach blkio_config cgroup cpu_count cpu_period cpus credential develop device_cgroup_rules dns_opt gpus
  group_add label_file mem_reservation mem_swappiness models oom_kill_disable pids_limit platform post_start pre_stop profiles
  provider pull_policy runtime scale storage_opt use_api_socket user_ns uts`.split(/\s+/),
);
/** Members that it knows, and forbids. */
const forbidden = [
  'extends',
  'volume_driver',
  'volumes_from',
  'cpu_quota',
  'cpu_shares',
  'cpuset',
  'mem_limit',
  'memswap_limit',
];
const unknownAtTop = ['name', 'include', 'models'];
/** Members of services whose values are texts. */
const texts = ['user', 'hostname', 'restart', 'working_dir', 'container_name', 'stop_grace_period'];

/** Why a stack refuses a file whose variables are not in it yet: a text with one can be a number afterwards. */
export function formProblem(content: Row): string | undefined {
  return [
    ...unknownAtTop.filter((key) => content[key] !== undefined).map((key) => notAllowed('(root)', key)),
    ...versionProblems(content['version']),
    ...Object.entries(mapOf(content['services'])).flatMap(([name, service]) =>
      serviceProblems(`services.${name}`, mapOf(service)),
    ),
    ...['configs', 'secrets'].flatMap((section) =>
      Object.entries(mapOf(content[section])).flatMap(([key, value]) =>
        ['content', 'environment']
          .filter((member) => mapOf(value)[member] !== undefined)
          .map((member) => notAllowed(`${section}.${key}`, member)),
      ),
    ),
  ][0];
}

function serviceProblems(at: string, service: Row): string[] {
  return [
    ...forbidden.filter((key) => service[key] !== undefined).map(() => 'Configuration contains forbidden properties'),
    ...Object.keys(service)
      .filter((key) => unknown.has(key))
      .map((key) => notAllowed(at, key)),
    ...texts.filter((key) => !isText(service[key])).map((key) => `${at}.${key} must be a string`),
    ...['environment', 'labels'].flatMap((key) =>
      Object.entries(mapOf(service[key]))
        .filter(([, value]) => typeof value === 'boolean')
        .map(([entry]) => `${at}.${key}.${entry} must be a string, number or null`),
    ),
    ...(isMap(service['depends_on']) ? [`${at}.depends_on must be a list`] : []),
    ...listOf(service['env_file']).flatMap((file, index) =>
      isMap(file) ? [`${at}.env_file.${index} must be a string`] : [],
    ),
    ...listOf(service['command']).flatMap((word, index) =>
      isText(word) ? [] : [`${at}.command.${index} must be a string`],
    ),
    ...(new Set(listOf(service['ports']).map((port) => JSON.stringify(port))).size < listOf(service['ports']).length
      ? [`${at}.ports array items[0,1] must be unique`]
      : []),
    ...listOf(service['ports']).flatMap((port, index) => portProblems(`${at}.ports.${index}`, port)),
    ...resourceProblems(`${at}.deploy.resources`, mapOf(mapOf(service['deploy'])['resources'])),
  ];
}

function notAllowed(at: string, key: string): string {
  return `${at} Additional property ${key} is not allowed`;
}

function versionProblems(version: Json | undefined): string[] {
  if (version === undefined) return [];
  if (typeof version !== 'string') return ['version must be a string'];
  return /^(?:3(?:\.(?:\d|1[0-3]))?)?$/.test(version) ? [] : [`unsupported Compose file version: ${version}`];
}

function portProblems(at: string, port: Json): string[] {
  if (!isMap(port)) return [];
  const key = Object.keys(port).find((member) => !['mode', 'target', 'published', 'protocol'].includes(member));
  if (key !== undefined) return [notAllowed(at, key)];
  const { published } = port;
  return typeof published === 'string' && !published.includes('$') ? [`${at}.published must be a integer`] : [];
}

function resourceProblems(at: string, resources: Row): string[] {
  return ['limits', 'reservations'].flatMap((key) => {
    const { cpus, devices } = mapOf(resources[key]);
    return [
      ...(devices === undefined ? [] : [notAllowed(`${at}.${key}`, 'devices')]),
      ...(isText(cpus) ? [] : [`${at}.${key}.cpus must be a string`]),
    ];
  });
}

function isText(value: Json | undefined): boolean {
  return value === undefined || typeof value === 'string';
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}
