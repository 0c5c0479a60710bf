import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { missingSecrets } from '../../manifest/needed-secrets.ts';
import { checkManifest } from '../../project/load.ts';
import { sealedNames } from '../../project/sealed-secrets.ts';
import { howToGiveIn } from '../../project/secret-remedies.ts';
import { validationJson } from '../../render/diagnostics-json.ts';
import { diagnosticCases, diagnosticResults, diagnosticRules } from '../../render/finding-views.ts';
import { type Formats, type View, jsonView, printJson, textView } from '../../render/output-format.ts';
import { junitXml } from '../../render/junit.ts';
import { counted } from '../../render/fold-lines.ts';
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
  /** The names of the variables that each preview is given: the values that hold them were not checked. */
  readonly variablesMissing: readonly string[];
  /** Those of the missing ones that no sealed file has. */
  readonly gaps: readonly string[];
  /** The manifest declares sealed files, or sources that `validate` does not ask. */
  readonly sources: { readonly isSealed: boolean; readonly isOther: boolean };
  /** How to give those of the gaps, where that is not plain. */
  readonly remedy: string | undefined;
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
    valid: (result) => printJson(screen, validationJson({ ...result, secretsUnsealed: unsealed(result) })),
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

/** The names that no source can have: of sources other than sealed files nothing is known. */
function unsealed({ gaps, sources: { isSealed, isOther } }: Validation): readonly string[] {
  return isSealed && !isOther ? gaps : [];
}

/** What was checked, and what was not: `3 resources, but 1 secret is missing: DB. Values that hold it were not checked`. */
function summary(result: Validation): string {
  const { variablesMissing: names } = result;
  if (names.length === 0) return besideVariables(result);
  const [variables, them] = names.length === 1 ? ['the variable', 'it'] : ['the variables', 'them'];
  const why = `--var gives each preview ${variables} ${names.join(', ')}, and values that hold ${them} were not checked`;
  return `${besideVariables(result)}. ${why}`;
}

function besideVariables({ resources, secretsMissing, gaps, sources, remedy }: Validation): string {
  const checked = counted(resources, 'resource');
  const sealed = secretsMissing.length - gaps.length;
  const ofSealed = `values of ${counted(sealed, 'sealed secret')}`;
  if (gaps.length === 0) return sealed === 0 ? checked : `${checked}; ${ofSealed} were not checked`;
  const isOne = gaps.length === 1;
  const where = sources.isOther
    ? `not in the environment, and validate asks no other source${sources.isSealed ? ' than sealed files' : ''}`
    : sources.isSealed
      ? 'in no sealed file'
      : 'missing';
  const named = `${counted(gaps.length, 'secret')} ${isOne ? 'is' : 'are'} ${where}: ${gaps.join(', ')}`;
  const values = `Values that hold ${isOne ? 'it' : 'them'} were not checked`;
  const rest = sealed === 0 ? '' : `, nor were ${ofSealed}`;
  return `${checked}, but ${named}. ${values}${rest}${remedy === undefined ? '' : `. ${remedy.replace(/\.$/, '')}`}`;
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
    const { resources, settings, variables } = manifest;
    const { secrets } = settings;
    const secretsMissing = missingSecrets(manifest).toSorted();
    const sealed = await sealedNames(run.options, secrets);
    const gaps = secretsMissing.filter((name) => !sealed.has(name));
    const isOther = secrets.some(({ is }) => is !== 'sealed');
    view.valid({
      file: run.options.file,
      resources: resources.length,
      warnings,
      secretsMissing,
      variablesMissing: [...variables].flatMap(([name, { value }]) => ('givenBy' in value ? name : [])),
      gaps,
      sources: { isSealed: secrets.some(({ is }) => is === 'sealed'), isOther },
      remedy: gaps.length === 0 || isOther ? undefined : howToGiveIn(run.options, settings, sealed)(gaps),
    });
    return 'done';
  },
});
