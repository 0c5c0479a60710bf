import type { Command } from 'commander';
import { Option } from 'commander';
import type { Runner } from './shared.ts';
import {
  alsoNamed,
  collect,
  examples,
  exclude,
  fullWithFile,
  hideValues,
  includeAccepted,
  noDeploy,
  replace,
  showValues,
  target,
} from './shared.ts';

/** Commands that change the platform by a plan: apply and destroy. */
export function addChanging(program: Command, run: Runner): void {
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
    .option(...includeAccepted)
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
  run(apply, async () => (await import('../commands/apply.ts')).applyCommand(apply.opts(), apply.args[0]));
  const destroy = program
    .command('destroy')
    .description('delete everything that the state holds')
    .argument('[plan]', 'file from plan --destroy --out: deletes if the plan is still the same')
    .option(...target, collect)
    .option(...exclude, collect)
    .option(...autoApprove)
    .addOption(alsoNamed('--yes', 'autoApprove'))
    .option(...allowDataLoss)
    .option('--allow-mass-delete', 'not needed: destroy deletes any number of objects')
    .option(...fullWithFile)
    .option(...hideValues)
    .option(...showValues)
    .option(...inFlightTimeout)
    .addOption(fence())
    .addHelpText(
      'after',
      examples('trueup destroy', 'trueup destroy plan.trueup', 'trueup destroy --auto-approve --allow-data-loss'),
    );
  run(destroy, async () => (await import('../commands/destroy.ts')).destroyCommand(destroy.opts(), destroy.args[0]));
}
