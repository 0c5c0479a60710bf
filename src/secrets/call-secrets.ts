import type { Operation } from '../api/contract.ts';
import { isPrivateMember, isSecretMember, secretAnswers, shownOnce } from '../api/secret-members.ts';
import { readEnvText } from '../formats/env-text.ts';
import { type Row, isObject } from '../formats/json.ts';
import type { Kind } from '../kind/kind.ts';
import { passwordsIn } from './passwords-in-addresses.ts';
import { isSecretEntry, secretParts, secretTexts } from './looks-secret.ts';
import type { Redactor } from './redactor.ts';
import { redacted } from './secret.ts';

/** Redacts the secrets of an answer, at any depth, and counts them. Keeps a value that the platform shows only this once. */
export function redactAnswer(
  operation: Operation,
  answer: unknown,
): { readonly shown: unknown; readonly count: number } {
  let count = 0;
  const hide = (shown: string): string => {
    count++;
    return shown;
  };
  return { shown: redactMembers(answer, hide, secretAnswers.has(operation), shownOnce[operation]), count };
}

/** Redacts the secrets of an input or an answer, at any depth. `hide` gets what stands for each. */
export function redactMembers(
  value: unknown,
  hide = (shown: string) => shown,
  isSecret = false,
  kept?: string,
): unknown {
  if (isSecret) return isEmpty(value) ? value : hide(redacted);
  if (typeof value === 'string') {
    const shown = value.replace(/(?<=:\/\/)[^\s/@]+(?=@)/g, redacted);
    return shown === value ? value : hide(shown);
  }
  if (Array.isArray(value)) return value.map((item: unknown) => redactMembers(item, hide));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      redactMembers(inner, hide, name !== kept && isSecretMember(name)),
    ]),
  );
}

/** An answer without secrets in its texts, names and numbers: what is serialized then stays JSON. */
export function redactLeaves(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === 'string') return redact(value);
  if (typeof value === 'number') return redact(String(value)) === String(value) ? value : redacted;
  if (Array.isArray(value)) return value.map((item: unknown) => redactLeaves(item, redact));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [redact(name), redactLeaves(inner, redact)]));
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
  add(() => secretsIn('', members, kind));
}

/** The passwords and keys that rows of objects have: an error of a database may quote the row that it refuses. */
export function secretsOfRows(rows: readonly Row[], kinds: readonly Kind[]): string[] {
  const withSecrets = kinds.flatMap(({ identity, fields }) => {
    const names = Object.keys(fields).filter((name) => fields[name]?.secrecy === 'secret');
    return names.length === 0 ? [] : [{ id: identity.id, names }];
  });
  return rows.flatMap((row) =>
    withSecrets.flatMap(({ id, names }) =>
      row[id] === undefined ? [] : names.flatMap((name) => secretTexts(row[name])),
    ),
  );
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
