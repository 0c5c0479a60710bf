import { EventEmitter } from 'node:events';
import { Readable, Writable } from 'node:stream';
import type { Process } from '../../src/cli/process.ts';

/** A process that exists in a test only: its streams are pipes, and only the test sends it signals. */
export interface ProcessOfTest extends Process {
  /** The text on stdout and stderr. */
  readonly printed: { out: string; err: string };
}

/** Creates a process with words of a command line and the content of its standard input. */
export function processOfTest({
  args = [],
  env = {},
  cwd,
  input = '',
}: {
  readonly args?: readonly string[];
  readonly env?: Process['env'];
  readonly cwd: string;
  readonly input?: string;
}): ProcessOfTest {
  const printed = { out: '', err: '' };
  const recorder = (name: 'out' | 'err') =>
    new Writable({
      decodeStrings: false,
      write: (text: unknown, _encoding, done) => {
        printed[name] += String(text);
        done();
      },
    });
  const unexpected = (what: string) => () => {
    throw new Error(`a process of a test cannot ${what}`);
  };
  return Object.assign(new EventEmitter(), {
    argv: ['node', 'trueup', ...args],
    env,
    stdin: Readable.from(input === '' ? [] : [Buffer.from(input)]),
    stdout: recorder('out'),
    stderr: recorder('err'),
    cwd: () => cwd,
    exit: unexpected('end at once'),
    pid: 0,
    kill: unexpected('be stopped'),
    printed,
  });
}
