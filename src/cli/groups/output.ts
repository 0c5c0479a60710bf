import type { Command } from 'commander';
import type { Runner } from './shared.ts';
import { examples } from './shared.ts';

/** Commands that print values of the manifest: output and eval. */
export function addOutput(program: Command, run: Runner): void {
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
  run(output, async () => (await import('../commands/output.ts')).outputCommand(output.args[0], output.opts()));
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
    (await import('../commands/eval.ts')).evalCommand(evaluation.args[0] ?? '', evaluation.opts()),
  );
}
