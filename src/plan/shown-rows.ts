import { type Attribute, attributeName, readRow } from '../kind/attribute.ts';
import { once } from '../api/once.ts';
import { type Json, type Row, isRow, mapTexts } from '../formats/json.ts';
import type { Field } from '../kind/field.ts';
import { kindsIn } from '../kind/kind.ts';
import type { Loss } from '../kind/lifecycle.ts';
import { knownPairs } from '../state/pending-operation.ts';
import { type Outputs, noOutputs } from '../manifest/wanted.ts';
import { addressesById } from '../observe/observed.ts';
import type { Action, AttributeChange } from './action.ts';
import type { PlanInput } from './input.ts';
import { recordedAt } from './relations.ts';
import { observedAs } from './shown-values.ts';
import { undeclared, wantedOf } from './standing.ts';

/** An object with its row, in which secrets stand in clear. */
interface Placed extends Pick<Action, 'kind' | 'address' | 'block'> {
  readonly row: Row;
  /** What is declared of it, where that is known. */
  readonly attributes?: readonly AttributeChange[];
  readonly privateKeys?: ReadonlySet<string> | undefined;
  readonly outputs?: Outputs;
}

/**
 * The row of an object as people may see it: with marks in place of what came from a secret when it was applied, and without
 * the fields in which the place of the secret is not known, and the keys of maps whose values do not show as they are.
 */
export function shownRow(
  input: PlanInput,
  { kind, address, block, row, attributes = [], privateKeys, outputs = noOutputs }: Placed,
): Row {
  const { state, digests, values } = input;
  const recorded = recordedAt(state, { address, block });
  const pairs = knownPairs(state.resources[recorded]);
  const changes = new Map(attributes.map((one) => [attributeName(one.attribute), one]));
  const now = readRow(kind, row);
  const shown: Record<string, unknown> = { ...row };
  // Few members are ever looked at: each is made when it is.
  const show = (name: string, make: () => unknown) =>
    Object.defineProperty(shown, name, { get: once(make), enumerable: true, configurable: true });
  // Names in a text that nothing declares any more show like those of one that is declared.
  const how = { values: values === 'hidden' ? values : 'all', outputs, privateKeys } as const;
  const known = (attribute: Attribute, field: Field, observed: Json): Json | undefined => {
    const name = attributeName(attribute);
    const planned =
      changes.get(name) ?? undeclared(digests, recorded, { attribute, field, pair: pairs[name], observed });
    const found = observedAs({ ...how, planned, resolved: wantedOf(planned, outputs) });
    return found === undefined ? undefined : mapTexts(found, input.redact);
  };
  for (const [name, field] of Object.entries(kind.fields)) {
    const { map, readAt = name } = field;
    const observed = now.value({ field: name });
    if (observed === null) continue;
    if (map === undefined) show(readAt, () => known({ field: name }, field, observed) ?? null);
    else if (typeof observed === 'string')
      show(readAt, () => {
        const all = [...map.read(observed)];
        return map.write(new Map(all.filter(([key, value]) => known({ field: name, key }, field, value) === value)))
          .text;
      });
  }
  for (const { kind: child, at } of kindsIn(input.kinds, kind)) {
    const rows = row[at];
    if (!Array.isArray(rows)) continue;
    show(at, () =>
      rows.map((item: unknown) => {
        if (!isRow(item)) return item;
        const below = addressesById(input.observed.objects).get(String(item[child.identity.id]));
        return below === undefined ? item : shownRow(input, { kind: child, address: below, block: below, row: item });
      }),
    );
  }
  return shown;
}

const none: Row = {};

/** The row of the object of an action, and the same as people may see it; empty where there is none. */
export function rowsOf(
  input: PlanInput,
  action: Pick<Action, 'kind' | 'address' | 'block'> | undefined,
): { readonly row: Row; readonly shown: () => Row } {
  const row = input.observed.objects.get(action?.address ?? '')?.row ?? none;
  return { row, shown: () => (action === undefined ? {} : shownRow(input, { ...action, row })) };
}

/** A loss in the words that people may see: those that `shown` gives of shown rows, or without names where they say less. */
export function lossAsShown(loss: Loss | undefined, shown: () => Loss | undefined): Loss | undefined {
  if (loss?.unnamed === undefined) return loss;
  const other = shown();
  return other?.unnamed === loss.unnamed ? other : { ...loss, what: loss.unnamed };
}
