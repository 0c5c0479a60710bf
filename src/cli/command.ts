import type { Command as Program } from 'commander';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Kind } from '../kind/kind.ts';
import type { Exit } from '../render/exit-codes.ts';
import type { Formats, View } from '../render/output-format.ts';
import type { Clock } from '../state/clock.ts';
import type { FlagsOf, Options } from './flags.ts';
import type { Settled } from './settle-options.ts';
import type { Process } from './process.ts';
import type { Terminal } from './terminal.ts';

/** The options and the surroundings of one run of a command. */
export interface Run {
  readonly options: Settled;
  /** Without its environment: `options` has the part that the manifest of this run may read. */
  readonly process: Omit<Process, 'env'>;
  readonly terminal: Terminal;
  readonly clock: Clock;
  /** The reason why this run asks no questions; undefined: it can ask. */
  readonly cannotAsk: string | undefined;
  /** Prints warnings, redacted. */
  readonly warn: (warnings: readonly Diagnostic[]) => void;
}

/** The words of a command line that belong to its command. */
export interface Given<Flags = object> {
  /** The arguments, without options. */
  readonly args: readonly string[];
  readonly flags: Flags;
}

/** Arguments by their form, `<address>`, `[files...]`, with their lines of the help. */
type Arguments = Readonly<Record<string, string | { readonly choices: readonly string[] }>>;

/** The help of a command below its options. */
interface Help {
  readonly arguments?: Arguments;
  readonly options?: Options;
  /** Paragraphs above the examples. */
  readonly notes?: string;
  readonly examples: readonly string[];
  /** Paragraphs below them. */
  readonly footer?: string;
}

/** How a command runs for several root files: a run for each. */
interface Several {
  /** All run to their end; but `until one fails`, after which no other run begins. `at once`: side by side. */
  readonly runs: 'at once' | 'in turn' | 'until one fails';
  /** --all means root files with `preview:` too. */
  readonly takesPreviews?: true;
  /** The options that need one root file. */
  readonly refuses?: readonly string[];
  /** What a run with --all says of the folder besides, on stderr. */
  readonly besides?: (folder: string) => readonly string[];
}

/** A command: it works, reports to the view that the run has chosen, and returns how it ended. */
export interface Command<V extends View = View, Flags = object> extends Help {
  readonly formats: Formats<V>;
  /** undefined: it takes one root file. */
  readonly several?: Several;
  /** Its addresses are those of the state, of the kinds that fit its other words; without it, those of the manifest. */
  readonly remembers?: (kind: Kind, words: readonly string[]) => boolean;
  execute(run: Run, view: V, given: Given<Flags>): Promise<Exit>;
}

/** A word with commands below it, and no work of its own. */
export type Group = Help & {
  readonly formats?: undefined;
  readonly several?: undefined;
  readonly remembers?: undefined;
};

/** What changes nothing on the platform takes --all for the root files of a folder; to change something, each is named. */
export function takesAll({ several }: Pick<Command | Group, 'several'>): boolean {
  return several !== undefined && several.runs !== 'until one fails';
}

/** The loaded commands by their part of the command line. */
export const loadedCommands = new WeakMap<Program, Command | Group>();

/** Defines a command by data and its work; the types of its flags follow from the forms of its options. */
export function defineCommand<V extends View, const O extends Options>(
  command: Omit<Command<V, FlagsOf<O>>, 'options'> & { readonly options?: O },
): Command<V, FlagsOf<O>> {
  return command;
}
