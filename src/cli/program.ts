import { Command } from 'commander';
import { setLoader } from './command.ts';
import { describeExitCodes } from '../render/exit-codes.ts';
import { printed } from '../render/printable.ts';
import { addCall } from './groups/call.ts';
import { addChanging } from './groups/changing.ts';
import { addCompletion } from './groups/completion.ts';
import { addDrift } from './groups/drift.ts';
import { addOutput } from './groups/output.ts';
import { addPlanning } from './groups/planning.ts';
import { addServices } from './groups/services.ts';
import { addState } from './groups/state.ts';
import { addTakingOver } from './groups/taking-over.ts';
import { addTools } from './groups/tools.ts';
import type { Runner } from './groups/shared.ts';
import { collect } from './groups/shared.ts';
import type { GlobalOptions } from './options.ts';
import type { Process } from './process.ts';
import { readVersion } from '../project/version.ts';

/**
 * Builds the command line of a process; `onEnd` gets the exit code of the command. A command is loaded when it runs, so
 * that help and version are fast; `onLoaded` is called then.
 */
export function createProgram(
  process: Process,
  onEnd: (exitCode: number) => void,
  onLoaded: () => void = () => {},
): Command {
  const program = new Command('trueup')
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
    .configureHelp({ showGlobalOptions: true })
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
  const run: Runner = (command, load) => {
    setLoader(command, load);
    command.action(async () => {
      const [{ runCommand }, action] = await Promise.all([import('./run.ts'), load()]);
      onLoaded();
      onEnd(
        await runCommand(process, {
          options: program.opts<GlobalOptions>(),
          command: action,
          name: nameOf(command),
          isFull: command.opts<{ full?: true }>().full === true,
        }),
      );
    });
  };
  addPlanning(program, run);
  addDrift(program, run);
  addChanging(program, run);
  addTakingOver(program, run);
  addState(program, run);
  addServices(program, run);
  addOutput(program, run);
  addCall(program, run);
  addTools(program, run);
  addCompletion(program, run, process);
  return program;
}

/** The full name of a command: `state list`. */
export function nameOf(command: Command): string {
  const { parent } = command;
  return parent?.parent ? `${nameOf(parent)} ${command.name()}` : command.name();
}
