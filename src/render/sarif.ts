import type { Position } from '../diagnostics/diagnostic.ts';
import { printable } from './printable.ts';
import { type ReviewSite, fileInRepository } from './report-links.ts';

/** A log in SARIF 2.1.0, as far as Trueup writes one: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html */

type Level = 'error' | 'warning' | 'note';

/** One result of a log. */
export interface SarifResult {
  /** The key of its rule. */
  readonly rule: string;
  readonly level: Level;
  /** Lines of plain text. */
  readonly lines: readonly string[];
  /** undefined: it belongs to no line, and gets the first one of the manifest. */
  readonly position: Position | undefined;
  /** The same in every run, wherever its line moves. */
  readonly fingerprint: string;
  /** The reason for which it was accepted. */
  readonly accepted?: string | undefined;
  /** Compared with earlier runs. */
  readonly since?: 'new' | 'unchanged' | undefined;
}

/** A rule that results follow. */
export interface SarifRule {
  readonly meaning: string;
  readonly remedy: string;
  readonly level: Level;
  /** The page about it, below `docs`. */
  readonly page: string;
}

/** Renders a log of one run. Only rules that have results are part of it. */
export function sarifLog(
  { command, results, isSuccessful }: { command: string; results: readonly SarifResult[]; isSuccessful: boolean },
  rules: ReadonlyMap<string, SarifRule>,
  site: ReviewSite,
): object {
  const used = [...rules].filter(([id]) => results.some(({ rule }) => rule === id));
  const indexes = new Map(used.map(([id], at) => [id, at]));
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'Trueup',
            informationUri: docs('README.md'),
            rules: used.map(([id, rule]) => ruleOf(id, rule)),
          },
        },
        automationDetails: { id: `trueup/${command}/${site.key}/` },
        invocations: [{ executionSuccessful: isSuccessful }],
        columnKind: 'utf16CodeUnits',
        originalUriBaseIds: { [root]: { description: { text: 'The root of the repository.' } } },
        results: results.map((result) => resultOf(result, indexes.get(result.rule), site)),
      },
    ],
  };
}

const root = '%SRCROOT%';

/** The pages that the package holds. */
function docs(page: string): string {
  return `https://unpkg.com/trueup/docs/${page}`;
}

function ruleOf(id: string, { meaning, remedy, level, page }: SarifRule): object {
  return {
    id,
    shortDescription: { text: meaning },
    fullDescription: { text: `${meaning} ${remedy}` },
    help: { text: `${meaning}\n${remedy}` },
    helpUri: docs(page),
    defaultConfiguration: { level },
  };
}

function resultOf(
  { rule, level, lines, position, fingerprint, accepted, since }: SarifResult,
  ruleIndex: number | undefined,
  site: ReviewSite,
): object {
  return {
    ruleId: rule,
    ruleIndex,
    level,
    message: { text: lines.map(plain).join('\n') },
    locations: [{ physicalLocation: locationOf(position, site) }],
    ...(position?.uses && {
      relatedLocations: position.uses.map((use) => ({ physicalLocation: locationOf(use, site) })),
    }),
    // GitHub takes the first one, and makes one of its own from the text of the line where it is missing.
    partialFingerprints: { primaryLocationLineHash: plain(fingerprint), 'trueup/v1': plain(fingerprint) },
    baselineState: since,
    suppressions:
      accepted === undefined ? undefined : [{ kind: 'external', status: 'accepted', justification: plain(accepted) }],
  };
}

/** A file outside of the repository has no place there, so that its results get the manifest. */
function locationOf(position: Position | undefined, site: ReviewSite): object {
  const path = position === undefined ? undefined : fileInRepository(site, position.file);
  if (position === undefined || path === undefined) {
    return { artifactLocation: artifact(fileInRepository(site, site.file) ?? site.file), region: { startLine: 1 } };
  }
  const { line, column, endColumn } = position;
  return { artifactLocation: artifact(path), region: { startLine: line, startColumn: column, endColumn } };
}

function artifact(path: string): object {
  return { uri: path.split('/').map(encodeURIComponent).join('/'), uriBaseId: root };
}

/** Plain text of a message, in which nothing is an embedded link. */
function plain(text: string): string {
  return printable(text).replaceAll('](', '] (');
}
