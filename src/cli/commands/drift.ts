import { flagsOf } from '../../drift/remedies.ts';
import { aboutPlan } from '../../project/about-plan.ts';
import { findDrift, refuseWrites } from '../../project/drift.ts';
import { loadManifest } from '../../project/load.ts';
import type { Exit } from '../../render/exit-codes.ts';
import type { DriftCommandView } from '../../render/formats/drift.ts';
import { driftFormats } from '../../render/formats/drift.ts';
import type { Clock } from '../../state/clock.ts';
import { systemClock } from '../../state/clock.ts';
import type { Command, Run } from '../command.ts';
import { connect } from '../connect.ts';
import { commandLine } from '../shell-command.ts';
import type { ValuesFlags } from '../values.ts';
import { readValues } from '../values.ts';

/** The options of `drift`. */
interface DriftFlags extends ValuesFlags {
  readonly full?: true;
  /** false: the memory stays as it is. */
  readonly remember?: boolean;
}

/** Compares the platform with what was applied last, and remembers what it found. Sends GETs only. */
export function driftCommand(flags: DriftFlags, clock: Pick<Clock, 'wall'> = systemClock): Command<DriftCommandView> {
  return { formats: driftFormats, execute: (run, view) => compare(run, view, flags, clock.wall()) };
}

async function compare(run: Run, view: DriftCommandView, flags: DriftFlags, now: number): Promise<Exit> {
  const { options, terminal, redactor } = run;
  const values = readValues(run, view, flags);
  // Secrets of the environment only: whoever may not know them can compare by digests.
  const { manifest, warnings } = await loadManifest(options, redactor);
  run.warn(warnings);
  const about = { options, redactor, terminal, purpose: 'drift', mayWrite: refuseWrites };
  const connection = await connect(manifest.settings, about);
  try {
    const { client } = connection;
    const drift = await findDrift(manifest, connection, {
      folder: options,
      now,
      remembers: flags.remember !== false,
      values,
    });
    view.drift({
      drift,
      warnings,
      counts: client.counts,
      about: await aboutPlan(drift.plan, { manifest, folder: options.folder, world: connection }),
      isFull: flags.full === true,
      command: (command) => commandLine(run, command.words, flagsOf(command)),
    });
    return exits[drift.exitCode];
  } finally {
    await connection.close();
  }
}

const exits = { 0: 'done', 2: 'changes', 8: 'known drift' } as const;
