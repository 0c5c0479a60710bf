/** A value that does not print: not in JSON, not in a template string, not in a console or an error. */
export interface Secret<T> {
  readonly reveal: () => T;
}

/** The text that stands for a secret wherever one is printed. */
export const redacted = '(sensitive)';

/**
 * Stand for secret parts of a text while rules look for more of them: for one that stays, and for one that a change gives
 * another value. Unicode assigns no meaning to them, so no text has them.
 */
export const [concealedMark, rotatedMark] = ['\uFDD0', '\uFDD1'];

export function secret<T>(value: T): Secret<T> {
  return new Unprintable(value);
}

/** Holds a value in a private field, where neither JSON nor an inspection finds it: a large plan has a million of these. */
class Unprintable<T> implements Secret<T> {
  readonly #value: T;
  /** Its own, not inherited: what holds a function cannot be cloned for another thread. */
  readonly toJSON = printed;

  constructor(value: T) {
    this.#value = value;
  }

  reveal(): T {
    return this.#value;
  }

  toString(): string {
    return redacted;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return redacted;
  }
}

/** What anything that holds a secret prints as. */
export function printed(): string {
  return redacted;
}
