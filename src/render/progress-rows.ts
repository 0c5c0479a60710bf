import { isWithin } from '../kind/address.ts';
import { columnsOf } from './columns.ts';
import type { ActionName, PlanDocument } from './document-schemas.ts';
import { printable } from './printable.ts';
import { type ProgressRow, type ProgressView, plannedName } from './progress-view.ts';
import { actionWords, isBeside, isChange, isRemoval } from './action-words.ts';

/** Builds the tree of the actions of a plan: environments, their services, and the parts of those. */
export function buildRows(plan: Pick<PlanDocument, 'actions'>): Pick<ProgressView, 'rows' | 'names'> {
  const actions = new Map(plan.actions.map((action) => [plannedName(action), action]));
  const below = new Map<string | undefined, string[]>();
  const append = (parent: string | undefined, address: string): void => {
    const list = below.get(parent);
    if (list === undefined) below.set(parent, [address]);
    else list.push(address);
  };
  for (const [address, { parent }] of actions) {
    if (parent !== undefined && !actions.has(parent) && !below.has(parent)) append(undefined, parent);
    append(parent, address);
  }
  const rows: ProgressRow[] = [];
  const visit = (key: string, depth: number, above: number | undefined): void => {
    const action = actions.get(key);
    const place = rows.length;
    const parent = above === undefined ? undefined : rows[above]?.key;
    const label = printable(action !== undefined && isBeside(action) ? action.action : labelOf(key, parent));
    rows.push({
      key,
      address: action?.address ?? key,
      label,
      depth,
      columns: indentOf(depth).length + signOf(action?.action).length + columnsOf(label),
      above,
      action: action?.action,
      isQuiet: action === undefined || (action.requests === 0 && !isRemoval(action)),
      needs: action?.after ?? [],
    });
    for (const child of below.get(key) ?? []) visit(child, depth + 1, place);
  };
  for (const root of below.get(undefined) ?? []) visit(root, 0, undefined);
  return { rows, names: rows.reduce((max, row) => (row.isQuiet ? max : Math.max(max, row.columns)), 0) };
}

/** The indent of a depth. */
export function indentOf(depth: number): string {
  return '  '.repeat(depth);
}

/** The symbol of an action in plans, with a space. */
export function signOf(action: ActionName = 'no-op'): string {
  return isChange({ action }) ? `${actionWords[action].symbol} ` : '';
}

function labelOf(address: string, parent: string | undefined): string {
  if (parent === undefined) return address;
  return isWithin(address, parent) ? address.slice(parent.length).replace(/^[. ]/, '') : address;
}
