import type { Code } from '../../src/diagnostics/codes.ts';
import { codes } from '../../src/diagnostics/codes.ts';
import type { Diagnostic } from '../../src/diagnostics/diagnostic.ts';
import { renderDiagnostic } from '../../src/render/diagnostics-text.ts';
import { plainStyle } from '../../src/render/style.ts';
import { code, page, table } from './markdown.ts';

/** The columns within which examples are folded. */
const columns = 110;

/** The files of a manifest, by name. */
type Files = Readonly<Record<string, string>>;

/** The page of all codes: each with an example that a run reported, for some of a manifest that is shown. */
export function renderDiagnosticDocs(
  examples: ReadonlyMap<Code, Diagnostic>,
  manifests: Readonly<Partial<Record<Code, Files>>>,
): string {
  return page([
    '# Diagnostics',
    `The ${names.length} codes that an error, a warning or a note can have. An error stops the run, or what depends on it; a ` +
      'warning or a note does not. `trueup explain CODE` prints the section of a code. In JSON the code is the member `code` of ' +
      'each entry of `diagnostics` and `notes` ([JSON output](json-output.md)).',
    table(
      ['code', 'severity', 'meaning'],
      names.map((name) => [`[${code(name)}](#${name})`, codes[name].severity, codes[name].meaning]),
    ),
    ...names.flatMap((name) => sectionOf(name, examples.get(name), manifests[name] ?? {})),
  ]);
}

const names = (Object.keys(codes) as Code[]).toSorted();

function sectionOf(name: Code, example: Diagnostic | undefined, files: Files): readonly string[] {
  if (example === undefined) throw new Error(`the code ${name} has no example`);
  const { severity, meaning, remedy } = codes[name];
  const lines = renderDiagnostic(example, { ...plainStyle, width: columns }).map((line) => `${line}\n`);
  return [
    `## ${name}`,
    `${article(severity)}. ${meaning}`,
    ...Object.entries(files).flatMap(([file, text]) => [`${code(file)}:`, `\`\`\`yaml\n${text}\`\`\``]),
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
