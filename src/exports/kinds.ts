/**
 * The kinds of resources, for people who write kinds.
 *
 * ```ts
 * import { kinds } from 'trueup/kinds';
 *
 * process.stdout.write(`${kinds.map(({ kind }) => kind).join(', ')}\n`);
 * ```
 */

export type { Kind } from '../kind/kind.ts';
export { defineKind } from '../kind/kind.ts';
export { kinds } from '../resources/index.ts';
