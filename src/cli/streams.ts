/**
 * A reader that goes away, as `head` does, is no error. A full disk behind a redirection is one: half a result is no
 * success, whatever was done.
 */
export function watchStreams(): void {
  const { stdout, stderr } = process;
  let isCut = false;
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' || isCut) return;
    isCut = true;
    stderr.write(`error: what is printed here is not whole: stdout cannot be written (${error.code ?? 'unknown'})\n`);
    stderr.write('  -> Make room there. What the run did is done; trueup plan shows what is left.\n');
  });
  stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') isCut = true; // nothing can be said there
  });
  // Last, because each run sets its own.
  process.on('exit', (code) => {
    if (isCut && code === 0) process.exitCode = 1;
  });
}
