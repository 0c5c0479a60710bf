import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';
import { afterAll } from 'vitest';

/** A port that counts connections, keeps what it is sent, and never gives an answer that helps. */
export interface Listener {
  /** Host and port; the host leads to this machine, and no rule for the loopback applies to it. */
  readonly host: string;
  /** Host and port on the loopback. */
  readonly loopback: string;
  connections: number;
  /** Everything it was sent. */
  received: string;
}

/** Opens ports for the tests of this file, and closes them afterwards; `answer` writes to each new connection. */
export function listeners() {
  const servers: ReturnType<typeof createServer>[] = [];
  const sockets = new Set<Socket>();
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    for (const server of servers) server.close();
  });
  return async (answer: (socket: Socket) => void = (socket) => void socket.end()): Promise<Listener> => {
    const server = createServer((socket) => {
      listener.connections++;
      sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)));
      socket.on('data', (data) => (listener.received += data.toString('latin1')));
      answer(socket);
    });
    servers.push(server);
    server.listen(0, '0.0.0.0');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const listener = { host: `0.0.0.0:${port}`, loopback: `127.0.0.1:${port}`, connections: 0, received: '' };
    return listener;
  };
}
