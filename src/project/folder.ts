import { basename, dirname, resolve } from 'node:path';
import { shellWord } from '../diagnostics/shell-word.ts';
import type { Kind } from '../kind/kind.ts';
import type { ValueFile } from '../manifest/variables.ts';
import type { Redactor } from '../secrets/redactor.ts';
import type { Terms } from '../state/lease.ts';
import type { SharedPlatforms } from './shared-platforms.ts';

/** The environment of a process, or of a controller that runs many projects. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Where a manifest is. */
export interface RootPlace {
  /** Absolute. */
  readonly folder: string;
  /** The name of the manifest in that folder; `findPlace` makes it from a path. */
  readonly file: string;
}

/** The folder of a manifest, with the surroundings that it is read in. */
export interface ProjectFolder extends RootPlace {
  /** Values of variables; they come before TRUEUP_VAR_<name>. */
  readonly variables: ReadonlyMap<string, string>;
  /** Files with values of variables; they come behind TRUEUP_VAR_<name>. */
  readonly valueFiles?: readonly ValueFile[];
  /** The preview that the command line names, of a root file that has `preview:`. */
  readonly preview?: string | undefined;
  /** true: programs that the manifest names may run to give secrets. */
  readonly allowsSecretCommands?: boolean;
  /** true: only the environment chooses the platform and the state. By default TRUEUP_PINNED decides, then CI. */
  readonly isPinned?: boolean | undefined;
  /** true: plain http to other hosts than this machine is allowed. By default TRUEUP_ALLOW_HTTP decides. */
  readonly allowsHttp?: boolean | undefined;
  /** As `stageEnvironment` gives it: without the variables of other stages. */
  readonly env: Environment;
  /** The durations of the lock of its state; undefined: the usual ones. */
  readonly lease?: Terms | undefined;
  /** What this run shares with runs for other root files; undefined: it is alone. */
  readonly platforms?: SharedPlatforms;
  /** Learns the secrets of the run, and redacts what others answer. */
  readonly redactor: Redactor;
  /** The kinds that the manifest may use. */
  readonly kinds: readonly Kind[];
}

/**
 * The folder and the name of a manifest that a path names: `a/trueup.yaml` is `trueup.yaml` in the folder `a`, and
 * `./trueup.yaml` is `trueup.yaml`. Whatever the path, a manifest has one folder, and one state.
 */
export function findPlace(folder: string, path: string): RootPlace {
  const isFile = !/(^|[\\/])\.{0,2}$/.test(path);
  const whole = resolve(folder, path);
  return isFile ? { folder: dirname(whole), file: basename(whole) } : { folder: resolve(folder), file: path };
}

/** How a command that a user copies names the root file; empty for the one that every command reads by default. */
export function fileOption({ file }: Pick<ProjectFolder, 'file'>): string {
  return file === 'trueup.yaml' ? '' : ` -f ${shellWord(file)}`;
}
