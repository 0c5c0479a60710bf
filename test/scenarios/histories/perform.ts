import { without } from '../../../src/state/readdress.ts';
import type { State } from '../../../src/state/state.ts';
import type { Ending } from './applying.ts';
import { leave, runOnce } from './applying.ts';
import { expectFewOrders, expectRest } from './at-rest.ts';
import { act } from './by-hand.ts';
import { expectDeclared } from './converged.ts';
import { expectDestroyed } from './destroyed.ts';
import { applyFiled, filePlan } from './filing.ts';
import type { Step } from './history.ts';
import { expectOthers } from './others.ts';
import { rebuild } from './rebuilding.ts';
import { waitForRest } from './requests.ts';
import type { Run } from './run.ts';

const over: Ending = { is: 'over' };

/** Does one step of a history, with everything that has to hold after it. */
export async function perform(run: Run, step: Step): Promise<Ending> {
  const ending = await performOnly(run, step);
  run.happened.add(`${step.do}: ${ending.is}`);
  return ending;
}

async function performOnly(run: Run, step: Step): Promise<Ending> {
  switch (step.do) {
    case 'by hand':
      if (run.episode !== undefined && !step.isAsked) throw new Error('leave the run before something else is done');
      await act(run, step);
      return over;
    case 'apply':
    case 'destroy':
      return runOnce(run, step);
    case 'plan':
      return filePlan(run, step);
    case 'apply the plan':
      return applyFiled(run, step);
    case 'expect the end':
      await expectEnd(run);
      return over;
    case 'leave':
      await waitForRest(run);
      if (run.episode !== undefined) leave(run, run.episode);
      return over;
    case 'wait':
      await waitForRest(run);
      return over;
    case 'lose the state':
      run.made.store.state = undefined;
      run.memory = new Map();
      run.watch.forget();
      return over;
    case 'rebuild the state':
      return rebuild(run, step);
    case 'lift protection':
      liftProtection(run);
      return over;
    case 'forget':
      forget(run, step.addresses);
      return over;
    default:
      return step satisfies never;
  }
}

async function expectEnd(run: Run): Promise<void> {
  const { episode } = run;
  if (episode === undefined) throw new Error(`it is refused again and again: ${run.refusal ?? ''}`);
  if (episode.unfinished !== undefined) throw new Error(`it does not come right: ${episode.unfinished}`);
  await waitForRest(run);
  if (episode.is === 'destroy') {
    expectDestroyed(run, episode);
    run.memory = new Map();
    run.watch.forget();
  } else {
    expectFewOrders(run, episode);
    const memory = expectDeclared(run, episode);
    expectOthers(run, episode, memory);
    run.memory = memory;
    await expectRest(run, episode);
  }
  run.episode = undefined;
  run.isHalfDone = false;
}

function liftProtection(run: Run): void {
  change(run, ({ resources, deployments }) => ({
    deployments,
    resources: Object.fromEntries(
      Object.entries(resources).map(([address, record]) => {
        const { protect: _, ...options } = record.options;
        return [address, record.options.protect === true ? { ...record, options } : record];
      }),
    ),
  }));
  run.memory = new Map([...run.memory].map(([address, memory]) => [address, { ...memory, protect: false }]));
}

function forget(run: Run, addresses: readonly string[]): void {
  const isKept = (address: string) => !addresses.includes(address);
  change(run, (state) => without(state, addresses));
  run.memory = new Map([...run.memory].filter(([address]) => isKept(address)));
}

function change({ made: { store } }: Run, held: (state: State) => Pick<State, 'resources' | 'deployments'>): void {
  const { state } = store;
  if (state !== undefined) store.state = { ...state, serial: state.serial + 1, ...held(state) };
}
