import type { Code } from '../../src/diagnostics/codes.ts';
import { codes } from '../../src/diagnostics/codes.ts';
import type { Diagnostic } from '../../src/diagnostics/diagnostic.ts';
import { renderDiagnostic } from '../../src/render/diagnostics-text.ts';
import { plainStyle } from '../../src/render/style.ts';
import { code, page, table } from './markdown.ts';

/** The columns within which examples are folded. */
const columns = 110;

/** The page that lists all codes of diagnostics. */
export function renderDiagnosticIndex(): string {
  return page([
    '# Diagnostics',
    `The ${names.length} codes that an error, a warning or a note can have. An error stops the run, or what depends on it; a ` +
      'warning or a note does not. `trueup explain CODE` prints the page of a code. In JSON the code is the member `code` of ' +
      'each entry of `diagnostics` and `notes` ([JSON output](json-output.md)).',
    table(
      ['code', 'severity', 'meaning'],
      names.map((name) => [`[${code(name)}](diagnostics/${name}.md)`, codes[name].severity, codes[name].meaning]),
    ),
  ]);
}

const names = (Object.keys(codes) as Code[]).toSorted();

/** The files of a manifest, by name. */
type Files = Readonly<Record<string, string>>;

/** A page for each code, by its file name; each example is one that a run reported, for some of a manifest that is shown. */
export function diagnosticPages(
  examples: ReadonlyMap<Code, Diagnostic>,
  manifests: Readonly<Partial<Record<Code, Files>>>,
): ReadonlyMap<string, string> {
  return new Map(names.map((name) => [`${name}.md`, pageOf(name, examples.get(name), manifests[name] ?? {})]));
}

function pageOf(name: Code, example: Diagnostic | undefined, files: Files): string {
  if (example === undefined) throw new Error(`the code ${name} has no example`);
  const { severity, meaning, remedy } = codes[name];
  const lines = renderDiagnostic(example, { ...plainStyle, width: columns }).map((line) => `${line}\n`);
  return page([
    `# ${name}`,
    `${article(severity)}. ${meaning}`,
    ...Object.entries(files).flatMap(([file, text]) => [`${code(file)}:`, `\`\`\`yaml\n${text}\`\`\``]),
    `\`\`\`text\n${lines.join('')}\`\`\``,
    `**Remedy:** ${remedy}`,
    '[All codes](../diagnostics.md)',
  ]);
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
