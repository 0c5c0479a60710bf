import pc from 'picocolors';
import type { Style, Tone } from '../render/style.ts';

/** Where a run prints: results to `out`, everything else to `err`. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly outStyle: Style;
  readonly errStyle: Style;
  /** Somebody is there who can be asked. */
  readonly isInteractive: boolean;
}

/** The terminal of this process. */
export function openTerminal(wantsColor: boolean): Terminal {
  const { stdin, stdout, stderr } = process;
  const mayColor = wantsColor && (process.env.NO_COLOR ?? '') === '';
  return {
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    outStyle: styleOf(stdout, mayColor),
    errStyle: styleOf(stderr, mayColor),
    isInteractive: stdin.isTTY && stdout.isTTY,
  };
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
