import { once } from 'node:events';
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** A port of this machine that nothing listens on. The system gives it to no connection meanwhile: theirs begin at 32768. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    const probe = createServer().listen(port, '127.0.0.1');
    const isFree = await once(probe, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    await new Promise((done) => probe.close(done));
    return port;
  }
}
