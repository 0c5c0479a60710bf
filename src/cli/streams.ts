/** A reader that goes away, as `head` does, is no error. */
export function toleratePipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    if (!stream.listeners('error').includes(onStreamError)) stream.on('error', onStreamError);
  }
}

function onStreamError(error: NodeJS.ErrnoException): void {
  // A full disk behind a redirection: nothing can be said there, and half a result is no success.
  if (error.code !== 'EPIPE') process.exitCode = 1;
}
