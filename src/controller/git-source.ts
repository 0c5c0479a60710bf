import { readFile } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { cleanText } from '../api/answer.ts';
import { type Stop, stop } from '../diagnostics/diagnostic.ts';
import { shellWord } from '../diagnostics/shell-word.ts';
import { type GitEnd, gitEnvironment, runGit } from '../git/run-git.ts';
import { passwordsIn } from '../secrets/passwords-in-addresses.ts';
import { createRedactor } from '../secrets/redactor.ts';
import { secretPath } from './secret-file.ts';

/** A branch or tag of a git repository. */
export interface GitSource {
  readonly id: string;
  /** `https://…`, `ssh://…`, `user@host:path`, or the absolute path of a folder. It has no password. */
  readonly url: string;
  /** `refs/heads/main`. */
  readonly ref: string;
  /** Instead of the file of credentials that all sources share. */
  readonly credentialsFile?: string | null;
}

/** How git reads sources. */
export interface GitAccess {
  /** The current folder of git, which only this user can enter. */
  readonly folder: string;
  /** A file with a line `https://user:password@host` for each host, as `git credential-store` has it. Nothing writes it. */
  readonly credentials?: string | undefined;
  /** The command for ssh, in the words of a shell: `ssh -i FILE -o UserKnownHostsFile=FILE`. */
  readonly ssh?: string | undefined;
  /** Most bytes of a file that git writes, such as a pack. */
  readonly maxBytes: number;
}

interface GitCommand {
  readonly args: readonly string[];
  /** The repository, and the folder of its files. */
  readonly env?: { readonly GIT_DIR: string; readonly [name: string]: string };
  readonly signal?: AbortSignal | undefined;
  /** Exit codes of success; 0 unless given. */
  readonly codes?: readonly number[];
  /** For messages; `read` unless given. */
  readonly doing?: 'read' | 'write to';
}

const limitMs = 600_000;
/** Most bytes that git prints, such as the list of the files of a commit. */
const maxOutput = 32 * 1024 * 1024;

/** A host that cannot be reached, or stops to answer, holds up the polls of others for a minute at most. */
const plainSsh =
  'ssh -F /dev/null -o BatchMode=yes -o StrictHostKeyChecking=yes -o ConnectTimeout=15 -o ServerAliveInterval=15 -o ServerAliveCountMax=4';

const settings = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'gc.auto=0',
  'pack.threads=1',
  'protocol.version=2',
  'transfer.fsckObjects=true',
  // All that a server sends is one file, which has a limit.
  'fetch.unpackLimit=1',
  'http.followRedirects=false',
  'http.lowSpeedLimit=1000',
  'http.lowSpeedTime=60',
];

/** How to reach hosts is a matter of the machine. */
const passed = /^(?:(?:https?|all|no)_proxy|GIT_SSL_CAINFO|GIT_SSL_CAPATH|SSL_CERT_FILE|SSL_CERT_DIR)$/i;

/**
 * Runs git for a source, which may be hostile. Gives what it prints, its bytes as latin1.
 *
 * @throws {Stop} `refused` with what git says, without credentials
 */
export async function gitOf(shared: GitAccess, source: GitSource, command: GitCommand): Promise<string> {
  const own = source.credentialsFile ?? undefined;
  const access = { ...shared, credentials: own === undefined ? shared.credentials : secretPath(own) };
  const { folder, ssh = plainSsh, maxBytes } = access;
  const { args, signal, codes = [0] } = command;
  const env = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => passed.test(name))),
    ...(await gitEnvironment(folder, join(folder, 'home'))),
    // A repository around the folder is none of this.
    GIT_DIR: join(folder, 'none'),
    GIT_ALLOW_PROTOCOL: checkSourceAddress(source),
    GIT_SSH_COMMAND: ssh,
    GIT_SSH_VARIANT: 'ssh',
    ...command.env,
  };
  const words = [...settings, ...credentialHelpers(access)].flatMap((setting) => ['-c', setting]);
  const limits = { limitMs, maxBytes: maxOutput, maxFileBytes: maxBytes };
  const end = await runGit({ args: [...words, ...args], folder, env, signal, ...limits });
  if (end.problem === undefined && codes.includes(end.code ?? -1)) return end.stdout;
  const why = await explain(access, end);
  if (end.problem === 'too large' || end.problem === 'too much output') throw tooLarge(source, why);
  const remedy = `Free space on the disk of ${folder}, where this worker keeps checkouts.`;
  throw refused(source, why, isOfDisk.test(why) ? { ...command, remedy } : command);
}

