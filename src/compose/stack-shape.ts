import { hasMark } from '../formats/secret-mark.ts';
import {
  type Reader,
  type Shape,
  anything,
  boolean,
  each,
  integer,
  list,
  map,
  number,
  options,
  pairs,
  set,
  text,
  textOrSet,
  textOrTexts,
  texts,
} from './shape.ts';

const update = map({
  ...each('parallelism', integer),
  ...each('delay failure_action monitor order', text),
  max_failure_ratio: number,
});
const file = { is: 'list', items: map({ ...each('source target uid gid', text), mode: number }, 'text') };
const resources = map({
  limits: map({ ...each('cpus memory', text), pids: integer }),
  reservations: map({ ...each('cpus memory', text), generic_resources: anything }),
});
const deploy = map(
  {
    ...each('mode endpoint_mode', text),
    replicas: integer,
    labels: pairs,
    ...each('rollback_config update_config', update),
    resources,
    restart_policy: map({ ...each('condition delay window', text), max_attempts: integer }),
    placement: map({
      constraints: texts,
      preferences: list({ spread: text }, ''),
      max_replicas_per_node: integer,
    }),
  },
  'null',
);
const network = map({ aliases: set, driver_opts: options, ...each('ipv4_address ipv6_address', text) }, 'null');

const service = map({
  deploy,
  ...each('cap_add cap_drop depends_on devices external_links links security_opt', set),
  ...each('command entrypoint', textOrTexts),
  ...each('dns dns_search env_file tmpfs', textOrSet),
  ...each('environment extra_hosts labels sysctls', pairs),
  ...each(
    'cgroupns_mode cgroup_parent container_name domainname hostname image ipc isolation mac_address network_mode restart stop_grace_period stop_signal user userns_mode working_dir',
    text,
  ),
  ...each('init privileged read_only stdin_open tty', boolean),
  ...each('configs secrets', file),
  build: map(undefined, 'text'),
  credential_spec: map(each('config file registry', text)),
  expose: { is: 'list', items: { is: 'text number' }, isSet: true },
  group_add: anything, // docker 28.2 refuses it, later ones take it
  healthcheck: map({
    disable: boolean,
    ...each('interval timeout start_period start_interval', text),
    retries: number,
    test: textOrTexts,
  }),
  logging: map({ driver: text, options: { is: 'map', values: { is: 'text number null' } } }),
  networks: { is: 'map list', values: network, items: text, isSet: true },
  oom_score_adj: integer,
  pid: { is: 'text null' },
  ports: {
    ...list({ ...each('mode protocol', text), ...each('target published', integer) }, 'text number'),
    isSet: true,
  },
  shm_size: { is: 'text number' },
  ulimits: { is: 'map', values: map(each('hard soft', integer), 'integer') },
  volumes: list(
    { ...each('type source target consistency', text), read_only: boolean, ...each('bind volume tmpfs', anything) },
    'text',
  ),
});

const external: Shape = { is: 'boolean map' };
const ofFile = { ...each('name file template_driver', text), external, labels: pairs };
const stack = map({
  version: text,
  services: { is: 'map', values: service },
  networks: {
    is: 'map',
    values: map(
      {
        ...each('name driver', text),
        driver_opts: options,
        ipam: map({ driver: text, config: list({ subnet: text }, '') }),
        external,
        ...each('internal attachable', boolean),
        labels: pairs,
      },
      'null',
    ),
  },
  volumes: {
    is: 'map',
    values: map({ ...each('name driver', text), driver_opts: options, external, labels: pairs }, 'null'),
  },
  secrets: { is: 'map', values: map({ ...ofFile, driver: text, driver_opts: options }) },
  configs: { is: 'map', values: map(ofFile) },
});

/**
 * How a stack reads a compose file, before its variables are filled in: a text with a `$` may become anything. Source: docker/cli,
 * config_schema_v3.13.json; measured with `docker stack config` of docker 28.
 */
export const ofStack: Reader = {
  shape: stack,
  isOpen: (text) => text.includes('$') || hasMark(text),
  forms: {},
  isGrowing: false,
};
