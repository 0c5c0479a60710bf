import { Argument, Command } from 'commander';
import type { Command as Action } from './command.ts';
import { setLoader } from './command.ts';
import { describeExitCodes } from '../render/exit-codes.ts';
import type { GlobalOptions } from './options.ts';
import { readVersion } from '../project/version.ts';

/** The command line. What a command needs is loaded when it runs, so that help and version come at once. */
export function createProgram(): Command {
  const program = new Command('trueup')
    .description('Keeps a deployment platform true to a git repository.')
    .version(readVersion())
    .option('-C, --directory <dir>', 'folder of the manifest (default: the current one)')
    .option('-f, --file <name>', 'manifest in that folder', 'trueup.yaml')
    .option('--var <name=value>', 'value of a variable; repeatable; also TRUEUP_VAR_<name>', collect)
    .option('--connections <n>', 'most requests at a time', '4')
    .option('--lock-timeout <seconds>', 'how long to wait for another run that has the state', '0')
    .option('--allow-secret-commands', 'programs that the manifest names under secrets: may run')
    .option('--format <format>', 'what stdout gets, such as text or json', 'text')
    .option('--no-color', 'no colour; also NO_COLOR=1')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ outputError: () => {} }) // told in our own form, in JSON where that is wanted
    .exitOverride()
    .addHelpText(
      'after',
      `
Environment:
  TRUEUP_API_KEY        key of the platform
  TRUEUP_URL            the only platform this run may talk to
  TRUEUP_SECRET_<NAME>  value of \${secret:NAME}
  TRUEUP_AGE_IDENTITY, TRUEUP_AGE_IDENTITY_FILE
                        key for secrets that age encrypted, or a file with it
  TRUEUP_VAR_<name>     value of \${var:name}
  TRUEUP_STATE_URL      database of the state, with state: { backend: postgres }
  AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN
                        key for the state, with state: { backend: s3 }
  TRUEUP_DEBUG=1        says where an error came about

Exit codes:
${describeExitCodes()}
Examples:
  trueup validate
  trueup plan -C deploy --var tag=2025.11.3
  trueup apply --auto-approve --format json`,
    );
  const run: Runner = (command, load) => {
    setLoader(command, load);
    command.action(async () => {
      const [{ runCommand }, action] = await Promise.all([import('./run.ts'), load()]);
      await runCommand(program.opts<GlobalOptions>(), action, nameOf(command));
    });
  };
  addPlanning(program, run);
  addChanging(program, run);
  addState(program, run);
  addServices(program, run);
  addOutput(program, run);
  addCall(program, run);
  addTools(program, run);
  addCompletion(program, run);
  return program;
}

type Runner = (command: Command, load: () => Promise<Action>) => void;

function addPlanning(program: Command, run: Runner): void {
  const validate = program
    .command('validate')
    .description('check the manifest; sends nothing')
    .addHelpText('after', examples('trueup validate', 'trueup validate -C deploy --format json'));
  run(validate, async () => (await import('./commands/validate.ts')).validateCommand);
  const plan = program
    .command('plan')
    .description('show what differs; changes nothing')
    .option('--detailed-exitcode', 'exit with 2 when there are changes')
    .option(...noDeploy)
    .option('--destroy', 'what trueup destroy would do')
    .option('--out <file>', 'keep the plan, for its review and for trueup apply; it holds no value, only digests')
    .addHelpText(
      'after',
      examples(
        'trueup plan',
        'trueup plan --detailed-exitcode',
        'trueup plan --format json | jq .summary',
        'trueup plan --out plan.trueup',
      ),
    );
  run(plan, async () => (await import('./commands/plan.ts')).planCommand(plan.opts()));
}

/** The option that plans and applies without deployments. */
const noDeploy = ['--no-deploy', 'leave deployments to somebody else, or to a later apply'] as const;

