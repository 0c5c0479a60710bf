/** What one run found out, for its people and for a report: names of checks and members, and no value of any object. */
export interface Report {
  readonly trueup: string;
  readonly node: string;
  /** As the platform says it; undefined where it does not. */
  readonly platform: string | undefined;
  /** The role of the key. */
  readonly role: string;
  readonly mark: string;
  readonly checks: readonly Checked[];
  /** What was there before and is not as it was. */
  readonly differences: readonly string[];
  /** Writes that would have touched what was there before. */
  readonly heldBack: readonly string[];
  /** What could not be removed. */
  readonly left: readonly string[];
  readonly requests: { readonly reads: number; readonly writes: number };
}

/** How one check ended. */
export interface Checked {
  readonly title: string;
  readonly result: 'passed' | 'failed' | 'skipped';
  readonly why?: string;
}

/** Whether a report has nothing that is wrong. */
export function isGood({ checks, differences, heldBack, left }: Report): boolean {
  return checks.every(({ result }) => result !== 'failed') && [...differences, ...heldBack, ...left].length === 0;
}

/** The end of a run in a few lines. */
export function summary(report: Report): string {
  const count = (result: Checked['result']) => report.checks.filter((check) => check.result === result).length;
  const { differences, heldBack, left, requests } = report;
  const listed = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)];
  return [
    `${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped; ${requests.reads} reads, ${requests.writes} writes`,
    ...listed('What was there before is not as it was (somebody else may have changed it meanwhile):', differences),
    ...listed('Held back, because it would have touched what was there before:', heldBack),
    ...listed(`Still there; the next run removes what begins with trueup-live-:`, left),
    differences.length === 0 ? 'Everything that was there before is as it was.' : '',
  ]
    .filter((line) => line !== '')
    .join('\n');
}
