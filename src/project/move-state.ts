import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { usage } from '../diagnostics/usage.ts';
import { same } from '../formats/json.ts';
import { acceptedName } from '../manifest/accepted-drift.ts';
import { memoryFile } from '../manifest/memory-name.ts';
import { type Carried, carryState } from '../state/carry-state.ts';
import { systemClock } from '../state/clock.ts';
import type { LockRequest } from '../state/lease.ts';
import type { StateStore } from '../state/state.ts';
import { waitOut } from '../state/wait-out.ts';
import type { ProjectFolder } from './folder.ts';
import { chooseState, compareStates, renameFamily } from './left-states.ts';
import { openStore } from './open-store.ts';
import { keyFolder } from './state-location.ts';
import { rootFiles } from './root-files.ts';
import { findFormerState, findState } from './target.ts';

/** How a move takes the locks, and reports a wait for requests of an earlier run. */
interface Moving extends LockRequest {
  readonly onWait: (ms: number) => void;
}

/**
 * Gives a root file that was renamed the state of its former name: the state with its journal, documents and key, and the
 * files beside the root file that have its name. Where both names mean one place, only the note in the state changes. A run
 * that is killed leaves one of the two places whole; the next one goes on. undefined: the former name has no state.
 *
 * @throws {Stop} `usage`, when the file was not renamed; `refused`, when the new name has another state
 */
export async function moveState(from: ProjectFolder, to: ProjectFolder, moving: Moving): Promise<Carried | undefined> {
  checkRenamed(from, to);
  const [former, next] = [await findFormerState(from, to.file), await findState(to)];
  const isOnePlace = same(former.state, next.state);
  const isLocal = [former, next].every(({ state }) => state.backend === 'local');
  const choose = isLocal ? chooseState(from.file, to.file) : compareStates(from.file, to.file);
  const first = (): ReturnType<StateStore['key']> => source.key();
  const hasKey = from.env['TRUEUP_STATE_KEY'] !== undefined || existsSync(join(keyFolder(from), 'key'));
  const source = openStore(former.state, isOnePlace && !hasKey ? to : from, { mayMake: true, moving: {} });
  const target = openStore(next.state, to, { mayMake: true, moving: { first } });
  try {
    const lease = await source.lock(moving);
    await waitOut(source, { inFlightTimeoutMs: 60_000, clock: systemClock, lease, onWait: moving.onWait });
    const moved = isOnePlace
      ? await renamed(source, target, to)
      : await carried(source, target, { to, moving, choose });
    if (moved === undefined) return undefined;
    await moveFiles(from, to);
    return moved;
  } finally {
    await target.close();
    await source.close();
  }
}

async function carried(
  source: StateStore,
  target: StateStore,
  { to, moving, choose }: { readonly to: ProjectFolder; readonly moving: Moving; readonly choose: string },
): Promise<Carried | undefined> {
  await target.lock(moving);
  return carryState(source, target, { file: to.file, choose });
}

/** The state of a place that both names mean, with the new name in it. The key file is that of the new name from now on. */
async function renamed(source: StateStore, target: StateStore, { file }: ProjectFolder): Promise<Carried | undefined> {
  const state = await source.read();
  if (state === undefined) return undefined;
  await target.keepKey();
  if (state.rootFile === file) return { state, wasThere: true };
  const noted = { ...state, rootFile: file, serial: state.serial + 1 };
  await source.write(noted);
  return { state: noted, wasThere: false };
}

/** @throws {Stop} `usage`, unless a root file without previews has the new name, and none has the former one */
function checkRenamed(from: ProjectFolder, to: ProjectFolder): void {
  const isFamily = rootFiles(to.folder).some(({ file, isPreview }) => isPreview && file === to.file);
  if (isFamily || from.preview !== undefined)
    throw usage('state move moves no previews: each is in the list of its file', renameFamily(from.file, to.file));
  const [former, present] = [join(from.folder, from.file), join(to.folder, to.file)];
  if (former === present)
    throw usage('the two files are the same', 'Name the former file first, and the new one second.');
  if (from.folder !== to.folder)
    throw usage(`${from.file} and ${to.file} are in two folders`, 'Rename the file inside its folder, and name both.');
  const remedy = `Rename it first: git mv ${from.file} ${to.file}.`;
  if (!existsSync(present)) throw usage(`there is no file ${to.file} in ${to.folder}`, remedy);
  if (existsSync(former))
    throw usage(`${from.file} is still there, and its next apply would start without a state`, remedy);
}

/** Moves what is beside the state and beside the root file by its name. */
async function moveFiles(from: ProjectFolder, to: ProjectFolder): Promise<void> {
  for (const nameOf of [memoryFile, acceptedName]) {
    const [former, present] = [from, to].map(({ folder, file }) => join(folder, nameOf(file)));
    if (former === undefined || present === undefined) continue;
    if (existsSync(former) && !existsSync(present)) await rename(former, present);
  }
  // It is the key of no state any more.
  if (from.env['TRUEUP_STATE_KEY'] !== undefined) return;
  for (const name of ['key', 'key.migrating', 'key.next']) await rm(join(keyFolder(from), name), { force: true });
}
