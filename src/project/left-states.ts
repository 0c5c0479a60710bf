import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { stop } from '../diagnostics/diagnostic.ts';
import { shellWord } from '../diagnostics/shell-word.ts';
import { isObject } from '../formats/json.ts';
import type { Manifest } from '../manifest/manifest.ts';
import { isBoundTo } from '../state/bound.ts';
import type { StateRecord } from '../state/record.ts';
import type { State } from '../state/state.ts';
import { readJson, readLine } from '../state/wave.ts';
import { rootFiles } from './root-files.ts';
import { hasLocalState, stateFolder } from './state-location.ts';

/** A state of a folder whose root file is not there. */
interface LeftState {
  readonly file: string;
  readonly location: string;
}

/** The place of a local state. */
type LocalPlace = Parameters<typeof stateFolder>[0];

/** What such a state says of itself, unchecked. */
type LeftContent = Partial<Pick<State, 'projectId' | 'projectName' | 'resources'>>;

/** The local states of a folder whose root files are gone, or those of one preview. Never throws. */
export function statesWithoutFile(folder: string, preview?: string): readonly LeftState[] {
  const named = readNames(join(folder, '.trueup')).filter((name) => /\.ya?ml$/.test(name));
  return ['trueup.yaml', ...named].flatMap((file) => {
    const place = { folder, file, preview };
    const isLeft = hasLocalState(place) && !existsSync(join(folder, file));
    return isLeft ? [{ file, location: stateFile(place) }] : [];
  });
}

/**
 * Refuses to begin a state where the folder has that of a root file that is gone, with resources of this project: the file was
 * probably renamed, and what is there already would be created or adopted once more.
 *
 * @throws {Stop} `state`
 */
export function refuseLeft(
  { folder, file, preview }: LocalPlace,
  { resources, settings: { moved, project } }: Pick<Manifest, 'resources' | 'settings'>,
): void {
  const declared = new Set(resources.map(({ address }) => address));
  const isMoved = (address: string) => moved.some(({ from }) => `${address}.`.startsWith(`${from}.`));
  for (const left of statesWithoutFile(folder, preview)) {
    const state = readState({ folder, file: left.file, preview });
    // The state notes the id, and the name that its manifest had; without a name it may be that of any project.
    if (state.projectName !== undefined && !isBoundTo(state, project)) continue;
    const shared = [...idsOf(state).keys()].filter((address) => declared.has(address) || isMoved(address));
    const [first] = shared;
    if (first === undefined) continue;
    const what = shared.length === 1 ? `${first}, which` : `${shared.length} resources that`;
    const example = shared.length === 1 ? '' : `, ${first} for one`;
    const message = `${left.file} is not here any more, and its state has ${what} ${file} declares${example}`;
    const renamed =
      preview === undefined
        ? `If you renamed the file, run trueup state move ${shellWord(left.file)} ${shellWord(file)}.`
        : `If you renamed the file: ${renameFamily(left.file, file)}`;
    const remedy = `${renamed} Otherwise put ${placeOf(left.file, preview)} aside. Nothing was sent.`;
    throw stop('state', 'state-unusable', message, { remedy });
  }
}

/** Sentences about the states of a folder whose root files are gone, each with what to do. Never throws. */
export function describeLeft(folder: string): readonly string[] {
  return statesWithoutFile(folder).map(({ file, location }) => {
    const roots = rootFiles(folder).map((root) => root.file);
    const ids = new Set(idsOf(readState({ folder, file })).values());
    const other = roots
      .map((root) => ({ root, shared: sharedWith(ids, folder, root) }))
      .find(({ shared }) => shared > 0);
    const what = `there is no root file ${file} for the state ${location}`;
    if (other !== undefined) {
      const { root, shared } = other;
      return `${what}, and the state of ${root} has ${shared} of its ${ids.size} objects too. ${chooseState(file, root)}`;
    }
    return `${what}. ${moveTo(folder, file)} To delete what it holds, take the file from git again, and run trueup destroy -f ${shellWord(file)}.`;
  });
}

/** The remedy for a state whose root file is gone: names the only root file that has no local state, if there is one. */
export function moveTo(folder: string, file: string): string {
  const fresh = rootFiles(folder).filter((root) => !hasLocalState({ folder, file: root.file }));
  const name = fresh.length === 1 && fresh[0] !== undefined ? shellWord(fresh[0].file) : 'NEW-FILE';
  return `If you renamed it, run trueup state move ${shellWord(file)} ${name}.`;
}

/** The remedy where the root file of previews was renamed: their states stay with the list of its former name. */
export function renameFamily(former: string, present: string): string {
  const [from, to] = [former, present].map(shellWord);
  return `Rename it back (git mv ${to} ${from}) and run trueup preview prune -f ${from} --open none. Then rename it again, and apply the previews.`;
}

/** The remedy where two root files have a state, and one of them was renamed to the other. */
export function chooseState(former: string, present: string): string {
  const [from, to] = [former, present].map(shellWord);
  const keep = `To keep that of ${present}, put ${placeOf(former)} aside.`;
  return `${compareStates(former, present)} ${keep} To keep that of ${former}, put ${placeOf(present)} aside, and run trueup state move ${from} ${to}.`;
}

/** The remedy where two root files have a state in a database or a bucket: how to compare the two. */
export function compareStates(former: string, present: string): string {
  const [from, to] = [former, present].map(shellWord);
  return `Compare them: trueup state list -f ${from} and trueup state list -f ${to}.`;
}

/** The files of a local state, as a person moves them away. */
function placeOf(file: string, preview?: string): string {
  if (preview !== undefined)
    return `the folder ${['.trueup', ...(file === 'trueup.yaml' ? [] : [file]), preview].join('/')}`;
  return file === 'trueup.yaml' ? 'state.*, lease, key and documents in .trueup' : `the folder .trueup/${file}`;
}

function sharedWith(ids: ReadonlySet<unknown>, folder: string, file: string): number {
  return [...idsOf(readState({ folder, file })).values()].filter((id) => id !== null && ids.has(id)).length;
}

/** The ids of the objects of a state, by address; null: it is not known whether it was created. */
function idsOf({ resources }: LeftContent): ReadonlyMap<string, unknown> {
  const records = isObject(resources) ? Object.entries(resources) : [];
  return new Map(
    records.flatMap(([address, record]) => (isObject(record) && 'id' in record ? [[address, record['id']]] : [])),
  );
}

/** A local state with its journal, unchecked; empty, where it cannot be read. Never throws. */
function readState(place: LocalPlace): LeftContent {
  const [base, ...lines] = readFile(place, 'state.journal').split('\n').map(readLine);
  const saved = readJson(readFile(place, 'state.json')) ?? readJson(base);
  // Behind the MAC of each line; deployments and what is deleted have no id.
  const waves = lines.map((line) => readJson(line?.slice(line.indexOf(' ') + 1)));
  const entries = waves.flatMap((wave) => (Array.isArray(wave) ? (wave as readonly unknown[]) : []));
  const records = entries.filter((entry) => Array.isArray(entry) && typeof entry[0] === 'string');
  const { resources, ...state } = isObject(saved) ? (saved as LeftContent) : {};
  return { ...state, resources: { ...resources, ...Object.fromEntries(records as [string, StateRecord][]) } };
}

function readFile(place: LocalPlace, name: string): string {
  try {
    return readFileSync(join(stateFolder(place), name), 'utf8');
  } catch {
    return '';
  }
}

function stateFile(place: LocalPlace): string {
  return join(stateFolder(place), 'state.json');
}

function readNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch {
    return [];
  }
}
