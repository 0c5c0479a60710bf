import { attempts } from '../../api/attempts.ts';
import type { Deploying } from '../../apply/run.ts';
import type { Settings } from '../../manifest/settings.ts';
import { longestTimeoutMs } from '../../state/wait-out.ts';
import { readNarrowing } from '../../plan/narrow.ts';
import { diagnostic, Stop } from '../../diagnostics/diagnostic.ts';
import type { ApplyView } from '../../render/formats/apply.ts';
import { applyFormats } from '../../render/formats/apply.ts';
import { endingOf } from '../../documents/ending.ts';
import { planDocument } from '../../documents/plan.ts';
import { resultDocument } from '../../documents/result.ts';
import type { PlanRequest, Session } from '../../session.ts';
import type { ApplyFlags, DeployFlags, NarrowFlags } from '../approval.ts';
import { approve } from '../approval.ts';
import { progressClock } from '../progress-clock.ts';
import type { Command, Run } from '../command.ts';
import type { Exit } from '../../render/exit-codes.ts';
import { exitCodes, stopExits } from '../../render/exit-codes.ts';
import { readDeployLimits } from '../deploy-limits.ts';
import { aboutPlan } from '../../project/about-plan.ts';
import { loadManifest, loadWithSecrets } from '../../project/load.ts';
import { loadForSession, withLock } from '../locked.ts';
import { readSeconds, usage } from '../options.ts';
import { readPlanFile } from '../plan-file.ts';
import type { Interruption } from '../signals.ts';
import { readValues } from '../values.ts';

/** Plans, asks, and applies; with a plan file it applies without a question. */
export function applyCommand(flags: ApplyFlags & DeployFlags, path?: string): Command<ApplyView> {
  return { formats: applyFormats, execute: (run, view) => apply(run, view, { flags, path }) };
}

async function apply(
  run: Run,
  view: ApplyView,
  { flags, path }: { flags: ApplyFlags & DeployFlags; path: string | undefined },
): Promise<Exit> {
  const limitMs = readDeployLimits(flags.deployTimeout ?? [], run.options.kinds);
  const deploying = { waits: flags.wait !== false, limitMs };
  if (path === undefined) {
    const request = { deploys: flags.deploy !== false, narrowing: readNarrowing(flags) };
    return planAndApply(run, view, { flags, command: 'apply', request, deploying });
  }
  if (flags.deploy === false) {
    throw usage('--no-deploy cannot be combined with a plan file', 'Write the file with trueup plan --no-deploy.');
  }
  refuseNarrowing(flags, 'trueup plan');
  const reviewed = await readPlanFile(run.process.cwd(), path);
  if (reviewed.file.destroys) {
    throw new Stop('refused', [
      diagnostic('plan-file', `the plan file ${path} deletes everything; apply does not; nothing was sent`, {
        remedy: `Run trueup destroy ${path}.`,
      }),
    ]);
  }
  return planAndApply(run, view, {
    // Who reviewed it agreed to it, and to what it takes over; data goes by a flag of its own.
    flags: { ...flags, autoApprove: true, adopt: true },
    command: 'apply',
    request: { reviewed, full: flags.full === true },
    deploying,
  });
}

/** @throws {Stop} `usage`, when a plan file is to be narrowed: it says itself what it is narrowed to. */
export function refuseNarrowing({ target, exclude, replace, includeAccepted }: NarrowFlags, plan: string): void {
  for (const [name, given] of Object.entries({ target, exclude, replace })) {
    if (given === undefined) continue;
    throw usage(`--${name} cannot be combined with a plan file`, `Write the file with ${plan} --${name} … --out FILE.`);
  }
  if (includeAccepted === true)
    throw usage(
      '--include-accepted cannot be combined with a plan file',
      `Write the file with ${plan} --include-accepted --out FILE.`,
    );
}

/** Plans, asks and applies, for `apply` and `destroy`. */
export async function planAndApply(
  run: Run,
  view: ApplyView,
  task: {
    readonly flags: ApplyFlags;
    readonly command: 'apply' | 'destroy';
    readonly request: PlanRequest;
    readonly deploying?: Deploying;
  },
): Promise<Exit> {
  const { options, terminal } = run;
  const values = readValues(run, view, task.flags);
  // Deleting takes no secrets.
  const load = task.command === 'destroy' ? loadManifest : loadWithSecrets;
  const { deploying, flags, request } = task;
  const limits = {
    purpose: task.command,
    inFlightTimeoutMs: readInFlightTimeout(flags),
    ...(deploying === undefined ? {} : { deploying }),
    onWait: (ms: number) => terminal.err(`${waiting(ms)}\n`),
  };
  const loading = async (onSettings?: (settings: Settings) => Promise<void>) => {
    const validated = await load(options, { onSettings });
    run.warn(validated.warnings);
    return validated;
  };
  // A reviewed plan reads what it touches, and that is known only with the manifest.
  const { validated, early } =
    'reviewed' in request
      ? { validated: await loading(), early: undefined }
      : await loadForSession(run, loading, { ...limits, destroys: request.destroys === true });
  const { manifest, warnings } = validated;
  const work = {
    ...limits,
    work: async (session: Session, interruption: Interruption): Promise<Exit> => {
      const { signal } = interruption;
      const made = await session.plan({ ...request, values });
      const { counts } = session.connection.client;
      const about = await aboutPlan(made, { manifest, folder: options.folder, world: session.connection });
      const allowed = { adoption: flags.adopt === true, dataLoss: flags.allowDataLoss === true };
      const plan = planDocument({ plan: made, counts, about, allowed, warnings });
      view.plan(plan, flags.full === true);
      const permissions = await approve(run, made, { ...task, about });
      if (permissions === undefined) {
        terminal.err('Nothing was applied.\n');
        return 'failed';
      }
      const { onEvent, end } = view.progress({ plan, counts, ...progressClock });
      interruption.startWriting(() => end(true));
      const result = await session.apply(made, permissions, { signal, onEvent }).finally(() => end());
      const { unsaved } = result;
      const ending = endingOf(result);
      // What was written on the platform counts for more than why the state was not.
      const reason = result.isKeyRefused === true && ending === 'failed' ? 'authentication' : ending;
      const exit: Exit = unsaved === undefined || ending === 'partly' ? reason : stopExits[unsaved.failure];
      const ended = { isInterrupted: signal.aborted, ending, exitCode: exitCodes[exit].code, counts };
      view.result(resultDocument({ ...ended, plan, result, unsaved: unsaved?.diagnostics ?? [] }));
      return exit;
    },
  };
  return withLock(run, manifest, work, early);
}

/** Reads `--in-flight-timeout`. Milliseconds. @throws {Stop} `usage` */
function readInFlightTimeout({ inFlightTimeout, fence }: ApplyFlags): number {
  const name = inFlightTimeout === undefined ? '--fence' : '--in-flight-timeout';
  const seconds = inFlightTimeout ?? fence;
  if (seconds === undefined) return attempts.effect.timeoutMs;
  return readSeconds(name, seconds, 0, longestTimeoutMs / 1_000) * 1_000;
}

function waiting(ms: number): string {
  return `waiting ${Math.ceil(ms / 1_000)} s: requests of an interrupted run may still reach the platform`;
}
