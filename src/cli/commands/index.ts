import type { Command, Group } from '../command.ts';

/** A command as the help lists it, its summary, and the file that has all else: no option is known before it is loaded. */
type Entry = readonly [usage: string, summary: string, load: () => Promise<{ readonly command: Command | Group }>];

/** All commands, in the order of the help. */
export const commands: readonly Entry[] = [
  ['validate [options]', 'check the manifest; sends nothing', () => import('./validate.ts')],
  [
    'fmt [options] [files...]',
    'format the manifest and the files that it includes; keeps comments, quotes and the order',
    () => import('./fmt.ts'),
  ],
  ['plan [options]', 'show the differences between manifest and platform; changes nothing', () => import('./plan.ts')],
  [
    'show [options] <plan>',
    'print a saved plan as plan printed it; sends nothing, and needs the key of the state only',
    () => import('./show.ts'),
  ],
  [
    'graph [options]',
    'print the resources of the manifest and what each depends on; sends nothing',
    () => import('./graph.ts'),
  ],
  [
    'drift [options]',
    'say what changed on the platform since the last apply; changes nothing there',
    () => import('./drift.ts'),
  ],
  [
    'drift accept [options] <address>',
    'accept what drifted at an address until a day; changes nothing on the platform',
    () => import('./drift-accept.ts'),
  ],
  [
    'drift adopt [options] [address...]',
    'write what the platform has into the YAML files; changes nothing on the platform',
    () => import('./drift-adopt.ts'),
  ],
  ['apply [options] [plan]', 'change the platform to match the manifest', () => import('./apply.ts')],
  ['destroy [options] [plan]', 'delete everything that the state holds', () => import('./destroy.ts')],
  [
    'promote [options] <file> <to-file> [variables...]',
    'copy values of variables from one root file to another, and plan that; changes nothing on the platform',
    () => import('./promote.ts'),
  ],
  [
    'init [options]',
    'set up a folder for a project: asks, writes the manifest, and exports what is there',
    () => import('./init.ts'),
  ],
  [
    'export [options]',
    'write what the platform has as a manifest; changes nothing on the platform',
    () => import('./export.ts'),
  ],
  ['import <address> <id>', 'adopt an existing object at an address', () => import('./import.ts')],
  ['state', 'show or repair the state', () => import('./state.ts')],
  ['state list', 'list the resources of the state', () => import('./state-list.ts')],
  ['state show <address>', 'show one resource of the state, without secrets', () => import('./state-show.ts')],
  [
    'state mv [options] <address> <to>',
    'give a resource of the state another address, with everything below it; sends nothing',
    () => import('./state-mv.ts'),
  ],
  [
    'state move <file> <to-file>',
    'give a renamed root file the state of its former name; sends nothing',
    () => import('./state-move.ts'),
  ],
  [
    'state rm [options] <address...>',
    'remove resources from the state, each with everything below it; their objects stay on the platform',
    () => import('./state-rm.ts'),
  ],
  ['state unlock [options]', 'remove the lock of a run that no longer exists', () => import('./state-unlock.ts')],
  ['state key [options]', 'make the key of the state, or name it', () => import('./state-key.ts')],
  [
    'state accept-older [options]',
    'go on from a state that is older than the one that was saved last',
    () => import('./state-accept-older.ts'),
  ],
  ['state rebuild [options]', 'rebuild a lost state from the platform', () => import('./state-rebuild.ts')],
  ['preview', 'list and remove the previews of a root file', () => import('./preview.ts')],
  ['preview list', 'list the previews of a root file; changes nothing', () => import('./preview-list.ts')],
  [
    'preview prune [options]',
    'remove previews that are closed or over, with all that they created',
    () => import('./preview-prune.ts'),
  ],
  ['secret', 'set, list and rotate the values of sealed files', () => import('./secret.ts')],
  [
    'secret list',
    'list the secrets by name, what uses them, and those that are missing',
    () => import('./secret-list.ts'),
  ],
  [
    'secret set [options] <name>',
    'seal a value from standard input, a file or a question',
    () => import('./secret-set.ts'),
  ],
  ['secret generate', 'make the secrets under generated: that are missing', () => import('./secret-generate.ts')],
  ['secret rotate <name...>', 'make new values of generated secrets', () => import('./secret-rotate.ts')],
  ['secret recipients', 'seal all values for the recipients of the manifest', () => import('./secret-recipients.ts')],
  [
    'run [options] <command> <address...>',
    'run a command on services, backups, domains or what the organization has',
    () => import('./run.ts'),
  ],
  [
    'status [options] [address...]',
    'show the status and the last deployment of services; changes nothing',
    () => import('./status.ts'),
  ],
  [
    'doctor',
    'check address, API key, rights, version and capabilities of the platform, clock and state',
    () => import('./doctor.ts'),
  ],
  [
    'logs [options] <address>',
    'print the log of a service or of its last deployment, where the platform serves it',
    () => import('./logs.ts'),
  ],
  ['output [options] [output]', 'print the outputs of the manifest; changes nothing', () => import('./output.ts')],
  [
    'eval [options] <expression>',
    'print the value of an expression, or of a path of the manifest, as JSON; changes nothing',
    () => import('./eval.ts'),
  ],
  ['call [options] [operation] [members...]', "call one operation of the platform's API", () => import('./call.ts')],
  ['emulate [options]', 'serve the emulator over HTTP until interrupted', () => import('./emulate.ts')],
  ['controller', 'keep many platforms in step with many repositories, on PostgreSQL', () => import('./controller.ts')],
  [
    'controller serve [options]',
    'serve the page and the API of the controller, until a signal',
    () => import('./controller-serve.ts'),
  ],
  [
    'controller work [options]',
    'poll repositories, plan, apply what the policy allows, and look for drift, until a signal',
    () => import('./controller-work.ts'),
  ],
  [
    'controller enrol [options]',
    'register a platform, a repository or both, or change them, after checking that both can be reached',
    () => import('./controller-enrol.ts'),
  ],
  [
    'controller remove [options]',
    'forget a repository with its stacks, or a platform; changes nothing on platforms',
    () => import('./controller-remove.ts'),
  ],
  [
    'controller doctor [options]',
    'check database, tables, key, files, platforms, repositories, polls and queue; changes nothing',
    () => import('./controller-doctor.ts'),
  ],
  [
    'controller demo [options]',
    'show the controller over ten emulated platforms, until a signal; needs PostgreSQL',
    () => import('./controller-demo.ts'),
  ],
  [
    'controller migrate',
    'make the tables of the controller, or bring them up to date',
    () => import('./controller-migrate.ts'),
  ],
  ['controller key', 'print a new key for the states of a controller', () => import('./controller-key.ts')],
  [
    'explain [options] <code-or-address>',
    'explain the code of an error, warning or note; or an address: its line, what changes and why',
    () => import('./explain.ts'),
  ],
  ['schema [options]', 'print the JSON Schema of manifests, for editors', () => import('./schema.ts')],
  ['completion <shell>', 'print the completion script of a shell', () => import('./completion.ts')],
];

/** The words of a usage that name the command: `state mv`. */
export function nameIn(usage: string): string {
  return usage.replace(/ [[<].*/, '');
}
