import { same } from '../kind/json.ts';
import { diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import { isEffective } from '../plan/action.ts';
import { blockAddress } from '../kind/address.ts';
import type { State, StateStore } from '../state/state.ts';
import { withWaves } from '../state/wave.ts';
import { settleDebt } from './debts.ts';
import { deploy } from './deploy.ts';
import { settleLane } from './lane.ts';
import { make, tearDown } from './make.ts';
import type { ActionNode, ApplyNode } from './node.ts';
import { planNodes } from './nodes.ts';
import type { ApplyEvent, ApplyResult, Outcome } from './result.ts';
import type { ApplyInput, Run } from './run.ts';
import { complain, report } from './problems.ts';
import { laneRoot, startRun } from './run.ts';
import { runSchedule } from './schedule.ts';

/** Sends what the plan says, reads back what came of it, and saves it. */
export async function apply(input: ApplyInput): Promise<ApplyResult> {
  const run: Run = startRun({ ...input, onEvent: (event) => tell(run, input, event) });
  await runSchedule({
    ...planNodes(input.plan),
    // The platform loses entries of a member's access lists when that member creates in parallel.
    concurrency: input.plan.observed.role === 'member' ? 1 : Math.max(1, input.connections) * 2,
    run: (node, after) => runNode(run, node, after),
    skipped: (node, because) => skipNode(run, node, because),
    stopped: () => (input.signal?.aborted === true ? 'the run was interrupted' : run.stopped),
  });
  return finish(run);
}

/** Tells whoever listens; who fails at that holds nothing up, and is told of at the end. */
function tell(run: Run, { onEvent }: ApplyInput, event: ApplyEvent): void {
  try {
    onEvent?.(event);
  } catch (error) {
    run.defect ??= { error };
  }
}

async function runNode(run: Run, node: ApplyNode, after: readonly ApplyNode[]): Promise<'done' | 'failed'> {
  switch (node.part) {
    case 'read back':
      await settleLane(run, node.scope).catch((error: unknown) => complain(run, laneRoot(run, node.scope), error));
      return 'done';
    case 'removals over':
    case 'references deployed':
      return 'done';
    case 'teardown':
    case 'make':
    case 'deploy':
      return runAction(run, node, after);
    default:
      return node satisfies never;
  }
}

async function runAction(run: Run, node: ActionNode, after: readonly ApplyNode[]): Promise<'done' | 'failed'> {
  const { action, part } = node;
  const unsure = after.find(({ name }) => isUnsure(run.results.get(name)));
  if (unsure !== undefined) {
    skipNode(run, node, unsure);
    return 'failed';
  }
  const { onEvent } = run.input;
  const { address } = action;
  const about = { address: blockAddress(address), action: action.action };
  const isLoud = isEffective(action) || action.action === 'delete';
  if (isLoud && !run.sent.has(address)) onEvent?.({ event: 'started', ...about });
  try {
    if (part === 'deploy') {
      const result = await deploy(run, action);
      run.results.set(address, result);
      onEvent?.({ event: result === 'done' ? 'done' : 'failed', ...about });
      return result === 'done' ? 'done' : 'failed';
    }
    if (part === 'teardown') await tearDown(run, action);
    else await make(run, action);
    return 'done';
  } catch (error) {
    complain(run, action, error);
    run.results.set(address, 'failed');
    onEvent?.({ event: 'failed', ...about });
    return 'failed';
  }
}

/** Whether something was sent and is not, or may not be, as it was to be. */
function isUnsure(result: Outcome['result'] | undefined): boolean {
  return result !== undefined && result !== 'done';
}

function skipNode(run: Run, node: ApplyNode, because: ApplyNode | string): void {
  if (!('action' in node) || run.results.has(node.action.address)) return;
  const { action } = node;
  const { address } = action;
  const why = typeof because === 'string' ? because : `${nameOf(because)} did not succeed`;
  if (run.written.has(address)) {
    run.results.set(address, 'failed');
    const message = `the old ${address} is deleted and the new one was not made, because ${why}`;
    report(run, action, diagnostic('platform-answer', message, { address, remedy: 'Apply again.' }));
    run.input.onEvent?.({ event: 'failed', address, action: action.action });
    return;
  }
  run.results.set(address, 'skipped');
  report(run, action, diagnostic('skipped', `${nameOf(node)} was not tried, because ${why}`, { address }));
  run.input.onEvent?.({ event: 'skipped', address: blockAddress(address), action: action.action });
}

/** How a node is called in a sentence. */
function nameOf(node: ApplyNode): string {
  if (!('action' in node)) return node.name;
  const { address } = node.action;
  const block = blockAddress(address);
  return block === address ? address : `the deployment of ${block}`;
}

async function finish(run: Run): Promise<ApplyResult> {
  const { plan, store } = run.input;
  for (const action of plan.actions) await settleDebt(run, action);
  const reached = withWaves(plan.base, [[...run.records]]);
  const isNew = plan.saved === undefined || !same(plan.saved.resources, reached.resources);
  const state = isNew ? { ...reached, serial: plan.base.serial + 1 } : plan.base;
  const unsaved = isNew || run.sent.size > 0 ? await write(store, state) : undefined;
  if (run.defect !== undefined) throw run.defect.error;
  const outcomes = plan.actions.map((action) => ({
    action,
    result: run.results.get(action.address) ?? ('skipped' as const),
    mayHaveWritten: run.written.has(action.address),
    diagnostics: run.problems.get(action.address) ?? [],
  }));
  return { outcomes, state, unsaved };
}

/** Writes the state; gives why that was not possible: what was done is told all the same. */
async function write(store: StateStore, state: State): Promise<Stop | undefined> {
  try {
    await store.write(state);
    return undefined;
  } catch (error) {
    if (error instanceof Stop) return error;
    throw error;
  }
}
