import { readRow } from '../kind/attribute.ts';
import { type Row, isRow, mapTexts } from '../formats/json.ts';
import type { Kind } from '../kind/kind.ts';
import { blockOf } from '../kind/address.ts';
import type { Loss } from '../kind/lifecycle.ts';
import { knownPairs } from '../state/pending-operation.ts';
import { type Outputs, noOutputs } from '../manifest/wanted.ts';
import { addressesById } from '../observe/observed.ts';
import type { AttributeChange } from './action.ts';
import type { PlanInput } from './input.ts';
import { observedAs } from './shown-values.ts';
import { undeclared, wantedOf } from './standing.ts';

/** An object with its row, in which secrets stand in clear. */
interface Placed {
  readonly kind: Kind;
  readonly address: string;
  readonly row: Row;
  /** What is declared of it, where that is known. */
  readonly attributes?: readonly AttributeChange[];
  readonly privateKeys?: ReadonlySet<string> | undefined;
  readonly outputs?: Outputs;
}

/**
 * The row of an object as people may see it: with marks in place of what came from a secret when it was applied, and without
 * the fields in which the place of the secret is not known. Maps stay: nothing quotes their values.
 */
export function shownRow(
  input: PlanInput,
  { kind, address, row, attributes = [], privateKeys, outputs = noOutputs }: Placed,
): Row {
  const { state, digests, values = 'usual' } = input;
  const pairs = knownPairs(state.resources[address] ?? state.resources[blockOf(address)]);
  const now = readRow(kind, row);
  const shown: Record<string, unknown> = { ...row };
  for (const [name, field] of Object.entries(kind.fields)) {
    const attribute = { field: name };
    const observed = now.value(attribute);
    if (field.map !== undefined || observed === null) continue;
    const planned =
      attributes.find((one) => one.attribute.field === name) ??
      undeclared(digests, address, { attribute, field, pair: pairs[name], observed });
    // Names in a text that nothing declares any more show like those of one that is declared.
    const how = { values: values === 'hidden' ? values : 'all', outputs, privateKeys } as const;
    const known = observedAs({ ...how, planned, resolved: wantedOf(planned, outputs) });
    shown[field.readAt ?? name] = known === undefined ? null : mapTexts(known, input.redact);
  }
  for (const child of input.kinds) {
    const link = child.parents[kind.kind];
    const at = link !== undefined && 'at' in link.listed ? link.listed.at : '';
    const rows = row[at];
    if (!Array.isArray(rows)) continue;
    shown[at] = rows.map((item: unknown) => {
      if (!isRow(item)) return item;
      const below = addressesById(input.observed.objects).get(String(item[child.identity.id]));
      return below === undefined ? item : shownRow(input, { kind: child, address: below, row: item });
    });
  }
  return shown;
}

/** A loss in the words that people may see: those that `shown` gives of shown rows, or without names where they say less. */
export function lossAsShown(loss: Loss | undefined, shown: () => Loss | undefined): Loss | undefined {
  if (loss?.unnamed === undefined) return loss;
  const other = shown();
  return other?.unnamed === loss.unnamed ? other : { ...loss, what: loss.unnamed };
}
