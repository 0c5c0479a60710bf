import { contract, isOperation, type Operation } from '../../api/contract.ts';
import type { CallView } from '../../render/formats/call.ts';
import { findOperation } from '../../operate/check-input.ts';
import type { Exit } from '../../render/exit-codes.ts';

/** Lists all operations, those of a group, or the members of one. */
export function listOperations(view: CallView, what: string | undefined): Exit {
  const all = Object.keys(contract).filter(isOperation);
  const group = all.filter((operation) => what === undefined || operation.startsWith(`${what}.`));
  const chosen: readonly Operation[] = group.length > 0 || what === undefined ? group : [findOperation(what)];
  const [only] = chosen;
  if (only !== undefined && only === what) view.operation(only);
  else view.operations(chosen);
  return 'done';
}
