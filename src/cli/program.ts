import { Argument, Command, Option } from 'commander';
import type { Command as Action } from './command.ts';
import { setLoader } from './command.ts';
import { usage } from '../diagnostics/usage.ts';
import { addressParts } from '../kind/address.ts';
import { describeExitCodes } from '../render/exit-codes.ts';
import { printed } from '../render/printable.ts';
import { shellWord } from '../render/shell-word.ts';
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
      'format of stdout: text, json; of some commands also html, markdown, sarif or junit',
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
  TRUEUP_FILE_ALLOW     files that git does not track and a run may read where CI is set, such as build/*.yml
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
  addState(program, run);
  addServices(program, run);
  addOutput(program, run);
  addCall(program, run);
  addTools(program, run);
  addCompletion(program, run, process);
  return program;
}

type Runner = (command: Command, load: () => Promise<Action>) => void;

function addPlanning(program: Command, run: Runner): void {
  const validate = program
    .command('validate')
    .description('check the manifest; sends nothing')
    .option('--full', 'show each error, also when there are more than 50')
    .addHelpText(
      'after',
      examples(
        'trueup validate',
        'trueup validate --full',
        'trueup validate -C deploy --format json',
        'trueup validate --format sarif > trueup.sarif',
      ),
    );
  run(validate, async () => (await import('./commands/validate.ts')).validateCommand);
  const fmt = program
    .command('fmt')
    .description('format the manifest and the files that it includes; keeps comments, quotes and the order')
    .argument('[files...]', 'only these files, each below the folder of the manifest')
    .option('--check', 'write nothing; list the files that are not formatted, and exit with 1 if there are any')
    .option('--diff', 'write nothing; show what would change')
    .addHelpText(
      'after',
      examples('trueup fmt', 'trueup fmt --check --diff', 'trueup fmt environments/production.yaml'),
    );
  run(fmt, async () => (await import('./commands/fmt.ts')).fmtCommand(fmt.args, fmt.opts()));
  const plan = program
    .command('plan')
    .description('show the differences between manifest and platform; changes nothing')
    .option('--detailed-exitcode', 'exit with 2 when there are changes')
    .option(...noDeploy)
    .option('--destroy', 'plan what trueup destroy would do')
    .option(...target, collect)
    .option(...exclude, collect)
    .option(...replace, collect)
    .option(...full)
    .option(...hideValues)
    .option(...showValues)
    .option(
      '--out <file>',
      'save the plan for a review and for trueup apply; the file has digests, and what it prints is encrypted',
    )
    .addHelpText(
      'after',
      examples(
        'trueup plan',
        'trueup plan --full',
        'trueup plan --hide-values',
        'trueup plan --detailed-exitcode',
        'trueup plan --format json | jq .summary',
        'trueup plan --format markdown > comment.md',
        'trueup plan --format html > plan.html',
        'trueup plan --format markdown --link-base https://git.example.com/shop/infra/src/commit/0d5c7e0f6a1b',
        'trueup plan --out plan.trueup',
        "trueup plan --target 'production.compose.*' --exclude production.compose.shop",
      ),
    );
  run(plan, async () => (await import('./commands/plan.ts')).planCommand(plan.opts()));
  const show = program
    .command('show')
    .description('print a saved plan as plan printed it; sends nothing, and needs the key of the state only')
    .argument('<plan>', 'file from plan --out')
    .option(...full)
    .addHelpText('after', examples('trueup show plan.trueup', 'trueup show plan.trueup --format markdown'));
  run(show, async () => (await import('./commands/show.ts')).showCommand(show.args[0] ?? '', show.opts()));
  const graph = program
    .command('graph')
    .description('print the resources of the manifest and what each depends on; sends nothing')
    .option(...target, collect)
    .addHelpText(
      'after',
      examples(
        'trueup graph',
        'trueup graph --format svg > graph.svg',
        'trueup graph --target production.compose.shop --format dot | dot -Tpng > shop.png',
      ),
    );
  run(graph, async () => (await import('./commands/graph.ts')).graphCommand(graph.opts()));
}

function addDrift(program: Command, run: Runner): void {
  const drift = program
    .command('drift')
    .description('say what changed on the platform since the last apply; changes nothing there')
    .option('--no-remember', 'do not write the memory, drift.yaml')
    .option('--notify', 'send a message to every receiver of drift.notify, also when nothing is new')
    .option('--no-notify', 'send no message; the default with --no-remember')
    .option('--full', 'list also what is ignored, and all lines of long texts and lists')
    .option(...hideValues)
    .option(...showValues)
    .addHelpText(
      'after',
      `
Sends the platform GETs only: a key that may only read is enough, and no secret has to be at hand. drift.yaml beside the
manifest remembers what was found, so that the exit code is 2 for new drift, and 8 for drift that is known or accepted.
${examples(
  'trueup drift',
  'trueup drift --no-remember --format json | jq .summary',
  'trueup drift --notify --no-remember',
  'trueup drift --format markdown > drift.md',
  "trueup drift accept production.compose.shop --field env.REGION --until 2027-01-31 --because 'vendor moves us'",
)}`,
    );
  run(drift, async () => (await import('./commands/drift.ts')).driftCommand(drift.opts()));
  const accept = drift
    .command('accept')
    .description('accept what drifted at an address until a day; changes nothing on the platform')
    .argument('<address>', 'address, as trueup drift prints it, or the id of an object without one')
    .option('--field <path>', 'only this field, such as env.REGION')
    .option('--until <day>', 'last day on which it may stay, such as 2027-01-31; required')
    .option('--because <text>', 'the reason; required')
    .option('--by <name>', 'who accepts it; default: user.name of git')
    .addHelpText(
      'after',
      examples(
        "trueup drift accept production.compose.shop --until 2027-01-31 --because 'vendor moves us'",
        "trueup drift accept production.redis.cache --field dockerImage --until 2027-01-31 --because 'hot fix' --by ops",
      ),
    );
  run(accept, async () =>
    (await import('./commands/drift-accept.ts')).driftAcceptCommand(accept.args[0] ?? '', accept.opts()),
  );
  const adopt = drift
    .command('adopt')
    .description('write what the platform has into the YAML files; changes nothing on the platform')
    .argument('[address...]', 'addresses, as trueup drift prints them; the block of a missing object is removed')
    .option('--field <path>', 'only this field, such as env.REGION')
    .option('--all', 'every drifted field that was not accepted, instead of addresses')
    .option('--dry-run', 'show what would change, and write nothing')
    .addHelpText(
      'after',
      `
Only the values change: comments, order, quotes, anchors and line breaks stay. A secret is never written.
${examples(
  'trueup drift adopt production.compose.shop --field env.REGION',
  'trueup drift adopt production.compose.shop production.redis.cache',
  'trueup drift adopt --all --dry-run',
)}`,
    );
  run(adopt, async () => (await import('./commands/drift-adopt.ts')).driftAdoptCommand(adopt.args, adopt.opts()));
}

/** The option for plans in which nothing is cut short. */
const full = ['--full', 'show all lines of long texts and lists, and each of many equal changes'] as const;

