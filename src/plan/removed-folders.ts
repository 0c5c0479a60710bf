import { type Action, isDeployment } from './action.ts';
import type { Planning } from './input.ts';
import { actionsByAddress } from './relations.ts';
import { lossAsShown, rowsOf } from './shown-rows.ts';

/**
 * Adds the data that deployments remove to the services that are deployed again: where a service is protected, and the first
 * time that Trueup deploys one of others. A flag at every deployment would teach people to give it.
 */
export function withRemovedFolders(input: Planning, actions: readonly Action[]): readonly Action[] {
  const { observed, state } = input;
  const all = actionsByAddress(actions);
  const losses = new Map(
    actions.flatMap((action) => {
      const root = isDeployment(action) && action.start !== 'first' ? all.get(action.block) : undefined;
      const { deploymentRemoves } = root?.kind.lifecycle ?? {};
      const row = observed.objects.get(root?.address ?? '')?.row;
      if (root === undefined || deploymentRemoves === undefined || row === undefined) return [];
      if (root.protect !== true && state.deployments[root.address] !== undefined) return [];
      const above = rowsOf(input, all.get(root.parent ?? ''));
      const loss = lossAsShown(deploymentRemoves(row, above.row), () =>
        deploymentRemoves(rowsOf(input, root).shown(), above.shown()),
      );
      return loss === undefined ? [] : [[root.address, loss.what] as const];
    }),
  );
  if (losses.size === 0) return actions;
  return actions.map((action) => {
    const lost = losses.get(action.address);
    if (lost === undefined) return action;
    return { ...action, dataAtRisk: [action.dataAtRisk, lost].filter((one) => one !== undefined).join('; ') };
  });
}
