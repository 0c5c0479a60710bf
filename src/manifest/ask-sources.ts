import { dirname, join } from 'node:path';
import { cleanText } from '../api/answer.ts';
import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import { decryptAge, readIdentities } from '../secrets/sources/age.ts';
import { runSecretCommand } from '../secrets/sources/command.ts';
import { readEnvFile } from '../secrets/sources/env-file.ts';
import { indexEntries, unreadableIndex } from '../git/tracked.ts';
import type { Manifest } from './manifest.ts';
import { wantedAttributes } from './resource.ts';
import type { SecretSource } from './settings.ts';
import { position } from './tree.ts';
import type { FileText, Workspace } from './workspace.ts';

/** The secrets that a manifest needs and its reader did not have, by name, each once. */
export function missingSecrets({ resources, outputs, freeText }: Manifest): readonly string[] {
  const free = freeText === undefined ? [] : [freeText];
  const wanted = resources.flatMap((resource) => [...wantedAttributes(resource)].map((one) => one.wanted));
  return [...new Set([...wanted, ...outputs.values(), ...free].flatMap(({ missing }) => missing))];
}

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
}

/** Values by name, without the names that no source has. After an error there are no values. */
export interface Asked {
  readonly values: ReadonlyMap<string, string>;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Asks each source in turn for the names that the sources before it did not have, and stops once none is missing. A
 * source that cannot be read is an error, also where a later one has the names: the value of a secret must not depend on
 * what is broken today. An empty value is none, as in the environment: it is a line that is not filled in yet.
 */
export async function askSources(input: AskingInput): Promise<Asked> {
  const values = new Map<string, string>();
  for (const source of input.sources) {
    const names = input.names.filter((name) => !values.has(name));
    if (names.length === 0) break;
    const found = await ask(source, names, input);
    if ('problem' in found) return { values: new Map(), diagnostics: [diagnosticOf(source, names, found)] };
    for (const name of names) {
      const value = found.values.get(name);
      if (value !== undefined && value !== '') values.set(name, value);
    }
  }
  return { values, diagnostics: [] };
}

/**
 * Adds every secret of the files among the sources, also of those that need not be asked: what the manifest no longer
 * mentions may still stand on the platform. A file that cannot be read adds nothing.
 */
export async function learnSecrets(input: AskingInput): Promise<void> {
  for (const source of input.sources) if (source.is !== 'command') await ask(source, [], input);
}

interface Trouble {
  readonly problem: string;
  readonly remedy: string;
  readonly code?: Diagnostic['code'];
  readonly details?: readonly string[];
}

type Found = { readonly values: ReadonlyMap<string, string> } | Trouble;

/** Most bytes of an env file with secrets. */
const fileLimit = 1_000_000;

function ask(source: SecretSource, names: readonly string[], input: AskingInput): Promise<Found> {
  switch (source.is) {
    case 'file':
      return askFile(source, input);
    case 'age':
      return askAge(source, input);
    case 'command':
      return askCommand(source, names, input);
    default:
      return source satisfies never;
  }
}

type FileSource = Extract<SecretSource, { readonly path: string }>;

async function askFile(source: FileSource, input: AskingInput): Promise<Found> {
  const { workspace, addSecret } = input;
  const file = await readSource(source, workspace);
  if ('problem' in file) return file;
  const [entry] = (await indexEntries([join(workspace.root, file.path)])).values();
  if (entry?.is === 'unreadable') return unreadableIndex(file.path);
  if (entry?.is === 'tracked') {
    const remedy = `git rm --cached ${file.path}, put it into .gitignore, and change every secret in it. Or encrypt it and write age:.`;
    return { problem: `${file.path} is tracked by git, whose history keeps its secrets`, remedy };
  }
  return named(file.path, readEnvFile(file.bytes, addSecret));
}

async function askAge(source: FileSource, input: AskingInput): Promise<Found> {
  const { workspace, addSecret, identity } = input;
  const file = await readSource(source, workspace);
  if ('problem' in file) return file;
  const given = await identity();
  const remedy = 'Set TRUEUP_AGE_IDENTITY to what age-keygen wrote, or TRUEUP_AGE_IDENTITY_FILE to a file that has it.';
  if ('problem' in given) return { problem: `${file.path} cannot be decrypted: ${given.problem}`, remedy };
  addSecret(given.text);
  const read = readIdentities(given.text);
  if ('problem' in read) return { problem: `${file.path} cannot be decrypted: the identity ${read.problem}`, remedy };
  const decrypted = await decryptAge(file.bytes, read.identities);
  if ('problem' in decrypted) return { ...decrypted, problem: `${file.path} ${decrypted.problem}` };
  return named(file.path, readEnvFile(decrypted.bytes, addSecret));
}

async function askCommand(
  { words, passes, at }: Extract<SecretSource, { readonly is: 'command' }>,
  names: readonly string[],
  input: AskingInput,
): Promise<Found> {
  const [program = ''] = words;
  if (!input.allowsCommands) {
    return {
      code: 'hostile-setting',
      problem: `${program} does not run without --allow-secret-commands`,
      remedy: `Add the option if you trust everybody who can change the manifest, or set ${variables(names)}.`,
    };
  }
  const { workspace, env, addSecret, redact, commandLimitMs: limitMs = 30_000 } = input;
  const folder = join(workspace.root, dirname(at.file));
  const values = new Map<string, string>();
  // One after the other: the first may have to unlock what the others then find open.
  for (const name of names) {
    const answer = await runSecretCommand({ words, name, folder, env, passes, limitMs, addSecret });
    if ('problem' in answer) {
      const details = lastLines(answer.said, redact);
      return { problem: `${program} ${answer.problem} when asked for ${name}`, remedy: answer.remedy, details };
    }
    addSecret(answer.value);
    values.set(name, answer.value);
  }
  return { values };
}

async function readSource(
  { path: written, at }: FileSource,
  workspace: Workspace,
): Promise<{ readonly path: string; readonly bytes: Uint8Array } | Trouble> {
  const path = workspace.beside(at.file, written);
  const file = await workspace.readBytes(path, fileLimit);
  if ('bytes' in file) return { path, bytes: file.bytes };
  if (file.isPrivate !== undefined) {
    return { code: 'private-source', problem: file.problem, remedy: 'Name an env file of the project.' };
  }
  return {
    code: 'file-unreadable',
    problem: file.problem,
    remedy: 'Name a file of the workspace, relative to this file.',
  };
}

/** A problem of a file, with its name. */
function named(path: string, found: ReturnType<typeof readEnvFile>): Found {
  if ('values' in found) return found;
  return {
    code: 'file-unreadable',
    problem: `${path} ${found.problem}`,
    remedy: 'Write it as an env file: NAME=value.',
  };
}

function diagnosticOf(source: SecretSource, names: readonly string[], trouble: Trouble): Diagnostic {
  const { code = 'secret-missing', problem, details = [] } = trouble;
  const instead = code === 'hostile-setting' ? '' : ` Or set ${variables(names)}: then the source is not needed.`;
  return diagnostic(code, `secrets: ${problem}`, {
    details,
    remedy: trouble.remedy + instead,
    position: position(source.at),
  });
}

/** The variables that override the sources; not all of many. */
function variables(names: readonly string[]): string {
  const shown = names.slice(0, 3).map((name) => `TRUEUP_SECRET_${name}`);
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
