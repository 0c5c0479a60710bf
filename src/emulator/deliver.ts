import type { ServerResponse } from 'node:http';
import type { Delivered } from './faults/delivery.ts';

/** Milliseconds between two parts of an answer that drips. */
const dripMs = 100;

/** Milliseconds from the first half of an answer to the reset of its connection. */
const resetMs = 50;

/** Writes an answer to its connection, as its fault says. */
export function writeAnswer(response: ServerResponse, answer: Delivered, isClosing: boolean): void {
  const { status, headers, connection } = answer;
  const closing = isClosing ? { connection: 'close' } : {};
  const body = Buffer.from(answer.body);
  switch (connection?.is) {
    case undefined:
      response.writeHead(status, { ...headers, ...closing });
      response.end(answer.body);
      return;
    case 'ends':
    case 'resets':
      // One byte more than there is, so that something is missing of an empty answer too.
      response.writeHead(status, { ...headers, 'content-length': body.length + 1 });
      response.flushHeaders();
      response.write(body.subarray(0, Math.ceil(body.length / 2)), () => {
        if (connection.is === 'ends') response.destroy();
        // A client that finds both at once takes the reset for an end.
        else setTimeout(() => response.socket?.resetAndDestroy(), resetMs);
      });
      return;
    case 'drips':
      response.writeHead(status, { ...headers, ...closing, 'content-length': body.length });
      response.flushHeaders();
      drip(response, body, Math.max(1, Math.ceil(connection.ms / dripMs)));
      return;
    default:
      connection satisfies never;
  }
}

/** Writes a part after each pause; the last one ends it. */
function drip(response: ServerResponse, body: Buffer, parts: number): void {
  const size = Math.ceil(body.length / parts);
  let written = 0;
  const timer = setInterval(() => {
    written += 1;
    if (response.destroyed || written === parts) clearInterval(timer);
    const part = body.subarray((written - 1) * size, written === parts ? undefined : written * size);
    if (written === parts) response.end(part);
    else response.write(part);
  }, dripMs);
}
