import { basename, dirname, join } from 'node:path';
import { cleanText } from '../api/answer.ts';
import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import { decryptAge, readIdentities } from '../secrets/sources/age.ts';
import { runSecretCommand } from '../secrets/sources/command.ts';
import { ciphertextInBytes, sourceOf } from '../secrets/ciphertext.ts';
import { readDotenvxFile } from '../secrets/sources/dotenvx.ts';
import { readEnvFile } from '../secrets/sources/env-file.ts';
import { type Program, secretsInJson } from '../secrets/sources/presets.ts';
import { openSealed, readSealedFile } from '../secrets/sources/sealed.ts';
import { sopsProgram } from '../secrets/sources/sops.ts';
import { indexEntries, unreadableIndex } from '../git/tracked.ts';
import type { SecretSource } from './secret-source-shape.ts';
import { position } from './tree.ts';
import type { FileText, Workspace } from './workspace.ts';

/** The sources of a manifest and what they may use. */
export interface AskingInput {
  readonly sources: readonly SecretSource[];
  /** The names that are needed. */
  readonly names: readonly string[];
  readonly workspace: Workspace;
  /** The text of the identity for age, or the reason why there is none. Called when a source needs it. */
  readonly identity: () => Promise<FileText>;
  /** true: programs that the manifest names may run. */
  readonly allowsCommands: boolean;
  /** The environment of the run; a program gets the part of it that is no secret, and the variables that its source lists. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The time limit of one program, in milliseconds; 30,000 when left out. */
  readonly commandLimitMs?: number;
  /** Called with every value before anything else happens to it. */
  readonly addSecret: (value: string) => void;
  readonly redact: (text: string) => string;
  /** The variable that gives this run the value of a name in place of the sources. */
  readonly variable: (name: string) => string;
}

/** A source that has a value for a name. */
export interface Offer {
  /** The file of the source, or its program. */
  readonly by: string;
  readonly source: SecretSource;
}

