import type { Json } from '../formats/json.ts';
import { itemsOf, mapOf, mountsOf } from './service-parts.ts';

/** What a service names in its own file. */
export interface Reference {
  readonly section: 'services' | 'networks' | 'volumes' | 'configs' | 'secrets';
  readonly name: string;
  /** The key of the service that names it. */
  readonly key: string;
  /** It is the whole of an item or a key, as the platform's suffix needs it. */
  readonly isPlain: boolean;
  /** It may be of a profile that does not start. */
  readonly isOptional: boolean;
}

type Definition = ReturnType<typeof mapOf>;

/** The keys that hold names of one section, in a list or as the keys of a map. */
const listed = {
  depends_on: 'services',
  networks: 'networks',
  configs: 'configs',
  secrets: 'secrets',
} as const;

/** What a service names in its file. Source: compose-go, checkConsistency and Normalize. */
export function referencesOf(definition: Definition): readonly Reference[] {
  const ofLists = Object.entries(listed).flatMap(([key, section]) =>
    namesIn(definition[key]).map(([name, how]) => ({
      section,
      name,
      key,
      isPlain: true,
      isOptional: mapOf(how).required === false,
    })),
  );
  const beforeColon = ['links', 'volumes_from'].flatMap((key) =>
    itemsOf(definition[key]).flatMap((item) => {
      const [name = '', ...rest] = String(item).split(':');
      return name === 'container' ? [] : [toService(key, name, rest.length === 0)];
    }),
  );
  const shared = ['network_mode', 'ipc', 'pid', 'uts', 'cgroup'].flatMap((key) => {
    const name = /^service:(.*)$/.exec(String(definition[key]))?.[1];
    return name === undefined ? [] : [toService(key, name, false)];
  });
  const { extends: from } = definition;
  const base = typeof from === 'string' ? from : mapOf(from).service;
  const extended = typeof base === 'string' && mapOf(from).file === undefined ? [toService('extends', base, true)] : [];
  const volumes = mountsOf(definition).flatMap(({ type, source = '' }): Reference[] =>
    type === 'volume' && source !== ''
      ? [{ section: 'volumes', name: source, key: 'volumes', isPlain: true, isOptional: false }]
      : [],
  );
  return [...ofLists, ...beforeColon, ...shared, ...extended, ...volumes];
}

function toService(key: string, name: string, isPlain: boolean): Reference {
  return { section: 'services', name, key, isPlain, isOptional: false };
}

/** Names in a list, or the keys of a map with what they hold. */
function namesIn(value: Json | undefined): readonly (readonly [string, Json])[] {
  if (!Array.isArray(value)) return Object.entries(mapOf(value));
  return itemsOf(value).map((item) => [String(typeof item === 'string' ? item : mapOf(item).source), item]);
}
