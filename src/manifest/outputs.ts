import type { Evaluation } from './evaluate.ts';
import { evaluate } from './evaluate.ts';
import type { MapNode } from './tree.ts';
import type { Wanted } from './wanted.ts';

/**
 * Reads what stands under `outputs:`, all of it as text; its form was checked with the settings. Problems go to the
 * diagnostics.
 */
export function readOutputs(tree: MapNode, about: Omit<Evaluation, 'named' | 'address'>): ReadonlyMap<string, Wanted> {
  const declared = tree.entries.get('outputs')?.node;
  if (declared?.is !== 'map') return new Map();
  return new Map(
    [...declared.entries].map(([name, { node }]) => {
      const evaluation = { ...about, named: () => undefined, address: `outputs.${name}` };
      return [name, evaluate(node, evaluation, { asWritten: true })];
    }),
  );
}