/** Values by name, without the names that no source has. After an error there are no values. */
interface Asked {
  readonly values: ReadonlyMap<string, string>;
  /** The first source that has a name, also one that was not asked for it; sources that did not open are left out. */
  readonly offers: ReadonlyMap<string, Offer>;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Asks each source in turn for the names that the sources before it did not have, and stops once none is missing. A
 * source that cannot be read is an error, also where a later one has the names: the value of a secret must not depend on
 * what is broken today. An empty value is none, as in the environment: it is a line that is not filled in yet.
 *
 * Then it adds every secret of the files that it did not ask: what the manifest no longer mentions may still stand on the
 * platform. A file that cannot be read adds nothing, and no program runs for it.
 */
export async function askSources(input: AskingInput): Promise<Asked> {
  const values = new Map<string, string>();
  const offers = new Map<string, Offer>();
  const note = (source: SecretSource, found: Found): void => {
    const by = source.is === 'command' ? (source.words[0] ?? '') : input.workspace.beside(source.at.file, source.path);
    for (const name of namesIn(found)) if (!offers.has(name)) offers.set(name, { by, source });
  };
  const failed = (one: Diagnostic): Asked => ({ values: new Map(), offers, diagnostics: [one] });
  const left = [...input.sources];
  for (const source of input.sources) {
    const names = input.names.filter((name) => !values.has(name));
    if (names.length === 0) break;
    left.shift();
    const found = await ask(source, names, input);
    if ('problem' in found) return failed(diagnosticOf(source, names, found, input));
    note(source, found);
    for (const name of names) {
      const value = found.values.get(name);
      if (value?.includes('\0') === true) {
        const remedy = 'Write another value there.';
        const trouble = { problem: `${name} contains the character NUL, which no value can have`, remedy };
        return failed(diagnosticOf(source, names, trouble, input));
      }
      if (value !== undefined && value !== '') values.set(name, value);
    }
  }
  for (const source of left)
    if (source.is !== 'command' && source.is !== 'sops') note(source, await ask(source, [], input));
  return { values, offers, diagnostics: [] };
}

interface Trouble {
  readonly problem: string;
  readonly remedy: string;
  readonly code?: Diagnostic['code'];
  readonly details?: readonly string[];
}

/** `names`: those that a file has in clear beside what does not open. */
type Found = ({ readonly values: ReadonlyMap<string, string> } | Trouble) & { readonly names?: readonly string[] };

function namesIn(found: Found): readonly string[] {
  if (found.names !== undefined) return found.names;
  return 'values' in found ? [...found.values].flatMap(([name, value]) => (value === '' ? [] : [name])) : [];
}

/** Most bytes of a file with secrets. */
export const fileLimit = 1_000_000;

async function ask(source: SecretSource, names: readonly string[], input: AskingInput): Promise<Found> {
  if (source.is === 'command') return askCommand(source, names, input);
  const file = await readSource(source, input.workspace);
  if ('problem' in file) return file;
  const about = (found: Found): Found => {
    if ('values' in found) return found;
    return { ...found, problem: `${file.path} ${found.problem}` };
  };
  switch (source.is) {
    case 'file':
      return askFile(file, input);
    case 'age':
      return about(await readAge(file, input));
    case 'sealed':
      return about(await readSealed(file, names, input));
    case 'dotenvx':
      return about(readDotenvxFile(file.bytes, { ...input, names }));
    case 'sops':
      return askSops(source, file, names, input);
    default:
      return source satisfies never;
  }
}

type FileSource = Exclude<SecretSource, { readonly is: 'command' }>;

interface SourceFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

async function askFile({ path, bytes }: SourceFile, { workspace, addSecret }: AskingInput): Promise<Found> {
  const [entry] = (await indexEntries([join(workspace.root, path)])).values();
  if (entry?.is === 'unreadable') return unreadableIndex(path);
  const ciphertext = ciphertextInBytes(bytes);
  if (ciphertext !== undefined) {
    const problem = `${path}:${ciphertext.line} holds ciphertext of ${ciphertext.of}, and file: takes values in clear`;
    return { code: 'ciphertext', problem, remedy: sourceOf(ciphertext.of, path) };
  }
  if (entry?.is === 'tracked') {
    const remedy = `git rm --cached ${path}, put it into .gitignore, and change every secret in it. Or encrypt it, and write sealed: or age:.`;
    return { problem: `${path} is tracked by git, whose history keeps its secrets`, remedy };
  }
  const found = readEnvLines(bytes, addSecret);
  return 'values' in found ? found : { ...found, problem: `${path} ${found.problem}` };
}

/** Secrets of an env file, or the problem with it without its name. */
function readEnvLines(bytes: Uint8Array, addSecret: (value: string) => void): Found {
  const found = readEnvFile(bytes, addSecret);
  if ('values' in found) return found;
  return { code: 'file-unreadable', problem: found.problem, remedy: 'Write it as an env file: NAME=value.' };
}

/** The identities of the run, or why there are none: completes "cannot be decrypted:". */
export async function identitiesOf({
  identity,
  addSecret,
}: Pick<AskingInput, 'identity' | 'addSecret'>): Promise<readonly string[] | Pick<Trouble, 'problem' | 'remedy'>> {
  const given = await identity();
  const remedy = 'Set TRUEUP_AGE_IDENTITY to what age-keygen wrote, or TRUEUP_AGE_IDENTITY_FILE to a file that has it.';
  if ('problem' in given) return { problem: given.problem, remedy: given.remedy ?? remedy };
  addSecret(given.text);
  const read = readIdentities(given.text);
  return 'identities' in read ? read.identities : { problem: `the identity ${read.problem}`, remedy };
}

/** A file cannot be read without identities. */
function closed({ problem, remedy }: Pick<Trouble, 'problem' | 'remedy'>): Trouble {
  return { problem: `cannot be decrypted: ${problem}`, remedy };
}

async function readAge({ bytes }: SourceFile, input: AskingInput): Promise<Found> {
  const identities = await identitiesOf(input);
  if ('problem' in identities) return closed(identities);
  const decrypted = await decryptAge(bytes, identities);
  return 'problem' in decrypted ? decrypted : readEnvLines(decrypted.bytes, input.addSecret);
}

/** Opens every value, so that it is redacted; only one that is asked for must open. */
async function readSealed({ bytes }: SourceFile, names: readonly string[], input: AskingInput): Promise<Found> {
  const file = readSealedFile(bytes);
  if ('problem' in file) return { ...file, code: 'sealed-file' };
  if (file.values.size === 0) return { values: new Map() };
  const inFile = [...file.values.keys()];
  const identities = await identitiesOf(input);
  if ('problem' in identities) return { ...closed(identities), names: inFile };
  const values = new Map<string, string>();
  for (const [name, sealed] of file.values) {
    const opened = await openSealed(name, sealed, identities);
    if ('value' in opened) {
      input.addSecret(opened.value);
      values.set(name, opened.value);
    } else if (names.includes(name)) return { ...opened, code: 'sealed-file' };
  }
  return { values, names: inFile };
}

async function askSops(
  { passes, at }: Extract<SecretSource, { readonly is: 'sops' }>,
  { path, bytes }: SourceFile,
  names: readonly string[],
  input: AskingInput,
): Promise<Found> {
  const program = sopsProgram(basename(path), Buffer.from(bytes).toString('utf8'));
  if ('problem' in program) return { ...program, problem: `${path} ${program.problem}` };
  const beside = { file: path };
  return askCommand({ ...program, passes: [...program.passes, ...passes], at: { ...at, ...beside } }, names, input);
}

async function askCommand(
  { at, ...program }: Program & Pick<SecretSource, 'at'>,
  names: readonly string[],
  input: AskingInput,
): Promise<Found> {
  const [word = ''] = program.words;
  if (!input.allowsCommands) {
    return {
      code: 'hostile-setting',
      problem: `${word} does not run without --allow-secret-commands`,
      remedy: `Add the option if you trust everybody who can change the manifest, or set ${variables(names, input)}.`,
    };
  }
  const folder = join(input.workspace.root, dirname(at.file));
  if (program.prints !== 'value') return runOnce(program, folder, input);
  const values = new Map<string, string>();
  // One after the other: the first may have to unlock what the others then find open.
  for (const name of names) {
    const answer = await run(program, { name, folder }, input);
    if ('problem' in answer) return answer;
    input.addSecret(answer.value);
    values.set(name, answer.value);
  }
  return { values };
}

/** Runs a program that prints all secrets. */
async function runOnce(program: Program, folder: string, input: AskingInput): Promise<Found> {
  const answer = await run(program, { name: undefined, folder }, input);
  if ('problem' in answer) return answer;
  if (program.prints === 'env') return readEnvLines(Buffer.from(answer.value, 'utf8'), input.addSecret);
  const values = secretsInJson(answer.value, program.within);
  if (values === undefined) {
    const problem = `${program.words[0] ?? ''} did not print a JSON object with secrets`;
    return { problem, remedy: 'Run it by hand to see what it prints.' };
  }
  for (const value of values.values()) input.addSecret(value);
  return { values };
}

/** Runs a program for one name, or for all. */
async function run(
  { words, passes }: Program,
  { name, folder }: { readonly name: string | undefined; readonly folder: string },
  { env, addSecret, redact, commandLimitMs: limitMs = 30_000 }: AskingInput,
): Promise<{ readonly value: string } | Trouble> {
  const answer = await runSecretCommand({ words, name, folder, env, passes, limitMs, addSecret });
  if ('value' in answer) return answer;
  const details = lastLines(answer.said, redact);
  const problem = `${words[0] ?? ''} ${answer.problem} when asked for ${name ?? 'secrets'}`;
  return { problem, remedy: answer.remedy, details };
}

async function readSource({ path: written, at }: FileSource, workspace: Workspace): Promise<SourceFile | Trouble> {
  const path = workspace.beside(at.file, written);
  const file = await workspace.readBytes(path, fileLimit);
  if ('bytes' in file) return { path, bytes: file.bytes };
  if (file.isPrivate !== undefined) {
    return { code: 'private-source', problem: file.problem, remedy: 'Name an env file of the project.' };
  }
  return {
    code: 'file-unreadable',
    problem: file.problem,
    remedy: file.remedy ?? 'Name a file of the workspace, relative to this file.',
  };
}

function diagnosticOf(
  source: SecretSource,
  names: readonly string[],
  trouble: Trouble,
  input: Pick<AskingInput, 'variable'>,
): Diagnostic {
  const { code = 'secret-missing', problem, details = [] } = trouble;
  const instead =
    code === 'hostile-setting' ? '' : ` Or set ${variables(names, input)}: then the source is not needed.`;
  return diagnostic(code, `secrets: ${problem}`, {
    details,
    remedy: trouble.remedy + instead,
    position: position(source.at),
  });
}

/** The variables that override the sources; not all of many. */
function variables(names: readonly string[], { variable }: Pick<AskingInput, 'variable'>): string {
  const shown = names.slice(0, 3).map(variable);
  return [...shown, ...(names.length > 3 ? [`${names.length - 3} more`] : [])].join(', ');
}

/** The last 20 lines of a program's stderr. A secret of several lines is redacted before the lines are split. */
function lastLines(said: string, redact: (text: string) => string): readonly string[] {
  return redact(said)
    .split(/\r\n|\r|\n/)
    .map((line) => cleanText(line, redact))
    .filter((line) => line !== '')
    .slice(-20);
}
