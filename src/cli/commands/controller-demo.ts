import { spawn } from 'node:child_process';
import { defineCommand } from '../command.ts';
import { processFormats, processOf, withController } from '../controller.ts';
import type { Options } from '../flags.ts';
import { readInteger } from '../settle-options.ts';

const options = {
  '--port <n>': { about: 'port of the page; 0 takes a free one', default: '0' },
  '--log <form>': { about: 'form of the lines of page and worker on stderr: text or json', default: 'text' },
  '--no-open': 'print the link, and start no browser',
} as const satisfies Options;

/** Shows the controller over ten emulated platforms, until a signal. */
export const command = defineCommand({
  options,
  notes: `It starts the PostgreSQL of Debian or Ubuntu (apt-get install postgresql), or makes a database of its own where TRUEUP_CONTROLLER_URL
names a server. Ten emulated platforms and a repository come with it. A commit and a repair of drift wait for your approval.
Ctrl-C removes all of it.`,
  examples: ['trueup controller demo', 'trueup controller demo --port 8080 --no-open'],
  formats: processFormats,
  execute: async (run, view, { flags }) => {
    const port = readInteger('--port', flags.port, 0, 65_535);
    const { log } = flags;
    const { terminal } = run;
    await withController(({ demo }) =>
      demo({
        ...processOf(run, { log, grace: '5s', migrate: true }),
        port,
        worker: [...run.process.argv.slice(0, 2), ...workerWords(log)],
        report: (line) => terminal.err(`${line}\n`),
        onReady: (link) => {
          terminal.err(
            `\nOpen ${link}\nTen plans wait there: approve one, and watch its run. Ctrl-C ends the demonstration.\n\n`,
          );
          view.report({ works: true, page: new URL(link).origin });
          if (terminal.isInteractive && flags.open !== false) openInBrowser(link);
        },
      }),
    );
    return 'done';
  },
});

/** The command of the worker, without the folder of its checkouts. */
function workerWords(log: string): readonly string[] {
  return ['controller', 'work', '--no-migrate', '--concurrency', '6', '--grace', '5s', '--log', log, '--folder'];
}

/** Opens an address in the browser of this user, where there is one. */
function openInBrowser(address: string): void {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const browser = spawn(program, [address], { stdio: 'ignore', detached: true });
  browser.on('error', () => undefined); // the link is printed
  browser.unref();
}
