import type { ApplyResult, Outcome } from '../../../src/apply/job.ts';
import { Stop } from '../../../src/diagnostics/diagnostic.ts';
import type { LoggedRequest } from '../../../src/emulator/emulator.ts';
import type { Plan } from '../../../src/plan/action.ts';
import { needsConsent } from '../../../src/plan/action.ts';
import { obstacles } from '../../../src/plan/safeguard.ts';
import type { Connection } from '../../../src/workflow/connection.ts';
import { applyPlan } from '../../../src/workflow/apply-plan.ts';
import { plan as makePlan } from '../../../src/workflow/make-plan.ts';
import { everything } from '../../support/faults.ts';
import { readDeclared } from './declared.ts';
import { disturb } from './disturbance.ts';
import type { StepThat } from './history.ts';
import { isTold } from './others.ts';
import { expectPartly } from './partly.ts';
import { look, rowsOf } from './platform.ts';
import type { Prediction } from './prediction.ts';
import { isAsIntended, movedMemory, predict, predictDestruction } from './prediction.ts';
import { recall } from './recall.ts';
import { checkPosts, manifestOf, planFrugally, waitForRest } from './requests.ts';
import type { Episode, Run } from './run.ts';
import { holds, same } from './same.ts';

/** How a run ended. */
export type Ending =
  | { readonly is: 'over' }
  /** It is to be run again. */
  | { readonly is: 'unfinished' }
  /** It was right to refuse it. */
  | { readonly is: 'refused'; readonly prediction: Prediction }
  /** The plan in the file is not the plan any more. */
  | { readonly is: 'outdated' };

/** How a plan is made, by somebody who applies it. */
export type Planning = (world: Connection, episode: Pick<Episode, 'manifest'>) => Promise<Plan>;

/** Plans and applies a manifest once, or its destruction. What was begun for it before goes on. */
export async function runOnce(
  run: Run,
  step: StepThat<'apply'> | StepThat<'destroy'> | StepThat<'apply the plan'>,
  make: Planning = planningOf(step.do),
): Promise<Ending> {
  const { made } = run;
  const declared = readDeclared(step.manifest);
  const meanwhile = step.do === 'apply' ? step.meanwhile : [];
  await waitForRest(run);
  const before = look(made.emulator);
  const stateBefore = JSON.stringify(made.store.state);
  const known = run.episode;
  if (known !== undefined) same(known.declared.tree, step.manifest, 'another manifest while a run is half done');
  const predictNow = () =>
    step.do === 'destroy'
      ? predictDestruction(run.memory, look(made.emulator))
      : predict(declared, run.memory, look(made.emulator));
  const prediction = known?.prediction ?? predictNow();
  run.seen = made.emulator.log.length;
  run.deeds = [];
  const disturbed = disturb(run, { faults: step.faults, meanwhile });
  const manifest = await manifestOf(run, declared);
  const calmWorld = { ...disturbed.world, client: made.world().client };
  const planned = await orRefused(planFrugally(run, manifest, () => make(calmWorld, { manifest })));
  if (planned instanceof Stop) {
    same(made.emulator.log.slice(run.seen).filter(isSent(run)), [], 'what was sent although it was refused');
    same(JSON.stringify(made.store.state), stateBefore, 'the state after it was refused');
    if (step.do === 'apply the plan' && planned.diagnostics[0]?.code === 'plan-outdated') return { is: 'outdated' };
    if (known === undefined) return refused(run, planned, prediction);
    // Two blocks with one natural key cannot be told apart once the answers to both of their creates are lost.
    leave(run, known);
    return refused(run, planned, predictNow());
  }
  const episode: Episode = known ?? {
    is: step.do === 'destroy' ? 'destroy' : 'apply',
    declared,
    manifest,
    before,
    prediction,
    planned,
    ordersBefore: run.watch.orders(),
    hits: 0,
    unfinished: undefined,
  };
  expectConsent(run, planned, episode, { isFirst: known === undefined });
  if (known === undefined) {
    same([...prediction.errors], [], 'refusals that should have been');
    expectTold(run, episode);
  }
  run.episode = episode;
  return send(run, episode, { planned, disturbed, isWatched: meanwhile.length > 0 });
}

function planningOf(what: 'apply' | 'destroy' | 'apply the plan'): Planning {
  return (world, { manifest }) => makePlan(manifest, world, { destroys: what === 'destroy' });
}

