import { attributeName } from '../kind/attribute.ts';
import { type Row, canonical } from '../formats/json.ts';
import { observedValue } from '../kind/row-values.ts';
import type { Outputs } from '../manifest/wanted.ts';
import { type Action, isCreation, isDeletion } from './action.ts';
import type { Planning } from './input.ts';
import { wantedOf } from './standing.ts';

/** Drops the data at risk from each deletion of an object when the same plan creates another one with the same data. */
export function withoutCarriedOver(
  { observed: { objects }, outputs }: Pick<Planning, 'observed' | 'outputs'>,
  actions: readonly Action[],
): readonly Action[] {
  const made = new Set(actions.filter(isCreation).map((one) => dataMade(one, outputs)));
  if (![...made].some((data) => data !== undefined)) return actions;
  return actions.map((one) => {
    if (!isDeletion(one) || one.dataAtRisk === undefined) return one;
    const data = dataOf(one, objects.get(one.address)?.row);
    return data !== undefined && made.has(data) ? { ...one, dataAtRisk: undefined } : one;
  });
}

/** The data of an object, with its kind and parent; undefined where the kind does not say which fields name it. */
function dataOf({ kind, parent }: Action, row: Row | undefined): string | undefined {
  const names = kind.lifecycle?.dataNamedBy;
  if (names === undefined || row === undefined) return undefined;
  return canonical([kind.kind, parent ?? null, ...names.map((name) => observedValue(kind, name, row) ?? null)]);
}

/** The data of an object that a plan creates; undefined also while a value is not known. */
function dataMade(action: Action, outputs: Outputs): string | undefined {
  if (action.kind.lifecycle?.dataNamedBy === undefined) return undefined;
  const row: Record<string, unknown> = {};
  for (const planned of action.attributes) {
    const resolved = wantedOf(planned, outputs);
    if (resolved === undefined) continue;
    if (resolved.is !== 'known') return undefined;
    row[attributeName(planned.attribute)] = resolved.value;
  }
  return dataOf(action, row);
}
