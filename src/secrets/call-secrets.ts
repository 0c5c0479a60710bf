import type { Operation } from '../api/contract.ts';
import { isPrivateMember, isSecretMember, secretAnswers, shownOnce } from '../api/secret-members.ts';
import { readEnvText } from '../kind/env-text.ts';
import { isObject, textsIn } from '../kind/json.ts';
import type { Kind } from '../kind/kind.ts';
import { secretParts } from './looks-secret.ts';
import type { Redactor } from './redactor.ts';
import { createRedactor } from './redactor.ts';
import { redacted } from './secret.ts';

/** A value without its secrets, and how many secrets it held. */
export interface Redacted {
  readonly shown: unknown;
  readonly count: number;
}

/** Redacts the secrets of an answer, at any depth. Keeps a value that the platform shows only this once. */
export function redactAnswer(operation: Operation, answer: unknown): Redacted {
  return redactValue(answer, { isSecret: secretAnswers.has(operation), kept: shownOnce[operation] });
}

/** Redacts the secrets of an input, at any depth. */
export function redactInput(input: unknown): unknown {
  return redactValue(input, { isSecret: false, kept: undefined }).shown;
}

function redactValue(value: unknown, about: { isSecret: boolean; kept: string | undefined }): Redacted {
  if (about.isSecret) return isEmpty(value) ? { shown: value, count: 0 } : { shown: redacted, count: 1 };
  if (typeof value === 'string') {
    const shown = value.replace(/(?<=:\/\/)[^\s/@]+(?=@)/g, redacted);
    return { shown, count: shown === value ? 0 : 1 };
  }
  if (!Array.isArray(value) && !isObject(value)) return { shown: value, count: 0 };
  let count = 0;
  const redactMember = (name: string, inner: unknown): unknown => {
    const inside = redactValue(inner, { isSecret: name !== about.kept && isSecretMember(name), kept: undefined });
    count += inside.count;
    return inside.shown;
  };
  const shown = Array.isArray(value)
    ? value.map((item: unknown) => redactMember('', item))
    : Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, redactMember(name, inner)]));
  return { shown, count };
}

/** Nothing that could be secret: whether a value is set may be known. */
function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || typeof value === 'boolean';
}

/** A redactor that also knows the secrets of an input, so that a platform that echoes one does not print it. */
export function knowingInput(redactor: Redactor, input: unknown): Redactor {
  const secrets = secretsIn(input);
  for (const { text, isPrivate } of secrets) {
    redactor.add(text, { isPrivate });
    for (const value of readEnvText(text).values()) redactor.add(value, { isPrivate });
  }
  // Too short to be replaced wherever its letters stand: an echo of it is a word of its own.
  const short = secrets.filter(({ text }) => text.length > 0 && text.length < 6).map(({ text }) => escapeText(text));
  if (short.length === 0) return redactor;
  const words = new RegExp(`(?<![A-Za-z0-9])(?:${short.join('|')})(?![A-Za-z0-9])`, 'g');
  return { ...redactor, redactForeign: (text) => redactor.redactForeign(text).replace(words, redacted) };
}

/**
 * A redactor that knows the secrets in the row of a service. Of a text such as a compose file it takes the parts that look
 * secret only: the other lines are what a failure is about.
 */
export function knowingService(kind: Kind, row: Readonly<Record<string, unknown>>): Redactor {
  const redactor = createRedactor();
  const texts = new Set(
    Object.entries(kind.fields).flatMap(([name, { secrecy, map }]) =>
      secrecy === 'private' && map === undefined ? [name] : [],
    ),
  );
  for (const name of texts) {
    const text = row[name];
    if (typeof text === 'string') for (const part of secretParts(text)) redactor.add(text.slice(...part));
  }
  return knowingInput(redactor, Object.fromEntries(Object.entries(row).filter(([name]) => !texts.has(name))));
}

/** Every text below a secret member. */
function secretsIn(value: unknown): { readonly text: string; readonly isPrivate: boolean }[] {
  if (Array.isArray(value)) return value.flatMap(secretsIn);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const isPrivate = isPrivateMember(name);
    return isSecretMember(name) ? textsIn(inner).map((text) => ({ text, isPrivate })) : secretsIn(inner);
  });
}

function escapeText(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
