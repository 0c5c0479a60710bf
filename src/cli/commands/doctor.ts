import { unlessStopped } from '../../diagnostics/diagnostic.ts';
import { type Check, examinePlatform, examineState, neededFor } from '../../operate/examine.ts';
import { loadManifest } from '../../project/load.ts';
import { openStore } from '../../project/open-store.ts';
import { strayVariables } from '../../project/stage-environment.ts';
import { findTarget } from '../../project/target.ts';
import { doctorJson, renderChecks } from '../../render/doctor-views.ts';
import { type Exit, exitCodes } from '../../render/exit-codes.ts';
import { reportFormats } from '../../render/output-format.ts';
import { type Run, defineCommand } from '../command.ts';
import { withPlatform } from '../connect.ts';

/** The checks, the requests and the exit code of a run. */
type Examined = Parameters<typeof doctorJson>;

const formats = reportFormats<Examined>({
  text: ([checks], { out, outStyle }) => out(renderChecks(checks, outStyle)),
  json: (examined) => doctorJson(...examined),
});

/** Examines what a run needs: address, key, rights, version, capabilities, clock, state. Sends GETs only, each once. */
export const command = defineCommand({
  examples: [
    'trueup doctor',
    'TRUEUP_URL=https://deploy.example.com trueup doctor',
    'trueup doctor --format json | jq \'.checks[] | select(.is != "good")\'',
  ],
  formats,
  execute: async (run, view) => {
    const { options } = run;
    const { platform, state: location } = await findTarget(options);
    const { checks: ofState, state } = await examineState(() => openStore(location, options));
    return withPlatform(run, platform, { purpose: 'doctor', isImpatient: true }, async ({ client }) => {
      const url = platform.emulator ? 'the embedded emulator' : platform.url;
      const discovers = !platform.emulator;
      const { kinds } = options;
      const needed = await operationsNeeded(run);
      const input = { client, url, discovers, kinds, clock: run.clock, remembered: state?.platform, needed };
      const checks = [...(await examinePlatform(input)), ...ofState, ...examineVariables(options)];
      const exit = exitOf(checks);
      view.report([checks, client.counts, exitCodes[exit].code]);
      return exit;
    });
  },
});

/** The variables of stages that no root file of the folder reads. */
function examineVariables({ env, folder }: Run['options']): Check[] {
  return strayVariables(env, folder).map(({ name, guess }) => ({
    name: 'variables',
    is: 'warning',
    message: `no root file of this folder reads ${name}`,
    remedy:
      guess === undefined
        ? 'Write TRUEUP__<STAGE>__API_KEY: the stage is the name of its root file.'
        : `Did you mean ${guess}?`,
  }));
}

/** The operations that an apply of the manifest can need; undefined where it cannot be read, which other commands report. */
async function operationsNeeded({ options }: Run) {
  const loaded = await unlessStopped(loadManifest(options));
  return loaded && neededFor(loaded.manifest.resources);
}

/** The exit code that a run would end with, by the first thing that is wrong. */
function exitOf(checks: readonly Check[]): Exit {
  const wrong = checks.find(({ is }) => is === 'bad');
  if (wrong === undefined) return 'done';
  return wrong.name === 'key' ? 'authentication' : wrong.name === 'state' ? 'state' : 'failed';
}
