import { servedOperations } from '../served.ts';
import type { Asked } from './asked.ts';

/** Everything that can stand under `on`: an operation, all of a group, all of a name, batches, a method, or all. */
export const patterns: readonly string[] = [
  ...new Set([
    ...servedOperations.flatMap((operation) => {
      const [group = '', name = ''] = operation.split('.');
      return [operation, `${group}.*`, `*.${name}`];
    }),
    'trpc',
    'GET',
    'POST',
    '*',
  ]),
];

/** Whether a request is one of those that a pattern means. */
export function isMeant(pattern: string, { method, operation }: Asked): boolean {
  if (pattern === '*' || pattern === method || pattern === operation) return true;
  const [group = '', name = ''] = operation.split('.');
  return pattern === `${group}.*` || pattern === `*.${name}`;
}
