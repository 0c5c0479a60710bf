import { type StatefulImage, distributors, folderOf, readImage, statefulImage } from './stateful-images.ts';
import type { CheckedResource, Problem } from '../../kind/checks.ts';
import type { Reason } from './image-version.ts';

/** What a container mounts. */
export interface Mounted {
  readonly type: string;
  /** The volume, or the folder of the host; undefined: one without a name, or none. */
  readonly source: string | undefined;
  /** The path in the container, without a slash at its end. */
  readonly target: string;
  readonly isReadOnly?: boolean;
}

/** A container, as far as it decides where its data lie. */
export interface Container {
  readonly image: string;
  readonly mounts: readonly Mounted[];
  readonly environment: ReadonlyMap<string, unknown>;
  /** Its command and arguments, word by word. */
  readonly command: readonly string[];
  /** Files whose variables are not known; those of `besides` go before them. */
  readonly unread?: { readonly files: readonly string[]; readonly besides: ReadonlySet<string> } | undefined;
}

/** Why the data of a container are not found where they were; undefined: they are, or they were not kept before. */
export function movedData(before: Container, after: Container): Reason | undefined {
  const [olds, news] = [foldersOf(before), foldersOf(after)];
  for (const [name, old] of olds) {
    const fresh = news.get(name);
    const from = placeOf(old.path, before.mounts);
    if (fresh === undefined || from === undefined) continue;
    // A mount that goes is another loss.
    const isMounted = after.mounts.some((one) => one.source === from.mount.source && one.target === from.mount.target);
    const to = placeOf(fresh.path, after.mounts);
    if (!isMounted || (to !== undefined && to.mount.source === from.mount.source && to.below === from.below)) continue;
    const by = fresh.by ?? old.by;
    const [cover, rest] = to === undefined ? ['memory', ', where nothing is mounted'] : ['another mount', ''];
    const moves = fresh.path === old.path ? `${cover} covers their folder` : elsewhere(by ?? 'the image');
    const isOfImage = fresh.path !== old.path && by === undefined;
    return { what: isOfImage ? `${after.image} keeps them in ${fresh.path}${rest}` : moves, unnamed: moves };
  }
  return movedByFile(before, after);
}

/** A file of variables that is not known, and that only one of two containers has: it may name any folder. */
function movedByFile(before: Container, after: Container): Reason | undefined {
  const [was, is] = [before, after].map(({ unread }) => unread?.files ?? []);
  const files = [...(was ?? []), ...(is ?? [])].filter((file) => was?.includes(file) !== is?.includes(file));
  const isFixed = ({ unread }: Container, by = '') => by.startsWith('-') || unread?.besides.has(by) === true;
  const family = statefulImage(readImage(after.image));
  if (family !== undefined && family.variables === undefined) return undefined;
  const news = foldersOf(after);
  const isOpen = [...foldersOf(before)].some(
    ([name, { path, by }]) =>
      placeOf(path, before.mounts) !== undefined && !(isFixed(before, by) && isFixed(after, news.get(name)?.by)),
  );
  if (files.length === 0 || !isOpen) return undefined;
  const words = 'whose variables are not known, may name another folder for them';
  return { what: `${files.join(', ')}, ${words}`, unnamed: `a file, ${words}` };
}

const elsewhere = (what: string) => `${what} names another folder for them`;

/** A folder for data. */
interface Folder {
  readonly path: string;
  /** The variable or the flag that names it; undefined: the image. */
  readonly by?: string;
}

/** Where the image of a container keeps its data, and nothing is mounted, although something else is. */
function uncoveredFolder(container: Container): string | undefined {
  const { image, mounts, environment } = container;
  const family = statefulImage(readImage(image));
  if (family === undefined || mounts.some(isConfiguration)) return undefined;
  // A value that is not known may be any folder.
  const isOpen = (name: string) =>
    environment.has(name) ? !String(environment.get(name) ?? '').startsWith('/') : hasUnread(container);
  if (family.variables?.some(isOpen) === true) return undefined;
  const { path } = namedFolder(container, family) ?? {
    path: folderOf(readImage(image)) ?? newestFolder(image, family),
  };
  const kept = mounts.filter(
    ({ type, source, isReadOnly }) => type === 'volume' && source !== undefined && isReadOnly !== true,
  );
  if (path === undefined || kept.every(({ target }) => isBeside(target))) return undefined;
  const isCovered = mounts.some(({ target }) => isWithin(path, target) || isWithin(target, path));
  return isCovered ? undefined : path;
}

function hasUnread({ unread }: Container): boolean {
  return (unread?.files.length ?? 0) > 0;
}

const oldFolder = '/var/lib/postgresql/data';

/**
 * The version of PostgreSQL that does not start for a mount where earlier ones kept their data; undefined: it starts, or that is
 * not known. Source: docker-library/postgres, docker-entrypoint.sh, from 18 on.
 */
function refusesOldFolder(container: Container): number | undefined {
  const { image, mounts, environment } = container;
  const { owner, name, version: [major = 0] = [] } = readImage(image);
  const isOfficial = /^(?:postgres|postgis|pgvector)$/.test(name) && !distributors.test(owner);
  if (!isOfficial || major < 18 || environment.has('PGDATA') || hasUnread(container)) return undefined;
  return mounts.some(({ type, target }) => target === oldFolder && type !== 'tmpfs') ? major : undefined;
}

