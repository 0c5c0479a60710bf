import type { Command, Given, Run } from '../../src/cli/command.ts';
import type { Exit } from '../../src/render/exit-codes.ts';
import { chooseFormat, runFor } from '../../src/cli/run-command.ts';
import type { Terminal } from '../../src/cli/terminal.ts';
import type { View } from '../../src/render/output-format.ts';
import { printed } from '../../src/render/printable.ts';
import { noSite } from '../../src/render/report-links.ts';
import { plainStyle } from '../../src/render/style.ts';
import { kinds } from '../../src/resources/index.ts';
import type { Clock } from '../../src/state/clock.ts';
import { systemClock } from '../../src/state/clock.ts';
import { createRedactor } from '../../src/secrets/redactor.ts';
import { environment } from './environment.ts';
import type { ProcessOfTest } from './process.ts';
import { processOfTest } from './process.ts';

/** Commands that run in the process of the test. */

/** A terminal without colour that keeps what is printed. */
export function recordingTerminal(
  about: { readonly width?: number; readonly height?: number; readonly isInteractive?: boolean } = {},
) {
  const recorded = { out: '', err: '' };
  const style = { ...plainStyle, width: about.width };
  const terminal: Terminal = {
    out: (text) => void (recorded.out += printed(text)),
    err: (text) => void (recorded.err += printed(text)),
    raw: (text) => void (recorded.out += text),
    clear: () => void (recorded.out += '\u001B[H\u001B[2J'),
    size: about.width === undefined ? undefined : () => ({ columns: about.width ?? 0, rows: about.height ?? 24 }),
    outStyle: style,
    errStyle: style,
    isInteractive: about.isInteractive ?? false,
    live: undefined,
    site: () => noSite,
  };
  return { printed: recorded, terminal };
}

/** A run in a folder that reports to a view; `signals` sends it signals. */
export function runIn(
  folder: string,
  view: View,
  terminal: Terminal,
  { signals = processOfTest({ cwd: folder }), clock = systemClock }: { signals?: ProcessOfTest; clock?: Clock } = {},
): Run {
  const options = {
    folder,
    file: 'trueup.yaml',
    variables: new Map<string, string>(),
    connections: 4,
    bulk: true,
    lockTimeoutMs: 0,
    env: environment(),
    redactor: createRedactor(),
    kinds,
  };
  return runFor(view, {
    options,
    process: signals,
    terminal,
    clock,
  });
}

/** A command with the words of its command line, and the time. */
export interface Asked extends Given {
  readonly command: Command;
  readonly clock?: Clock;
}

/** Executes a command in a folder; rejects with what stops it. */
export async function execute(
  { command, args, flags, clock }: Asked,
  about: {
    readonly folder: string;
    readonly terminal: Terminal;
    readonly format?: string;
    readonly signals?: ProcessOfTest;
  },
): Promise<Exit> {
  const { folder, terminal, format = 'text', signals } = about;
  const open = chooseFormat(command.formats, format);
  if (open === undefined) throw new Error(`the command has no format ${format}`);
  const view = await open(terminal);
  const run = runIn(folder, view, terminal, {
    ...(signals === undefined ? {} : { signals }),
    ...(clock === undefined ? {} : { clock }),
  });
  return command.execute(run, view, { args, flags });
}
