import { createClient } from '../../src/api/client.ts';
import { createTransport } from '../../src/api/transport.ts';
import { localStore } from '../../src/state/backends/local.ts';
import type { Lease } from '../../src/state/lease.ts';
import { newState } from '../../src/state/new-state.ts';

/**
 * A program for the tests: it takes the lock of a folder for a short time, renews it, and sends writes to a platform all
 * the time, more than it has connections. Arguments: folder, address of the platform, milliseconds that the lock lasts;
 * `between`: on SIGUSR2 it stops itself where a write passed the check and is not sent yet.
 */
const [folder = '', url = '', lasts = '', where = ''] = process.argv.slice(2);
const lastsMs = Number(lasts);
const store = localStore(folder, { terms: { beatMs: lastsMs / 3, lastsMs, inFlightMs: lastsMs } });
const lease: Lease = await store.lock({ purpose: 'apply' });
let stopsNext = false;
process.on('SIGUSR2', () => (stopsNext = where === 'between'));
const mayWrite = () => {
  lease.check();
  if (!stopsNext) return;
  stopsNext = false;
  process.kill(process.pid, 'SIGSTOP');
};
const { send } = createTransport({ url, mayWrite });
const client = createClient({ send, url, apiKey: 'right-key', redact: (text) => text });

let refused = 0;
let failed = 0;
async function writeOn(): Promise<void> {
  while (refused < 50) {
    try {
      await client.call('postgres.create', {
        name: 'one',
        environmentId: 'env_prj_1',
        databaseName: 'one',
        databaseUser: 'one',
        databasePassword: 'password-1',
      });
    } catch (error) {
      if (error instanceof Error && error.name === 'Stop') refused++;
      else failed++;
      await new Promise((resolve) => void setTimeout(resolve, 20));
    }
  }
}
process.stdout.write('in\n');
await Promise.all(Array.from({ length: 12 }, writeOn));
const saving = await store.write(newState('org_1', 'prj_1')).then(
  () => 'saved',
  (error: unknown) => (error as { failure?: string }).failure,
);
process.stdout.write(`${JSON.stringify({ refused, failed, saving })}\n`);
process.exit();
