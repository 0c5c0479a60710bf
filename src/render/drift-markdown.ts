import { diffLines, diffStyle } from './diff-lines.ts';
import type { DriftDocument } from './document-schemas.ts';
import { type Finding, byStatus, bySubject, isFresh, legendOf, renderFinding, subjectOf } from './drift-text.ts';
import { requestCounts } from './fold-lines.ts';
import { code } from './markdown.ts';
import {
  type Place,
  type ReportBlock,
  composeReport,
  diagnosticParts,
  fitting,
  fittingBlocks,
  renderPositions,
  reportBlock,
  reportTop,
} from './markdown-report.ts';
import type { ReviewSite } from './report-links.ts';
import type { Style } from './style.ts';
import { verdictOf } from './verdict.ts';

/**
 * Renders what `drift` found as Markdown for an issue or a comment: counts first, then what is new, with what to do.
 * `showing`: the command line that shows all.
 */
export function renderDriftMarkdown(
  drift: DriftDocument,
  site: ReviewSite,
  { showing, isFull }: { readonly showing: string; readonly isFull: boolean },
): string {
  const place = { site, commit: drift.commit?.id };
  const style = { ...diffStyle, isFull };
  const blocks = byStatus(drift.findings).flatMap(({ title, found }) =>
    [...bySubject(found)].map(([subject, group], at) =>
      blockOf(subject, group, { style, place, heading: at === 0 ? `#### ${title} (${found.length})` : undefined }),
    ),
  );
  const resolved = drift.resolved.map((entry) => `- ${code(subjectOf(entry))}`);
  const ignored = (drift.ignored ?? []).map((one) => {
    return `- ${code(subjectOf(one))}${one.because === undefined ? '' : `: ${code(one.because)}`}`;
  });
  const { location, isUpdated } = drift.memory;
  const frame = {
    site,
    top: reportTop('drift', `drift: ${verdictOf(drift)}`, site, drift),
    end: [
      ...(isUpdated ? [`Remembered in ${code(location)}.`] : []),
      ...legendOf(drift.findings, (before, after) => `- ${before}, + ${after}`).map((words) => `<sub>${words}</sub>`),
      `<sub>compared with ${requestCounts(drift.requests)}</sub>`,
    ],
    showing,
  };
  const others = { noun: 'finding', ends: 'places and commands' };
  return composeReport(frame, [
    (room) => fittingBlocks(blocks, room * maxShareOfFindings, { ...others, noun: 'object' }),
    (room) => listOf('Resolved', resolved, room),
    (room) => listOf('Ignored', ignored, room),
    (room) => fitting(diagnosticParts(drift.diagnostics, place), room, 'diagnostic'),
  ]);
}

/** The share of a report that findings take. */
const maxShareOfFindings = 0.8;

function listOf(title: string, items: readonly string[], room: number) {
  return items.length === 0
    ? { parts: [], cuts: [] }
    : fitting([`#### ${title} (${items.length})`, ...items], room, `line of ${title.toLowerCase()}`);
}

function blockOf(
  subject: string,
  group: readonly Finding[],
  { style, place, heading }: { style: Style; place: Place; heading: string | undefined },
): ReportBlock {
  const [first] = group;
  const remedies = first !== undefined && isFresh(first) ? remediesOf(group) : [];
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
function remediesOf(group: readonly Finding[]): string[] {
  const sorts = new Map(group.toReversed().map((finding) => [finding.is, finding]));
  return [...sorts.values()]
    .toReversed()
    .flatMap(({ remedies = [] }) =>
      remedies.map(({ aim, command }) => `- ${aim}${command === undefined ? '' : `: ${code(command)}`}`),
    );
}
