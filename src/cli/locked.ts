import type { Manifest } from '../manifest/manifest.ts';
import type { Session, SessionOptions } from '../session.ts';
import { session } from '../session.ts';
import { platformOf } from './connect.ts';
import type { Exit } from '../render/exit-codes.ts';
import type { Run } from './command.ts';
import type { Interruption } from './signals.ts';
import { watchSignals } from './signals.ts';

/** Opens a session for a command. A signal ends it: at once while it only reads, after the requests in flight while it writes. */
export function withLock(
  run: Run,
  manifest: Manifest,
  {
    work,
    ...about
  }: Pick<SessionOptions, 'purpose' | 'deploying' | 'inFlightTimeoutMs' | 'onWait'> & {
    readonly work: (session: Session, interruption: Interruption) => Promise<Exit>;
  },
): Promise<Exit> {
  const { lockTimeoutMs = 0, connections } = run.options;
  const options = { ...about, lockTimeoutMs, connections };
  return session(manifest, platformOf(manifest.settings, run), options, async (opened) => {
    const interruption = watchSignals(run, { cleanUp: opened.close, abandon: opened.abandon });
    try {
      return await work(opened, interruption);
    } finally {
      interruption.ignore();
    }
  });
}