/** The same where a plan file can be given. */
const fullWithFile = [
  full[0],
  `${full[1]}; with a plan file: read everything, not only what the plan touches`,
] as const;

/** The options for a part of a plan. */
const target = [
  '--target <address>',
  'only this, what is below it and what it needs; * stands for any text; repeatable',
] as const;
const exclude = ['--exclude <address>', 'without this, what is below it and what needs it; repeatable'] as const;
const replace = ['--replace <address>', 'delete this object and create it again; repeatable'] as const;

/** The options for the values that a plan shows. */
const hideValues = ['--hide-values', 'show no value of env, compose files and other texts'] as const;
const showValues = [
  '--show-values',
  'on a terminal: show also what the platform has under keys that are not declared',
] as const;

/** The option for plans without deployments. */
const noDeploy = ['--no-deploy', 'do not deploy'] as const;

function addChanging(program: Command, run: Runner): void {
  const autoApprove = ['--auto-approve', 'do not ask; required without a terminal; also --yes'] as const;
  const allowDataLoss = ['--allow-data-loss', 'allow changes that put data at risk'] as const;
  const inFlightTimeout = [
    '--in-flight-timeout <time>',
    'in-flight timeout: how long an unanswered request may take to reach the platform; default: 60s',
  ] as const;
  /** The earlier name of `--in-flight-timeout`. */
  const fence = (): Option => new Option('--fence <time>').hideHelp();
  const apply = program
    .command('apply')
    .description('change the platform to match the manifest')
    .argument('[plan]', 'file from plan --out: applied without a question if the plan is still the same')
    .option(...target, collect)
    .option(...exclude, collect)
    .option(...replace, collect)
    .option(...autoApprove)
    .addOption(alsoNamed('--yes', 'autoApprove'))
    .option('--adopt', 'take over objects that exist already')
    .option(...allowDataLoss)
    .option('--allow-mass-delete', 'allow to delete more than 10 of a kind, or 30 % of at least 10')
    .option('--allow-mass-recreate', 'allow to create again everything, or that much of a kind, that is gone')
    .option(...noDeploy)
    .option(...fullWithFile)
    .option(...hideValues)
    .option(...showValues)
    .option(...inFlightTimeout)
    .addOption(fence())
    .option('--no-wait', 'start deployments and do not wait for their end')
    .option('--deploy-timeout <[kind=]time>', 'time limit of a deployment: 15m, 900; default: 15m; repeatable', collect)
    .addHelpText(
      'after',
      examples(
        'trueup apply',
        'trueup apply --auto-approve --adopt',
        'trueup apply plan.trueup --format html > apply.html',
        'trueup apply plan.trueup',
        'trueup apply --full plan.trueup',
        'trueup apply --target production.compose.shop',
        'trueup apply --replace production.redis.cache --allow-data-loss',
        'trueup apply --auto-approve --deploy-timeout 10m --deploy-timeout application=30m',
      ),
    );
  run(apply, async () => (await import('./commands/apply.ts')).applyCommand(apply.opts(), apply.args[0]));
  const destroy = program
    .command('destroy')
    .description('delete everything that the state holds')
    .argument('[plan]', 'file from plan --destroy --out: deletes if the plan is still the same')
    .option(...target, collect)
    .option(...exclude, collect)
    .option(...autoApprove)
    .addOption(alsoNamed('--yes', 'autoApprove'))
    .option(...allowDataLoss)
    .option(...fullWithFile)
    .option(...hideValues)
    .option(...showValues)
    .option(...inFlightTimeout)
    .addOption(fence())
    .addHelpText(
      'after',
      examples('trueup destroy', 'trueup destroy plan.trueup', 'trueup destroy --auto-approve --allow-data-loss'),
    );
  run(destroy, async () => (await import('./commands/destroy.ts')).destroyCommand(destroy.opts(), destroy.args[0]));
  const init = program
    .command('init')
    .description('set up a folder for a project: asks, writes the manifest, and exports what is there')
    .option('--url <url>', 'address of the platform')
    .option('--project <id>', 'id or name of the project')
    .option('--no-export', 'write a manifest without resources')
    .option(
      '--with-secrets <file>',
      'write the values of the secrets too: an env file that only you can read, or *.age',
    )
    .option('--age-recipient <recipient>', 'encrypt the values for it, as age1…; repeatable', collect)
    .option('--yes', 'ask nothing')
    .addHelpText(
      'after',
      examples('trueup init', 'trueup init --url https://deploy.example.com --project prj_1 --yes'),
    );
  run(init, async () => (await import('./commands/init.ts')).initCommand(init.opts()));
  const exportProject = program
    .command('export')
    .description('write what the platform has as a manifest; changes nothing on the platform')
    .option('--out <dir>', 'folder of the new manifest (default: the current one)')
    .option('--url <url>', 'address of the platform, where no manifest and no TRUEUP_URL names it')
    .option('--project <id>', 'id or name of the project, where no manifest names it')
    .option('--unmanaged', 'beside a manifest that is there: add what it does not manage, and leave the rest as it is')
    .option('--address <address>', 'add one object, with all below it, to the manifest that is there')
    .option(
      '--with-secrets <file>',
      'write the values of the secrets too: an env file that only you can read, or *.age',
    )
    .option('--age-recipient <recipient>', 'encrypt the values for it, as age1…; repeatable', collect)
    .option('--from-terraform <file>', 'name blocks like the addresses of a Terraform state, and say what differs')
    .option('--force', 'replace files that are there')
    .addHelpText(
      'after',
      examples(
        'trueup export --url https://deploy.example.com --project prj_1',
        'trueup export --from-terraform terraform.tfstate',
        'trueup export --out infra --with-secrets infra/secrets.env',
        'trueup export --unmanaged',
        'trueup export --address production.compose.shop',
        'trueup export --with-secrets secrets.env.age --age-recipient age1…',
      ),
    );
  run(exportProject, async () => (await import('./commands/export.ts')).exportCommand(exportProject.opts()));
  const importObject = program
    .command('import')
    .description('adopt an existing object at an address')
    .argument('<address>', 'address of the resource, as in plans')
    .argument('<id>', 'id of the object; write -- before one that begins with a hyphen')
    .addHelpText(
      'after',
      examples(
        'trueup import production.postgres.main pg_123',
        'trueup import \'production.compose.shop.domains["shop.example.com"]\' dom_7',
        'trueup import -- production.redis.cache -x8Kd_1',
      ),
    );
  run(importObject, async () => {
    const [address = '', id = ''] = importObject.args;
    return (await import('./commands/import.ts')).importCommand({ address, id });
  });
}

