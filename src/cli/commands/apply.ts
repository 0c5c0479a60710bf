import { usualDeadlineMs } from '../../api/transport.ts';
import type { Deploying } from '../../apply/run.ts';
import { usualFenceMs } from '../../apply/run.ts';
import { waitOut } from '../../apply/wait-out.ts';
import { lateOperations } from '../../kind/command-call.ts';
import type { Manifest } from '../../manifest/manifest.ts';
import type { Plan } from '../../plan/action.ts';
import { redactDiagnostic } from '../../plan/redacted.ts';
import type { World } from '../../reconcile.ts';
import { applyPlan, plan } from '../../reconcile.ts';
import type { ApplyView } from '../../render/formats/apply.ts';
import { applyFormats } from '../../render/formats/apply.ts';
import { endingOf } from '../../render/result.ts';
import { kinds } from '../../resources/index.ts';
import type { ApplyFlags, DeployFlags } from '../approval.ts';
import { approve } from '../approval.ts';
import { progressClock } from '../progress-clock.ts';
import type { Command, Run } from '../command.ts';
import type { Exit } from '../exit-codes.ts';
import { exitCodes } from '../exit-codes.ts';
import { readDeployLimits } from '../deploy-limits.ts';
import { systemClock } from '../../state/clock.ts';
import { loadManifest, loadWithSecrets } from '../load.ts';
import { withLock } from '../locked.ts';
import { readInteger, usage } from '../options.ts';
import { readPlanFile } from '../plan-file.ts';
import { planAgain } from '../reviewed.ts';
import { stopExits } from '../run.ts';

/** Plans, asks, and makes the platform what the manifest says; with the file of a plan it does that and does not ask. */
export function applyCommand(flags: ApplyFlags & DeployFlags, path?: string): Command<ApplyView> {
  return { formats: applyFormats, execute: (run, view) => apply(run, view, { flags, path }) };
}

async function apply(
  run: Run,
  view: ApplyView,
  { flags, path }: { flags: ApplyFlags & DeployFlags; path: string | undefined },
): Promise<Exit> {
  const limitMs = readDeployLimits(flags.deployTimeout ?? [], kinds);
  const deploying = { waits: flags.wait !== false, limitMs };
  if (path === undefined) {
    const make = (manifest: Manifest, world: World) => plan(manifest, world, { deploys: flags.deploy !== false });
    return planAndApply(run, view, { flags, verb: 'apply', make, deploying });
  }
  if (flags.deploy === false) {
    throw usage('--no-deploy does not go with the file of a plan', 'Plan with --no-deploy: the file says so then.');
  }
  const reviewed = await readPlanFile(path);
  return planAndApply(run, view, {
    // Who reviewed it agreed to it, and to what it takes over; data goes by a flag of its own.
    flags: { ...flags, autoApprove: true, adopt: true },
    verb: reviewed.file.destroys ? 'destroy' : 'apply',
    make: (manifest, world) => planAgain(reviewed, manifest, world),
    deploying,
  });
}

/** What apply and destroy have in common: only the plan differs. */
export async function planAndApply(
  run: Run,
  view: ApplyView,
  task: {
    readonly flags: ApplyFlags;
    readonly verb: 'apply' | 'destroy';
    readonly make: (manifest: Manifest, world: World) => Promise<Plan>;
    readonly deploying?: Deploying;
  },
): Promise<Exit> {
  const { options, terminal, redactor } = run;
  // Deleting takes no secrets.
  const load = task.verb === 'destroy' ? loadManifest : loadWithSecrets;
  const { manifest, warnings } = await load(options, redactor);
  run.warn(warnings);
  const { deploying, flags } = task;
  const fenceMs = flags.fence === undefined ? usualFenceMs : readInteger('--fence', flags.fence, 0, 3_600) * 1_000;
  return withLock(run, manifest, {
    purpose: task.verb,
    ...(deploying === undefined ? {} : { deadlineMs: deadlinesFor(deploying) }),
    work: async (world, interruption, lease) => {
      await waitOut(world.store, {
        lease,
        fenceMs,
        clock: systemClock,
        signal: interruption.signal,
        onWait: (ms) => terminal.err(`${waiting(ms)}\n`),
      });
      const made = await task.make(manifest, world);
      const { counts } = world.client;
      view.plan({ plan: made, counts, warnings });
      const permissions = await approve(run, made, task);
      if (permissions === undefined) {
        terminal.err('Nothing was applied.\n');
        return 'failed';
      }
      interruption.startWriting();
      const progress = view.progress({ plan: made, counts, ...progressClock });
      const result = await applyPlan(made, world, {
        permissions,
        fenceMs,
        connections: options.connections,
        ...(deploying === undefined ? {} : { deploying }),
        signal: interruption.signal,
        onEvent: progress.onEvent,
      }).finally(progress.end);
      const { unsaved } = result;
      const ending = endingOf(result);
      const exit: Exit = unsaved === undefined ? ending : stopExits[unsaved.failure];
      view.result({
        view: { result, ending, isInterrupted: interruption.signal.aborted, counts },
        plan: made,
        exitCode: exitCodes[exit].code,
        warnings,
        unsaved: (unsaved?.diagnostics ?? []).map((item) => redactDiagnostic(item, redactor.redact)),
      });
      return exit;
    },
  });
}

function waiting(ms: number): string {
  return `an earlier run ended in the middle of requests, which may still land: waiting ${Math.ceil(ms / 1_000)} s`;
}

/** Requests that last as long as a deployment get the time of the longest one; apply itself gives up sooner. */
function deadlinesFor({ limitMs }: Deploying): (operation: string) => number {
  const late = lateOperations(kinds);
  const longest = Math.max(...kinds.map(({ kind }) => limitMs(kind))) + usualDeadlineMs;
  return (operation) => (late.has(operation) ? longest : usualDeadlineMs);
}
