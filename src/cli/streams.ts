import { reasonOf } from '../diagnostics/disk-errors.ts';

/**
 * Watches stdout and stderr. A reader that closes, as `head` does, is no error. A full disk behind a redirection is one:
 * half a result is no success, whatever the run did.
 */
export function watchStreams(): void {
  const { stdout, stderr } = process;
  let isCut = false;
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' || isCut) return;
    isCut = true;
    stderr.write(`error: the output is incomplete: stdout cannot be written (${reasonOf(error)})\n`);
    stderr.write('  -> Free some space there. The changes of this run stay; trueup plan shows what is left to do.\n');
  });
  stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') isCut = true; // nothing can be said there
  });
  // Last, because each run sets its own.
  process.on('exit', (code) => {
    if (isCut && code === 0) process.exitCode = 1;
  });
}
