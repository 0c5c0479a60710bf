import { codes } from '../diagnostics/codes.ts';
import { type Reported, renderDiagnostic } from './diagnostics-text.ts';
import type { JunitCase } from './junit.ts';
import { type ReviewSite, fileInRepository } from './report-links.ts';
import type { SarifResult, SarifRule } from './sarif.ts';
import { plainStyle } from './style.ts';

/** The codes of diagnostics as rules. */
export const diagnosticRules: ReadonlyMap<string, SarifRule> = new Map(
  Object.entries(codes).map(([code, { meaning, remedy, severity }]) => {
    return [code, { meaning, remedy, level: severity, page: `diagnostics.md#${code}` }] as const;
  }),
);

/** Diagnostics as results. A fingerprint has the number of equal ones before it. */
export function diagnosticResults(diagnostics: readonly Reported[]): SarifResult[] {
  const seen = new Map<string, number>();
  return diagnostics.map((item) => {
    const { code, severity, message, details = [], remedy, address, position } = item;
    const key = address === undefined ? code : `${code} ${address}`;
    const count = (seen.get(key) ?? 0) + 1;
    seen.set(key, count);
    return {
      rule: code,
      level: severity,
      lines: [
        address === undefined ? message : `${address}: ${message}`,
        ...details,
        ...(remedy === undefined ? [] : [remedy]),
      ],
      position,
      fingerprint: count === 1 ? key : `${key} ${count}`,
    };
  });
}

/** Diagnostics as cases: errors fail, the others pass and say why. */
export function diagnosticCases(diagnostics: readonly Reported[], site: ReviewSite): JunitCase[] {
  return diagnostics.map((item) => {
    const { code, address, position, severity } = item;
    const at = position === undefined ? '' : ` ${position.file}:${position.line}:${position.column}`;
    return {
      group: severity,
      name: `${code}${address === undefined ? at : ` ${address}`}`,
      file: position === undefined ? undefined : fileInRepository(site, position.file),
      ...problemOf(item),
    };
  });
}

/** How a case ends that has these diagnostics, the first error first. */
export function problemOf(...items: readonly Reported[]): Required<Pick<JunitCase, 'problem' | 'output'>> {
  const lines = (all: readonly Reported[]) => all.flatMap((item) => renderDiagnostic(item, plainStyle));
  const errors = items.filter(({ severity }) => severity === 'error');
  const others = items.filter(({ severity }) => severity !== 'error');
  const [first] = errors;
  return {
    problem: first && { is: 'failure', type: first.code, message: first.message, lines: lines(errors) },
    output: lines(others),
  };
}
