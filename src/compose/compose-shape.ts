import { isOpen } from './interpolate.ts';
import {
  type Reader,
  type Shape,
  anything,
  each,
  list,
  map,
  number,
  options,
  text,
  textOrTexts,
  texts,
} from './shape.ts';

const truth: Shape = { is: 'boolean truth' };
const whole: Shape = { is: 'integer whole' };
const decimal: Shape = { is: 'number decimal' };
const amount: Shape = { is: 'number amount' };
const duration: Shape = { is: 'duration' };
const textOrNumber: Shape = { is: 'text number' };
const scalar: Shape = { is: 'text number boolean null' };
const pairs: Shape = { is: 'map list', values: scalar, items: text };
const either = (...words: readonly string[]): Shape => ({ is: words.join('|') });

const update = map({
  parallelism: whole,
  ...each('delay monitor', duration),
  failure_action: text,
  max_failure_ratio: decimal,
  order: either('start-first', 'stop-first'),
});
const devices = list(
  { ...each('capabilities device_ids', texts), count: textOrNumber, driver: text, options: pairs },
  '',
);
const deploy = map(
  {
    ...each('mode endpoint_mode', text),
    replicas: whole,
    labels: pairs,
    ...each('rollback_config update_config', update),
    resources: map({
      limits: map({ cpus: decimal, memory: { is: 'amount' }, pids: whole }),
      reservations: map({ cpus: decimal, memory: { is: 'amount' }, generic_resources: anything, devices }),
    }),
    restart_policy: map({ condition: text, ...each('delay window', duration), max_attempts: whole }),
    placement: map({
      constraints: texts,
      preferences: list({ spread: text }, ''),
      max_replicas_per_node: whole,
    }),
  },
  'null',
);
const ulimits: Shape = { is: 'map', values: map(each('hard soft', whole), 'integer whole') };
const hosts: Shape = { is: 'map list', values: textOrTexts, items: text };
const files = list({ ...each('source target uid gid', text), mode: textOrNumber }, 'text');
const build = map(
  {
    ...each('context dockerfile dockerfile_inline network target isolation', text),
    ...each('args labels additional_contexts', pairs),
    ...each('cache_from cache_to entitlements platforms tags', texts),
    ...each('no_cache privileged pull', truth),
    ...each('provenance sbom ssh', anything),
    no_cache_filter: textOrTexts,
    shm_size: amount,
    extra_hosts: hosts,
    secrets: files,
    ulimits,
  },
  'text',
);
const network = map(
  {
    ...each('aliases link_local_ips', texts),
    ...each('interface_name ipv4_address ipv6_address mac_address', text),
    driver_opts: options,
    ...each('priority gw_priority', number),
  },
  'null',
);
const mount = list(
  {
    type: either('bind', 'volume', 'tmpfs', 'cluster', 'npipe', 'image'),
    ...each('source target consistency', text),
    read_only: truth,
    bind: map({
      propagation: text,
      create_host_path: truth,
      recursive: either('enabled', 'disabled', 'writable', 'readonly'),
      selinux: either('z', 'Z'),
    }),
    volume: map({ labels: pairs, nocopy: truth, subpath: text }),
    tmpfs: map({ size: amount, mode: textOrNumber }),
    image: map({ subpath: text }),
  },
  'volume',
);

