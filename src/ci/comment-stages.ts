import { basename, resolve } from 'node:path';
import { Stop } from '../diagnostics/diagnostic.ts';
import { usage } from '../diagnostics/usage.ts';
import { readReviewSite } from '../cli/read-review-site.ts';
import { bytesOf, code } from '../render/markdown.ts';
import { maxBytes } from '../render/markdown-report.ts';
import { renderPlanMarkdown } from '../render/plan-markdown.ts';
import type { ReviewSite } from '../render/report-links.ts';
import { renderStagesMarkdown, sectionSite } from '../render/stages.ts';
import { wordsOf } from '../render/verdict.ts';
import type { Job } from './ci-job.ts';
import { outputBlock } from './ci-report.ts';
import { footOf, titleOf, writeReview } from './plan-for-review.ts';
import { type StageDocument, readStageDocument } from './stage-document.ts';

/** A stage of the comment. `document` is undefined where its job left none of this commit. */
interface Stage {
  readonly stage: string;
  readonly file: string;
  readonly document: StageDocument | undefined;
}

/**
 * Writes one comment with a section per stage, from the documents that the jobs of the stages left, in the order of the command
 * line. A stage without a document has a section that says so. Returns 0: a stage that failed has failed its own job.
 *
 * @throws {Stop} `usage`. @throws {ForgeError} when the comment cannot be written.
 */
export async function commentStages(job: Job): Promise<number> {
  const { options, forge, report, env, cwd, manifest } = job;
  const option = options.own.find((word) => word.startsWith('-'));
  if (option !== undefined) throw usage(`trueup-ci comment takes no ${option}`);
  if (options.own.length === 0) {
    throw usage('trueup-ci comment needs the files with the documents', 'Such as: staging.json production.json.');
  }
  const commit = forge?.commit ?? '';
  const stages = await Promise.all(options.own.map((path) => readStage(resolve(cwd, path), commit)));
  const place = { directory: options.folder, file: options.file, marker: manifest.name };
  const site = readReviewSite(place, { env, cwd: () => cwd });
  const ends = stages.map((stage) => ({
    ...stage,
    exitCode: stage.document?.exitCode,
    words: wordsAbout(stage),
    printed: sectionOf(stage, sectionSite(site, stage, stages.length)),
  }));
  const text = renderStagesMarkdown('plan', ends, site);
  report.summary(text);
  await writeReview(job, text);
  const missing = stages.filter(({ document }) => document === undefined).map(({ stage }) => stage);
  if (missing.length > 0) report.say(`Not planned, because their jobs left no document: ${missing.join(', ')}.`);
  return 0;
}

async function readStage(path: string, commit: string): Promise<Stage> {
  const stage = basename(path).replace(/\.json$/, '');
  const document = await readStageDocument(path, commit);
  return { stage, file: document?.file ?? `${stage}.yaml`, document };
}

function wordsAbout({ document }: Stage): string | undefined {
  if (document?.isBlind === true) return 'validated, not planned';
  return document?.plan === undefined ? undefined : wordsOf(document.plan);
}

function sectionOf({ document, stage, file }: Stage, site: ReviewSite): string {
  const heading = (words: string) => `### ${code(stage)}: ${words}`;
  if (document === undefined) {
    return `${heading('not planned')}\n\nIts job left no result for this commit: the log of that job says why.`;
  }
  const { plan, exitCode, output, commit, artifact, isBlind } = document;
  const foot = footOf(commit, artifact);
  const room = (site.maxBytes ?? maxBytes) - bytesOf(foot) - 2;
  const failed = (text: string) =>
    // Most characters take one byte; a block adds two to each line.
    [heading(titleOf(isBlind, exitCode)), outputBlock(text, Math.floor(room / 4)), foot].join('\n\n');
  if (plan === undefined) return failed(output);
  const folder = site.folder === '' ? '' : ` -C ${site.folder.replace(/\/$/, '')}`;
  try {
    const steps = { showing: `trueup plan${folder} -f ${file}`, applying: undefined };
    return `${renderPlanMarkdown(plan, { ...site, maxBytes: room }, steps)}\n${foot}`;
  } catch (error) {
    if (error instanceof Stop) return failed(error.message);
    throw error;
  }
}
