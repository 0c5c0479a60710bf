import { notKnown } from '../../compose/interpolate.ts';
import { type ComposeModel, type ComposeService, readCompose } from '../../compose/model.ts';
import { itemsOf, mapOf } from '../../compose/service-parts.ts';
import { readComposeYaml } from '../../formats/compose-yaml.ts';
import { type Json, type Row, canonical } from '../../formats/json.ts';
import { groupBy } from '../../kind/group.ts';
import type { Loss } from '../../kind/lifecycle.ts';
import { type Variables, projectOf, variablesOf } from './compose-variables.ts';
import { type Container, type Mounted, isDataFolder, movedData } from './data-folder.ts';
import { type FilesBeside, filesBeside, readEnvFiles } from './env-files.ts';
import { because, databaseRisk } from './image-version.ts';
import { readImage } from './stateful-images.ts';

/** A service of a compose file that keeps data outside of its container. */
export interface Keeper extends Container {
  readonly service: string;
  /** Its image as the text has it. */
  readonly written: string;
  readonly mounts: readonly KeptMount[];
}

/** A mount of a service. Two with the same source and target hold the same data, whatever the file calls the volume. */
interface KeptMount extends Mounted {
  readonly is: 'volume' | 'folder' | 'other';
  /** As people may see it: the value of a variable may be a secret, and then the text has its name. */
  readonly text: string;
  /** The source as people may see it. */
  readonly from: string;
}

/** Data at risk, in the words for a change of a field. */
export type Risk = Pick<Loss, 'what' | 'unnamed'>;

/** The services of a compose file that keep data outside of their container; none when the file cannot be read. */
export function keepersIn(
  text: unknown,
  variables: Variables = new Map(),
  project = '',
  { files = new Map(), isStack = false }: { readonly files?: FilesBeside; readonly isStack?: boolean } = {},
): readonly Keeper[] {
  const yaml = readComposeYaml(String(text ?? ''));
  const read = readCompose(yaml, (name) => variables.get(name));
  const named = String(text).includes('$') ? readCompose(yaml, () => notKnown) : read;
  if ('problem' in read || 'problem' in named) return [];
  return [...read.model.services.values()].flatMap((service) => {
    const mounts = mountsOf(service, read.model, { named: named.model, project });
    if (!mounts.some(({ type, is }) => type === 'volume' || is !== 'other')) return [];
    const { name, image = built } = service;
    const environment = environmentOf(service, { variables, files, isStack });
    const { imageWritten: written = image === built ? built : `an image ${unwritten}` } = service;
    return [{ service: name, image, written, mounts, ...environment, command: commandOf(service) }];
  });
}

/** What the services of a compose file keep that the platform holds itself; those of a repository do not show. */
export function keepersOf(row: Row, environment?: Row): readonly Keeper[] {
  if (row.sourceType !== 'raw') return [];
  const variables = variablesOf(row, environment);
  const beside = { files: filesBeside(row), isStack: row.composeType === 'stack' };
  return keepersIn(row.composeFile, variables, projectOf(row, variables), beside);
}

const built = 'an image that is built';
/** Stands for what the text does not have: only a variable does, and its value may be a secret. */
const unwritten = 'that a variable names';

function mountsOf(
  { name, mounts }: ComposeService,
  { volumes }: ComposeModel,
  { named, project }: { readonly named: ComposeModel; readonly project: string },
): KeptMount[] {
  const all = named.services.get(name)?.mounts ?? [];
  return mounts.map((mount, index) => {
    const { source, type } = mount;
    const written = all.length === mounts.length ? all[index] : undefined;
    const shown = (written?.source === undefined) === (source === undefined) ? written : undefined;
    const volume = source !== undefined && type !== 'bind' ? volumes.get(source) : undefined;
    // The name of a volume stands in the file.
    const isNamed = volume !== undefined || (shown !== undefined && isPublic(String(shown.source), source ?? ''));
    const from = (isNamed ? source : shown?.source) ?? unwritten;
    const is = volume === undefined ? (isDataFolder(mount) ? 'folder' : 'other') : 'volume';
    return {
      ...mount,
      is,
      source:
        volume === undefined
          ? source
          : canonical([...volumeOnHost(source ?? '', volume, project), mount.subpath ?? null]),
      text:
        shown === undefined ? from : `${from} at ${isPublic(shown.target, mount.target) ? mount.target : shown.target}`,
      from,
    };
  });
}