function addChanging(program: Command, run: Runner): void {
  const autoApprove = ['--auto-approve', 'do not ask; needed where nobody can be asked'] as const;
  const allowDataLoss = ['--allow-data-loss', 'data may be deleted'] as const;
  const fence = [
    '--fence <seconds>',
    'how long a request without an answer may take to land, 60 if nothing is said',
  ] as const;
  const apply = program
    .command('apply')
    .description('make the platform what the manifest says')
    .argument('[plan]', 'file of a plan, from plan --out: applied if it still is the plan, without asking')
    .option(...autoApprove)
    .option('--adopt', 'take over what exists already')
    .option(...allowDataLoss)
    .option('--allow-mass-delete', 'more than 10 of a kind, or 30 % of at least 10, may be deleted')
    .option(...noDeploy)
    .option(...fence)
    .option('--no-wait', 'order deployments, and do not wait until they are over')
    .option(
      '--deploy-timeout <[kind=]seconds>',
      'the longest that a deployment may take, 900 if nothing is said; repeatable',
      collect,
    )
    .addHelpText(
      'after',
      examples(
        'trueup apply',
        'trueup apply --auto-approve --adopt',
        'trueup apply plan.trueup',
        'trueup apply --auto-approve --deploy-timeout 600 --deploy-timeout application=1800',
      ),
    );
  run(apply, async () => (await import('./commands/apply.ts')).applyCommand(apply.opts(), apply.args[0]));
  const destroy = program
    .command('destroy')
    .description('delete everything that the state holds')
    .option(...autoApprove)
    .option(...allowDataLoss)
    .option(...fence)
    .addHelpText('after', examples('trueup destroy', 'trueup destroy --auto-approve --allow-data-loss'));
  run(destroy, async () => (await import('./commands/destroy.ts')).destroyCommand(destroy.opts()));
  const importing = program
    .command('import')
    .description('tie an address of the manifest to an object of the platform')
    .argument('<address>', 'as in plans')
    .argument('<id>', 'id of the object; put -- before one that begins with a hyphen')
    .addHelpText(
      'after',
      examples(
        'trueup import production.postgres.main pg_123',
        'trueup import \'production.compose.shop.domains["shop.example.com"]\' dom_7',
        'trueup import -- production.redis.cache -x8Kd_1',
      ),
    );
  run(importing, async () => {
    const [address = '', id = ''] = importing.args;
    return (await import('./commands/import.ts')).importCommand({ address, id });
  });
}

function addState(program: Command, run: Runner): void {
  const state = program
    .command('state')
    .description('look at what Trueup remembers')
    .addHelpText('after', examples('trueup state list', 'trueup state show production.compose.shop'));
  const list = state
    .command('list')
    .description('list the resources of the state')
    .addHelpText('after', examples('trueup state list', 'trueup state list --format json'));
  run(list, async () => (await import('./commands/state.ts')).stateListCommand);
  const show = state
    .command('show')
    .description('show one resource of the state; secrets are digests')
    .argument('<address>', 'as in plans')
    .addHelpText(
      'after',
      examples(
        'trueup state show production.compose.shop',
        'trueup state show \'production.compose.shop.domains["shop.example.com"]\'',
      ),
    );
  run(show, async () => (await import('./commands/state.ts')).stateShowCommand(show.args[0] ?? ''));
  const unlock = state
    .command('unlock')
    .description('take the lock of the state away from somebody who is gone')
    .option('--yes', 'do not ask; needed where nobody can be asked')
    .addHelpText('after', examples('trueup state unlock', 'trueup state unlock --yes'));
  run(unlock, async () => (await import('./commands/state.ts')).stateUnlockCommand(unlock.opts()));
  const rebuild = state
    .command('rebuild')
    .description('make a state that got lost anew, from what the platform has')
    .option('--yes', 'do not ask; needed where nobody can be asked')
    .addHelpText('after', examples('trueup state rebuild', 'trueup state rebuild -C deploy --yes'));
  run(rebuild, async () => (await import('./commands/state-rebuild.ts')).stateRebuildCommand(rebuild.opts()));
}

