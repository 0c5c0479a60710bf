import { homedir } from 'node:os';
import { contract, endpointOf } from '../api/contract.ts';
import { defined } from '../formats/json.ts';
import { findOperation } from '../operate/called-operation.ts';
import { codes } from '../diagnostics/codes.ts';
import type { Kind } from '../kind/kind.ts';
import { alternativesOf } from '../kind/command-call.ts';
import { commonFormats } from '../render/output-format.ts';
import type { Manifest } from '../manifest/manifest.ts';
import type { Settings } from '../manifest/settings.ts';
import type { Variable } from '../manifest/variables.ts';
import { loadedCommands } from './command.ts';
import { type Before, type Candidate, type Source, plain } from './complete.ts';
import { loadManifest } from '../project/load.ts';
import { statesWithoutFile } from '../project/left-states.ts';
import { openStore } from '../project/open-store.ts';
import { rootFiles } from '../project/root-files.ts';
import { notedPreviews } from '../project/previews.ts';
import { openSealedProject } from '../project/sealed-secrets.ts';
import { locateFamily, stateFolder } from '../project/state-location.ts';
import { type Settled, oneFile, settleOptions } from './settle-options.ts';
import type { Process } from './process.ts';
import type { State } from '../state/state.ts';
import { findTarget, namesOf } from '../project/target.ts';

/** The part of the process that the values depend on. */
type Surroundings = Pick<Process, 'env' | 'cwd'>;

/** Finds values in the contract, the manifest and the state. Sends no request; an error gives no values. */
export function valuesFor(process: Surroundings): Source {
  return (before, name) => findValues(before, name, process);
}

async function findValues(before: Before, name: string, process: Surroundings): Promise<readonly Candidate[]> {
  try {
    switch (name) {
      case 'operation':
        return operations(await wordsFor(before, process));
      case 'list':
        return listed(await wordsFor(before, process));
      case 'members':
        return members(before.operands, await wordsFor(before, process));
      case 'address':
        return plain(await addresses(before, process));
      case 'target':
      case 'exclude':
        return plain(await allAddresses(before, process));
      case 'code-or-address':
        return plain([...Object.keys(codes), ...(await allAddresses(before, process).catch(() => []))]);
      case 'replace':
      case 'in':
      case 'expression':
        return plain(await declaredAddresses(settle(before, process)));
      case 'command':
        return commands(settle(before, process).kinds);
      case 'file':
      case 'to-file':
        return plain(files(before, settle(before, process)));
      case 'preview':
        return await previews(settle(before, process));
      case 'name':
        return await secretNames(before, settle(before, process));
      case 'variables':
        return await promotable(before, process);
      case 'format':
        return plain(Object.keys(loadedCommands.get(before.command)?.formats ?? commonFormats));
      case 'var':
        return await variables(settle(before, process));
      case 'output':
        return plain([...(await load(settle(before, process))).outputs.keys()]);
      default:
        return [];
    }
  } catch {
    return [];
  }
}

/** The words of the platform, for names of the contract. */
async function wordsFor(before: Before, process: Surroundings): Promise<(text: string) => string> {
  return (await namesOf(settle(before, process)))?.text ?? ((text) => text);
}

function operations(words: (text: string) => string): Candidate[] {
  return Object.entries(contract).map(([name, { method }]) => ({ value: words(name), about: method }));
}

/** What `call --list` takes. */
function listed(words: (text: string) => string): Candidate[] {
  return [...groups(words), ...operations(words)];
}

function groups(words: (text: string) => string): Candidate[] {
  const names = new Set(Object.keys(contract).map((operation) => words(operation).split('.')[0] ?? ''));
  return [...names].map((value) => ({ value, about: 'group' }));
}

function members([name = '', ...given]: readonly string[], words: (text: string) => string): Candidate[] {
  const operation = findOperation(name);
  const taken = given.map((word) => word.split(/:?=/)[0]);
  return Object.keys(endpointOf(operation).input.shape)
    .map(words)
    .filter((member) => !taken.includes(member))
    .map((member) => ({ value: `${member}=`, about: '' }));
}

function commands(kinds: readonly Kind[]): Candidate[] {
  const names = new Set(kinds.flatMap((kind) => Object.keys(kind.commands ?? {})));
  return [...names].map((value) => ({
    value,
    about: kinds.flatMap((kind) => (alternativesOf(kind, value).length > 0 ? [kind.kind] : [])).join(', '),
  }));
}

async function addresses({ command, operands, ...rest }: Before, process: Surroundings): Promise<readonly string[]> {
  const settled = settle(rest, process);
  const fits = loadedCommands.get(command)?.remembers;
  if (fits === undefined) return declaredAddresses(settled);
  const known = (await isLocal(settled))
    ? Object.entries(await localRecords(settled))
    : (await load(settled)).resources.map(({ address, kind }) => [address, kind] as const);
  const named = settled.kinds.filter((kind) => fits(kind, operands)).map((kind) => kind.kind);
  return known
    .flatMap(([address, { kind }]) => (named.includes(kind) && !operands.includes(address) ? [address] : []))
    .toSorted();
}

