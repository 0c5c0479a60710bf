import { closeSync, existsSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Profile } from '../api/contract.ts';
import { yamlLimit } from '../manifest/load.ts';
import type { ProjectFolder } from './folder.ts';
import { profileAtAGlance } from './profile.ts';
import { stateFolder } from './state-location.ts';

type Place = Pick<ProjectFolder, 'folder' | 'file'>;

/** The profile that the words of a run begin in; what the run finds out later corrects it. Never throws. */
export function glance(place: Place): Profile {
  try {
    const path = join(place.folder, place.file);
    if (sizeOf(path) > yamlLimit) return 'standard';
    const text = readFileSync(path, 'utf8');
    return profileAtAGlance(text, () => rememberedAtAGlance(place));
  } catch {
    return 'standard';
  }
}

/** The bytes of a file. @throws {Error} where it is none: a pipe or a device may have no end. */
function sizeOf(path: string): number {
  const found = statSync(path);
  if (!found.isFile()) throw new Error('it is not a file');
  return found.size;
}

/** Whether the folder of local states has a state. */
export function hasLocalState(place: Place): boolean {
  return existsSync(join(stateFolder(place), stateFile));
}

const stateFile = 'state.json';
/** It ends with the profile that it remembers, and with its MAC. */
const ending = /"profile": ?"(standard|dokploy)",\s*"mac": ?"[^"]*"\s*\}\s*$/;
const longestEnding = 300;

/**
 * The profile that the end of a local state says, unproved: it chooses the words in which a manifest is read first. The
 * state itself, read later, corrects it. Never throws.
 */
export function rememberedAtAGlance(place: Place): Profile | undefined {
  let file: number | undefined;
  try {
    const path = join(stateFolder(place), stateFile);
    const size = sizeOf(path);
    file = openSync(path, 'r');
    const end = Buffer.alloc(longestEnding);
    const read = readSync(file, end, 0, longestEnding, Math.max(0, size - longestEnding));
    return ending.exec(end.toString('latin1', 0, read))?.[1] as Profile | undefined; // the pattern has no other words
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
