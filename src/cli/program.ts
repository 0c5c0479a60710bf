import { Argument, Command as Program, Help, Option } from 'commander';
import type { Command, Group, OptionText } from './command.ts';
import { loadedCommands } from './command.ts';
import { commands, nameIn } from './commands/index.ts';
import { describeExitCodes } from '../render/exit-codes.ts';
import { printed } from '../render/printable.ts';
import type { GlobalOptions } from './options.ts';
import type { Process } from './process.ts';
import { readVersion } from '../project/version.ts';

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
    .option('-C, --directory <dir>', 'folder of the manifest (default: the current one)')
    .option('-f, --file <name>', 'manifest in that folder, with its state beside it', 'trueup.yaml')
    .option('--var <name=value>', 'value of a variable; repeatable; also TRUEUP_VAR_<name>', collect)
    .option('--connections <n>', 'largest number of requests at a time', '4')
    .option('--no-bulk', 'read each object with a request of its own, also where the platform answers many in one')
    .option('--lock-timeout <time>', 'wait so long for a run that holds the lock of the state: 30s, 5m', '0')
    .option('--allow-secret-commands', 'run the programs that the manifest names under secrets:')
    .option('--pinned', 'only TRUEUP_URL and TRUEUP_STATE_URL choose platform and state; the default where CI is set')
    .option('--no-pinned', 'the manifest may choose them; also TRUEUP_PINNED=false')
    .option('--allow-http', 'allow plain http to other machines; also TRUEUP_ALLOW_HTTP=true')
    .option(
      '--format <format>',
      'format of stdout: text, json; of some commands also html, markdown, sarif, junit, svg or dot',
      'text',
    )
    .option('--link-base <url>', 'where markdown links lines of files to; default: the commit that the forge runs')
    .option('--marker <name>', 'name of the comment in its first line, in markdown; default: made from the manifest')
    .option('--no-color', 'no colour; also NO_COLOR=1')
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
    .addHelpText(
      'after',
      `
Environment:
  TRUEUP_API_KEY        key of the platform
  TRUEUP_URL            the only platform that this run may use
  TRUEUP_SECRET_<NAME>  value of \${secret:NAME}
  TRUEUP_AGE_IDENTITY, TRUEUP_AGE_IDENTITY_FILE
                        key that decrypts age secrets, or a file with the key
  TRUEUP_VAR_<name>     value of \${var:name}
  TRUEUP_STATE_KEY      key that authenticates the state; a state in a folder has one of its own: .trueup/key
  TRUEUP_STATE_URL      the only location of the state that this run may use: postgres://…, s3://bucket/prefix?endpoint=…
  TRUEUP_PINNED         true or false: --pinned, --no-pinned
  TRUEUP_ENV_ALLOW      names that \${env:…} may read where CI is set, such as REGION,CI_COMMIT_*
  TRUEUP_FILE_ALLOW     files that git does not track and a run may read, such as build/*.yml
  TRUEUP_ALLOW_HTTP     true: --allow-http
  AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN
                        key for the state, for state: { backend: s3 }
  TRUEUP_DEBUG=1        prints the stack of an error, and warnings of Node
  OTEL_EXPORTER_OTLP_ENDPOINT
                        exports an OpenTelemetry trace of the run

Exit codes:
${describeExitCodes()}
Examples:
  trueup validate
  trueup plan -C deploy --var tag=2025.11.3
  trueup plan --no-bulk
  trueup apply --auto-approve --format json`,
    );
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
      const { runCommand } = await import('./run.ts');
      onLoaded();
      const given = { args: part.args, flags: part.opts() };
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
  for (const [flags, text] of Object.entries(command.options ?? {})) part.addOption(optionOf(flags, text));
  const { notes, examples, footer } = command;
  const paragraphs = [
    ...(notes === undefined ? [] : [notes]),
    ['Examples:', ...examples].join('\n  '),
    ...(footer === undefined ? [] : [footer]),
  ];
  part.addHelpText('after', `\n${paragraphs.join('\n\n')}${footer === undefined ? '\n' : ''}`);
}

function optionOf(flags: string, text: OptionText): Option {
  if (typeof text === 'string') return new Option(flags, text);
  if ('means' in text) return new Option(flags).implies({ [text.means]: true }).hideHelp();
  if ('isHidden' in text) return new Option(flags).hideHelp();
  const option = new Option(flags, text.about);
  if (text.default !== undefined) option.default(text.default);
  if (text.isRepeatable === true) option.argParser(collect);
  else if (text.read !== undefined) option.argParser(text.read);
  return option;
}

/** Adds a value of an option that can be repeated. */
function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
