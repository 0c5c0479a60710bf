import { planFile } from '../../../src/plan/plan-facts.ts';
import { plan } from '../../../src/workflow/make-plan.ts';
import { planAgain } from '../../../src/workflow/reviewed.ts';
import { Stop } from '../../../src/diagnostics/diagnostic.ts';
import { planFileText } from '../../../src/plan/plan-file.ts';
import { reviewedPlan, thisVersion } from '../../support/reviewed.ts';
import type { Ending } from './applying.ts';
import { orRefused, refused, runOnce } from './applying.ts';
import { readDeclared } from './declared.ts';
import { calm } from './disturbance.ts';
import type { StepThat } from './history.ts';
import { look } from './platform.ts';
import { predict } from './prediction.ts';
import { manifestOf } from './requests.ts';
import type { Run } from './run.ts';
import { holds, same } from './same.ts';

/** Plans that are put into a file and applied from it. */

/** Plans, and puts that into the file. */
export async function filePlan(run: Run, { manifest: tree }: StepThat<'plan'>): Promise<Ending> {
  const declared = readDeclared(tree);
  const purpose = { manifest: await manifestOf(run, declared), deploys: true, destroys: false };
  const prediction = predict(declared, run.memory, look(run.made.emulator));
  run.filed = undefined;
  const planned = await orRefused(plan(purpose.manifest, calm(run), purpose));
  if (planned instanceof Stop) return refused(run, planned, prediction);
  same([...prediction.errors], [], 'refusals that should have been');
  run.filed = {
    text: planFileText(planFile(planned, purpose, thisVersion, await run.made.store.key())),
    from: situation(run, tree),
  };
  return { is: 'over' };
}

/** Applies the plan in the file. It is refused only when something is not as it was. */
export async function applyFiled(run: Run, step: StepThat<'apply the plan'>): Promise<Ending> {
  const { filed } = run;
  if (filed === undefined) throw new Error('there is no plan in the file');
  const now = situation(run, step.manifest);
  // What changed where the plan touches nothing is left to the next plan: the model repairs everything at once.
  const full = now !== filed.from;
  const ending = await runOnce(run, step, (world, { manifest }) =>
    planAgain(reviewedPlan(filed.text), manifest, world, { full }),
  );
  if (ending.is === 'outdated') holds(now !== filed.from, 'the plan in a file is refused, and nothing changed');
  return ending;
}

/** Everything that a plan is made from. */
function situation({ made }: Run, tree: StepThat<'plan'>['manifest']): string {
  return JSON.stringify([made.emulator.world, made.store.state, tree]);
}
