import * as z from 'zod';
import {
  type Operation,
  beyondDocument,
  contract,
  contracts,
  endpointOf,
  isKnown,
  requiredMembers,
} from '../api/contract.ts';
import { closest, didYouMean } from '../diagnostics/closest.ts';
import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import { usage } from '../diagnostics/usage.ts';
import { fieldMeant, valueAliases, valueMeant as choiceMeant } from '../kind/aliases.ts';
import { shownKey, wordsOf } from '../manifest/problem.ts';

/**
 * The operation of a name in the words of Dokploy or of the API document. What is none stops the run with the name that may
 * have been meant; `words` gives that the words of the platform.
 */
export function findOperation(name: string, words = (text: string): string => text): Operation {
  const meant = nameMeant(name);
  if (meant !== undefined) return meant;
  const names = everyOperation.map(words);
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

const everyOperation: readonly Operation[] = [...Object.keys(contract).filter(isKnown), ...beyondDocument];

function nameMeant(name: string): Operation | undefined {
  if (isKnown(name)) return name;
  return everyOperation.find((one) => contracts.standard.names?.operation(one) === name);
}

/** A member of an operation, from a word of Dokploy or of the API document. */
export function memberMeant(operation: Operation, written: string): string {
  const { shape } = endpointOf(operation).input;
  const meant = fieldMeant(written);
  return Object.hasOwn(shape, written) || !Object.hasOwn(shape, meant) ? written : meant;
}

/** A value of a member, from a word of Dokploy or of the API document. */
export function valueMeant(member: string, written: unknown): unknown {
  const words = valueAliases(member);
  return typeof written === 'string' ? choiceMeant(written, (word) => Object.hasOwn(words, String(word))) : written;
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
      const name = [...issue.path.map(String), key].map((one) => shownKey(one)).join('.');
      const meant = didYouMean(key, known, remedy);
      return diagnostic('unknown-key', `${name} is no member of ${operation}`, { remedy: meant });
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
