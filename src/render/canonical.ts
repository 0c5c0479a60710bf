import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { addressParts, blockAddress, replacedAddress } from '../kind/address.ts';
import type { ShownAction, ShownPlan } from '../plan/action.ts';

/**
 * A plan in an order that does not depend on how its manifest is written: by address, changes by path. So a report has the
 * same bytes when blocks and keys change places, or move to another file.
 */
export function inCanonicalOrder<P extends ShownPlan>(plan: P): P {
  const { actions, narrowed, diagnostics } = plan;
  return {
    ...plan,
    actions: sorted(actions, ({ address }) => addressKey(address)).map(actionInOrder),
    ...(narrowed === undefined
      ? {}
      : { narrowed: { ...narrowed, leftOut: sorted(narrowed.leftOut, ({ address }) => addressKey(address)) } }),
    diagnostics: diagnosticsInOrder(diagnostics),
  };
}

/** Diagnostics by address, code and message: errors of one place stand together. */
export function diagnosticsInOrder(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return sorted(diagnostics, ({ address, code, message }) =>
    [address === undefined ? '' : addressKey(address), code, message].join(between),
  );
}

function actionInOrder(action: ShownAction): ShownAction {
  const { changes, notes, because } = action;
  return {
    ...action,
    changes: sorted(changes, ({ path }) => path),
    notes: diagnosticsInOrder(notes),
    ...(because === undefined ? {} : { because: sorted(because, (path) => path) }),
  };
}

/** What stands between two parts of a key: less than every character of an address. */
const between = '\u0000';

/** A key by which an object stands before everything below it, and its deployment behind all of that. */
export function addressKey(address: string): string {
  const block = blockAddress(address);
  const replaced = replacedAddress(block);
  const parts = addressParts(replaced ?? block) ?? [replaced ?? block];
  const old = replaced === undefined ? [] : ['\u0001'];
  const deployment = block === address ? [] : ['\uffff'];
  return [...parts, ...old, ...deployment].join(between);
}

function sorted<T>(values: readonly T[], keyOf: (value: T) => string): T[] {
  const keyed = values.map((value) => ({ value, key: keyOf(value) }));
  // By code units: the order of a language would depend on the machine.
  return keyed.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map(({ value }) => value);
}
