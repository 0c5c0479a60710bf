import type { Manifest } from '../manifest/manifest.ts';
import type { World } from '../reconcile.ts';
import type { Lease } from '../state/lease.ts';
import { connect } from './connect.ts';
import type { Exit } from './exit-codes.ts';
import type { Run } from './command.ts';
import type { Interruption } from './signals.ts';
import { watchSignals } from './signals.ts';

/** Works on the platform and the state while nobody else can; the lock and the connections are given back always. */
export async function withLock(
  { options, terminal, redactor }: Run,
  manifest: Manifest,
  {
    purpose,
    work,
    deadlineMs,
  }: {
    purpose: string;
    work: (world: World, interruption: Interruption, lease: Lease) => Promise<Exit>;
    /** The time for each request, by its operation. Milliseconds. */
    deadlineMs?: (operation: string) => number;
  },
): Promise<Exit> {
  let lease: Lease | undefined;
  const connection = await connect(manifest.settings, {
    mayWrite: () => lease?.check(),
    options,
    redactor,
    terminal,
    purpose,
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
  });
  try {
    lease = await connection.world.store.lock({ purpose, timeoutMs: options.lockTimeoutMs ?? 0 });
    const interruption = watchSignals(terminal, () => connection.close());
    try {
      return await work(connection.world, interruption, lease);
    } finally {
      interruption.ignore();
    }
  } finally {
    await connection.close();
  }
}
