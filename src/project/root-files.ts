import { readFileSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { usage } from '../diagnostics/usage.ts';
import { environmentKey } from '../manifest/assemble/environment.ts';
import { isMemoryFile } from '../manifest/memory-name.ts';
import { isRootText, yamlLimit } from '../manifest/load.ts';
import { stageInVariables } from '../secrets/stage-variables.ts';

/** A root file: a YAML file at the top of a folder, with `trueup:` at its top. */
export interface RootFile {
  readonly file: string;
  /** It has `preview:`: it describes many environments, and a command line names one of them. */
  readonly isPreview: boolean;
  /** It names an environment of its own. */
  readonly isStage: boolean;
}

/** The root files of a folder, sorted by name; also those with a mistake. A file that cannot be read is none. Never throws. */
export function rootFiles(folder: string): readonly RootFile[] {
  return yamlFiles(folder).flatMap((file) => {
    const text = textOf(join(folder, file));
    const has = (key: string) => new RegExp(`^${key}[ \\t]*:`, 'm').test(text);
    return isRootText({ text }) ? [{ file, isPreview: has('preview'), isStage: has(environmentKey) }] : [];
  });
}

/** The YAML files at the top of a folder, sorted by name, without memories of drift. Never throws. */
export function yamlFiles(folder: string): readonly string[] {
  return namesIn(folder)
    .filter((file) => /\.ya?ml$/.test(file) && !isMemoryFile(file))
    .toSorted();
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** The text of a file; empty, where it cannot be read. Never throws. */
export function textOf(path: string): string {
  try {
    const stat = statSync(path);
    return stat.isFile() && stat.size <= yamlLimit ? readFileSync(path, 'utf8') : '';
  } catch {
    return '';
  }
}

/**
 * The name of the stage of a root file; undefined: the file has no name that a stage can have. In variables `-` is `_`: with
 * two of them, a key of the stage `a--secret_b` would be a secret of the stage `a`.
 */
export function stageOf(file: string): string | undefined {
  const name = basename(file).replace(/\.ya?ml$/, '');
  return /^[A-Za-z0-9_-]+$/.test(name) && !stageInVariables(name).includes('__') ? name : undefined;
}

/** @throws {Stop} `usage`, when two root files are of one stage for variables. */
export function refuseTwins(files: readonly string[]): void {
  const known = new Map<string, string>();
  for (const file of files) {
    const key = stageInVariables(stageOf(file) ?? file);
    const twin = known.get(key);
    known.set(key, file);
    if (twin === undefined) continue;
    const remedy = `Rename one of them. Variables of both would begin with TRUEUP__${key}__.`;
    const alike = stageOf(twin) === stageOf(file) ? '.yaml and .yml' : 'case or in - and _';
    throw usage(`${twin} and ${file} differ only in ${alike}`, remedy);
  }
}
