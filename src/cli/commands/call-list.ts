import { contract, isOperation, type Operation } from '../../api/contract.ts';
import { operationsJson } from '../../render/operations-json.ts';
import { renderOperation, renderOperations } from '../../render/operations-text.ts';
import { findOperation } from '../../operate/check-input.ts';
import type { Exit } from '../exit-codes.ts';
import type { Run } from '../run.ts';
import { printJson } from '../run.ts';

/** Lists all operations, those of a group, or the members of one. */
export function listOperations({ options, terminal }: Run, what: string | undefined): Exit {
  const all = Object.keys(contract).filter(isOperation);
  const group = all.filter((operation) => what === undefined || operation.startsWith(`${what}.`));
  const chosen: readonly Operation[] = group.length > 0 || what === undefined ? group : [findOperation(what)];
  const [only] = chosen;
  if (options.isJson) printJson(terminal, operationsJson(chosen));
  else if (only !== undefined && only === what) terminal.out(renderOperation(only, terminal.outStyle));
  else terminal.out(renderOperations(chosen, terminal.outStyle));
  return 'done';
}
