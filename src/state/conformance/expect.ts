import { deepStrictEqual, fail, match, ok, strictEqual } from 'node:assert';

/** Begins an assertion about a value; each throws an AssertionError. Never throws by itself. */
export function expect(actual: unknown) {
  const compare = (limit: number, words: string, holds: (value: number) => boolean): void =>
    ok(typeof actual === 'number' && holds(actual), `expected ${String(actual)} to be ${words} ${limit}`);
  return {
    toBe: (value: unknown) => strictEqual(actual, value),
    toBeUndefined: () => strictEqual(actual, undefined),
    /** Equal as JSON: members that are undefined count as left out. */
    toEqual: (value: unknown) => deepStrictEqual(plain(actual), plain(value)),
    /** Has at least these members. */
    toMatchObject: (value: object) => deepStrictEqual(plain(partOf(actual, value)), plain(value)),
    toHaveLength: (length: number) => strictEqual((actual as { length?: unknown }).length, length),
    toMatch: (pattern: RegExp | string) => {
      if (typeof pattern === 'string') ok(String(actual).includes(pattern), `${String(actual)} lacks ${pattern}`);
      else match(String(actual), pattern);
    },
    toBeGreaterThan: (limit: number) => compare(limit, 'greater than', (value) => value > limit),
    toBeLessThan: (limit: number) => compare(limit, 'less than', (value) => value < limit),
    toBeLessThanOrEqual: (limit: number) => compare(limit, 'at most', (value) => value <= limit),
    /** The function throws an error whose message contains the text. */
    toThrow: (text: string) => {
      const message = messageOf(actual);
      if (message === undefined) fail('expected it to throw');
      ok(message.includes(text), `expected "${message}" to contain "${text}"`);
    },
    not: {
      toThrow: () => strictEqual(messageOf(actual), undefined),
    },
  };
}

/** The message of what a function throws; undefined: it throws nothing. */
function messageOf(work: unknown): string | undefined {
  try {
    (work as () => unknown)();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** A value without prototypes, and without members that are undefined. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== 'object') return value;
  const members = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(members.map(([name, item]) => [name, plain(item)]));
}

/** The part of a value that has the members of another. */
function partOf(value: unknown, shape: unknown): unknown {
  if (value === null || typeof value !== 'object' || shape === null || typeof shape !== 'object') return value;
  if (Array.isArray(shape)) return Array.isArray(value) ? value.map((item, at) => partOf(item, shape[at])) : value;
  const members = value as Record<string, unknown>;
  return Object.fromEntries(Object.entries(shape).map(([name, inner]) => [name, partOf(members[name], inner)]));
}