function addState(program: Command, run: Runner): void {
  const state = program
    .command('state')
    .description('show or repair the state')
    .addHelpText('after', examples('trueup state list', 'trueup state show production.compose.shop'));
  const list = state
    .command('list')
    .description('list the resources of the state')
    .addHelpText('after', examples('trueup state list', 'trueup state list --format json'));
  run(list, async () => (await import('./commands/state.ts')).stateListCommand);
  const show = state
    .command('show')
    .description('show one resource of the state, without secrets')
    .argument('<address>', 'address of the resource, as in plans')
    .addHelpText(
      'after',
      examples(
        'trueup state show production.compose.shop',
        'trueup state show \'production.compose.shop.domains["shop.example.com"]\'',
      ),
    );
  run(show, async () => (await import('./commands/state.ts')).stateShowCommand(show.args[0] ?? ''));
  const dryRun = ['--dry-run', 'say what would be done, and write nothing'] as const;
  const move = state
    .command('mv')
    .description('give a resource of the state another address, with everything below it; sends nothing')
    .argument('<address>', 'its address in the state')
    .argument('<to>', 'its new address; the state has nothing there')
    .option(...dryRun)
    .addHelpText('after', examples('trueup state mv production.redis.old production.redis.new'));
  run(move, async () => {
    const [from = '', to = ''] = move.args;
    return (await import('./commands/state-edit.ts')).stateMoveCommand({ from, to }, move.opts());
  });
  const remove = state
    .command('rm')
    .description('remove resources from the state, each with everything below it; their objects stay on the platform')
    .argument('<address...>', 'addresses in the state')
    .option(...dryRun)
    .option('--yes', 'do not ask; required without a terminal')
    .addHelpText('after', examples('trueup state rm production.compose.shop', 'trueup state rm preview --dry-run'));
  run(remove, async () => (await import('./commands/state-edit.ts')).stateRemoveCommand(remove.args, remove.opts()));
  const unlock = state
    .command('unlock')
    .description('remove the lock of a run that no longer exists')
    .option('--yes', 'do not ask; required without a terminal')
    .addOption(alsoNamed('--auto-approve', 'yes'))
    .addHelpText('after', examples('trueup state unlock', 'trueup state unlock --yes'));
  run(unlock, async () => (await import('./commands/state.ts')).stateUnlockCommand(unlock.opts()));
  const key = state
    .command('key')
    .description('make the key of the state, or name it')
    .option('--print', 'print the key, for TRUEUP_STATE_KEY of a pipeline; do not print it into a log')
    .option('--rotate', 'give the state a new key')
    .option('--migrate', 'accept a state of an earlier version, which has no MAC, and write one')
    .addHelpText('after', examples('trueup state key', 'trueup state key --print', 'trueup state key --migrate'));
  run(key, async () => (await import('./commands/state-key.ts')).stateKeyCommand(key.opts()));
  const acceptOlder = state
    .command('accept-older')
    .description('go on from a state that is older than the one that was saved last')
    .option('--yes', 'do not ask; required without a terminal')
    .addOption(alsoNamed('--auto-approve', 'yes'))
    .addHelpText('after', examples('trueup state accept-older', 'trueup state accept-older --yes'));
  run(acceptOlder, async () => (await import('./commands/state-key.ts')).stateAcceptOlderCommand(acceptOlder.opts()));
  const rebuild = state
    .command('rebuild')
    .description('rebuild a lost state from the platform')
    .option('--yes', 'do not ask; required without a terminal')
    .addOption(alsoNamed('--auto-approve', 'yes'))
    .addHelpText('after', examples('trueup state rebuild', 'trueup state rebuild -C deploy --yes'));
  run(rebuild, async () => (await import('./commands/state-rebuild.ts')).stateRebuildCommand(rebuild.opts()));
}

