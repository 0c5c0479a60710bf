import * as z from 'zod';
import type { Operation } from '../api/contract.ts';
import type { Profile } from '../api/contract.ts';
import { beyondDocument, contract, contracts, endpointOf, isKnown, requiredMembers } from '../api/contract.ts';
import { dokploy } from '../api/vocabulary.ts';
import { textIn } from '../kind/profile.ts';
import { closest } from '../diagnostics/closest.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import { usage } from '../diagnostics/usage.ts';
import { shownKey, wordsOf } from '../manifest/problem.ts';

/** The operation of a name of any profile; what is none stops the run with the name that may have been meant. */
export function findOperation(name: string, profile: Profile = 'standard'): Operation {
  const meant = nameMeant(name);
  if (isKnown(meant)) return meant;
  const names = [...Object.keys(contract), ...beyondDocument].map((one) => textIn(one, profile));
  const [group = ''] = name.split('.');
  const siblings = names.filter((other) => other.startsWith(`${group}.`));
  // Within a group the name of the group would make all its operations alike.
  const own = closest(
    name.slice(group.length + 1),
    siblings.map((other) => other.slice(group.length + 1)),
  );
  const guess = siblings.length === 0 ? closest(name, names) : own && `${group}.${own}`;
  throw usage(
    `there is no operation ${name}`,
    guess === undefined
      ? `trueup call --list${siblings.length > 0 ? ` ${group}` : ''} shows what there is.`
      : `Did you mean ${guess}?`,
  );
}

/** An operation by its name in the API document, from the name of any profile. */
function nameMeant(name: string): string {
  if (isKnown(name)) return name;
  return (
    [...Object.keys(contract), ...beyondDocument].find((one) => contracts.dokploy.names?.operation(one) === name) ??
    name
  );
}

/** A member of an operation by its name in the API document, from the name of any profile. */
export function memberMeant(operation: Operation, name: string): string {
  const { shape } = endpointOf(operation).input;
  if (Object.hasOwn(shape, name)) return name;
  return Object.keys(shape).find((one) => contracts.dokploy.names?.member(one) === name) ?? name;
}

/** A value of a member in the words of the API document, from a word of any profile. */
export function valueMeant(member: string, value: unknown): unknown {
  const words = Object.entries(dokploy.values[member] ?? {});
  return words.find(([, there]) => there === value)?.[0] ?? value;
}

/**
 * Everything that is wrong with an input, one diagnostic each. No value is shown: it may be a secret. `remedy`: where the words
 * of the caller stand.
 */
export function checkInput(
  operation: Operation,
  input: Readonly<Record<string, unknown>>,
  remedy = `trueup call --list ${operation} shows what it takes.`,
): Diagnostic[] {
  const { input: schema, method } = endpointOf(operation);
  const issues = schema.safeParse(input).error?.issues ?? [];
  return [
    ...issues.flatMap((issue) => diagnosticsOf(operation, { input, remedy }, issue)),
    // The platform takes an empty value in a query for a missing one.
    ...requiredMembers(operation)
      .filter((name) => method === 'GET' && input[name] === '' && !issues.some(({ path }) => path[0] === name))
      .map((name) => diagnostic('missing-key', `${operation} needs ${name}, and it is empty`)),
  ];
}

function diagnosticsOf(
  operation: Operation,
  { input, remedy }: { readonly input: Readonly<Record<string, unknown>>; readonly remedy: string },
  issue: z.core.$ZodIssue,
): Diagnostic[] {
  const [first, ...deeper] = issue.path;
  if (issue.code === 'unrecognized_keys') {
    const known = issue.path.length === 0 ? Object.keys(endpointOf(operation).input.shape) : [];
    return issue.keys.map((key) => {
      const guess = closest(key, known);
      return diagnostic(
        'unknown-key',
        `${[...issue.path.map(String), key].map((name) => shownKey(name)).join('.')} is no member of ${operation}`,
        {
          remedy: guess === undefined ? remedy : `Did you mean ${guess}?`,
        },
      );
    });
  }
  if (deeper.length === 0 && !Object.hasOwn(input, String(first))) {
    return [diagnostic('missing-key', `${operation} needs ${String(first)}`, { remedy })];
  }
  // A number out of its range is no secret.
  const isRange = (issue.code === 'too_small' || issue.code === 'too_big') && /^(int|number)$/.test(issue.origin);
  const refused = { name: '', value: input, isSecret: !isRange };
  return [diagnostic('wrong-type', wordsOf(new z.ZodError([issue]), refused), { remedy })];
}
