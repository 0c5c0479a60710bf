import { rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stop } from '../diagnostics/diagnostic.ts';
import { code as inCode } from '../render/markdown.ts';
import { callForgeJson, ForgeError } from '../forge/call-forge.ts';
import { commentOn } from './comment.ts';
import type { Forge } from './forge-of-job.ts';
import type { Job } from './ci-job.ts';
import { type Report, resultText } from './ci-report.ts';
import { type MergedPull, artifactName, fetchPlan, planFileName } from './stored-plans.ts';

/**
 * Applies the stored plan of exactly this manifest. Where there is none, it plans: without changes there is nothing to
 * apply, and changes without a review are refused. Returns the exit code.
 *
 * @throws {Stop} `refused`, when the changes were not reviewed. @throws {ForgeError} when the plan cannot be fetched.
 */
export async function applyReviewed(job: Job): Promise<number> {
  const { forge, manifest, trueup, report, options } = job;
  const merged = forge === undefined ? undefined : await mergedPull(forge, report);
  const stored = forge === undefined ? undefined : await fetchPlan(forge, manifest.content, merged);
  if (stored === undefined) return expectNoChanges(job, merged);
  const file = join(job.cwd, planFileName);
  rmSync(file, { force: true });
  await writeFile(file, stored, { mode: 0o600 });
  const ended = await trueup(['apply', planFileName, ...options.shared, ...options.own], { isShown: true });
  rmSync(file, { force: true });
  const words = ended.code === 0 ? 'applied' : `apply ended with exit code ${ended.code}`;
  const title = titleAbout(options, words);
  const foot = `Commit ${forge?.commit ?? ''}, plan \`${artifactName(manifest.content)}\`.`;
  const body = resultText(title, ended.all, foot);
  report.summary(body);
  report.output('exit-code', String(ended.code));
  if (merged !== undefined) await commentOn(job, merged.number, { command: 'apply', body });
  return ended.code;
}

async function expectNoChanges(job: Job, merged: MergedPull | undefined): Promise<number> {
  const { manifest, trueup, report, options, forge } = job;
  const name = artifactName(manifest.content);
  report.say(`There is no stored plan ${name}.`);
  const { code, all } = await trueup(['plan', '--detailed-exitcode', ...options.shared], { isShown: true });
  report.output('exit-code', String(code === 2 ? 1 : code));
  const words = new Map([
    [0, 'nothing to apply'],
    [2, 'not applied, because these changes were not reviewed'],
  ]).get(code);
  const title = titleAbout(options, words ?? `plan: failed with exit code ${code}`);
  const body = resultText(title, all, `Commit ${forge?.commit ?? ''}.`);
  report.summary(body);
  if (code !== 2) return code;
  if (merged !== undefined) await commentOn(job, merged.number, { command: 'apply', body });
  const message = `these changes were not reviewed: there is no stored plan ${name}; nothing was sent`;
  const remedy = 'Run the plan job for this commit, review it, and run this job again.';
  throw stop('refused', 'plan-outdated', message, { remedy });
}

/** A title that says which of several root files it is about. */
function titleAbout({ file }: Job['options'], words: string): string {
  return file === 'trueup.yaml' ? words : `${inCode(file)}: ${words}`;
}

/** The pull request that brought the applied commit; undefined: it was pushed without one, or the forge does not say. */
async function mergedPull(forge: Forge, report: Report): Promise<MergedPull | undefined> {
  const { name, repository, commit } = forge;
  if (forge.token === undefined) return undefined;
  const path = {
    github: `${repository}/commits/${commit}/pulls?per_page=100`,
    gitlab: `${repository}/repository/commits/${commit}/merge_requests?per_page=100`,
    gitea: `${repository}/commits/${commit}/pull`,
  }[name];
  try {
    const answer = [await callForgeJson(forge, { method: 'GET', path })].flat() as readonly (Pull | null)[];
    // A commit can also be part of pull requests that were not merged.
    const merged = answer.find((one) => one?.merged === true || one?.state === 'merged' || isText(one?.merged_at));
    const number = merged?.iid ?? merged?.number;
    if (!Number.isSafeInteger(number)) return undefined;
    const [head, author] = [merged?.head?.sha, merged?.user?.login];
    return {
      number: Number(number),
      head: isText(head) ? head : undefined,
      author: isText(author) ? author : undefined,
    };
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error;
    if (error.status !== 404) report.say(`The pull request of this commit is unknown: ${error.message}.`);
    return undefined;
  }
}

/** A pull request of GitHub, Forgejo and Gitea, or a merge request of GitLab, as far as it is read. */
interface Pull {
  readonly number?: unknown;
  readonly iid?: unknown;
  readonly state?: unknown;
  readonly merged?: unknown;
  readonly merged_at?: unknown;
  readonly head?: { readonly sha?: unknown };
  readonly user?: { readonly login?: unknown } | null;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
