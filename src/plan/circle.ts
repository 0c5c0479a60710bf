import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import { circleIn } from './nodes.ts';

/** The error of a plan that no order of requests can carry out: something leaves an object, and needs the new one in its place. */
export function waitingInCircle(plan: Parameters<typeof circleIn>[0]): Diagnostic[] {
  const circle = circleIn(plan) ?? [];
  const [first] = circle;
  if (first === undefined) return [];
  const { address, position } = first;
  const addresses = [...circle, first].map((one) => one.address);
  const moved = circle.flatMap((one) => (one.action === 'move' ? [one.address] : []));
  const remedy =
    moved.length === 0
      ? 'Apply a part of the change first.'
      : `Apply the move of ${moved.join(' and ')} first, and the rest of the change after it.`;
  const message = `no order of the requests works, because each of these waits for the next: ${addresses.join(' -> ')}`;
  return [diagnostic('bad-reference', message, { address, position, remedy })];
}
