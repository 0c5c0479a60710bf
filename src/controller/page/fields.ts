import { refusal } from './refusal.ts';

/** A field of a form or of a query, without spaces around it: a text of at most so many characters, or nothing. */
export function fieldOf(fields: unknown, name: string, most = 2_000): string {
  const value = Object.hasOwn(Object(fields), name) ? (fields as Readonly<Record<string, unknown>>)[name] : undefined;
  return typeof value === 'string' ? value.trim().slice(0, most) : '';
}

/** The reason that a viewer has to give. @throws {Refusal} 400, without one */
export function reasonOf(fields: unknown): string {
  const because = fieldOf(fields, 'because');
  if (because === '') throw refusal(400, 'Write a reason, then send the form again.');
  return because;
}