/** The warning that the data of a container go with it, or the error that it does not start for that; `who` keeps them. */
export function unkeptData(
  who: string,
  container: Container,
  shown: CheckedResource['shown'],
): Pick<Problem, 'code' | 'message' | 'remedy' | 'fails'>[] {
  const refusing = refusesOldFolder(container);
  const newPlace = 'Mount its volume at /var/lib/postgresql, or write PGDATA: with the path where it is mounted.';
  if (refusing !== undefined) {
    const message = `${who} does not start: PostgreSQL ${refusing} refuses a mount at ${oldFolder}, where earlier versions kept their data`;
    return [{ code: 'unkept-data', fails: true, message, remedy: newPlace }];
  }
  const folder = uncoveredFolder(container);
  if (folder === undefined) return [];
  const version = /^\/var\/lib\/postgresql\/\d+\/docker$/.test(folder);
  return [
    {
      code: 'unkept-data',
      message: `${who} keeps its data in ${shown(folder)}, where nothing is mounted: they go with the container`,
      remedy: version ? newPlace : `Mount its volume at ${shown(folder)}.`,
    },
  ];
}

/** The folder of the newest version, for a tag without one. */
function newestFolder(image: string, { newest }: StatefulImage): string | undefined {
  const { owner, tag } = readImage(image);
  return /[@$]/.test(image) || /\d/.test(tag) || !['', 'library'].includes(owner) ? undefined : newest;
}

/** The folders for data that a container has, by what it keeps: an image that is known has one. */
function foldersOf(container: Container): ReadonlyMap<string, Folder> {
  const image = readImage(container.image);
  const family = statefulImage(image);
  if (family === undefined) return new Map(named(container, isCommon, commonFlags).map((one) => [one.by, one]));
  const path = folderOf(image);
  const folder = namedFolder(container, family) ?? (path === undefined ? undefined : { path });
  return new Map(folder === undefined ? [] : [[family.called, folder]]);
}

/** The folder that a container names for an image; one of a distributor goes by names of its own. */
function namedFolder(container: Container, { variables = [], flags = [] }: StatefulImage): Folder | undefined {
  const { owner } = readImage(container.image);
  const isVariable = (name: string) => variables.includes(name);
  return distributors.test(owner) ? undefined : named(container, isVariable, [...flags, ...commonFlags])[0];
}

/** Flags of so many programs that they mean the same everywhere. */
const commonFlags = ['--datadir', '--data-dir', '-data-dir', '--dbpath', '--data-path', '--storage.tsdb.path'];

/** Reports the same of a variable. */
function isCommon(name: string): boolean {
  return /^(PGDATA|GF_PATHS_DATA|([A-Z0-9]+_)*DATA_(DIR|PATH|FOLDER|DIRECTORY))$/.test(name);
}

/** The folders that flags and variables of a container name. A flag goes before a variable. */
function named(
  { command, environment }: Container,
  isVariable: (name: string) => boolean,
  flags: readonly string[],
): (Folder & { readonly by: string })[] {
  const byFlag = command.map((word, index) => {
    const [by = '', inline] = word.split(/=(.*)/s);
    return { by, path: flags.includes(by) ? (inline ?? command[index + 1]) : undefined };
  });
  const byVariable = [...environment].map(([by, path]) => ({ by, path: isVariable(by) ? path : undefined }));
  return [...byFlag, ...byVariable].flatMap(({ by, path }) =>
    typeof path === 'string' && path.startsWith('/') ? [{ by, path: path.replace(/(?<=[^/])\/+$/, '') }] : [],
  );
}

/** What is mounted where a folder lies, and the folder below it; undefined: nothing that outlives the container. */
function placeOf(path: string, mounts: readonly Mounted[]) {
  const over = mounts.filter(({ target }) => isWithin(path, target));
  const mount = over.toSorted((a, b) => a.target.length - b.target.length).at(-1);
  if (mount?.source === undefined || mount.type === 'tmpfs') return undefined;
  return { mount, below: path.slice(mount.target === '/' ? 0 : mount.target.length) };
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? folder : `${folder}/`);
}

/** A folder of the host that a container may keep data in: no file, no settings, and nothing of the host itself. */
export function isDataFolder(mount: Mounted): boolean {
  const { type, source = '', isReadOnly } = mount;
  const isOfHost = /^\/(var\/run|run|proc|sys|dev|etc|usr|lib|boot)(\/|$)/.test(source);
  return type === 'bind' && isReadOnly !== true && !isOfHost && !isConfiguration(mount);
}

/** A file, or settings, which may name any folder. */
function isConfiguration({ type, target, source = '' }: Mounted): boolean {
  const isFile = /\.(conf|cnf|cfg|ya?ml|xml|toml|ini|json|env|sh|sql|js|py|html?|txt|pem|crt|key|sock)$/i;
  const isOfSettings = /\/(etc|conf|config|[\w-]+\.d)(\/|$)/i;
  return type !== 'volume' && [source, target].some((path) => isFile.test(path) || isOfSettings.test(path));
}

/** A path for something else than data, such as logs. */
function isBeside(target: string): boolean {
  return /log|conf|etc|plugin|backup|cert|ssl|tls|init|import|run\b|tmp|temp|script|snapshot|extension|dump|socket|cache|export|home|keys/i.test(
    target,
  );
}
