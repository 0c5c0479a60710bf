import type { Examined } from '../../operate/examine.ts';
import { controllerDoctorJson, renderChecks } from '../../render/doctor-views.ts';
import { exitCodes } from '../../render/exit-codes.ts';
import { reportFormats } from '../../render/output-format.ts';
import { defineCommand } from '../command.ts';
import { gitOf, gitOptions, labelsOf, withController } from '../controller.ts';

const formats = reportFormats<Parameters<typeof controllerDoctorJson>>({
  text: ([checks], { out, outStyle }) => out(renderChecks(checks, outStyle)),
  json: (examined) => controllerDoctorJson(...examined),
});

/** Examines all that a controller needs. Changes nothing. */
export const command = defineCommand({
  options: {
    '--only <name=value>': {
      about: 'examine the platforms of the workers with the same --only, and what these workers need; repeatable',
      isRepeatable: true,
    },
    ...gitOptions,
  },
  notes:
    'Run it where a worker runs, as its user and with its environment: it reads the same files. It sends at most 10 GETs to each platform.',
  examples: [
    'trueup controller doctor',
    'trueup controller doctor --only site=paris',
    'trueup controller doctor --format json | jq \'.checks[] | select(.is != "good")\'',
  ],
  formats,
  execute: async (run, view, { flags }) => {
    const about = { env: run.options.env, ...gitOf(run, flags), only: labelsOf('--only', flags.only) };
    const checks: readonly Examined<string>[] = await withController(({ examineController }) =>
      examineController(about),
    );
    const exit = checks.some(({ is }) => is === 'bad') ? 'failed' : 'done';
    view.report([checks, exitCodes[exit].code]);
    return exit;
  },
});
