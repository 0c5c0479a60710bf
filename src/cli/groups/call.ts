import type { Command } from 'commander';
import type { Runner } from './shared.ts';
import { alsoNamed, examples } from './shared.ts';

/** trueup call. */
export function addCall(program: Command, run: Runner): void {
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
  run(call, async () => (await import('../commands/call.ts')).callCommand(call.args, call.opts()));
}
