import { alternativesOf } from '../../kind/command-call.ts';
import { projectLists } from '../../observe/ownership.ts';
import { createReader } from '../../observe/reader.ts';
import { type ObjectCommand, commandDeadlines, usualCommandSeconds } from '../../operate/object-command.ts';
import { type CommandResult, type Execution, executeCommands } from '../../operate/execute.ts';
import { checkCommand, checkTargets, prepareCommands } from '../../operate/prepare.ts';
import { renderDiagnostics } from '../../render/diagnostics-text.ts';
import { type Exit, exitCodes } from '../../render/exit-codes.ts';
import { type Formats, type View, jsonView, printJson, textView } from '../../render/output-format.ts';
import { printable } from '../../render/printable.ts';
import { type CommandResultsView, commandResultsJson, renderCommandResult } from '../../render/command-views.ts';
import { confirm, placeOf } from '../approval.ts';
import type { FlagsOf, Options } from '../flags.ts';
import { type Run, defineCommand } from '../command.ts';
import { withObjects } from '../named-objects.ts';
import { readSeconds, usage } from '../settle-options.ts';
import { alsoAutoApprove, id } from '../option-sets.ts';
import { remedyFor } from '../other-words.ts';
import { watchSignals } from '../signals.ts';

/** Prints what `run` reports. */
interface RunView extends View {
  /** Prints the result for one object as soon as it is known. */
  readonly result: (result: CommandResult, showsSecrets: boolean) => void;
  readonly results: (view: CommandResultsView, exitCode: number) => void;
}

const formats: Formats<RunView> = {
  text: (screen) => ({
    ...textView(screen),
    result: (result, showsSecrets) => screen.out(renderCommandResult(result, { style: screen.outStyle, showsSecrets })),
    results: ({ results, showsSecrets }) => {
      const diagnostics = results.flatMap((result) => result.diagnostics);
      if (diagnostics.length > 0) screen.err(`\n${renderDiagnostics(diagnostics, screen.errStyle)}`);
      if (!showsSecrets && results.some(({ renewed }) => renewed !== undefined)) {
        screen.err('1 secret redacted; --show-secrets shows it.\n');
      }
    },
  }),
  json: (screen) => ({
    ...jsonView(screen),
    result: () => {},
    results: (view, exitCode) => printJson(screen, commandResultsJson(view, exitCode)),
  }),
};

const options = {
  ...id,
  '--yes': 'do not ask before a service stops or data is lost; required without a terminal',
  ...alsoAutoApprove,
  '--allow-data-loss': 'allow the deletion of data: rebuild empties a database',
  '--no-wait': 'do not wait for the end of a deployment',
  '--timeout <time>': 'time limit of each command; default: 60s, and 30m for deployments, rebuild and backup',
  '--show-secrets': 'print the token that refresh-token creates',
} as const satisfies Options;

type RunFlags = FlagsOf<typeof options>;

/**
 * Runs a command on objects, in the given order. Does not take the lock of the state: the command does not change it,
 * and `kill-build` must work while an apply waits for that build.
 */
