import type { Command } from 'commander';
import type { Runner } from './shared.ts';
import {
  collect,
  examples,
  exclude,
  full,
  hideValues,
  includeAccepted,
  noDeploy,
  replace,
  showValues,
  target,
} from './shared.ts';

/** Commands for the manifest and its plan: validate, fmt, plan, show, graph. */
export function addPlanning(program: Command, run: Runner): void {
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
  run(validate, async () => (await import('../commands/validate.ts')).validateCommand);
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
  run(fmt, async () => (await import('../commands/fmt.ts')).fmtCommand(fmt.args, fmt.opts()));
  const plan = program
    .command('plan')
    .description('show the differences between manifest and platform; changes nothing')
    .option('--detailed-exitcode', 'exit with 2 when there are changes')
    .option(...noDeploy)
    .option('--destroy', 'plan what trueup destroy would do')
    .option(...target, collect)
    .option(...exclude, collect)
    .option(...replace, collect)
    .option(...includeAccepted)
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
  run(plan, async () => (await import('../commands/plan.ts')).planCommand(plan.opts()));
  const show = program
    .command('show')
    .description('print a saved plan as plan printed it; sends nothing, and needs the key of the state only')
    .argument('<plan>', 'file from plan --out')
    .option(...full)
    .addHelpText('after', examples('trueup show plan.trueup', 'trueup show plan.trueup --format markdown'));
  run(show, async () => (await import('../commands/show.ts')).showCommand(show.args[0] ?? '', show.opts()));
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
  run(graph, async () => (await import('../commands/graph.ts')).graphCommand(graph.opts()));
}
