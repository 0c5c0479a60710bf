import pg from 'pg';
import { startWorker } from '../../src/controller/worker.ts';

/**
 * A worker of a controller as a process of its own, which a test can kill. The options are in the environment, and its errors go to
 * stderr, a line each. It ends at SIGTERM. Over a channel to its parent it answers any message with the bytes of its heap that are
 * in use after a collection, and it ends with that parent.
 */

const { TRUEUP_TEST_DATABASE: url = '', TRUEUP_TEST_FOLDER: folder = '', TRUEUP_TEST_KEY: key = '' } = process.env;
const pool = new pg.Pool({ connectionString: url, max: 8 });
pool.on('error', () => undefined);
const worker = await startWorker({
  url,
  pool,
  schema: 'trueup_controller',
  states: { schema: 'trueup', key },
  folder,
  concurrency: 4,
  tickMs: 500,
  onError: (error) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  },
});
process.stdout.write('ready\n');
process.send?.('ready');
process.on('message', () => {
  globalThis.gc?.();
  process.send?.(process.memoryUsage().heapUsed);
});
process.once('disconnect', () => process.exit());
process.once('SIGTERM', () => {
  void worker.stop(5_000).then(() => pool.end());
});
