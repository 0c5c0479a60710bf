import { withoutSlash } from '../api/slash.ts';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Stop, stop } from '../diagnostics/diagnostic.ts';
import { shellWord } from '../diagnostics/shell-word.ts';
import { usage } from '../diagnostics/usage.ts';
import { isPreviewId, previewIdForm } from '../manifest/preview.ts';
import type { Preview, StatePlace } from '../manifest/settings.ts';
import { settingsShape } from '../manifest/settings-shape.ts';
import { isLoopback } from '../api/loopback.ts';
import { readPostgresAddress } from '../state/backends/postgres-address.ts';
import type { ProjectFolder, RootPlace } from './folder.ts';
import { letManifestChoose, readPin, whyPinned } from './pins.ts';
import { checkAddress } from './platform-address.ts';
import { rootFiles } from './root-files.ts';
import { isStateOfSeveral } from './stage-environment.ts';

/** The location of a state that a run may use, without the credentials. */
export type StateLocation =
  | { readonly backend: 'local'; readonly folder: string }
  | { readonly backend: 'postgres'; readonly url: string; readonly schema: string; readonly name: string }
  | {
      readonly backend: 's3';
      readonly endpoint: string;
      readonly bucket: string;
      readonly region: string;
      readonly prefix: string;
    };

/** The part of a manifest that says where its state is. */
interface NamedState {
  /** undefined: the manifest names no location. */
  readonly state: StatePlace | undefined;
  readonly project: string;
  readonly preview?: Preview | undefined;
  readonly ownsProject?: true | undefined;
}

const stateUrl = 'TRUEUP_STATE_URL';

/**
 * Finds the location of the state. TRUEUP_STATE_URL decides where it is set: a manifest may name the same location, or none.
 *
 * @throws {Stop} `refused`, when the manifest names another location, or when the run is pinned, TRUEUP_STATE_URL is not set
 *   and the manifest names a state elsewhere; `state`, when TRUEUP_STATE_URL is missing, no address of a state, or one of two.
 */
export function locateState(named: NamedState, options: ProjectFolder): StateLocation {
  const { state, project } = named;
  requirePreview(named, options);
  const location = ofPreview(findLocation(named, options), options.preview);
  const isNamed = location.backend === 'local' || namesItself(state, options);
  if (named.ownsProject !== true || isNamed) return location;
  const member = location.backend === 'postgres' ? 'name' : 'prefix';
  const message = `the state has no ${member} of its own, and the manifest can rename its project`;
  const remedy = `Write ${member}: ${project} under state:, or into ${stateUrl}. It stays when the project gets another name.`;
  throw stop('state', 'state-unusable', message, { remedy });
}

/** Whether the manifest or TRUEUP_STATE_URL gives a state elsewhere a name that does not come from the project. */
function namesItself(state: StatePlace | undefined, options: ProjectFolder): boolean {
  const text = readPin(options.env, stateUrl);
  const given = text === undefined ? undefined : readStateUrl(text, options);
  return [state, given].some((one) => {
    if (one?.backend === 'postgres') return one.name !== undefined;
    return one?.backend === 's3' && one.prefix !== undefined;
  });
}

function findLocation({ state, project }: NamedState, options: ProjectFolder): StateLocation {
  const text = readPin(options.env, stateUrl);
  const why = whyPinned(options);
  const local = { backend: 'local', folder: stateFolder(options) } as const;
  // Each manifest of a folder has a state of its own.
  const name = [project, ...(options.file === 'trueup.yaml' ? [] : [basename(options.file)])].join('/');
  if ((state?.backend ?? 'local') === 'local' && options.file === 'trueup.yaml') refuseEarlier(local.folder);
  if (text === undefined) return fromManifest(state, { why, local, name });
  const given = readStateUrl(text, options);
  if (isStateOfSeveral(options.env)) refuseOneState(given);
  if (state === undefined) {
    refuseTwo(local.folder);
    return given.backend === 's3' ? completeBucket(given, name) : completeDatabase(given, name);
  }
  if (state.backend === 'local' && why === undefined) return local;
  if (state.backend === 'postgres' && given.backend === 'postgres') {
    const expected = why === undefined ? given : completeDatabase(given, name);
    checkSame('schema', state.schema, expected.schema);
    checkSame('name', state.name, expected.name);
    return completeDatabase({ ...given, schema: given.schema ?? state.schema, name: given.name ?? state.name }, name);
  }
  if (state.backend === 's3' && given.backend === 's3') {
    const expected = why === undefined ? given : completeBucket(given, name);
    checkSame('endpoint', withoutSlash(state.endpoint), withoutSlash(given.endpoint));
    checkSame('bucket', state.bucket, given.bucket);
    checkSame('region', state.region, expected.region);
    checkSame('prefix', state.prefix && withoutSlash(state.prefix), expected.prefix && withoutSlash(expected.prefix));
    return completeBucket(
      { ...given, region: given.region ?? state.region, prefix: given.prefix ?? state.prefix },
      name,
    );
  }
  throw anotherPlace(`the manifest names a state in ${backends[state.backend]}, and ${stateUrl} another one`);
}