function addServices(program: Command, run: Runner): void {
  const id = ['--id <id>', 'id of the object, if the state does not have it'] as const;
  const command = program
    .command('run')
    .description('run a command on services, backups, domains or what the organization has')
    .argument('<command>', 'one of the commands below')
    .argument('<address...>', 'addresses, as in plans; in this order, until one fails')
    .option(...id)
    .option('--yes', 'do not ask before a service stops or data is lost; required without a terminal')
    .addOption(alsoNamed('--auto-approve', 'yes'))
    .option('--allow-data-loss', 'allow the deletion of data: rebuild empties a database')
    .option('--no-wait', 'do not wait for the end of a deployment')
    .option('--timeout <time>', 'time limit of each command; default: 60s, and 30m for deployments, rebuild and backup')
    .option('--show-secrets', 'print the token that refresh-token creates')
    .addHelpText(
      'after',
      `
  start, stop, reload         services
  deploy, redeploy            services; redeploy uses the code or the file that the platform has
  rebuild                     databases, on empty volumes
  kill-build, clean-queues    compose stacks
  refresh-token               compose stacks
  backup                      backups and volume backups, now
  execute                     schedules, now
  test                        git providers, domains, destinations, registries, servers,
                              notifications
  setup                       servers: installs what services need

Ids come from the state, else from id: in the manifest. All addresses are checked before the first request, and no
request is sent twice. run does not take the lock of the state: kill-build works while an apply waits.
${examples(
  'trueup run redeploy production.compose.shop',
  'trueup run stop production.compose.shop production.postgres.main --yes',
  'trueup run backup production.postgres.main.backups.nightly',
  'trueup run rebuild staging.postgres.main --allow-data-loss',
  'trueup run test ai.helper \'production.compose.shop.domains["shop.example.com"]\'',
)}`,
    );
  run(command, async () => (await import('./commands/run.ts')).executeCommand(command.args, command.opts()));
  const status = program
    .command('status')
    .description('show the status and the last deployment of services; changes nothing')
    .argument('[address...]', 'services, or environments; default: all services of the state')
    .option('--watch', 'repeat until interrupted; in a pipe, print a line for each change')
    .option('--interval <time>', 'time between two reads with --watch', '2s')
    .addHelpText(
      'after',
      examples(
        'trueup status',
        'trueup status production --watch',
        'trueup status --format json | jq \'.services[] | select(.status == "error")\'',
      ),
    );
  run(status, async () => (await import('./commands/status.ts')).statusCommand(status.args, status.opts()));
  const doctor = program
    .command('doctor')
    .description('check address, API key, rights, version and capabilities of the platform, clock and state')
    .addHelpText(
      'after',
      examples(
        'trueup doctor',
        'TRUEUP_URL=https://deploy.example.com trueup doctor',
        'trueup doctor --format json | jq \'.checks[] | select(.is != "good")\'',
      ),
    );
  run(doctor, async () => (await import('./commands/doctor.ts')).doctorCommand);
  const logs = program
    .command('logs')
    .description('print the log of a service or of its last deployment, where the platform serves it')
    .argument('<address>', 'address of the resource, as in plans')
    .option(...id)
    .option('--tail <n>', 'last lines only: 1 to 10000; default: 100')
    .option('--since <time>', 'newer lines only: 30s, 15m, 1h30m, or all')
    .option('--search <text>', 'lines with this text only: letters, digits, space, ".", "_", "-"')
    .option('--deployment [id]', 'log of its last deployment, or of the one with this id', deploymentId)
    .option('--show-secrets', 'do not redact the secrets of the service')
    .option('--raw', 'print the log unchanged, also characters that a terminal obeys')
    .addHelpText(
      'after',
      examples(
        'trueup logs production.postgres.main',
        'trueup logs production.postgres.main --tail 20 --since 1h',
        'trueup logs production.compose.shop --deployment',
      ),
    );
  run(logs, async () => (await import('./commands/logs.ts')).logsCommand(logs.args[0] ?? '', logs.opts()));
}

