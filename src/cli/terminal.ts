import pc from 'picocolors';
import type { Live, Screen } from '../render/output-format.ts';
import { type Printed, printed, unchanged } from '../render/printable.ts';
import { type ReviewSite, noSite } from '../render/report-links.ts';
import type { Style, Tone } from '../render/style.ts';
import { createLive } from './live.ts';
import type { Output, Process } from './process.ts';

/** The screen of a process. */
export interface Terminal extends Screen {
  /** stdin and stdout are a terminal: questions can be answered. */
  readonly isInteractive: boolean;
}

/** The terminal of a process. */
export function openTerminal(process: Process, wantsColor: boolean, site: () => ReviewSite = () => noSite): Terminal {
  const { stdout, stderr, env } = process;
  const isDumb = env.TERM === 'dumb';
  const mayColor = wantsColor && (env.NO_COLOR ?? '') === '' && !isDumb;
  const live = openLive(process);
  const print = (stream: Output, text: Printed) => {
    const write = (all: Printed) => void stream.write(all);
    if (live === undefined || stream.isTTY !== true) write(text);
    else live.above(text, write);
  };
  const printer = (stream: Output) => {
    const hasColours = mayColor && stream.isTTY === true;
    return (text: string) => print(stream, printed(text, { hasColours }));
  };
  return {
    out: printer(stdout),
    err: printer(stderr),
    raw: (text) => print(stdout, unchanged(text)),
    clear: () => (isDumb ? undefined : print(stdout, clearScreen)),
    size: stdout.isTTY === true ? () => sizeOf(stdout) : undefined,
    outStyle: styleOf(stdout, mayColor),
    errStyle: styleOf(stderr, mayColor),
    // Reading `process.stdin` opens it: only where stdout is a terminal.
    isInteractive: stdout.isTTY === true && process.stdin.isTTY === true,
    live,
    site,
  };
}

const clearScreen = unchanged('\u001B[H\u001B[2J');

function openLive(process: Process): Live | undefined {
  const { stderr: stream, env } = process;
  if (stream.isTTY !== true || env.TERM === 'dumb') return undefined;
  const live = createLive({
    write: (text) => void stream.write(text),
    size: () => sizeOf(stream),
  });
  // The shell that stops this process writes below the lines; they are drawn again below that.
  process.on('SIGTSTP', () => {
    live.leave();
    process.kill(process.pid, 'SIGSTOP');
  });
  return live;
}

function sizeOf({ columns, rows }: Output): ReturnType<Live['size']> {
  return { columns: columns || 80, rows: rows || 24 };
}

function styleOf(stream: Output, mayColor: boolean): Style {
  const isTerminal = stream.isTTY === true;
  const colors = pc.createColors(mayColor && isTerminal);
  const tones: Readonly<Record<Tone, (text: string) => string>> = {
    good: colors.green,
    bad: colors.red,
    change: colors.yellow,
    info: colors.cyan,
    faint: colors.dim,
    strong: colors.bold,
  };
  return {
    width: isTerminal ? stream.columns || 80 : undefined,
    paint: (tone, text) => tones[tone](text),
    isFull: false,
    isDiff: false,
  };
}
