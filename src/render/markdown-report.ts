import { type Diagnostic, type Position, type Stop, stop } from '../diagnostics/diagnostic.ts';
import { cut } from './columns.ts';
import { type Reported, renderDiagnostic } from './diagnostics-text.ts';
import { textBlock } from './diff-lines.ts';
import { counted } from './fold-lines.ts';
import { bytesOf, code, codeBlock, foldedPart, htmlCode, link, marker } from './markdown.ts';
import { type Head, factsOf } from './plan-head.ts';
import { type ReviewSite, lineUrl } from './report-links.ts';
import { plainStyle } from './style.ts';

/**
 * Most bytes of a report in Markdown. GitHub refuses a comment of more than 65,536 characters; people measured code points,
 * UTF-16 units and bytes in UTF-8, and no text has more of the first two than of the last.
 */
export const maxBytes = 65_536;

/** Paragraphs of a report, and what they leave out. */
export interface Parts {
  readonly parts: readonly string[];
  readonly cuts: readonly string[];
}

/** Where the lines of a report can be read. */
export interface Place {
  readonly site: ReviewSite;
  /** The commit that is checked out. */
  readonly commit: string | undefined;
}

/**
 * Puts a report together. Each section gets the number of bytes that are left, and says what it leaves out; `top` and `end`
 * are always there. `showing`: the command line that shows all.
 * @throws {Stop} `refused`, when a report is too long all the same
 */
export function composeReport(
  { top, end, showing, site }: { top: readonly string[]; end: readonly string[]; showing: string; site: ReviewSite },
  sections: readonly ((room: number) => Parts)[],
): string {
  const seeAll = `To see all: ${code(showing)}`;
  const most = site.maxBytes ?? maxBytes;
  let room = most - sizeOf([...top, ...end, seeAll]) - ofNotice;
  const parts: string[] = [];
  const cuts: string[] = [];
  for (const section of sections) {
    const found = section(room);
    parts.push(...found.parts);
    cuts.push(...found.cuts);
    room -= sizeOf(found.parts);
  }
  const notice = cuts.length === 0 ? [] : [`**Cut to ${most} bytes**: ${cuts.join('; ')}. ${seeAll}`];
  const report = `${joined([...top, ...parts, ...notice, ...end])}\n`;
  if (bytesOf(report) > most) throw tooLong(bytesOf(report), 'the head and the commands of the report');
  return report;
}

/** Bytes that are kept for naming what was cut. */
const ofNotice = 1_000;

/** Refuses a report that is too long even in its shortest form. */
export function tooLong(bytes: number, what: string): Stop {
  return stop('refused', 'report-too-long', `${what} take ${bytes} bytes, and a comment holds ${maxBytes}`, {
    remedy: 'Use --format html or --format json, or plan parts with --target.',
  });
}

/** The first lines of a report: the marker, the title and the facts about where it applies. */
export function reportTop(command: Parameters<typeof marker>[0], title: string, site: ReviewSite, about: Head = {}) {
  const facts = factsOf(about).map(([name, value]) => `${name} ${code(cut(value, maxTitle))}`);
  const head =
    site.stage === undefined
      ? [marker(command, site), `### Trueup ${title}`]
      : [`### ${code(site.stage)}: ${title.replace(`${command}: `, '')}`];
  return [...head, ...(facts.length === 0 ? [] : [facts.join(' · ')])];
}

/** Paragraphs as far as they fit; `noun`: what one of them is. */
export function fitting(paragraphs: readonly string[], room: number, noun: string): Parts {
  const parts: string[] = [];
  let bytes = 0;
  for (const part of paragraphs) {
    bytes += bytesOf(part) + between;
    if (bytes > room) break;
    parts.push(part);
  }
  const left = paragraphs.length - parts.length;
  return { parts, cuts: left === 0 ? [] : [`${counted(left, noun)} left out`] };
}

/** Bytes between two paragraphs. */
const between = 2;

/** Bytes of paragraphs with what stands between them; rather one too many than one too few. */
export function sizeOf(parts: readonly string[]): number {
  return parts.reduce((bytes, part) => bytes + bytesOf(part) + between, 0);
}

function joined(parts: readonly string[]): string {
  const isItem = (part = '') => part.startsWith('- ');
  // Items of a list stand below each other.
  return parts
    .map((part, at) => `${at === 0 ? '' : isItem(part) && isItem(parts[at - 1]) ? '\n' : '\n\n'}${part}`)
    .join('');
}

/** Lines of a diff below a title, which can be cut. */
export interface ReportBlock {
  /** What stands before it in any case, such as a heading. */
  readonly heading?: string | undefined;
  readonly title: string;
  readonly lines: readonly string[];
  /** Bytes of each line. */
  readonly sizes: readonly number[];
  /** Paragraphs behind the lines, where nothing is cut. */
  readonly end: readonly string[];
}

/** A block that was not cut yet. @param block.title plain text */
export function reportBlock(block: Omit<ReportBlock, 'sizes'>): ReportBlock {
  return {
    ...block,
    title: cut(block.title, maxTitle),
    sizes: block.lines.map((line) => bytesOf(line) + 1),
  };
}

/** Columns of a title. */
const maxTitle = 400;

