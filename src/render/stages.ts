import type { StagesDocument } from './document-schemas.ts';
import { exitCodes, isErrorCode } from './exit-codes.ts';
import { type Screen, printJson } from './output-format.ts';
import { bytesOf, code, marker } from './markdown.ts';
import { maxBytes } from './markdown-report.ts';
import { printable } from './printable.ts';
import type { ReviewSite } from './report-links.ts';

/** The end of a stage in a run of several. */
export interface StageEnd {
  readonly stage: string;
  readonly file: string;
  /** undefined: a stage before it failed, and it was not begun. */
  readonly exitCode: number | undefined;
  /** How it ended, in a few words, where it gave some. */
  readonly words?: string | undefined;
}

/**
 * The exit code of several runs: that of the first error; else, where a signal kept one from beginning, that of a signal; else
 * changes, then known drift, then done.
 */
export function exitCodeOf(ends: readonly Pick<StageEnd, 'exitCode'>[]): number {
  const codes = ends.flatMap(({ exitCode }) => exitCode ?? []);
  const milder = [exitCodes.changes.code, exitCodes['known drift'].code];
  const cut = codes.length < ends.length ? exitCodes.interrupted.code : undefined;
  return codes.find(isErrorCode) ?? cut ?? milder.find((one) => codes.includes(one)) ?? exitCodes.done.code;
}

/** How each stage ended, in one line: `staging: 2 to update; production: failed, exit code 4; eu: not run`. */
function stagesLine(ends: readonly StageEnd[]): string {
  return ends.map((end) => `${printable(end.stage)}: ${printable(wordsOf(end))}`).join('; ');
}

function wordsOf({ exitCode, words }: StageEnd): string {
  if (exitCode === undefined) return 'not run';
  if (isErrorCode(exitCode)) return `failed, exit code ${exitCode}`;
  if (words !== undefined) return words;
  return { [exitCodes.changes.code]: 'changes', [exitCodes['known drift'].code]: 'known drift' }[exitCode] ?? 'done';
}

/** What several runs printed as JSON, as one document. */
function stagesJson(ends: readonly (StageEnd & { readonly printed: string })[], exitCode: number): StagesDocument {
  const notRun = ends.filter((end) => end.exitCode === undefined).map(({ stage }) => stage);
  return {
    format: 'trueup/stages',
    version: 1,
    exitCode,
    stages: ends.flatMap(({ stage, file, exitCode: own, printed }) =>
      own === undefined ? [] : [{ stage, file, exitCode: own, documents: documentsIn(printed) }],
    ),
    ...(notRun.length === 0 ? {} : { notRun }),
  };
}

/** Documents that are indented, or one per line. */
function documentsIn(text: string): StagesDocument['stages'][number]['documents'] {
  const parts = text.split(/\n(?=\{)/).filter((part) => part !== '');
  return parts.map((part) => JSON.parse(part) as { format: string });
}

/** The place of a section about one stage in a comment about several. */
export function sectionSite(
  site: ReviewSite,
  { stage, file }: Pick<StageEnd, 'stage' | 'file'>,
  count: number,
): ReviewSite {
  return { ...site, file, stage, maxBytes: Math.floor((maxBytes - ofTop) / count) - 2 };
}

/** Bytes that are kept for what stands above the sections. */
const ofTop = 4_096;

/** A comment about several stages: a line about all of them, and a section for each. `sections`: Markdown by `sectionSite`. */
export function renderStagesMarkdown(
  command: Parameters<typeof marker>[0],
  stages: readonly (StageEnd & { readonly printed: string })[],
  site: ReviewSite,
): string {
  const lines = stages.map((end) => `- ${code(end.stage)}: ${code(wordsOf(end))}`);
  const list = bytesOf(lines.join('\n')) > ofTop / 2 ? [] : [lines.join('\n')];
  const top = [marker(command, site), `## Trueup ${command}: ${stages.length} stages`, ...list];
  return `${[...top, ...stages.map(({ printed }) => printed.trim()).filter((text) => text !== '')].join('\n\n')}\n`;
}

/** The stages of a run of several when all of them have ended, with what they printed on stdout. */
type Ended = readonly (StageEnd & { readonly printed: string })[];

/** A format of a run of several. */
interface StagesFormat {
  /** What a stage prints on stdout is kept until all of them have ended. */
  readonly isKept: boolean;
  /** Prints what is about all stages; `command` is the name of the command. */
  readonly end: (screen: Screen, ends: Ended, command: string) => void;
}

/** The formats of a run of several. Those that are not here are for one root file. */
export const stagesFormats: Readonly<Record<string, StagesFormat>> = {
  text: { isKept: false, end: ({ out }, ends) => out(`\n${stagesLine(ends)}\n`) },
  json: { isKept: true, end: (screen, ends) => printJson(screen, stagesJson(ends, exitCodeOf(ends))) },
  markdown: {
    isKept: true,
    // The commands with this format are those that have a marker.
    end: ({ out, site }, ends, command) =>
      out(renderStagesMarkdown(command as Parameters<typeof marker>[0], ends, site())),
  },
};
