import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { printed, unchanged } from '../render/printable.ts';
import type { Process } from './process.ts';

/** Questions on a terminal, one after the other. Lines that are typed ahead answer the next questions. */
export interface Prompt {
  /** The answer, without white space around it; undefined: the input has ended. `isHidden`: what is typed does not show. */
  readonly ask: (question: string, about?: { readonly isHidden?: boolean }) => Promise<string | undefined>;
  /** The input has ended: no answer comes any more. */
  readonly isOver: () => boolean;
  readonly close: () => void;
}

/** Opens the terminal of a process for questions. */
export function openPrompt({ stdin, stdout }: Pick<Process, 'stdin' | 'stdout'>): Prompt {
  let isMuted = false;
  const echo = new Writable({
    write: (text: unknown, _encoding, done) => {
      if (!isMuted) stdout.write(unchanged(String(text)));
      done();
    },
  });
  const lines = createInterface({ input: stdin, output: echo, terminal: stdin.isTTY === true });
  const typed: string[] = [];
  let waiting: ((line: string | undefined) => void) | undefined;
  let isOver = false;
  const answer = (line: string | undefined): void => {
    const next = waiting;
    waiting = undefined;
    next?.(line);
  };
  lines.on('line', (line) => {
    if (waiting === undefined) typed.push(line);
    else answer(line);
  });
  lines.once('close', () => {
    isOver = true;
    answer(undefined);
  });
  return {
    ask: async (question, { isHidden = false } = {}) => {
      stdout.write(printed(question));
      isMuted = isHidden;
      const early = typed.shift();
      const line =
        early ?? (isOver ? undefined : await new Promise<string | undefined>((resolve) => (waiting = resolve)));
      isMuted = false;
      if (isHidden || line === undefined) stdout.write(printed('\n'));
      return line?.trim();
    },
    isOver: () => isOver && typed.length === 0,
    close: () => lines.close(),
  };
}

/** Asks on the terminal of a process. Only the word yes means yes; an end of input means no. */
export async function askYes(process: Parameters<typeof openPrompt>[0], question: string): Promise<boolean> {
  const prompt = openPrompt(process);
  try {
    return (await prompt.ask(question)) === 'yes';
  } finally {
    prompt.close();
  }
}
