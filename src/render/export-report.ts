import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnosticJson } from './diagnostics-json.ts';
import type { ExportDocument } from './document-schemas.ts';
import { counted, requestCounts } from './fold-lines.ts';
import { printable } from './printable.ts';
import type { Style } from './style.ts';

/** The result of `export`. */
export interface ExportReport {
  readonly project: string;
  readonly folder: string;
  /** The kind of each new block, by address. */
  readonly blocks: ReadonlyMap<string, string>;
  /** Below the folder, in the order of their names; not the file of secrets. */
  readonly files: readonly string[];
  /** The command of git without which a plan does not read these files; undefined: it reads them. */
  readonly toAdd: string | undefined;
  /** The new one of these with what all projects share. */
  readonly sharedFile?: string | undefined;
  readonly secrets: readonly { readonly name: string; readonly usedBy: readonly string[] }[];
  readonly secretsFile: string | undefined;
  /** The manifest finds the values of the secrets by itself. */
  readonly isSecretsFileNamed: boolean;
  /** Each value in it is sealed. */
  readonly isSecretsFileSealed: boolean;
  /** What makes the export less than it may be. */
  readonly warnings: readonly Diagnostic[];
  readonly notes: readonly Diagnostic[];
  /** The manifest has no other changes. */
  readonly isEmpty: boolean;
  readonly counts: { readonly reads: number; readonly writes: number };
}

/** What was exported as a document. */
export function exportJson({
  project,
  folder,
  blocks,
  files,
  secrets,
  secretsFile,
  warnings,
  notes,
  counts,
}: Omit<ExportReport, 'isEmpty' | 'isSecretsFileNamed' | 'isSecretsFileSealed' | 'secretsFile' | 'toAdd'> & {
  readonly secretsFile?: string | undefined;
}): ExportDocument {
  return {
    format: 'trueup/export',
    version: 1,
    project,
    folder,
    requests: { reads: counts.reads, writes: counts.writes },
    resources: [...blocks].map(([address, kind]) => ({ address, kind })),
    files,
    secrets: secrets.map(({ name, usedBy }) => ({ name, usedBy })),
    secretsFile,
    diagnostics: [...warnings, ...notes].map(diagnosticJson),
  };
}

/** Most files that are listed one by one. */
const maxFiles = 12;

/** What was exported, and what to do next. */
export function renderExport(report: ExportReport, style: Style): string {
  const { project, folder, blocks, files, notes, counts } = report;
  if (blocks.size === 0) {
    return `Everything in project ${printable(project)} is managed already, or cannot be.\n${leftOut(notes, style)}`;
  }
  const shown = files.slice(0, maxFiles).map((path) => `  ${printable(path)}\n`);
  const more = files.length > maxFiles ? `  and ${files.length - maxFiles} more\n` : '';
  const first = report.toAdd === undefined ? '' : `${printable(report.toAdd)} lets plans read the new files. Then `;
  const proved = report.isEmpty
    ? 'trueup plan shows no changes now.'
    : 'trueup plan shows no changes of these; it still shows those that the manifest had before.';
  return [
    `Exported ${counted(blocks.size, 'resource')} of project ${printable(project)} into ${printable(folder)}:\n`,
    ...shown,
    more,
    secretLines(report),
    sharedLines(report),
    leftOut(notes, style),
    `\nNothing changed on the platform. ${first}${proved}\n`,
    style.paint('faint', `${requestCounts(counts)}\n`),
  ].join('');
}

function secretLines(report: ExportReport): string {
  const { files, secrets, secretsFile, isSecretsFileNamed, isSecretsFileSealed } = report;
  if (secrets.length === 0) return '';
  if (isSecretsFileSealed && secretsFile !== undefined)
    return `\n${counted(secrets.length, 'secret')} in ${printable(secretsFile)}, sealed: it can be in git.\n`;
  const list = files.find((path) => path.endsWith('secrets.env.example')) ?? 'secrets.env.example';
  const named = `\n${counted(secrets.length, 'secret')}, listed in ${printable(list)}`;
  if (secretsFile === undefined)
    return `${named}. --with-secrets FILE writes ${secrets.length === 1 ? 'its value' : 'their values'} too.\n`;
  const where = `${secrets.length === 1 ? 'its value is' : 'their values are'} in ${printable(secretsFile)}`;
  const git = secretsFile.endsWith('.age') ? ', encrypted: it can be in git.' : '. Keep it out of git.';
  const rest = isSecretsFileNamed ? '' : ' Name it under secrets: in trueup.yaml, or set TRUEUP_SECRET_<NAME>.';
  return `${named}; ${where}${git}${rest}\n`;
}

/** How to keep what another manifest manages: the removal of a block alone deletes its object. */
function sharedLines({ sharedFile }: ExportReport): string {
  if (sharedFile === undefined) return '';
  return [
    `\nAll projects of the organization share what ${sharedFile} declares; one manifest alone may manage it.`,
    'What another one manages, remove here before the next apply: trueup state rm ADDRESS, then its block.\n',
  ].join('\n');
}

function leftOut(notes: readonly Diagnostic[], style: Style): string {
  // An object that the Terraform state does not have can be in the export.
  const isOfTerraform = ({ code }: Diagnostic) => code === 'not-in-both';
  const differs = notes.filter(isOfTerraform);
  const others = notes.filter((note) => !isOfTerraform(note));
  return (
    listOf('Not the same as in the Terraform state:', differs, style) +
    listOf('Left out, and left alone:', others, style)
  );
}

function listOf(title: string, notes: readonly Diagnostic[], style: Style): string {
  if (notes.length === 0) return '';
  const lines = notes.map(({ address, message, remedy }) => {
    const where = address === undefined ? '' : `${printable(address)}: `;
    return `  ${where}${printable(message)}\n${remedy === undefined ? '' : `    -> ${printable(remedy)}\n`}`;
  });
  return `\n${style.paint('strong', title)}\n${lines.join('')}`;
}
