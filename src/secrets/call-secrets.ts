import type { Operation } from '../api/contract.ts';
import { isPrivateMember, isSecretMember, secretAnswers, shownOnce } from '../api/secret-members.ts';
import { readEnvText } from '../kind/env-text.ts';
import { isObject } from '../kind/json.ts';
import type { Kind } from '../kind/kind.ts';
import { passwordsIn } from './credentials.ts';
import { isSecretEntry, secretParts, secretTexts } from './looks-secret.ts';
import type { Redactor } from './redactor.ts';
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

/**
 * Adds the secrets of an input or of a row, at any depth: an answer may quote them. Of a text that may hold secrets beside
 * ordinary words, such as a compose file, those are the parts that look secret. `kind`: its own secret fields count too.
 */
export function addSecretsOf(add: Redactor['add'], members: unknown, kind?: Kind): void {
  for (const text of secretsIn('', members, kind)) add(text);
}

function secretsIn(name: string, value: unknown, kind: Kind | undefined): string[] {
  const secrecy = kind?.fields[name]?.secrecy;
  const isText = isPrivateMember(name) || secrecy === 'private';
  if (secrecy === 'secret' || (isSecretMember(name) && !isText))
    return secretTexts(value).flatMap((text) => [text, ...readEnvText(text).values()]);
  if (typeof value === 'string') {
    if (isSecretEntry(name, value)) return [value];
    if (!isText) return [...passwordsIn(value)];
    const entries = [...readEnvText(value)].filter((entry) => isSecretEntry(...entry));
    return [...secretParts(value).map((part) => value.slice(...part)), ...entries.map(([, secret]) => secret)];
  }
  if (Array.isArray(value)) return value.flatMap((item) => secretsIn('', item, kind));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([inner, one]) => secretsIn(inner, one, kind));
}