/** Whether people may see what variables made of a text: a plain path, and no variable that is called a secret. */
function isPublic(written: string, filled: string): boolean {
  const isSecret = /\$\{[^}]*(?:pass|secret|token|key|credential|auth)/i.test(written);
  return !isSecret && /^(?:\.{0,2}|~)(?:\/[\w.-]{1,40})+\/?$/.test(filled);
}

/** The volume that a name of a compose file stands for on the host: its own name, or one made from the project and the key. */
function volumeOnHost(key: string, definition: Json, project: string): readonly Json[] {
  const { name, external, driver = 'local', driver_opts: options = null } = mapOf(definition);
  const given = name ?? mapOf(external).name ?? (external === true ? key : undefined);
  return [...(given === undefined ? ['key', project, key] : ['name', given]), driver, options];
}

/** The entrypoint and the command of a service, word by word. */
export function commandOf({ definition: { entrypoint, command } }: ComposeService): string[] {
  return [entrypoint, command].flatMap((value) =>
    typeof value === 'string' ? value.split(/\s+/) : itemsOf(value).map(String),
  );
}

/** The variables that the container of a service gets: those of the files that it names, and over them its own. */
function environmentOf(
  { definition, environment }: ComposeService,
  from: Parameters<typeof readEnvFiles>[1],
): Pick<Container, 'environment' | 'unread'> {
  const given = readEnvFiles(definition.env_file, from);
  const own = [...environment].map(([name, value]) => [name, value ?? from.variables.get(name)] as const);
  return {
    environment: new Map<string, unknown>([...given.variables, ...own]),
    unread: { files: given.unread, besides: new Set(environment.keys()) },
  };
}

/** The named volumes that services mount, where they do. */
export function volumesOf(keepers: readonly Keeper[]): readonly KeptMount[] {
  return keepers.flatMap(({ mounts }) => mounts.filter(({ is }) => is === 'volume'));
}

/** The named volumes of a file that another one does not mount, or not there. */
export function volumesLeft(before: readonly Keeper[], after: readonly Keeper[]): string[] {
  const kept = new Set(after.flatMap(({ mounts }) => mounts.map(placeOf)));
  return volumesOf(before).flatMap((mount) => (kept.has(placeOf(mount)) ? [] : [mount.text]));
}

/** A service of a file, and the one that has its data in another file. */
interface Succession {
  readonly old: Keeper;
  readonly fresh: Keeper;
  /** Its mounts that no service keeps: nothing has them there any more, or only services that did not before. */
  readonly left: readonly KeptMount[];
  /** Those of them that other services have now. */
  readonly taken: readonly KeptMount[];
}

/** The services whose data another file has too: in the service of the same name, or else in one that takes their mounts. */
function successionsOf(before: readonly Keeper[], after: readonly Keeper[]): readonly Succession[] {
  const placesIn = (keepers: readonly Keeper[]) =>
    keepers.flatMap((keeper) => keeper.mounts.map((mount) => [placeOf(mount), keeper] as const));
  const earlier = new Set(placesIn(before).map(([place, { service }]) => `${service} ${place}`));
  const mounting = groupBy(placesIn(after));
  const services = new Map(after.map((one) => [one.service, one]));
  return before.flatMap((old): Succession[] => {
    const left = old.mounts.filter((mount) => {
      const place = placeOf(mount);
      const isKept = mounting.get(place)?.some(({ service }) => earlier.has(`${service} ${place}`)) === true;
      return mount.is !== 'other' && !isKept;
    });
    const taken = left.filter((mount) => mounting.has(placeOf(mount)));
    const takers = taken.flatMap((mount) => mounting.get(placeOf(mount)) ?? []);
    const isLike = ({ image }: Keeper) => readImage(image).name === readImage(old.image).name;
    const fresh = services.get(old.service) ?? takers.find(isLike) ?? takers[0];
    return fresh === undefined ? [] : [{ old, fresh, left, taken }];
  });
}

/**
 * The folders of the host in whose place a service mounts something else, the volumes that another service takes from it, and
 * data that it looks for elsewhere. A folder that is not mounted any more is no surprise.
 */
