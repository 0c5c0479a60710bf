import type { Command as Program } from 'commander';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Formats, View } from '../render/format.ts';
import type { Exit } from '../render/exit-codes.ts';
import type { Settled } from './options.ts';
import type { Process } from './process.ts';
import type { Terminal } from './terminal.ts';

/** The options and the surroundings of one run of a command. */
export interface Run {
  readonly options: Settled;
  readonly process: Process;
  readonly terminal: Terminal;
  /** The reason why this run asks no questions; undefined: it can ask. */
  readonly cannotAsk: string | undefined;
  /** Prints warnings, redacted. */
  readonly warn: (warnings: readonly Diagnostic[]) => void;
}

/** A command: it works, reports to the view that the run has chosen, and returns how it ended. */
export interface Command<V extends View = View> {
  readonly formats: Formats<V>;
  execute(run: Run, view: V): Promise<Exit>;
}

/** Loads a command when it is needed, so that help and version come at once. */
export type Loader = () => Promise<Command>;

const loaders = new WeakMap<Program, Loader>();

/** Remembers how the command of a command line is loaded. */
export function setLoader(program: Program, load: Loader): void {
  loaders.set(program, load);
}

/** Returns the formats of the command of a command line; undefined: it names none. */
export async function formatsOf(program: Program): Promise<Formats<View> | undefined> {
  return (await loaders.get(program)?.())?.formats;
}
