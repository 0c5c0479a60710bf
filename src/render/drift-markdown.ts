import { remediesFor } from '../drift/remedies.ts';
import type { Finding } from '../drift/finding.ts';
import { isFresh } from '../drift/finding.ts';
import { diffLines, diffStyle } from './diff-lines.ts';
import type { DriftView } from './drift-json.ts';
import { bySubject, legendOf, renderFinding, sections, subjectOf, verdictWords } from './drift-text.ts';
import { requestCounts } from './lines.ts';
import { code } from './markdown.ts';
import type { Place, ReportBlock } from './markdown-report.ts';
import {
  composeReport,
  diagnosticParts,
  fitting,
  fittingBlocks,
  renderPositions,
  reportBlock,
  reportTop,
} from './markdown-report.ts';
import type { ReviewSite } from './review-site.ts';

/** Renders what `drift` found as Markdown for an issue or a comment: counts first, then what is new, with what to do. */
export function renderDriftMarkdown(view: DriftView, site: ReviewSite): string {
  const { drift, counts, about, isFull, command } = view;
  const place = { site, commit: about.commit?.id };
  const blocks = sections.flatMap(({ status, title }) => {
    const found = drift.findings.filter((finding) => finding.status === status);
    return [...bySubject(found)].map(([subject, group], at) =>
      blockOf(subject, group, { view, place, heading: at === 0 ? `#### ${title(found.length)}` : undefined }),
    );
  });
  const resolved = drift.resolved.map((entry) => `- ${code(subjectOf(entry))}`);
  const ignored = drift.ignored.map(({ found, because }) => {
    return `- ${code(subjectOf(found))}${because === undefined ? '' : `: ${code(because)}`}`;
  });
  const { location, isUpdated } = drift.memory;
  const frame = {
    top: reportTop('drift', `drift: ${verdictWords(view)}`, site, about),
    end: [
      ...(isUpdated ? [`Remembered in ${code(location)}.`] : []),
      ...legendOf(drift.findings, (before, after) => `- ${before}, + ${after}`).map((words) => `<sub>${words}</sub>`),
      `<sub>compared with ${requestCounts(counts)}</sub>`,
    ],
    showing: command({ words: ['drift'], options: [['--full']] }),
  };
  const others = { noun: 'finding', ends: 'places and commands' };
  return composeReport(frame, [
    (room) => fittingBlocks(blocks, room * mostOfFindings, { ...others, noun: 'object' }),
    (room) => listOf('Resolved', resolved, room),
    (room) => (isFull ? listOf('Ignored', ignored, room) : { parts: [], cuts: [] }),
    (room) => fitting(diagnosticParts(drift.diagnostics, place), room, 'diagnostic'),
  ]);
}

/** The share of a report that findings take. */
const mostOfFindings = 0.8;

function listOf(title: string, items: readonly string[], room: number) {
  return items.length === 0
    ? { parts: [], cuts: [] }
    : fitting([`#### ${title} (${items.length})`, ...items], room, `line of ${title.toLowerCase()}`);
}

function blockOf(
  subject: string,
  group: readonly Finding[],
  { view, place, heading }: { view: DriftView; place: Place; heading: string | undefined },
): ReportBlock {
  const { command, isFull } = view;
  const style = isFull ? { ...diffStyle, isFull: true as const } : diffStyle;
  const [first] = group;
  const remedies = first !== undefined && isFresh(first) ? remediesOf(group, command) : [];
  const positions = renderPositions(
    group.map(({ position }) => position),
    place,
  );
  return reportBlock({
    heading,
    title: subject,
    lines: diffLines(group.flatMap((finding) => renderFinding(finding, style))),
    end: [...positions, ...(remedies.length === 0 ? [] : [remedies.join('\n')])],
  });
}

/** What can be done about the first finding of each sort. */
function remediesOf(group: readonly Finding[], command: DriftView['command']): string[] {
  const sorts = new Map(group.toReversed().map((finding) => [finding.is, finding]));
  return [...sorts.values()].toReversed().flatMap((finding) =>
    remediesFor(finding).map(({ aim, command: words }) => {
      return `- ${aim}${words === undefined ? '' : `: ${code(command(words))}`}`;
    }),
  );
}
