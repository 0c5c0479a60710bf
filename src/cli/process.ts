import type { EventEmitter } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { Environment } from '../project/folder.ts';
import type { Printed } from '../render/printable.ts';

/** A stream for text: a terminal, a pipe or a file. It takes no text that could command a terminal or a CI runner. */
export type Output = Omit<Writable, 'write'> & {
  write(text: Printed): boolean;
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
};

/** The part of a Node process that the command line uses. Emits signals, and exceptions that nothing caught. */
export interface Process extends EventEmitter {
  /** Node, the file of the program, and the words of the command line. */
  readonly argv: readonly string[];
  readonly env: Environment;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  /** The current folder: relative paths of the command line start there. */
  readonly cwd: () => string;
  /** Ends the process at once. */
  exit(code: number): void;
  readonly pid: number;
  /** Sends a message to the program that started this one; undefined: it opened no channel. */
  readonly send?: (message: string) => unknown;
  /** That channel; its end is the event `disconnect`. */
  readonly channel?: { unref(): void } | null | undefined;
  /** Sends a signal to the process of an id. */
  kill(pid: number, signal: 'SIGSTOP'): unknown;
}
