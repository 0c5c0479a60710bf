import { existsSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { anyDocument } from '../render/document-schemas.ts';
import { bytesOf, marker } from '../render/markdown.ts';
import { maxBytes } from '../render/markdown-report.ts';
import { annotations } from './annotations.ts';
import { ForgeError } from '../forge/call-forge.ts';
import { writeComment } from '../forge/comments.ts';
import type { Job } from './ci-job.ts';
import { resultText } from './ci-report.ts';
import { whyNoKey } from './missing-key.ts';
import { writeStageDocument } from './stage-document.ts';
import { artifactName, planFileName, storePlan } from './stored-plans.ts';
import type { Ended } from './trueup.ts';

/**
 * Plans the manifest of a pull request, shows the plan to its reviewers, and stores it for the pipeline that applies it.
 * Of a pull request from a fork it shows no values and stores nothing; where the runner withholds the key, it only validates.
 * Returns the exit code; changes are no failure.
 *
 * @throws {ForgeError} when the comment or the plan cannot be written: reviewers would read an outdated one.
 */
export async function planForReview(job: Job): Promise<number> {
  const { report, options, manifest, forge } = job;
  const isFork = forge?.pull?.isFork === true;
  const file = join(job.cwd, planFileName);
  const document = options.document === undefined ? undefined : resolve(job.cwd, options.document);
  for (const old of [file, document]) if (old !== undefined) rmSync(old, { force: true });
  const why = whyNoKey(job);
  const isBlind = why !== undefined;
  const ended = await (isBlind ? validate(job, why) : makePlan(job, isFork));
  const isSaved = existsSync(file);
  const isFine = ended.code === 0 || ended.code === 2;
  const artifact = isSaved && !isFork ? artifactName(manifest.content) : undefined;
  const printed = forge?.name === 'github' || document !== undefined ? await printedJson(job, isSaved) : undefined;
  annotate(job, printed);
  const text = await reviewText(job, ended, { isBlind, isSaved, artifact });
  report.summary(text);
  report.output('exit-code', String(isFine ? 0 : ended.code));
  report.output('has-changes', String(ended.code === 2));
  if (artifact !== undefined) {
    if (forge !== undefined) await storePlan(forge, manifest.content, await readFile(file));
    report.output('plan-file', planFileName);
    if (forge?.name === 'github') report.output('artifact', artifact);
  }
  if (document === undefined) await writeReview(job, text);
  else {
    const about = { file: options.file, commit: forge?.commit ?? '', exitCode: ended.code, isBlind, artifact };
    await writeStageDocument(document, { ...about, plan: isSaved ? printed : undefined, output: ended.all });
  }
  if (isFork) rmSync(file, { force: true });
  if (isFine) report.say(lastSentence(manifest.path, { isBlind, artifact }));
  return isFine ? 0 : ended.code;
}

function makePlan({ trueup, options: { shared, own } }: Job, isFork: boolean): Promise<Ended> {
  const hidden = isFork && !own.includes('--hide-values') ? ['--hide-values'] : [];
  return trueup(['plan', '--detailed-exitcode', '--out', planFileName, ...hidden, ...shared, ...own], {
    isShown: true,
  });
}

function validate({ trueup, options: { shared }, report }: Job, why: string): Promise<Ended> {
  report.say(`${why}: the manifest is validated, not planned.`);
  // Runners pass the secrets that such a run does not get as empty variables.
  return trueup(['validate', ...shared], { isShown: true, withoutEmpty: true });
}

/** @param artifact the name of the plan, for whoever stores it */
function lastSentence(
  path: string,
  { isBlind, artifact }: { readonly isBlind: boolean; readonly artifact: string | undefined },
): string {
  if (isBlind) return `Validated ${path}; it was not planned.`;
  return artifact === undefined ? `Planned ${path}; the plan is not stored.` : `Planned ${path} as ${artifact}.`;
}

/** The plan as a document, or what is wrong with the manifest. */
async function printedJson({ trueup, options: { shared } }: Job, isSaved: boolean) {
  const command = isSaved ? ['show', planFileName] : ['validate'];
  const { out } = await trueup([...command, '--format=json', ...shared], { withoutEmpty: !isSaved });
  return parseDocument(out);
}

/** Shows errors and warnings at their lines, on GitHub only: the others print such lines as they are. */
function annotate({ forge, manifest, report }: Job, document: ReturnType<typeof parseDocument>): void {
  if (forge?.name === 'github' && document !== undefined && 'diagnostics' in document)
    report.command(annotations(document.diagnostics, manifest.prefix));
}

function parseDocument(text: string) {
  try {
    return anyDocument.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** The comment: the plan as `show` prints it, or what went wrong, and what becomes of it. */
async function reviewText(
  { trueup, options: { shared }, forge, manifest }: Job,
  { code, all }: Ended,
  { isBlind, isSaved, artifact }: { isBlind: boolean; isSaved: boolean; artifact: string | undefined },
): Promise<string> {
  const foot = footOf(forge?.commit ?? '', artifact);
  if (isSaved) {
    const format = ['--format=markdown', `--marker=${manifest.name}`];
    const { out, code: shown } = await trueup(['show', planFileName, ...format, ...shared]);
    if (shown === 0) return bytesOf(out) + bytesOf(foot) + 2 > maxBytes ? out : `${out}\n${foot}\n`;
  }
  return `${marker('plan', { key: manifest.name })}\n${resultText(titleOf(isBlind, code), all, foot)}`;
}

/** The title of a run that has no plan to show. */
export function titleOf(isBlind: boolean, code: number): string {
  const what = isBlind ? 'validated, not planned' : 'plan';
  return code === 0 || code === 2 ? what : `${what}: failed with exit code ${code}`;
}

/** The sentence below a plan: what becomes of it. @param artifact the name under which it is stored */
export function footOf(commit: string, artifact: string | undefined): string {
  return artifact === undefined
    ? `No plan of commit ${commit} is stored: a merge applies nothing that was not planned and reviewed.`
    : `The plan of commit ${commit} is stored as \`${artifact}\`. After the merge, exactly this plan is applied, or nothing.`;
}

/** Writes the comment of a pull request. @throws {ForgeError} */
export async function writeReview({ forge, report, options }: Job, text: string): Promise<void> {
  if (forge?.pull === undefined || !options.comments) return;
  if (forge.token === undefined) {
    report.say('No comment was written: TRUEUP_FORGE_TOKEN is not set.');
    return;
  }
  try {
    await writeComment(forge, forge.pull.number, text);
  } catch (error) {
    // Forks get a token that may only read.
    if (!forge.pull.isFork || !(error instanceof ForgeError)) throw error;
    report.say(`No comment was written: ${error.message}.`);
  }
}
