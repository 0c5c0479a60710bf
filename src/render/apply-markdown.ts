import type { Outcome } from '../apply/job.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { blockAddress } from '../kind/address.ts';
import type { ResultView } from './apply-text.ts';
import { advice, needsReader, notStarted, renderOutcome, summary } from './apply-text.ts';
import { diffLines, diffStyle, unpainted } from './diff-lines.ts';
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
import type { PlanAbout } from './plan-head.ts';
import { printable } from './printable.ts';
import { isNews } from './result.ts';
import type { ReviewSite } from './review-site.ts';
import { actionWords } from './words.ts';

/** An apply that ended. */
interface AppliedView {
  readonly view: ResultView;
  readonly about: PlanAbout | undefined;
  readonly exitCode: number;
  /** Of the manifest, and of the state where it could not be written. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Renders the result of an apply as Markdown for a comment: counts first, then what failed, then what was done. */
export function renderResultMarkdown({ view, about, exitCode, diagnostics }: AppliedView, site: ReviewSite): string {
  const { outcomes } = view.result;
  const place = { site, commit: about?.commit?.id };
  const problems = outcomes.filter(needsReader).map((outcome, at) => problemBlock(outcome, at, place));
  const done = outcomes.filter((outcome) => isNews(outcome) && outcome.result === 'done').map(doneLine);
  const doneBlock = reportBlock({ title: `done: ${done.length}`, lines: done, end: [] });
  const sentences = [...notStarted(view, code), ...advice(view)];
  const frame = {
    top: reportTop('apply', `apply: ${summary(view)}`, site, about),
    end: [`<sub>exit code ${exitCode}, ${requestCounts(view.counts)}</sub>`],
    showing: 'trueup status',
  };
  return composeReport(frame, [
    (room) => fitting(sentences, room / 4, 'sentence'),
    (room) => fitting(diagnosticParts(diagnostics, place), room / 4, 'diagnostic'),
    (room) => fittingBlocks(problems, room * mostOfProblems, { noun: 'outcome', ends: 'places in the manifest' }),
    (room) => fittingBlocks(done.length === 0 ? [] : [doneBlock], room, { noun: 'list', ends: 'places' }),
  ]);
}

/** The share of a report that goes to what did not end well. */
const mostOfProblems = 0.7;

function problemBlock(outcome: Outcome, at: number, place: Place): ReportBlock {
  const [title = '', ...lines] = renderOutcome(outcome, diffStyle);
  const { action, diagnostics } = outcome;
  return reportBlock({
    heading: at === 0 ? '#### To look at' : undefined,
    title: unpainted(title),
    lines: lines.length === 0 ? [] : diffLines(lines),
    end: renderPositions([action.position, ...diagnostics.map(({ position }) => position)], place),
  });
}

function doneLine({ action: { action, address } }: Outcome): string {
  const sign = action === 'create' ? '+' : action === 'delete' || action === 'replace' ? '-' : ' ';
  return `${sign} ${printable(blockAddress(address))}: ${actionWords[action].done}`;
}