function addOutput(program: Command, run: Runner): void {
  const output = program
    .command('output')
    .description('print the outputs of the manifest; changes nothing')
    .argument('[output]', 'name of one output: print only its value')
    .option('--show-secrets', 'print values that contain a secret')
    .option('--raw', 'print the value unchanged, also characters that a terminal obeys')
    .addHelpText(
      'after',
      `
In the manifest:
  outputs:
    db_host: \${ref:production.postgres.main.host}
${examples('trueup output', 'psql -h "$(trueup output db_host)"', 'trueup output --format json | jq .outputs')}`,
    );
  run(output, async () => (await import('./commands/output.ts')).outputCommand(output.args[0], output.opts()));
  const evaluation = program
    .command('eval')
    .description('print the value of an expression, or of a path of the manifest, as JSON; changes nothing')
    .argument(
      '<expression>',
      "a text with expressions, such as '${var:tag}', or a path: production.compose.shop.env.TAG",
    )
    .option('--in <address>', 'evaluate the expression as a field of the resource at this address')
    .option('--show-secrets', 'print values that contain a secret')
    .addHelpText(
      'after',
      `
Only \${ref:…} may send requests: ids are read from the state, and all else with GETs. stderr says which.
${examples(
  "trueup eval '${var:tag}' --var tag=2025.11.3",
  "trueup eval 'http://${ref:production.postgres.main.host}:5432'",
  "trueup eval '${ref:postgres.main.host}' --in production.compose.shop",
  'trueup eval production.compose.shop.env.TAG',
  'trueup eval production.compose.shop --format json | jq .value.env',
)}`,
    );
  run(evaluation, async () =>
    (await import('./commands/eval.ts')).evalCommand(evaluation.args[0] ?? '', evaluation.opts()),
  );
}

