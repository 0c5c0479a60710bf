import { spawn } from 'node:child_process';
import { realpath } from 'node:fs/promises';
import { delimiter, isAbsolute } from 'node:path';
import { isBelowFolder } from '../files/below.ts';

/** A command of git, and the limits in which it runs. */
export interface GitRun {
  readonly args: readonly string[];
  /** The current folder. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly limitMs: number;
  /** Most bytes of its output. */
  readonly maxBytes: number;
  /** Most bytes of each file that it writes, such as the pack that a server sends. */
  readonly maxFileBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** The end of a command of git; `problem`: why it has no result. */
export interface GitEnd {
  /** The bytes that it printed, as latin1. */
  readonly stdout: string;
  readonly stderr: string;
  /** undefined: a signal ended it. */
  readonly code: number | undefined;
  readonly problem?: 'too long' | 'too much output' | 'too large' | 'cannot be run' | undefined;
}

/** Most memory of git: a server chooses what git has to unpack. KiB. */
const maxMemory = 4 * 1024 * 1024;

// A system may not know a limit, or have a lower one. With the signal ignored, git says why a file was not written.
const limited = `trap '' XFSZ; ulimit -v ${maxMemory} 2>/dev/null; ulimit -f "$1" 2>/dev/null; shift; exec git "$@"`;

/**
 * Runs git, without a shell around its arguments, in a process group of its own: what it starts, such as ssh, ends with it.
 * Rejects when the signal aborts, and never otherwise.
 */
export function runGit({ args, folder, env, limitMs, maxBytes, maxFileBytes, signal }: GitRun): Promise<GitEnd> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const blocks = String(Math.ceil(maxFileBytes / 512));
    const child = spawn('/bin/sh', ['-c', limited, 'sh', blocks, ...args], { cwd: folder, env, detached: true });
    const texts = { stdout: '', stderr: '' };
    let problem: GitEnd['problem'];
    const kill = (why?: GitEnd['problem']): void => {
      problem ??= why;
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has ended.
      }
    };
    const abort = (): void => kill();
    const timer = setTimeout(() => kill('too long'), limitMs);
    signal?.addEventListener('abort', abort, { once: true });
    const collect = (name: keyof typeof texts) => (data: Buffer) => {
      texts[name] += data.toString('latin1');
      if (texts[name].length > maxBytes) kill('too much output');
    };
    child.stdout.on('data', collect('stdout'));
    child.stderr.on('data', collect('stderr'));
    child.stdin.on('error', () => {}).end();
    const end = (code: number | null): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      if (signal?.aborted === true) {
        reject(signal.reason as Error);
        return;
      }
      if (code !== 0 && texts.stderr.includes('File too large')) problem ??= 'too large';
      resolve({ ...texts, code: code ?? undefined, problem });
    };
    child.on('error', () => {
      problem ??= 'cannot be run';
      end(null);
    });
    child.on('exit', () => kill());
    child.on('close', end);
  });
}

/**
 * The environment of a git that reads no configuration of the system and the user, asks for nothing and fetches nothing by itself.
 * @param foreign a real path: no program below it is run
 * @param home a folder without files for git
 */
export async function gitEnvironment(foreign: string, home: string): Promise<Readonly<Record<string, string>>> {
  return {
    PATH: await foreignTo(foreign, process.env['PATH'] ?? ''),
    LC_ALL: 'C',
    HOME: home,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_NO_LAZY_FETCH: '1',
    GIT_TERMINAL_PROMPT: '0',
  };
}

/**
 * The folders of a PATH in which no file of a repository can be: npx puts `node_modules/.bin` first.
 * @param root a real path
 */
export async function foreignTo(root: string, path: string): Promise<string> {
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder));
  const places = await Promise.all(folders.map((folder) => realpath(folder).catch(() => folder)));
  const isForeign = (place: string | undefined) => place !== undefined && place !== root && !isBelowFolder(root, place);
  return folders.filter((_, at) => isForeign(places[at])).join(delimiter);
}
