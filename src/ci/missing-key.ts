import { resolve } from 'node:path';
import { findPlace } from '../project/folder.ts';
import { stageEnvironment } from '../project/stage-environment.ts';
import type { Job } from './ci-job.ts';

/**
 * Why a run has no key of the platform that nobody forgot, as the start of a sentence: runners give no secrets to runs for forks and
 * to those that Dependabot starts. undefined: it has one, or lacks it by mistake.
 *
 * @throws {Stop} `usage`, when variables do not say which of two stages they are of
 */
export function whyNoKey({
  env,
  cwd,
  options,
  forge,
}: Pick<Job, 'env' | 'cwd' | 'options' | 'forge'>): string | undefined {
  const why =
    forge?.pull?.isFork === true
      ? 'This pull request comes from a fork'
      : env['GITHUB_ACTOR'] === 'dependabot[bot]'
        ? 'Dependabot started this run'
        : undefined;
  if (why === undefined) return undefined;
  const read = stageEnvironment(env, findPlace(resolve(cwd, options.folder), options.file));
  return (read['TRUEUP_API_KEY'] ?? '') === '' ? `${why}, and has no key` : undefined;
}