/** The folder beside the manifest in which a local state is kept. */
export function stateFolder({ preview = '', ...place }: Pick<ProjectFolder, 'folder' | 'file' | 'preview'>): string {
  return join(keyFolder(place), preview);
}

/** The folder beside the manifest that has the key of its state; all previews of a root file have one. */
export function keyFolder({ folder, file }: RootPlace): string {
  return file === 'trueup.yaml' ? join(folder, '.trueup') : join(folder, '.trueup', basename(file));
}

/** The location that has the list of all previews of a root file. @throws {Stop} as `locateState` */
export function locateFamily(named: NamedState, options: ProjectFolder): StateLocation {
  return findLocation(named, { ...options, preview: undefined });
}

/** The location of the state of one preview; undefined: that of the root file. */
function ofPreview(location: StateLocation, preview: string | undefined): StateLocation {
  if (preview === undefined) return location;
  switch (location.backend) {
    case 'local':
      return location;
    case 'postgres':
      return { ...location, name: `${location.name}/${preview}` };
    case 's3':
      return { ...location, prefix: `${location.prefix}${preview}/` };
    default:
      return location satisfies never;
  }
}

/** Reads the id of a preview, which also names the place of its state. @throws {Stop} `usage`, when it is none */
export function readPreview(option: string, text: string): string {
  if (isPreviewId(text)) return text;
  throw usage(`${option} must be ${previewIdForm}, got ${JSON.stringify(text)}`);
}

/** @throws {Stop} `usage`, when the command line names no preview of a file of previews, or one of another file. */
export function requirePreview({ preview }: Pick<NamedState, 'preview'>, options: ProjectFolder): void {
  refuseNoFamily({ preview }, options);
  if (preview === undefined || options.preview !== undefined) return;
  const remedy = 'Give --preview ID, such as the number of a pull request.';
  throw usage(`${options.file} has preview:, and this command is about one preview`, remedy);
}

/** @throws {Stop} `usage`, when the command line names a preview of a file without `preview:`. */
export function refuseNoFamily({ preview }: Pick<NamedState, 'preview'>, options: ProjectFolder): void {
  if (preview !== undefined || options.preview === undefined) return;
  const first = rootFiles(options.folder).find(({ isPreview }) => isPreview);
  const { file, preview: id } = options;
  const destroy = `trueup destroy -f ${shellWord(file)} --preview ${id}`;
  const remedy =
    first === undefined
      ? `Leave --preview out. If preview ${id} is left from before, write preview: {} into ${file} again, and run ${destroy}.`
      : `Name the file of the previews: -f ${shellWord(first.file)}.`;
  throw usage(`--preview: ${options.file} has no preview:`, remedy);
}

type Database = Extract<StateLocation, { backend: 'postgres' }>;
type Bucket = Extract<StateLocation, { backend: 's3' }>;

/** A location whose defaults are not filled in. */
type Given = GivenDatabase | GivenBucket;
type GivenDatabase = Pick<Database, 'backend' | 'url'> & Optional<Database, 'schema' | 'name'>;
type GivenBucket = Pick<Bucket, 'backend' | 'endpoint' | 'bucket'> & Optional<Bucket, 'region' | 'prefix'>;
type Optional<T, K extends keyof T> = { readonly [Key in K]?: T[Key] | undefined };

function fromManifest(
  state: StatePlace | undefined,
  { why, local, name }: { why: string | undefined; local: StateLocation; name: string },
): StateLocation {
  switch (state?.backend) {
    case undefined:
    case 'local':
      return local;
    case 'postgres':
      throw stop('state', 'secret-missing', `the state cannot be reached: ${stateUrl} is not set`, {
        remedy: `Set ${stateUrl}. It is the address of the database: postgres://user:password@host/name.`,
      });
    case 's3':
      if (why === undefined || isLoopback(new URL(state.endpoint).hostname)) return completeBucket(state, name);
      throw stop('refused', 'unpinned', `the manifest cannot choose the location of the state, because ${why}`, {
        remedy: `Set ${stateUrl} to s3://bucket/prefix?endpoint=https://…&region=…, where a pull request cannot change it. ${letManifestChoose}`,
      });
    default:
      return state satisfies never;
  }
}

