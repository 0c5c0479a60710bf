import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { missingSecrets } from '../../manifest/ask-sources.ts';
import { checkManifest } from '../../project/load.ts';
import { unsealedNames } from '../../project/sealed-secrets.ts';
import { validationJson } from '../../render/diagnostics-json.ts';
import { diagnosticCases, diagnosticResults, diagnosticRules } from '../../render/finding-views.ts';
import { type Formats, type View, jsonView, printJson, textView } from '../../render/output-format.ts';
import { junitXml } from '../../render/junit.ts';
import { counted } from '../../render/lines.ts';
import { junitView, sarifView } from '../../render/report-views.ts';
import { sarifLog } from '../../render/sarif.ts';
import { defineCommand } from '../command.ts';
import { loadFor } from '../connect.ts';

/** A manifest without errors. */
interface Validation {
  readonly file: string;
  /** The number of resources. */
  readonly resources: number;
  readonly warnings: readonly Diagnostic[];
  /** The names of the secrets that the environment does not have: the values that hold them were not checked. */
  readonly secretsMissing: readonly string[];
  /** The manifest declares other sources of secrets, which `validate` does not ask. */
  readonly hasSources: boolean;
  /** Those of the missing ones that no sealed file has, where it declares no other source. */
  readonly secretsUnsealed: readonly string[];
}

/** Prints what `validate` reports. */
interface ValidateView extends View {
  readonly valid: (result: Validation) => void;
}

const formats: Formats<ValidateView> = {
  text: (screen) => ({
    ...textView(screen),
    valid: (result) => screen.out(`${result.file} is valid: ${summary(result)}.\n`),
  }),
  json: (screen) => ({
    ...jsonView(screen),
    valid: (result) => printJson(screen, validationJson(result)),
  }),
  sarif: (screen) => ({
    ...sarifView(screen, 'validate'),
    valid: ({ warnings }) => {
      const log = { command: 'validate', results: diagnosticResults(warnings), isSuccessful: true };
      printJson(screen, sarifLog(log, diagnosticRules, screen.site()));
    },
  }),
  junit: (screen) => ({
    ...junitView(screen, 'validate'),
    valid: (result) => {
      const manifest = { group: 'manifest', name: result.file, output: [summary(result)] };
      screen.out(junitXml('trueup validate', [manifest, ...diagnosticCases(result.warnings, screen.site())]));
    },
  }),
};

/** What was checked, and what was not: `3 resources, but 1 secret is missing: DB. Values that hold it were not checked`. */
function summary({ resources, secretsMissing, hasSources, secretsUnsealed }: Validation): string {
  const checked = counted(resources, 'resource');
  if (secretsMissing.length === 0) return checked;
  const isOne = secretsMissing.length === 1;
  const those = `${counted(secretsMissing.length, 'secret')} ${isOne ? 'is' : 'are'}`;
  const where = hasSources ? 'not in the environment, and validate asks no other source' : 'missing';
  const unsealed = secretsUnsealed.length === 0 ? '' : `. No sealed file has ${secretsUnsealed.join(', ')}`;
  return `${checked}, but ${those} ${where}: ${secretsMissing.join(', ')}. Values that hold ${isOne ? 'it' : 'them'} were not checked${unsealed}`;
}

/** Checks the manifest without a request. */
export const command = defineCommand({
  options: { '--full': 'show each error, also when there are more than 50' },
  examples: [
    'trueup validate',
    'trueup validate --full',
    'trueup validate -C deploy --format json',
    'trueup validate --format sarif > trueup.sarif',
  ],
  formats,
  several: { runs: 'at once', takesPreviews: true },
  execute: async (run, view) => {
    const { manifest, warnings } = await loadFor(run, checkManifest);
    const { resources, settings } = manifest;
    const secretsMissing = missingSecrets(manifest).toSorted();
    view.valid({
      file: run.options.file,
      resources: resources.length,
      warnings,
      secretsMissing,
      secretsUnsealed: await unsealedNames(run.options, settings.secrets, secretsMissing),
      hasSources: settings.secrets.length > 0,
    });
    return 'done';
  },
});
