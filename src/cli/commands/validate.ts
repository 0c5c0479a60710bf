import { validationJson } from '../../render/diagnostics-json.ts';
import { counted } from '../../render/lines.ts';
import { loadManifest } from '../load.ts';
import type { Command } from '../run.ts';
import { printJson, printWarnings } from '../run.ts';

/** Checks the manifest without a request. */
export const validateCommand: Command = async (run) => {
  const { options, terminal, redactor } = run;
  const { manifest, warnings } = await loadManifest(options, redactor);
  const count = manifest.resources.length;
  printWarnings(run, warnings);
  if (options.isJson) printJson(terminal, validationJson(count, warnings));
  else terminal.out(`${options.file} is valid: ${counted(count, 'resource')}.\n`);
  return 'done';
};
