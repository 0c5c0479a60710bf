import { resolve } from 'node:path';
import { kinds } from '../resources/index.ts';
import { type ProjectFolder, findPlace } from '../project/folder.ts';
import type { SharedPlatforms } from '../project/shared-platforms.ts';
import { readPreview } from '../project/state-location.ts';
import { environmentOf, stageEnvironment } from '../project/stage-environment.ts';
import type { FlagsOf } from './flags.ts';
import type { globalOptions } from './global-options.ts';
import type { Process } from './process.ts';
import { readValueFiles } from '../project/value-files.ts';
import { defined } from '../formats/json.ts';
import { readDuration } from '../formats/units.ts';
import { usage } from '../diagnostics/usage.ts';
import type { Redactor } from '../secrets/redactor.ts';
import { redactorOf } from '../secrets/sources/env.ts';

export { usage };

/** The options of every command, as written. */
export type GlobalOptions = FlagsOf<typeof globalOptions>;

/** The options of every command, parsed. */
export interface Settled extends ProjectFolder {
  readonly connections: number;
  /** false: each read is a request of its own. */
  readonly bulk: boolean;
  /** Longest wait for the lock of another run. Milliseconds. */
  readonly lockTimeoutMs: number;
}

/** The options of a run with one root file. */
export type FileOptions = Omit<GlobalOptions, 'file'> & { readonly file: string };

/** The root file of a run that names one, or none. */
export function oneFile(options: GlobalOptions): FileOptions {
  return { ...options, file: options.file?.at(-1) ?? 'trueup.yaml' };
}

/** What a root file of a run of several has to do with the others. */
interface AmongOthers {
  readonly hasOnePlatform: boolean;
  readonly platforms: SharedPlatforms;
  /** Reads a file for all of them: a pipe can be read once. */
  readonly read: (path: string) => Buffer;
}

/** Parses the options of every command. @throws {Stop} `usage` */
export function settleOptions(
  options: FileOptions,
  { env, cwd }: Pick<Process, 'env' | 'cwd'>,
  redactor: Redactor = redactorOf(env),
  several?: AmongOthers,
): Settled {
  const current = currentFolder(cwd);
  const place = findPlace(resolve(current, options.directory ?? '.'), options.file);
  // What closes a preview waits for what opens it.
  const lockTimeout = options.preview === undefined ? '0' : '15m';
  return {
    ...place,
    ...defined({ preview: options.preview === undefined ? undefined : readPreview('--preview', options.preview) }),
    variables: new Map((options.var ?? []).map(readAssignment)),
    valueFiles: readValueFiles(options.varFile ?? [], {
      folder: place.folder,
      cwd: current,
      ...defined({ read: several?.read }),
    }),
    connections: readInteger('--connections', options.connections, 1, 64),
    bulk: options.bulk !== false,
    lockTimeoutMs: 1_000 * readSeconds('--lock-timeout', options.lockTimeout ?? lockTimeout, 0, 86_400),
    allowsSecretCommands: options.allowSecretCommands === true,
    allowsHttp: options.allowHttp,
    isPinned: options.pinned,
    env: stageEnvironment(env, place, several),
    redactor,
    kinds,
    ...(several === undefined ? {} : { platforms: several.platforms }),
  };
}

/** The options of a run for another root file. */
export function optionsFor(path: string, options: Settled): Settled {
  const place = findPlace(options.folder, path);
  return { ...options, ...place, env: environmentOf(place, options.env) };
}

/** The current folder. @throws {Stop} `usage`, when it is gone. */
function currentFolder(cwd: Process['cwd']): string {
  try {
    return cwd();
  } catch {
    throw usage('the current folder does not exist any more', 'Change to a folder that exists.');
  }
}

/** Parses a whole number of an option. @throws {Stop} `usage` */
export function readInteger(name: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw usage(`${name} must be a whole number from ${min} to ${max}, got ${JSON.stringify(text)}`);
}

/** Parses a duration of an option: seconds, or as in `90s` and `1h30m`. In seconds. @throws {Stop} `usage` */
export function readSeconds(name: string, text: string, min: number, max: number): number {
  return readTime(name, text, { min, max, word: 'seconds', nanoseconds: 1e9 });
}

/** Parses a short duration of an option: milliseconds, or as in `500ms` and `5s`. In milliseconds. @throws {Stop} `usage` */
export function readMilliseconds(name: string, text: string, min: number, max: number): number {
  return readTime(name, text, { min, max, word: 'milliseconds', nanoseconds: 1e6 });
}

/** The value of `--since` in the platform's form: one number with one unit. The request checks what is no duration. */
export function readSince(text: string): string {
  if (/^\d+[smhd]$/.test(text)) return text;
  const seconds = /^\d+$/.test(text) ? Number(text) : (readDuration(text) ?? Number.NaN) / 1e9;
  return Number.isInteger(seconds) ? `${seconds}s` : text;
}

interface TimeUnit {
  readonly min: number;
  readonly max: number;
  readonly word: string;
  readonly nanoseconds: number;
}

function readTime(name: string, text: string, { min, max, word, nanoseconds }: TimeUnit): number {
  const duration = readDuration(text);
  const value = /^\d+$/.test(text) ? Number(text) : duration === undefined ? Number.NaN : duration / nanoseconds;
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  const forms = `${min} to ${max} ${word}, or a duration as in 30s or 1h30m`;
  throw usage(`${name} must be ${forms}, got ${JSON.stringify(text)}`);
}

/** The view for `--raw`. @throws {Stop} `usage`, when the format has none */
export function requireRaw<T>(raw: T | undefined): T {
  if (raw !== undefined) return raw;
  throw usage('--raw prints text, and --format json prints JSON', 'Leave one of them out: JSON keeps every character.');
}

function readAssignment(text: string): [string, string] {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw usage(`--var must be name=value, got ${JSON.stringify(text)}`);
}