function addTools(program: Command, run: Runner): void {
  const emulate = program
    .command('emulate')
    .description('serve the emulator over HTTP until interrupted')
    .option('--port <n>', 'port to listen on; 0 takes a free one', '4050')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--data <file>', 'file that stores the emulated platform; default: none, it ends with the process')
    .option('--latency <time>', 'delay of each answer, in ms or as in 2s', '0')
    .option('--deploy-time <time>', 'duration of a deployment, in ms or as in 2s', '0')
    .option(
      '--documented-only',
      'serve only the operations of the API document: none creates a project or connects a provider',
    )
    .option('--profile <name>', 'names that the API uses: standard or dokploy', 'standard')
    .option('--strict', 'refuse members that the API document does not have; the real platform ignores them')
    .option('--faults <file>', 'YAML file of the requests that go wrong, when, and how; stderr reports each')
    .addHelpText(
      'after',
      `
A file of faults, as docs/faults.md explains:
  faults:
    - { on: "*.create", at: 1, after: drop }   # executed, but the connection ends before the answer
    - { on: GET, chance: 30%, before: { answer: 503 } }
${examples(
  'trueup emulate',
  'trueup emulate --data world.json',
  'trueup emulate --port 0 --documented-only',
  'trueup emulate --profile dokploy',
  'trueup emulate --faults faults.yaml',
)}`,
    );
  run(emulate, async () => (await import('./commands/emulate.ts')).emulateCommand(emulate.opts()));
  const explain = program
    .command('explain')
    .description('explain the code of an error, warning or note; or an address: its line, what changes and why')
    .argument('<code-or-address>', 'the code in brackets, such as unknown-key; or an address, also of a field')
    .option('--offline', 'of an address: make no plan, and send nothing')
    .addHelpText(
      'after',
      `
Of an address it prints the file and the line, the commit that changed the line last, what it needs and what needs it, and
what the next plan does there: each change with its cause, and the requests that apply would send. It sends GETs only.
${examples(
  'trueup explain unknown-key',
  "trueup explain 'error[data-at-risk]'",
  'trueup explain production.compose.shop',
  'trueup explain production.compose.shop.env.TAG --format json',
  'trueup explain production.postgres.main --offline',
)}`,
    );
  run(explain, async () =>
    (await import('./commands/explain.ts')).explainCommand(explain.args[0] ?? '', explain.opts()),
  );
  const schema = program
    .command('schema')
    .description('print the JSON Schema of manifests, for editors')
    .option('--openapi', 'print the API of the platform as OpenAPI 3.1 instead')
    .addHelpText(
      'after',
      `${examples('trueup schema > trueup.schema.json', 'trueup schema --openapi > openapi.json')}
In the first line of a manifest:
  # yaml-language-server: $schema=trueup.schema.json
Where the package is installed beside the manifest:
  # yaml-language-server: $schema=node_modules/trueup/schema/trueup.schema.json`,
    );
  run(schema, async () => (await import('./commands/schema.ts')).schemaCommand(schema.opts()));
}

