import { usualDeadlineMs } from '../../api/transport.ts';
import type { Deploying } from '../../apply/run.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { lateOperations } from '../../kind/verb.ts';
import type { Manifest } from '../../manifest/manifest.ts';
import type { Plan } from '../../plan/action.ts';
import { hasChanges } from '../../plan/action.ts';
import type { World } from '../../reconcile.ts';
import { applyPlan, plan } from '../../reconcile.ts';
import type { ResultView } from '../../render/apply-text.ts';
import { renderResult } from '../../render/apply-text.ts';
import { planJson } from '../../render/plan-json.ts';
import { renderPlan } from '../../render/plan-text.ts';
import { resultJson } from '../../render/result-json.ts';
import { endingOf } from '../../render/result.ts';
import { kinds } from '../../resources/index.ts';
import type { ApplyFlags, DeployFlags } from '../approval.ts';
import { approve } from '../approval.ts';
import { beginProgress } from '../begin-progress.ts';
import type { Exit } from '../exit-codes.ts';
import { exitCodes } from '../exit-codes.ts';
import { readDeployLimits } from '../deploy-limits.ts';
import { loadManifest } from '../load.ts';
import { withLock } from '../locked.ts';
import type { Command, Run } from '../run.ts';
import { printJson, printWarnings } from '../run.ts';

/** Plans, asks, and makes the platform what the manifest says. */
export function applyCommand(flags: ApplyFlags & DeployFlags): Command {
  return (run) => {
    const limitMs = readDeployLimits(flags.deployTimeout ?? [], kinds);
    return planAndApply(run, {
      flags,
      verb: 'apply',
      make: (manifest, world) => plan(manifest, world, { deploys: flags.deploy !== false }),
      deploying: { waits: flags.wait !== false, limitMs },
    });
  };
}

/** What apply and destroy have in common: only the plan differs. */
export async function planAndApply(
  run: Run,
  task: {
    readonly flags: ApplyFlags;
    readonly verb: 'apply' | 'destroy';
    readonly make: (manifest: Manifest, world: World) => Promise<Plan>;
    readonly deploying?: Deploying;
  },
): Promise<Exit> {
  const { options, terminal, redactor } = run;
  const { manifest, warnings } = loadManifest(options, redactor);
  printWarnings(run, warnings);
  const { deploying } = task;
  return withLock(run, manifest, {
    purpose: task.verb,
    ...(deploying === undefined ? {} : { deadlineMs: deadlinesFor(deploying) }),
    work: async (world, interruption) => {
      const made = await task.make(manifest, world);
      const { counts } = world.client;
      if (!options.isJson) terminal.out(renderPlan({ plan: made, counts }, terminal.outStyle));
      else {
        const plan = { ...made, diagnostics: [...warnings, ...made.diagnostics] };
        printJson(terminal, planJson({ plan, counts }), 'lines');
      }
      const permissions = await approve(run, made, task);
      if (permissions === undefined) {
        terminal.err('Nothing was applied.\n');
        return 'failed';
      }
      interruption.startWriting();
      const isTold = !options.isJson && hasChanges(made);
      if (isTold) terminal.out('\n');
      const progress = beginProgress(run, made, counts);
      const result = await applyPlan(made, world, {
        permissions,
        connections: options.connections,
        ...(deploying === undefined ? {} : { deploying }),
        signal: interruption.signal,
        onEvent: progress.onEvent,
      }).finally(progress.end);
      if (isTold) terminal.err('\n');
      const view: ResultView = {
        result,
        ending: endingOf(result),
        isInterrupted: interruption.signal.aborted,
        counts,
      };
      return finish(run, { view, made, warnings });
    },
  });
}

/** Requests that last as long as a deployment get the time of the longest one; apply itself gives up sooner. */
function deadlinesFor({ limitMs }: Deploying): (operation: string) => number {
  const late = lateOperations(kinds);
  const longest = Math.max(...kinds.map(({ kind }) => limitMs(kind))) + usualDeadlineMs;
  return (operation) => (late.has(operation) ? longest : usualDeadlineMs);
}

function finish(
  { options, terminal }: Run,
  { view, made, warnings }: { view: ResultView; made: Plan; warnings: readonly Diagnostic[] },
): Exit {
  const exit: Exit = view.ending;
  if (options.isJson) {
    const notes = made.actions.flatMap((action) => action.notes);
    printJson(terminal, resultJson(view, exitCodes[exit].code, [...warnings, ...made.diagnostics, ...notes]), 'lines');
  } else if (hasChanges(made) || exit !== 'done') terminal.out(renderResult(view, terminal.outStyle));
  return exit;
}
