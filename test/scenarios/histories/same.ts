import equal from 'fast-deep-equal';

/** Throws unless something holds. */
export function holds(condition: boolean, words: string): void {
  if (!condition) throw new Error(words);
}

/** Throws unless two values are equal. */
export function same(actual: unknown, expected: unknown, words: string): void {
  if (!equal(actual, expected)) throw new Error(`${words}: it is ${print(actual)}, and should be ${print(expected)}`);
}

function print(value: unknown): string {
  return value === undefined ? 'not there' : JSON.stringify(value);
}