/** A plan that may be applied, or what it is refused with. */
export async function orRefused(work: Promise<Plan>): Promise<Plan | Stop> {
  try {
    const planned = await work;
    const found = obstacles(planned, everything);
    return found.length > 0 ? new Stop('refused', found) : planned;
  } catch (error) {
    if (error instanceof Stop && error.failure === 'refused') return error;
    throw error;
  }
}

const isSent =
  ({ late }: Run) =>
  (entry: LoggedRequest): boolean =>
    entry.method === 'POST' && !late.has(entry);

/** Nothing is taken over that was not found by its key. */
function expectConsent(
  { memory, touched }: Run,
  { actions }: Plan,
  { prediction }: Episode,
  { isFirst }: { readonly isFirst: boolean },
): void {
  for (const action of actions) {
    const { address, kind, id = '' } = action;
    // What a create made that got no answer is not surely ours any more once somebody changed it.
    const isDoubtful = touched.has(id) && memory.get(address)?.intended !== undefined;
    // What somebody connected meanwhile may be found by now.
    const isRight =
      prediction.adopted.has(address) || isDoubtful || (!isFirst && kind.identity.listedOnce !== undefined);
    holds(isRight || !needsConsent(action), `${address} needs consent`);
  }
}

async function send(
  run: Run,
  episode: Episode,
  about: { readonly planned: Plan; readonly disturbed: ReturnType<typeof disturb>; readonly isWatched: boolean },
): Promise<Ending> {
  const { planned, disturbed, isWatched } = about;
  const { clock } = run.made;
  const applied = applyPlan(planned, disturbed.world, { permissions: everything, connections: 4, clock });
  const result = await Promise.race([disturbed.death, applied]);
  const hits = disturbed.hits();
  episode.hits += hits;
  checkPosts(run, planned, { isDisturbed: hits > 0 || isWatched });
  const failures = result === 'killed' ? [] : failuresOf(result);
  const isPending = ({ action: { notes } }: Outcome) => notes.some(({ code }) => code === 'pending');
  const real = failures.filter((outcome) => outcome.result !== 'skipped' && !isPending(outcome));
  if (hits === 0 && !isWatched) same(wordsOf(real), [], 'outcomes');
  const { resources = {}, deployments = {} } = run.made.store.state ?? {};
  const isOpen =
    Object.values(resources).some((record) => record.id === null || record.pending !== undefined) ||
    Object.values(deployments).some(({ pending }) => pending !== undefined);
  if (result !== 'killed' && hits === 0 && failures.length === 0 && !isOpen) {
    episode.unfinished = undefined;
    return { is: 'over' };
  }
  episode.unfinished = result === 'killed' ? 'it was killed' : wordsOf(failures).join('; ');
  return { is: 'unfinished' };
}

const failuresOf = ({ outcomes }: ApplyResult) => outcomes.filter(({ result }) => result !== 'done');

function wordsOf(outcomes: ApplyResult['outcomes']): string[] {
  return outcomes.map(
    ({ action, result, diagnostics }) =>
      `${action.action} ${action.address}: ${result} ${diagnostics.map((item) => item.message).join()}`,
  );
}

/** It is refused for the reasons that were predicted. */
export function refused(run: Run, error: Stop, prediction: Prediction): Ending {
  run.refusal = error.message;
  const found = error.diagnostics.filter(({ severity }) => severity === 'error');
  const said = new Set(found.map((item) => `${item.code} ${item.address ?? ''}`));
  // Who cannot tell two objects apart does not look any further.
  if (![...said].some((item) => item.startsWith('ambiguous')))
    same([...said].toSorted(), [...prediction.errors].toSorted(), 'refusals');
  else for (const item of said) holds(prediction.errors.has(item), `it is refused and should not be: ${error.message}`);
  return { is: 'refused', prediction };
}

/** Of what was about to be made when a run ended, and is declared no more, it is told. */
function expectTold({ memory }: Run, { declared, before, planned }: Episode): void {
  for (const [address, one] of movedMemory(memory, declared)) {
    const row = rowsOf(before, one.kind).get(one.id);
    if (row === undefined || !isAsIntended(one, row) || declared.byAddress.has(address)) continue;
    const isDeleted = planned.actions.some((action) => action.address === address && action.action === 'delete');
    holds(isDeleted || isTold(planned, address), `of ${address} nothing is told`);
  }
}

/** Leaves a run half done: what is known from then on is what it came to. */
export function leave(run: Run, episode: Episode): void {
  expectPartly(run, episode);
  run.memory = recall(run, episode);
  run.isHalfDone = true;
  run.episode = undefined;
}
