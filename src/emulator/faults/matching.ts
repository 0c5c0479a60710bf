import { contract } from '../../api/contract.ts';
import { extensions } from '../groups/extensions.ts';
import type { Asked } from './asked.ts';

/** The operations that there are, those that only the real platform has included. */
export const operations: readonly string[] = [...Object.keys(contract), ...Object.keys(extensions.endpoints)];

/** Everything that can stand under `on`: an operation, all of a group, all of a name, a method, or all. */
export const patterns: readonly string[] = [
  ...new Set([
    ...operations.flatMap((operation) => {
      const [group = '', name = ''] = operation.split('.');
      return [operation, `${group}.*`, `*.${name}`];
    }),
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
