import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { stop } from '../diagnostics/diagnostic.ts';
import { shellWord } from '../diagnostics/shell-word.ts';
import { defined } from '../formats/json.ts';
import { type IndexEntry, indexEntries } from '../git/tracked.ts';
import { decoded } from '../secrets/passwords-in-addresses.ts';
import type { Redactor } from '../secrets/redactor.ts';
import type { StateKey } from '../secrets/state-key.ts';
import { localStore } from '../state/backends/local.ts';
import { postgresStorage, postgresStore } from '../state/backends/postgres.ts';
import { s3Storage, s3Store } from '../state/backends/s3.ts';
import { systemClock } from '../state/clock.ts';
import { nodeDisk } from '../state/disk.ts';
import { type KeySource, givenKey, keyFile } from '../state/key-sources.ts';
import type { StateStore } from '../state/state.ts';
import type { StateStorage } from '../state/storage.ts';
import { keyProblem } from '../state/unusable.ts';
import type { Environment, ProjectFolder } from './folder.ts';
import { renameFamily } from './left-states.ts';
import { refuseLinks } from './links.ts';
import { type StateLocation, keyFolder } from './state-location.ts';

/**
 * Opens the storage of a state, with the credentials in the environment. Sends nothing yet.
 *
 * @throws {Stop} `state`, when a credential is missing, or when the folder of a local state leads elsewhere.
 */
export function openStore(location: StateLocation, options: ProjectFolder, how: KeyOptions = {}): StateStore {
  const store = openAt(location, options, how);
  return how.moving === undefined ? ofRootFile(store, options) : store;
}

/** A store that refuses the state of another root file: what its own does not declare would be deleted. */
function ofRootFile(store: StateStore, { file, preview }: ProjectFolder): StateStore {
  return {
    ...store,
    read: async (how) => {
      const state = await store.read(how);
      if (state?.rootFile === undefined || state.rootFile === file) return state;
      const [former, present] = [state.rootFile, file].map(shellWord);
      const renamed =
        preview === undefined
          ? `If you renamed the file, run trueup state move ${former} ${present}.`
          : `If you renamed the file: ${renameFamily(state.rootFile, file)}`;
      const message = `the state ${store.location} belongs to ${state.rootFile}, and this run is of ${file}`;
      const remedy = `${renamed} Otherwise give ${file} a state of its own. Nothing was sent.`;
      throw stop('state', 'state-unusable', message, { remedy });
    },
  };
}

function openAt(location: StateLocation, options: ProjectFolder, how: KeyOptions): StateStore {
  const { env, redactor } = options;
  const { redact } = redactor;
  const keys = keysOf(location, options, how);
  const about = { keys, ...defined({ terms: options.lease }) };
  switch (location.backend) {
    case 'local':
      refuseLinks(options.folder, location.folder, ['lease', 'documents', 'state.json', 'state.journal']);
      return localStore(location.folder, about);
    case 'postgres':
      addSecretsOfUrl(redactor, location.url);
      return refusingEarlier(postgresStore({ ...location, redact }, about), options, () => {
        const name = `${location.name}/trueup.yaml`;
        return { earlier: postgresStorage({ ...location, name, redact }, systemClock), member: `name: ${name}` };
      });
    case 's3': {
      const why = 'It is half of the key for the bucket of the state; the other half is';
      const accessKeyId = credential(env, 'AWS_ACCESS_KEY_ID', `${why} AWS_SECRET_ACCESS_KEY.`);
      const secretAccessKey = credential(env, 'AWS_SECRET_ACCESS_KEY', `${why} AWS_ACCESS_KEY_ID.`);
      const sessionToken = env['AWS_SESSION_TOKEN'] ?? '';
      for (const secret of [secretAccessKey, sessionToken]) redactor.add(secret);
      const key = { accessKeyId, secretAccessKey, ...(sessionToken === '' ? {} : { sessionToken }) };
      return refusingEarlier(s3Store({ ...location, key, redact }, about), options, () => {
        const prefix = `${location.prefix}trueup.yaml/`;
        return { earlier: s3Storage({ ...location, prefix, key, redact }, systemClock), member: `prefix: ${prefix}` };
      });
    }
    default:
      return location satisfies never;
  }
}

/**
 * A store that refuses to begin a state where an earlier version left one: `-f` with a path once put the name of the file
 * behind the name of the state. Looks for it only where there is no state.
 */
