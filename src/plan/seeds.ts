import { commandFor, seedCommand } from '../kind/command-call.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import { type Action, createsObject, isDeferred, isDeletion, isEffective, leavesState } from './action.ts';
import { targetBeside } from './action-target.ts';
import type { Planning } from './input.ts';
import { actionsByAddress } from './relations.ts';
import { stepOf } from './steps.ts';

/**
 * Adds the run of each object that `seed:` names and that did not run to a good end yet: after everything else that the
 * plan does, in the order of `seed:`. One whose service this plan leaves without its deployment waits for the next plan.
 */
export function withSeeds(input: Planning, planned: readonly Action[]): readonly Action[] {
  const { seeds, state, destroys, deploys, observed } = input;
  if (seeds.length === 0 || destroys) return planned;
  const actions = new Map(actionsByAddress(planned));
  const before = planned.filter((one) => isEffective(one) && !isDeletion(one)).map(({ address }) => address);
  const runs: Action[] = [];
  for (const seed of seeds) {
    const root = actions.get(seed);
    if (root === undefined || leavesState(root) || isDeferred(root)) continue;
    const hasRun = state.resources[seed]?.ran === true && !createsObject(root);
    const service = actions.get(root.parent ?? '');
    if (hasRun || !deploys || service === undefined || service.service?.isLeft === true) continue;
    const command = commandFor(root.kind, seedCommand, observed.objects.get(seed)?.row ?? {});
    if (command === undefined || 'cannot' in command) {
      const message = `${seed} cannot be run: the platform has no operation for it`;
      const remedy = 'Take it out of seed: under preview:.';
      actions.set(seed, {
        ...root,
        notes: [...root.notes, diagnostic('not-served', message, { address: seed, position: root.position, remedy })],
      });
      continue;
    }
    runs.push({
      ...targetBeside(root, 'run', [seed, ...before, ...runs.map(({ address }) => address)]),
      action: 'run',
      teardown: [],
      steps: [stepOf(root, 'run', command.call, {}, [])],
    });
  }
  return [...planned.map((one) => actions.get(one.address) ?? one), ...runs];
}
