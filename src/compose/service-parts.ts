import { type Json, isObject } from '../formats/json.ts';

/** Where a service mounts something. Source: the compose specification, `volumes` of a service. */
export interface Mount {
  readonly type: 'bind' | 'volume' | 'tmpfs' | 'other';
  /** The path or the name of the volume; undefined: a volume without a name, or tmpfs. */
  readonly source: string | undefined;
  /** The path in the container, without a slash at its end. */
  readonly target: string;
  /** The folder of a volume that it is; undefined: all of it. */
  readonly subpath?: string | undefined;
  readonly isReadOnly: boolean;
  /** Its place in the list of the service. */
  readonly index: number;
}

/** A port of the host that a service publishes; `first` and `last` are the same where it is no range. */
export interface Published {
  readonly first: number;
  readonly last: number;
  readonly protocol: string;
  /** The address of the host; undefined: all. */
  readonly hostIp: string | undefined;
  /** Its place in the list of the service. */
  readonly index: number;
}

/** A file or folder that a service takes from the place of the compose file. */
export interface NamedFile {
  readonly is: 'build' | 'env_file' | 'configs' | 'secrets' | 'extends' | 'include';
  readonly path: string;
  /** Where the text names it. */
  readonly at: readonly (string | number)[];
}

/** A map of compose in either form: `KEY: value`, or a list of `KEY=value`; null: a key without value. */
export function entriesOf(value: Json | undefined): ReadonlyMap<string, Json> {
  if (isObject(value)) return new Map(Object.entries(value));
  return new Map(
    itemsOf(value).flatMap((item) => {
      if (typeof item !== 'string') return [];
      const at = item.indexOf('=');
      return [at === -1 ? [item, null] : [item.slice(0, at), item.slice(at + 1)]] as const;
    }),
  );
}

/** The items of a list; none of anything else. */
export function itemsOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

/** A map; an empty one for anything else. */
export function mapOf(value: Json | undefined): { readonly [key: string]: Json } {
  return isObject(value) ? value : {};
}

/** A path without dots and slashes that mean nothing. */
export function plainPath(path: string): string {
  return path
    .replace(/^(?:\.\/+)+/, '')
    .replaceAll(/\/{2,}/g, '/')
    .replaceAll(/\/\.(?=\/|$)/g, '')
    .replace(/\/$/, '');
}

/** The mounts of a service, and its `tmpfs`. */
export function mountsOf({ volumes, tmpfs }: ReturnType<typeof mapOf>): readonly Mount[] {
  const mounts = itemsOf(volumes).flatMap((item, index) => mountOf(item, index) ?? []);
  const paths = typeof tmpfs === 'string' ? [tmpfs] : itemsOf(tmpfs);
  const inMemory = paths.map((path, index): Mount => {
    const target = pathOf(String(path).split(':', 1)[0] ?? '');
    return { type: 'tmpfs', source: undefined, target, isReadOnly: false, index };
  });
  return [...mounts, ...inMemory];
}

function mountOf(item: Json, index: number): Mount | undefined {
  if (typeof item !== 'string') {
    const { type, source, target, volume, read_only: readOnly } = mapOf(item);
    if (typeof target !== 'string') return undefined;
    const is = type === 'bind' || type === 'volume' || type === 'tmpfs' ? type : 'other';
    const from = typeof source === 'string' ? sourceOf(is, source) : undefined;
    const { subpath } = mapOf(volume);
    const below = typeof subpath === 'string' ? { subpath: plainPath(subpath) } : {};
    return { type: is, source: from, target: pathOf(target), ...below, isReadOnly: readOnly === true, index };
  }
  // A variable that is not known may hold anything but a colon.
  const [source = '', target, ...modes] = splitAt(item);
  if (target === undefined) {
    return { type: 'volume', source: undefined, target: pathOf(source), isReadOnly: false, index };
  }
  const isReadOnly =
    modes
      .join(':')
      .split(',')
      .findLast((mode) => /^r[ow]$/.test(mode)) === 'ro';
  const type = /^[./~]/.test(source) ? 'bind' : 'volume';
  return { type, source: sourceOf(type, source), target: pathOf(target), isReadOnly, index };
}

/** The source of a mount, with `./` before a folder beside the compose file. A variable that is not known may be any path. */
function sourceOf(type: Mount['type'], source: string): string {
  return type !== 'bind' || /^(?:\.{0,2}\/|\.{1,2}$|[~$])/.test(source) ? source : `./${source}`;
}

/** The parts of a text between its colons, but for those inside of `${…}`. */
function splitAt(text: string): string[] {
  return text.includes('${') ? text.split(/:(?![^{}]*\})/) : text.split(':');
}

function pathOf(path: string): string {
  return path.replace(/(?<=[^/]|^\/)\/+$/, '');
}

/**
 * The ports of the host that a service publishes; those whose numbers are not known, or that docker chooses, are left out. Of two
 * that are the same in all compose takes one.
 */
export function publishedBy({ ports }: ReturnType<typeof mapOf>): readonly Published[] {
  const found = new Map<string, Published>();
  for (const [index, item] of itemsOf(ports).entries()) {
    const read = isObject(item) ? longPort(item) : shortPort(String(item));
    const range = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(read?.published ?? '');
    if (read === undefined || range === null) continue;
    const { target, protocol, hostIp } = read;
    const [first, last] = [Number(range[1]), Number(range[2] ?? range[1])];
    // Of a range for one port of the container docker takes a free one.
    const isChosen = last > first && !target.includes('-');
    const key = [hostIp ?? '0.0.0.0', first, last, target, protocol].join(' ');
    if (first <= last && !isChosen && !found.has(key)) found.set(key, { first, last, protocol, hostIp, index });
  }
  return [...found.values()];
}

function longPort({ published, target, protocol, host_ip: hostIp }: ReturnType<typeof mapOf>) {
  if (published === undefined || published === null || published === '') return undefined;
  const ip = typeof hostIp === 'string' ? hostIp : undefined;
  const of = typeof protocol === 'string' ? protocol : 'tcp';
  return { published: String(published), target: String(target), protocol: of, hostIp: ip };
}

/** Reads `[address:]published:target[/protocol]`. */
function shortPort(text: string) {
  const [, address, plain, published, target, protocol = 'tcp'] =
    /^(?:(?:\[([^\]]+)\]|([^:[\]]*)):)?([^:/]*):([^:/]+)(?:\/(\w+))?$/.exec(text) ?? [];
  const hostIp = (address ?? plain) === '' ? undefined : (address ?? plain);
  return published === undefined || target === undefined ? undefined : { published, target, protocol, hostIp };
}

/** The names of files that compose takes from its own folder: in a list, in a text, or under `path`. */
export function namesIn(value: Json | undefined, at: NamedFile['at'], is: NamedFile['is']): readonly NamedFile[] {
  if (typeof value === 'string') return [{ is, path: value, at }];
  if (Array.isArray(value)) {
    return itemsOf(value).flatMap((item, index) => namesIn(item, [...at, index], is));
  }
  const { path, required } = mapOf(value);
  if (required === false || path === undefined) return [];
  return namesIn(path, [...at, 'path'], is);
}