function addServices(program: Command, run: Runner): void {
  const id = ['--id <id>', 'id of the object, where the state does not know it'] as const;
  const telling = program
    .command('run')
    .description('tell services, backups, git providers and domains to do something')
    .argument('<verb>', 'one of those below')
    .argument('<address...>', 'as in plans; several are told one after the other, until one fails')
    .option(...id)
    .option('--yes', 'do not ask before something stops or is lost; needed where nobody can be asked')
    .option('--allow-data-loss', 'data may be deleted: rebuild empties a database')
    .option('--no-wait', 'do not wait until a deployment of an application or a compose is over')
    .option('--timeout <seconds>', 'time for each: 60; 1800 for deployments, rebuild and backup')
    .option('--show-secrets', 'print the token that refresh-token makes')
    .addHelpText(
      'after',
      `
  start, stop, reload         services
  deploy, redeploy            services; redeploy works with the code or the file that is there
  rebuild                     databases, on empty volumes
  kill-build, clean-queues    compose stacks
  refresh-token               compose stacks
  backup                      backups and volume backups, at once
  test                        git providers, domains

Ids come from the state, else from id: in the manifest. Everything is checked before anything is sent, and nothing is
sent twice. The lock of the state is not taken: kill-build works while an apply waits.
${examples(
  'trueup run redeploy production.compose.shop',
  'trueup run stop production.compose.shop production.postgres.main --yes',
  'trueup run backup production.postgres.main.backups.nightly',
  'trueup run rebuild staging.postgres.main --allow-data-loss',
  'trueup run test labgit.lab \'production.compose.shop.domains["shop.example.com"]\'',
)}`,
    );
  run(telling, async () => (await import('./commands/run.ts')).runVerb(telling.args, telling.opts()));
  const status = program
    .command('status')
    .description('show how services run, and their last deployments; changes nothing')
    .argument('[address...]', 'services, or environments with all in them; all services of the state when left out')
    .option('--watch', 'go on until interrupted; in a pipe, a line for each change')
    .option('--interval <seconds>', 'time between two looks with --watch', '2')
    .addHelpText(
      'after',
      examples(
        'trueup status',
        'trueup status production --watch',
        'trueup status --format json | jq \'.services[] | select(.status == "error")\'',
      ),
    );
  run(status, async () => (await import('./commands/status.ts')).statusCommand(status.args, status.opts()));
  const logs = program
    .command('logs')
    .description('print the log of a service, where the platform documents one')
    .argument('<address>', 'as in plans')
    .option(...id)
    .option('--tail <n>', 'last lines only: 1 to 10000; 100 when left out')
    .option('--since <time>', 'newer lines only: 30s, 15m, 2h, 1d, or all')
    .option('--search <text>', 'lines with this text only: letters, digits, space, ".", "_", "-"')
    .option('--show-secrets', 'print it as it is; what is secret in the service is hidden otherwise')
    .addHelpText(
      'after',
      examples('trueup logs production.postgres.main', 'trueup logs production.postgres.main --tail 20 --since 1h'),
    );
  run(logs, async () => (await import('./commands/logs.ts')).logsCommand(logs.args[0] ?? '', logs.opts()));
}

function addOutput(program: Command, run: Runner): void {
  const output = program
    .command('output')
    .description('print the outputs of the manifest; changes nothing')
    .argument('[output]', 'one of them: its value and nothing else')
    .option('--show-secrets', 'print values that hold a secret')
    .addHelpText(
      'after',
      `
In the manifest:
  outputs:
    db_host: \${ref:production.postgres.main.host}
${examples('trueup output', 'psql -h "$(trueup output db_host)"', 'trueup output --format json | jq .outputs')}`,
    );
  run(output, async () => (await import('./commands/output.ts')).outputCommand(output.args[0], output.opts()));
}

