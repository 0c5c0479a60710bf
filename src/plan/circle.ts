import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import { fieldPath } from '../kind/row-values.ts';
import { type Action, isDeletion, isMove } from './action.ts';
import { movedEntry } from './moved-addresses.ts';
import { circleIn } from './request-order.ts';

/** The error of a plan with actions that wait for each other: no order of their requests works. */
export function waitingInCircle(plan: Parameters<typeof circleIn>[0]): Diagnostic[] {
  const circle = circleIn(plan) ?? [];
  const [first] = circle;
  if (first === undefined) return [];
  const { address, position } = first;
  const addresses = [...circle, first].map((one) => one.address);
  const message = `no order of the requests works, because each of these waits for the next: ${addresses.join(' -> ')}`;
  return [diagnostic('bad-reference', message, { address, position, remedy: remedyFor(circle) })];
}

function remedyFor(circle: readonly Action[]): string {
  const moved = circle.filter(isMove).map(({ address }) => address);
  if (moved.length > 0) return `Apply the move of ${moved.join(' and ')} first, and the rest of the change after it.`;
  for (const { address, kind } of circle.filter((one) => !isDeletion(one))) {
    const name = kind.lifecycle?.unique;
    if (name === undefined) continue;
    const another = `${address} a ${fieldPath(kind, name)} that no other has`;
    const gone = circle.find((one) => isDeletion(one) && one.kind === kind);
    return gone === undefined
      ? `Give ${another}, apply, and then the one that it is to have.`
      : `Say ${movedEntry(gone.address, address)}, or give ${another}.`;
  }
  return 'Apply a part of the change first.';
}
