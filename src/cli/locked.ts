import type { Manifest } from '../manifest/manifest.ts';
import type { Settings } from '../manifest/settings.ts';
import { type Load, isNear, mayReadAhead } from '../project/open-project.ts';
import { hasLocalState } from '../project/state-location.ts';
import type { Validated } from '../workflow/validate.ts';
import {
  type EarlySession,
  type PlanRequest,
  type Session,
  type SessionOptions,
  beginSession,
  session,
} from '../workflow/session.ts';
import { platformOf } from './connect.ts';
import type { Exit } from '../render/exit-codes.ts';
import type { Run } from './command.ts';
import { type Interruption, watchSignals } from './signals.ts';

/** The purpose, the limits and the work of a session of a command. */
interface Task extends Pick<SessionOptions, 'purpose' | 'deploying' | 'inFlightTimeoutMs' | 'onWait'> {
  readonly work: (session: Session, interruption: Interruption) => Promise<Exit>;
}

/** Opens a session for a command. A signal ends it: at once while it only reads, after the requests in flight while it writes. */
export function withLock(run: Run, manifest: Manifest, { work, ...about }: Task, early?: EarlySession): Promise<Exit> {
  const inSession = async (opened: Session): Promise<Exit> => {
    const interruption = watchSignals(run, { cleanUp: opened.close, abandon: opened.abandon });
    try {
      return await work(opened, interruption);
    } finally {
      interruption.ignore();
    }
  };
  const options = { ...about, lockTimeoutMs: run.options.lockTimeoutMs, connections: run.options.connections };
  return session(manifest, platformOf(manifest.settings, run), options, inSession, early);
}

/** A manifest that was checked, and its session, where that began already. */
interface LoadedEarly<Loaded> {
  readonly validated: Loaded;
  readonly early: EarlySession | undefined;
}

/**
 * Reads and checks a manifest. Where a state is at hand and its lock is free, the session begins meanwhile; a mistake in the
 * manifest ends it, and so does a signal.
 *
 * @throws whatever `load` throws.
 */
export async function loadForSession<Loaded extends Validated>(
  run: Run,
  load: Load<Loaded>,
  about: Omit<Task, 'work'> & { readonly request: PlanRequest },
): Promise<LoadedEarly<Loaded>> {
  let beginning: Promise<EarlySession | undefined> | undefined;
  let interruption: Interruption | undefined;
  const end = async (): Promise<void> => (await beginning)?.close();
  try {
    const validated = await load(async (settings) => {
      if (beginning !== undefined || !mayBegin(settings, run)) return;
      interruption = watchSignals(run, { cleanUp: end, abandon: () => undefined });
      const { connections } = run.options;
      const early = beginSession(settings, platformOf(settings, run), { ...about, connections });
      beginning = early.catch(() => undefined);
      await beginning;
    });
    return { validated, early: await beginning };
  } catch (error) {
    await end();
    throw error;
  } finally {
    interruption?.ignore();
  }
}

/** Whether a session may begin before its manifest is checked: only where that leaves nothing that was not there before. */
function mayBegin(settings: Settings, { options }: Run): boolean {
  return mayReadAhead(settings, { options }) && isNear(settings, { options }) && hasLocalState(options);
}