/**
 * Blocks as far as they fit: whole ones; without their ends; with so many bytes of lines each; the first ones with lines and
 * the others by their titles; only the first titles.
 */
export function fittingBlocks(blocks: readonly ReportBlock[], room: number, words: BlockWords): Parts {
  if (blocks.length === 0) return { parts: [], cuts: [] };
  const isOpen = blocks.reduce((lines, block) => lines + block.lines.length, 0) <= maxOpenLines;
  for (const limit of blockLimits) {
    const shown = blocks.map((block) => renderBlock(block, limit, isOpen));
    if (sizeOf(partsOf(shown)) > room) continue;
    return { parts: partsOf(shown), cuts: [...(limit === Infinity ? [] : [words.ends]), ...cutsOf(shown, words)] };
  }
  const titles = blocks.map((block) => renderBlock(block, 0, isOpen));
  const { parts, cuts } = fitting(partsOf(titles), room, words.noun);
  const filled = withLines(blocks.slice(0, parts.length), titles, room - sizeOf(parts));
  return { parts: partsOf(filled), cuts: [words.ends, ...cutsOf(filled, words), ...cuts] };
}

/** What a block is, and what its end says. */
interface BlockWords {
  readonly noun: string;
  readonly ends: string;
}

/** Lines of all blocks that are not folded. */
const maxOpenLines = 40;

/** Most bytes that the lines of each block take, in the order in which they are tried. */
const blockLimits = [Infinity, 16_384, 4_096, 1_024, 512];

interface ShownBlock {
  readonly part: string;
  readonly isCut: boolean;
}

function renderBlock({ heading, title, lines, sizes, end }: ReportBlock, limit: number, isOpen: boolean): ShownBlock {
  let shown = 0;
  for (let bytes = 0; shown < lines.length; shown++) {
    bytes += sizes[shown] ?? 0;
    if (bytes > limit) break;
  }
  const left = lines.length - shown;
  const behind = limit === Infinity ? end : [];
  const before = heading === undefined ? '' : `${heading}\n\n`;
  if (shown === 0) {
    const more = left === 0 ? [] : [`(${counted(left, 'line')} cut)`];
    return { part: `${before}${['-', code(title), ...more, ...behind].join(' ')}`, isCut: left > 0 };
  }
  const diff = codeBlock(
    [...lines.slice(0, shown), ...(left === 0 ? [] : [`  … ${counted(left, 'line')} cut`])],
    'diff',
  );
  return { part: before + foldedPart(htmlCode(title), [diff, ...behind].join('\n\n'), isOpen), isCut: left > 0 };
}

/** Gives the first blocks some lines, as far as they fit. */
function withLines(blocks: readonly ReportBlock[], titles: readonly ShownBlock[], room: number): ShownBlock[] {
  let rest = room;
  return blocks.map((block, at) => {
    const title = titles[at] ?? { part: '', isCut: true };
    if (rest <= 0) return title;
    const whole = renderBlock(block, blockLimits.at(-1) ?? 0, false);
    rest -= bytesOf(whole.part) - bytesOf(title.part);
    return rest < 0 ? title : whole;
  });
}

function partsOf(shown: readonly ShownBlock[]): string[] {
  return shown.map(({ part }) => part);
}

function cutsOf(shown: readonly ShownBlock[], { noun }: BlockWords): string[] {
  const count = shown.filter(({ isCut }) => isCut).length;
  return count === 0 ? [] : [`lines of ${counted(count, noun)}`];
}

/** Names lines of the manifest, the first ones. */
export function renderPositions(positions: readonly (Position | undefined)[], place: Place): string[] {
  const byLine = new Map<string, Position>();
  for (const position of positions) {
    if (position === undefined) continue;
    const key = `${position.file}:${position.line}`;
    if (!byLine.has(key)) byLine.set(key, position);
  }
  const shown = [...byLine.values()].slice(0, maxPositions).map((position) => renderPosition(position, place));
  const more = byLine.size - shown.length;
  return shown.length === 0 ? [] : [`${shown.join(', ')}${more === 0 ? '' : ` and ${counted(more, 'more line')}`}`];
}

/** Lines that a block names. */
const maxPositions = 8;

/** Names a line of the manifest, as a link where it has an address. */
export function renderPosition(position: Position, { site, commit }: Place): string {
  const text = `${position.file}:${position.line}`;
  const url = lineUrl(site, position, commit);
  return url === undefined ? code(text) : link(text, url);
}

/** Diagnostics, a block of text each. */
export function diagnosticParts(diagnostics: readonly Reported[], place: Place): string[] {
  return diagnostics.map((item) => {
    const block = codeBlock(textBlock(renderDiagnostic(item, plainStyle)), 'text');
    return item.position === undefined ? block : `${block}\n\n${renderPosition(item.position, place)}`;
  });
}

/** Renders what ended a run, for a comment of a pull request. */
export function renderFailureMarkdown(
  errors: readonly Diagnostic[],
  command: Parameters<typeof marker>[0],
  site: ReviewSite,
): string {
  const top = reportTop(command, `${command}: failed, ${counted(errors.length, 'error')}`, site);
  const parts = diagnosticParts(errors, { site, commit: undefined });
  const showing = `trueup ${command} --format json`;
  return composeReport({ top, end: [], showing, site }, [(room) => fitting(parts, room, 'error')]);
}