function addCall(program: Command, run: Runner): void {
  const call = program
    .command('call')
    .description("call one operation of the platform's API")
    .argument('[operation]', 'such as compose.one')
    .argument('[members...]', 'input: name=text, name:=JSON, name=@file, name=@- for standard input')
    .option('--input <json>', 'input as a JSON object, or @file, or - for standard input')
    .option('--list [what]', 'list the operations, those of a group, or the members of one; sends nothing')
    .option('--show-secrets', 'print the secrets in the answer')
    .option('--raw', 'print the answer unchanged, also characters that a terminal obeys')
    .option('--yes', 'do not ask before a deletion, stop or replacement; required without a terminal')
    .addOption(alsoNamed('--auto-approve', 'yes'))
    .option('--timeout <time>', 'time limit of the request, including the deployment of a database', '30s')
    .addHelpText(
      'after',
      `
call uses the platform of the manifest, else that of TRUEUP_URL. It neither reads nor writes the state of Trueup.
name=text becomes a number, true, false, null or JSON where the operation takes one.
Pass secrets by file or standard input: other processes see a command line, and the shell keeps it.
The answer is JSON in a pipe and with --format json. Its secrets are redacted, except the key of user.createApiKey,
which the platform shows once; call creates such a key with rateLimitEnabled=false unless you set it.
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

function addCompletion(program: Command, run: Runner, process: Process): void {
  const completion = program
    .command('completion')
    .description('print the completion script of a shell')
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
  complete.action(async () =>
    (await import('./commands/completion.ts')).printCandidates(program, complete.args, process),
  );
}

/** The full name of a command: `state list`. */
export function nameOf(command: Command): string {
  const { parent } = command;
  return parent?.parent ? `${nameOf(parent)} ${command.name()}` : command.name();
}

/** An option that means another one, which help shows. */
function alsoNamed(flag: string, attribute: 'yes' | 'autoApprove'): Option {
  return new Option(flag).implies({ [attribute]: true }).hideHelp();
}

function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  ${line}\n`).join('')}`;
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/**
 * The id of a deployment.
 *
 * @throws {Stop} `usage`, for an address: an option with a value takes the address that stands behind it.
 */
function deploymentId(value: string): string {
  if ((addressParts(value)?.length ?? 0) < 2) return value;
  const remedy = `Write the address first: trueup logs ${shellWord(value)} --deployment`;
  throw usage(`--deployment takes the id of a deployment, got the address ${value}`, remedy);
}
