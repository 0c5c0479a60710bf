/** A value that does not print: not in JSON, not in a template string, not in a console or an error. */
export interface Secret<T> {
  readonly reveal: () => T;
}

/** The text that stands for a secret wherever one is printed. */
export const redacted = '(sensitive)';

/** Makes a secret of a value. A closure holds the value, where neither JSON nor an inspection finds it. */
export function secret<T>(value: T): Secret<T> {
  const made = Object.create(unprintable) as { reveal: () => T }; // the prototype has only what redacts it
  made.reveal = () => value;
  return made;
}

const unprintable: object = Object.fromEntries(
  ['toJSON', 'toString', Symbol.for('nodejs.util.inspect.custom'), Symbol.toPrimitive].map((name) => [
    name,
    () => redacted,
  ]),
);