export const command = defineCommand({
  arguments: {
    '<command>': 'one of the commands below',
    '<address...>': 'addresses, as in plans; in this order, until one fails',
  },
  options,
  notes: `  start, stop, reload         services
  deploy, redeploy            services; redeploy uses the code or the file that the platform has
  rebuild                     databases, on empty volumes
  recreate                    networks of docker that are gone
  kill-build, clean-queues    compose stacks
  refresh-token               compose stacks
  backup                      backups and volume backups, now
  execute                     schedules, now
  test                        git providers, domains, destinations, registries, servers,
                              notifications
  setup                       servers: installs what services need

Ids come from the state, else from id: in the manifest. All addresses are checked before the first request, and no
request is sent twice. run does not take the lock of the state: kill-build works while an apply waits.`,
  examples: [
    'trueup run redeploy production.compose.shop',
    'trueup run stop production.compose.shop production.postgres.main --yes',
    'trueup run backup production.postgres.main.backups.nightly',
    'trueup run rebuild staging.postgres.main --allow-data-loss',
    'trueup run test ai.helper \'production.compose.shop.domains["shop.example.com"]\'',
  ],
  formats,
  remembers: (kind, [name = '']) => alternativesOf(kind, name).length > 0,
  execute: async (run, view, { args: [name = '', ...addresses], flags }) => {
    const { kinds, redactor } = run.options;
    const meant = remedyFor(name, { name: 'run' });
    if (meant !== undefined) throw usage(`there is no command ${name}`, meant);
    checkCommand(name, kinds);
    if (addresses.length === 0)
      throw usage('an address is missing', 'trueup state list shows the addresses of the state.');
    if (flags.id !== undefined && addresses.length > 1) throw usage('--id takes exactly one address');
    const seconds = flags.timeout === undefined ? undefined : readSeconds('--timeout', flags.timeout, 1, 86_400);
    const named: Parameters<typeof withObjects>[1] = {
      addresses,
      givenId: flags.id,
      purpose: 'run',
      deadlineMs: (objects) => commandDeadlines(objects, name, seconds),
      check: (objects, served, state) => checkTargets(name, objects, { kinds: served, state }),
    };
    return withObjects(run, named, async ({ client, abandon, objects, platform, project }) => {
      const readAt = run.clock.monotonic();
      const foreignNow: Execution['foreignNow'] = async ({ address }) => {
        if (project === undefined) return [];
        const lists = projectLists({ kinds, reader: createReader(client), projectId: project });
        return lists.foreignAmong(objects.filter((object) => object.address === address));
      };
      const preparation = { name, objects, dataLoss: flags.allowDataLoss === true, kinds, project };
      const commands = await prepareCommands(client, redactor.add, preparation);
      const place = placeOf(platform);
      if (!(await hasConsent(run, commands, { place, isGiven: flags.yes === true }))) return 'failed';
      const limits = { flags, seconds: seconds ?? usualCommandSeconds };
      return execute(run, view, { client, abandon, readAt, foreignNow, name, commands, ...limits });
    });
  },
});

async function hasConsent(
  run: Run,
  commands: readonly ObjectCommand[],
  { place, isGiven }: { place: string; isGiven: boolean },
): Promise<boolean> {
  const lines = commands
    .filter(({ consequences }) => consequences.length > 0)
    .map(({ name, address, consequences }) => `${name} ${printable(address)}: ${consequences.join('; ')}`);
  if (lines.length === 0) return true;
  return confirm(run, {
    question: `At ${place}:\n${lines.map((line) => `  ${line}.\n`).join('')}`.trimEnd(),
    about: lines.join(', '),
    isGiven,
  });
}

async function execute(
  run: Run,
  view: RunView,
  about: Pick<Execution, 'client' | 'readAt' | 'foreignNow'> & {
    abandon: () => void;
    name: string;
    commands: readonly ObjectCommand[];
    flags: RunFlags;
    seconds: number;
  },
): Promise<Exit> {
  const { client, readAt, foreignNow, abandon, name, commands, flags, seconds } = about;
  const { terminal } = run;
  const interruption = watchSignals(run, { cleanUp: () => Promise.resolve(), abandon });
  let sent: string | undefined;
  let left = commands.length;
  interruption.startWriting(() => {
    const open = sent === undefined ? '' : `${name} ${printable(sent)} was started, and its outcome is unknown; `;
    const exit = `Exit code ${exitCodes.interrupted.code}.`;
    terminal.err(`Ended at once: ${open}${left} not tried. trueup status shows the services. ${exit}\n`);
  });
  const { signal } = interruption;
  const showsSecrets = flags.showSecrets === true;
  try {
    const results = await executeCommands(commands, {
      client,
      signal,
      readAt,
      foreignNow,
      limitMs: flags.wait !== false ? seconds * 1_000 : undefined,
      onStart: ({ address }) => {
        sent = address;
        left -= 1;
        terminal.err(`${printable(address)}: ${name}…\n`);
      },
      onEnd: (result) => {
        sent = undefined;
        view.result(result, showsSecrets);
      },
    });
    const exit = exitOf(results, signal.aborted);
    view.results({ name, results, counts: client.counts, showsSecrets }, exitCodes[exit].code);
    return exit;
  } finally {
    interruption.ignore();
  }
}

function exitOf(results: readonly CommandResult[], isInterrupted: boolean): Exit {
  if (results.every(({ result }) => result === 'done' || (result === 'ordered' && !isInterrupted))) return 'done';
  return results.some(({ mayHaveActed }) => mayHaveActed) ? 'partly' : 'failed';
}
