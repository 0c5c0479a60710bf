import type { ControllerKeyDocument } from '../../render/document-schemas.ts';
import { reportFormats } from '../../render/output-format.ts';
import { defineCommand } from '../command.ts';
import { withController } from '../controller.ts';

/** Prints a new key for the states of a controller; keeps none. */
export const command = defineCommand({
  notes: 'Keep a copy where the database is not: without its key no state can be used.',
  examples: ['(umask 077 && trueup controller key > state-key)'],
  formats: reportFormats<string>({
    text: (key, { out }) => out(`${key}\n`),
    json: (key): ControllerKeyDocument => ({ format: 'trueup/controller-key', version: 1, key }),
  }),
  execute: async (_run, view) => {
    view.report(await withController(async ({ newKey }) => newKey()));
    return 'done';
  },
});
