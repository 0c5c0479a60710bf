/** A value that does not print: not in JSON, not in a template string, not in a console or an error. */
export interface Sealed<T> {
  readonly reveal: () => T;
}

/** What stands in place of a sealed value wherever it is printed. */
export const mask = '(sensitive)';

/** Seals a value. The value is in a closure, where neither JSON nor an inspection finds it. */
export function seal<T>(value: T): Sealed<T> {
  const sealed = Object.create(unprintable) as { reveal: () => T }; // the prototype has only what hides it
  sealed.reveal = () => value;
  return sealed;
}

const unprintable: object = Object.fromEntries(
  ['toJSON', 'toString', Symbol.for('nodejs.util.inspect.custom'), Symbol.toPrimitive].map((name) => [
    name,
    () => mask,
  ]),
);