function refusingEarlier(
  store: StateStore,
  { file }: ProjectFolder,
  find: () => { readonly earlier: StateStorage; readonly member: string },
): StateStore {
  if (file !== 'trueup.yaml') return store;
  return {
    ...store,
    read: async (how) => {
      const state = await store.read(how);
      if (state !== undefined || how?.acceptsNone === true) return state;
      const { earlier, member } = find();
      try {
        if ((await earlier.lease.look())?.entry.newest === undefined) return undefined;
      } finally {
        await earlier.close();
      }
      const message = `an earlier version left a state of this project in ${earlier.location}, and there is none in ${store.location}`;
      const remedy = `To use it, write ${member} under state: in the manifest. If it is of another manifest, give this one a ${member.split(':')[0]} of its own. Nothing was sent.`;
      throw stop('state', 'state-unusable', message, { remedy });
    },
  };
}

/** The key of the state of a folder: TRUEUP_STATE_KEY, or the key file. Sends nothing. @throws {Stop} `state`, when there is none. */
export async function findKey(options: ProjectFolder): Promise<StateKey> {
  const location = { backend: 'local', folder: keyFolder(options) } as const;
  const keys = keysOf(location, options, { mayMake: false });
  const { key } = await keys.find();
  if (key === undefined) throw new Error(`${keys.name} gives no key`);
  return key;
}

/** What a command may do about the key of a state. */
interface KeyOptions {
  /** Makes a key where there is none; a local state only by default. */
  readonly mayMake?: boolean;
  /** Accepts a state without a MAC although there is a key. */
  readonly acceptsUnsealed?: boolean;
  /** A state moves: that of another root file is read too, and where there is no key, the first one is this. */
  readonly moving?: Pick<KeySource, 'first'>;
}

/** The key of a state: TRUEUP_STATE_KEY, or a file in the folder, which a first run makes for a local state only. */
function keysOf(
  location: StateLocation,
  options: ProjectFolder,
  { mayMake = location.backend === 'local', acceptsUnsealed = false, moving = {} }: KeyOptions,
): KeySource {
  const { redactor } = options;
  const name = 'TRUEUP_STATE_KEY';
  const text = options.env[name];
  if (text === undefined) {
    const folder = keyFolder(options);
    refuseLinks(options.folder, folder, ['key', 'key.migrating', 'key.next', '.gitignore']);
    const unsealed = acceptsUnsealed ? 'always' : location.backend === 'local' ? 'at first' : 'never';
    const keys = keyFile({ folder, disk: nodeDisk }, { mayMake, unsealed, addSecret: redactor.add });
    const find = async () => {
      for (const file of ['key', 'key.migrating', 'key.next']) await refuseTracked(join(folder, file));
      const found = await keys.find();
      if (location.backend !== 'local' || found.unsealed !== 'at first') return found;
      const places = ['state.json', 'state.journal'].map((file) => join(location.folder, file));
      const isKept = await Promise.all(places.map(async (place) => (await trackingOf(place)) !== 'untracked'));
      // It came with the repository: whoever committed it need not have run Trueup.
      return found.key === undefined && isKept.includes(true) ? { ...found, unsealed: 'never' as const } : found;
    };
    return { ...keys, ...moving, find };
  }
  redactor.add(text.trim());
  return givenKey(text, name, acceptsUnsealed ? { unsealed: 'always' } : {});
}

/** Whether git tracks a file; one that is not there is untracked. */
async function trackingOf(path: string): Promise<IndexEntry['is']> {
  return existsSync(path) ? ((await indexEntries([path])).get(path)?.is ?? 'unreadable') : 'untracked';
}

/** Refuses a key that came with the repository: whoever committed it can write a state that it fits. */
async function refuseTracked(path: string): Promise<void> {
  const tracking = await trackingOf(path);
  if (tracking === 'untracked') return;
  if (tracking === 'unreadable') {
    const why = 'the index of the repository is split or cannot be read';
    const remedy = 'Run git update-index --no-split-index, or set TRUEUP_STATE_KEY instead.';
    throw keyProblem(`Trueup cannot tell whether git tracks the key ${path}: ${why}`, remedy);
  }
  const remedy = `Run git rm --cached ${path}, and then trueup state key --rotate. If you did not add it, find out who did.`;
  throw keyProblem(`git tracks the key ${path}, so everybody who reads the repository has it`, remedy);
}

function credential(env: Environment, name: string, remedy: string): string {
  const value = env[name] ?? '';
  if (value !== '') return value;
  throw stop('state', 'secret-missing', `the state cannot be reached: ${name} is not set`, {
    remedy: `Set ${name}. ${remedy}`,
  });
}

function addSecretsOfUrl(redactor: Redactor, url: string): void {
  redactor.add(url);
  if (!URL.canParse(url)) return;
  const { password, searchParams } = new URL(url);
  for (const secret of [password, decoded(password), searchParams.get('password') ?? '']) redactor.add(secret);
}
