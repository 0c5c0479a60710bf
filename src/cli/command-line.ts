import { type Command, CommanderError } from 'commander';
import type { Process } from './process.ts';
import { loadedCommands } from './command.ts';
import { createProgram, nameOf } from './program.ts';

/** Runs the command line of a process; `onLoaded` is called before its command begins. Returns the exit code. */
export async function runCommandLine(process: Process, onLoaded?: () => void): Promise<number> {
  let code = 0;
  const onEnd = (exitCode: number): void => {
    code = exitCode;
  };
  const program = await createProgram(process, onEnd, { onLoaded });
  let named = program;
  for (const above of [program, ...program.commands])
    above.hook('preSubcommand', (_above, command) => {
      named = command;
    });
  try {
    await program.parseAsync(joined(process.argv, valuedOptions(program)));
    return code;
  } catch (error) {
    if (error instanceof CommanderError && error.code.startsWith('commander.help')) return error.exitCode;
    if (error instanceof CommanderError && error.code === 'commander.version') return 0;
    return await report(process, error, named);
  }
}

/** The long options that need a value, of a command and of all below it. */
function valuedOptions({ options, commands }: Command): string[] {
  return [
    ...options.flatMap(({ long, required }) => (required ? (long ?? []) : [])),
    ...commands.flatMap(valuedOptions),
  ];
}

/**
 * Makes one word of an option and a value that begins with a hyphen: commander would look for the short options of the
 * program in that value, such as the -V of `--project -Vx9`.
 */
function joined(words: readonly string[], valued: readonly string[]): string[] {
  const result: string[] = [];
  let isOver = false;
  for (const word of words) {
    const option = result.at(-1) ?? '';
    if (!isOver && word.startsWith('-') && valued.includes(option)) {
      result[result.length - 1] = `${option}=${word}`;
    } else {
      isOver ||= word === '--';
      result.push(word);
    }
  }
  return result;
}

/** Reports a command line that cannot be followed, in the format that it asks for where that can be made out. */
async function report(process: Process, error: unknown, command: Command): Promise<number> {
  const [
    { chooseFormat, reportFailure },
    { openTerminal },
    { redactorOf },
    { usage },
    { commonFormats },
    { remedyFor },
  ] = await Promise.all([
    import('./run-command.ts'),
    import('./terminal.ts'),
    import('../secrets/sources/env.ts'),
    import('./settle-options.ts'),
    import('../render/output-format.ts'),
    import('./other-words.ts'),
  ]);
  const { argv, env } = process;
  const name = argv.find((word) => word.startsWith('--format='))?.slice(9) ?? argv[argv.indexOf('--format') + 1] ?? '';
  const formats = loadedCommands.get(command)?.formats ?? commonFormats;
  const terminal = openTerminal(process, !argv.includes('--no-color'));
  const redactor = redactorOf(env);
  // A word of the command line may have been filled in from a secret.
  const why = (message: string) => redactor.redact(oneLine(message));
  const explained = (found: CommanderError) => {
    const meant = remedyFor(unknownWord(found, argv), {
      ...(command.parent === null ? {} : { name: nameOf(command) }),
      has: (option) => takes(command, option),
    });
    // What commander takes for a slip of the pen is the word of another command line.
    const message = meant === undefined ? found.message : found.message.replace(/\n\(Did you mean [^]*$/, '');
    return usage(why(message), meant ?? helpFor(command, found));
  };
  return reportFailure(error instanceof CommanderError ? explained(error) : error, {
    env,
    terminal,
    redactor,
    view: await (chooseFormat(formats, name) ?? formats.text)(terminal),
  });
}

/** The word of a command line that its command does not know. */
function unknownWord({ message }: CommanderError, words: readonly string[]): string {
  // It would read a manifest of that name.
  if (words.includes('logs') && words.includes('-f', words.indexOf('logs'))) return '--follow';
  return /unknown (?:command|option) '([^'=]*)/.exec(message)?.[1] ?? '';
}

/** Whether a command takes an option. */
function takes(command: Command, option: string): boolean {
  const isHere = command.options.some(({ short, long }) => option === short || option === long);
  return isHere || (command.parent !== null && takes(command.parent, option));
}

/** Where the words of a command stand. */
function helpFor(command: Command, { code }: CommanderError): string {
  if (command.parent === null) return 'trueup --help lists commands and options.';
  const isMaybeId = code === 'commander.unknownOption' && command.registeredArguments.length > 0;
  const help = `trueup ${nameOf(command)} --help lists ${command.commands.length > 0 ? 'commands and ' : ''}options.`;
  return isMaybeId ? `${help} An id that begins with a hyphen goes last, behind --.` : help;
}

/** The message in one line, and without the value of an option that does not exist: it may be a secret. */
function oneLine(message: string): string {
  return message
    .replace(/^error: /, '')
    .replaceAll(/(?<!\s)\s*\n\s*/g, ' ')
    .replace(/^(unknown option '[^'=]*)=.*'/, "$1'");
}