function addTools(program: Command, run: Runner): void {
  const emulate = program
    .command('emulate')
    .description('serve the emulator over HTTP until it is stopped')
    .option('--port <n>', 'port to listen on; 0 takes a free one', '4050')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--data <file>', 'file that keeps its world; without it, the world ends with the process')
    .option('--latency <ms>', 'delay of every answer', '0')
    .option('--deploy-time <ms>', 'how long a deployment takes', '0')
    .option(
      '--documented-only',
      'only the operations of the API document: none to make projects, or to connect a provider',
    )
    .option('--strict', 'refuse members that the API document does not have; the platform drops them')
    .option('--faults <file>', 'YAML that says which requests go wrong, when, and how; stderr tells of each')
    .addHelpText(
      'after',
      `
A file of faults, as docs/faults.md explains:
  faults:
    - { on: "*.create", at: 1, after: drop }   # carried out, and the connection ends before the answer
    - { on: GET, chance: 30%, before: { answer: 503 } }
${examples(
  'trueup emulate',
  'trueup emulate --data world.json',
  'trueup emulate --port 0 --documented-only',
  'trueup emulate --faults faults.yaml',
)}`,
    );
  run(emulate, async () => (await import('./commands/emulate.ts')).emulateCommand(emulate.opts()));
  const schema = program
    .command('schema')
    .description('print the JSON Schema of manifests, for editors')
    .option('--openapi', 'the API of the platform as OpenAPI 3.1 instead')
    .addHelpText(
      'after',
      `${examples('trueup schema > trueup.schema.json', 'trueup schema --openapi > openapi.json')}
In the first line of a manifest:
  # yaml-language-server: $schema=trueup.schema.json`,
    );
  run(schema, async () => (await import('./commands/schema.ts')).schemaCommand(schema.opts()));
}

function addCall(program: Command, run: Runner): void {
  const call = program
    .command('call')
    .description("call one operation of the platform's API")
    .argument('[operation]', 'such as compose.one')
    .argument('[members...]', 'the input: name=text, name:=JSON, name=@file, name=@- for standard input')
    .option('--input <json>', 'the input as a JSON object, or @file, or - for standard input')
    .option('--list [what]', 'list the operations, those of a group, or the members of one; sends nothing')
    .option('--show-secrets', 'print what is secret in the answer')
    .option('--yes', 'do not ask before something is deleted, stopped or replaced; needed where nobody can be asked')
    .option('--timeout <seconds>', 'time for the whole request; a database deploys within it', '30')
    .addHelpText(
      'after',
      `
The platform is that of the manifest; without one, that of TRUEUP_URL. The state of Trueup is neither read nor written.
Numbers, true, false, null and JSON are made of name=text where the operation takes them.
Give secrets by file or standard input: a command line is seen by others and kept by the shell.
The answer is JSON in a pipe and with --format json. What is secret in it is hidden, except the key of
user.createApiKey, which the platform shows once; such a key is made with rateLimitEnabled=false unless told otherwise.
${examples(
  'trueup call --list compose',
  'trueup call --list compose.update',
  'trueup call compose.one composeId=cmp_1 | jq .domains',
  'trueup call sshKey.create --input @key.json privateKey=@id_ed25519',
  'trueup call postgres.saveExternalPort postgresId=pg_1 externalPort=null',
  'trueup call compose.stop composeId=cmp_1 --yes',
)}`,
    );
  run(call, async () => (await import('./commands/call.ts')).callCommand(call.args, call.opts()));
}

function addCompletion(program: Command, run: Runner): void {
  const completion = program
    .command('completion')
    .description('print the script that completes trueup in a shell')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
    .addHelpText(
      'after',
      examples(
        'eval "$(trueup completion bash)"        # in ~/.bashrc',
        'source <(trueup completion zsh)         # in ~/.zshrc, after compinit',
        'trueup completion fish | source         # in ~/.config/fish/config.fish',
      ),
    );
  run(completion, async () => (await import('./commands/completion.ts')).completionCommand(completion.args[0] ?? ''));
  const complete = program.command('complete', { hidden: true }).argument('[words...]');
  complete.action(async () => (await import('./commands/completion.ts')).printCandidates(program, complete.args));
}

/** The name with those of the commands above it: `state list`. */
function nameOf(command: Command): string {
  const { parent } = command;
  return parent?.parent ? `${nameOf(parent)} ${command.name()}` : command.name();
}

function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  ${line}\n`).join('')}`;
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
