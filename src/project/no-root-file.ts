import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { closest } from '../diagnostics/closest.ts';
import { type Stop, stop } from '../diagnostics/diagnostic.ts';
import { reasonOf, remedyForDisk } from '../diagnostics/disk-errors.ts';
import { shellWord } from '../diagnostics/shell-word.ts';
import { someOf } from '../diagnostics/some-of.ts';
import { usage } from '../diagnostics/usage.ts';
import type { ProjectFolder, RootPlace } from './folder.ts';
import { moveTo } from './left-states.ts';
import { isLink } from '../files/regular-file.ts';
import { rootFiles, stageOf } from './root-files.ts';
import { siblingsOf } from './siblings.ts';
import { hasLocalState } from './state-location.ts';

/** @throws {Stop} `usage`, when the folder of a manifest is not there */
export function requireFolder({ folder }: Pick<RootPlace, 'folder'>): void {
  try {
    if (statSync(folder).isDirectory()) {
      // Whether files are there shows only in a folder that can be listed and entered.
      readdirSync(folder);
      statSync(`${folder}/.`);
      return;
    }
  } catch (error) {
    const remedy = remedyForDisk(error);
    if (remedy !== undefined) throw usage(`the folder ${folder} cannot be read (${reasonOf(error)})`, remedy);
  }
  throw usage(`there is no folder ${folder}`, 'Name the folder of the manifest with -C.');
}

/** The remedy of a command that needs a manifest, where nothing shows which one was meant. */
export const nameRootFile =
  'Name the folder of the manifest with -C, or the file in it with -f. trueup init writes a first one.';

/** The error for a root file that a folder does not have. `otherwise`: the remedy where nothing shows which one was meant. */
export function noRootFile(place: RootPlace, otherwise: string): Stop {
  const { folder, file } = place;
  if (isLink(join(folder, file))) {
    const message = `${file} in ${folder} is a link to a file that is not there`;
    return stop('manifest', 'file-unreadable', message, { remedy: 'Put the file itself in the place of the link.' });
  }
  const remedy = whereElse(place) ?? otherwise;
  return stop('manifest', 'file-unreadable', `there is no file ${file} in ${folder}`, { remedy });
}

/** Where the root file probably is; undefined: nothing shows that. */
function whereElse({ folder, file }: RootPlace): string | undefined {
  const roots = rootFiles(folder).map((root) => root.file);
  // Without -f, the user named none.
  const isNamed = file !== 'trueup.yaml';
  if (hasLocalState({ folder, file }) && (isNamed || roots.length === 0))
    return `Its state is still there. ${moveTo(folder, file)} If it was deleted, take it from git again: git log -- ${shellWord(file)} lists its commits.`;
  const meant = isNamed ? (roots.find((root) => stageOf(root) === file) ?? closest(file, roots)) : undefined;
  if (meant !== undefined) return `Did you mean ${meant}?`;
  if (roots.length > 0) return `It has ${someOf(roots)}: name one with -f.`;
  const above = foldersAbove(resolve(folder)).find((one) => existsSync(join(one, file)));
  return above && `There is one in ${above}: give -C ${shellWord(above)}.`;
}

/** The folders above one, from the nearest on. */
function foldersAbove(folder: string): string[] {
  const above = dirname(folder);
  return above === folder ? [] : [above, ...foldersAbove(above)];
}

/** @throws {Stop} `manifest`, when a file is no root file, and root files beside it include it */
export async function refuseShared(options: ProjectFolder): Promise<void> {
  const { folder, file } = options;
  const roots = rootFiles(folder);
  if (roots.some((root) => root.file === file)) return;
  const reads = siblingsOf(options, { roots }).map(async (root) => ({ file: root.file, found: await root.read() }));
  const including = (await Promise.all(reads)).filter(({ found }) => found?.texts.has(file)).map((root) => root.file);
  const [first] = including;
  if (first === undefined) return;
  const message = `${file} is no root file: ${someOf(including)} ${including.length === 1 ? 'includes' : 'include'} it`;
  const remedy = `Name a root file: trueup plan -f ${shellWord(first)}.`;
  throw stop('manifest', 'missing-key', message, { remedy, position: { file, line: 1, column: 1 } });
}
