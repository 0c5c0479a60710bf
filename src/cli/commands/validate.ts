import type { ValidateView } from '../../render/formats/validate.ts';
import { validateFormats } from '../../render/formats/validate.ts';
import type { Command } from '../command.ts';
import { checkManifest } from '../../project/load.ts';

/** Checks the manifest without a request. */
export const validateCommand: Command<ValidateView> = {
  formats: validateFormats,
  execute: async (run, view) => {
    const { options, redactor } = run;
    const { manifest, warnings } = await checkManifest(options, redactor);
    run.warn(warnings);
    view.valid({ file: options.file, resources: manifest.resources.length, warnings });
    return 'done';
  },
};
