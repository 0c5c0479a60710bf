import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { usage } from '../../diagnostics/usage.ts';

/** A PostgreSQL for as long as a demonstration runs. */
export interface Postgres {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

const run = promisify(execFile);

/** Where Debian and Ubuntu install PostgreSQL, a folder per version. */
const installed = '/usr/lib/postgresql';

/**
 * Starts a PostgreSQL of its own on a free port of this machine, with its data in a folder that is removed at the end. It refuses to
 * run as root: root runs it as the user that its package made.
 *
 * @throws {Stop} `usage`, where it is not installed
 */
export async function startPostgres(): Promise<Postgres> {
  const programs = await findPrograms();
  if (programs === undefined)
    throw usage(
      `PostgreSQL is not installed in ${installed}`,
      'Run apt-get install postgresql, or set TRUEUP_CONTROLLER_URL to a database that may be filled.',
    );
  // Only its own user enters it: below another folder of this user, that of PostgreSQL could not.
  const folder = await mkdtemp(join(tmpdir(), 'trueup-postgres-'));
  const [data, password, port] = [join(folder, 'data'), randomBytes(16).toString('hex'), await freePort()];
  const isRoot = process.getuid?.() === 0;
  const program = async (name: string, ...args: readonly string[]): Promise<void> => {
    const words = [join(programs, name), ...args];
    const [command = '', ...rest] = isRoot ? ['runuser', '-u', 'postgres', '--', ...words] : words;
    // What it starts lives on, and would keep the streams of this program open.
    await run(command, rest, { cwd: folder });
  };
  const passwordFile = join(folder, 'password');
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (isRoot) {
    const [user, group] = await Promise.all([idOf('-u'), idOf('-g')]);
    await Promise.all([chown(folder, user, group), chown(passwordFile, user, group)]);
  }
  await program(
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
  await program('pg_ctl', '-D', data, '-w', '-s', '-l', join(folder, 'log'), '-o', options, 'start');
  return {
    url: `postgres://trueup:${password}@127.0.0.1:${port}/postgres`,
    stop: async () => {
      await program('pg_ctl', '-D', data, '-w', '-s', '-m', 'fast', 'stop');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The folder of the newest version. */
async function findPrograms(): Promise<string | undefined> {
  const versions = await readdir(installed).catch(() => []);
  const [newest] = versions.filter((name) => /^\d+$/.test(name)).toSorted((a, b) => Number(b) - Number(a));
  return newest === undefined ? undefined : join(installed, newest, 'bin');
}

async function idOf(what: '-u' | '-g'): Promise<number> {
  const { stdout } = await run('id', [what, 'postgres']);
  return Number(stdout);
}

/** A port that nothing listens on. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => void server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
