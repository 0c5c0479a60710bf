import type * as z from 'zod';
import type { Node, Place } from './tree.ts';

/** What is wrong with a value, in words, and the place of the innermost value that the first problem is about. */
export function problemOf(error: z.ZodError, node: Node): { message: string; place: Place } {
  return { message: wordsOf(error), place: placeAt(node, error.issues[0]?.path ?? []) };
}

/** What is wrong with a value, in words. */
export function wordsOf(error: z.ZodError): string {
  return error.issues
    .map((issue) => {
      const path = issue.path.length === 0 ? '' : `${issue.path.join('.')}: `;
      return `${path}${sentenceOf(issue)}`;
    })
    .join('; ');
}

function sentenceOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') return `has no ${issue.keys.join(', ')}`;
  const [inner] = issue.code === 'invalid_union' ? issue.errors.flat().filter((item) => item.path.length > 0) : [];
  if (inner !== undefined) return `${inner.path.join('.')}: ${sentenceOf(inner)}`;
  const length =
    issue.code === 'too_small'
      ? lengthOf(issue.origin, issue.minimum, 'at least')
      : issue.code === 'too_big'
        ? lengthOf(issue.origin, issue.maximum, 'at most')
        : undefined;
  if (length !== undefined) return length;
  return issue.message
    .replace(/^(Invalid (input|option)|Too (small|big)): /, '')
    .replace(/^Invalid input$/, 'is not one of the forms it can have');
}

function lengthOf(origin: string, size: number | bigint, bound: 'at least' | 'at most'): string | undefined {
  if (origin === 'string' && size === 1 && bound === 'at least') return 'is empty';
  const units: Readonly<Record<string, string>> = { string: 'characters', array: 'items' };
  return units[origin] === undefined ? undefined : `has to have ${bound} ${size} ${units[origin]}`;
}

function placeAt(node: Node, path: readonly PropertyKey[]): Place {
  let place = node.at;
  let current: Node | undefined = node;
  for (const step of path) {
    if (current?.is === 'map') {
      const entry: { keyAt: Place; node: Node } | undefined = current.entries.get(String(step));
      place = entry?.node.at ?? place;
      current = entry?.node;
    } else if (current?.is === 'list') {
      current = current.items[Number(step)];
      place = current?.at ?? place;
    } else break;
  }
  return place;
}
