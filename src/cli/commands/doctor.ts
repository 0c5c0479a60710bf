import type { Check } from '../../operate/examine.ts';
import { examinePlatform, examineState, neededFor } from '../../operate/examine.ts';
import { Stop } from '../../diagnostics/diagnostic.ts';
import { loadManifest } from '../../project/load.ts';
import { openStore } from '../../project/open-store.ts';
import { findTarget } from '../../project/target.ts';
import type { DoctorView } from '../../render/formats/doctor.ts';
import { doctorFormats } from '../../render/formats/doctor.ts';
import type { Exit } from '../../render/exit-codes.ts';
import { exitCodes } from '../../render/exit-codes.ts';
import { systemClock } from '../../state/clock.ts';
import type { Command } from '../command.ts';
import { openPlatform } from '../connect.ts';

/** Examines what a run needs: address, key, rights, version, capabilities, clock, state. Sends GETs only, each once. */
export const doctorCommand: Command<DoctorView> = {
  formats: doctorFormats,
  execute: async (run, view) => {
    const { options } = run;
    const target = await findTarget(options);
    const { checks: ofState, state } = await examineState(() => openStore(target.state, options));
    const { client, close } = await openPlatform(target, { ...run, purpose: 'doctor', isImpatient: true });
    try {
      const { platform } = target;
      const url = platform === 'emulator' ? 'the embedded emulator' : platform.url;
      const discovers = platform !== 'emulator';
      const { kinds } = options;
      const needed = await operationsNeeded(run);
      const input = { client, url, discovers, kinds, clock: systemClock, remembered: state?.platform, needed };
      const checks = [...(await examinePlatform(input)), ...ofState];
      const exit = exitOf(checks);
      view.checks(checks, client.counts, exitCodes[exit].code);
      return exit;
    } finally {
      await close();
    }
  },
};

/** The operations that an apply of the manifest can need; undefined where it cannot be read, which other commands report. */
async function operationsNeeded({ options }: Parameters<(typeof doctorCommand)['execute']>[0]) {
  try {
    const { manifest } = await loadManifest(options);
    return neededFor(manifest.resources);
  } catch (error) {
    if (error instanceof Stop) return undefined;
    throw error;
  }
}

/** The exit code that a run would end with, by the first thing that is wrong. */
function exitOf(checks: readonly Check[]): Exit {
  const wrong = checks.find(({ is }) => is === 'bad');
  if (wrong === undefined) return 'done';
  return wrong.name === 'key' ? 'authentication' : wrong.name === 'state' ? 'state' : 'failed';
}
