import { resolve } from 'node:path';
import { type Run, defineCommand } from '../command.ts';
import { gitOptions, processFormats, processOf, processOptions, withController } from '../controller.ts';
import type { FlagsOf, Options } from '../flags.ts';
import { readInteger, usage } from '../settle-options.ts';

const options = {
  '--settings <file>': { about: 'YAML file that says who signs in, and who may do what', default: 'controller.yaml' },
  '--listen <address>': { about: 'address and port to listen on; port 0 takes a free one', default: '127.0.0.1:8080' },
  '--with-worker': 'start a worker beside the page, in a process of its own',
  '--concurrency <n>': { about: 'with --with-worker: runs at a time', default: '4' },
  ...gitOptions,
  ...processOptions,
} as const satisfies Options;

type Flags = FlagsOf<typeof options>;

/** Serves the page until a signal. */
export const command = defineCommand({
  options,
  notes: `It speaks plain HTTP: a proxy in front of it has the certificate for the address: of the settings. The files of secrets that the
settings name begin in the folder of the settings.`,
  examples: [
    'trueup controller serve --settings controller.yaml',
    'trueup controller serve --settings controller.yaml --with-worker',
  ],
  formats: processFormats,
  execute: async (run, view, { flags }) => {
    const [host, port] = placeOf(flags.listen);
    readInteger('--concurrency', flags.concurrency, 1, 64);
    const works = flags.withWorker === true;
    const about = {
      ...processOf(run, flags),
      settings: resolve(run.process.cwd(), flags.settings),
      host,
      port,
      worker: works ? workerOf(run.process, flags) : undefined,
      onReady: (page: string, link?: string) => {
        if (link !== undefined) run.terminal.err(`Open ${link} to sign in: it works once, and on this machine only.\n`);
        view.report({ works, page });
      },
    };
    await withController(({ serve }) => serve(about));
    return 'done';
  },
});

function placeOf(text: string): readonly [host: string, port: number] {
  const [, host = '', port = ''] = /^(?:\[?([^\s\]]+)\]?:)?(\d+)$/.exec(text) ?? [];
  if (port === '') throw usage(`--listen must be ADDRESS:PORT, got ${JSON.stringify(text)}`);
  return [host === '' ? '127.0.0.1' : host, readInteger('--listen', port, 0, 65_535)];
}

/** The command of a worker with the same options. */
function workerOf({ argv, cwd }: Run['process'], flags: Flags): readonly string[] {
  const { concurrency, folder, gitCredentials, gitSsh, grace, log } = flags;
  const settings = resolve(cwd(), flags.settings);
  const given = { settings, concurrency, folder, 'git-credentials': gitCredentials, 'git-ssh': gitSsh, grace, log };
  const words = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]));
  return [...argv.slice(0, 2), 'controller', 'work', '--no-migrate', ...words];
}
