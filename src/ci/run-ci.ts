import { readFileSync } from 'node:fs';
import { proxyErrorIn } from '../api/proxy-error.ts';
import { Stop } from '../diagnostics/diagnostic.ts';
import { diskProblem } from '../diagnostics/disk-errors.ts';
import type { Process } from '../cli/process.ts';
import { printable, printed } from '../render/printable.ts';
import type { Redactor } from '../secrets/redactor.ts';
import { redactorOf } from '../secrets/sources/env.ts';
import { applyReviewed } from './apply-reviewed.ts';
import { ForgeError } from '../forge/call-forge.ts';
import { checkDrift } from './check-drift.ts';
import { readForge } from './forge-of-job.ts';
import type { Job } from './ci-job.ts';
import { identifyManifest } from './planned-manifest.ts';
import { readOptions } from './ci-options.ts';
import { commentStages } from './comment-stages.ts';
import { planForReview } from './plan-for-review.ts';
import { managePreview } from './preview.ts';
import { reportOf } from './ci-report.ts';
import { trueupOf } from './trueup.ts';

const help = `Usage: trueup-ci <command> [options of trueup]

Runs Trueup in a pipeline of GitHub, GitLab, Forgejo or Gitea: docs/pipelines.md.

Commands:
  plan     on a pull request: plans, writes one comment, and stores the plan for apply
  apply    after the merge: applies the stored plan of exactly this manifest, or nothing
  drift    each night: compares the platform with what was applied last; exit code 2 for new drift
  comment  after the plan jobs of several stages: writes one comment with a section per stage
  preview  on a pull request: creates, updates or removes its preview, as the forge says that it is now

Options: --no-comment. For plan, --document FILE leaves the result for comment, and writes no comment. For preview,
--number 12 --commit COMMIT start one by hand, --remove removes it, --prune removes those of closed pull requests. All others go to trueup: -C infra, -f prod.yaml, --var tag=1, and those of the command, such as --allow-data-loss.

Environment, beside that of trueup:
  TRUEUP_FORGE_TOKEN  token that writes the comment; on Forgejo and Gitea it also stores the plan

Examples:
  trueup-ci plan -C infra
  trueup-ci apply -C infra --no-wait
  trueup-ci drift -C infra
  trueup-ci plan -C infra -f staging.yaml --document staging.json
  trueup-ci comment -C infra staging.json production.json
  trueup-ci preview -C infra -f preview.yaml --var tag=4f2a91c
`;

/**
 * Runs one command of `trueup-ci`. Returns the exit code: that of `trueup`, or 1.
 *
 * @param program the file of the program `trueup`
 */
export async function runCi(process: Process, program: string): Promise<number> {
  const [node = '', , ...words] = process.argv;
  if (words.length === 0 || words.includes('--help') || words.includes('-h')) {
    process.stdout.write(printed(help));
    return words.length === 0 ? 1 : 0;
  }
  try {
    const options = readOptions(words);
    const job: Job = {
      env: process.env,
      cwd: process.cwd(),
      options,
      forge: readForge(process.env, readEvent(process.env['GITHUB_EVENT_PATH'])),
      manifest: await identifyManifest(process.cwd(), options),
      trueup: trueupOf(process, node, program),
      report: reportOf(process),
    };
    const jobs = { plan: planForReview, apply: applyReviewed, drift: checkDrift };
    const run = { ...jobs, comment: commentStages, preview: managePreview }[options.command];
    return await run(job);
  } catch (error) {
    process.stderr.write(printed(describe(error, redactorOf(process.env))));
    return 1;
  }
}

function readEvent(path = ''): string {
  try {
    return path === '' ? '' : readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function describe(error: unknown, { redact }: Redactor): string {
  const ofDisk = diskProblem(error);
  const diagnostics = error instanceof Stop ? error.diagnostics : ofDisk && [ofDisk];
  if (diagnostics !== undefined) {
    return diagnostics
      .map(({ code, message, remedy }) => `error[${code}]: ${printable(message)}\n${remedyLine(remedy)}`)
      .join('');
  }
  const text = printable(redact(error instanceof Error ? error.message : String(error)));
  return `error: ${text}\n${remedyLine(error instanceof ForgeError ? remedyOf(error) : undefined)}`;
}

function remedyOf(error: ForgeError): string {
  const { status } = error;
  if (status === 401) return 'Check TRUEUP_FORGE_TOKEN: the forge does not accept it.';
  if (status === 403 || status === 404) return 'Give the token the rights that docs/pipelines.md lists for this forge.';
  return proxyErrorIn(error)?.remedy ?? 'Run the job again.';
}

function remedyLine(remedy: string | undefined): string {
  return remedy === undefined ? '' : `  -> ${printable(remedy)}\n`;
}
