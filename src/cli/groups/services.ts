import type { Command } from 'commander';
import { usage } from '../../diagnostics/usage.ts';
import { addressParts } from '../../kind/address.ts';
import { shellWord } from '../../diagnostics/shell-word.ts';
import type { Runner } from './shared.ts';
import { alsoNamed, examples } from './shared.ts';

/** Commands for what runs: run, status, doctor, logs. */
export function addServices(program: Command, run: Runner): void {
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
  run(command, async () => (await import('../commands/run.ts')).executeCommand(command.args, command.opts()));
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
  run(status, async () => (await import('../commands/status.ts')).statusCommand(status.args, status.opts()));
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
  run(doctor, async () => (await import('../commands/doctor.ts')).doctorCommand);
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
  run(logs, async () => (await import('../commands/logs.ts')).logsCommand(logs.args[0] ?? '', logs.opts()));
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
