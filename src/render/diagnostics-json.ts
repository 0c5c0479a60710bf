import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { defined } from '../formats/json.ts';
import type { DiagnosticDocument, ErrorDocument, ValidationDocument } from './document-schemas.ts';

/** One diagnostic as a document. */
export function diagnosticJson(item: Diagnostic): DiagnosticDocument {
  const { code, severity, message, details, remedy, address, position, quote } = item;
  return {
    code,
    severity,
    message,
    ...defined({ details, remedy, address, position, quote }),
  };
}

/** The errors that ended a run, as a document. */
export function errorJson(diagnostics: ErrorDocument['diagnostics'], exitCode: number): ErrorDocument {
  return { format: 'trueup/error', version: 1, exitCode, diagnostics };
}

/** A valid manifest, as a document. */
export function validationJson({
  resources,
  warnings,
  secretsMissing,
  secretsUnsealed,
  variablesMissing,
}: {
  readonly resources: number;
  readonly warnings: readonly Diagnostic[];
  readonly secretsMissing: readonly string[];
  readonly secretsUnsealed: readonly string[];
  readonly variablesMissing: readonly string[];
}): ValidationDocument {
  return {
    format: 'trueup/validation',
    version: 1,
    resources,
    secretsMissing: secretsMissing.length === 0 ? undefined : secretsMissing,
    secretsUnsealed: secretsUnsealed.length === 0 ? undefined : secretsUnsealed,
    variablesMissing: variablesMissing.length === 0 ? undefined : variablesMissing,
    diagnostics: warnings.map(diagnosticJson),
  };
}