/** One name or prefix for the states of several manifests would make one state of them. */
function refuseOneState(given: Given): void {
  const member = given.backend === 's3' ? 'prefix' : 'name';
  if ((given.backend === 's3' ? given.prefix : given.name) === undefined) return;
  const message = `${stateUrl} names a ${member}, and this run has several root files: they would have one state`;
  const remedy = `Leave the ${member} out: each state gets the name of its project and its file. Nothing was sent.`;
  throw stop('state', 'state-unusable', message, { remedy });
}

function completeDatabase(given: GivenDatabase, name: string): Database {
  return { ...given, schema: given.schema ?? 'trueup', name: given.name ?? name };
}

function completeBucket(given: GivenBucket, name: string): Bucket {
  return { ...given, region: given.region ?? 'us-east-1', prefix: `${withoutSlash(given.prefix ?? name)}/` };
}

/** Reads TRUEUP_STATE_URL. @throws {Stop} `state` or `refused`, with no part of an address that cannot be read */
function readStateUrl(text: string, options: ProjectFolder): Given {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 's3:') return readDatabaseUrl(text);
  const parameter = (name: string) => url.searchParams.get(name) ?? undefined;
  const place = settingsShape.state.safeParse({
    backend: 's3',
    endpoint: parameter('endpoint'),
    bucket: url.hostname,
    region: parameter('region'),
    prefix: url.pathname.replace(/^\/+/, '') || undefined,
  });
  const others = [...url.searchParams.keys()].filter((name) => !['endpoint', 'region'].includes(name));
  const hasMore = others.length > 0 || url.username !== '' || url.port !== '' || url.hash !== '';
  if (!place.success || place.data?.backend !== 's3' || hasMore) {
    throw unreadable('s3://bucket/prefix?endpoint=https://…&region=…, without credentials');
  }
  const hostile = checkAddress(place.data.endpoint, { named: stateUrl, ofStore: true }, options);
  if (hostile.length > 0) throw new Stop('refused', hostile);
  return place.data;
}

/** Reads the address of a database; `schema` and `name` are of Trueup, and the rest is for the database. */
function readDatabaseUrl(text: string): Given {
  const { url } = readPostgresAddress(text);
  const own = ['schema', 'name'] as const;
  const [schema, name] = own.map((parameter) => url.searchParams.get(parameter) ?? undefined);
  const place = settingsShape.state.safeParse({ backend: 'postgres', schema, name });
  if (!place.success) throw unreadable('postgres://user:password@host/database?schema=…&name=…');
  for (const parameter of own) url.searchParams.delete(parameter);
  return { backend: 'postgres', url: schema === undefined && name === undefined ? text : url.href, schema, name };
}

function unreadable(form: string): Stop {
  return stop('state', 'state-unusable', `${stateUrl} is no address of a state`, { remedy: `Write ${form}.` });
}

function checkSame(member: string, named: string | undefined, expected: string | undefined): void {
  if (named === undefined || expected === undefined || named === expected) return;
  throw anotherPlace(`state.${member}: the manifest names ${named}, and ${stateUrl} ${expected}`, member);
}

function anotherPlace(message: string, member?: string): Stop {
  const how = member === 'schema' || member === 'name' || member === 'region' ? ` (with ${member}=…)` : '';
  const remedy = `Correct state: in the manifest, or ${stateUrl}${how}; nothing was sent.`;
  return stop('refused', 'hostile-setting', message, { remedy });
}

/** A state that is there must not be left behind unseen. */
function refuseTwo(folder: string): void {
  const file = join(folder, 'state.json');
  if (!existsSync(file)) return;
  const remedy = `Move ${file} away if it is of no use any more. To use it, write state: { backend: local } and do not set ${stateUrl}.`;
  throw stop('state', 'state-unusable', `there are two states: ${file}, and the one of ${stateUrl}`, { remedy });
}

/** `-f` with a path once chose a state of its own for the default manifest. */
function refuseEarlier(folder: string): void {
  const earlier = join(folder, 'trueup.yaml');
  if (!existsSync(join(earlier, 'state.json'))) return;
  const remedy = `To use it, move all files of ${earlier} into ${folder}; otherwise move it away. Nothing was sent.`;
  throw stop('state', 'state-unusable', `an earlier version left a state of this manifest in ${earlier}`, { remedy });
}

const backends = { local: 'the folder of the manifest', postgres: 'PostgreSQL', s3: 'an S3 bucket' } as const;

/** Whether the folder of local states has a state, or the journal that a killed first apply left. */
export function hasLocalState(place: Parameters<typeof stateFolder>[0]): boolean {
  return ['state.json', 'state.journal'].some((name) => existsSync(join(stateFolder(place), name)));
}
