import { type ChildProcess, type ExecFileException, execFile } from 'node:child_process';
import type { Socket } from 'node:net';
import { setImmediate, setTimeout } from 'node:timers/promises';

/** A secret command and the limits it runs in. */
interface CommandInput {
  /** The program and its arguments; `{name}` stands for the name of the secret. No shell reads them. */
  readonly words: readonly string[];
  /** undefined: it prints all secrets at once. */
  readonly name: string | undefined;
  readonly folder: string;
  /** The environment of the run, of which it gets the plain variables and those in `passes`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Names of further variables. */
  readonly passes: readonly string[];
  readonly limitMs: number;
  /** Called with all of its stdout before anything else happens to it. */
  readonly addSecret: (value: string) => void;
}

/** The value that a program printed, or the problem with it; `said` is its stderr. */
type CommandAnswer =
  | { readonly value: string }
  | { readonly problem: string; readonly remedy: string; readonly said: string };

/** Runs a program that prints a secret: all of its output but the last line end. */
export function runSecretCommand(input: CommandInput): Promise<CommandAnswer> {
  const { words, name, folder: cwd, limitMs, addSecret } = input;
  const [program = '', ...args] = words.map((word) => word.replaceAll('{name}', name ?? '{name}'));
  const options = { cwd, env: ownEnv(input), timeout: limitMs, maxBuffer: maxBytes, killSignal } as const;
  return new Promise((answer) => {
    const fail = (error: unknown, said: string) => answer({ ...explain(error as ExecFileException, limitMs), said });
    try {
      let isWhole = false;
      const child = execFile(program, args, { ...options, encoding: 'buffer' }, (error, stdout, stderr) => {
        addSecret(stdout.toString('utf8'));
        const said = stderr.toString('utf8');
        if (error !== null) fail(error, said);
        else answer(isWhole ? readValue(stdout, said) : { ...leftOpen, said });
      });
      // It may end without noticing that there is nothing to read.
      child.stdin?.on('error', () => {}).end();
      const whole = new Promise<void>((resolve) => {
        child.stdout?.on('end', () => {
          isWhole = true;
          resolve();
        });
      });
      child.on('exit', (code) => void endOutput(child, code === 0 ? whole : undefined));
    } catch (error) {
      fail(error, '');
    }
  });
}

/**
 * Closes the output of a program that has ended, once all that it wrote is read: an agent that it started may keep the output
 * open for as long as it runs. `whole`: resolves at the end of stdout, where that is waited for.
 */
async function endOutput({ stdout, stderr }: ChildProcess, whole: Promise<void> | undefined): Promise<void> {
  if (whole !== undefined) await Promise.race([whole, setTimeout(leftOpenMs, undefined, { ref: false })]);
  const read = () => (stdout as Socket).bytesRead + (stderr as Socket).bytesRead; // both are pipes
  for (let before = -1; before !== read();) {
    before = read();
    await setTimeout(quietMs, undefined, { ref: false });
    // What is in a pipe is read between two of them, however late the timer was.
    await setImmediate();
    await setImmediate();
  }
  stdout?.destroy();
  stderr?.destroy();
}

const quietMs = 100;
/** How long programs that a program started may write to its stdout after its end. */
const leftOpenMs = 5_000;

const leftOpen = {
  problem: 'ended and left a program with its output open, which may print more of the value,',
  remedy: 'Give that program an output of its own, as in `agent >/dev/null 2>&1 &`, or have the command wait for it.',
} as const;

/** Most bytes of a value: one request to the platform cannot carry more. */
const maxBytes = 1_000_000;
const killSignal = 'SIGKILL';

/** The variables that every program gets: how to find and to show things, and no credentials. */
const plainNames = `PATH HOME USER LOGNAME SHELL PWD TERM TZ TMPDIR TMP TEMP LANG LANGUAGE LC_* XDG_*_HOME XDG_RUNTIME_DIR
  GNUPGHOME PASSWORD_STORE_DIR`;
/** What programs need on Windows. */
const windowsNames = 'SYSTEMROOT COMSPEC PATHEXT USERPROFILE APPDATA LOCALAPPDATA PROGRAMDATA PROGRAMFILES';
const plainForm = new RegExp(
  `^(?:${`${plainNames} ${windowsNames}`.split(/\s+/).join('|').replaceAll('*', '.*')})$`,
  'i',
);

function ownEnv({ env, passes }: Pick<CommandInput, 'env' | 'passes'>): Record<string, string | undefined> {
  const isPassed = (name: string) => plainForm.test(name) || passes.includes(name);
  return Object.fromEntries(Object.entries(env).filter(([name]) => isPassed(name) && !/^TRUEUP_/i.test(name)));
}

function readValue(stdout: Uint8Array, said: string): CommandAnswer {
  const remedy = 'Make it print the value as text, and nothing else.';
  try {
    const value = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(stdout).replace(/\r?\n$/, '');
    return value.includes('\0') ? { problem: 'printed the character NUL', remedy, said } : { value };
  } catch {
    return { problem: 'printed bytes that are not UTF-8 text', remedy, said };
  }
}

function explain({ code, killed, signal }: ExecFileException, limitMs: number): { problem: string; remedy: string } {
  const byHand = 'Run it by hand to see why. It must print the value and exit with code 0.';
  const install = 'Install it, or correct the first word of command:.';
  if (code === 'ENOENT') return { problem: 'does not exist', remedy: install };
  if (typeof code === 'number') return { problem: `exited with code ${code}`, remedy: byHand };
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') {
    return { problem: `printed more than ${maxBytes} bytes`, remedy: 'Make it print the value and nothing else.' };
  }
  if (killed === true) {
    return { problem: `did not exit within ${limitMs / 1_000} s`, remedy: `${byHand} It cannot ask for input.` };
  }
  if (signal !== undefined && signal !== null) return { problem: `was killed by ${signal}`, remedy: byHand };
  return { problem: `cannot be run (${code ?? 'unknown reason'})`, remedy: install };
}
