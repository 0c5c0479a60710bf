import { driftDocument } from '../../documents/drift.ts';
import { lineOf } from '../../drift/remedies.ts';
import type { Manifest } from '../../manifest/manifest.ts';
import { aboutPlan } from '../../project/about-plan.ts';
import type { Drift } from '../../project/drift.ts';
import { findDrift, refuseWrites } from '../../project/drift.ts';
import { loadManifest } from '../../project/load.ts';
import { notify } from '../../project/notify.ts';
import { pipelineRun } from '../../project/pipeline-run.ts';
import type { Exit } from '../../render/exit-codes.ts';
import { driftExit } from '../../render/exit-codes.ts';
import type { DriftCommandView } from '../../render/formats/drift.ts';
import { driftFormats } from '../../render/formats/drift.ts';
import { notificationOf } from '../../render/notification.ts';
import type { Clock } from '../../state/clock.ts';
import { isoTime, systemClock } from '../../state/clock.ts';
import type { Command, Run } from '../command.ts';
import { openProject } from '../connect.ts';
import { usage } from '../options.ts';
import { commandLine } from '../shell-command.ts';
import type { ValuesFlags } from '../values.ts';
import { readValues } from '../values.ts';

/** The options of `drift`. */
interface DriftFlags extends ValuesFlags {
  readonly full?: true;
  /** false: the memory stays as it is. */
  readonly remember?: boolean;
  /** true: every receiver gets a message; false: none does. Undefined: as the manifest says, when the run remembers. */
  readonly notify?: boolean;
}

/** Compares the platform with what was applied last, and remembers what it found. Sends the platform GETs only. */
export function driftCommand(
  flags: DriftFlags,
  { wall, sleep = systemClock.sleep }: Pick<Clock, 'wall'> & Partial<Pick<Clock, 'sleep'>> = systemClock,
): Command<DriftCommandView> {
  return { formats: driftFormats, execute: (run, view) => compare(run, view, flags, { wall, sleep }) };
}

async function compare(
  run: Run,
  view: DriftCommandView,
  flags: DriftFlags,
  clock: Pick<Clock, 'wall' | 'sleep'>,
): Promise<Exit> {
  const { options, terminal } = run;
  const values = readValues(run, view, flags);
  // Secrets of the environment only: whoever may not know them can compare by digests.
  const about = { options, terminal, purpose: 'drift', mayWrite: refuseWrites };
  const { validated, connection } = await openProject(async (onSettings) => {
    const validated = await loadManifest(options, { onSettings });
    run.warn(validated.warnings);
    refuseNotifying(validated.manifest, flags);
    return validated;
  }, about);
  const { manifest, warnings } = validated;
  const { platform, notify: receivers = [] } = manifest.settings;
  const remembers = flags.remember !== false;
  const notifies = receivers.length > 0 && (flags.notify ?? remembers);
  try {
    const { counts } = connection.client;
    const now = clock.wall();
    const command = (asked: Parameters<typeof lineOf>[0]): string => {
      const { words, flags: options } = lineOf(asked);
      return commandLine(run, words, options);
    };
    const isFull = flags.full === true;
    const documentOf = async (drift: Drift) => {
      const about = await aboutPlan(drift.plan, { manifest, folder: options.folder, world: connection });
      return driftDocument({ drift, counts, about, isFull, command, warnings });
    };
    const report = async (found: Drift) => {
      const message = { time: isoTime(now), run: pipelineRun(options.env) };
      const about = { env: options.env, redactor: options.redactor, platform, clock, isForced: flags.notify === true };
      return notify(receivers, notificationOf({ document: await documentOf(found), ...message }), about);
    };
    const drift = await findDrift(manifest, connection, {
      folder: options,
      now,
      remembers,
      values,
      notify: notifies ? report : undefined,
    });
    const shown = { isFull, applying: command({ words: ['apply'] }) };
    const showing = command({ words: ['drift'], options: [['--full']] });
    view.drift({ drift: await documentOf(drift), ...shown, showing });
    return driftExit(drift);
  } finally {
    await connection.close();
  }
}

/** @throws {Stop} `usage`, when messages are asked for and the manifest names no receiver. */
function refuseNotifying({ settings: { notify = [] } }: Manifest, flags: DriftFlags): void {
  if (flags.notify !== true || notify.length > 0) return;
  const remedy = 'Write drift: { notify: [{ url: "${secret:HOOK}", as: json }] }.';
  throw usage('--notify: the manifest names no receiver', remedy);
}
