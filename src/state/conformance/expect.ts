import { deepStrictEqual, fail, match, ok, strictEqual } from 'node:assert';

/** The assertions of the suite. Each throws an AssertionError. */
interface Expected {
  toBe(value: unknown): void;
  toBeUndefined(): void;
  /** Equal as JSON: members that are undefined count as left out. */
  toEqual(value: unknown): void;
  /** Has at least these members. */
  toMatchObject(value: object): void;
  toHaveLength(length: number): void;
  toMatch(pattern: RegExp | string): void;
  toBeGreaterThan(least: number): void;
  toBeLessThan(most: number): void;
  toBeLessThanOrEqual(most: number): void;
  /** The function throws an error whose message contains the text. */
  toThrow(text: string): void;
  readonly not: { toThrow(): void };
}

/** Begins an assertion about a value. Never throws by itself. */
export function expect(actual: unknown): Expected {
  const compare = (limit: number, words: string, holds: (value: number) => boolean): void =>
    ok(typeof actual === 'number' && holds(actual), `expected ${String(actual)} to be ${words} ${limit}`);
  return {
    toBe: (value) => strictEqual(actual, value),
    toBeUndefined: () => strictEqual(actual, undefined),
    toEqual: (value) => deepStrictEqual(plain(actual), plain(value)),
    toMatchObject: (value) => deepStrictEqual(plain(partOf(actual, value)), plain(value)),
    toHaveLength: (length) => strictEqual((actual as { length?: unknown }).length, length),
    toMatch: (pattern) => {
      if (typeof pattern === 'string') ok(String(actual).includes(pattern), `${String(actual)} lacks ${pattern}`);
      else match(String(actual), pattern);
    },
    toBeGreaterThan: (least) => compare(least, 'greater than', (value) => value > least),
    toBeLessThan: (most) => compare(most, 'less than', (value) => value < most),
    toBeLessThanOrEqual: (most) => compare(most, 'at most', (value) => value <= most),
    toThrow: (text) => {
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
