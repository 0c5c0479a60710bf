import { Argument, Command as Program, Help, Option } from 'commander';
import type { OptionAbout, Options, OptionText } from './flags.ts';
import { type Command, type Group, loadedCommands, takesAll } from './command.ts';
import { commands, nameIn } from './commands/index.ts';
import { printed } from '../render/printable.ts';
import { globalOptions, programHelp } from './global-options.ts';
import { allFiles } from './option-sets.ts';
import type { GlobalOptions } from './settle-options.ts';
import type { Process } from './process.ts';
import { readVersion } from '../project/version.ts';
import { usage } from '../diagnostics/usage.ts';

/**
 * Builds the command line of a process; `onEnd` gets the exit code of the command, `onLoaded` is called before that begins. Only
 * commands whose words `isNamed` are loaded, so that help and version are fast; of the others it knows name and summary.
 */
export async function createProgram(
  process: Process,
  onEnd: (exitCode: number) => void,
  {
    onLoaded = () => {},
    isNamed = (word) => process.argv.includes(word),
  }: { readonly onLoaded?: (() => void) | undefined; readonly isNamed?: (word: string) => boolean } = {},
): Promise<Program> {
  /** How the help lists a command, without loading it. */
  const terms = new Map<Program, string>();
  const usualHelp = new Help();
  const program = new Program('trueup')
    .description('Keeps a deployment platform true to a git repository.')
    .version(readVersion())
    .configureHelp({
      showGlobalOptions: true,
      subcommandTerm: (command) => terms.get(command) ?? usualHelp.subcommandTerm(command),
    })
    .configureOutput({
      writeOut: (text) => process.stdout.write(printed(text)),
      writeErr: (text) => process.stderr.write(printed(text)),
      outputError: () => {}, // command-line.ts reports it, in the format that was asked for
    })
    .exitOverride()
    .addHelpText('after', (context) => (isBare(context.error) ? '' : programHelp));
  addOptions(program, globalOptions);
  const isBare = (isError: boolean | undefined): boolean => isError === true && program.args.length === 0;
  const wholeHelp = program.helpInformation.bind(program);
  program.helpInformation = (context) =>
    isBare(context?.error) ? firstHelp(program.description()) : wholeHelp(context);
  for (const [usage, summary, load] of commands) {
    const words = nameIn(usage).split(' ');
    const [name = '', above] = words.toReversed();
    const parent = program.commands.find((one) => one.name() === above) ?? program;
    const part = parent.command(name).description(summary);
    terms.set(part, above === undefined ? usage : usage.slice(above.length + 1));
    if (!words.every(isNamed)) continue;
    const { command } = await load();
    loadedCommands.set(part, command);
    define(part, command);
    if (command.formats === undefined) continue;
    part.action(async () => {
      const { runCommand } = await import('./run-command.ts');
      onLoaded();
      const given = { args: part.args, flags: flagsOf(part) };
      onEnd(await runCommand(process, { options: program.opts<GlobalOptions>(), command, given, name: nameOf(part) }));
    });
  }
  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .action(async (words: readonly string[]) =>
      (await import('./candidates.ts')).printCandidates(program, words, process),
    );
  return program;
}

/** The options of a command as written; commander gives those of `drift adopt` to `drift`, where that has one of the same name. */
function flagsOf(part: Program): object {
  const above = part.options
    .map((option) => option.attributeName())
    .filter((name) => part.parent?.getOptionValueSource(name) === 'cli')
    .map((name) => [name, part.parent?.getOptionValue(name)] as const);
  return { ...part.opts(), ...Object.fromEntries(above) };
}

/** The full name of a command: `state list`. */
export function nameOf(command: Program): string {
  const { parent } = command;
  return parent?.parent ? `${nameOf(parent)} ${command.name()}` : command.name();
}

/** Gives a part of the command line the arguments, the options and the help of its command. */
function define(part: Program, command: Command | Group): void {
  for (const [name, text] of Object.entries(command.arguments ?? {})) {
    part.addArgument(typeof text === 'string' ? new Argument(name, text) : new Argument(name).choices(text.choices));
  }
  addOptions(part, { ...command.options, ...(takesAll(command) ? allFiles : {}) });
  const { notes, examples, footer } = command;
  const paragraphs = [
    ...(notes === undefined ? [] : [notes]),
    ['Examples:', ...examples].join('\n  '),
    ...(footer === undefined ? [] : [footer]),
  ];
  part.addHelpText('after', `\n${paragraphs.join('\n\n')}${footer === undefined ? '\n' : ''}`);
}

function addOptions(part: Program, options: Options): void {
  for (const [flags, text] of Object.entries(options)) part.addOption(optionOf(flags, text));
}

function optionOf(flags: string, text: OptionText): Option {
  if (typeof text !== 'string' && 'means' in text) return new Option(flags).implies({ [text.means]: true }).hideHelp();
  const more: Partial<OptionAbout> = typeof text === 'string' ? { about: text } : 'isHidden' in text ? {} : text;
  const option = new Option(flags, more.about);
  if (more.about === undefined) option.hideHelp();
  if (more.default !== undefined) option.default(more.default);
  return more.isRepeatable === true ? option.argParser(collect) : option.argParser(single(option, more.read));
}

/** Adds a value of an option that can be repeated. */
function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** Reads the value of an option that takes one: of two, the first would be lost. */
function single({ long }: Option, read = (value: string) => value): (value: string) => string {
  let before: string | undefined;
  return (value) => {
    if (before !== undefined && before !== value)
      throw usage(`${long} is given twice, with different values`, 'It takes one value: leave one out.');
    before = value;
    return read(value);
  };
}

/** The commands that one needs first. */
const first = ['init', 'validate', 'plan', 'apply', 'drift'];

/** The answer to a command line that names no command. */
function firstHelp(about: string): string {
  const width = Math.max(...first.map((name) => name.length));
  const lines = first.map((name) => {
    const [, summary] = commands.find(([usage]) => nameIn(usage) === name) ?? [];
    return `  trueup ${name.padEnd(width)}  ${summary}\n`;
  });
  return `Trueup ${about.charAt(0).toLowerCase()}${about.slice(1)}\n\n${lines.join('')}
trueup --help lists all commands, options, variables and exit codes; trueup plan --help, those of plan.\n`;
}
