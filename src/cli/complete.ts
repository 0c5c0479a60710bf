import type { Command, Help, Option } from 'commander';

/** One candidate, with a short description. */
export interface Candidate {
  readonly value: string;
  readonly about: string;
}

/** The part of the command line before the word to complete. */
export interface Before {
  readonly command: Command;
  /** The words that are neither options nor commands. */
  readonly operands: readonly string[];
  /** The values of options, by the name that commander gives them. */
  readonly options: ReadonlyMap<string, readonly string[]>;
  /** The option that takes the next word. */
  readonly open: Option | undefined;
  /** `--` ended the options. */
  readonly isEnded: boolean;
}

/** Finds the values of an argument or an option of a command. */
export type Source = (before: Before, name: string) => Promise<readonly Candidate[]>;

/** Candidates, or `files`: the shell completes file names. */
type Completion = readonly Candidate[] | 'files';

/** The options and arguments that take a file or a folder. */
const takesFile: readonly string[] = ['directory', 'files', 'varFile', 'data', 'out', 'plan', 'faults', 'fromFile'];

/** The candidates for the last word of a command line, which may be empty. */
export async function complete(program: Command, words: readonly string[], source: Source): Promise<Completion> {
  const word = words.at(-1) ?? '';
  const before = walk(program, words.slice(0, -1));
  const found = await candidatesFor(program.createHelp(), before, { word, source });
  return found === 'files' ? found : found.filter(({ value }) => value.startsWith(word));
}

async function candidatesFor(
  help: Help,
  before: Before,
  { word, source }: { word: string; source: Source },
): Promise<Completion> {
  const { command, operands, open, isEnded } = before;
  if (open !== undefined && (open.required || !word.startsWith('-'))) {
    if (takesFile.includes(open.attributeName())) return 'files';
    const found = (open.argChoices && plain(open.argChoices)) ?? (await source(before, open.attributeName()));
    // A root file of another folder, or none that Trueup knows.
    const isFile = open.attributeName() === 'file' && !found.some(({ value }) => value.startsWith(word));
    return isFile ? 'files' : found;
  }
  if (word.startsWith('-') && !isEnded) {
    const options = [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)];
    return options.map((option) => ({ value: option.long ?? option.flags, about: option.description }));
  }
  if (command.commands.length > 0) {
    if (operands.length > 0) return [];
    return help.visibleCommands(command).map((item) => ({ value: item.name(), about: item.description() }));
  }
  const { registeredArguments: all } = command;
  const argument = all[operands.length] ?? (all.at(-1)?.variadic === true ? all.at(-1) : undefined);
  if (argument === undefined) return [];
  if (takesFile.includes(argument.name())) return 'files';
  return (argument.argChoices && plain(argument.argChoices)) ?? source(before, argument.name());
}

/** Parses the words as commander does, as far as completion needs it. */
function walk(program: Command, words: readonly string[]): Before {
  let command = program;
  let open: Option | undefined;
  let isEnded = false;
  const operands: string[] = [];
  const options = new Map<string, readonly string[]>();
  for (const word of words) {
    const isOption = word.startsWith('-') && !isEnded;
    if (open !== undefined && (open.required || !isOption)) {
      options.set(open.attributeName(), [...(options.get(open.attributeName()) ?? []), word]);
      open = undefined;
    } else if (isOption) {
      isEnded = word === '--';
      const found = [...program.options, ...command.options].find(({ short, long }) => word === short || word === long);
      open = found !== undefined && (found.required || found.optional) ? found : undefined;
    } else {
      const inner = operands.length > 0 ? undefined : command.commands.find((item) => item.name() === word);
      if (inner === undefined) operands.push(word);
      else command = inner;
    }
  }
  return { command, operands, options, open, isEnded };
}

/** Candidates without a description. */
export function plain(values: readonly string[]): Candidate[] {
  return values.map((value) => ({ value, about: '' }));
}
