import { resolve } from 'node:path';
import type * as Controller from '../controller/main.ts';
import { type Stop as AnyStop, Stop } from '../diagnostics/diagnostic.ts';
import type { ControllerDocument } from '../render/document-schemas.ts';
import { exitCodes } from '../render/exit-codes.ts';
import { reportFormats } from '../render/output-format.ts';
import { printable } from '../render/printable.ts';
import type { Run } from './command.ts';
import type { FlagsOf, Options } from './flags.ts';
import { readSeconds, usage } from './settle-options.ts';

/** Loads the controller for some work. What stops it there is an error of another bundle: it becomes one of this. */
export async function withController<T>(work: (controller: typeof Controller) => Promise<T>): Promise<T> {
  const controller = await import('../controller/main.ts');
  try {
    return await work(controller);
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'Stop' || error instanceof Stop) throw error;
    const { failure, diagnostics } = error as AnyStop;
    throw new Stop(failure, diagnostics, { cause: error });
  }
}

/** What a process of the controller does, once it does it. */
type Ready = Pick<ControllerDocument, 'works' | 'page'>;

/** The log says the same as text. */
export const processFormats = reportFormats<Ready>({
  json: (ready): ControllerDocument => ({ format: 'trueup/controller', version: 1, ...ready }),
});

/** The options of what reads repositories. */
export const gitOptions = {
  '--folder <dir>':
    'folder of the checkouts, for this user only; default: in $STATE_DIRECTORY or $XDG_STATE_HOME/trueup',
  '--git-credentials <file>': 'file with https://user:password@host for each host, as git credential-store has it',
  '--git-ssh <command>': 'command for ssh, such as "ssh -i FILE -o UserKnownHostsFile=FILE"',
} as const satisfies Options;

/** Reads labels that are given as options. @throws {Stop} `usage`, where one is none, or a name has two values */
export function labelsOf(option: string, texts: readonly string[] = []): Readonly<Record<string, string>> {
  const labels = new Map<string, string>();
  for (const text of texts) {
    const [, name, value] = /^([A-Za-z0-9][\w.-]{0,62})=(.+)$/.exec(text) ?? [];
    if (name === undefined || value === undefined)
      throw usage(`${option} must be name=value, got ${JSON.stringify(text)}`);
    const former = labels.get(name);
    if (former !== undefined && former !== value)
      throw usage(`${option} gives ${name} two values: ${former} and ${value}`, 'Give it once.');
    labels.set(name, value);
  }
  return Object.fromEntries(labels);
}

/** The options of what runs until a signal. */
export const processOptions = {
  '--no-migrate': 'refuse tables of an older version, instead of bringing them up to date',
  '--grace <time>': { about: 'after SIGTERM, let runs end for so long; the rest is done by others', default: '20s' },
  '--log <form>': { about: 'form of the lines on stderr: text or json', default: 'text' },
} as const satisfies Options;

/** Reads those of git. */
export function gitOf({ process }: Pick<Run, 'process'>, flags: FlagsOf<typeof gitOptions>) {
  const at = (path: string | undefined) => (path === undefined ? undefined : resolve(process.cwd(), path));
  return { folder: at(flags.folder), git: { credentials: at(flags.gitCredentials), ssh: flags.gitSsh } };
}

/** Reads those options, and ends by the signals that a process of the controller gets. @throws {Stop} `usage` */
export function processOf(run: Pick<Run, 'process' | 'terminal' | 'options'>, flags: FlagsOf<typeof processOptions>) {
  const { process, terminal } = run;
  return {
    env: run.options.env,
    migrates: flags.migrate !== false,
    graceMs: 1_000 * readSeconds('--grace', flags.grace, 0, 3_600),
    log: flags.log,
    write: (line: string) => terminal.err(`${printable(line)}\n`),
    signal: untilSignal(process),
  } as const;
}

/** Aborted by the first signal that ends a process, or by the end of the one that it is beside; a second signal ends it at once. */
function untilSignal(process: Run['process']): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (controller.signal.aborted) process.exit(exitCodes.interrupted.code);
      controller.abort();
    });
  }
  process.on('disconnect', () => controller.abort());
  // To wait for that keeps no process alive.
  process.channel?.unref();
  return controller.signal;
}
