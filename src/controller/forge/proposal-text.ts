import type { PullText } from '../../forge/pulls.ts';
import { type Adoption, driftDocument } from '../../index.ts';
import { someOf } from '../../diagnostics/some-of.ts';
import { renderDriftMarkdown } from '../../render/drift-markdown.ts';
import { code, codeBlock } from '../../render/markdown.ts';
import { maxBytes } from '../../render/markdown-report.ts';
import { textBlock } from '../../render/diff-lines.ts';
import { printable } from '../../render/printable.ts';
import { digestOf } from '../records/plans.ts';
import type { ReviewSite } from '../../render/report-links.ts';

/** Bytes that are kept for what stands below the report. */
const ofFoot = 8_192;

/** The title and the body of a pull request that adopts drift: the report, what the files have now, and what they cannot have. */
export function proposalText(
  path: string,
  { drift, adopted, left, deploys }: Adoption,
  { site, page }: { readonly site: ReviewSite; readonly page: string | undefined },
): PullText {
  const report = renderDriftMarkdown(
    driftDocument(drift),
    { ...site, maxBytes: maxBytes - ofFoot },
    { showing: 'trueup drift', isFull: false },
  );
  const fields = adopted.slice(0, maxNamed).map(({ address, path: field }) => {
    return `- ${code(field === undefined ? address : `${address}: ${field}`)}`;
  });
  const more = adopted.length > maxNamed ? [`- and ${adopted.length - maxNamed} more`] : [];
  const kept = left.slice(0, maxNamed).map(({ message }) => printable(message.slice(0, 200)));
  const parts = [
    `A merge keeps what the platform has. Of the drift, this branch has ${adopted.length === 1 ? 'one change' : `${adopted.length} changes`}:`,
    [...fields, ...more].join('\n'),
    ...(kept.length === 0 ? [] : ['It has not:', codeBlock(textBlock(kept), 'text')]),
    ...(deploys.length === 0 ? [] : [`The next apply deploys ${someOf(deploys.map(code), maxNamed)}.`]),
    'To put the platform back instead, approve the plan of the stack; this pull request is closed then.',
    ...(page === undefined ? [] : [`[The stack](${page})`]),
  ];
  return { title: `Adopt the drift of ${printable(path)}`, body: `${report.trim()}\n\n${parts.join('\n\n')}\n` };
}

const maxNamed = 20;

/** The message of the commit. */
export function proposalMessage(path: string, { adopted }: Adoption): string {
  const fields = adopted.map(
    ({ address, path: field }) => `- ${printable(field === undefined ? address : `${address}: ${field}`)}`,
  );
  const about = 'The platform has these values, which were changed there. They were read and not applied:';
  return `Adopt the drift of ${printable(path)}\n\n${about}\n\n${fields.join('\n')}\n`;
}

/** Names what a pull request shows, whatever reading took. */
export function adoptionName(commit: string, { drift, adopted, left, deploys }: Adoption): string {
  const { findings } = driftDocument(drift);
  return digestOf(JSON.stringify([commit, findings, adopted, left.map(({ message }) => message), deploys]));
}
