import { freePort } from './free-port.ts';
import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';

/** A PostgreSQL of its own for a test file: a cluster in a folder, on a free port of this machine. */
export interface PostgresServer {
  /** The address of a database, over a port that stands before the server. */
  readonly url: (port?: number) => string;
  readonly port: number;
  readonly password: string;
  /** Stops it as a crash does, and starts it again. */
  crash(): void;
  start(): void;
  stop(): void;
}

const installed = '/usr/lib/postgresql';

/** Why there is none here; undefined: there is one. On a build server its absence is a failure. */
export function whyNoPostgres(): string | undefined {
  if (folderOfPrograms() !== undefined) return undefined;
  if ((process.env.CI ?? '') !== '')
    throw new Error(`PostgreSQL is not installed in ${installed}: apt-get install postgresql`);
  return `PostgreSQL is not installed in ${installed}`;
}

function folderOfPrograms(): string | undefined {
  const versions = existsSync(installed) ? readdirSync(installed).toSorted((a, b) => Number(b) - Number(a)) : [];
  return versions
    .map((version) => join(installed, version, 'bin'))
    .find((folder) => existsSync(join(folder, 'initdb')));
}

/** Starts a server; it refuses to run as root, so root runs it as the user that its package made. */
export async function startPostgres(): Promise<PostgresServer> {
  const programs = folderOfPrograms() ?? '';
  const folder = mkdtempSync(join(tmpdir(), 'trueup-postgres-'));
  const data = join(folder, 'data');
  const password = 'p@ss/word-4711';
  const port = await freePort();
  const isRoot = process.getuid?.() === 0;
  const run = (program: string, ...args: readonly string[]): void => {
    const words = [join(programs, program), ...args];
    const [command = '', ...rest] = isRoot ? ['runuser', '-u', 'postgres', '--', ...words] : words;
    execFileSync(command, rest, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  };
  if (isRoot) {
    const idOf = (what: string) => Number(execFileSync('id', [what, 'postgres'], { encoding: 'utf8' }));
    chownSync(folder, idOf('-u'), idOf('-g'));
  }
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, password, { mode: 0o644 });
  run(
    'initdb',
    '-D',
    data,
    '-U',
    'trueup',
    '-A',
    'scram-sha-256',
    `--pwfile=${passwordFile}`,
    '-E',
    'UTF8',
    '--no-sync',
  );
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off`;
  let isUp = false;
  const start = () => {
    run('pg_ctl', '-D', data, '-w', '-s', '-l', join(folder, 'log'), '-o', options, 'start');
    isUp = true;
  };
  const stop = () => {
    if (isUp) run('pg_ctl', '-D', data, '-w', '-s', '-m', 'immediate', 'stop');
    isUp = false;
  };
  start();
  return {
    url: (at = port) => `postgres://trueup:${encodeURIComponent(password)}@127.0.0.1:${at}/postgres`,
    port,
    password,
    crash: stop,
    start,
    stop: () => {
      stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A port before a server. It counts what clients send, and can end the world for them. */
export interface Proxy {
  readonly port: number;
  /** Bytes that clients sent. */
  sent: number;
  /** Messages that clients sent. */
  messages: number;
  /**
   * Asked for every message of a client. `before`: it does not arrive, `after`: it arrives, and its answer does not; the
   * server sees the client go, and the client waits for ever. `cut`: the connection breaks; `lost`: it arrives, and then
   * the connection breaks; `late`: the connection breaks, and it arrives with `deliver`.
   */
  fault: ((message: number) => 'before' | 'after' | 'cut' | 'lost' | 'late' | undefined) | undefined;
  /** How much passes over a connection in each direction; undefined: all at once. */
  bytesPerMs: number | undefined;
  /** Lets the late messages arrive, and waits for their answers. Gives their number. */
  deliver(): Promise<number>;
  close(): Promise<void>;
}

/** Puts a port before a server. */
export async function proxyTo(port: number): Promise<Proxy> {
  const sockets = new Set<Socket>();
  const late: (() => Promise<void>)[] = [];
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    let isDead = false;
    let isLate = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        if (!isLate) upstream.destroy();
        if (!isDead) client.destroy();
      });
    }
    /** Takes no more from one end until the part has had the time that it needs. */
    const slow = (from: Socket, { length }: Buffer): void => {
      if (proxy.bytesPerMs === undefined) return;
      from.pause();
      setTimeout(() => from.resume(), length / proxy.bytesPerMs);
    };
    client.on('data', (chunk: Buffer) => {
      if (isDead) return;
      slow(client, chunk);
      proxy.messages++;
      proxy.sent += chunk.length;
      const fault = proxy.fault?.(proxy.messages);
      if (fault === 'cut') client.destroy();
      else if (fault === 'late') {
        isLate = true;
        late.push(async () => {
          const answered = new Promise((resolve) => void upstream.once('data', resolve).once('close', resolve));
          upstream.write(chunk);
          await answered;
          upstream.destroy();
        });
        client.destroy();
      } else if (fault === 'before') upstream.destroy();
      else if (fault === 'after') upstream.end(chunk);
      else if (fault === 'lost') {
        upstream.removeAllListeners('data').on('data', () => client.destroy());
        upstream.write(chunk);
      } else upstream.write(chunk);
      isDead = fault === 'before' || fault === 'after';
    });
    upstream.on('data', (chunk: Buffer) => {
      slow(upstream, chunk);
      if (!isDead) client.write(chunk);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const proxy: Proxy = {
    port: (server.address() as AddressInfo).port,
    sent: 0,
    messages: 0,
    fault: undefined,
    bytesPerMs: undefined,
    deliver: async () => {
      const due = late.splice(0);
      for (const arrive of due) await arrive();
      return due.length;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}

/** Starts a server, and opens a pool with so many connections to it; `close` ends both. */
export async function openPostgres(
  max: number,
): Promise<{ readonly pool: pg.Pool; readonly close: () => Promise<void> }> {
  const server = await startPostgres();
  const pool = new pg.Pool({ connectionString: server.url(), max });
  pool.on('error', () => undefined);
  const close = async (): Promise<void> => {
    await pool.end();
    server.stop();
  };
  return { pool, close };
}
