import type { DriftDocument } from './document-schemas.ts';
import { type Finding, isFresh, renderFinding, storyOf, subjectOf } from './drift-text.ts';
import { diagnosticCases, diagnosticResults, diagnosticRules } from './finding-views.ts';
import { type JunitCase, junitXml } from './junit.ts';
import { type ReviewSite, fileInRepository } from './report-links.ts';
import { type SarifResult, type SarifRule, sarifLog } from './sarif.ts';
import { plainStyle } from './style.ts';

/** Renders what `drift` found as SARIF: a result for each finding, and for each diagnostic. */
export function driftSarif(drift: DriftDocument, site: ReviewSite): object {
  const results = [...drift.findings.map(resultOf), ...diagnosticResults(drift.diagnostics)];
  return sarifLog({ command: 'drift', results, isSuccessful: true }, rules, site);
}

/** Renders what `drift` found in the form of JUnit: new drift fails, what is known or accepted is skipped. */
export function driftJunit(drift: DriftDocument, site: ReviewSite): string {
  const resolved = drift.resolved.map((entry) => ({ group: entry.is, name: subjectOf(entry), output: ['resolved'] }));
  const cases = [
    { group: 'drift', name: 'comparison' },
    ...drift.findings.map((finding) => caseOf(finding, site)),
    ...resolved,
    ...diagnosticCases(drift.diagnostics, site),
  ];
  return junitXml('trueup drift', cases);
}

/** What each sort of finding means, and what to do about it. */
const meanings: Readonly<Record<Finding['is'], readonly [meaning: string, remedy: string]>> = {
  drifted: [
    'The platform has another value than the last apply left there. A -> B: A was applied last, B is on the platform.',
    'Put it back with trueup apply, keep it with trueup drift adopt, or leave it until a day with trueup drift accept.',
  ],
  missing: [
    'The platform does not have the object any more.',
    'Create it again with trueup apply, or remove its block with trueup drift adopt.',
  ],
  unmanaged: [
    'The platform has an object that neither the manifest nor the state names.',
    'Take it into the manifest with trueup export, or delete it on the platform.',
  ],
  duplicate: [
    'A create was sent again, and both may have taken effect.',
    'Compare the two on the platform, and delete the one that you do not need.',
  ],
  'not yet applied': ['The manifest changed since the last apply.', 'Apply the change with trueup apply.'],
};

const rules: ReadonlyMap<string, SarifRule> = new Map<string, SarifRule>([
  ...Object.entries(meanings).map(([name, [meaning, remedy]]) => {
    const level = name === 'not yet applied' ? 'note' : 'warning';
    return [ruleOf(name), { meaning, remedy, level, page: 'drift.md' }] as const;
  }),
  ...diagnosticRules,
]);

function ruleOf(name: string): string {
  return `drift-${name.replaceAll(' ', '-')}`;
}

function resultOf(finding: Finding): SarifResult {
  const { id, is, status, accepted, position, path: _path, remedy, ...object } = finding;
  const [first = '', ...more] = renderFinding(finding, plainStyle);
  return {
    rule: ruleOf(is),
    level: isFresh(finding) ? 'warning' : 'note',
    // The first line of a field names it.
    lines: [`${subjectOf(object)}: ${first}`, ...more, remedy],
    position,
    fingerprint: id,
    since: status === 'not yet applied' ? undefined : isFresh(finding) ? 'new' : 'unchanged',
    accepted:
      status === 'accepted'
        ? accepted && `${accepted.because} (until ${accepted.until}, by ${accepted.by})`
        : undefined,
  };
}

function caseOf(finding: Finding, site: ReviewSite): JunitCase {
  const { is, status, position, remedy } = finding;
  const lines = renderFinding(finding, plainStyle);
  const [first = ''] = lines;
  const common = {
    group: is,
    name: subjectOf(finding),
    file: position === undefined ? undefined : fileInRepository(site, position.file),
  };
  if (isFresh(finding)) {
    const all = [...lines, remedy];
    return { ...common, problem: { is: 'failure', type: ruleOf(is), message: first, lines: all } };
  }
  if (status === 'not yet applied') return { ...common, output: lines };
  const [message = ''] = storyOf(finding);
  return { ...common, problem: { is: 'skipped', message }, output: lines };
}
