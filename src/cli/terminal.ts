import pc from 'picocolors';
import type { Live, Screen } from '../render/format.ts';
import type { Style, Tone } from '../render/style.ts';
import { createLive } from './live.ts';
import type { Output, Process } from './process.ts';

/** The screen of a process. */
export interface Terminal extends Screen {
  /** stdin and stdout are a terminal: questions can be answered. */
  readonly isInteractive: boolean;
}

/** The terminal of a process. */
export function openTerminal(process: Process, wantsColor: boolean): Terminal {
  const { stdin, stdout, stderr, env } = process;
  const mayColor = wantsColor && (env.NO_COLOR ?? '') === '';
  const live = openLive(process);
  const printer = (stream: Output) => (text: string) => {
    const write = (all: string) => void stream.write(all);
    if (live === undefined || stream.isTTY !== true) write(text);
    else live.above(text, write);
  };
  return {
    out: printer(stdout),
    err: printer(stderr),
    outStyle: styleOf(stdout, mayColor),
    errStyle: styleOf(stderr, mayColor),
    isInteractive: stdin.isTTY === true && stdout.isTTY === true,
    live,
  };
}

function openLive(process: Process): Live | undefined {
  const { stderr: stream, env } = process;
  if (stream.isTTY !== true || env.TERM === 'dumb') return undefined;
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
  return { width: isTerminal ? stream.columns || 80 : undefined, paint: (tone, text) => tones[tone](text) };
}
