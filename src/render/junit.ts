import { printable } from './printable.ts';

/** One case of a report in the form of JUnit. */
export interface JunitCase {
  /** The column that GitLab calls the suite. */
  readonly group: string;
  readonly name: string;
  /** The path of its file in the repository. */
  readonly file?: string | undefined;
  /** undefined: it passed. */
  readonly problem?:
    | { readonly is: 'failure'; readonly type: string; readonly message: string; readonly lines: readonly string[] }
    | { readonly is: 'skipped'; readonly message: string }
    | undefined;
  /** Lines that say more. */
  readonly output?: readonly string[];
}

/** Renders a report that GitLab, Jenkins and others read as the result of tests. It has no time: its bytes are the same in each run. */
export function junitXml(suite: string, cases: readonly JunitCase[]): string {
  const count = (is: string) => cases.filter(({ problem }) => problem?.is === is).length;
  const counts = {
    name: suite,
    tests: cases.length,
    failures: count('failure'),
    errors: 0,
    skipped: count('skipped'),
    time: 0,
  };
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes(counts)}>`,
    `  <testsuite${attributes(counts)}>`,
    ...withOwnNames(cases).flatMap(caseLines),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

/** Readers take two cases of one name for one. */
function withOwnNames(cases: readonly JunitCase[]): JunitCase[] {
  const seen = new Map<string, number>();
  return cases.map((one) => {
    const key = JSON.stringify([one.group, one.name]);
    const count = (seen.get(key) ?? 0) + 1;
    seen.set(key, count);
    return count === 1 ? one : { ...one, name: `${one.name} (${count})` };
  });
}

function caseLines({ group, name, file, problem, output = [] }: JunitCase): string[] {
  const start = `    <testcase${attributes({ classname: group, name, file, time: 0 })}`;
  const inside = [
    ...(problem === undefined ? [] : [problemText(problem)]),
    ...(output.length === 0 ? [] : [`      <system-out>${textOf(output)}</system-out>`]),
  ];
  return inside.length === 0 ? [`${start}/>`] : [`${start}>`, ...inside, '    </testcase>'];
}

function problemText(problem: NonNullable<JunitCase['problem']>): string {
  if (problem.is === 'skipped') return `      <skipped${attributes({ message: problem.message })}/>`;
  const { type, message, lines } = problem;
  return `      <failure${attributes({ message, type })}>${textOf(lines)}</failure>`;
}

function attributes(values: Readonly<Record<string, string | number | undefined>>): string {
  return Object.entries(values)
    .map(([name, value]) => (value === undefined ? '' : ` ${name}="${escaped(String(value))}"`))
    .join('');
}

function textOf(lines: readonly string[]): string {
  return lines.map(escaped).join('\n');
}

/** Without the characters that XML 1.0 forbids, also as references: they are written as escapes of text. */
function escaped(text: string): string {
  return printable(text)
    .replaceAll(/[\ufffe\uffff]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16)}`)
    .replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
