import type { Command } from 'commander';
import type { Runner } from './shared.ts';
import { examples, hideValues, showValues } from './shared.ts';

/** trueup drift and what follows from it. */
export function addDrift(program: Command, run: Runner): void {
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
  run(drift, async () => (await import('../commands/drift.ts')).driftCommand(drift.opts()));
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
    (await import('../commands/drift-accept.ts')).driftAcceptCommand(accept.args[0] ?? '', accept.opts()),
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
  run(adopt, async () => (await import('../commands/drift-adopt.ts')).driftAdoptCommand(adopt.args, adopt.opts()));
}
