import type { Profile } from '../../api/contract.ts';
import { beyondDocument, contract, isOperation, type Operation } from '../../api/contract.ts';
import { textIn } from '../../kind/profile.ts';
import type { CallView } from '../../render/formats/call.ts';
import { findOperation } from '../../operate/check-input.ts';
import type { Exit } from '../../render/exit-codes.ts';

/** Lists the operations of the API document, all of a group, or the members of one. */
export function listOperations(view: CallView, what: string | undefined, profile: Profile): Exit {
  const words = (text: string) => textIn(text, profile);
  const documented = Object.keys(contract).filter(isOperation);
  // Many a group is beyond the document, such as that of projects, and a call takes its operations too.
  const all: readonly Operation[] = what === undefined ? documented : [...documented, ...beyondDocument];
  const isIn = (operation: Operation, group: string) =>
    [operation, textIn(operation, 'dokploy')].some((name) => name.startsWith(`${group}.`));
  const group = all.filter((operation) => what === undefined || isIn(operation, what));
  const isOne = group.length === 0 && what !== undefined;
  const chosen: readonly Operation[] = isOne ? [findOperation(what, profile)] : group;
  const [only] = chosen;
  if (only !== undefined && isOne) view.operation(only, words);
  else view.operations(chosen, words);
  return 'done';
}