const service = map({
  deploy,
  build,
  ...each('annotations environment labels sysctls', pairs),
  ...each('attach init oom_kill_disable privileged read_only stdin_open tty', truth),
  ...each('cap_add cap_drop device_cgroup_rules dns_opt external_links links security_opt volumes_from', texts),
  profiles: texts,
  blkio_config: map({
    ...each('device_read_bps device_read_iops device_write_bps device_write_iops weight_device', anything),
    weight: whole,
  }),
  cgroup: either('host', 'private'),
  ...each(
    'cgroup_parent container_name cpuset domainname hostname image ipc isolation mac_address network_mode platform restart runtime stop_signal user userns_mode uts working_dir',
    text,
  ),
  ...each('command entrypoint', { ...textOrTexts, is: 'text list null' }),
  ...each('configs secrets', files),
  ...each('cpu_count cpu_percent cpu_period cpu_quota cpu_rt_period cpu_rt_runtime cpu_shares cpus', decimal),
  credential_spec: map(each('config file registry', text)),
  depends_on: {
    is: 'map list',
    values: map({
      restart: truth,
      required: truth,
      condition: either('service_started', 'service_healthy', 'service_completed_successfully'),
    }),
    items: text,
  },
  develop: anything,
  devices: list(each('source target permissions', text), 'text'),
  ...each('dns dns_search label_file tmpfs', textOrTexts),
  env_file: {
    is: 'text list',
    items: map({ ...each('path format', text), required: truth }, 'text'),
  },
  expose: { is: 'list', items: textOrNumber },
  extends: map({ service: text, file: { is: 'text null' } }, 'text'),
  extra_hosts: hosts,
  gpus: anything,
  group_add: { is: 'list', items: textOrNumber },
  healthcheck: map({
    disable: truth,
    ...each('interval timeout start_period start_interval', duration),
    retries: { is: 'number whole' },
    test: textOrTexts,
  }),
  logging: map({ driver: text, options: { is: 'map', values: { is: 'text number null' } } }),
  ...each('mem_limit memswap_limit shm_size', amount),
  mem_reservation: amount,
  mem_swappiness: { is: 'integer amount' },
  models: anything,
  networks: { is: 'map list', values: network, items: text },
  ...each('oom_score_adj scale', whole),
  pids_limit: { is: 'number whole' },
  pid: { is: 'text null' },
  ports: list(
    {
      ...each('name mode protocol app_protocol', text),
      host_ip: { is: 'address' },
      target: whole,
      published: { is: 'text integer' },
    },
    'integer port',
  ),
  ...each('pre_start post_start pre_stop provider use_api_socket', anything),
  pull_policy: { is: 'policy' },
  pull_refresh_after: text,
  stop_grace_period: duration,
  storage_opt: { is: 'map' },
  ulimits,
  volumes: mount,
});

const external: Shape = { is: 'boolean truth map' };
const ofFile = { ...each('name file environment template_driver', text), external, labels: pairs };
const compose = map({
  ...each('version name', text),
  include: anything,
  models: anything,
  services: { is: 'map', values: service },
  networks: {
    is: 'map null',
    values: map(
      {
        ...each('name driver', text),
        driver_opts: options,
        ipam: map({ driver: text, config: anything, options: anything }),
        external,
        ...each('internal attachable enable_ipv4 enable_ipv6', truth),
        labels: pairs,
      },
      'null',
    ),
  },
  volumes: {
    is: 'map null',
    values: map({ ...each('name driver', text), driver_opts: options, external, labels: pairs }, 'null'),
  },
  secrets: { is: 'map null', values: map({ ...ofFile, driver: text, driver_opts: options }) },
  configs: { is: 'map null', values: map({ ...ofFile, content: text }) },
});

/** Forms of texts that compose makes something else of. Source: compose-go, loader/interpolate.go and types. */
const forms: Reader['forms'] = {
  truth: (value) => /^(?:true|false|y|yes|on|n|no|off)$/i.test(value),
  whole: (value) => /^[-+]?\d+$/.test(value),
  decimal: (value) => /^[-+]?(?:[\d_.]+(?:e[-+]?\d+)?|0x.+|inf|infinity|nan)$/i.test(value),
  amount: (value) => /^[-+]?(?:[\d.][\d.e+_-]*|0x.+)\s?(?:[kmgtp](?:i?b)?|b)?$/i.test(value),
  duration: (value) => /^[-+]?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|\u00b5s|\u03bcs|ms|s|m|h|d|w))+)$/.test(value),
  policy: (value) => /always|never|build|if_not_present|missing|refresh|daily|weekly|every_(?:\d+[wdhms])+/.test(value),
  address: isAddress,
  port: isPort,
  volume: (value) => value.length < 3 || /(?:^|:)[a-z]:/i.test(value) || !/^:|::|:$|:.*:.*:/.test(value),
};

function isAddress(value: string): boolean {
  return value.includes(':') || /^\d{1,3}(?:\.\d{1,3}){3}$/.test(value);
}

/** Whether a text is `[address:][published:]target[/protocol]`. Source: docker/go-connections, nat.ParsePortSpec. */
function isPort(value: string): boolean {
  const range = String.raw`\d+(?:-\d+)?`;
  const found = new RegExp(
    `^(?:(?:\\[[^\\]]*\\]|[\\d.]*):)?(?:(?:${range})?:)?(${range})(?:/(?:(?:tcp|udp|sctp)(?:/.*)?)?)?$`,
    'i',
  );
  return found.test(value) && (value.match(/\d+/g) ?? []).every((part) => Number(part) <= maxPort);
}

const maxPort = 65_535;

/**
 * How compose reads a compose file with its variables filled in; those that are not known stay, as `${X}`. Source: compose-go,
 * schema/compose-spec.json; measured with `docker-compose config` of compose 2.40.3.
 */
export const ofCompose: Reader = {
  shape: compose,
  isOpen,
  forms,
  isGrowing: true,
};
