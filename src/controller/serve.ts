import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { isLoopback } from '../api/loopback.ts';
import { stop } from '../diagnostics/diagnostic.ts';
import { systemCode } from '../diagnostics/system-code.ts';
import { usage } from '../diagnostics/usage.ts';
import type { Environment } from '../project/folder.ts';
import { databaseUrl } from './environment.ts';
import { type Log, createLog, logForm } from './log.ts';
import { readAccess } from './page/access.ts';
import { pageParts } from './page/parts.ts';
import { createServer } from './page/server.ts';
import { signInLink } from './page/sign-in/link.ts';
import { openPool, schemas } from './pool.ts';
import { createQueue } from './queue.ts';
import { readSettings } from './read-settings.ts';
import { recordsIn } from './records/all.ts';
import { migrate, requireTables } from './schema.ts';
import { type ProcessOptions, explained, redactorFor } from './work.ts';

/** How the page is served. */
export interface ServeOptions extends ProcessOptions {
  /** The file of the settings; absolute. */
  readonly settings: string;
  readonly host: string;
  /** 0: a free one. */
  readonly port: number;
  /** The command of a worker beside the page, in a process of its own; undefined: none. */
  readonly worker: readonly string[] | undefined;
  /** Called with the address that the page listens on, and with the link that signs in where the settings name no other way. */
  readonly onReady: (listens: string, link: string | undefined) => void;
}

/** Connections of the page to the database. */
const maxConnections = 10;

/** Serves the page until the signal. @throws {Stop} where it cannot begin, or its worker ended */
export async function serve(options: ServeOptions): Promise<void> {
  const { env, write } = options;
  const form = logForm(options.log);
  const settings = await readSettings(options.settings, env);
  const access = await readAccess(settings);
  const { address, roles, fourEyes, proxies } = settings;
  const { signIn } = access;
  if ('link' in signIn) requireThisMachine(address, options.host);
  const link = 'link' in signIn ? signInLink(address, signIn.link) : undefined;
  const url = await databaseUrl(env);
  const log = createLog({ write, form, redact: redactorFor(url).redact, now: Date.now });
  const onError = (error: unknown): void => log.problem(error);
  const queue = await createQueue({ url, schema: schemas.queue, onError });
  const pool = await openPool(url, maxConnections);
  try {
    await explained<unknown>((options.migrates ? migrate : requireTables)(pool, schemas.controller));
    await explained(queue.start());
    const records = recordsIn(pool, schemas.controller);
    await records.setPageAddress(address, { by: 'page' });
    const parts = pageParts({ queue, tokens: access.tokens, onError });
    const app = createServer({ address, records, roles, fourEyes, proxies, ...access, parts, onError });
    await serveUntilEnd(app, options, { log, link });
  } finally {
    // What it opened would keep the process alive.
    await queue.stop(0);
    await pool.end();
  }
}

/** A page without a sign-in of its own is for who has its terminal. @throws {Stop} `usage` */
function requireThisMachine(address: string, host: string): void {
  if (isLoopback(new URL(address).hostname) && isLoopback(host)) return;
  throw usage(
    'The settings have no signIn, and the page is not for this machine alone',
    'Set signIn.oidc or signIn.proxy, or let address: and --listen name 127.0.0.1.',
  );
}

/** Listens, with the worker beside it, until the signal or the end of that worker, which is an error. */
async function serveUntilEnd(
  app: ReturnType<typeof createServer>,
  options: ServeOptions,
  { log, link }: { readonly log: Log; readonly link: string | undefined },
): Promise<void> {
  const { host, port, signal } = options;
  const listens = await app.listen({ host, port }).catch(async (error: unknown) => {
    await app.close();
    throw cannotListen(options, error);
  });
  log.say('serving', { listens });
  const worker = options.worker === undefined ? undefined : startBeside(options.worker, options.env);
  options.onReady(listens, link);
  const ended = await untilEnd(signal, worker);
  log.say('stopping');
  await app.close();
  await stopBeside(worker, log);
  if (ended !== undefined) throw ended;
}

/** Starts a worker that prints where this process prints. The channel to it ends with this process, however that ends. */
function startBeside([program = '', ...words]: readonly string[], env: Environment): ChildProcess {
  return spawn(program, words, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], env: { ...process.env, ...env } });
}

/** Waits for the signal, or for the end of the worker, which is an error. */
async function untilEnd(signal: AbortSignal, worker: ChildProcess | undefined): Promise<Error | undefined> {
  const over = signal.aborted ? Promise.resolve() : once(signal, 'abort');
  const died = worker === undefined ? new Promise<never>(() => undefined) : once(worker, 'exit');
  await Promise.race([over, died]);
  if (signal.aborted) return undefined;
  return stop('refused', 'usage', 'the worker beside the page ended', {
    remedy: 'Read its lines above, and start both again.',
  });
}

async function stopBeside(worker: ChildProcess | undefined, log: Log): Promise<void> {
  if (worker === undefined || worker.exitCode !== null || worker.signalCode !== null) return;
  log.say('waiting for the worker');
  worker.kill('SIGTERM');
  await once(worker, 'exit');
}

function cannotListen({ host, port }: ServeOptions, error: unknown): Error {
  const code = systemCode(error);
  const why = code === 'EADDRINUSE' ? 'the port is in use' : code;
  const remedy = 'Choose another --listen; port 0 chooses a free one.';
  return stop('refused', 'usage', `cannot listen on ${host}:${port}: ${why}`, { remedy, cause: error });
}
