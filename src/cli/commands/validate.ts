import type { ValidateView } from '../../render/formats/validate.ts';
import { validateFormats } from '../../render/formats/validate.ts';
import type { Command } from '../command.ts';
import type { Resource } from '../../manifest/resource.ts';
import { wantedAttributes } from '../../manifest/resource.ts';
import type { Wanted } from '../../manifest/wanted.ts';
import { checkManifest } from '../../project/load.ts';

/** Checks the manifest without a request. */
export const validateCommand: Command<ValidateView> = {
  formats: validateFormats,
  execute: async (run, view) => {
    const { options } = run;
    const { manifest, warnings } = await checkManifest(options);
    run.warn(warnings);
    const { resources, outputs, settings } = manifest;
    view.valid({
      file: options.file,
      resources: resources.length,
      warnings,
      secretsMissing: missingSecrets([...resources.flatMap((one) => wantedIn(one)), ...outputs.values()]),
      hasSources: settings.secrets.length > 0,
    });
    return 'done';
  },
};

function wantedIn(resource: Resource): Wanted[] {
  return [...wantedAttributes(resource)].map(({ wanted }) => wanted);
}

/** The names of the secrets that some values need and this run does not have. */
function missingSecrets(values: readonly Wanted[]): string[] {
  return [...new Set(values.flatMap(({ missing }) => missing))].toSorted();
}
