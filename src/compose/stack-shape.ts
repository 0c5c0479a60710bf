import { type Json, canonical, isObject } from '../formats/json.ts';
import { itemsOf } from './service-parts.ts';

/** The form that a stack takes for a value of a compose file. */
interface Shape {
  /** What it may be, of `text`, `number`, `integer`, `boolean`, `list`, `map` and `null`; '': anything. */
  readonly is: string;
  /** The members of a map; beside `x-…` it has no others. */
  readonly members?: { readonly [key: string]: Shape };
  /** The values of a map with any keys. */
  readonly values?: Shape;
  readonly items?: Shape;
  /** No two items of a list may be the same. */
  readonly isSet?: true;
}

const anything: Shape = { is: '' };
const text: Shape = { is: 'text' };
const number: Shape = { is: 'number' };
const integer: Shape = { is: 'integer' };
const boolean: Shape = { is: 'boolean' };
const texts: Shape = { is: 'list', items: text };
const textOrTexts: Shape = { is: 'text list', items: text };
const set: Shape = { ...texts, isSet: true };
const textOrSet: Shape = { ...textOrTexts, isSet: true };
const pairs: Shape = { is: 'map list', values: { is: 'text number null' }, items: text, isSet: true };
const options: Shape = { is: 'map', values: { is: 'text number' } };

function each(names: string, shape: Shape): { readonly [key: string]: Shape } {
  return Object.fromEntries(names.split(' ').map((name) => [name, shape]));
}

function map(members: Shape['members'], orElse = ''): Shape {
  return { is: `map ${orElse}`.trim(), ...(members === undefined ? {} : { members }) };
}

function list(members: Shape['members'], orElse: string): Shape {
  return { is: 'list', items: map(members, orElse) };
}

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

/** A value of a compose file that a stack refuses. */
export interface Misfit {
  readonly at: readonly string[];
  readonly value: Json;
  /** What it may be, of the words of a shape; `once`: it stands in a set twice; undefined: there is no such member. */
  readonly is: readonly string[] | undefined;
}

/**
 * What a stack refuses in the content of a compose file, before its variables are filled in: a text with a `$` may become
 * anything. Source: docker/cli, config_schema_v3.13.json; measured with `docker stack config` of docker 28.
 */
export function misfitsIn(content: Json): readonly Misfit[] {
  const found: Misfit[] = [];
  const visit = (value: Json, shape: Shape, at: readonly string[]): void => {
    const is = shape.is.split(' ');
    if (shape.is !== '' && !is.some((word) => fits(value, word))) {
      found.push({ at, value, is });
    } else if (Array.isArray(value)) {
      const { items = anything, isSet = false } = shape;
      const seen = new Set<string>();
      for (const [index, item] of itemsOf(value).entries()) {
        const here = [...at, String(index)];
        const text = isSet ? canonical(item) : '';
        if (isSet && seen.has(text)) found.push({ at: here, value: item, is: ['once'] });
        else visit(item, items, here);
        seen.add(text);
      }
    } else if (isObject(value)) {
      for (const [key, item] of Object.entries(value)) {
        if (key.startsWith('x-')) continue;
        const { members } = shape;
        const inner = members === undefined || Object.hasOwn(members, key) ? members?.[key] : null;
        if (inner === null) found.push({ at: [...at, key], value: item, is: undefined });
        else visit(item, inner ?? shape.values ?? anything, [...at, key]);
      }
    }
  };
  visit(content, stack, []);
  return found;
}

function fits(value: Json, word: string): boolean {
  if (typeof value === 'string') return word === 'text' || value.includes('$');
  if (typeof value === 'number') return word === 'number' || (word === 'integer' && Number.isInteger(value));
  if (typeof value === 'boolean') return word === 'boolean';
  if (value === null) return word === 'null';
  return word === (Array.isArray(value) ? 'list' : 'map');
}
