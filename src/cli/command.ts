import type { Command as Program } from 'commander';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Exit } from '../render/exit-codes.ts';
import type { Formats, View } from '../render/format.ts';
import type { Clock } from '../state/clock.ts';
import type { Settled } from './options.ts';
import type { Process } from './process.ts';
import type { Terminal } from './terminal.ts';

/** The options and the surroundings of one run of a command. */
export interface Run {
  readonly options: Settled;
  readonly process: Process;
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

/** An option: its line of the help, or more about it. */
export type OptionText =
  | string
  | {
      readonly about: string;
      readonly default?: string;
      /** All values are kept, in their order. */
      readonly isRepeatable?: true;
      /** Checks a value. @throws {Stop} `usage` */
      readonly read?: (value: string) => string;
    }
  /** Another name of that option, or an earlier form. The help does not show it. */
  | { readonly means: string }
  | { readonly isHidden: true };

/** Options by their form: `--full`, `--no-wait`, `--out <file>`, `--list [what]`. */
export type Options = Readonly<Record<string, OptionText>>;

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

/** A command: it works, reports to the view that the run has chosen, and returns how it ended. */
export interface Command<V extends View = View, Flags = object> extends Help {
  readonly formats: Formats<V>;
  execute(run: Run, view: V, given: Given<Flags>): Promise<Exit>;
}

/** A word with commands below it, and no work of its own. */
export type Group = Help & { readonly formats?: undefined };

/** The loaded commands by their part of the command line. */
export const loadedCommands = new WeakMap<Program, Command | Group>();

/** Defines a command by data and its work; the types of its flags follow from the forms of its options. */
export function defineCommand<V extends View, const O extends Options>(
  command: Omit<Command<V, FlagsOf<O>>, 'options'> & { readonly options?: O },
): Command<V, FlagsOf<O>> {
  return command;
}

/** The values of options: those with a default are always there. */
export type FlagsOf<O> = {
  readonly [F in keyof O as O[F] extends { default: string } ? NameOf<F> : never]: ValueOf<F, O[F]>;
} & {
  readonly [F in keyof O as O[F] extends { default: string } | { means: string } ? never : NameOf<F>]?: ValueOf<
    F,
    O[F]
  >;
};

type NameOf<F> = F extends `-${string}, --${infer Long}`
  ? NameOf<`--${Long}`>
  : F extends `--no-${infer Name}`
    ? Camel<Name>
    : F extends `--${infer Name} ${string}`
      ? Camel<Name>
      : F extends `--${infer Name}`
        ? Camel<Name>
        : never;

type ValueOf<F, About> = F extends `${string} <${string}>`
  ? About extends { isRepeatable: true }
    ? readonly string[]
    : string
  : F extends `${string} [${string}]`
    ? string | true
    : F extends `--no-${string}`
      ? boolean
      : true;

type Camel<Text extends string> = Text extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Text;
