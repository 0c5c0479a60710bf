import type { Command } from 'commander';
import type { Runner } from './shared.ts';
import { alsoNamed, examples } from './shared.ts';

/** Commands for the state. */
export function addState(program: Command, run: Runner): void {
  const state = program
    .command('state')
    .description('show or repair the state')
    .addHelpText('after', examples('trueup state list', 'trueup state show production.compose.shop'));
  const list = state
    .command('list')
    .description('list the resources of the state')
    .addHelpText('after', examples('trueup state list', 'trueup state list --format json'));
  run(list, async () => (await import('../commands/state.ts')).stateListCommand);
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
  run(show, async () => (await import('../commands/state.ts')).stateShowCommand(show.args[0] ?? ''));
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
    return (await import('../commands/state-edit.ts')).stateMoveCommand({ from, to }, move.opts());
  });
  const remove = state
    .command('rm')
    .description('remove resources from the state, each with everything below it; their objects stay on the platform')
    .argument('<address...>', 'addresses in the state')
    .option(...dryRun)
    .option('--yes', 'do not ask; required without a terminal')
    .addHelpText('after', examples('trueup state rm production.compose.shop', 'trueup state rm preview --dry-run'));
  run(remove, async () => (await import('../commands/state-edit.ts')).stateRemoveCommand(remove.args, remove.opts()));
  const unlock = state
    .command('unlock')
    .description('remove the lock of a run that no longer exists')
    .option('--yes', 'do not ask; required without a terminal')
    .addOption(alsoNamed('--auto-approve', 'yes'))
    .addHelpText('after', examples('trueup state unlock', 'trueup state unlock --yes'));
  run(unlock, async () => (await import('../commands/state.ts')).stateUnlockCommand(unlock.opts()));
  const key = state
    .command('key')
    .description('make the key of the state, or name it')
    .option('--print', 'print the key, for TRUEUP_STATE_KEY of a pipeline; do not print it into a log')
    .option('--rotate', 'give the state a new key')
    .option('--migrate', 'accept a state of an earlier version, which has no MAC, and write one')
    .addHelpText('after', examples('trueup state key', 'trueup state key --print', 'trueup state key --migrate'));
  run(key, async () => (await import('../commands/state-key.ts')).stateKeyCommand(key.opts()));
  const acceptOlder = state
    .command('accept-older')
    .description('go on from a state that is older than the one that was saved last')
    .option('--yes', 'do not ask; required without a terminal')
    .addOption(alsoNamed('--auto-approve', 'yes'))
    .addHelpText('after', examples('trueup state accept-older', 'trueup state accept-older --yes'));
  run(acceptOlder, async () => (await import('../commands/state-key.ts')).stateAcceptOlderCommand(acceptOlder.opts()));
  const rebuild = state
    .command('rebuild')
    .description('rebuild a lost state from the platform')
    .option('--yes', 'do not ask; required without a terminal')
    .addOption(alsoNamed('--auto-approve', 'yes'))
    .addHelpText('after', examples('trueup state rebuild', 'trueup state rebuild -C deploy --yes'));
  run(rebuild, async () => (await import('../commands/state-rebuild.ts')).stateRebuildCommand(rebuild.opts()));
}
