import { type Evaluation, evaluate } from './evaluate-expressions.ts';
import { type MapNode, entriesOf, nodeAt } from './tree.ts';
import type { Wanted } from './wanted.ts';

/**
 * Reads what stands under `outputs:`, all of it as text; its form was checked with the settings. Problems are reported to the
 * evaluations.
 */
export function readOutputs(tree: MapNode, evaluationOf: (address: string) => Evaluation): ReadonlyMap<string, Wanted> {
  return new Map(
    [...entriesOf(nodeAt(tree, ['outputs']))].map(([name, { node }]) => [
      name,
      evaluate(node, evaluationOf(`outputs.${name}`), { asWritten: true }).wanted,
    ]),
  );
}