/** The addresses of the manifest and of a state in its folder. */
async function allAddresses(before: Before, process: Surroundings): Promise<readonly string[]> {
  const settled = settle(before, process);
  const declared = await declaredAddresses(settled).catch(() => []);
  const known = (await isLocal(settled)) ? Object.keys(await localRecords(settled)) : [];
  return [...new Set([...declared, ...known])].toSorted();
}

async function declaredAddresses(settled: Settled): Promise<readonly string[]> {
  return (await load(settled)).resources.map(({ address }) => address);
}

async function localRecords(settled: Settled): Promise<State['resources']> {
  const location = { backend: 'local', folder: stateFolder(settled) } as const;
  return (await openStore(location, settled).read())?.resources ?? {};
}

/** The root files of the folder; of a state that moves, those that are gone. */
function files({ command, operands, open }: Before, { folder }: Settled): readonly string[] {
  const isFormer = open === undefined && operands.length === 0 && command.name() === 'move';
  const found = isFormer ? statesWithoutFile(folder) : rootFiles(folder);
  return found.flatMap(({ file }) => (open === undefined && operands.includes(file) ? [] : [file]));
}

/** The previews of a root file whose state is in its folder. */
async function previews(settled: Settled): Promise<readonly Candidate[]> {
  const { settings } = await settingsOf(settled);
  if (settings === undefined || locateFamily(settings, settled).backend !== 'local') return [];
  const found = await notedPreviews(settings, settled);
  return found.map(({ id, applied }) => ({ value: id, about: `applied ${applied}` }));
}

/** The secrets that a manifest names, or those that it generates. */
async function secretNames({ command, operands }: Before, settled: Settled): Promise<readonly Candidate[]> {
  const { files: sealed, uses, generated } = await openSealedProject(settled);
  if (command.name() === 'rotate') return plain([...generated.keys()].filter((name) => !operands.includes(name)));
  const isSet = (name: string) => sealed.some(({ file }) => file.values.has(name));
  const names = [...new Set([...uses.keys(), ...sealed.flatMap(({ file }) => [...file.values.keys()])])].toSorted();
  return names.map((value) => ({ value, about: isSet(value) ? 'has a value' : 'has no value' }));
}

/** The variables to copy from the first root file. */
async function promotable({ operands: [file = '', , ...taken], options }: Before, process: Surroundings) {
  const { variables } = await settingsOf(settle({ options: new Map([...options, ['file', [file]]]) }, process));
  return [...variables].flatMap(([value, { isPromoted, declaration }]) =>
    isPromoted && !taken.includes(value) ? [{ value, about: declaration.description ?? '' }] : [],
  );
}

async function load(settled: Settled): Promise<Manifest> {
  return (await loadManifest(settled)).manifest;
}

/** What a manifest says before its blocks, which may still have mistakes. */
async function settingsOf(settled: Settled) {
  let found: { settings?: Settings; variables: ReadonlyMap<string, Variable> } = { variables: new Map() };
  const onSettings = async (settings: Settings, variables: ReadonlyMap<string, Variable>): Promise<void> => {
    found = { settings, variables };
  };
  await loadManifest(settled, { onSettings }).catch(() => undefined);
  return found;
}

/** The variables, and the values of those that name all. */
async function variables(settled: Settled): Promise<Candidate[]> {
  const { variables: declared } = await settingsOf(settled);
  return [...declared].flatMap(
    ([
      name,
      {
        declaration: { oneOf, type, description = '' },
      },
    ]) => {
      const values = type === 'boolean' ? ['true', 'false'] : (oneOf ?? []).map(({ written }) => String(written));
      return [{ value: `${name}=`, about: description }, ...plain(values.map((value) => `${name}=${value}`))];
    },
  );
}

/** Returns true for a state in a folder, and for a manifest with a mistake. */
async function isLocal(settled: Settled): Promise<boolean> {
  try {
    return (await findTarget(settled)).state.backend === 'local';
  } catch {
    return true;
  }
}

function settle({ options }: Pick<Before, 'options'>, process: Surroundings): Settled {
  const directory = options.get('directory')?.at(-1);
  const written = {
    // The shell completes the word as it is written, and has not put the home folder in yet.
    directory: directory?.replace(/^~(?=\/|$)/, homedir()) ?? '.',
    file: options.get('file') ?? [],
    ...defined({ preview: options.get('preview')?.at(-1) }),
    // The word that is completed is no value yet.
    var: (options.get('var') ?? []).filter((word) => word.includes('=')),
    varFile: options.get('varFile') ?? [],
    connections: '4',
    lockTimeout: '0',
    format: 'text',
    color: false,
  };
  return settleOptions(oneFile(written), process);
}
