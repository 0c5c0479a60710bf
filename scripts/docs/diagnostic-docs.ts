import type { Code } from '../../src/diagnostics/codes.ts';
import { codes } from '../../src/diagnostics/codes.ts';
import type { Diagnostic } from '../../src/diagnostics/diagnostic.ts';
import { renderDiagnostic } from '../../src/render/diagnostics-text.ts';
import { plainStyle } from '../../src/render/style.ts';
import { code, page, table } from './markdown.ts';

/** The columns within which examples are folded. */
const columns = 110;

/** The page about all codes of diagnostics; each example is one that a run reported. */
export function renderDiagnosticDocs(examples: ReadonlyMap<Code, Diagnostic>): string {
  const names = (Object.keys(codes) as Code[]).toSorted();
  return page([
    '# Diagnostics',
    `The ${names.length} codes that an error, a warning or a note can have. An error stops the run, or what depends on it; a ` +
      'warning or a note does not. In JSON the code is the member `code` of each entry of `diagnostics` and `notes` ' +
      '([JSON output](json-output.md)).',
    table(
      ['code', 'severity', 'meaning'],
      names.map((name) => [`[${code(name)}](#${name})`, codes[name].severity, codes[name].meaning]),
    ),
    ...names.flatMap((name) => section(name, examples.get(name))),
  ]);
}

function section(name: Code, example: Diagnostic | undefined): string[] {
  if (example === undefined) throw new Error(`the code ${name} has no example`);
  const { severity, meaning, remedy } = codes[name];
  const lines = renderDiagnostic(example, { ...plainStyle, width: columns }).map((line) => `${line}\n`);
  return [
    `## ${name}`,
    `${article(severity)}. ${meaning}`,
    `\`\`\`text\n${lines.join('')}\`\`\``,
    `**Remedy:** ${remedy}`,
  ];
}

function article(severity: Diagnostic['severity']): string {
  switch (severity) {
    case 'error':
      return 'An error';
    case 'warning':
      return 'A warning';
    case 'note':
      return 'A note';
    default:
      return severity satisfies never;
  }
}