export function dataLeft(before: readonly Keeper[], after: readonly Keeper[]): Risk | undefined {
  return joined(
    successionsOf(before, after).flatMap(({ old, fresh, left, taken }): Risk[] => {
      const places = new Map(fresh.mounts.map((mount) => [mount.target, placeOf(mount)]));
      const replaced = left.filter(
        (mount) => mount.is === 'folder' && ![undefined, placeOf(mount)].includes(places.get(mount.target)),
      );
      const given = taken.filter(({ is }) => is === 'volume' && fresh.service === old.service);
      const moved = movedData(old, fresh);
      const isPlain = old.written === old.image && fresh.written === fresh.image;
      return [
        ...replaced.map(({ text, source = '' }) => leaving(text, isRemoved(source))),
        ...given.map(({ text }) => ({
          what: `the volume ${text} goes from ${old.service} to another service`,
          unnamed: '1 volume goes from a service to another one',
        })),
        ...(moved === undefined ? [] : [named(old.service, isPlain ? moved : { ...moved, what: moved.unnamed })]),
      ];
    }),
  );
}

function leaving(text: string, isGoing: boolean): Risk {
  const rest = isGoing
    ? 'is removed by the deployment, and something else is mounted in its place'
    : 'stays on the server, and something else is mounted in its place';
  return { what: `the folder ${text} ${rest}`, unnamed: `1 folder ${rest}` };
}

/** The data of services that get an image of another version. */
export function versionsLeft(before: readonly Keeper[], after: readonly Keeper[]): Risk | undefined {
  return joined(
    successionsOf(before, after).flatMap(({ old: { service, written, image }, fresh: to }): Risk[] => {
      const reason = databaseRisk(image, to.image);
      if (reason === undefined) return [];
      // The value of a variable may be a secret.
      const hasVariables = written !== image || to.written !== to.image;
      const was = written === to.written ? 'before' : written;
      const what = `${to.written} is another version than ${was}, or one that is not known`;
      const unnamed = 'the image is another version, or one that is not known';
      return [named(service, hasVariables ? { what, unnamed } : reason)];
    }),
  );
}

function named(service: string, reason: Required<Risk>): Risk {
  const what = because(`the data of ${service}`, reason)?.what ?? '';
  return { what, unnamed: because('the data of a service', reason)?.unnamed ?? '' };
}

/** Data at risk for several reasons, as one; undefined: for none. */
export function joined(reasons: readonly (Risk | undefined)[]): Risk | undefined {
  const all = reasons.filter((one) => one !== undefined);
  if (all.length === 0) return undefined;
  const [what, unnamed] = [all.map((one) => one.what), all.map((one) => one.unnamed ?? one.what)];
  return { what: what.join('; '), unnamed: unnamed.join('; ') };
}

function placeOf({ source, target }: Mounted): string {
  return JSON.stringify([source, target]);
}

/** The data in folders that each deployment of a raw compose removes; undefined when there are none. */
export function removedByDeployment(keepers: readonly Keeper[]): Loss | undefined {
  const all = keepers.flatMap(({ mounts }) => mounts);
  const folders = new Set(
    all.flatMap(({ is, source = '', from }) => (is === 'folder' && isRemoved(source) ? [from] : [])),
  );
  if (folders.size === 0) return undefined;
  const words = folders.size === 1 ? 'the folder' : 'the folders';
  return {
    of: 'data',
    what: `${words} ${[...folders].join(', ')}, which the deployment removes`,
    unnamed: `${words} that the deployment removes`,
  };
}

/** The folders that the platform deletes with a compose, where services keep data in them. */
export function ownFolders(keepers: readonly Keeper[]): string[] {
  const all = keepers.flatMap(({ mounts }) => mounts);
  const isOwn = (source: string) => isRemoved(source) || isRemoved(source.replace(/^\.\./, '.'));
  return [...new Set(all.flatMap(({ is, source = '', from }) => (is === 'folder' && isOwn(source) ? [from] : [])))];
}

/** Whether a path lies in the folder of the source, which each deployment of a raw compose removes and makes anew. */
export function isRemoved(source: string): boolean {
  return /^\.(\/(?!\.\.(\/|$))|$)/.test(source);
}
