import pc from 'picocolors';
import type { Live, Screen } from '../render/format.ts';
import type { Style, Tone } from '../render/style.ts';
import { createLive } from './live.ts';

/** The screen of a process. */
export interface Terminal extends Screen {
  /** stdin and stdout are a terminal: questions can be answered. */
  readonly isInteractive: boolean;
}

/** The terminal of this process. */
export function openTerminal(wantsColor: boolean): Terminal {
  const { stdin, stdout, stderr } = process;
  const mayColor = wantsColor && (process.env.NO_COLOR ?? '') === '';
  const live = openLive(stderr);
  const printer = (stream: NodeJS.WriteStream) => (text: string) => {
    const write = (all: string) => void stream.write(all);
    if (live === undefined || !stream.isTTY) write(text);
    else live.above(text, write);
  };
  return {
    out: printer(stdout),
    err: printer(stderr),
    outStyle: styleOf(stdout, mayColor),
    errStyle: styleOf(stderr, mayColor),
    isInteractive: stdin.isTTY && stdout.isTTY,
    live,
  };
}

function openLive(stream: NodeJS.WriteStream): Live | undefined {
  if (!stream.isTTY || process.env.TERM === 'dumb') return undefined;
  const live = createLive({
    write: (text) => void stream.write(text),
    size: () => ({ columns: stream.columns || 80, rows: stream.rows || 24 }),
  });
  // The shell that stops this process writes below the lines; they are drawn again below that.
  process.on('SIGTSTP', () => {
    live.leave();
    process.kill(process.pid, 'SIGSTOP');
  });
  return live;
}

function styleOf(stream: NodeJS.WriteStream, mayColor: boolean): Style {
  // Its type forgets that it is undefined in a pipe, which picocolors would take for "find out by yourself".
  const isTerminal: boolean | undefined = stream.isTTY;
  const colors = pc.createColors(mayColor && (isTerminal ?? false));
  const tones: Readonly<Record<Tone, (text: string) => string>> = {
    good: colors.green,
    bad: colors.red,
    change: colors.yellow,
    info: colors.cyan,
    faint: colors.dim,
    strong: colors.bold,
  };
  return { width: stream.isTTY ? stream.columns || 80 : undefined, paint: (tone, text) => tones[tone](text) };
}
