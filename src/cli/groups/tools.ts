import type { Command } from 'commander';
import type { Runner } from './shared.ts';
import { examples } from './shared.ts';

/** The emulator, explanations and schemas. */
export function addTools(program: Command, run: Runner): void {
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
  run(emulate, async () => (await import('../commands/emulate.ts')).emulateCommand(emulate.opts()));
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
    (await import('../commands/explain.ts')).explainCommand(explain.args[0] ?? '', explain.opts()),
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
  run(schema, async () => (await import('../commands/schema.ts')).schemaCommand(schema.opts()));
}
