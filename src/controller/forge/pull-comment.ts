import { dirname } from 'node:path/posix';
import { Stop } from '../../index.ts';
import { code, codeBlock } from '../../render/markdown.ts';
import { textBlock } from '../../render/diff-lines.ts';
import { renderPlanMarkdown } from '../../render/plan-markdown.ts';
import { printable } from '../../render/printable.ts';
import type { ReviewSite } from '../../render/report-links.ts';
import { renderStagesMarkdown, sectionSite } from '../../render/stages.ts';
import { wordsOf } from '../../render/verdict.ts';
import { digestOf } from '../records/plans.ts';
import type { PullPlan, PullRecord } from '../records/pulls.ts';

/** Where a comment is read. */
interface Place {
  /** The beginning of links to files of a commit. */
  readonly links: string;
  readonly source: string;
}

/**
 * The site of a report about a stack at a commit. Its marker names the source: two of one repository write a comment each, and none
 * of them is that of a pipeline.
 */
export function siteOf({ links, source }: Place, path: string, commit: string): ReviewSite {
  const folder = dirname(path) === '.' ? '' : `${dirname(path)}/`;
  const key = `controller-${digestOf(source).slice(0, 16)}`;
  return { key, folder, file: path.slice(folder.length), links: { base: links, commit } };
}

/** The comment of a pull request: a section for each stack that its commit touches, as `trueup-ci comment` writes it. */
export function pullComment(pull: PullRecord, plans: readonly PullPlan[], place: Place): string {
  const { head } = pull;
  const isBlind = pull.isFork && !pull.isAllowed;
  const ends = plans.map((plan) => {
    const { path, document, problem } = plan;
    const site = { ...siteOf(place, path, head), stage: path };
    const words = document === null ? (problem === null ? 'validated, not planned' : 'not planned') : wordsOf(document);
    const exitCode = problem === null ? 0 : 1;
    return {
      stage: path,
      file: path,
      exitCode,
      words,
      printed: sectionOf(plan, { site, words, count: plans.length, isBlind }),
    };
  });
  const about = `Commit ${code(head)}. ${isBlind ? ofStranger : ofMember}`;
  return `${renderStagesMarkdown('plan', ends, siteOf(place, '', head))}\n${about}\n`;
}

const ofMember = 'This plan is information: after the merge, the controller plans again what it applies.';
const ofStranger =
  'It comes from another repository, and gets no secret: its manifests are validated, not planned, until a person allows this commit.';
const ofSite =
  'Only workers with --only reach its platform, and they plan no pull requests: after the merge, its plan is on the page of the controller.';
const ofPreviews =
  'It describes previews: each has a plan and a comment of its own, once the branch of the source has this file.';

function sectionOf(
  { path, document, problem, isPreview = false }: PullPlan,
  {
    site,
    words,
    count,
    isBlind,
  }: { readonly site: ReviewSite; readonly words: string; readonly count: number; readonly isBlind: boolean },
): string {
  const own = sectionSite(site, { stage: path, file: site.file }, count);
  const failed = (text: string): string => {
    // Most characters take one byte.
    const lines = text.slice(0, Math.floor((own.maxBytes ?? 0) / 4)).split('\n');
    return `### ${code(path)}: failed\n\n${codeBlock(textBlock(lines.map(printable)), 'text')}`;
  };
  if (problem !== null) return failed(problem);
  if (document === null) return `### ${code(path)}: ${words}${isBlind ? '' : `\n\n${isPreview ? ofPreviews : ofSite}`}`;
  try {
    const folder = site.folder === '' ? '' : ` -C ${site.folder.replace(/\/$/, '')}`;
    return renderPlanMarkdown(document, own, { showing: `trueup plan${folder} -f ${site.file}`, applying: undefined });
  } catch (error) {
    if (error instanceof Stop) return failed(error.message);
    throw error;
  }
}
