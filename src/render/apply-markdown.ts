import { advice, needsReader, notStarted, renderOutcome } from './apply-text.ts';
import { diffLines, diffStyle, unpainted } from './diff-lines.ts';
import type { ResultDocument } from './document-schemas.ts';
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
import { type Outcome, isNews } from './outcomes.ts';
import { printable } from './printable.ts';
import type { ReviewSite } from './report-links.ts';
import { verdictOf } from './verdict.ts';
import { actionWords } from './action-words.ts';

/** Renders the result of an apply as Markdown for a comment: counts first, then what failed, then what was done. */
export function renderResultMarkdown(result: ResultDocument, site: ReviewSite): string {
  const { outcomes, commit, exitCode, requests } = result;
  const place = { site, commit: commit?.id };
  const problems = outcomes.filter(needsReader).map((outcome, at) => problemBlock(outcome, at, place));
  const done = outcomes.filter((outcome) => isNews(outcome) && outcome.result === 'done').map(doneLine);
  const doneBlock = reportBlock({ title: `done: ${done.length}`, lines: done, end: [] });
  const sentences = [...notStarted(result, code), ...advice(result, code)];
  // The comment of the plan has what the plan says.
  const from = (name: 'state' | 'manifest') => result.diagnostics.filter(({ source }) => source === name);
  const diagnostics = [...from('state'), ...from('manifest')];
  const frame = {
    site,
    top: reportTop('apply', `apply: ${verdictOf(result)}`, site, result),
    end: [`<sub>exit code ${exitCode}, ${requestCounts(requests)}</sub>`],
    showing: 'trueup status',
  };
  return composeReport(frame, [
    (room) => fitting(sentences, room / 4, 'sentence'),
    (room) => fitting(diagnosticParts(diagnostics, place), room / 4, 'diagnostic'),
    (room) => fittingBlocks(problems, room * maxShareOfProblems, { noun: 'outcome', ends: 'places in the manifest' }),
    (room) => fittingBlocks(done.length === 0 ? [] : [doneBlock], room, { noun: 'list', ends: 'places' }),
  ]);
}

/** The share of a report that goes to what did not end well. */
const maxShareOfProblems = 0.7;

function problemBlock(outcome: Outcome, at: number, place: Place): ReportBlock {
  const [title = '', ...lines] = renderOutcome(outcome, diffStyle);
  const { position, diagnostics } = outcome;
  return reportBlock({
    heading: at === 0 ? '#### To look at' : undefined,
    title: unpainted(title),
    lines: lines.length === 0 ? [] : diffLines(lines),
    end: renderPositions([position, ...diagnostics.map((item) => item.position)], place),
  });
}

function doneLine({ action, address }: Outcome): string {
  const { tone, done } = actionWords[action];
  return `${tone === 'good' ? '+' : tone === 'bad' ? '-' : ' '} ${printable(address)}: ${done}`;
}
