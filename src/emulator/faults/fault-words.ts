import type { Effect } from './fault-plan.ts';

/** What goes wrong with a request, in the words of the file. */
export function wordsOf({ before, after, late }: Effect): string {
  const said = [
    ...Object.entries(before ?? {}).map((entry) => `before: ${keyWords(...entry)}`),
    ...Object.entries(after ?? {}).map((entry) => `after: ${keyWords(...entry)}`),
    ...(late === undefined ? [] : [keyWords('late', late)]),
  ];
  return said.join(', ');
}

const times = new Set(['delay', 'retryAfter', 'drip', 'unseen', 'late']);

function keyWords(key: string, value: unknown): string {
  if (value === true) return key;
  if (times.has(key)) return `${key} ${Number(value) / 1_000}s`;
  return `${key} ${typeof value === 'string' ? value : JSON.stringify(value)}`;
}