/** What git says where it cannot write its own files. */
const isOfDisk = /No space left on device|Disk quota exceeded|unable to write file|failed to write new configuration/;

/** git tells a helper also to store what was accepted, and to erase what was not: this one only reads. */
function credentialHelpers({ credentials }: GitAccess): readonly string[] {
  if (credentials === undefined) return [];
  const get = `git credential-store --file=${shellWord(resolve(credentials))} get`;
  return [`credential.helper=!f() { test "$1" != get || ${get}; }; f`];
}

async function explain({ credentials, maxBytes }: GitAccess, { problem, stderr }: GitEnd): Promise<string> {
  if (problem === 'too long') return `git took longer than ${limitMs / 60_000} minutes`;
  if (problem === 'too much output') return `git prints more than ${maxOutput} bytes: too many files, branches or tags`;
  if (problem === 'too large') return `it has more than ${maxBytes} bytes`;
  if (problem === 'cannot be run') return 'git cannot be run';
  const redactor = createRedactor();
  const secrets = credentials === undefined ? '' : await readFile(credentials, 'utf8').catch(() => '');
  for (const password of passwordsIn(secrets)) redactor.add(password);
  return `git says: ${cleanText(asText(stderr), redactor.redact)}`;
}

const remedies = {
  read: 'Correct the source, or the credentials of the worker for its host.',
  'write to':
    'Let the credentials of the source push there: look at the forge for their rights, and for a rule that protects the branch.',
} as const;

export function refused(
  { id }: GitSource,
  why: string,
  { doing = 'read', remedy = remedies[doing] }: Pick<GitCommand, 'doing'> & { readonly remedy?: string } = {},
): Stop {
  return stop('refused', 'file-unreadable', `cannot ${doing} the source ${id}: ${why}`, { remedy });
}

/** The same of a commit that exceeds a limit: it does so for good. */
export function tooLarge({ id }: GitSource, why: string): Stop {
  const remedy = 'Keep large files, and folders with many files, out of the repository.';
  return stop('refused', 'too-large', `cannot read the source ${id}: ${why}`, { remedy });
}

/** Gives the only protocol by which git may read a source. @throws {Stop} `refused`, also where the address has a password */
export function checkSourceAddress(source: GitSource): string {
  const { url } = source;
  if (isAbsolute(url) && !/\p{Cc}/u.test(url)) return 'file';
  if (/^[!-~]+$/.test(url) && !/[\\#]/.test(url)) {
    if (/^(?:\w[\w.+-]*@)?\w[\w.-]*:(?!\/\/)[^:]/.test(url)) return 'ssh';
    const { protocol, hostname, username, password } = URL.canParse(url) ? new URL(url) : new URL('none:');
    if (password !== '' || (username !== '' && protocol !== 'ssh:'))
      throw refused(source, 'its address has credentials, which belong into the file of credentials');
    const isLocal = hostname === '127.0.0.1' || hostname === 'localhost';
    if (protocol === 'https:' || protocol === 'ssh:' || (protocol === 'http:' && isLocal)) return protocol.slice(0, -1);
  }
  throw refused(source, 'its address is neither https://…, ssh://…, user@host:path nor an absolute path');
}

/** @throws {Stop} `refused`, where git would read the ref of a source as something else */
export function checkRef(source: GitSource): void {
  const { ref } = source;
  const isRef = /^refs\/(?:heads|tags)\/[^\p{Cc}\s~^:?*[\\]+$/u.test(ref) && !/\.\.|@\{|\/\/|[/.]$/.test(ref);
  if (!isRef) throw refused(source, 'its ref is neither refs/heads/… nor refs/tags/…');
}

/** Bytes, as latin1, as the text that they are in UTF-8. */
export function asText(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString('utf8');
}
